"""The evidence of one cell of a table: its values, parameters, conditions and warnings."""

import math
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ensvm.counts import counted
from ensvm.records.record import Record
from ensvm.records.runs import commits_of, days_of, processors_of, runs_of
from ensvm.report.column_values import query_of, result_of
from ensvm.report.documents.document import number_text, one_line
from ensvm.report.documents.table_notes import notes_about
from ensvm.report.interval_texts import interval_formula
from ensvm.report.intervals import comparison, drawn_results, what_is_drawn
from ensvm.report.query import QueryResult, infinite_values
from ensvm.report.randomness import each_of
from ensvm.report.study_folder import Study
from ensvm.report.tables import TableCell, cell_of, row_label
from ensvm.report.verdict import what_decides
from ensvm.study.metrics import DATA_CELL, PARAMETER, PERCENT
from ensvm.study.passes import ValueOf
from ensvm.study.printed import Published
from ensvm.study.printed_means import SPREADS
from ensvm.study.signs import CHOSEN_SIGN, Verdict, Why
from ensvm.study.table_layout import ColumnConfig, TableConfig

NUMBER = re.compile(r"((?<!\w)-?(?:\d[\d.]*(?:e[+-]?\d+)?|nan\b|inf\b))")
DIFFERENT = "…"
# Where D lies, for each verdict; and why a verdict cannot be given.
WHERE: dict[Verdict, str] = {
    "within the margin": "lies within ±{margin:.2g}",
    "close": "lies within three margins of ±{margin:.2g}",
    "differs": "lies outside ±{margin:.2g}",
}
WHY: dict[Why, str] = {
    "wide": "reaches beyond three margins of ±{margin:.2g}",
    "guess": "says little, because predicting the largest class does as well",
    "rounding": "says little, because rounding decides this value",
    "protocol": "says little, because the paper is believed to have run the row in another way",
}
MOST_TEXTS = 5  # how many warnings, and reasons of failures, are listed: the commonest


@dataclass(frozen=True)
class Evidence:
    """The evidence of one cell of a table.

    `sentence` says how the cell came out. `compared` has the metric, our value, the printed one and
    the verdict, or the reason why values are missing; `facts` adds how and where the values were
    made. `readings` has the id and the question of each reading that varies the value, if print has
    it. `values` are those of `each` realization or data set; they, `cell` and `margin` are in the
    `unit`. `warnings` and `failures` are the texts of the records, each with how often it occurred;
    `traceback` is that of the first failure that left one.
    """

    title: str
    sentence: str
    compared: Mapping[str, str]
    facts: Mapping[str, str]
    values: tuple[float, ...]
    unit: str
    cell: TableCell
    margin: float
    warnings: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    traceback: str = ""
    each: str = "realization"
    readings: Mapping[str, str] = field(default_factory=dict)


@infinite_values()
def evidence_of(study: Study, table: TableConfig, cell: TableCell) -> Evidence:
    """Return the evidence of a cell."""
    column = table.column(cell.column)
    result = result_of(study, table, cell.row, column)
    query, records = result.query, result.all_records
    algorithms = _algorithms(study, table, cell.row, column)
    bad = [
        record
        for name in algorithms
        for record in study.by_cell.get((cell.row, name, query.run_pass), [])
        if not record.ok
    ]
    stage = f", stage {query.stage}" if query.stage else ""
    drawn = drawn_results(study, table, column, result) or []
    of_draws = _mean_of_draws(len(drawn), column, result) if len(drawn) > 1 else ""
    compared = {"metric": f"{query.metric}{stage}", **_compared(cell, result, of_draws)}
    printed = study.published.get((table.id, cell.row, cell.column))
    margin = 0.0
    if printed is not None:
        # as the verdict takes it
        margin = max(table.margin_of(column).at(printed.value), printed.half_unit)
        compared |= _about_interval(study, table, cell, result, printed, margin)
    if notes := notes_about(study, table, cell.row, cell.column):
        compared["notes"] = " ".join(notes)
    label = study.config.column_title(column)
    return Evidence(
        title=f"Table {table.id}: {row_label(study, cell.row)}, {label}",
        sentence=sentence(cell, result.unit.name, margin, each_of(result)),
        compared=compared,
        facts={
            "data set": cell.row,
            **({} if DATA_CELL in algorithms else {"algorithm": ", ".join(algorithms)}),
            **compared,
            **behind(records or bad),
            "run this cell anew": command_of(study, cell.row, *algorithms),
        },
        readings={
            reading.id: one_line(reading.question)
            for reading in study.config.readings
            if printed and reading.varies(table, cell.row, column, study.config.rows_of(table))
        },
        values=() if table.of == "data" else _values(drawn if len(drawn) > 1 else [result]),
        unit=result.unit.name,
        cell=cell,
        margin=margin,
        warnings=with_counts(text for record in records for text in record.warnings),
        failures=with_counts(record.reason for record in bad),
        traceback=next((record.traceback for record in bad if record.traceback), ""),
    )


