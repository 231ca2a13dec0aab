"""Labels: what cards accept as one, and one way to write each."""

import re
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
    return np.array([plain_label(str(value)) for value in values])[inverse]


def plain_label(text: str) -> str:
    """Return a label as cards write it: +1, 1.0 and 1 are the same; other labels stay."""
    text = text.strip()
    if re.fullmatch(r"[+-]?\d+(\.0*)?", text) or re.fullmatch(r"[+-]?\d+\.?\d*[eE][+-]?\d+", text):
        value = float(text)
        return str(int(value)) if value.is_integer() else str(value)
    return text
