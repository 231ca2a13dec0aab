"""Tables whose columns have names or positions: how fields become inputs, labels and groups."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from ensvm.data.files.encode import (
    LARGEST,
    Encoding,
    Incomplete,
    Inputs,
    Label,
    Numerals,
    encode_column,
    plain_labels,
    without_label,
)
from ensvm.data.files.file_content import FileContent, FileFormat, Raw, joined
from ensvm.errors import UserError, near_miss

ROWS_AT_ONCE = 8192  # whose fields, as text, take little memory beside all numbers
Column = Sequence[str] | NDArray[np.float64]


@dataclass(frozen=True)
class RowBlock:
    """Some rows of a table."""

    names: list[str]  # the names of the columns
    # the fields: text, or numbers (NaN if a value is missing) in a column of numbers
    columns: Sequence[Column]
    rows: Sequence[int]  # the number of each row in its file, for messages

    def taken(self, at: NDArray[np.intp]) -> "RowBlock":
        """Return the rows at some positions."""
        if len(at) == len(self.rows):
            return self
        columns = [
            column[at] if isinstance(column, np.ndarray) else [column[i] for i in at]
            for column in self.columns
        ]
        return RowBlock(self.names, columns, [self.rows[i] for i in at])


class NamedColumnsFormat(FileFormat):
    """A table with named columns, read block by block.

    Attributes
    ----------
    target : str or int
        The column of the labels, by name or by position.
    incomplete : 'refuse', 'drop' or 'keep'
        What happens to rows whose input is empty or stands for a missing value: an error, left
        out, or kept (as NaN, see the card's `missing`).
    unlabelled : 'refuse' or 'drop'
        What happens to rows without a label: an error, or left out. `incomplete: drop` drops
        them, too.
    labels : dict of str to str
        New names of labels.
    keep : list of str or None
        The labels whose rows are used; all if not given.
    """

    unit: ClassVar = "row"  # what messages call a row

    target: str | int
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"
    labels: dict[Label, Label] = Field(default_factory=dict)
    keep: list[Label] | None = None

    @abstractmethod
    def blocks(self, file: FileContent) -> Iterator[RowBlock]:
        """Yield the rows, some at a time; raise UserError if the file is not of this format."""

    @abstractmethod
    def column_names(self, file: FileContent) -> list[str]:
        """Return the names of the columns, or without a header their positions."""

    def typed_columns(self, file: FileContent) -> tuple[Inputs, dict[str, str]]:
        """Return the encodings of columns of other types than numbers, and why some cannot be read.

        Both are by the names of the columns; a table of text declares no types.
        """
        return {}, {}

    def read(self, file: FileContent) -> Raw:
        """Return the inputs and labels.

        Raises UserError naming file, row and column of a value that is missing, not a number or an
        unknown code.
        """
        raw = joined(map(_Reader(self, file).read, self._some(file)))
        if not len(raw.labels) and self.keep is None:
            raise UserError(f"{file.name}: no row is complete")
        return raw

    def _some(self, file: FileContent) -> Iterator[RowBlock]:
        empty = True
        for block in self.blocks(file):
            empty = False
            yield block
        if empty:
            raise UserError(f"{file.name}: holds no rows")

    def columns_used(self, file: FileContent) -> Inputs | None:
        """Return the inputs and their encodings; None for all columns but the target."""
        return file.inputs

    # What only tables of text say otherwise.
    @property
    def numerals(self) -> Numerals:
        """How numbers are written."""
        return Numerals()

    @property
    def missing_marks(self) -> frozenset[str]:
        """The fields that have no value."""
        return frozenset([""])


class _Reader:
    """Turns blocks of one file into inputs, labels and groups."""

    def __init__(self, form: NamedColumnsFormat, file: FileContent) -> None:
        self.form, self.file = form, file
        self.inputs = form.columns_used(file)
        self.numerals, self.missing_marks = form.numerals, form.missing_marks
        marks = self.numerals.read(list(self.missing_marks - {""}))
        self.marks_are_texts = bool(np.isnan(marks).all())  # not so if -999 is one of them

    def read(self, block: RowBlock) -> Raw:
        names, file_name, groups = block.names, self.file.name, self.file.groups
        refuse_equal_names(names, file_name)
        label_at = _position(names, target_name(names, self.form.target, file_name), file_name)
        input_at = [at for at in range(len(names)) if at != label_at]
        if self.inputs is not None:
            input_at = [_position(names, name, file_name) for name in self.inputs]
        group_at = [] if groups is None else [_position(names, groups, file_name)]
        numeric = {at for at in input_at if self._encoding(block, at) == "number"} - {label_at}
        columns = [
            self._plain(column, numeric=at in numeric) for at, column in enumerate(block.columns)
        ]
        block = RowBlock(block.names, columns, block.rows)
        block = self._complete(block, label_at, input_at, group_at)
        columns = [self._encoded(block, at) for at in input_at]
        X = np.hstack([np.empty((len(block.rows), 0)), *columns])
        labels = _renamed(_as_labels(block.columns[label_at]), self.form.labels)
        group = _as_labels(block.columns[group_at[0]]) if group_at else None
        if self.form.keep is None:
            return Raw(X, labels, groups=group)
        chosen = np.isin(labels, self.form.keep)
        return Raw(X[chosen], labels[chosen], groups=None if group is None else group[chosen])

    def _plain(self, column: Column, *, numeric: bool) -> Column:
        """Return a column with nothing but numbers as such, others as text without blanks.

        To read it at once is much quicker than field by field.
        """
        if isinstance(column, np.ndarray):
            return column
        if numeric and self.marks_are_texts:
            numbers = self.numerals.read_all(column)
            if numbers is not None and (np.abs(numbers) <= LARGEST).all():
                return numbers
        return [text.strip() for text in column]

    def _encoding(self, block: RowBlock, at: int) -> Encoding:
        return self.inputs[block.names[at]] if self.inputs else "number"

    def _place(self, block: RowBlock, at: int, row: int) -> str:
        unit = self.form.unit
        return f"{self.file.name}, {unit} {block.rows[row]}, column {block.names[at]!r}"

    def _encoded(self, block: RowBlock, at: int) -> NDArray[np.float64]:
        column = block.columns[at]
        encoding = self._encoding(block, at)
        if isinstance(column, np.ndarray):
            if encoding == "number" and (np.isnan(column) | (np.abs(column) <= LARGEST)).all():
                return column[:, None]
            column = ["" if np.isnan(value) else str(value) for value in column.tolist()]
        place = partial(self._place, block, at)
        return encode_column(column, encoding, self._absent(column), place, self.numerals)

    def _complete(
        self, block: RowBlock, label_at: int, input_at: list[int], group_at: list[int]
    ) -> RowBlock:
        """Return the rows that have what they need; raise UserError for one that must have it."""
        form = self.form
        for at in group_at if form.incomplete != "drop" else ():
            for row in np.flatnonzero(self._absent(block.columns[at]))[:1]:
                raise UserError(
                    f"{self._place(block, at, row)}: the group is missing "
                    f"({block.columns[at][row]!r}); accepted: a group in every row, or "
                    "`incomplete: drop`, which leaves such rows out"
                )
        labels = block.columns[label_at]
        unlabelled = self._absent(labels) | without_label(labels)
        looked_at = [*input_at, *group_at]
        gaps = np.column_stack([unlabelled, *(self._absent(block.columns[at]) for at in looked_at)])
        dropped = unlabelled if form.incomplete == "keep" else gaps.any(axis=1)
        wrong = dropped & ~(unlabelled & (form.unlabelled == "drop"))
        if form.incomplete != "drop" and wrong.any():
            row = int(np.argmax(wrong))
            at = [label_at, *looked_at][int(np.argmax(gaps[row]))]
            column = block.columns[at]
            text = "" if isinstance(column, np.ndarray) else column[row]
            hint = "`incomplete: drop` leaves such rows out, `incomplete: keep` keeps them"
            if unlabelled[row]:
                hint = "`unlabelled: drop` leaves such rows out, and so does `incomplete: drop`"
            raise UserError(
                f"{self._place(block, at, row)}: the value is missing ({text!r}); {hint}"
            )
        return block.taken(np.flatnonzero(~dropped))

    def _absent(self, column: Column) -> NDArray[np.bool_]:
        """Return which fields of a column have no value."""
        if isinstance(column, np.ndarray):
            return np.isnan(column)
        return np.array([text in self.missing_marks for text in column], dtype=bool)


def target_name(names: list[str], target: str | int, file_name: str) -> str:
    """Return the name of the target; raise UserError for a position beyond the columns."""
    if isinstance(target, str):
        return target
    if not -len(names) <= target < len(names):
        raise UserError(f"{file_name}: target {target} is not a column; there are {len(names)}")
    return names[target]


def refuse_equal_names(names: list[str], file_name: str) -> None:
    """Raise UserError if columns share a name: one of them might be taken for the other."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        at = [str(k) for k, name in enumerate(names, start=1) if name == twice]
        raise UserError(
            f"{file_name}: several columns are called {twice!r} (columns {', '.join(at[:9])}, "
            "counted from 1); accepted: names that differ"
        )


def _renamed(labels: NDArray[Any], names: Mapping[str, str]) -> NDArray[np.str_]:
    if not names:
        return labels
    values, inverse = np.unique(labels, return_inverse=True)
    return np.array([names.get(str(value), str(value)) for value in values], dtype=str)[inverse]


def _as_labels(column: Column) -> NDArray[np.str_]:
    return plain_labels(np.array(column, dtype=str))


def no_column(file_name: str, name: str, names: Sequence[str]) -> UserError:
    """Return the error for a name that no column has."""
    listed = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
    hint = near_miss(name, names)
    return UserError(f"{file_name}: there is no column {name!r}{hint} (columns: {listed})")


def _position(names: list[str], name: str, file_name: str) -> int:
    if name not in names:
        raise no_column(file_name, name, names)
    return names.index(name)
