"""What the tests of claims compare: values of the records, and effects of printed values."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from ensvm.array_types import Vector
from ensvm.report.column_values import linear, result_of
from ensvm.report.intervals import Varied, of_printed, printed_sample
from ensvm.report.query import Query, QueryResult, ask, mixed_machines, shared_realizations
from ensvm.report.randomness import complete, for_each_realization
from ensvm.report.statistical_tests import Sample
from ensvm.report.study_folder import Study
from ensvm.report.tables import printed_in_column
from ensvm.report.verdict import rounding_decides
from ensvm.study.claim import ClaimTest
from ensvm.study.printed import Published
from ensvm.study.relations import NoEffect
from ensvm.study.table_layout import TableConfig

DECIMALS = 9  # more than any paper prints

Pair: TypeAlias = tuple[str, str | None]  # two algorithms; the second is None for a value


class NoValues(Exception):
    """Why a comparison cannot be made."""


def pairs_of(test: ClaimTest) -> list[Pair]:
    """Return the algorithms of each comparison on a row."""
    return list(product(test.left, test.right or (None,)))


def results_of(study: Study, test: ClaimTest, row: str, pair: Pair) -> list[QueryResult]:
    """Return the values of each algorithm's metric, on each member if the test has a sweep.

    They are those of columns if the test is about a table. Of repetitions of a cross-validation the
    incomplete one is left out, as in tables.
    """
    results = _all_results(study, test, row, pair)
    if test.run_pass == "error":
        results = for_each_realization(study, results)
    shared = shared_realizations(results)
    if test.each or not shared:
        return results
    whole = complete(results[0].over(shared)).values
    return results if len(whole) == len(shared) else [one.over(whole) for one in results]


def _all_results(study: Study, test: ClaimTest, row: str, pair: Pair) -> list[QueryResult]:
    if test.table is not None:
        table = study.config.table(test.table)
        return [result_of(study, table, row, table.column(name)) for name in pair if name]
    rows = study.config.sweep_values(row) if test.over else [row]
    stage: Any = "all" if _needs_whole_curves(test) else test.stage
    return [
        ask(study, Query(member, name, test.metric, test.run_pass, stage))
        for name in filter(None, pair)
        for member in rows
    ]


def _needs_whole_curves(test: ClaimTest) -> bool:
    """Return whether an entry of each curve, known beforehand, is not enough."""
    return test.of == "slope" or test.stage == "end" or test.until is not None


def compared_values(study: Study, test: ClaimTest, results: Sequence[QueryResult]) -> Vector:
    """Return the values to compare, of the realizations that all results have.

    They have shape (n_realizations, 1 or 2) and the unit of the metric. Raises NoValues.
    """
    _must_have_values(results)
    for result in results:
        for part in result.parts or (result,):
            if rounding_decides(study, part):
                raise NoValues(f"rounding decides the predictions of {part.query.algorithm}")
    behind = [record for result in results for record in result.records.values()]
    if mixture := mixed_machines(behind, test.metric):
        raise NoValues(mixture)
    shared = shared_realizations(results)
    if not shared:
        names = dict.fromkeys(result.query.algorithm for result in results)
        members = f" on all members of {test.over}" if test.over else ""
        raise NoValues(f"no realization has values of {' and '.join(names)}{members}")
    if not test.each:
        results = [linear(result.over(shared)) for result in results]
    counted = [_counted_entries(study, test, result) for result in results]
    sweep = study.config.sweep_values(test.over) if test.over else {}
    swept = [float(value) for value in sweep.values()]
    rows = []
    for number in shared:
        recorded = [result.values[number] for result in results]
        if test.stage is not None and _needs_whole_curves(test):
            curves = [
                curve[: int(ends.get(number) or len(curve))]
                for curve, ends in zip(recorded, counted, strict=True)
            ]
            # A shorter curve repeats its last value.
            end = len(curves[0]) if test.stage == "end" else test.stage
            recorded = [curve[min(end, len(curve)) - 1] for curve in curves]
        if test.of != "slope":
            _must_be_finite(number, results, recorded)
        compared = test.effect.values(recorded, swept)
        _must_be_finite(number, results, compared)
        rows.append([float(value) for value in compared])
    return np.array(rows) * test.effect.value_unit(test.metric).scale


def _counted_entries(study: Study, test: ClaimTest, result: QueryResult) -> Mapping[int, float]:
    """Return how many entries of an algorithm's curve count, by realization; 0: all."""
    if test.until is None:
        return {}
    return ask(study, replace(result.query, metric=test.until, stage=None)).values


