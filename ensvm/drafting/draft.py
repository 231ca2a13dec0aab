"""The draft of a study of a user's table: what is in the file, and what is written for it."""

import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from ensvm.data import DataError, inline_card
from ensvm.data.files.compression import UNPACK
from ensvm.data.files.frames import FrameFormat
from ensvm.data.files.tables import TableFormat
from ensvm.drafting.arrays import ArrayFile, read_array_file
from ensvm.drafting.columns import FoundColumn, find_columns
from ensvm.drafting.config_text import Contents, config_text, mapping_of
from ensvm.drafting.delimited import MAX_COLUMNS, TextTable, read_text_table
from ensvm.drafting.reading import dialect_of, why_not_as_found
from ensvm.drafting.target import FoundTarget, find_target
from ensvm.drafting.typed import TypedTable, format_of, read_typed_table
from ensvm.records.writing import replace_file
from ensvm.study.block import LONGEST_NAME
from ensvm.study.source import MAX_BYTES


@dataclass(frozen=True)
class Draft:
    """What was found in a file, and what is to be written.

    Attributes
    ----------
    table : TextTable, TypedTable or ArrayFile
        The file.
    columns : tuple of FoundColumn
        Its columns; none where they have no names.
    target : FoundTarget
        The column of the classes.
    contents : Contents
        What the config says.
    config : Path
        Where the config goes.
    clean : Path or None
        Where a clean copy of the table goes; None where the config reads the file itself.
    why_clean : str
        Why there is a clean copy.
    """

    table: TextTable | TypedTable | ArrayFile
    columns: tuple[FoundColumn, ...]
    target: FoundTarget
    contents: Contents
    config: Path
    clean: Path | None
    why_clean: str = ""

    @property
    def inputs(self) -> tuple[FoundColumn, ...]:
        """The columns that are inputs."""
        return tuple(
            column
            for at, column in enumerate(self.columns)
            if at != self.target.position and not column.dropped
        )

    def text(self) -> str:
        """Return the config; raises DataError where it would be larger than a config may be."""
        text = config_text(self.contents, self.config)
        if len(text.encode()) > MAX_BYTES:
            raise DataError(
                f"{self.table.path}: its columns of text make a config of more than "
                f"{MAX_BYTES:,} bytes; leave some of them out of the file"
            )
        return text

    def clean_text(self) -> str:
        """Return the table as comma-separated UTF-8 text, without rows that have no label."""
        frame = pd.DataFrame({column.name: column.column() for column in self.columns})
        labelled = frame[frame[self.target.column.name] != ""]
        return labelled.to_csv(index=False, lineterminator="\n")


def draft_study(
    path: Path,
    config: Path | None = None,
    *,
    target: str | None = None,
    header: bool | None = None,
) -> Draft:
    """Return the draft of a study of a user's table; writes nothing.

    Parameters
    ----------
    path : Path
        The table: delimited text, ARFF, Parquet, Feather, npz or LIBSVM, perhaps compressed.
    config : Path or None, default None
        Where the config is going to be; None for the table's name, with the ending .yaml, in the
        working directory. A clean copy, if one is needed, goes beside it.
    target : str or None, default None
        The column of the classes, by name or position; None to find it.
    header : bool or None, default None
        Whether the first line of a text holds names; None to find out.

    Returns
    -------
    Draft
        What was found, and what is to be written.

    Raises
    ------
    DataError
        If no study can be made of the file; the message says why, and what to do.
    """
    config = config or Path(f"{stem_of(path)}.yaml")
    form = format_of(path)
    if form is None or form is TableFormat:
        return _of_text(path, config, target, header)
    if header is not None:
        raise DataError(f"{path}: --header and --no-header are for tables of text; leave it out")
    if issubclass(form, FrameFormat):
        return _of_types(read_typed_table(path, form), config, target)
    if target is not None:
        raise DataError(f"{path}: --target: its columns have no names; leave it out")
    return _of_arrays(read_array_file(path, form), config)


def _of_text(path: Path, config: Path, target: str | None, header: bool | None) -> Draft:
    """Return the draft of delimited text."""
    table = read_text_table(path, header)
    columns, decimal = find_columns(table)
    found = _chosen(path, columns, target)
    written = dialect_of(table, columns, found, decimal)
    contents = replace(
        _contents(path, config, columns, found), by_position=not table.header, written=written
    )
    why = why_not_as_found(table, columns, found, written) or _why_not_read(contents, path)
    return _drafted(table, contents, config, why)


