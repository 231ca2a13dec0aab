"""Tables whose columns have types, read into pandas: Parquet, Feather and ARFF."""

import io
import re
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from ensvm.data.files.encode import DATES, MOST_LEVELS, Inputs, plain_label
from ensvm.data.files.file_content import FileContent, check_size, reading
from ensvm.data.files.named_columns import (
    Column,
    NamedColumnsFormat,
    RowBlock,
    target_name,
)
from ensvm.errors import UserError

ROWS_OF_GROUP = 65536  # read at once: a DataFrame takes several times the memory of its row group
_VALUE_BYTES = 8  # of memory, at least; a few bytes of a file may stand for many equal values
_NUMBERS = {"integer", "floating", "mixed-integer-float", "decimal"}
_MOMENTS = {"date", "datetime", "datetime64", "time", "timedelta", "timedelta64", "period"}
_ARFF_ROWS = re.compile(r"^[ \t]*@data\b[^\n]*", re.I | re.M)
_ARFF_DATE = re.compile(
    r"""^([ \t]*@attribute[ \t]+('[^'\n]*'|"[^"\n]*"|\S+)[ \t]+)date\b.*$""", re.I | re.M
)


class TypedFormat(NamedColumnsFormat):
    """A table whose columns have types: numbers, booleans, texts and categories.

    Booleans become 0 and 1, and texts and categories columns of 0 and 1 (one-hot) unless `inputs`
    says otherwise. Dates are refused. The rows are read block by block.
    """

    @classmethod
    @abstractmethod
    def frames(cls, file: FileContent) -> Iterator[Any]:
        """Yield the rows as pandas DataFrames, at least one, all with the same columns.

        Raises UserError if the file is not of this format.
        """

    def blocks(self, file: FileContent) -> Iterator[RowBlock]:
        """Yield the rows: numbers as such, all else as text."""
        end = 0
        for frame in self.frames(file):
            names = [str(name) for name in frame.columns]
            target = target_name(names, self.target, file.name)
            columns = [
                _fields(frame.iloc[:, at], name in (target, file.groups))
                for at, name in enumerate(names)
            ]
            if len(frame):
                yield RowBlock(names, columns, range(end + 1, end + len(frame) + 1))
            end += len(frame)

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names of the columns."""
        return [str(name) for name in next(self.frames(file)).columns]

    def typed_columns(self, file: FileContent) -> tuple[Inputs, dict[str, str]]:
        """Return the encodings of columns that are not numbers, and why some cannot be inputs."""
        from pandas.api.types import infer_dtype

        kinds, levels = defaultdict[str, set[str]](set), defaultdict[str, dict[Any, None]](dict)
        for frame in self.frames(file):
            for name, column in frame.items():
                of_column, present = kinds[str(name)], column.dropna()
                kind = infer_dtype(column)
                if kind == "categorical":
                    levels[str(name)] |= dict.fromkeys(column.cat.categories)
                elif kind == "string":
                    levels[str(name)] |= dict.fromkeys(present)
                if len(present):
                    of_column.add(kind)
        found = {name: _encoding(kinds[name], list(levels[name])) for name in kinds}
        encodings: Inputs = {name: each for name, each in found.items() if isinstance(each, dict)}
        return encodings, {name: each for name, each in found.items() if isinstance(each, str)}


def _fields(column: Any, as_text: bool) -> Column:
    """Return a column as text, or a column of numbers as it is unless text is asked for."""
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    if not as_text and is_numeric_dtype(column.dtype) and not is_bool_dtype(column.dtype):
        numbers: Column = column.to_numpy(np.float64, na_value=np.nan)
        return numbers
    return [
        "" if absent else str(value).strip()
        for value, absent in zip(column.astype(object), column.isna(), strict=True)
    ]


def _encoding(kinds: set[str], levels: list[Any]) -> dict[Any, Any] | str | None:
    """Return the encoding of a column, None for numbers, or why it cannot be an input.

    `kinds` are what pandas calls the types of its values, `levels` its texts or categories.
    """
    if "categorical" in kinds:
        return _one_hot(levels)
    if kinds == {"boolean"}:
        return {"False": 0, "True": 1}
    if kinds <= _NUMBERS:
        return None
    if kinds & _MOMENTS or all(DATES.fullmatch(level.strip()) for level in levels):
        return "holds dates or times: make numbers of them, as days since the first"
    if kinds != {"string"}:
        return f"holds values of the type {', '.join(sorted(kinds))}"
    if len(levels) > MOST_LEVELS:
        return (
            f"holds {len(levels)} different texts, such as {min(levels)!r}; "
            "list those to tell apart under `inputs` as one-hot"
        )
    return _one_hot(sorted(levels))


def _one_hot(values: list[Any]) -> dict[Any, Any]:
    levels = (plain_label(" ".join(str(value).split())) for value in values)
    return {"one-hot": list(dict.fromkeys(level for level in levels if level))}


class ParquetFormat(TypedFormat):
    """A Parquet file, its row groups read one after the other (needs pyarrow).

    Attributes
    ----------
    type : 'parquet'
        The name of the format.
    """

    endings: ClassVar = {".parquet": {"type": "parquet"}}

    type: Literal["parquet"]

    @classmethod
    def frames(cls, file: FileContent) -> Iterator[Any]:
        """Yield the rows as pandas DataFrames."""
        with reading(file.name, "a Parquet table"):
            _require_pyarrow(file.name, "Parquet")
            from pyarrow.parquet import ParquetFile

            table = ParquetFile(io.BytesIO(file.data))
            size = table.metadata.num_rows * table.metadata.num_columns * _VALUE_BYTES
            check_size(size, file.name)
            if not table.metadata.num_rows:
                yield table.schema_arrow.empty_table().to_pandas()
            for batch in table.iter_batches(ROWS_OF_GROUP):
                yield batch.to_pandas()


class FeatherFormat(TypedFormat):
    """A Feather file, which is Arrow's IPC format, its batches read one after the other.

    Attributes
    ----------
    type : 'feather'
        The name of the format.
    """

    endings: ClassVar = {".feather": {"type": "feather"}, ".arrow": {"type": "feather"}}

    type: Literal["feather"]

    @classmethod
    def frames(cls, file: FileContent) -> Iterator[Any]:
        """Yield the rows as pandas DataFrames."""
        with reading(file.name, "a Feather (Arrow IPC) table"):
            _require_pyarrow(file.name, "Feather")
            import pyarrow

            with pyarrow.ipc.open_file(file.data) as reader:
                size = 0
                yield reader.schema.empty_table().to_pandas()
                for at in range(reader.num_record_batches):
                    batch = reader.get_batch(at)
                    batch.validate(full=True)  # pandas may crash on damaged batches
                    size += batch.nbytes
                    check_size(size, file.name)
                    yield batch.to_pandas()


def _require_pyarrow(file_name: str, what: str) -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        advice = "pip install 'ensvm[parquet]', or write the table as CSV"
        raise UserError(f"{file_name}: reading {what} needs pyarrow; {advice}") from error


class ArffFormat(TypedFormat):
    """An ARFF file, dense or sparse, of Weka and OpenML; read by liac-arff.

    Nominal attributes become columns of 0 and 1 by themselves. In a sparse row, a value that is
    left out is zero, or the first of a nominal attribute's values.

    Attributes
    ----------
    type : 'arff'
        The name of the format.
    """

    endings: ClassVar = {".arff": {"type": "arff"}}

    type: Literal["arff"]

    @classmethod
    def frames(cls, file: FileContent) -> Iterator[Any]:
        """Yield all rows as one pandas DataFrame."""
        yield _arff_frame(file.data, file.name)


@lru_cache(maxsize=1)  # the names, the types and the rows are asked for one after the other
def _arff_frame(data: bytes, file_name: str) -> Any:
    import pandas  # loaded here to keep starting up quick

    attributes, rows = _arff_rows(data, file_name)
    names = [name for name, _ in attributes]
    if len(set(names)) < len(names):
        raise UserError(f"{file_name}: is not ARFF: several attributes have the same name")
    columns = {}
    for at, (name, kind) in enumerate(attributes):
        values = [row[at] for row in rows]
        if isinstance(kind, list):
            columns[name] = pandas.Series(pandas.Categorical(values, categories=kind))
        else:
            dtype = object if kind == "STRING" else "float64"
            columns[name] = pandas.Series(values, dtype=dtype)
    return pandas.DataFrame(columns)


def _arff_rows(data: bytes, file_name: str) -> tuple[list[tuple[str, Any]], list[list[Any]]]:
    """Return the names and types of the attributes, and the rows with None if a value is missing.

    liac-arff does not know dates, so they are declared as strings here.
    """
    import arff  # liac-arff; loaded here to keep starting up quick

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")  # Weka's older files
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    begin = _ARFF_ROWS.search(text)
    if begin is None:
        raise UserError(f"{file_name}: is not ARFF: it has no line @data")
    lines = (line.strip() for line in io.StringIO(text[begin.end() :]))
    first = next((line for line in lines if line and not line.startswith("%")), "")
    sparse = first.startswith("{")
    with reading(file_name, "ARFF"):
        kind = arff.LOD if sparse else arff.DENSE
        table = arff.load(io.StringIO(_ARFF_DATE.sub(r"\1string", text)), return_type=kind)
        attributes, rows = table["attributes"], table["data"]
        check_size(len(rows) * len(attributes) * _VALUE_BYTES, file_name)
    if not attributes:
        raise UserError(f"{file_name}: is not ARFF: it declares no attribute")
    if sparse:
        absent = [kind[0] if isinstance(kind, list) else 0.0 for _, kind in attributes]
        rows = [[row.get(at, fill) for at, fill in enumerate(absent)] for row in rows]
    return attributes, rows
