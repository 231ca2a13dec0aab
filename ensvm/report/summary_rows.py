"""The rows of a table that sum up its columns: means, ranks, wins and distances from the best."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ensvm.errors import UserError
from ensvm.report.column_values import over_other_realizations, result_of
from ensvm.report.intervals import against_print, comparison
from ensvm.report.query import once, paired_values
from ensvm.report.randomness import for_each_realization
from ensvm.report.ranking import Selection, comparable, losses_of
from ensvm.report.statistical_tests import MeanEstimate
from ensvm.report.study_folder import Study
from ensvm.report.tables import TableCell, build_table, decimals_of, row_label
from ensvm.report.verdict import judge_estimate
from ensvm.study.metrics import PERCENT
from ensvm.study.printed import Published
from ensvm.study.table_layout import ColumnConfig, TableConfig
from ensvm.study.table_summary import COMPARING, SummaryConfig, outcomes_of, summary_mean

if TYPE_CHECKING:
    import pandas as pd

BASIS = "rows"  # what D of a mean over rows is computed from
NO_MEAN = "parameters have no mean over data sets"
DIGITS = 9  # rounding errors do not decide which value is the best


@dataclass(frozen=True)
class SummedCell:
    """A cell of a row that sums up a table, and what it is made of on each data set."""

    cell: TableCell
    by_row: Mapping[str, float] = field(default_factory=dict)


@once
def summed(study: Study, table: TableConfig) -> list[SummedCell]:
    """Return the cells of the rows that sum up a table; `n` is the number of rows behind each.

    If a cell is not over all rows, its reason says over which.
    """
    return [
        replace(one, cell=_printed(study, table, one.cell))
        for summary in table.summary
        for one in _cells(study, table, summary)
    ]


def summary_cells(study: Study, table: TableConfig) -> list[TableCell]:
    """Return the cells of the rows that sum up a table, without what they are made of."""
    return [one.cell for one in summed(study, table)]


def _printed(study: Study, table: TableConfig, cell: TableCell) -> TableCell:
    printed = study.published.get((table.id, cell.row, cell.column))
    if printed is None:
        return cell
    return replace(cell, published=printed.value, published_std=printed.std)


def _cells(study: Study, table: TableConfig, summary: SummaryConfig) -> list[SummedCell]:
    if summary.against is not None:
        return _of_wins(study, table, summary, table.column(summary.against))
    if summary.kind in COMPARING:
        return _of_comparison(study, table, summary)
    return _of_means(study, table, summary)


def _rows_with_values(
    study: Study, table: TableConfig, columns: Sequence[ColumnConfig]
) -> dict[str, list[float]]:
    """Return our values of some columns on each row on which all have a whole, finite one."""
    cells = {(cell.row, cell.column): cell for cell in build_table(study, table)}
    values = {}
    for row in study.config.rows_of(table):
        of_row = [cells[row, column.name] for column in columns]
        means = [cell.mean for cell in of_row if cell.mean is not None and not cell.is_partial]
        if len(means) == len(columns) and all(map(math.isfinite, means)):
            values[row] = means
    return values


def _over(study: Study, table: TableConfig, n: int, has: str = "a value") -> str:
    """Return over how many rows something is, which have something; empty if over all."""
    rows = len(study.config.rows_of(table))
    if n == rows:
        return ""
    if n == 0:
        return f"no row has {has} in all its columns"
    return f"over the {n} of {rows} rows on which all its columns have {has}"


def _unlike(study: Study, table: TableConfig, rows: Iterable[str], columns: Iterable[str]) -> str:
    """Return which means are over other realizations than their neighbours; empty if none is."""
    blocks = [table.column(name) for name in columns]
    lines = over_other_realizations(
        study,
        {
            row_label(study, row): {
                study.config.column_title(column): result_of(study, table, row, column)
                for column in blocks
            }
            for row in rows
        },
    )
    return f"of means over other realizations ({'; '.join(lines)})" if lines else ""


def _both(*reasons: str) -> str:
    return "; ".join(filter(None, reasons))


def _needed(study: Study, table: TableConfig) -> str:
    """Return what `_rows_with_values` needs: if runs are not finished, a value is not enough."""
    partial = any(cell.is_partial for cell in build_table(study, table))
    return "all realizations" if partial else "a value"


def _of_means(study: Study, table: TableConfig, summary: SummaryConfig) -> list[SummedCell]:
    """Return the mean of each column, over the rows on which all columns with values have one."""
    with_value = {cell.column for cell in build_table(study, table) if cell.mean is not None}
    columns = [
        column
        for column in table.columns
        if column.name in with_value and table.sums_up(summary, column)
    ]
    values = _rows_with_values(study, table, columns)
    cells, reason = [], _over(study, table, len(values), _needed(study, table))
    reason = _both(reason, _unlike(study, table, values, [column.name for column in columns]))
    for column in table.columns:
        why_not = "no values of the column" if table.sums_up(summary, column) else NO_MEAN
        why_not = "" if column.unavailable else why_not  # its own reason says it
        one = SummedCell(TableCell(table.id, summary.name, column.name, reason=why_not))
        if column in columns:
            at = columns.index(column)
            by_row = {row: means[at] for row, means in values.items()}
            cell = _mean(study, table, summary, column, by_row)
            one = SummedCell(replace(cell, reason=cell.reason or reason), by_row)
        cells.append(one)
    return cells


def _mean(
    study: Study,
    table: TableConfig,
    summary: SummaryConfig,
    column: ColumnConfig,
    values: dict[str, float],
) -> TableCell:
    """Return the mean of a column over some rows, compared with print if it is over all."""
    cell = TableCell(table.id, summary.name, column.name, n=len(values))
    if not values:
        return cell
    if summary.kind == "geometric-mean" and min(values.values()) <= 0.0:
        row = min(values, key=lambda name: values[name])
        reason = f"{column.name} is {values[row]:g} on {row}, and has no geometric mean"
        return replace(cell, reason=reason)
    mean, slopes = summary_mean(summary.kind, list(values.values()))
    cell = replace(cell, mean=mean, status="ok")
    printed = study.published.get((table.id, summary.name, column.name))
    is_whole = len(values) == len(study.config.rows_of(table))
    if printed is None or not is_whole or table.of != "results" or not table.judged:
        return cell
    estimates = [_estimate(study, table, row, column, value) for row, value in values.items()]
    known = [one for one in estimates if isinstance(one, MeanEstimate)]
    whole = _weighted(mean - printed.value, known, slopes) if len(known) == len(values) else None
    judged = judge_estimate(mean, whole, printed, table.margin_of(column).at(printed.value), BASIS)
    return replace(
        cell,
        difference=judged.value,
        difference_low=judged.low,
        difference_high=judged.high,
        interval_of=judged.basis,
        verdict=judged.verdict,
        why=judged.why,
    )


def _estimate(
    study: Study, table: TableConfig, row: str, column: ColumnConfig, value: float
) -> object:
    """Return the estimate of ours minus printed on a row; print's spread is taken to be ours."""
    result = result_of(study, table, row, column)
    printed = study.published.get((table.id, row, column.name), Published(value))
    return against_print(comparison(study, table, column, result, printed)).estimate


