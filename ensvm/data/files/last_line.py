"""The last line of a text file: whether the file may be cut off in it.

A download or a copy that ended early leaves a last line without a line break. Many whole files lack
it too, so that one more sign is needed to refuse a file.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ensvm.errors import UserError

NO_LINE_BREAK = "no line break after the last line"
_FEWEST = 9  # other rows: among fewer, a label that stands in one row is nothing unusual
_HEAD = 1000  # lines that show what other lines look like
_DECIMALS = re.compile(r"[+-]?\d*\.(\d*)")


def ends_whole(data: bytes) -> bool:
    """Return whether a text ends with a line break, also in UTF-16 and with DOS's end mark."""
    return data[-8:].strip(b"\0\x1a \t")[-1:] in (b"\n", b"\r")


def cut_off(place: str, reason: str) -> UserError:
    """Return the error for a last line that is probably not whole."""
    return UserError(
        f"{place}: the last line has no line break, and {reason}: is the file cut off? If it is "
        "whole, add a line break at its end"
    )


def why_cut_field(text: str, others: Sequence[str], is_label: bool) -> str:
    """Return why the last field of a file may be cut off, given the others of its column."""
    different = set(others)
    if text in different:
        return ""
    if is_label:
        return f"its label {text!r} stands in no other row"
    longer = next((other for other in others if text and other.startswith(text)), "")
    if longer and not re.fullmatch(r"[\d.+-]+", text):  # numbers may begin alike
        return f"its last field {text!r} may be a part of {longer!r}"
    decimals = [len(found[1]) for other in others if (found := _DECIMALS.fullmatch(other))]
    found = _DECIMALS.fullmatch(text)
    own = len(found[1]) if found else 0
    if len(decimals) == len(others) > 1 and own < min(decimals):
        return f"its last number {text!r} has fewer decimals than all others of its column"
    return "" if text else "its last field is empty, as no other of its column"


def refuse_cut_row(place: str, column: NDArray[np.object_], is_label: bool) -> None:
    """Raise UserError if the last field of a table without a last line break may be cut off."""
    texts = column.tolist()
    if len(texts) > _FEWEST and (reason := why_cut_field(texts[-1], texts[:-1], is_label)):
        raise cut_off(place, reason)


def refuse_cut_pairs(file_name: str, data: bytes) -> None:
    """Raise UserError if the last line of LIBSVM text may be cut off."""
    lines = data.split(b"\n")
    *others, last = (line.decode("latin-1").split("#")[0].split() for line in lines[-_HEAD:])
    others = [line for line in others if line]
    if ends_whole(data) or not last or len(others) < _FEWEST:
        return
    place = f"{file_name}, line {len(lines)}"
    counts = {len(line) for line in others}
    if len(counts) == 1 and len(last) < min(counts):
        raise cut_off(place, f"it has fewer values than all others ({len(last) - 1})")
    values = [field.partition(":")[2] for line in others for field in line[1:]]
    if len(last) == 1:
        reason = why_cut_field(last[0], [line[0] for line in others], is_label=True)
    else:
        reason = why_cut_field(last[-1].partition(":")[2], values, is_label=False)
    if reason:
        raise cut_off(place, reason)
