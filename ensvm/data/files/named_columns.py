"""Tables whose columns have names or positions: how fields become inputs, labels and groups."""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ensvm.data.files.encode import (
    AS_NAMES,
    LARGEST,
    Encoding,
    Incomplete,
    Inputs,
    Label,
    Numerals,
    encode_column,
    encoded_columns,
    plain_labels,
    text_codes,
    without_label,
)
from ensvm.data.files.file_content import FileContent, FileFormat, Raw
from ensvm.data.files.last_line import NO_LINE_BREAK, refuse_cut_row
from ensvm.errors import UserError, did_you_mean
from ensvm.exact_integers import merged_integers


@dataclass(frozen=True)
class Table:
    """The rows of a file."""

    # By name, arrays of shape (n_rows,): texts without blanks around them, empty if a value is
    # missing, or numbers, NaN if a value is missing.
    columns: Mapping[str, NDArray[Any]]
    n_rows: int
    place: Callable[[int], str]  # the file and the line or row of a row, for messages
    notes: tuple[str, ...] = ()  # what is left out of the file
    frame: Any = None  # the DataFrame of a table whose columns have types


class NamedColumnsFormat(FileFormat):
    """A table with named columns.

    Attributes
    ----------
    target : str or int
        The column of the labels, by name or by position.
    incomplete : 'refuse', 'drop' or 'keep'
        What happens to rows whose input is empty or stands for a missing value: an error, left
        out, or kept (as NaN, see the card's `fill`).
    unlabelled : 'refuse' or 'drop'
        What happens to rows without a label: an error, or left out. `incomplete: drop` drops
        them, too.
    labels : dict of str to str
        New names of labels.
    keep : list of str or None
        The labels whose rows are used; all if not given.
    """

    target: str | int
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"
    labels: dict[Label, Label] = Field(default_factory=dict)
    keep: list[Label] | None = None

    @abstractmethod
    def table(self, file: FileContent) -> Table:
        """Return the rows; raise UserError if the file is not of this format."""

    @abstractmethod
    def column_names(self, file: FileContent) -> list[str]:
        """Return the names of the columns, which differ, or without a header their positions."""

    def typed_columns(self, file: FileContent) -> tuple[Inputs, dict[str, str]]:
        """Return the encodings of columns of other types than numbers, and why some cannot be read.

        Both are by the names of the columns; a table of text declares no types.
        """
        return {}, {}

    def columns_used(self, file: FileContent) -> Inputs | None:
        """Return the inputs and their encodings; None for all columns but the target."""
        return file.inputs

    def levels(self, column: NDArray[Any]) -> set[str]:
        """Return the different values of a column as texts, without missing ones."""
        return {*texts_of(column)} - self.missing_marks

    # What only tables of text say otherwise.
    @property
    def numerals(self) -> Numerals:
        """How numbers are written."""
        return Numerals()

    @property
    def missing_marks(self) -> frozenset[str]:
        """The inputs that have no value."""
        return frozenset([""])

    @property
    def label_marks(self) -> frozenset[str]:
        """The labels that are missing."""
        return self.missing_marks

    def read(self, file: FileContent) -> Raw:
        """Return the inputs and labels.

        Raises UserError naming file, row and column of a value that is missing, not a number or an
        unknown code.
        """
        table = self.table(file)
        if not table.n_rows:
            raise UserError(f"{file.name}: holds no rows")
        names = list(table.columns)
        label = column_name(names, self.target, f"{file.name}: target")
        inputs = self.columns_used(file)
        if inputs is None:
            inputs = dict.fromkeys((name for name in names if name != label), "number")
        for name in (*inputs, *([] if file.groups is None else [file.groups])):
            if name not in table.columns:
                raise no_column(file.name, name, names)
        rows = self._complete_rows(table, label, inputs, file.groups)
        if not len(rows) and self.keep is None:
            raise UserError(f"{file.name}: no row is complete")
        labels = plain_labels(texts_of(table.columns[label])[rows])
        if self.labels:
            labels = np.array([self.labels.get(label, label) for label in labels.tolist()])
        if self.keep is not None:
            chosen = np.isin(labels, self.keep)
            rows, labels = rows[chosen], labels[chosen]
        groups = None
        if file.groups is not None:
            groups = plain_labels(texts_of(table.columns[file.groups])[rows].astype(str))
        X = self._inputs(table, inputs, rows)
        if NO_LINE_BREAK in table.notes:
            refuse_cut_row(table.place(-1), texts_of(table.columns[names[-1]]), names[-1] == label)
        return Raw(X, labels.astype(str), groups=groups)

    def _inputs(self, table: Table, inputs: Inputs, rows: NDArray[np.intp]) -> NDArray[np.float64]:
        X = np.empty((len(rows), len(encoded_columns(inputs))))
        end = 0
        for name, encoding in inputs.items():
            column, start = table.columns[name], end
            if encoding == "number" and is_numeric(column):
                numbers = column[rows]
                wrong = np.flatnonzero(np.abs(numbers) > LARGEST)
                if len(wrong):
                    text = f"{numbers[wrong[0]]:g}"
                    where = _position(table, name, int(rows[wrong[0]]))
                    raise UserError(f"{where}: {self.numerals.problem(text)}")
                if merged := merged_integers(numbers, numbers.astype(np.float64)):
                    where = _position(table, name, int(rows[merged.row]))
                    raise UserError(f"{where}: {merged.problem}; {AS_NAMES}")
                values = numbers[:, None]
            else:
                texts, absent = texts_of(column)[rows], self._absent(column, encoding)[rows]
                where_is = partial(_position_read, table, name, rows)
                values = encode_column(texts.tolist(), encoding, absent, where_is, self.numerals)
            end = start + values.shape[1]
            X[:, start:end] = values
        return X

    def _complete_rows(
        self, table: Table, label: str, inputs: Inputs, groups: str | None
    ) -> NDArray[np.intp]:
        """Return the positions of the rows to read; refuse what the card does not leave out."""
        looked_at: dict[str, Encoding] = dict(inputs)
        if groups is not None:
            looked_at[groups] = "number"
            absent = self._absent(table.columns[groups], "number")
            for row in np.flatnonzero(absent & (self.incomplete != "drop"))[:1]:
                raise UserError(
                    f"{_position(table, groups, int(row))}: the group is missing "
                    f"({table.columns[groups][row]!r}); accepted: a group in every row, or "
                    "`incomplete: drop`, which leaves such rows out"
                )
        texts = texts_of(table.columns[label])
        unlabelled = _among(texts, self.label_marks) | without_label(texts)
        gaps = np.zeros(len(texts), dtype=bool)
        first: tuple[int, str] | None = None  # the first row with a gap, and the column
        for name, encoding in looked_at.items() if self.incomplete != "keep" else ():
            absent = self._absent(table.columns[name], encoding)
            gaps |= absent
            for row in np.flatnonzero(absent & ~unlabelled)[:1].tolist():
                first = (row, name) if first is None or row < first[0] else first
        if first is not None and self.incomplete == "refuse":
            hint = "`incomplete: drop` leaves such rows out, `incomplete: keep` keeps them"
            raise _missing_value(table, first[1], first[0], hint)
        if self.incomplete != "drop" and self.unlabelled != "drop":
            for row in np.flatnonzero(unlabelled)[:1]:
                hint = "`unlabelled: drop` leaves such rows out, and so does `incomplete: drop`"
                raise _missing_value(table, label, int(row), hint)
        return np.flatnonzero(~(unlabelled | gaps))

    def _absent(self, column: NDArray[Any], encoding: Encoding) -> NDArray[np.bool_]:
        """Return which fields of a column have no value; a text that is listed is a value."""
        if is_numeric(column):
            absent: NDArray[np.bool_] = np.isnan(column)
            return absent
        return _among(column, self.missing_marks - set(text_codes(encoding)))


