"""Compare two sets of results: which table values, verdicts and claims differ, and by how much."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from tabulate import tabulate

from ensvm.counts import of_all
from ensvm.errors import UserError
from ensvm.records.fit_values import are_equal, values_of_fit
from ensvm.records.identity import asked
from ensvm.records.record import Record
from ensvm.records.settings import NO_SETTINGS
from ensvm.report.claims import evaluate_claims
from ensvm.report.column_values import query_of, result_of
from ensvm.report.query import QueryResult, paired_values, shared_realizations
from ensvm.report.study_folder import (
    Study,
    find_shown,
    folders_by_study,
    read_each,
    read_shipped_study,
)
from ensvm.report.tables import build_table
from ensvm.shipped import SHIPPED, shipped_records
from ensvm.study.metrics import DATA_CELL
from ensvm.study.table_layout import ColumnConfig, TableConfig

MAX_NAMES = 12  # values or rows named one by one
# Other processors round otherwise. A larger relative difference is not called rounding.
ROUNDING = 1e-6
# Of a value: its place, each side's mean and verdict over the `shared` realizations that both have,
# the largest difference of a realization relative to its larger value, whether it is a rounding
# error that changes no test row, and the side that alone has values ("first", "second" or "").
COLUMNS = (
    *("table", "row", "column", "first", "second", "verdict", "then"),
    *("shared", "relative", "is_rounding", "only_on"),
)


@dataclass(frozen=True)
class StudyComparison:
    """The differences of two sides of a study.

    `n_fits` counts fits, which are finished error cells: on both sides; of these, the ones whose
    recorded numbers are equal to the last bit; on the first side alone; on the second alone.
    `settings` has a text for each difference in what was run or is shown; `values` has a row for
    each value of the tables, with `COLUMNS`; `claims` has a text for each claim whose verdicts
    differ, and `context` one for each difference in processors, versions and commits.
    """

    study: str
    settings: list[str]
    n_fits: tuple[int, int, int, int]
    values: pd.DataFrame
    claims: list[str]
    context: list[str]

    @property
    def flips(self) -> list[str]:
        """A text for each value whose verdicts differ."""
        judged = self.values.dropna(subset=["verdict", "then"])
        return [
            f"{_name(value)}: {value['verdict']} -> {value['then']}"
            for _, value in judged[judged["verdict"] != judged["then"]].iterrows()
        ]


def read_sides(one: str, other: str) -> tuple[dict[str, Study], dict[str, Study], list[UserError]]:
    """Return the studies of two sides by their names, and the errors of what cannot be read.

    Each side is a folder of results, a study's folder, or `shipped`: the results that come with
    ensvm of the studies that the other side has. Raises UserError if a side has no records.
    """
    errors: list[UserError] = []
    sides = [_studies_in(Path(side), errors) for side in (one, other)]
    for number, name in enumerate((one, other)):
        if name == SHIPPED:
            sides[number] = {
                study: read_shipped_study(folder, folder)
                for study in map(_shipped_name, sides[1 - number].values())
                if (folder := shipped_records(study)) is not None
            }
    for side, studies, others in zip((one, other), sides, sides[::-1], strict=True):
        if not studies and side == SHIPPED:
            names = ", ".join(others) or SHIPPED
            raise UserError(f"no study of the other side comes with ensvm: {names}")
        if not studies:
            why = "no records here; run a study first"
            if not Path(side).exists():
                why = "there is no such folder"
            raise errors[0] if errors else UserError(f"{side}: {why}")
    return sides[0], sides[1], errors


def compared_pairs(sides: Sequence[Mapping[str, Study]]) -> list[tuple[Study, Study]]:
    """Return the studies of two sides that are compared with each other.

    These are the studies of one name. If the sides share none, a study is compared with one that is
    built on it or on the same base, if there is only one of these.
    """
    first, second = sides
    if names := [name for name in first if name in second]:
        return [(first[name], second[name]) for name in names]
    by_base: dict[str, tuple[list[Study], list[Study]]] = {}
    for number, side in enumerate(sides):
        for study in side.values():
            by_base.setdefault(_base_of(study), ([], []))[number].append(study)
    return [
        (of_first[0], of_second[0])
        for of_first, of_second in by_base.values()
        if len(of_first) == len(of_second) == 1
    ]


def _base_of(study: Study) -> str:
    """Return the name of the study that another is built on, else its own."""
    return study.config.study if study.config.derived is None else study.config.derived.base


def _shipped_name(study: Study) -> str:
    """Return the name of the shipped study that a study is compared with."""
    name = study.config.study
    return _base_of(study) if shipped_records(name) is None else name


def _studies_in(results: Path, errors: list[UserError]) -> dict[str, Study]:
    """Return the studies in a folder by their names; append the errors of those not read."""
    studies = {}
    for study in read_each(folders_by_study(find_shown(results))):
        if isinstance(study, UserError):
            errors.append(study)
        else:
            studies[study.config.study] = study
    return studies


def compare_studies(first: Study, second: Study) -> StudyComparison:
    """Return what differs between two sides of a study.

    Seconds are left out, since those of two machines do not compare. Values, verdicts and claims
    rest on the records that both sides have, so that fewer realizations or fewer algorithms on one
    side do not count as a difference.
    """
    in_both = sorted(first.records.keys() & second.records.keys())
    one, other = (
        replace(study, recorded={cell: study.records[cell] for cell in in_both})
        for study in (first, second)
    )
    before = {judged.claim.id: judged.verdict for judged in evaluate_claims(one)}
    claims = [
        f"{judged.claim.id}: {before[judged.claim.id]} -> {judged.verdict}"
        for judged in evaluate_claims(other)
        if before.get(judged.claim.id, judged.verdict) != judged.verdict
    ]
    made, made_other = _made_with(first), _made_with(second)
    context = [
        f"{name}: {made.get(name, 'none')} | {made_other.get(name, 'none')}"
        for name in dict.fromkeys([*made, *made_other])
        if made.get(name) != made_other.get(name)
    ]
    settings = [
        *_changed_keys(first, second),
        *_other_settings(first, second),
        *_other_columns(first, second),
    ]
    names = dict.fromkeys(study.config.study for study in (first, second))
    return StudyComparison(
        " | ".join(names),
        settings,
        _count_fits(first, second),
        pd.DataFrame(_values((first, second), (one, other)), columns=COLUMNS),
        claims,
        context,
    )


def _changed_keys(first: Study, second: Study) -> Iterator[str]:
    """Yield what the sides change in the study that they are built on, if not both change it."""
    changes = [study.config.derived for study in (first, second)]
    if changes[0] == changes[1]:
        return
    for study, derived in zip((first, second), changes, strict=True):
        if derived is not None:
            yield f"{study.config.study}: {derived.sentence}"


def _other_columns(first: Study, second: Study) -> Iterator[str]:
    """Yield a line for each column of one name that shows something else on the second side."""
    tables = {table.id: table for table in second.config.tables}
    for table in first.config.tables:
        other = tables.get(table.id, table)
        names = {column.name for column in other.columns}
        for name in (column.name for column in table.columns if column.name in names):
            one, then = (
                _shown(study, side, "", side.column(name))
                for study, side in ((first, table), (second, other))
            )
            if one != then:
                texts = " | ".join(map(_in_words, (one, then)))
                yield f"table {table.id}, column {name}, not compared: {texts}"


def _shown(study: Study, table: TableConfig, row: str, column: ColumnConfig) -> tuple[Any, ...]:
    """Return what a value of a table is, wherever it was timed and whether it is available.

    It is a query, or the name of an effect and what it is computed from.
    """
    if column.effect is not None:
        sources = table.sources_of(column)
        return column.combined, *(_shown(study, table, row, source) for source in sources)
    return (replace(query_of(study, table, row, column), host="", unavailable=None),)


def _in_words(shown: tuple[Any, ...]) -> str:
    """Return what a value is in words, such as `difference of error of a and error of b`."""
    first, *sources = shown
    if not sources:
        return f"{first.metric} of {first.algorithm}"
    return f"{first} of {' and '.join(map(_in_words, sources))}"


def _other_settings(first: Study, second: Study) -> Iterator[str]:
    """Yield in one line which fits of both sides have other parameters, data or splits."""
    both = [
        (record, second.records[cell])
        for cell, record in first.records.items()
        if _is_fit(record) and cell in second.records
    ]
    differ = [
        f"{one.algorithm} on {one.dataset}"
        for one, other in both
        if one.settings_key != other.settings_key
        and NO_SETTINGS not in (one.settings, other.settings)
        if asked(one.settings) != asked(other.settings)
    ]
    if differ:
        count = of_all(len(differ), len(both), "fit")
        names = _named(list(dict.fromkeys(differ)))
        yield f"other parameters, data or splits on the second side: {count}{names}"


def _is_fit(record: Record) -> bool:
    """Return whether a record is of a finished fit of the error pass."""
    return record.ok and record.run_pass == "error" and record.algorithm != DATA_CELL


def _count_fits(first: Study, second: Study) -> tuple[int, int, int, int]:
    ours, theirs = (
        {cell: record for cell, record in study.records.items() if _is_fit(record)}
        for study in (first, second)
    )
    both = ours.keys() & theirs.keys()
    n_equal = sum(_have_equal_values(ours[cell], theirs[cell]) for cell in both)
    return len(both), n_equal, len(ours) - len(both), len(theirs) - len(both)


def _have_equal_values(one: Record, other: Record) -> bool:
    """Return whether the values that two fits both have are equal."""
    values, others = values_of_fit(one), values_of_fit(other)
    return all(are_equal(values[name], others[name]) for name in values.keys() & others.keys())


def _values(whole: Sequence[Study], shared: Sequence[Study]) -> Iterator[dict[str, Any]]:
    """Yield the values that both sides have a place for, and that either side has."""
    tables = {table.id: table for table in whole[1].config.tables}
    for table in whole[0].config.tables:
        if table.of == "timing" or table.id not in tables:
            continue
        both = table, tables[table.id]
        cells, others = (
            {(cell.row, cell.column): cell for cell in build_table(*each)}
            for each in zip(shared, both, strict=True)
        )
        for place in (place for place in cells if place in others):
            shown = {
                _shown(study, one, place[0], one.column(place[1]))
                for study, one in zip(whole, both, strict=True)
            }
            has = [bool(found.values) for found in _results(whole, both, *place)]
            if len(shown) > 1 or not any(has):
                continue
            yield {
                **dict(zip(COLUMNS, (table.id, *place), strict=False)),
                "first": cells[place].mean,
                "second": others[place].mean,
                "verdict": cells[place].verdict,
                "then": others[place].verdict,
                **_differences(*_results(shared, both, *place)),
                "only_on": "" if all(has) else ("first", "second")[has.index(True)],
            }


def _results(
    studies: Sequence[Study], tables: Sequence[TableConfig], row: str, column: str
) -> list[QueryResult]:
    """Return the values of a place in each study's table."""
    return [
        result_of(study, table, row, table.column(column))
        for study, table in zip(studies, tables, strict=True)
    ]


