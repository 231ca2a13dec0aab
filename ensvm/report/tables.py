"""The cells of tables: our value beside the printed one, each with a verdict or a reason."""

import csv
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ensvm.counts import of_all
from ensvm.report.column_values import result_of
from ensvm.report.intervals import (
    difference_on_new_rows,
    of_two_columns,
    spread_shown,
    value_shown,
)
from ensvm.report.query import (
    Query,
    QueryResult,
    ask,
    infinite_values,
    once,
    shared_realizations,
)
from ensvm.report.randomness import complete, for_each_realization
from ensvm.report.statistical_tests import CONFIDENCE, chance_below, interval_of
from ensvm.report.study_folder import Study
from ensvm.report.verdict import deviation
from ensvm.study.config import StudyConfig
from ensvm.study.metrics import PERCENT, RATES, SECONDS, Direction, compares_labels, unit_of
from ensvm.study.printed import Published
from ensvm.study.printed_means import Spread
from ensvm.study.signs import Verdict, Why
from ensvm.study.sweeps import label_of
from ensvm.study.table_layout import ColumnConfig, TableConfig


@dataclass(frozen=True)
class TableCell:
    """One cell of a table: our mean and spread, the printed number, and how they compare.

    `std` is None for a single realization. If each realization was computed over several `orders`
    of the training rows, `std_orders` is the standard deviation over the orders of one realization.
    `low` and `high` are the ends of the interval of a value that is computed from two columns.
    `difference` is ours minus printed, `difference_low` and `difference_high` are its interval D,
    and `interval_of` names what D is computed from. `why` is the reason of a verdict that cannot be
    given, in one word; `chosen` says that a setting was chosen on the printed value.
    `largest_class` is the value of predicting the largest class, if the table names an algorithm
    that does so. `spread` says what `std` and `published_std` are. `warned` is the number of
    realizations that warned. `status` is that of the study's result; if it is not `ok`, `reason`
    explains it. `text` stands in place of a number, such as wins, ties and losses.
    """

    table: str
    row: str
    column: str
    mean: float | None = None
    std: float | None = None
    n: int = 0
    orders: int = 1
    std_orders: float | None = None
    low: float | None = None
    high: float | None = None
    published: float | None = None
    published_std: float | None = None
    spread: Spread = "sd"
    difference: float | None = None
    difference_low: float | None = None
    difference_high: float | None = None
    interval_of: str = ""
    verdict: Verdict | None = None
    why: Why = ""
    chosen: bool = False
    largest_class: float | None = None
    warned: int = 0
    status: str = "missing"
    reason: str = ""
    text: str = ""

    @property
    def is_partial(self) -> bool:
        """Whether it is a mean over fewer realizations than asked for."""
        return self.mean is not None and self.status == "incomplete"

    @property
    def key(self) -> str:
        """What names the cell on the page of its study."""
        return f"{self.table}/{self.row}/{self.column}"


@once
def build_table(study: Study, table: TableConfig) -> list[TableCell]:
    """Return the cells of a table, row by row in the paper's order."""
    return [
        cell_of(study, table, row, column, result_of(study, table, row, column))
        for row in study.config.rows_of(table)
        for column in table.columns
    ]


def counted_tables(study: Study, of: str) -> list[TableConfig]:
    """Return the paper's tables of a kind, in which each printed value stands once.

    Other tables may show printed values once more, beside values that were run in another way.
    """
    return [table for table in study.config.tables if table.of == of and table.of_paper]


def tables_on_page(config: StudyConfig) -> list[TableConfig]:
    """Return the tables in the order of a study's page: facts about the data stand last."""
    return sorted(config.tables, key=lambda table: table.of == "data")


def decimals_of(
    study: Study, table: TableConfig, column: ColumnConfig, value: float | None = None
) -> int:
    """Return how many decimals a column shows of a value of ours, beside its printed values."""
    return table.decimals_of(column, value, _printed_decimals(study, table).get(column.name, 0))


def as_shown(study: Study, table: TableConfig, column: ColumnConfig, value: float) -> float:
    """Return a value of ours rounded as its column shows it."""
    return round(value, decimals_of(study, table, column, value))


@once
def _printed_decimals(study: Study, table: TableConfig) -> dict[str, int]:
    """Return the most decimals of the printed values of each column."""
    most: dict[str, int] = {}
    for (table_id, row, column), printed in study.published.items():
        is_of_row = row not in {summary.name for summary in table.summary}
        if table_id == table.id and printed.half_unit > 0 and is_of_row:
            decimals = round(-math.log10(2 * printed.half_unit))
            most[column] = max(most.get(column, 0), decimals)
    return most


