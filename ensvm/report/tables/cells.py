"""From records to the cells of the paper's tables: ours beside published, unrounded, each with its verdict or reason."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import ttest_ind_from_stats

from ensvm.records.record import Identity, Record
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    PUBLISHED_COPY,
    read_records,
)
from ensvm.report.published import Published, read_published
from ensvm.report.verdict import Sample, Verdict, single_split_verdict, verdict
from ensvm.study.config import DATA_CELL, STAGED, TRAIN_ERROR, ColumnWords, StudyConfig, TableWords
from ensvm.study.reading import read_config

PERCENT_METRICS = ("error", "accuracy", TRAIN_ERROR, *STAGED)  # fractions in the records


SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class TableCell:
    """One cell of a table: our mean and spread (percent for errors), the printed number, and how they compare.

    `status` is `ok`, `incomplete` (some realizations failed), `failed`, `timeout`, `unavailable` or
    `missing`; whatever is not `ok` has its `reason`.
    """

    table: str
    row: str
    column: str
    mean: float | None = None
    std: float | None = None
    n: int = 0
    published: float | None = None
    published_std: float | None = None
    difference: float | None = None
    verdict: Verdict | None = None
    status: str = "missing"
    reason: str = ""


@dataclass(frozen=True)
class Study:
    """A study's folder: its config and printed numbers as they were at the last run, and its records."""

    folder: Path
    config: StudyConfig
    published: Mapping[tuple[str, str, str], Published]
    records: Mapping[Identity, Record]


def find_studies(results: Path) -> list[Path]:
    """Return the study folders with records: `results` itself, or those in it."""
    folders = (
        [results, *sorted(path for path in results.iterdir() if path.is_dir())]
        if results.is_dir()
        else []
    )
    return [
        folder
        for folder in folders
        if (folder / CELLS_FILE).is_file() and (folder / CONFIG_COPY).is_file()
    ]


def read_study(folder: Path) -> Study:
    """Read a study's folder as `ensvm run` left it."""
    config, _ = read_config(folder / CONFIG_COPY)
    printed = folder / PUBLISHED_COPY
    return Study(
        folder, config, read_published(printed) if printed.exists() else {}, read_records(folder)
    )


def build_table(study: Study, table: TableWords) -> list[TableCell]:
    """Return the cells of a table, row by row in the paper's order."""
    by_cell: dict[tuple[str, str], list[Record]] = defaultdict(list)
    # Seconds come from the timing pass alone and errors from the error pass alone: they are never
    # mixed.
    wanted = "timing" if table.of == "timing" else "error"
    for (dataset, _, algorithm, run_pass), record in sorted(study.records.items()):
        if run_pass == wanted:
            by_cell[dataset, algorithm].append(record)
    return [
        _cell(study, table, row, column, by_cell)
        for row in study.config.rows_of(table)
        for column in table.columns
    ]


def _cell(
    study: Study,
    table: TableWords,
    row: str,
    column: ColumnWords,
    by_cell: Mapping[tuple[str, str], list[Record]],
) -> TableCell:
    about_data = table.of == "data"
    metric = table.metric_of(column)
    records = of_one_settings(by_cell.get((row, DATA_CELL if about_data else column.of(table)), []))
    figures = [
        figure_of(record, metric, column.stage) for record in records if record.status == "ok"
    ]
    values = [
        figure
        for figure in figures
        if figure is not None and (table.of == "timing" or not _is_time(metric))
    ]
    printed = study.published.get((table.id, row, column.name))
    status, reason = _status(study, table, row, column, records, len(values), metric)
    cell = TableCell(table.id, row, column.name, status=status, reason=reason)
    if printed is not None:
        cell = replace(cell, published=printed.value, published_std=printed.std)
    if not values:
        return cell
    ours = _sample(values, 100.0 if metric in PERCENT_METRICS else 1.0)
    cell = replace(cell, mean=ours.mean, std=ours.std, n=ours.n)
    if printed is None or table.of == "timing":  # seconds of other machines have no verdict
        return cell
    found = _verdict(study, table, row, ours, printed, records, metric, table.margin_of(column))
    return replace(cell, difference=ours.mean - printed.value, verdict=found)


