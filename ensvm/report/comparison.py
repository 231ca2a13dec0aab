"""Two sets of results side by side: which values, verdicts and claims differ, and why."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tabulate import tabulate

from ensvm.errors import UserError
from ensvm.records.record import Identity, Record
from ensvm.records.shipped_records import read_shipped
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    SHIPPED_FILE,
    json_lines,
    latest_records,
    read_records,
)
from ensvm.report.claim_tests import ClaimVerdict
from ensvm.report.claims import evaluate_claims
from ensvm.report.current_config import current_config
from ensvm.report.query import Study, ask, find_studies, paired_values, runs_of
from ensvm.report.statistical_tests import mean_of
from ensvm.report.tables import TableCell, build_table, question_of
from ensvm.report.verdict import CONFIDENCE
from ensvm.study.table_layout import TableConfig

SHIPPED = "shipped"
MAX_NAMES = 12  # cells or rows named one by one


def read_sides(one: str, other: str) -> tuple[dict[str, Study], dict[str, Study]]:
    """Return the studies of two sides by their names.

    Each side is a folder of studies, a study's folder, a file of records in one, or `shipped`: the
    records that came with the folder that the other side names. In a folder, a study's own records
    are read, or the shipped ones if it has none and the other side is not `shipped`.
    """
    if one == other == SHIPPED:
        raise UserError("both sides are `shipped`; name a folder on one of them")
    sides = _read(one, other), _read(other, one)
    for side, studies in zip((one, other), sides, strict=True):
        if not studies:
            raise UserError(f"{side}: no records here; run a study first")
    return sides


def _read(side: str, other: str) -> dict[str, Study]:
    path = Path(other if side == SHIPPED else side)
    if path.is_file() and side != SHIPPED:
        if not (path.parent / CONFIG_COPY).is_file():
            raise UserError(f"{path}: there is no {CONFIG_COPY} beside it")
        study = _with_file(path.parent, path.name)
        return {study.config.study: study} if study.records else {}
    studies = {}
    for folder in find_studies(path.parent if path.is_file() else path):
        own = side != SHIPPED and (other == SHIPPED or (folder / CELLS_FILE).is_file())
        study = _with_file(folder, CELLS_FILE if own else SHIPPED_FILE)
        if study.records:
            studies[study.config.study] = study
    return studies


def _with_file(folder: Path, name: str) -> Study:
    """Return a study with the records of a single file of its folder."""
    if name == SHIPPED_FILE:
        records: Mapping[Identity, Record] = read_shipped(folder).records
    elif name == CELLS_FILE:
        records = read_records(folder)
    else:
        records = latest_records(folder / name, json_lines(folder / name))
    current = current_config(folder)
    return Study(folder, current.config, current.published, dict(records), {}, current.note)


@dataclass(frozen=True)
class CellDifference:
    """A cell of a table as each side has it, over the `shared` realizations if there are any.

    These are compared pair by pair: `difference` is the mean of second minus first, `low` and
    `high` its 95 % interval by the paired t test (None for fewer than two), and `equal` says
    whether all are equal to the last bit.
    """

    first: TableCell
    second: TableCell
    shared: int
    difference: float | None
    low: float | None
    high: float | None
    equal: bool

    @property
    def name(self) -> str:
        """The table, the row and the column."""
        return f"table {self.first.table}, {self.first.row}, {self.first.column}"

    @property
    def judged(self) -> bool:
        """Whether both sides have a verdict."""
        return self.first.verdict is not None and self.second.verdict is not None

    @property
    def flips(self) -> bool:
        """Whether both sides have a verdict, and the two differ."""
        return self.judged and self.first.verdict != self.second.verdict


@dataclass(frozen=True)
class StudyComparison:
    """The differences of two sides of a study.

    `cells` are those of its tables with values on either side, `claims` those with different
    verdicts (and the two verdicts), `context` the differences in processors, versions and commits.
    """

    study: str
    cells: list[CellDifference]
    claims: list[tuple[str, ClaimVerdict, ClaimVerdict]]
    context: list[tuple[str, str, str]]

    @property
    def flips(self) -> list[CellDifference]:
        """The cells whose verdicts differ."""
        return [cell for cell in self.cells if cell.flips]

    def only(self, side: int) -> list[CellDifference]:
        """Return the cells that only the first (0) or the second (1) side has values of."""
        return [
            cell
            for cell in self.cells
            if (cell.first.mean is None, cell.second.mean is None) == (side == 1, side == 0)
        ]


def compare(first: Study, second: Study) -> StudyComparison:
    """Return what differs between two sides of a study.

    Seconds are left out, since those of two machines do not compare. Tables and claims are those of
    the first side's config that the second's has too. Values are compared over the realizations
    that both sides have, and verdicts and claims rest on the records that both have, so that fewer
    realizations or fewer algorithms on one side do not count as a difference.
    """
    # Compare what both sides have, but keep values that only one side has: they are counted.
    in_both = first.records.keys() & second.records.keys()
    shared = (_restricted(first, in_both), _restricted(second, in_both))
    values = {(row, algorithm, run_pass) for row, _, algorithm, run_pass in in_both}
    first, second = (
        _restricted(
            study, {i for i in study.records if i in in_both or (i[0], *i[2:]) not in values}
        )
        for study in (first, second)
    )
    tables = {table.id: table for table in second.config.tables}
    cells = [
        cell
        for table in first.config.tables
        if table.of != "timing" and table.id in tables
        for cell in _cells((first, second), shared, (table, tables[table.id]))
    ]
    before = {judged.claim.id: judged.verdict for judged in evaluate_claims(shared[0])}
    claims = [
        (judged.claim.id, before[judged.claim.id], judged.verdict)
        for judged in evaluate_claims(shared[1])
        if before.get(judged.claim.id, judged.verdict) != judged.verdict
    ]
    one, other = _made_with(first), _made_with(second)
    context = [
        (name, one.get(name, "none"), other.get(name, "none"))
        for name in dict.fromkeys([*one, *other])
        if one.get(name) != other.get(name)
    ]
    return StudyComparison(first.config.study, cells, claims, context)


def _restricted(study: Study, identities: Collection[Identity]) -> Study:
    """Return a study restricted to some of its records."""
    if study.records.keys() <= set(identities):
        return study
    records = {
        identity: study.records[identity] for identity in study.records if identity in identities
    }
    return replace(study, records=records)


def _cells(
    sides: tuple[Study, Study], shared: tuple[Study, Study], tables: tuple[TableConfig, TableConfig]
) -> Iterator[CellDifference]:
    """Yield the cells that both tables have, with values on either side.

    Verdicts rest on the `shared` records, because one side may lack the records of the largest
    class, or of further draws.
    """
    ours, theirs = of_sides = [_by_place(*each) for each in zip(sides, tables, strict=True)]
    judged = [
        cells if side is both else _by_place(both, table)
        for cells, side, both, table in zip(of_sides, sides, shared, tables, strict=True)
    ]
    for place, cell in ours.items():
        match = theirs.get(place)
        if match is None or not (cell.n or match.n):
            continue
        one, other = (
            ask(side, question_of(side, table, cell.row, table.column(cell.column)))
            for side, table in zip(sides, tables, strict=True)
        )
        pairs = paired_values(one, other)
        n, low, high = len(pairs), None, None
        with np.errstate(invalid="ignore"):  # two infinite values have no difference: it is NaN
            change = (pairs[:, 1] - pairs[:, 0]) * one.unit.scale
            if n > 1:
                low, high = mean_of(change).interval(1 - CONFIDENCE)
        mean = float(change.mean()) if n else None
        first, second = (
            replace(value, verdict=of_both[place].verdict)
            for value, of_both in zip((cell, match), judged, strict=True)
        )
        equal = bool(np.array_equal(pairs[:, 0], pairs[:, 1], equal_nan=True))
        yield CellDifference(first, second, n, mean, low, high, equal)


def _by_place(study: Study, table: TableConfig) -> dict[tuple[str, str], TableCell]:
    return {(cell.row, cell.column): cell for cell in build_table(study, table)}


def _made_with(study: Study) -> dict[str, str]:
    """Return the processors, versions and commits that the records were made with."""
    made_with: dict[str, set[str]] = {}
    for run in runs_of(study.records.values()).values():
        facts = {"processor": run.arithmetic, "Python": run.python, "commit": str(run.commit)[:10]}
        for name, value in {**facts, **run.packages}.items():
            made_with.setdefault(name, set()).add(value)
    return {name: ", ".join(sorted(values)) for name, values in made_with.items()}


def summary(comparison: StudyComparison) -> Iterator[str]:
    """Yield the differences in a few lines, the study's name first."""
    cells = comparison.cells
    both = [cell for cell in cells if cell.shared]
    equal = sum(cell.equal for cell in both)
    line = f"{comparison.study}: {len(both)} cells with values on both sides"
    line += f", {equal} equal to the last bit" if both else ""
    other = [cell for cell in both if not cell.equal]
    if other:
        worst = max(other, key=lambda cell: abs(cell.difference or 0.0))
        line += f"; the largest difference of means: {worst.difference:+.3g} ({worst.name})"
    yield line
    flips = [f"{c.name}: {c.first.verdict} -> {c.second.verdict}" for c in comparison.flips]
    if judged := sum(cell.judged for cell in cells):
        yield f"  verdicts: {len(flips)} of {judged} differ" + _named(flips)
    claims = [f"{claim}: {one} -> {other}" for claim, one, other in comparison.claims]
    yield f"  claims: {len(claims)} differ" + _named(claims)
    for side, name in enumerate(("first", "second")):
        if alone := comparison.only(side):
            rows = list(dict.fromkeys(cell.first.row for cell in alone))
            yield f"  only the {name} has {len(alone)} cells" + _named(rows)
    for name, one, other_side in comparison.context:
        yield f"  {name}: {one} | {other_side}"