def _weighted(
    value: float, estimates: Sequence[MeanEstimate], slopes: Sequence[float]
) -> MeanEstimate:
    """Return a value that varies with independent ones, with Satterthwaite's degrees of freedom."""
    parts = [
        ((slope * one.error) ** 2, one.freedom)
        for one, slope in zip(estimates, slopes, strict=True)
    ]
    variance = sum(square for square, _ in parts)
    lost = sum(square**2 / freedom for square, freedom in parts)
    return MeanEstimate(value, math.sqrt(variance), variance**2 / lost if lost else math.inf)


def _of_comparison(study: Study, table: TableConfig, summary: SummaryConfig) -> list[SummedCell]:
    """Return means over the rows of what compares columns: those that `ensvm rank` compares."""
    blank = [TableCell(table.id, summary.name, column.name) for column in table.columns]
    rows = study.config.rows_of(table)
    try:
        selection, results = comparable(study, table, None, rows)
        if summary.realization is not None:
            results = _on_realization(study, results, summary.realization)
        by_row = PER_ROW[summary.kind](study, selection, results)
    except UserError as error:
        return [SummedCell(replace(cell, reason=str(error))) for cell in blank]
    reason, mean = _over(study, table, len(by_row)), by_row.mean()
    if summary.realization is None and summary.kind != "winner":  # these are over shared ones
        reason = _both(reason, _unlike(study, table, by_row.index, by_row.columns))
    # the spread over data sets of ranks is not printed
    has_spread = len(by_row) > 1 and summary.kind != "mean-rank"
    cells = []
    for cell in blank:
        if cell.column not in selection.labels:
            why_not = _why_not_ranked(table, cell.column, selection.metric)
            cells.append(SummedCell(replace(cell, reason=why_not)))
            continue
        of_column = by_row[cell.column]
        found = replace(
            cell,
            mean=float(mean[cell.column]),
            std=float(of_column.std()) if has_spread else None,
            n=len(by_row),
            status="ok",
            reason=reason,
        )
        cells.append(SummedCell(found, {str(row): float(of_column[row]) for row in by_row.index}))
    return cells


