"""What a column of a table shows on a row: values of records, or computed from two columns."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from ensvm.array_types import Vector
from ensvm.counts import counted, of_all
from ensvm.name_lists import first_names
from ensvm.report.query import (
    Query,
    QueryResult,
    ask,
    infinite_values,
    once,
    shared_realizations,
)
from ensvm.report.randomness import complete, for_each_realization
from ensvm.report.study_folder import Study
from ensvm.study.metrics import DATA_CELL
from ensvm.study.passes import PASS_OF_TABLE, pass_of
from ensvm.study.relations import Effect, NoEffect
from ensvm.study.table_layout import ColumnConfig, TableConfig


@infinite_values()
def result_of(study: Study, table: TableConfig, row: str, column: ColumnConfig) -> QueryResult:
    """Return the values of a column on a row, or why there are none."""
    query = query_of(study, table, row, column)
    if column.effect is None:
        return ask(study, query)
    parts = [result_of(study, table, row, source) for source in table.sources_of(column)]
    return _computed(study, query, column.effect, parts)


def drawn_result(
    study: Study, table: TableConfig | None, row: str, name: str, metric: str
) -> QueryResult:
    """Return the values that a figure draws: of an algorithm, or a computed column of its table.

    The folds of an incomplete repetition are left out, as in tables.
    """
    if table is not None and name in table.computed:
        return complete(result_of(study, table, row, table.column(name)))
    return complete(ask(study, Query(row, name, metric, pass_of(metric))))


def linear(result: QueryResult) -> QueryResult:
    """Return a result with values whose mean is what is shown; a ratio is one of means."""
    if result.effect is None or not result.values:
        return result
    values = result.effect.linear(result.pairs).tolist()
    return replace(result, values=dict(zip(result.values, values, strict=True)))


def not_finite(*lists: Iterable[Any]) -> str:
    """Return how many of the values in some lists are NaN or infinite; empty if none is."""
    numbers = [value for values in lists for value in values if isinstance(value, int | float)]
    n_left = sum(not math.isfinite(value) for value in numbers)
    return f"no finite number: {of_all(n_left, len(numbers), 'value')}" if n_left else ""


def over_other_realizations(
    study: Study, rows: Mapping[str, Mapping[str, QueryResult]]
) -> list[str]:
    """Return a line for the data sets whose means are not all over the same realizations.

    `rows` are results by the label of the data set and that of the column. A value in which nothing
    varies counts for every realization.
    """
    rows_of = dict[str, list[str]]()
    for row, results in rows.items():
        if text := _numbers_of_realizations(study, results):
            rows_of.setdefault(text, []).append(row)
    return [f"{first_names(names)}: {text}" for text, names in rows_of.items()]


def _numbers_of_realizations(study: Study, results: Mapping[str, QueryResult]) -> str:
    """Return over how many realizations columns are; "" if all are over the same ones."""
    with_values = {label: result for label, result in results.items() if result.values}
    every = for_each_realization(study, list(with_values.values()))
    if len({frozenset(result.values) for result in every}) < 2:
        return ""
    counts = [len(result.values) for result in with_values.values()]
    usual = max(counts, key=lambda n: (counts.count(n), n))
    others = [
        f"{label} over {counted(n, 'realization')}"
        for label, n in zip(with_values, counts, strict=True)
        if n != usual
    ]
    if not others:
        return f"each over {counted(usual, 'realization')}, which are not the same"
    return f"{', '.join(others)}, and the others over {usual:,}"


def query_of(study: Study, table: TableConfig, row: str, column: ColumnConfig) -> Query:
    """Return what a cell of a table asks of its study.

    For a column that is computed from two others it only names the values: `result_of` finds them.
    """
    return Query(
        row,
        DATA_CELL if table.of == "data" else column.of(table),
        table.metric_of(column),
        PASS_OF_TABLE[table.of],
        column.stage,
        shown_machine(study, table) if table.of == "timing" else "",
        column.unavailable,
    )


@once
def shown_machine(study: Study, table: TableConfig) -> str:
    """Return the machine whose seconds a table shows; empty if nothing was timed.

    It is the machine of most values, and of these the one that timed last.
    """
    n_values, last = Counter[str](), dict[str, str]()
    for row, algorithm in product(study.config.rows_of(table), sorted(table.shown_algorithms)):
        timed = study.by_cell.get((row, algorithm, "timing"), [])
        hosts = {one.conditions.host: one.time for one in timed if one.ok and one.conditions}
        n_values.update(hosts.keys())
        last |= {host: max(time, last.get(host, "")) for host, time in hosts.items()}
    return max(n_values, key=lambda host: (n_values[host], last[host]), default="")


def _computed(study: Study, query: Query, effect: Effect, parts: list[QueryResult]) -> QueryResult:
    """Return the effect of two results in the realizations that both have.

    A realization in which a ratio is not defined has the value nan; the ratio of the means may be
    defined all the same.
    """
    for part in parts:
        if not part.values:
            reason = f"{part.query.algorithm}: {part.reason}"
            return QueryResult(query, {}, part.status, reason)
    # the effect of a ratio is that of the second value to the first
    ordered = parts[::-1] if effect.is_ratio else parts
    if query.run_pass == "error":
        ordered = for_each_realization(study, ordered)
    shared = shared_realizations(ordered)
    if not shared:
        names = " and ".join(part.query.algorithm for part in parts)
        return QueryResult(query, {}, "missing", f"no realization has values of {names}")
    reasons = [f"{part.query.algorithm}: {part.reason}" for part in parts if part.is_partial]
    n = len({number for part in ordered for number in part.values})
    if len(shared) < n and not reasons:
        reasons = [f"{n - len(shared)} of {n} realizations do not have the values of both columns"]
    why = "; ".join(reasons)
    result = QueryResult(
        query,
        dict.fromkeys(shared, 0.0),
        "incomplete" if reasons else "ok",
        why,
        max(part.n_without for part in parts),
        {number: ordered[0].records[number] for number in shared},
        effect,
        tuple(ordered),
        why,
    )
    try:
        effect.of_means(result.pairs)
    except NoEffect as reason:
        return QueryResult(query, {}, "missing", f"{query.metric} is {reason}")
    values = map(_effect_or_nan, [effect] * len(shared), result.pairs)
    return replace(result, values=dict(zip(shared, values, strict=True)))


def _effect_or_nan(effect: Effect, pair: Vector) -> float:
    try:
        return float(effect.effects(pair[None, :])[0])
    except NoEffect:
        return math.nan