def total(comparisons: Sequence[StudyComparison], *, run_here: bool) -> str:
    """Return how many cells of all studies agree, in one line.

    `run_here` says that the first side has what was run here, and the second the shipped records.
    """
    cells = [cell for comparison in comparisons for cell in comparison.cells]
    both = [cell for cell in cells if cell.shared]
    where = "were run here" if run_here else "have values on both sides"
    agree = f"{sum(cell.equal for cell in both)} of these agree to the last bit"
    flips = sum(cell.flips for cell in both)
    return f"in all: {len(both)} of {len(cells)} cells {where}; {agree}, {flips} verdicts differ"


def differing(comparison: StudyComparison) -> str:
    """Return a table of the cells that differ; empty if none does."""
    rows = [
        [
            cell.first.table,
            cell.first.row,
            cell.first.column,
            _number(cell.first.mean),
            _number(cell.second.mean),
            _change(cell),
            cell.shared,
            cell.first.verdict or "",
            cell.second.verdict or "",
        ]
        for cell in comparison.cells
        if not (cell.shared and cell.equal)
    ]
    heads = ["table", "data set", "column", "first", "second", "second - first", "shared"]
    return tabulate(rows, [*heads, "verdict", "then"], "simple", disable_numparse=True) * bool(rows)


def _named(texts: list[str]) -> str:
    if not texts:
        return ""
    more = f"; and {len(texts) - MAX_NAMES} more" if len(texts) > MAX_NAMES else ""
    return f": {'; '.join(texts[:MAX_NAMES])}{more}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _change(cell: CellDifference) -> str:
    if cell.difference is None:
        return "-"
    interval = "" if cell.low is None else f" ({cell.low:+.3g} to {cell.high:+.3g})"
    return f"{cell.difference:+.3g}{interval}"