@infinite_values()
def cell_of(
    study: Study, table: TableConfig, row: str, column: ColumnConfig, result: QueryResult
) -> TableCell:
    """Return a cell of a table: the values of a result, compared with its printed value.

    The result may be that of the cell's query, a part of it, or the result under another
    reading of the paper.
    """
    printed = study.published.get((table.id, row, column.name))
    cell = TableCell(table.id, row, column.name, status=result.status, reason=result.reason)
    if printed is not None:
        cell = replace(cell, published=printed.value, published_std=printed.std)
    if not result.values:
        return cell
    # Our own value, whatever the paper prints.
    ours = value_shown(study, table, column, result)
    if math.isnan(ours.mean):
        return replace(cell, status="missing", reason=_why_no_number(result))
    spread = study.config.mean_of_print(table, column, row).spread
    std = spread_shown(ours, result, spread)
    guess = _of_largest_class(study, table, row, result.query)
    cell = replace(
        cell,
        mean=ours.mean,
        std=std,
        spread=spread,
        n=ours.n,
        warned=result.n_warned,
        largest_class=guess,
    )
    orders = result.by_order()
    if orders is not None:
        within = float(np.sqrt(orders.var(axis=1, ddof=1).mean()))
        cell = replace(cell, orders=orders.shape[1], std_orders=within)
    if result.effect is not None:
        varied = of_two_columns(study, result, timed=table.of == "timing")
        low, high = interval_of(varied.estimate)
        cell = replace(cell, low=low, high=high)
    if printed is None or not _is_judged(table, column, cell):
        return cell
    compared = deviation(study, table, row, column, result, guess)
    return replace(
        cell,
        difference=compared.value,
        difference_low=compared.low,
        difference_high=compared.high,
        interval_of=compared.basis,
        verdict=compared.verdict,
        why=compared.why,
        chosen=compared.chosen,
    )


def _why_no_number(result: QueryResult) -> str:
    """Return why the mean of values is not a number."""
    values, metric = result.shown(), result.query.metric
    without = int(np.isnan(values).sum())
    if without:
        return f"{metric} is not a number (nan) in {of_all(without, values.size, 'realization')}"
    return f"infinite values of {metric} have no mean"


def _is_judged(table: TableConfig, column: ColumnConfig, cell: TableCell) -> bool:
    """Return whether a value is compared with print: not seconds, nor what is only coded.

    Ratios of seconds are compared.
    """
    in_seconds = table.of == "timing" and unit_of(table.metric_of(column)) == SECONDS
    coded = any(cell.row in note.coded.get(cell.column, ()) for note in table.notes)
    return table.judged and not in_seconds and not coded


def _of_largest_class(study: Study, table: TableConfig, row: str, query: Query) -> float | None:
    """Return the metric of predicting the largest class; None if there is none."""
    metric = query.metric
    if table.largest_class is None or not compares_labels(metric):
        return None
    guessed = complete(ask(study, Query(row, table.largest_class, query.metric)))
    return float(guessed.shown().mean()) if guessed.values else None


def stale_notes(config: StudyConfig, folder: Path) -> list[str]:
    """Return a message for each note that explains a verdict which its table does not show.

    `folder` is the study's, with the tables that `ensvm table` wrote there, if any.
    """
    messages = []
    for table in config.tables:
        path = folder / f"table-{table.id}.csv"
        if not path.is_file():
            continue
        with path.open(newline="", encoding="utf-8") as file:
            verdicts = {(one["row"], one["column"]): one["verdict"] for one in csv.DictReader(file)}
        messages += [
            f"table {table.id}: a note explains the verdict 'differs' of {column} on {row}, "
            f"but {path} says {verdict!r}: {note.text[:60].strip()}..."
            for note in table.notes
            for (row, column), verdict in verdicts.items()
            if note.explains_cell(row, column) and verdict not in ("", "differs")
        ]
    return messages


def best_of_row(
    study: Study, table: TableConfig, cells: list[TableCell], without: Collection[str] = ()
) -> set[str]:
    """Return the columns whose displayed mean is the best of the row; none for facts of the data.

    Columns are compared with those of the same metric; an oracle, which reads the test labels, is
    not compared with other algorithms. A single value is not the best of anything, a value that
    predicting the largest class gets too is not the best, and a single realization has no best
    value. Columns with other realizations than their neighbours must also be the best over those
    that all of them have. The columns `without` are left out.
    """
    if table.of == "data" or max(cell.n for cell in cells) <= 1:
        return set()
    best: set[str] = set()
    # Means over other realizations are not compared.
    means = {
        cell.column: cell.mean
        for cell in cells
        if cell.mean is not None and not cell.is_partial and cell.column not in without
    }
    guesses = {cell.column: cell.largest_class for cell in cells}
    for columns in _compared_columns(study, table):
        shown = {
            column.name: as_shown(study, table, column, means[column.name])
            for column in columns
            if column.name in means
        }
        if len(shown) < 2 or not all(map(math.isfinite, shown.values())):
            continue
        first, guessed = columns[0], dict[str, float]()
        if (guess := guesses[first.name]) is not None:
            guessed = {"": as_shown(study, table, first, guess)}  # no column has an empty name
        tops = _best_shown(table.best_of(first), shown | guessed)
        if "" not in tops:
            best |= tops & _best_of_shared(study, table, cells[0].row, [*shown])
    return best


