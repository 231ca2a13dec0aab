"""How a file is laid out: the words of cards for formats, labels and the encodings of columns."""

import re
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field

from ensvm.data.errors import near_miss
from ensvm.data.strict import Strict


def _label(given: Any) -> Any:
    if isinstance(given, bool):
        raise ValueError(
            f"{given} is not a label: YAML reads yes, no, true and false as booleans; quote it"
        )
    return str(given) if isinstance(given, int | float) else given


def _encoding(given: Any) -> Any:
    words = get_args(EncodingWord)
    values = given.get(ONE_HOT) if isinstance(given, dict) and ONE_HOT in given else given
    if values is not given and not (isinstance(values, list) and values and len(given) == 1):
        raise ValueError(
            f"{given} is not an encoding; `{ONE_HOT}` takes a list of values and stands alone"
        )
    if isinstance(values, list) and len(set(map(str, values))) < len(values):
        raise ValueError(f"{values} names a value twice")
    if not isinstance(given, list | dict) and given not in words:
        hint = near_miss(str(given), words)
        accepted = f"a list, a mapping, {{{ONE_HOT}: a list}}, {', '.join(words)}"
        raise ValueError(f"{given!r} is not an encoding{hint} (accepted: {accepted})")
    return given


ONE_HOT = "one-hot"
Label = Annotated[str, BeforeValidator(_label)]
EncodingWord = Literal["number", "integer-after-letter"]
OneHot = dict[Literal["one-hot"], list[Label]]
Encoding = Annotated[
    list[Label] | dict[Label, float] | OneHot | EncodingWord, BeforeValidator(_encoding)
]
Inputs = dict[str, Encoding]
Incomplete = Literal["refuse", "drop", "keep"]


def one_hot_values(encoding: Encoding) -> list[str] | None:
    """Return the values that get a 0/1 column each, or None for an encoding that gives one column of numbers."""
    if isinstance(encoding, dict) and isinstance(values := encoding.get(ONE_HOT), list):  # type: ignore[call-overload]
        return values
    return None


def encoded_columns(inputs: Inputs) -> list[str]:
    """Return the names of the columns that inputs become: `colour`, or `colour=red`, `colour=blue` if one-hot."""
    names = []
    for name, encoding in inputs.items():
        values = one_hot_values(encoding)
        names += [name] if values is None else [f"{name}={value}" for value in values]
    return names


class TableFormat(Strict):
    """Rows of fields: CSV, tab-separated, UCI and KEEL files.

    The first of the `header` lines names the columns, unless `columns` does. Inputs are the columns
    that the card's `inputs` names, else all but the target; `encoded` says that they hold the
    card's codes already, under the names of `encoded_columns`. Lines that begin with a `comment`
    are passed over; `quote` encloses fields; `lowercase` reads fields and labels as if so written.
    `corrections` replaces text that the file holds exactly once, such as a line broken in two.
    Fields that are empty or among `missing` have no value: rows with such an input are refused,
    dropped or kept (as NaN, see the card's `missing`) as `incomplete` says, rows with no class as
    `unlabelled` says (`incomplete: drop` drops them too).
    """

    type: Literal["table"]
    delimiter: Literal["comma", "semicolon", "tab", "whitespace"] = "comma"
    header: int = Field(default=0, ge=0)
    comment: str | list[str] | None = None
    quote: str = Field(default='"', min_length=1, max_length=1)
    lowercase: bool = False
    corrections: dict[str, str] = Field(default_factory=dict)
    columns: list[str] | None = None
    target: str | int
    labels: dict[Label, Label] = Field(default_factory=dict)
    missing: list[str] = Field(default_factory=list)
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"
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
    incomplete: Incomplete = "refuse"


class IdxFormat(Strict):
    """MNIST's idx: images of unsigned bytes, a row of pixels 0..255 each; the labels are a file of their own.

    `keep` leaves the rows with other labels out. The source names the file of the labels under
    `labels`.
    """

    type: Literal["idx"]
    keep: list[Label] | None = None


Format = Annotated[
    TableFormat | LibsvmFormat | NpzFormat | ParquetFormat | IdxFormat, Field(discriminator="type")
]


def plain_label(text: str) -> str:
    """Return a label as cards write it: +1, 1.0 and 1 are the same; words stay."""
    text = text.strip()
    if re.fullmatch(r"[+-]?\d+(\.0*)?", text) or re.fullmatch(r"[+-]?\d+\.?\d*[eE][+-]?\d+", text):
        value = float(text)
        return str(int(value)) if value.is_integer() else str(value)
    return text
