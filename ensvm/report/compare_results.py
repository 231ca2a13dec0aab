"""Compare two sets of results: which table values, verdicts and claims differ, and by how much."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tabulate import tabulate

from ensvm.errors import UserError
from ensvm.report.claim_tests import ClaimVerdict
from ensvm.report.claims import evaluate_claims
from ensvm.report.query import (
    Answer,
    Study,
    ask,
    find_studies,
    paired_values,
    read_shipped_study,
    read_study,
    runs_of,
    shared_realizations,
)
from ensvm.report.tables import TableCell, build_table, question_of
from ensvm.shipped import shipped_records
from ensvm.study.metrics import DATA_CELL
from ensvm.study.table_layout import TableConfig

SHIPPED = "shipped"
MAX_NAMES = 12  # values or rows named one by one
# Other processors round otherwise. A larger relative difference is not called rounding.
ROUNDING = 1e-6


def read_sides(one: str, other: str) -> tuple[dict[str, Study], dict[str, Study]]:
    """Return the studies of two sides by their names.

    Each side is a folder of results, a study's folder, or `shipped`: the results that come with
    ensvm of the studies that the other side has.

    Raises UserError if a side has no records, or both are `shipped`.
    """
    if one == other == SHIPPED:
        raise UserError("both sides are `shipped`; name a folder on one of them")
    sides = [
        {study.config.study: study for study in map(read_study, find_studies(Path(side)))}
        for side in (one, other)
    ]
    for number, name in enumerate((one, other)):
        if name == SHIPPED:
            sides[number] = {
                study: read_shipped_study(folder, folder)
                for study in sides[1 - number]
                if (folder := shipped_records(study)) is not None
            }
    for side, studies in zip((one, other), sides, strict=True):
        if not studies:
            raise UserError(f"{side}: no records here; run a study first")
    return sides[0], sides[1]


@dataclass(frozen=True)
class ValueDifference:
    """A table value as each side has it, over the `n_shared` realizations that both have.

    `difference` is the mean of second minus first, in the table's unit. `relative` is the largest
    difference of a realization, relative to its value. `same_rows` says whether in no realization
    the number of wrong test rows differs.
    """

    first: TableCell
    second: TableCell
    only_on: int | None  # the side, 0 or 1, that alone has values
    n_shared: int
    difference: float
    relative: float
    same_rows: bool

    @property
    def name(self) -> str:
        """The table, the row and the column."""
        return f"table {self.first.table}, {self.first.row}, {self.first.column}"

    @property
    def is_equal(self) -> bool:
        """Whether all realizations that both have are equal to the last bit."""
        return self.n_shared > 0 and self.relative == 0.0

    @property
    def is_rounding(self) -> bool:
        """Whether the sides differ by rounding only, and no test row changes."""
        return self.n_shared > 0 and self.same_rows and 0.0 < self.relative <= ROUNDING

    @property
    def flips(self) -> bool:
        """Whether both sides have a verdict, and the two differ."""
        return None not in (self.first.verdict, self.second.verdict) and (
            self.first.verdict != self.second.verdict
        )


@dataclass(frozen=True)
class StudyComparison:
    """The differences of two sides of a study.

    `n_fits` counts the fits (finished error cells) on both sides, those among them of which all
    numbers that both recorded are equal to the last bit, those on the first side alone, and those
    on the second alone.
    `values` are those of its tables on either side, `claims` those with different verdicts, and
    `context` the differences in processors, versions and commits.
    """

    study: str
    n_fits: tuple[int, int, int, int]
    values: list[ValueDifference]
    claims: list[tuple[str, ClaimVerdict, ClaimVerdict]]
    context: list[tuple[str, str, str]]

    @property
    def flips(self) -> list[ValueDifference]:
        """The values whose verdicts differ."""
        return [value for value in self.values if value.flips]


def compare_studies(first: Study, second: Study) -> StudyComparison:
    """Return what differs between two sides of a study.

    Seconds are left out, since those of two machines do not compare. Values, verdicts and claims
    rest on the records that both sides have, so that fewer realizations or fewer algorithms on one
    side do not count as a difference.
    """
    in_both = first.records.keys() & second.records.keys()
    one, other = (
        replace(study, records={cell: study.records[cell] for cell in sorted(in_both)})
        for study in (first, second)
    )
    tables = {table.id: table for table in second.config.tables}
    values = [
        value
        for table in first.config.tables
        if table.of != "timing" and table.id in tables
        for value in _values((first, second), (one, other), (table, tables[table.id]))
    ]
    before = {judged.claim.id: judged.verdict for judged in evaluate_claims(one)}
    claims = [
        (judged.claim.id, before[judged.claim.id], judged.verdict)
        for judged in evaluate_claims(other)
        if before.get(judged.claim.id, judged.verdict) != judged.verdict
    ]
    made, made_other = _made_with(first), _made_with(second)
    context = [
        (name, made.get(name, "none"), made_other.get(name, "none"))
        for name in dict.fromkeys([*made, *made_other])
        if made.get(name) != made_other.get(name)
    ]
    return StudyComparison(first.config.study, _count_fits(first, second), values, claims, context)


def _count_fits(first: Study, second: Study) -> tuple[int, int, int, int]:
    ours, theirs = (
        {
            cell: record.metrics
            for cell, record in study.records.items()
            if record.ok and record.run_pass == "error" and record.algorithm != DATA_CELL
        }
        for study in (first, second)
    )
    both = ours.keys() & theirs.keys()
    n_equal = sum(
        all(
            repr(ours[cell][name]) == repr(theirs[cell][name])  # nan is equal to nan
            for name in ours[cell].keys() & theirs[cell].keys()
        )
        for cell in both
    )
    return len(both), n_equal, len(ours) - len(both), len(theirs) - len(both)


def _values(
    whole: Sequence[Study], shared: Sequence[Study], tables: tuple[TableConfig, TableConfig]
) -> Iterator[ValueDifference]:
    """Yield the values that both tables have a place for, and that either side has."""
    ours, theirs = (
        {(cell.row, cell.column): cell for cell in build_table(study, table)}
        for study, table in zip(shared, tables, strict=True)
    )
    for place in ours.keys() & theirs.keys():
        questions = [
            question_of(study, table, place[0], table.column(place[1]))
            for study, table in zip(whole, tables, strict=True)
        ]
        has = [bool(ask(*each).values) for each in zip(whole, questions, strict=True)]
        if any(has):
            only_on = None if all(has) else has.index(True)
            answers = [ask(*each) for each in zip(shared, questions, strict=True)]
            yield _difference(ours[place], theirs[place], only_on, *answers)


def _difference(
    first: TableCell, second: TableCell, only_on: int | None, one: Answer, other: Answer
) -> ValueDifference:
    before, after = paired_values(one, other).T
    with np.errstate(invalid="ignore", divide="ignore"):
        change = np.where((before == after) | np.isnan(before) & np.isnan(after), 0, after - before)
        relative = np.abs(change) / np.where(before == 0.0, np.abs(after), np.abs(before))
    same_rows = all(
        one.records[n].metrics.get("n_errors") == other.records[n].metrics.get("n_errors")
        for n in shared_realizations([one, other])
    )
    n_shared = change.size
    mean = float(change.mean()) * one.unit.scale if n_shared else 0.0
    largest = float(np.nanmax(np.where(change == 0.0, 0.0, relative))) if n_shared else 0.0
    return ValueDifference(first, second, only_on, n_shared, mean, largest, same_rows)


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
    values = comparison.values
    yield f"{comparison.study}: {_agreement(values)}"
    n_both, n_equal, n_first, n_second = comparison.n_fits
    yield (
        f"  fits: {n_both} on both sides, {n_equal} of them equal to the last bit; "
        f"{n_first} only on the first, {n_second} only on the second"
    )
    flips = [
        f"{one.name}: {one.first.verdict} -> {one.second.verdict}" for one in values if one.flips
    ]
    judged = [one for one in values if None not in (one.first.verdict, one.second.verdict)]
    if judged:
        yield f"  verdicts: {len(flips)} of {len(judged)} differ{_named(flips)}"
    claims = [f"{claim}: {one} -> {other}" for claim, one, other in comparison.claims]
    yield f"  claims: {len(claims)} differ{_named(claims)}"
    for side, name in enumerate(("first", "second")):
        if alone := [value for value in values if value.only_on == side]:
            rows = list(dict.fromkeys(value.first.row for value in alone))
            yield f"  only the {name} has {len(alone)} values{_named(rows)}"
    for name, one, other in comparison.context:
        yield f"  {name}: {one} | {other}"


def _agreement(values: Sequence[ValueDifference]) -> str:
    """Return how many table values both sides have, and how well they agree."""
    both = [value for value in values if value.n_shared]
    text = f"{len(both)} of {len(values)} table values are on both sides"
    if not both:
        return text
    text += f"; {sum(value.is_equal for value in both)} are equal to the last bit"
    if rounded := sum(value.is_rounding for value in both):
        text += f", {rounded} equal to rounding (no test row changes)"
    worst = max(both, key=lambda value: value.relative)
    if worst.relative:
        text += f"; the largest relative difference: {worst.relative:.2g} ({worst.name})"
    return text


def total(comparisons: Sequence[StudyComparison]) -> str:
    """Return how many table values of all studies agree, in one line."""
    values = [value for comparison in comparisons for value in comparison.values]
    flips = sum(value.flips for value in values)
    return f"in all: {_agreement(values)}; {flips} verdicts differ"


def differing(comparison: StudyComparison) -> str:
    """Return a table of the values that differ; empty if none does."""
    rows = [
        [
            value.first.table,
            value.first.row,
            value.first.column,
            _number(value.first.mean),
            _number(value.second.mean),
            f"{value.difference:+.3g}" if value.n_shared else "-",
            value.n_shared,
            value.first.verdict or "",
            value.second.verdict or "",
        ]
        for value in comparison.values
        if not value.is_equal
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
