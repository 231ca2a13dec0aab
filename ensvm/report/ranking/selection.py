"""What of a table can be ranked, with its values; what is left out, and why."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ensvm.data.errors import near_miss
from ensvm.report.query import Answer, Study, ask, mixed_machines
from ensvm.report.tables.cells import question_of
from ensvm.report.tables.legend import column_label
from ensvm.study.block import A_FITS
from ensvm.study.metrics import (
    MEASURED,
    SECONDS,
    Direction,
    Unit,
    direction_of,
    is_predicted,
    left_by_fit,
    unit_of,
    unknown,
)
from ensvm.study.table import ColumnConfig, TableConfig

FEWEST_DATA_SETS = 5
# Values are compared to so many digits: means over different numbers of equal values are equal.
DIGITS = 12
RANKED = tuple(name for name in MEASURED if direction_of(name) is not None)


class NotRanked(ValueError):
    """Why a table, or a data set of it, cannot be ranked."""


@dataclass(frozen=True)
class Chosen:
    """The columns of a table that are compared, all in one metric.

    Attributes
    ----------
    table : TableConfig
        The table.
    metric : str
        The metric.
    better : 'min' or 'max'
        Which of its values are the better ones.
    columns : tuple of ColumnConfig
        The columns, without oracles.
    left_out : tuple of str
        The others, each with the reason.
    """

    table: TableConfig
    metric: str
    better: Direction
    columns: tuple[ColumnConfig, ...]
    left_out: tuple[str, ...]

    @property
    def unit(self) -> Unit:
        """The unit of the values."""
        return unit_of(self.metric)


@dataclass(frozen=True)
class Values:
    """The values of algorithms on data sets that have one of each.

    Attributes
    ----------
    chosen : Chosen
        The columns with a value on each row, and what was left out, rows too.
    labels : tuple of str
        The columns as they are called.
    rows : tuple of str
        The data sets.
    values : ndarray of shape (n_data_sets, n_algorithms)
        The means over the realizations, in the unit of the metric.
    """

    chosen: Chosen
    labels: tuple[str, ...]
    rows: tuple[str, ...]
    values: NDArray[np.float64]


def choose(study: Study, table: TableConfig, metric: str | None) -> Chosen:
    """Return the columns of a table to compare in a metric, by default in that of the table.

    A metric that no column shows is asked of the table's algorithms instead.

    Raises NotRanked where there are not two, or it is not known which values are the better ones.
    """
    if table.of == "data":
        raise NotRanked("it states facts of the data, not values of algorithms")
    shown = dict.fromkeys(table.metric_of(column) for column in table.columns)
    metric = metric or default_metric(table)
    if metric is None:
        raise NotRanked(f"its columns show {', '.join(shown)}; choose one with --metric")
    known = metric in shown or metric in MEASURED or left_by_fit(metric)
    if not known and not is_predicted(metric):
        raise NotRanked(unknown(metric, RANKED, A_FITS))
    if unit_of(metric) == SECONDS and table.of != "timing":
        raise NotRanked(f"{metric} comes from the timing pass alone: name a table `of: timing`")
    columns, others = _columns(table, metric, metric in shown)
    left_out = [f"{column_label(study, one)}: shows {table.metric_of(one)}" for one in others]
    kept = []
    for column in columns:
        block = study.config.algorithms[column.of(table)]
        if table.of == "results" and block.stage == "best-on-test":
            label = column_label(study, column)
            left_out.append(f"{label}: an oracle, chosen on the test error")
        else:
            kept.append(column)
    return Chosen(table, metric, _better(table, metric), tuple(kept), tuple(left_out))


def default_metric(table: TableConfig) -> str | None:
    """Return the metric a table is ranked in unless another is asked for; None where it has many.

    It is the table's own where a column shows it, else the only one that its columns show.
    """
    shown = {table.metric_of(column) for column in table.columns}
    if table.metric in shown:
        return table.metric
    return shown.pop() if len(shown) == 1 else None


def values_over_data_sets(study: Study, chosen: Chosen) -> Values:
    """Return the values of the data sets that have one of every algorithm.

    A value of which realizations are missing, or a shipped one beside values made here, is none.

    Raises NotRanked where fewer than two algorithms or five data sets are left.
    """
    table, left_out = chosen.table, list(chosen.left_out)
    answers = {
        row: [ask(study, question_of(table, row, column)) for column in chosen.columns]
        for row in study.config.rows_of(table)
    }
    wanting = {
        row: [why_not_comparable(study, one) for one in of_row] for row, of_row in answers.items()
    }
    every = {why for of_row in wanting.values() for why in of_row}
    if is_predicted(chosen.metric) and len(every) == 1 and "" not in every:
        raise NotRanked(f"no values of {chosen.metric}: {every.pop()}")
    kept = []
    for at, column in enumerate(chosen.columns):
        reasons = {of_row[at]: None for of_row in wanting.values()}
        if "" in reasons:
            kept.append(at)
        else:
            left_out.append(f"{column_label(study, column)}: {'; '.join(reasons)}")
    columns = tuple(chosen.columns[at] for at in kept)
    must_be_several(columns, left_out)
    labels = tuple(column_label(study, column) for column in columns)
    rows: dict[str, list[float]] = {}
    for row, of_row in answers.items():
        reason = _row_wanting(labels, [wanting[row][at] for at in kept])
        reason = reason or _mixed(chosen, row, [of_row[at] for at in kept])
        if reason:
            left_out.append(f"{row}: {reason}")
        else:
            rows[row] = [float(f"{of_row[at].shown().mean():.{DIGITS}g}") for at in kept]
    if len(rows) < FEWEST_DATA_SETS:
        raise NotRanked(
            f"ranks need at least {FEWEST_DATA_SETS} data sets with values of all algorithms, "
            f"and it has {len(rows)}{listed(left_out)}"
        )
    found = Chosen(table, chosen.metric, chosen.better, columns, tuple(left_out))
    return Values(found, labels, tuple(rows), np.array(list(rows.values())))


def must_be_several(columns: Sequence[ColumnConfig], left_out: Sequence[str]) -> None:
    """Refuse to compare fewer than two algorithms; raises NotRanked."""
    if len(columns) < 2:
        count = "one algorithm is" if columns else "no algorithms are"
        raise NotRanked(f"{count} left to compare{listed(left_out)}")


def listed(left_out: Sequence[str]) -> str:
    """Return what was left out as the end of a message; nothing where there is nothing."""
    return f"; left out: {'; '.join(left_out)}" if left_out else ""


def _columns(
    table: TableConfig, metric: str, shown: bool
) -> tuple[list[ColumnConfig], list[ColumnConfig]]:
    """Return the columns that show a metric, else one for each algorithm; and the others."""
    if shown:
        found = [column for column in table.columns if table.metric_of(column) == metric]
        return found, [column for column in table.columns if column not in found]
    names = dict.fromkeys(column.of(table) for column in table.columns)
    return [ColumnConfig(name=name, metric=metric) for name in names], []


def _better(table: TableConfig, metric: str) -> Direction:
    known = direction_of(metric)
    if known is None and table.best in ("min", "max"):
        known = "min" if table.best == "min" else "max"
    if known is None:
        near = near_miss(metric, RANKED)
        raise NotRanked(
            f"whether smaller or larger values of {metric!r} are better is not known: "
            f"`best: min` or `best: max` of the table says it{near}"
        )
    return known


def why_not_comparable(study: Study, answer: Answer) -> str:
    """Return why a value cannot be compared with others; nothing where it can."""
    if answer.status != "ok":
        return answer.why
    if answer.shipped and study.partly_shipped:
        return f"a shipped value stands in: {answer.not_here}"
    return "" if np.isfinite(answer.shown()).all() else "not all values are finite numbers"


def _row_wanting(labels: Sequence[str], reasons: Sequence[str]) -> str:
    """Return why a data set is left out: a reason of all algorithms, or those of single ones."""
    if len(set(reasons)) == 1:
        return reasons[0]
    return "; ".join(f"{label}: {why}" for label, why in zip(labels, reasons, strict=True) if why)


def _mixed(chosen: Chosen, row: str, answers: Sequence[Answer]) -> str:
    records = [record for answer in answers for record in answer.records.values()]
    return mixed_machines(records, question_of(chosen.table, row, chosen.columns[0]))
