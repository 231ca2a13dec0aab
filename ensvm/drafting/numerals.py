"""Numbers as people write them: decimal point or comma, with or without marks of thousands."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ensvm.data.files.columns import LARGEST
from ensvm.data.files.dialect import grouped_number, plain_number

_MARKS = "'’ \u00a0\u202f"  # of thousands, beside the point or comma that is not the decimal one
PLAIN = {mark: plain_number(mark) for mark in ".,"}
GROUPED = {mark: grouped_number(mark, other + _MARKS) for mark, other in ((".", ","), (",", "."))}


def is_number(text: str) -> bool:
    """Return whether a field is a number in either way of writing."""
    return any(PLAIN[mark].fullmatch(text) or GROUPED[mark].fullmatch(text) for mark in ".,")


def numbers_of(texts: Sequence[str], decimal: str) -> NDArray[np.float64]:
    """Return texts as numbers, NaN for what is none or is too large to compute with.

    Parameters
    ----------
    texts : sequence of str
        Fields without blanks around them.
    decimal : '.' or ','
        The decimal mark; the other one, blanks and apostrophes may mark thousands.

    Returns
    -------
    ndarray of shape (n,)
        The numbers.
    """
    numbers = _quick(texts) if decimal == "." else None
    if numbers is None:
        plain, grouped = PLAIN[decimal], GROUPED[decimal]
        strip = str.maketrans({**dict.fromkeys(f".,{_MARKS}".replace(decimal, "")), decimal: "."})
        found = [
            text.translate(strip) if plain.fullmatch(text) or grouped.fullmatch(text) else "nan"
            for text in texts
        ]
        numbers = np.array(found, dtype=np.float64)
    return np.where(np.abs(numbers) <= LARGEST, numbers, np.nan)


def _quick(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """Return the numbers if all are plain ones, else None."""
    try:
        numbers = pd.to_numeric(pd.Series(texts, dtype=object), errors="raise")
    except (ValueError, TypeError):
        return None
    return numbers.to_numpy(dtype=np.float64)