def is_numeric(column: NDArray[Any]) -> bool:
    """Return whether a column of a table holds numbers rather than texts."""
    return column.dtype.kind in "iuf"


def texts_of(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column of a table as texts; empty if a value is missing."""
    if not is_numeric(column):
        return column
    return np.array(["" if x != x else str(x) for x in column.tolist()], dtype=object)


def _among(texts: NDArray[Any], marks: frozenset[str]) -> NDArray[np.bool_]:
    return np.fromiter((text in marks for text in texts), dtype=bool, count=len(texts))


def _position(table: Table, name: str, row: int) -> str:
    return f"{table.place(row)}, column {name!r}"


def _position_read(table: Table, name: str, rows: NDArray[np.intp], at: int) -> str:
    return _position(table, name, int(rows[at]))


def _missing_value(table: Table, name: str, row: int, hint: str) -> UserError:
    text = texts_of(table.columns[name])[row]
    return UserError(f"{_position(table, name, row)}: the value is missing ({text!r}); {hint}")


def column_name(names: Sequence[str], column: str | int, file_name: str) -> str:
    """Return the name of a column given by its name or its position, from 0 (-1 is the last).

    Raises UserError if there is no such column.
    """
    if str(column) in names:
        return str(column)
    try:
        position = int(column)
    except ValueError:
        raise no_column(file_name, str(column), names) from None
    if not -len(names) <= position < len(names):
        raise UserError(f"{file_name}: {column} is not a column; there are {len(names)}")
    return names[position]


def refuse_equal_names(names: Sequence[str], file_name: str) -> None:
    """Raise UserError if columns share a name: one of them might be taken for the other."""
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        at = [str(k) for k, name in enumerate(names, start=1) if name == twice]
        raise UserError(
            f"{file_name}: several columns are called {twice!r} (columns {', '.join(at[:9])}, "
            "counted from 1); accepted: names that differ"
        )


def no_column(file_name: str, name: str, names: Sequence[str]) -> UserError:
    """Return the error for a name that no column has."""
    listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    hint = did_you_mean(name, names)
    return UserError(f"{file_name}: there is no column {name!r}{hint} (columns: {listed})")
