"""What differs between two sets of records of a study: values, verdicts, claims, and why."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t

from ensvm.report.claims.comparisons import evaluate_claims
from ensvm.report.query import Study, ask, runs_of
from ensvm.report.tables.cells import TableCell, build_table, question_of
from ensvm.report.verdict import CONFIDENCE
from ensvm.study.table_layout import ColumnConfig, TableConfig


@dataclass(frozen=True)
class CellDifference:
    """A cell of a table on both sides.

    Attributes
    ----------
    table, row, column : str
        Which cell it is.
    first, second : float or None
        The means, in the unit of the table; None where a side has no values.
    shared : int
        How many realizations both sides have; their values are compared pair by pair.
    difference : float or None
        The mean over them of the second side's value minus the first's.
    low, high : float or None
        Its 95 % interval by the paired t test; None for fewer than two.
    equal : bool
        Whether the shared values are equal to the last bit.
    first_verdict, second_verdict : str
        What each side's values make of the printed one; empty where nothing is printed.
    """

    table: str
    row: str
    column: str
    first: float | None
    second: float | None
    shared: int
    difference: float | None
    low: float | None
    high: float | None
    equal: bool
    first_verdict: str
    second_verdict: str

    @property
    def flips(self) -> bool:
        """Whether both sides have a verdict, and another."""
        both = self.first_verdict and self.second_verdict
        return bool(both) and self.first_verdict != self.second_verdict


@dataclass(frozen=True)
class ClaimDifference:
    """A claim whose verdict is another on the second side."""

    claim: str
    first: str
    second: str


@dataclass(frozen=True)
class StudyComparison:
    """What two sides make of a study.

    `cells` are those of its tables with values on either side; `claims` those that flip. `context`
    has what differs in how the records were made, a name with what each side has.
    """

    study: str
    cells: tuple[CellDifference, ...]
    claims: tuple[ClaimDifference, ...]
    context: tuple[tuple[str, str, str], ...]

    @property
    def flips(self) -> list[CellDifference]:
        """The cells whose verdicts differ."""
        return [cell for cell in self.cells if cell.flips]

    def only(self, side: int) -> list[CellDifference]:
        """Return the cells that only the first (0) or the second (1) side has values of."""
        return [
            cell
            for cell in self.cells
            if ((cell.first is None) == (side == 1)) and ((cell.second is None) == (side == 0))
        ]


def compare(first: Study, second: Study) -> StudyComparison:
    """Return what differs between two sides of a study.

    Seconds are left out: those of two machines do not compare. Tables and claims are those of the
    first side's config, as far as the second's has them.
    """
    tables = {table.id: table for table in second.config.tables}
    cells = [
        cell
        for table in first.config.tables
        if table.of != "timing" and table.id in tables
        for cell in _cells(first, table, second, tables[table.id])
    ]
    return StudyComparison(
        first.config.study, tuple(cells), tuple(_claims(first, second)), _context(first, second)
    )


def _cells(
    first: Study, table: TableConfig, second: Study, other: TableConfig
) -> Iterable[CellDifference]:
    theirs = {(cell.row, cell.column): cell for cell in build_table(second, other)}
    columns = {column.name: column for column in table.columns}
    others = {column.name: column for column in other.columns}
    for cell in build_table(first, table):
        found = theirs.get((cell.row, cell.column))
        if found is not None and (cell.n or found.n):
            column = columns[cell.column], others[cell.column]
            yield _difference((first, second), (table, other), column, (cell, found))


def _difference(
    studies: tuple[Study, Study],
    tables: tuple[TableConfig, TableConfig],
    columns: tuple[ColumnConfig, ColumnConfig],
    cells: tuple[TableCell, TableCell],
) -> CellDifference:
    answers = [
        ask(study, question_of(table, cells[0].row, column))
        for study, table, column in zip(studies, tables, columns, strict=True)
    ]
    one, other = (answer.values for answer in answers)
    shared = sorted(set(one) & set(other))
    pairs = np.array([[float(one[n]), float(other[n])] for n in shared]).reshape(-1, 2)
    with np.errstate(invalid="ignore"):  # two infinite values have no difference: it is NaN
        change = (pairs[:, 1] - pairs[:, 0]) * answers[0].unit.scale
    low, high = _interval(change)
    return CellDifference(
        cells[0].table,
        cells[0].row,
        cells[0].column,
        cells[0].mean,
        cells[1].mean,
        len(shared),
        float(change.mean()) if shared else None,
        low,
        high,
        bool(np.array_equal(pairs[:, 0], pairs[:, 1], equal_nan=True)),
        cells[0].verdict or "",
        cells[1].verdict or "",
    )


def _interval(change: np.ndarray) -> tuple[float | None, float | None]:
    """Return the 95 % interval of a mean of paired differences; none for fewer than two."""
    n = change.size
    if n < 2:
        return None, None
    half = float(t.ppf((1 + CONFIDENCE) / 2, n - 1)) * float(change.std(ddof=1)) / math.sqrt(n)
    return float(change.mean()) - half, float(change.mean()) + half


def _claims(first: Study, second: Study) -> Iterable[ClaimDifference]:
    before = {finding.claim.id: finding.verdict for finding in evaluate_claims(first)}
    for finding in evaluate_claims(second):
        verdict = before.get(finding.claim.id)
        if verdict is not None and verdict != finding.verdict:
            yield ClaimDifference(finding.claim.id, verdict, finding.verdict)


def _context(first: Study, second: Study) -> tuple[tuple[str, str, str], ...]:
    """Return what differs in code, packages and processor."""
    sides = [_made_with(study) for study in (first, second)]
    return tuple(
        (name, sides[0].get(name, "none"), sides[1].get(name, "none"))
        for name in dict.fromkeys([*sides[0], *sides[1]])
        if sides[0].get(name) != sides[1].get(name)
    )


def _made_with(study: Study) -> dict[str, str]:
    found: dict[str, set[str]] = {}
    for run in runs_of(study.records.values()).values():
        facts = {"processor": run.arithmetic, "Python": run.python, "commit": str(run.commit)[:10]}
        for name, value in {**facts, **run.packages}.items():
            found.setdefault(name, set()).add(value)
    return {name: ", ".join(sorted(values)) for name, values in found.items()}