def _must_have_values(results: Sequence[QueryResult]) -> None:
    """Raise NoValues if an algorithm has no values; name it unless all have the same reason."""
    missing = {one.query.algorithm: one.why for one in results if not one.values}
    if missing:
        names = {one.query.algorithm for one in results}
        name, why = next(iter(missing.items()))
        alike = len(names) > 1 and names == set(missing) and len(set(missing.values())) == 1
        raise NoValues(why if alike else f"{name}: {why}")


def _must_be_finite(number: int, results: Sequence[QueryResult], values: Sequence[Any]) -> None:
    for result, value in zip(results, values, strict=False):
        if not isinstance(value, int | float) or not np.isfinite(value):
            source = f"{result.query.algorithm}, realization {number}"
            raise NoValues(f"{source}: {result.query.metric} is not a finite number: {value!r}")


def left_out(results: Sequence[QueryResult]) -> Iterator[str]:
    """Yield for each algorithm how many realizations are left out because they have no value."""
    counts = Counter[str]()
    for result in results:
        counts[result.query.algorithm] += result.n_without
    for name, count in counts.items():
        if count:
            yield f"of {name}'s realizations {count} have no value and are left out"


@dataclass(frozen=True)
class PrintedEffect:
    """The effect of printed values, and the ends between which their rounding lets it lie.

    `varied` has its interval by the printed deviations; None if these do not say it.
    """

    value: float
    low: float
    high: float
    varied: Varied | None


def printed_effect(study: Study, test: ClaimTest, row: str, pair: Pair) -> PrintedEffect | None:
    """Return the effect of the printed values; None if not all are printed.

    The values are those of the first table that has them all, or else each is that of the first
    table that has it.
    """
    of = "timing" if test.run_pass == "timing" else "results"
    names = [name for name in pair if name is not None]
    by_table = [
        [_printed(study, test, table, row, name) for name in names]
        for table in study.config.tables
        if table.of == of and test.table in (None, table.id)
    ]
    values = next((values for values in by_table if None not in values), None) or [
        next(filter(None, of_name), None) for of_name in zip(*by_table, strict=True)
    ]
    found = [value for value in values if value is not None]
    known = [value for value, _ in found]
    if (test.of_curves and test.stage is None) or test.over or len(known) < len(names):
        return None
    # The effects are monotone in each value, so that the largest and the smallest are at corners.
    ends = [(value.value - value.half_unit, value.value + value.half_unit) for value in known]
    try:
        effect = test.effect.effects(np.array([[value.value for value in known]]))[0]
        corners = test.effect.effects(np.array(list(product(*ends))))
    except NoEffect:
        return None
    # Printed values are decimal fractions: 17.3 is exactly 1 more than 16.3.
    low, value, high = (
        round(float(number), DECIMALS) for number in (corners.min(), effect, corners.max())
    )
    return PrintedEffect(value, low, high, of_printed(test.effect, [each for _, each in found]))


def _printed(
    study: Study, test: ClaimTest, table: TableConfig, row: str, name: str
) -> tuple[Published, Sample] | None:
    """Return a printed value of an algorithm, also as the mean of runs; None if there is none."""
    if test.table is not None:
        column = table.column(name)
        place = (table.id, row, name)
        if place not in study.published:
            return None
        result, printed = result_of(study, table, row, column), study.published[place]
        return printed, printed_sample(study, table, column, result, printed)
    found = printed_in_column(study, table, row, name, test.metric, test.stage)
    if found is None:
        return None
    column, printed = found
    result = ask(study, Query(row, name, test.metric, test.run_pass))
    return printed, printed_sample(study, table, column, result, printed)
