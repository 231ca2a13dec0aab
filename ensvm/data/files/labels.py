"""Labels: what cards accept as one, and one way to write each."""

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator


def _label(given: Any) -> Any:
    if isinstance(given, bool):
        raise ValueError(
            f"{given} is not a label: YAML reads yes, no, true and false as booleans; quote it"
        )
    return str(given) if isinstance(given, int | float) else given


Label = Annotated[str, BeforeValidator(_label)]


def plain_labels(found: NDArray[Any]) -> NDArray[np.str_]:
    """Return labels as cards write them: 1.0, +1 and 1 are "1"; other labels stay as they are."""
    values, inverse = np.unique(found, return_inverse=True)
    return np.array([plain_label(str(value)) for value in values], dtype=str)[inverse]


def plain_label(text: str) -> str:
    """Return a label as cards write it: +1, 1.0 and 1 are the same; other labels stay.

    So do 001, which is a name rather than a number, and numbers that float64 does not tell apart.
    """
    text = text.strip()
    if re.fullmatch(r"[+-]?(0|[1-9][0-9]{0,99})(\.0*)?", text):
        return str(int(text.split(".")[0]))
    if re.fullmatch(r"[+-]?(0|[1-9][0-9]{0,99})\.?[0-9]{0,99}[eE][+-]?[0-9]{1,3}", text):
        value = float(text)
        if np.isfinite(value):
            plain = str(int(value)) if value.is_integer() else str(value)
            return plain if Decimal(plain) == Decimal(text) else text
    return text


def look_alikes(labels: Iterable[str]) -> list[tuple[str, str]]:
    """Return pairs of labels that differ only in Unicode form or by characters without ink."""
    first: dict[str, str] = {}
    pairs = []
    for label in labels:
        text = unicodedata.normalize("NFC", label)
        seen = " ".join("".join(c for c in text if unicodedata.category(c) != "Cf").split())
        if (other := first.setdefault(seen, label)) != label:
            pairs.append((other, label))
    return pairs


def no_label(text: str) -> bool:
    """Return whether a field says that there is no label: it is empty or not a number, NaN."""
    return text.strip().lower() in ("", "nan", "+nan", "-nan")