def _differences(one: QueryResult, other: QueryResult) -> dict[str, Any]:
    """Return how two results differ; of computed ones, how those do that they are computed from.

    The difference of two errors may be small, and its rounding errors then are not.
    """
    realizations = shared_realizations([one, other])
    pairs = [*zip(one.parts or (one,), other.parts or (other,), strict=False)]
    relative = max(
        _relative_difference(*paired_values(*(each.over(realizations) for each in pair)).T)
        for pair in pairs
    )
    same_rows = all(
        first.records[n].metrics.get("n_errors") == second.records[n].metrics.get("n_errors")
        for first, second in pairs
        for n in realizations
    )
    return {
        "shared": len(realizations),
        "relative": relative,
        "is_rounding": same_rows and 0.0 < relative <= ROUNDING,
    }


def _relative_difference(before: NDArray[np.float64], after: NDArray[np.float64]) -> float:
    """Return the largest difference of two values relative to the larger; 0 if all are equal."""
    differ = (before != after) & ~(np.isnan(before) & np.isnan(after))
    before, after = before[differ], after[differ]
    relative = np.abs(after - before) / np.maximum(np.abs(before), np.abs(after))
    return float(relative.max(initial=0.0))


def _made_with(study: Study) -> dict[str, str]:
    """Return the processors, versions and commits that the records were made with."""
    made_with: dict[str, set[str]] = {}
    for run in study.runs.values():
        facts = {"processor": run.arithmetic, "Python": run.python, "commit": str(run.commit)[:10]}
        for name, value in {**facts, **run.packages}.items():
            made_with.setdefault(name, set()).add(value)
    return {name: ", ".join(sorted(values)) for name, values in made_with.items()}


