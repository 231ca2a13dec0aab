"""The rows of a table that sum up its columns: means, average ranks, wins against a column."""

import math
from collections.abc import Sequence
from dataclasses import replace

from ensvm.errors import UserError
from ensvm.report.column_values import answer_of
from ensvm.report.intervals import against_print, comparison
from ensvm.report.query import once
from ensvm.report.ranking import ranks_over_data_sets
from ensvm.report.statistical_tests import MeanEstimate
from ensvm.report.study_folder import Study
from ensvm.report.tables import TableCell, build_table, decimals_of
from ensvm.report.verdict import judge_estimate
from ensvm.study.printed import Published
from ensvm.study.table_layout import ColumnConfig, TableConfig
from ensvm.study.table_summary import SummaryConfig, mean_of, outcomes_of

BASIS = "rows"  # what D of a mean over rows is computed from


@once
def summary_cells(study: Study, table: TableConfig) -> list[TableCell]:
    """Return the cells of the rows that sum up a table; `n` is the number of rows behind each.

    If a cell is not over all rows, its reason says over which.
    """
    return [
        _printed(study, table, cell)
        for summary in table.summary
        for cell in _cells(study, table, summary)
    ]


def summary_label(study: Study, table: TableConfig, summary: SummaryConfig) -> str:
    """Return the label of a row that sums up a table."""
    if summary.label is not None:
        return summary.label
    if summary.against is None:
        return summary.kind.replace("-", " ")
    other = study.config.column_label(table.column(summary.against))
    return f"wins/ties/losses against {other}"


def _printed(study: Study, table: TableConfig, cell: TableCell) -> TableCell:
    printed = study.published.get((table.id, cell.row, cell.column))
    return cell if printed is None else replace(cell, published=printed.value)


def _cells(study: Study, table: TableConfig, summary: SummaryConfig) -> list[TableCell]:
    if summary.kind == "mean-rank":
        return _of_ranks(study, table, summary)
    if summary.against is not None:
        return _of_wins(study, table, summary, table.column(summary.against))
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


def _needed(study: Study, table: TableConfig) -> str:
    """Return what `_rows_with_values` needs: if runs are not finished, a value is not enough."""
    partial = any(cell.is_partial for cell in build_table(study, table))
    return "all realizations" if partial else "a value"


def _of_means(study: Study, table: TableConfig, summary: SummaryConfig) -> list[TableCell]:
    """Return the mean of each column, over the rows on which all columns with values have one."""
    with_value = {cell.column for cell in build_table(study, table) if cell.mean is not None}
    columns = [column for column in table.columns if column.name in with_value]
    values = _rows_with_values(study, table, columns)
    reason, cells = _over(study, table, len(values), _needed(study, table)), []
    for column in table.columns:
        cell = TableCell(table.id, summary.name, column.name, reason="no values of the column")
        if column in columns:
            of_column = [means[columns.index(column)] for means in values.values()]
            cell = _mean(study, table, summary, column, dict(zip(values, of_column, strict=True)))
            cell = replace(cell, reason=cell.reason or reason)
        cells.append(cell)
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
    mean, slopes = mean_of(summary.kind, list(values.values()))
    cell = replace(cell, mean=mean, status="ok")
    printed = study.published.get((table.id, summary.name, column.name))
    is_whole = len(values) == len(study.config.rows_of(table))
    if printed is None or not is_whole or table.of != "results" or not table.judged:
        return cell
    estimates = [_estimate(study, table, row, column, value) for row, value in values.items()]
    known = [one for one in estimates if isinstance(one, MeanEstimate)]
    whole = _weighted(mean - printed.value, known, slopes) if len(known) == len(values) else None
    judged = judge_estimate(mean, whole, printed, table.margin_of(column, printed.value), BASIS)
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
    answer = answer_of(study, table, row, column)
    printed = study.published.get((table.id, row, column.name), Published(value))
    return against_print(comparison(study, table, column, answer, printed)).estimate


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


def _of_ranks(study: Study, table: TableConfig, summary: SummaryConfig) -> list[TableCell]:
    """Return the average ranks that `ensvm rank` computes."""
    blank = [TableCell(table.id, summary.name, column.name) for column in table.columns]
    try:
        selection, ranks = ranks_over_data_sets(study, table)
    except UserError as error:
        return [replace(cell, reason=str(error)) for cell in blank]
    reason, average = _over(study, table, len(ranks)), ranks.mean()
    return [
        replace(cell, mean=float(average[cell.column]), n=len(ranks), status="ok", reason=reason)
        if cell.column in selection.labels
        else replace(cell, reason=_why_not_ranked(table, cell.column, selection.metric))
        for cell in blank
    ]


def _why_not_ranked(table: TableConfig, column: str, metric: str) -> str:
    """Return why a column is not ranked; empty if it shows another metric, as its head says."""
    return "not ranked" if table.metric_of(table.column(column)) == metric else ""


def _of_wins(
    study: Study, table: TableConfig, summary: SummaryConfig, other: ColumnConfig
) -> list[TableCell]:
    """Return on how many rows each column is better than another one, as good, and worse."""
    cells = []
    sign = -1.0 if table.best_of(other) == "max" else 1.0
    for column in table.columns:
        cell = TableCell(table.id, summary.name, column.name)
        if not table.sums_up(summary, column):
            cells.append(cell)
            continue
        values = _rows_with_values(study, table, [column, other])
        # more decimals of one of the two would make values differ that look alike
        decimals = min(decimals_of(study, table, one) for one in (column, other))
        losses, others = (
            [round(sign * pair[at], decimals) for pair in values.values()] for at in (0, 1)
        )
        found = outcomes_of(losses, others)
        cells.append(
            replace(
                cell,
                mean=float(found.wins) if values else None,
                text=found.text if values else "",
                n=len(values),
                status="ok" if values else "missing",
                reason=_over(study, table, len(values), _needed(study, table)),
            )
        )
    return cells