def figure_of(record: Record, metric: str, stage: int | None = None) -> Any:
    """Return a record's metric or seconds; with `stage` that entry of a curve, its last where it ended before; else None."""
    if stage is None:
        return {**record.metrics, **record.seconds}.get(metric)
    curve = record.curves.get(metric)
    return curve[min(stage, len(curve)) - 1] if curve else None


def of_one_settings(records: list[Record]) -> list[Record]:
    """Return the records that may stand behind one number: those with the settings of the newest."""
    if not records:
        return []
    newest = max(records, key=lambda record: (record.time, record.realization))
    return [record for record in records if record.settings_key == newest.settings_key]


def _sample(values: Iterable[float], scale: float) -> Sample:
    array = np.array(list(values), dtype=float) * scale
    return Sample(
        float(array.mean()), float(array.std(ddof=1)) if array.size > 1 else None, array.size
    )


def _status(
    study: Study,
    table: TableWords,
    row: str,
    column: ColumnWords,
    records: list[Record],
    n: int,
    metric: str,
) -> tuple[str, str]:
    troubles = [record for record in records if record.status != "ok"]
    if troubles:
        (status, reason), count = Counter(
            (record.status, record.reason) for record in troubles
        ).most_common(1)[0]
        if n:
            return (
                "incomplete",
                f"{len(troubles)} of {len(records)} realizations did not end well, most often ({count}): {reason}",
            )
        return status, reason
    if n:
        return "ok", ""
    if records:
        return "missing", f"the algorithm leaves no figure {metric!r}"
    entry = study.config.dataset(row)
    if entry.unavailable is not None:
        return "unavailable", entry.unavailable
    if table.of == "results":
        words = study.config.algorithms[column.of(table)]
        if words.unavailable is not None:
            return "unavailable", words.unavailable
        if column.of(table) not in study.config.algorithms_of(entry):
            return "missing", "not asked for by the config"
    return "missing", "not run yet"


def _verdict(
    study: Study,
    table: TableWords,
    row: str,
    ours: Sample,
    printed: Published,
    records: list[Record],
    metric: str,
    margin: float,
) -> Verdict:
    if table.of == "data":  # facts, not samples
        return "reproduced" if ours.mean == printed.value else "differs"
    if table.exact:
        return "reproduced" if abs(ours.mean - printed.value) <= margin else "differs"
    if ours.n == 1 and metric in ("error", "accuracy"):
        n_test = records[0].metrics["n_test"]
        return single_split_verdict(ours.mean / 100, printed.value / 100, n_test, margin / 100)
    planned = study.config.dataset(row).realizations or study.config.realizations
    return verdict(ours, Sample(printed.value, printed.std, planned), margin)


def _is_time(metric: str) -> bool:
    return metric.endswith("_seconds")


def best_of_row(table: TableWords, cells: list[TableCell]) -> set[str]:
    """Return the columns whose mean, as displayed, is the best of the row's columns with the same metric."""
    found: set[str] = set()
    means = {cell.column: cell.mean for cell in cells if cell.mean is not None}
    for metric in (
        {table.metric_of(column) for column in table.columns} if table.best != "none" else ()
    ):
        same = [column for column in table.columns if table.metric_of(column) == metric]
        shown = {
            column.name: round(means[column.name], table.decimals_of(column))
            for column in same
            if column.name in means
        }
        if shown and all(map(math.isfinite, shown.values())):
            top = (min if table.best == "min" else max)(shown.values())
            found |= {column for column, mean in shown.items() if mean == top}
    return found


def underlined(table: TableWords, cells: list[TableCell]) -> set[str]:
    """Return the columns that are significantly better than those `underline:` names with them (at 5 %, none equal)."""
    by_column = {cell.column: cell for cell in cells}
    return {
        column
        for column, others in table.underline.items()
        if all(
            _significantly_better(by_column[column], by_column[other], table.best)
            for other in others
        )
    }


def _significantly_better(better: TableCell, than: TableCell, best: str) -> bool:
    if better.std is None or than.std is None or better.mean is None or than.mean is None:
        return False
    if better.std == than.std == 0.0:
        return better.mean < than.mean if best == "min" else better.mean > than.mean
    side = "less" if best == "min" else "greater"
    test = ttest_ind_from_stats(
        better.mean,
        better.std,
        better.n,
        than.mean,
        than.std,
        than.n,
        equal_var=False,
        alternative=side,
    )
    return bool(test.pvalue < SIGNIFICANCE)