def _about_interval(
    study: Study,
    table: TableConfig,
    cell: TableCell,
    result: QueryResult,
    printed: Published,
    margin: float,
) -> dict[str, str]:
    """Return what the interval D of a value is computed from, and what would narrow a wide one."""
    column = table.column(cell.column)
    if not cell.interval_of:
        return {}
    if result.query.metric.startswith(PARAMETER):
        return {"D is computed from": cell.interval_of}
    interval = comparison(study, table, column, result, printed)
    texts = {"D is computed from": interval_formula(interval)}
    if cell.why == "wide" and column.effect is None:
        texts["to decide"] = what_decides(interval, margin)
    return texts


def _values(results: Iterable[QueryResult]) -> tuple[float, ...]:
    return tuple(value for one in results for value in one.shown().tolist())


def _mean_of_draws(n: int, column: ColumnConfig, result: QueryResult) -> str:
    """Return that a value is a mean over draws, and what other reports take in its place."""
    single = f"{number_text(result.shown().mean(), 5)} {result.unit.name}".strip()
    draws, taken = f"mean over {n} draws of {what_is_drawn(column)}", "one draw"
    if column.draws is not None:
        draws, taken = f"{draws}, {column.draws}", result.query.algorithm
    return f"{draws}; claims, ranks and figures take {taken}: {single}"


def evidence_in_tables(study: Study, row: str, algorithm: str) -> Iterator[Evidence]:
    """Yield the evidence of every cell of the tables that shows an algorithm on a data set."""
    for table in study.config.tables:
        for column in table.columns:
            is_shown = algorithm in _algorithms(study, table, row, column)
            if row in study.config.rows_of(table) and is_shown:
                cell = cell_of(study, table, row, column, result_of(study, table, row, column))
                yield evidence_of(study, table, cell)


def behind(records: Iterable[Record]) -> dict[str, str]:
    """Return how and where the values of some records were made, as names and texts."""
    records = list(records)
    facts = _method(records) | _conditions(records)
    return {name: text for name, text in facts.items() if text}


def _algorithms(study: Study, table: TableConfig, row: str, column: ColumnConfig) -> list[str]:
    """Return the algorithms whose records are behind a value of a column."""
    sources = table.sources_of(column)
    return [query_of(study, table, row, source).algorithm for source in sources]


def command_of(study: Study, row: str, *algorithms: str, realization: int | None = None) -> str:
    """Return the shell command that reruns the cells of a value, in a folder of its own.

    `realization` is None for all realizations.
    """
    parts = ["ensvm", "run", study.config_to_run, "--datasets", row]
    for name in algorithms:
        parts += ["--algorithms", name] if name != DATA_CELL else []
    if realization is not None:
        parts += ["--realizations", f"{realization}-{realization}"]
    return shlex.join([*parts, "--results", "again"])