def _best_shown(better: Direction | None, shown: Mapping[str, float]) -> set[str]:
    """Return the names of the best of some values, the largest unless smaller ones are better."""
    top = (min if better == "min" else max)(shown.values())
    return {name for name, value in shown.items() if value == top}


def _best_of_shared(study: Study, table: TableConfig, row: str, names: Sequence[str]) -> set[str]:
    """Return the best columns over the realizations that all of them have; all if none has more.

    A mean over other realizations may be better since these are easier. There is no best over fewer
    than two realizations.
    """
    columns = [table.column(name) for name in names]
    results = [result_of(study, table, row, column) for column in columns]
    results = for_each_realization(study, results)
    shared = shared_realizations(results)
    if all(len(result.values) == len(shared) for result in results):
        return {*names}
    if len(shared) < 2:
        return set()
    means = {
        column.name: value_shown(study, table, column, result.over(shared)).mean
        for column, result in zip(columns, results, strict=True)
    }
    shown = {column.name: as_shown(study, table, column, means[column.name]) for column in columns}
    return _best_shown(table.best_of(columns[0]), shown)


def second_of_row(study: Study, table: TableConfig, cells: list[TableCell]) -> set[str]:
    """Return the columns that would be the best of the row without the best, if they are marked."""
    if not table.second:
        return set()
    return best_of_row(study, table, cells, best_of_row(study, table, cells))


@once
def _compared_columns(study: Study, table: TableConfig) -> list[list[ColumnConfig]]:
    """Return the columns of each metric and heading among which the best is marked.

    Oracles are compared only if all columns of the metric are oracles.
    """
    marked = [column for column in table.columns if table.best_of(column)]
    fair = [column for column in marked if not is_oracle(study, table, column)]
    compared: dict[tuple[str, str | None], list[ColumnConfig]] = {}
    for column in fair or marked:
        compared.setdefault((table.metric_of(column), column.heading), []).append(column)
    return list(compared.values())


def are_own_data(study: Study, cells: list[TableCell]) -> bool:
    """Return whether the rows of cells are the user's own files."""
    own = set(study.config.own_rows)
    return all(cell.row in own and study.config.dataset(cell.row).own for cell in cells)


def is_oracle(study: Study, table: TableConfig, column: ColumnConfig) -> bool:
    """Return whether a column of results is of an algorithm chosen by its test error."""
    block = study.config.algorithms.get(column.of(table))
    return table.of == "results" and block is not None and block.stage == "best-on-test"


def underlined(study: Study, table: TableConfig, cells: list[TableCell]) -> set[str]:
    """Return the columns significantly better than all columns that `underline:` names for them.

    It is a one-sided test at 5 % on new rows, over the realizations that both have.
    """
    results = {
        cell.column: result_of(study, table, cell.row, table.column(cell.column))
        for cell in cells
        if not cell.is_partial
    }

    def is_better(column: ColumnConfig, other: str) -> bool:
        """Return whether a column is significantly better than another one."""
        if not {column.name, other} <= results.keys():
            return False
        varied, _ = difference_on_new_rows(study, results[column.name], results[other])
        if varied is None or varied.estimate is None:
            return False
        sign = 1 if table.best_of(column) == "min" else -1
        if varied.estimate.is_exact:
            return sign * varied.shown < 0.0
        distance = sign * varied.estimate.distance(0.0)
        return chance_below(distance, varied.estimate.freedom) < 1 - CONFIDENCE

    return {
        column.name
        for column in table.columns
        if column.name in table.underline
        and all(is_better(column, other) for other in table.underline[column.name])
    }


def printed_value(
    study: Study, table: TableConfig, row: str, algorithm: str, metric: str, stage: int | str | None
) -> Published | None:
    """Return the value that a table of the paper prints of an algorithm, in a metric."""
    found = printed_in_column(study, table, row, algorithm, metric, stage)
    return None if found is None else found[1]


def printed_in_column(
    study: Study, table: TableConfig, row: str, algorithm: str, metric: str, stage: int | str | None
) -> tuple[ColumnConfig, Published] | None:
    """Return the value that a table prints of an algorithm, in a metric, and its column.

    A printed accuracy is an error too, and the other way round.
    """
    for column in table.columns:
        place = (table.id, row, column.name)
        if column.of(table) != algorithm or column.stage != stage or place not in study.published:
            continue
        printed, printed_metric = study.published[place], table.metric_of(column)
        if printed_metric == metric:
            return column, printed
        if {printed_metric, metric} == set(RATES):
            return column, replace(printed, value=PERCENT.scale - printed.value)
    return None


def algorithm_label(study: Study, name: str) -> str:
    """Return an algorithm's label, with its value in a sweep; its name if it has no label."""
    block = study.config.algorithms.get(name)
    return name if block is None else label_of(block, name)


def row_label(study: Study, name: str) -> str:
    """Return a data set's label, with its value in a sweep; its name if it has no label.

    The name may be that of a whole sweep, over which a claim is tested.
    """
    entry = next((entry for entry in study.config.datasets if entry.name == name), None)
    return name if entry is None else label_of(entry, name)
