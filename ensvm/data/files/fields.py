"""Fields of a table with named columns: how they become inputs, labels and groups."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.data.errors import DataError, near_miss
from ensvm.data.files.columns import LARGEST, Encoding, Incomplete, Inputs, encode_column
from ensvm.data.files.content import Raw
from ensvm.data.files.dialect import Numerals
from ensvm.data.files.labels import no_label, plain_labels

Column = Sequence[str] | NDArray[np.float64]


@dataclass(frozen=True)
class Rules:
    """What a card says of fields beside the encodings of its inputs; see `TableFormat`."""

    target: str | int
    incomplete: Incomplete = "refuse"
    unlabelled: Literal["refuse", "drop"] = "refuse"
    labels: Mapping[str, str] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()
    numerals: Numerals = field(default_factory=Numerals)


@dataclass(frozen=True)
class Block:
    """Some rows of a table, and the number of each in its file.

    A column is text, or numbers (NaN where there is none) for an input that stays a number.
    """

    columns: Sequence[Column]
    rows: Sequence[int]

    def taken(self, at: NDArray[np.intp]) -> "Block":
        """Return the rows at some positions."""
        if len(at) == len(self.rows):
            return self
        columns = [
            column[at] if isinstance(column, np.ndarray) else [column[i] for i in at]
            for column in self.columns
        ]
        return Block(columns, [self.rows[i] for i in at])


@dataclass(frozen=True)
class FieldReader:
    """What the columns of a table are, and how some of its rows are read.

    Attributes
    ----------
    where : str
        What messages call the file.
    names : list of str
        The names of the columns.
    rules : Rules
        What the card says of fields.
    inputs : mapping or None
        The columns used and their encodings; None: all but the target, as numbers.
    groups : str or None
        The column that says which rows belong together.
    unit : str
        What messages call a row.
    """

    where: str
    names: list[str]
    rules: Rules
    inputs: Inputs | None = None
    groups: str | None = None
    unit: str = "line"

    def read(self, block: Block) -> Raw:
        """Return what the fields stand for; of a row that is left out, nothing.

        Raises DataError naming file, row and column of a value that is missing, not a number or an
        unknown code.
        """
        block = self._complete(block)
        columns = [self._encoded(block, at) for at in self.input_at]
        X = np.hstack([np.empty((len(block.rows), 0)), *columns])
        labels = renamed(_stripped(block.columns[self.label_at]), self.rules.labels)
        groups = [_stripped(block.columns[at]) for at in self._group_at]
        return Raw(X, labels, groups=groups[0] if groups else None)

    @cached_property
    def _chosen(self) -> tuple[int, list[int]]:
        return choose_columns(self.names, self.rules.target, self.inputs, self.where)

    @property
    def label_at(self) -> int:
        """The position of the target."""
        return self._chosen[0]

    @property
    def input_at(self) -> list[int]:
        """The positions of the inputs."""
        return self._chosen[1]

    @cached_property
    def numbers(self) -> frozenset[int]:
        """The positions of the inputs that are read as numbers and stay such."""
        others = (at for at in self.input_at if at != self.label_at)
        return frozenset(at for at in others if self._encoding(at) == "number")

    @cached_property
    def _group_at(self) -> list[int]:
        return [] if self.groups is None else [_position(self.names, self.groups, self.where)]

    def _encoding(self, at: int) -> Encoding:
        return self.inputs[self.names[at]] if self.inputs else "number"

    def _place(self, block: Block, at: int, row: int) -> str:
        return f"{self.where}, {self.unit} {block.rows[row]}, column {self.names[at]!r}"

    def _encoded(self, block: Block, at: int) -> NDArray[np.float64]:
        column = block.columns[at]
        if isinstance(column, np.ndarray):
            if (np.isnan(column) | (np.abs(column) <= LARGEST)).all():
                return column[:, None]
            column = ["" if np.isnan(value) else str(value) for value in column.tolist()]
        place = partial(self._place, block, at)
        missing = {*self.rules.missing, ""}
        return encode_column(column, self._encoding(at), missing, place, self.rules.numerals)

    def _complete(self, block: Block) -> Block:
        """Return the rows that have what they need; raise DataError for one that must have it."""
        rules = self.rules
        for at in self._group_at if rules.incomplete != "drop" else ():
            for row in np.flatnonzero(self._absent(block.columns[at]))[:1]:
                found = block.columns[at][row]
                raise DataError(
                    f"{self._place(block, at, row)}: the group is missing ({found!r}); accepted: "
                    "a group in every row, or `incomplete: drop`, which leaves such rows out"
                )
        labels = block.columns[self.label_at]
        unlabelled = self._absent(labels) | np.array([no_label(text) for text in labels], bool)
        looked_at = [*self.input_at, *self._group_at]
        gaps = np.column_stack([unlabelled, *(self._absent(block.columns[at]) for at in looked_at)])
        dropped = gaps.any(axis=1)
        if rules.incomplete == "keep":
            dropped &= unlabelled
        wrong = dropped & ~(unlabelled & (rules.unlabelled == "drop"))
        if rules.incomplete != "drop" and wrong.any():
            row = int(np.argmax(wrong))
            at = [self.label_at, *looked_at][int(np.argmax(gaps[row]))]
            raise DataError(self._told(block, at, row, bool(unlabelled[row])))
        return block.taken(np.flatnonzero(~dropped))

    def _told(self, block: Block, at: int, row: int, unlabelled: bool) -> str:
        """Return what is said of a row that lacks a value."""
        hint = "`incomplete: drop` leaves such rows out, `incomplete: keep` keeps them"
        if unlabelled:
            hint = "`unlabelled: drop` leaves such rows out, and so does `incomplete: drop`"
        column = block.columns[at]
        found = "" if isinstance(column, np.ndarray) else column[row]
        return f"{self._place(block, at, row)}: the value is missing ({found!r}); {hint}"

    def _absent(self, column: Column) -> NDArray[np.bool_]:
        """Return which fields of a column have no value."""
        if isinstance(column, np.ndarray):
            return np.isnan(column)
        missing = {*self.rules.missing, ""}
        return np.array([text.strip() in missing for text in column], dtype=bool)


def choose_columns(
    names: list[str], target: str | int, inputs: Iterable[str] | None, where: str
) -> tuple[int, list[int]]:
    """Return the positions of the target and of the inputs: those named, or all but the target.

    Raises DataError for a name that is no column's, or that several columns have.
    """
    refuse_equal_names(names, where)
    if isinstance(target, int):
        if not -len(names) <= target < len(names):
            raise DataError(f"{where}: target {target} is not a column; there are {len(names)}")
        label_at = target % len(names)
    else:
        label_at = _position(names, target, where)
    if inputs is not None:
        return label_at, [_position(names, name, where) for name in inputs]
    return label_at, [at for at in range(len(names)) if at != label_at]


def refuse_equal_names(names: list[str], where: str) -> None:
    """Raise DataError if columns share a name: one of them might be taken for the other."""
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        at = [str(k) for k, name in enumerate(names, start=1) if name == twice]
        raise DataError(
            f"{where}: several columns are called {twice!r} (columns {', '.join(at[:9])}, counted "
            "from 1); accepted: names that differ"
        )


def renamed(labels: NDArray[Any], names: Mapping[str, str]) -> NDArray[np.str_]:
    """Return labels as cards write them, those that a card renames under their other name."""
    found = plain_labels(labels)
    if not names:
        return found
    values, inverse = np.unique(found, return_inverse=True)
    return np.array([names.get(str(value), str(value)) for value in values], dtype=str)[inverse]


def _stripped(column: Column) -> NDArray[np.str_]:
    return plain_labels(np.array([str(text).strip() for text in column], dtype=str))


def _position(names: list[str], name: str, where: str) -> int:
    if name not in names:
        shown = ", ".join(names[:20]) + (", ..." if len(names) > 20 else "")
        raise DataError(
            f"{where}: there is no column {name!r}{near_miss(name, names)} (columns: {shown})"
        )
    return names.index(name)
