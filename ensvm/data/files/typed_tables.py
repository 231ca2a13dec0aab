"""Tables whose columns have types, read by pandas: Parquet and Feather."""

import io
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.data.files.encode import Inputs, plain_labels
from ensvm.data.files.file_content import FileContent, check_size, reading
from ensvm.data.files.named_columns import NamedColumnsFormat, Table, refuse_equal_names
from ensvm.errors import UserError
from ensvm.exact_integers import MOST_EXACT
from ensvm.levels import MOST_LEVELS
from ensvm.text_values import DATES, DATES_AS_NUMBERS

_VALUE_BYTES = 8  # of memory, at least; a few bytes of a file may stand for many equal values
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal", "empty"}
_MOMENTS = {"date", "datetime", "datetime64", "time", "timedelta", "timedelta64", "period"}


class TypedFormat(NamedColumnsFormat):
    """A table whose columns have types: numbers, booleans, texts and categories.

    Booleans become 0 and 1, and texts and categories columns of 0 and 1 (one-hot) unless `inputs`
    says otherwise. Dates are refused.
    """

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names of the columns."""
        return list(self.table(file).columns)

    def typed_columns(self, file: FileContent) -> tuple[Inputs, dict[str, str]]:
        """Return the encodings of columns that are not numbers, and why some cannot be inputs."""
        encodings: Inputs = {}
        refused: dict[str, str] = {}
        for name, column in self.table(file).frame.items():
            found = encoding_of(column)
            if isinstance(found, str):
                refused[str(name)] = found
            elif found is not None:
                encodings[str(name)] = found
        return encodings, refused


def encoding_of(column: Any) -> Any:
    """Return the encoding of a column, None for numbers, or in words why it cannot be an input."""
    from pandas.api.types import infer_dtype

    kind = infer_dtype(column, skipna=True)
    if kind == "categorical":
        return _one_hot(list(column.cat.categories))
    if kind == "boolean":
        return {"False": 0, "True": 1}
    if kind in _NUMBERS:
        return None
    levels = sorted(set(column.dropna())) if kind == "string" else []
    if kind in _MOMENTS or (levels and all(DATES.fullmatch(level.strip()) for level in levels)):
        return f"holds dates or times: turn them into {DATES_AS_NUMBERS}"
    if kind != "string":
        return f"holds values of the type {kind}: make numbers or texts of them"
    if len(levels) > MOST_LEVELS:
        return (
            f"holds {len(levels)} different texts, such as {levels[0]!r}; "
            "list those to tell apart under `inputs` as one-hot"
        )
    return _one_hot(levels)


def _one_hot(values: list[Any]) -> dict[str, list[str]]:
    texts = np.array([" ".join(str(value).split()) for value in values], dtype=str)
    return {"one-hot": list(dict.fromkeys(filter(None, plain_labels(texts).tolist())))}


class ParquetFormat(TypedFormat):
    """A Parquet file (needs pyarrow).

    Attributes
    ----------
    type : 'parquet'
        The name of the format.
    """

    endings: ClassVar = {".parquet": {"type": "parquet"}}
    begins: ClassVar = b"PAR1"

    type: Literal["parquet"]

    def table(self, file: FileContent) -> Table:
        """Return the rows."""
        with reading(file.name, "a Parquet table"):
            _require_pyarrow(file.name, "Parquet")
            from pyarrow.parquet import read_metadata, read_table

            size = read_metadata(io.BytesIO(file.data))
            refuse_equal_names(size.schema.to_arrow_schema().names, file.name)
            check_size(size.num_rows * size.num_columns * _VALUE_BYTES, file.name)
            return _numbered(_frame(read_table(io.BytesIO(file.data))), file)


class FeatherFormat(TypedFormat):
    """A Feather file, which is Arrow's IPC format (needs pyarrow).

    Attributes
    ----------
    type : 'feather'
        The name of the format.
    """

    endings: ClassVar = {".feather": {"type": "feather"}, ".arrow": {"type": "feather"}}
    begins: ClassVar = b"ARROW1"

    type: Literal["feather"]

    def table(self, file: FileContent) -> Table:
        """Return the rows."""
        with reading(file.name, "a Feather (Arrow IPC) table"):
            _require_pyarrow(file.name, "Feather")
            from pyarrow.feather import read_table

            table = read_table(io.BytesIO(file.data))
            check_size(table.nbytes, file.name)
            table.validate(full=True)  # pandas may crash on damaged batches
            return _numbered(_frame(table), file)


def _frame(table: Any) -> Any:
    """Return an Arrow table as a DataFrame in which integers stay integers beside gaps."""
    import pandas
    import pyarrow

    exact = {pyarrow.int64(): pandas.Int64Dtype(), pyarrow.uint64(): pandas.UInt64Dtype()}
    return table.to_pandas(types_mapper=exact.get)


def _numbered(frame: Any, file: FileContent) -> Table:
    """Return the rows of a DataFrame, counted from 1.

    What pandas had as an index with a name is a column of the file, after the others. Bytes are
    texts in UTF-8.
    """
    from pandas.api.types import infer_dtype

    index = [name for name in frame.index.names if name is not None]
    columns = [*frame.columns, *index]
    if index:
        frame = frame.reset_index(level=index)[columns]
    for at, name in enumerate(columns):
        if infer_dtype(frame.iloc[:, at], skipna=True) == "bytes":
            with suppress(UnicodeDecodeError):
                frame[name] = frame[name].map(bytes.decode, na_action="ignore")
    frame.columns = frame.columns.map(str)
    refuse_equal_names(list(frame.columns), file.name)
    return table_of(frame, lambda row: f"{file.name}, row {row + 1}")


def table_of(frame: Any, place: Callable[[int], str], notes: tuple[str, ...] = ()) -> Table:
    """Return the table that a DataFrame holds; the other arguments are fields of `Table`."""
    columns = {str(name): _array(column) for name, column in frame.items()}
    return Table(columns, len(frame), place, notes, frame)


def _array(column: Any) -> NDArray[Any]:
    """Return a column of a DataFrame as numbers, or as texts without blanks around them."""
    from pandas.api.types import is_float_dtype, is_integer_dtype

    absent = column.isna().to_numpy(dtype=bool)
    if is_float_dtype(column.dtype):
        numbers: NDArray[Any] = column.to_numpy(np.float64, na_value=np.nan)
        return numbers
    if is_integer_dtype(column.dtype):
        if not absent.any():
            return np.asarray(column.to_numpy(getattr(column.dtype, "numpy_dtype", column.dtype)))
        numbers = column.to_numpy(np.float64, na_value=np.nan)
        if not (np.abs(numbers) >= MOST_EXACT).any():
            return numbers
    values = column.astype(object).to_numpy()  # large integers would lose digits as float64
    texts = ("" if no else str(value).strip() for value, no in zip(values, absent, strict=True))
    return np.array([*texts], dtype=object)


def _require_pyarrow(file_name: str, what: str) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        advice = "pip install 'ensvm[parquet]', or write the table as CSV"
        raise UserError(f"{file_name}: reading {what} needs pyarrow; {advice}") from error