def with_counts(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct texts, the commonest first, each with its count.

    Of many texts, the last line says how many more there are.
    """
    counts = Counter(text for text in texts if text)
    lines = [f"{count} × {text}" for text, count in counts.most_common(MOST_TEXTS)]
    n_more = len(counts) - len(lines)
    return (*lines, f"and {counted(n_more, 'other')}") if n_more else tuple(lines)


def sentence(cell: TableCell, unit: str, margin: float, each: str) -> str:
    """Return how a cell came out, as a sentence of two or three parts; `each` has a value."""
    after = f" {unit}" if unit else ""
    if cell.mean is None:
        return f"No value of ours ({cell.status}): {cell.reason}."
    if cell.published is None or cell.difference is None:
        value = cell.text or f"{number_text(cell.mean, 4)}{after}"
        ours = f"Ours {value} over {counted(cell.n, each)}"
        if cell.published is None:
            return f"{ours}; the paper prints no value."
        return f"{ours}; the paper prints {cell.published:g}{after}, which is not judged."
    # A sum of decimals may miss the printed one by its last bit.
    away = 0.0 if math.isclose(cell.mean, cell.published) else abs(cell.difference)
    text = f"Ours {number_text(cell.mean, 4)}{after}, printed {cell.published:g}{after}"
    points = f"{number_text(away, 2)}{' points' if unit == PERCENT.name else after}"
    text += f": {points} {'more' if cell.difference > 0.0 else 'less'}" if away else ": the same"
    if cell.verdict is None:
        return f"{text}."
    low, high = cell.difference_low, cell.difference_high
    if low is None or high is None:
        return f"{text}: {cell.verdict}."
    where = (WHY[cell.why] if cell.why else WHERE[cell.verdict]).format(margin=margin)
    ends = f"{number_text(low, 2)} to {number_text(high, 2)}"
    interval = f"D, the 95 % interval of the difference ({ends}),"
    return f"{text}; {interval} {where}: {cell.verdict}."


def _compared(cell: TableCell, result: QueryResult, of_draws: str) -> dict[str, str]:
    """Return our value, the printed one and the verdict, or why there are no values, as texts."""
    unit = result.unit.name
    after = f" {unit}" if unit else ""
    facts = {}
    if cell.mean is not None:
        kind = "" if cell.spread == "sd" else f" ({SPREADS[cell.spread]})"
        std = math.nan if cell.std is None else cell.std
        spread = "" if math.isnan(std) else f" ± {number_text(std, 4)}{kind}"
        if cell.low is not None and cell.high is not None:
            ends = f"{number_text(cell.low, 4)} to {number_text(cell.high, 4)}"
            spread += f", 95 % interval {ends},"
        over = counted(cell.n, each_of(result))
        facts["ours"] = f"{number_text(cell.mean, 5)}{spread}{after} over {over}"
        if of_draws:
            facts["draws"] = of_draws
    if cell.std_orders is not None:
        facts["spread over orders"] = f"{cell.std_orders:.4g}{after} over {cell.orders} orders"
    if cell.published is not None:
        spread = "" if cell.published_std is None else f" ± {cell.published_std:g}"
        facts["printed"] = f"{cell.published:g}{spread}{after}"
    if cell.largest_class is not None:
        facts["the largest class"] = f"{number_text(cell.largest_class, 5)}{after}"
    if cell.difference is not None:
        low, high = cell.difference_low, cell.difference_high
        interval = ""
        if low is not None and high is not None:
            interval = f", 95 % interval {number_text(low, 3)} to {number_text(high, 3)}"
        facts["ours − printed"] = f"{number_text(cell.difference, 3)}{interval}"
    if cell.verdict is not None:
        facts["verdict"] = " ".join(
            filter(None, (cell.verdict, cell.why, CHOSEN_SIGN * cell.chosen))
        )
    if cell.status != "ok":
        facts["state"] = f"{cell.status}: {cell.reason}"
    return facts


def _method(records: list[Record]) -> dict[str, str]:
    """Return the estimator and its parameters, those of the first record."""
    method = records[0].settings.method if records else None
    if method is None:
        return {}
    return {
        "estimator": str(method.estimator),
        "wrapped": method.wrapped or "",
        "parameters": _assignments(method.params),
        "grid": _assignments(method.grid),
        "stage": "" if method.stage == "last" else method.stage,
        "orders of the rows": str(method.orders) if method.orders > 1 else "",
    }


def _assignments(values: Mapping[str, Any] | None) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in (values or {}).items())


def _conditions(records: list[Record]) -> dict[str, str]:
    """Return when, where and with what the values were made."""
    runs = runs_of(records).values()
    fits = [record.seconds["fit_seconds"] for record in records if "fit_seconds" in record.seconds]
    timed = sorted({record.conditions.host for record in records if record.conditions})
    return {
        "seconds of a fit": f"{np.median(fits):.3g} (median)" if fits else "",
        "run on": days_of(records),
        "commit": commits_of(runs),
        "processor": ", ".join(processors_of(runs)),
        "machine": ", ".join(timed or sorted({run.host for run in runs} - {""})),
    }


@dataclass(frozen=True)
class CellWarning:
    """One warning, and the cells that gave it.

    `text` has `…` for numbers in which the cells differ; `cells` counts by data set, algorithm and
    pass how many cells gave it.
    """

    text: str
    cells: dict[ValueOf, int]


def n_warned(study: Study) -> int:
    """Return how many cells of a study gave a warning."""
    return sum(bool(record.warnings) for record in study.records.values())


def warnings_of(study: Study) -> list[CellWarning]:
    """Return the warnings of a study's cells, the commonest first."""
    texts: dict[str, set[str]] = defaultdict(set)
    cells: dict[str, Counter[ValueOf]] = defaultdict(Counter)
    for value_of, records in study.by_cell.items():
        for record in records:
            kinds = [NUMBER.sub(DIFFERENT, text) for text in record.warnings]
            for kind, text in zip(kinds, record.warnings, strict=True):
                texts[kind].add(text)
            for kind in set(kinds):
                cells[kind][value_of] += 1
    warnings = [CellWarning(_common(texts[kind]), dict(cells[kind])) for kind in texts]
    return sorted(warnings, key=lambda one: (-sum(one.cells.values()), one.text))


def _common(texts: set[str]) -> str:
    """Return the common text of warnings that differ only in numbers."""
    parts = zip(*(NUMBER.split(text) for text in texts), strict=True)
    return "".join(part[0] if len(set(part)) == 1 else DIFFERENT for part in parts)
