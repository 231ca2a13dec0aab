"""How a file is laid out: the words of cards for formats, labels and the encodings of columns."""

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from ensvm.data.errors import near_miss
from ensvm.data.strict import Strict


def _label(given: Any) -> Any:
    if isinstance(given, bool):
        raise ValueError(f"{given} is not a label: YAML reads yes, no, true and false as booleans; quote it")
    return str(given) if isinstance(given, int | float) else given


def _encoding(given: Any) -> Any:
    words = get_args(EncodingWord)
    if isinstance(given, list) and len(set(map(str, given))) < len(given):
        raise ValueError(f"{given} names a value twice")
    if not isinstance(given, list | dict) and given not in words:
        hint = near_miss(str(given), words)
        raise ValueError(f"{given!r} is not an encoding{hint} (accepted: a list, a mapping, {', '.join(words)})")
    return given


Label = Annotated[str, BeforeValidator(_label)]
EncodingWord = Literal["number", "integer-after-letter"]
Encoding = Annotated[list[Label] | dict[Label, float] | EncodingWord, BeforeValidator(_encoding)]


class TableFormat(Strict):
    """Rows of fields: CSV, tab-separated, UCI and KEEL files.

    The first of the `header` lines names the columns, unless `columns` does. Inputs are the columns that the
    card's `inputs` names, else all but the target; `encoded` says that they hold the card's codes already.
    """

    type: Literal["table"]
    delimiter: Literal["comma", "semicolon", "tab", "whitespace"] = "comma"
    header: int = Field(default=0, ge=0)
    comment: str | None = None
    columns: list[str] | None = None
    target: str | int
    labels: dict[Label, Label] = Field(default_factory=dict)
    missing: list[str] = Field(default_factory=list)
    incomplete: Literal["refuse", "drop"] = "refuse"
    encoded: bool = False


class LibsvmFormat(Strict):
    """LIBSVM's `label index:value ...`; a line with a label alone is a row of zeros."""

    type: Literal["libsvm"]


class NpzFormat(Strict):
    """A numpy archive with X, y and, for the protocol `indices`, train and test (zero-based rows)."""

    type: Literal["npz"]


class ParquetFormat(Strict):
    """A Parquet file, read by pandas (needs pyarrow)."""

    type: Literal["parquet"]
    target: str
    incomplete: Literal["refuse", "drop"] = "refuse"


Format = Annotated[TableFormat | LibsvmFormat | NpzFormat | ParquetFormat, Field(discriminator="type")]


def plain_label(text: str) -> str:
    """Return a label as cards write it: +1, 1.0 and 1 are the same; words stay."""
    text = text.strip()
    if re.fullmatch(r"[+-]?\d+(\.0*)?", text) or re.fullmatch(r"[+-]?\d+\.?\d*[eE][+-]?\d+", text):
        value = float(text)
        return str(int(value)) if value.is_integer() else str(value)
    return text