def summary(comparison: StudyComparison) -> Iterator[str]:
    """Yield the differences in a few lines: the study's name, other settings, then the values."""
    values, flips, claims = comparison.values, comparison.flips, comparison.claims
    head, *others = [*comparison.settings, _agreement(values)]
    yield f"{comparison.study}: {head}"
    for text in others:
        yield f"  {text}"
    n_both, n_equal, n_first, n_second = comparison.n_fits
    yield (
        f"  fits: {n_both} on both sides, {n_equal} of them equal to the last bit; "
        f"{n_first} only on the first, {n_second} only on the second"
    )
    if n_judged := values[["verdict", "then"]].notna().all(axis=1).sum():
        yield f"  verdicts: {len(flips)} of {n_judged} differ{_named(flips)}"
    yield f"  claims: {len(claims)} differ{_named(claims)}"
    for side, of_side in values[values["only_on"] != ""].groupby("only_on"):
        rows = list(dict.fromkeys(of_side["row"]))
        yield f"  only the {side} has {len(of_side)} values{_named(rows)}"
    for text in comparison.context:
        yield f"  {text}"


def total(comparisons: Sequence[StudyComparison]) -> str:
    """Return how many table values of all studies agree, in one line."""
    flips = sum(len(comparison.flips) for comparison in comparisons)
    values = [line for one in comparisons for line in one.values.to_dict("records")]
    return f"in all: {_agreement(pd.DataFrame(values, columns=COLUMNS))}; {flips} verdicts differ"


