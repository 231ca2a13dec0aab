"""From records to the cells of tables: ours beside published, each with verdict or reason."""

import math
from dataclasses import dataclass, replace

from scipy.stats import ttest_ind_from_stats

from ensvm.report.query import Answer, Question, Study, ask
from ensvm.report.verdict import Sample, Verdict, single_split_verdict, verdict
from ensvm.study.metrics import DATA_CELL
from ensvm.study.table import ColumnConfig, Published, TableConfig

SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class TableCell:
    """One cell of a table: our mean and spread, the printed number, and how they compare.

    `status` is that of the study's answer; whatever is not `ok` has its `reason`.
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


def build_table(study: Study, table: TableConfig) -> list[TableCell]:
    """Return the cells of a table, row by row in the paper's order."""
    return [
        _cell(study, table, row, column)
        for row in study.config.rows_of(table)
        for column in table.columns
    ]


def question_of(table: TableConfig, row: str, column: ColumnConfig) -> Question:
    """Return what a cell of a table asks of its study."""
    return Question(
        row,
        DATA_CELL if table.of == "data" else column.of(table),
        table.metric_of(column),
        "timing" if table.of == "timing" else "error",
        column.stage,
    )


def _cell(study: Study, table: TableConfig, row: str, column: ColumnConfig) -> TableCell:
    answer = ask(study, question_of(table, row, column))
    printed = study.published.get((table.id, row, column.name))
    cell = TableCell(table.id, row, column.name, status=answer.status, reason=answer.reason)
    if printed is not None:
        cell = replace(cell, published=printed.value, published_std=printed.std)
    if not answer.values:
        return cell
    values = answer.shown()
    std = float(values.std(ddof=1)) if values.size > 1 else None
    ours = Sample(float(values.mean()), std, values.size)
    cell = replace(cell, mean=ours.mean, std=ours.std, n=ours.n)
    if printed is None or table.of == "timing":  # seconds of other machines have no verdict
        return cell
    found = _verdict(study, table, cell, ours, printed, column, answer)
    return replace(cell, difference=ours.mean - printed.value, verdict=found)


def _verdict(
    study: Study,
    table: TableConfig,
    cell: TableCell,
    ours: Sample,
    printed: Published,
    column: ColumnConfig,
    answer: Answer,
) -> Verdict:
    margin = table.margin_of(column)
    if table.of == "data":  # facts, not samples
        return "reproduced" if ours.mean == printed.value else "differs"
    if table.exact:
        return "reproduced" if abs(ours.mean - printed.value) <= margin else "differs"
    if ours.n == 1 and table.metric_of(column) in ("error", "accuracy"):
        [record] = answer.records.values()
        n_test = record.metrics["n_test"]
        return single_split_verdict(ours.mean / 100, printed.value / 100, n_test, margin / 100)
    planned = study.config.dataset(cell.row).realizations or study.config.realizations
    return verdict(ours, Sample(printed.value, printed.std, planned), margin)


def best_of_row(table: TableConfig, cells: list[TableCell]) -> set[str]:
    """Return the columns whose displayed mean is the best of those with the same metric."""
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


def underlined(table: TableConfig, cells: list[TableCell]) -> set[str]:
    """Return the columns significantly better than all that `underline:` names with them."""
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
