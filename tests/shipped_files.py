"""Writes the small data files that travel with the package: `python tests/shipped_files.py`.

Each is the card's arrays before scaling as CSV, read by the card's own readers from a mirror or a
package, so the file is the same wherever it is made. The last column, `class`, holds the labels;
missing values are empty fields. Categories are codes where the card's source says `encoded`, else
text, which other encodings can read.
"""

import hashlib
import lzma
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ensvm.atomic_write import replace_file
from ensvm.data.arrays import Arrays
from ensvm.data.card import DatasetCard, Source
from ensvm.data.catalogue import list_cards
from ensvm.data.files.delimited_text import TableFormat
from ensvm.data.files.encode import INTERVALS, NONE, Encoding, encoded_columns, indicators
from ensvm.data.loading import read_arrays
from ensvm.data.providers.folders import data_folders
from ensvm.errors import UserError
from ensvm.shipped import shipped_datasets


@dataclass(frozen=True)
class Shipped:
    """A shipped file: the card it belongs to, the part of the rows it holds, and its source."""

    card: DatasetCard
    part: str
    source: Source

    @property
    def is_original(self) -> bool:
        """Return whether it was made for ensvm, so that it is converted from nothing."""
        return len(self.card.parts[self.part]) == 1


def shipped_files() -> list[Shipped]:
    """Return the files that cards ship, in the order of the cards."""
    return [
        Shipped(card, part, source)
        for card in list_cards()
        for part, sources in card.parts.items()
        for source in sources
        if source.shipped
    ]


def as_csv(shipped: Shipped, arrays: Arrays) -> bytes:
    """Return the part's rows of a card's dense arrays as CSV: a header line, then inputs and label.

    Numbers read back exactly. Raises UserError for text that the arrays do not show any more.
    """
    card, rows = shipped.card, _rows(shipped.part, arrays)
    inputs = arrays.X[rows]
    names, columns = _numbers(card, inputs) if _encoded(shipped) else _fields(card, inputs)
    labels = [card.labels[max(int(code), 0)] for code in arrays.y[rows]]
    lines = zip(*columns, labels, strict=True)
    return "".join(",".join(line) + "\n" for line in [(*names, "class"), *lines]).encode()


def _rows(part: str, arrays: Arrays) -> NDArray[np.intp]:
    if arrays.splits is None or part == "all":
        return np.arange(len(arrays.y))
    train, test = arrays.splits
    return (train if part == "train" else test)[0]


def _encoded(shipped: Shipped) -> bool:
    form = shipped.source.format
    return isinstance(form, TableFormat) and form.encoded


def _numbers(card: DatasetCard, X: NDArray[np.float64]) -> tuple[list[str], list[list[str]]]:
    names = (
        encoded_columns(card.inputs)
        if card.inputs
        else [f"x{j}" for j in range(1, card.features + 1)]
    )
    return names, [_as_text(column) for column in X.T]


def _fields(card: DatasetCard, X: NDArray[np.float64]) -> tuple[list[str], list[list[str]]]:
    """Return names and fields of the columns as they were before the card's encodings."""
    if card.inputs is None:
        return _numbers(card, X)
    columns, start = [], 0
    for name, encoding in card.inputs.items():
        end = start + len(indicators(encoding) or [name])
        if encoding == "integer-after-letter" or _merges_values(encoding):
            lost = f"the text of {name!r} is lost; the shipped file needs `encoded: true`"
            raise UserError(f"{card.name}: {lost}")
        columns.append(_decoded(X[:, start:end], encoding))
        start = end
    return list(card.inputs), columns


def _merges_values(encoding: Encoding) -> bool:
    """Return whether different fields become the same columns of 0 and 1."""
    return indicators(encoding) is not None and not {INTERVALS, NONE}.isdisjoint(encoding)


def _decoded(block: NDArray[np.float64], encoding: Encoding) -> list[str]:
    if isinstance(encoding, str):
        return _as_text(block[:, 0])
    codes, texts = block[:, 0], dict[float, str]()
    if (values := indicators(encoding)) is not None:
        codes = block @ np.arange(len(values))
        texts.update(enumerate(values))
    elif isinstance(encoding, list):
        texts.update(enumerate(encoding, start=1))
    else:
        texts.update({float(str(code)): str(text) for text, code in encoding.items()})
    return ["" if np.isnan(code) else texts[code] for code in codes]


def _as_text(numbers: Iterable[float]) -> list[str]:
    return ["" if np.isnan(x) else str(int(x)) if x == int(x) else repr(float(x)) for x in numbers]


def convert(shipped: Shipped, data_dir: Path | None = None) -> bytes:
    """Return what a shipped file must hold, made from any other provider of its card.

    Raises DataUnavailable or UserError as `load` does.
    """
    card = shipped.card
    others = {
        part: [source for source in sources if not source.shipped]
        for part, sources in card.parts.items()
    }
    original = card.model_copy(update=others)
    return as_csv(shipped, read_arrays(original, data_folders(data_dir, offline=False))[0])


def main() -> int:
    """Write every shipped file; return 1 if a card states another sum than the file written has."""
    stale = 0
    for shipped in shipped_files():
        if shipped.is_original:
            continue
        content = convert(shipped)
        path = shipped_datasets() / shipped.source.address
        replace_file(path, lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
        sha256 = hashlib.sha256(content).hexdigest()
        stale += sha256 != shipped.source.sha256
        print(f"{path.name}: {path.stat().st_size} bytes, sha256 of the content {sha256}")
    if stale:
        print(
            f"{stale} of these sums are not the cards' yet: write them into the cards",
            file=sys.stderr,
        )
    return int(stale > 0)


if __name__ == "__main__":
    sys.exit(main())