def _agreement(values: pd.DataFrame) -> str:
    """Return how many table values both sides have, and how well they agree."""
    both = values[values["shared"] > 0]
    text = f"{len(both)} of {len(values)} table values are on both sides"
    if both.empty:
        return text
    text += f"; {(both['relative'] == 0.0).sum()} are equal to the last bit"
    if rounded := both["is_rounding"].sum():
        text += f", {rounded} equal to rounding (no test row changes)"
    worst = both.sort_values("relative", kind="stable").iloc[-1]
    if worst["relative"]:
        text += f"; the largest relative difference: {worst['relative']:.2g} ({_name(worst)})"
    return text


def differing(comparison: StudyComparison) -> str:
    """Return a table of the values that differ; empty if none does."""
    values = comparison.values
    values = values[(values["shared"] == 0) | (values["relative"] != 0.0)]
    if values.empty:
        return ""
    shown = values[[*COLUMNS[:7], "shared"]].astype(object)
    rows = shown.where(shown.notna(), None).to_numpy().tolist()
    return tabulate(rows, [*COLUMNS[:7], "shared"], "simple", floatfmt=".4g", missingval="-")


def _name(value: "pd.Series[Any]") -> str:
    return f"table {value['table']}, {value['row']}, {value['column']}"


def _named(texts: Sequence[str]) -> str:
    if not texts:
        return ""
    more = f"; and {len(texts) - MAX_NAMES} more" if len(texts) > MAX_NAMES else ""
    return f": {'; '.join(texts[:MAX_NAMES])}{more}"
