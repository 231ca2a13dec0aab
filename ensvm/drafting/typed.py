"""A user's table whose columns have types (ARFF, Parquet, Feather): every field as text."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ensvm.data import DataError
from ensvm.data.cards.own_file import ending_of
from ensvm.data.errors import Refused
from ensvm.data.files.compression import unpack
from ensvm.data.files.content import Declared, FileContent, FileFormat
from ensvm.data.files.fields import refuse_equal_names
from ensvm.data.files.formats import FORMAT_OF_ENDING
from ensvm.data.files.frames import FrameFormat
from ensvm.drafting.columns import FoundColumn, find_column, find_text
from ensvm.drafting.decoding import SAMPLE_OF_ROWS, check_file
from ensvm.drafting.delimited import MAX_COLUMNS, MAX_FIELDS, Fields, fields_of

CALLED = {"arff": "ARFF", "parquet": "Parquet", "feather": "Feather (Arrow)"}


@dataclass(frozen=True)
class TypedTable:
    """A table of fields, and what their types say of the columns.

    Attributes
    ----------
    path : Path
        The file.
    columns : tuple of Fields
        The fields as text, column by column.
    names : tuple of str
        The names of the columns.
    told : str
        What the file is, in one line.
    declared : Declared
        What the types say: which columns are texts, and which can be no inputs.
    renamed : tuple of str
        Nothing: its columns keep their names.
    """

    path: Path
    columns: tuple[Fields, ...]
    names: tuple[str, ...]
    told: str
    declared: Declared
    renamed: tuple[str, ...] = ()

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.columns[0].rows)

    def found(self) -> list[FoundColumn]:
        """Return what the columns hold, in their order."""
        named = zip(self.names, self.columns, strict=True)
        return [self._found(name, fields, at) for at, (name, fields) in enumerate(named)]

    def _found(self, name: str, fields: Fields, at: int) -> FoundColumn:
        encoding = self.declared.inputs.get(name)
        if isinstance(encoding, dict) and "one-hot" in encoding and any(fields.texts):
            return find_text(name, fields)  # a nominal column stays one, even if its names are 1, 2
        column = find_column(name, fields, ".", at)
        why = self.declared.refused.get(name, "")
        return replace(column, dropped=why) if why and not column.dropped else column


def format_of(path: Path) -> type[FileFormat] | None:
    """Return the format that a config reads a file in, by its ending; None if it has none."""
    return FORMAT_OF_ENDING.get(ending_of(path))


def read_content(path: Path) -> FileContent:
    """Return the uncompressed file; raise DataError if there is none, or it is empty."""
    check_file(path)
    try:
        data = unpack(path)
    except Refused as refusal:
        raise DataError(f"{path}: {refusal}") from refusal
    if not data.strip():
        raise DataError(f"{path}: the file is empty")
    return FileContent(data, str(path))


def read_typed_table(path: Path, form: type[FrameFormat]) -> TypedTable:
    """Return the fields of a table whose columns have types.

    Parameters
    ----------
    path : Path
        The file, perhaps compressed (.gz, .bz2 or .xz).
    form : type of FrameFormat
        Its format.

    Returns
    -------
    TypedTable
        The fields, and what their types say.

    Raises
    ------
    DataError
        If it is no such file, is empty or too large; the message says what to do.
    """
    content = read_content(path)
    frame = _whole(form, content)
    names = [str(name) for name in frame.columns]
    refuse_equal_names(names, str(path))
    if not names or not len(frame):
        raise DataError(f"{path}: holds no {'rows' if names else 'columns'}")
    if len(names) > MAX_COLUMNS:
        raise DataError(f"{path}: {len(names):,} columns; accepted: up to {MAX_COLUMNS:,}")
    if frame.size > MAX_FIELDS:
        raise DataError(
            f"{path}: {len(frame):,} rows of {len(names):,} columns; accepted: up to "
            f"{MAX_FIELDS:,} fields; {SAMPLE_OF_ROWS}"
        )
    declared = form.model_construct(target=names[-1]).declared(content)
    columns = tuple(_fields(frame.iloc[:, at]) for at in range(len(names)))
    (kind, *_) = (str(options["type"]) for options in form.endings.values())
    return TypedTable(path, columns, tuple(names), f"{CALLED[kind]}, typed columns", declared)


def _whole(form: type[FrameFormat], content: FileContent) -> Any:
    """Return all rows as one pandas DataFrame."""
    import pandas  # loaded only where needed: starting up must stay quick

    first, *others = form.frames(content)
    filled = [frame for frame in (first, *others) if len(frame)]
    return pandas.concat(filled, ignore_index=True) if len(filled) > 1 else (filled or [first])[0]


def _fields(column: Any) -> Fields:
    """Return the values of a column as the reader of a config writes them."""
    values = zip(column.to_frame().to_numpy(object)[:, 0], column.isna().to_numpy(), strict=True)
    return fields_of(np.array(["" if gap else str(value) for value, gap in values], dtype=object))