def _on_realization(study: Study, results: "pd.DataFrame", number: int) -> "pd.DataFrame":
    """Return the results of one realization, on the data sets on which all columns have it."""
    import pandas as pd

    def of_one(of_row: "pd.Series[Any]") -> "pd.Series[Any]":
        """Return the results on one data set; None for columns without the realization."""
        every = for_each_realization(study, list(of_row))
        return pd.Series(
            [
                replace(one, values={number: one.values[number]}) if number in one.values else None
                for one in every
            ],
            index=of_row.index,
        )

    found = results.apply(of_one, axis=1).dropna()
    if found.empty:
        raise UserError(f"no row has values of realization {number} in all its columns")
    return found


def _ranks(study: Study, selection: Selection, results: "pd.DataFrame") -> "pd.DataFrame":
    return losses_of(selection, results).rank(axis=1)


def _excess(study: Study, selection: Selection, results: "pd.DataFrame") -> "pd.DataFrame":
    """Return by how many percent each value is worse than the best of its row."""
    losses = losses_of(selection, results)
    best = losses.min(axis=1)
    if not best.all():
        row = row_label(study, str(best.index[best == 0.0][0]))
        raise UserError(f"the best value on {row} is 0, and no value is a share of it above")
    return (losses.sub(best, axis=0).div(best.abs(), axis=0)) * PERCENT.scale


def _shares_of_wins(study: Study, selection: Selection, results: "pd.DataFrame") -> "pd.DataFrame":
    """Return in how many percent of the realizations each value is the best; equal ones share."""
    import pandas as pd

    sign = 1.0 if selection.better == "min" else -1.0

    def shares(of_row: "pd.Series[Any]") -> "pd.Series[Any]":
        """Return the shares on one data set, over the realizations that all columns have."""
        values = paired_values(*for_each_realization(study, list(of_row)))
        if not len(values):
            row = row_label(study, str(of_row.name))
            raise UserError(f"no realization of {row} has values of all columns")
        losses = np.round(sign * values, DIGITS)
        wins = losses == losses.min(axis=1, keepdims=True)
        won = (wins / wins.sum(axis=1, keepdims=True)).mean(axis=0)
        return pd.Series(PERCENT.scale * won, index=of_row.index)

    return results.apply(shares, axis=1)


PER_ROW: "Mapping[str, Callable[[Study, Selection, pd.DataFrame], pd.DataFrame]]" = {
    "mean-rank": _ranks,
    "mean-excess": _excess,
    "winner": _shares_of_wins,
}
"""What rows that compare columns are means of: a frame of data sets and columns."""


def _why_not_ranked(table: TableConfig, column: str, metric: str) -> str:
    """Return why a column is not ranked; empty if its head or its own reason says it."""
    block = table.column(column)
    is_other = table.metric_of(block) != metric or block.unavailable is not None
    return "" if is_other else "not ranked"


def _of_wins(
    study: Study, table: TableConfig, summary: SummaryConfig, other: ColumnConfig
) -> list[SummedCell]:
    """Return on how many rows each column is better than another one, as good, and worse."""
    cells = []
    sign = -1.0 if table.best_of(other) == "max" else 1.0
    for column in table.columns:
        cell = TableCell(table.id, summary.name, column.name)
        if column.unavailable is not None or not table.sums_up(summary, column):
            cells.append(SummedCell(cell))
            continue
        values = _rows_with_values(study, table, [column, other])
        both = [_alike(study, table, [column, other], pair) for pair in values.values()]
        losses, others = ([sign * pair[at] for pair in both] for at in (0, 1))
        found = outcomes_of(losses, others)
        cell = replace(
            cell,
            mean=float(found.wins) if values else None,
            text=found.text if values else "",
            n=len(values),
            status="ok" if values else "missing",
            reason=_both(
                _over(study, table, len(values), _needed(study, table)),
                _unlike(study, table, values, dict.fromkeys([column.name, other.name])),
            ),
        )
        ahead = [float(np.sign(b - a)) for a, b in zip(losses, others, strict=True)]
        cells.append(SummedCell(cell, dict(zip(values, ahead, strict=True))))
    return cells


def _alike(
    study: Study, table: TableConfig, columns: Sequence[ColumnConfig], pair: Sequence[float]
) -> list[float]:
    """Return the values of two columns, rounded alike.

    More decimals of one of the two would make values differ that look alike.
    """
    decimals = min(map(partial(decimals_of, study, table), columns, pair))
    return [round(value, decimals) for value in pair]