def _of_types(table: TypedTable, config: Path, target: str | None) -> Draft:
    """Return the draft of a table whose columns have types."""
    columns = table.found()
    found = _chosen(table.path, columns, target)
    contents = _contents(table.path, config, columns, found)
    return _drafted(table, contents, config, _why_not_read(contents, table.path))


def _of_arrays(table: ArrayFile, config: Path) -> Draft:
    """Return the draft of inputs and labels without names, which no other file can stand for."""
    contents = replace(
        _contents(table.path, config, (), table.target),
        named=False,
        splits=table.splits,
        scaling="maxabs" if table.zeros else "standard",
    )
    if why := _why_not_read(contents, table.path):
        raise DataError(why if why.startswith(str(table.path)) else f"{table.path}: {why}")
    return _drafted(table, contents, config)


def _chosen(path: Path, columns: list[FoundColumn], target: str | None) -> FoundTarget:
    """Return the column of the classes, and put it among the columns; some input must be left."""
    found = find_target(path, columns, target)
    columns[found.position] = found.column
    inputs = [c for at, c in enumerate(columns) if at != found.position and not c.dropped]
    if not inputs:
        told = "; ".join(
            f"{column.name!r}: {column.dropped}" for column in columns if column.dropped
        )
        raise DataError(f"{path}: no column is left as an input: {told[:500]}")
    width = sum(len(column.levels) or 1 for column in inputs)
    if width > MAX_COLUMNS:
        raise DataError(f"{path}: {width:,} inputs; accepted: up to {MAX_COLUMNS:,}")
    return found


def _contents(
    path: Path, config: Path, columns: Sequence[FoundColumn], found: FoundTarget
) -> Contents:
    return Contents(
        name=name_of(stem_of(path)),
        path=os.path.relpath(path, config.parent),
        columns=tuple(columns),
        target=found,
    )


def _drafted(
    table: TextTable | TypedTable | ArrayFile, contents: Contents, config: Path, why: str = ""
) -> Draft:
    """Return the draft, with a clean copy where there is a reason for it."""
    path = table.path
    clean = config.with_name(f"{config.stem}-clean.csv") if why else None
    if path.resolve() in [other.resolve() for other in (config, clean) if other]:
        raise DataError(f"{path}: would be written over; choose another name with -o")
    contents = contents.of_clean_copy(clean.name, path.name) if clean else contents
    return Draft(table, contents.columns, contents.target, contents, config, clean, why)


def write_draft(draft: Draft) -> None:
    """Write the config, and the clean copy where there is one.

    Parameters
    ----------
    draft : Draft
        What is to be written; files that are there are written over.

    Raises
    ------
    DataError
        If the config would be too large, cannot read the clean copy, or cannot be written there.
    """
    text = draft.text()
    try:
        draft.config.parent.mkdir(parents=True, exist_ok=True)
        if draft.clean is not None:
            replace_file(draft.clean, draft.clean_text())
        replace_file(draft.config, text)
    except OSError as error:
        told = f"{error.filename or draft.config}: {error.strerror or error}"
        raise DataError(f"{told}; choose another place with -o") from error
    if draft.clean is not None and (why := _why_not_read(draft.contents, draft.clean)):
        raise DataError(f"{draft.clean}: {why}")


def stem_of(path: Path) -> str:
    """Return a file's name without its endings, .gz and the like among them."""
    plain = Path(path.stem) if path.suffix and path.suffix in UNPACK else path
    return plain.stem


def name_of(stem: str) -> str:
    """Return a name that a study and a data set may have, as near to a file's as can be."""
    plain = unicodedata.normalize("NFKD", stem).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", plain).strip("-_.+")[: LONGEST_NAME // 2] or "data"


def _why_not_read(contents: Contents, path: Path) -> str:
    """Return why the config's own reader finds other rows, inputs or classes in the file."""
    try:
        card = inline_card(mapping_of(contents) | {"path": path.name}, path.parent)
    except DataError as error:
        return f"a config cannot read it: {' '.join(str(error).split())}"
    names = set(card.inputs or contents.inputs())
    same = card.classes == contents.target.classes and names == set(contents.inputs())
    return "" if same else "a config would read other rows or classes in it"
