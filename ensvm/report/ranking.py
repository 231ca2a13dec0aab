"""Rank the algorithms of a table over its data sets, or compare them on one data set."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import rankdata

from ensvm.data.splits import overlap
from ensvm.errors import UserError, near_miss
from ensvm.report.query import Answer, Question, Study, ask, paired_values
from ensvm.report.statistical_tests import (
    Friedman,
    critical_difference,
    friedman,
    holm,
    mean_of,
    nemenyi_p,
    wilcoxon_p,
)
from ensvm.report.tables import column_label, is_oracle, question_of
from ensvm.study.block import FITTED
from ensvm.study.metrics import (
    DATA_CELL,
    MEASURED,
    SECONDS,
    Direction,
    direction_of,
    is_predicted,
    left_by_fit,
    unit_of,
    unknown,
)
from ensvm.study.table_layout import ColumnConfig, TableConfig

FEWEST_DATA_SETS = 5
SIGNIFICANT_DIGITS = 12  # means are rounded to these, so that rounding errors do not break ties
EQUAL = 1e-12  # differences below this share of the largest value are rounding errors
RANKABLE = tuple(name for name in MEASURED if direction_of(name) is not None)


@dataclass(frozen=True)
class Selection:
    """The columns of a table that are compared in one metric, and why others are left out."""

    study: Study
    table: TableConfig
    metric: str
    better: Direction
    columns: tuple[ColumnConfig, ...]
    left_out: tuple[str, ...]

    @property
    def labels(self) -> dict[str, str]:
        """The label of each column by its name."""
        return {column.name: column_label(self.study, column) for column in self.columns}

    @property
    def shows_metric(self) -> bool:
        """Whether the table itself is about the metric."""
        return self.metric == default_metric(self.table)


@dataclass(frozen=True)
class Ranking:
    """The algorithms of a table over its data sets, with all tests.

    The columns of the selection, of `values` (means over realizations) and of `ranks` are in the
    order of the average ranks; `rows` are the data sets. `pairs` has a row for each two algorithms
    with the columns of the CSV: wins and losses are those of `first`, which has the better average
    rank or the same.
    """

    selection: Selection
    rows: tuple[str, ...]
    values: NDArray[np.float64]
    ranks: NDArray[np.float64]
    pairs: pd.DataFrame
    friedman: Friedman
    critical_difference: float
    alpha: float

    @property
    def average_ranks(self) -> NDArray[np.float64]:
        """The average ranks in ascending order."""
        return np.asarray(self.ranks.mean(axis=0))


@dataclass(frozen=True)
class DataSetComparison:
    """The algorithms of a table on one data set, with the test of each pair.

    The columns of the selection are in the order of the means over all realizations, the best
    first. `pairs` has a row for each two algorithms with the columns of the CSV: their means over
    the `n` realizations that both have, in how many the first is better (`wins`), the difference
    with its interval, and the test, or the `reason` why there is none. `sizes` are n_train and
    n_test of the data set.
    """

    selection: Selection
    row: str
    means: Mapping[str, float]
    pairs: pd.DataFrame
    sizes: Mapping[str, int]
    alpha: float


def rank_over_data_sets(
    study: Study, table: TableConfig, metric: str | None, alpha: float
) -> Ranking:
    """Rank the algorithms of a table over its data sets and test their differences at level alpha.

    The metric is by default the table's own. Raises UserError if fewer than two algorithms or five
    data sets can be compared.
    """
    selection, answers = _comparable(study, table, metric, study.config.rows_of(table))
    if len(answers) < FEWEST_DATA_SETS:
        raise UserError(
            f"ranks need at least {FEWEST_DATA_SETS} data sets with values of all algorithms, "
            f"and it has {len(answers)}{_listed(selection.left_out)}"
        )
    means = answers.map(lambda answer: answer.shown().mean())
    values = means.map(lambda mean: float(f"{mean:.{SIGNIFICANT_DIGITS}g}")).to_numpy()
    signed = values if selection.better == "min" else -values
    ranks = np.asarray(rankdata(signed, axis=1), dtype=np.float64)
    # Put the columns in the order of their average ranks.
    order = np.argsort(ranks.mean(axis=0), kind="stable")
    selection = replace(selection, columns=tuple(selection.columns[index] for index in order))
    return Ranking(
        selection,
        rows=tuple(answers.index),
        values=values[:, order],
        ranks=ranks[:, order],
        pairs=_ranked_pairs(selection, -signed[:, order], ranks[:, order]),
        friedman=friedman(ranks),
        critical_difference=critical_difference(len(ranks), len(order), alpha),
        alpha=alpha,
    )


def _ranked_pairs(
    selection: Selection, gains: NDArray[np.float64], ranks: NDArray[np.float64]
) -> pd.DataFrame:
    """Test all pairs of algorithms; larger gains are better."""
    names, average = np.array(list(selection.labels)), ranks.mean(axis=0)
    first, second = np.triu_indices(len(names), 1)
    # A row for each pair, a column for each data set.
    differences = (gains[:, first] - gains[:, second]).T
    rank_differences = average[second] - average[first]
    p_values = [wilcoxon_p(of_pair) for of_pair in differences]
    return pd.DataFrame(
        {
            "first": names[first],
            "second": names[second],
            "first_rank": average[first],
            "second_rank": average[second],
            "wins": (differences > 0).sum(axis=1),
            "ties": (differences == 0).sum(axis=1),
            "losses": (differences < 0).sum(axis=1),
            "difference": rank_differences,
            "nemenyi_p": [nemenyi_p(difference, *ranks.shape) for difference in rank_differences],
            "wilcoxon_p": p_values,
            "wilcoxon_p_holm": holm(p_values),
        }
    )


def compare_on_data_set(
    study: Study, table: TableConfig, row: str, metric: str | None, alpha: float
) -> DataSetComparison:
    """Compare the algorithms of a table on one of its data sets, at level alpha.

    The metric is by default the table's own. Raises UserError if the table does not have the data
    set, or if no pair can be tested.
    """
    rows = study.config.rows_of(table)
    if row not in rows:
        accepted = f"accepted: {', '.join(rows)}{near_miss(row, rows)}"
        raise UserError(f"it has no data set {row!r}; {accepted}")
    selection, answers = _comparable(study, table, metric, [row])
    if answers.empty:
        raise UserError(selection.left_out[-1])  # the reason why the data set is left out
    sign = -1.0 if selection.better == "min" else 1.0
    by_name: dict[str, Answer] = {str(name): answers[name][row] for name in answers}
    means = {name: float(answer.shown().mean()) for name, answer in by_name.items()}
    order = sorted(selection.columns, key=lambda column: -sign * means[column.name])
    selection = replace(selection, columns=tuple(order))
    columns = [(name, by_name[name]) for name in selection.labels]
    compared = [_compared_pair(one, other, alpha, sign) for one, other in combinations(columns, 2)]
    pairs = pd.DataFrame(compared)
    pairs["p_holm"] = np.array(holm([pair["p"] for pair in compared]), dtype=float)
    if pairs["p"].isna().all():
        reasons = "; ".join(dict.fromkeys(pairs["reason"]))
        left_out = _listed(selection.left_out)
        raise UserError(f"{row}: there is nothing to test: {reasons}{left_out}")
    facts = {name: ask(study, Question(row, DATA_CELL, name)) for name in ("n_train", "n_test")}
    sizes = {name: int(min(fact.values.values())) for name, fact in facts.items() if fact.values}
    return DataSetComparison(selection, row, means, pairs, sizes, alpha)


def _compared_pair(
    one: tuple[str, Answer], other: tuple[str, Answer], alpha: float, sign: float
) -> dict[str, Any]:
    """Compare two columns, each with its values, over the realizations that both have.

    `sign` is 1 if larger values are better, else -1.
    """
    (first, of_first), (second, of_second) = one, other
    paired = of_first.unit.scale * paired_values(of_first, of_second)
    n = len(paired)
    differences = paired[:, 0] - paired[:, 1]
    # Test the differences, unless there is nothing to test.
    reason, added = "", 0.0
    low = high = statistic = p = None
    if not n:
        reason = "they share no realization"
    elif n == 1:
        reason = "a single realization has no spread to test by"
    elif np.ptp(differences) <= EQUAL * np.abs(paired).max():
        reason = "the difference is the same in all realizations"
    else:
        added = overlap(next(iter(of_first.records.values())).settings.get("split", {}))
        mean = mean_of(differences, added)
        low, high = mean.interval(alpha)
        statistic = mean.value / mean.error
        p = 2 * float(mean.law.sf(abs(statistic)))
    return {
        "first": first,
        "second": second,
        "first_mean": paired[:, 0].mean() if n else None,
        "second_mean": paired[:, 1].mean() if n else None,
        "n": n,
        "wins": int((sign * differences > 0).sum()),
        "ties": int((differences == 0).sum()),
        "losses": int((sign * differences < 0).sum()),
        "overlap": added,
        "difference": differences.mean() if n else None,
        "low": low,
        "high": high,
        "t": statistic,
        "p": p,
        "p_holm": None,  # adjusted over all pairs, when they are known
        "reason": reason,
    }


def default_metric(table: TableConfig) -> str | None:
    """Return the metric that a table is ranked in by default, or None if it shows several.

    It is the table's own metric if a column shows it, else the only one that the columns show.
    """
    metrics = {table.metric_of(column) for column in table.columns}
    if table.metric in metrics:
        return table.metric
    return metrics.pop() if len(metrics) == 1 else None


def _select_columns(study: Study, table: TableConfig, metric: str | None) -> Selection:
    """Select the columns of a table to compare in a metric, without oracles.

    If no column shows the metric, all algorithms of the table are compared in it.
    """
    if table.of == "data":
        raise UserError("it states facts of the data, not values of algorithms")
    metrics = dict.fromkeys(table.metric_of(column) for column in table.columns)
    metric = metric or default_metric(table)
    if metric is None:
        raise UserError(f"its columns show {', '.join(metrics)}; choose one with --metric")
    is_known = metric in metrics or metric in MEASURED or left_by_fit(metric)
    if not is_known and not is_predicted(metric):
        raise UserError(unknown(metric, RANKABLE, FITTED))
    if unit_of(metric) == SECONDS and table.of != "timing":
        raise UserError(f"{metric} needs the timing pass: choose a table that has `of: timing`")
    candidates = table.columns
    if metric not in metrics:
        names = dict.fromkeys(column.of(table) for column in table.columns)
        candidates = tuple(ColumnConfig(name=name, metric=metric) for name in names)
    columns: dict[str, ColumnConfig] = {}
    left_out = []
    for column in candidates:
        if table.metric_of(column) != metric:
            left_out.append(f"{column_label(study, column)}: shows {table.metric_of(column)}")
        elif is_oracle(study, table, column):
            left_out.append(f"{column_label(study, column)}: an oracle, chosen on the test error")
        else:
            columns[column.name] = column
    kept, better = tuple(columns.values()), _better(table, metric)
    return Selection(study, table, metric, better, kept, tuple(left_out))


def _better(table: TableConfig, metric: str) -> Direction:
    """Return whether smaller or larger values of a metric are better."""
    if direction := direction_of(metric):
        return direction
    if table.best == "min" or table.best == "max":
        return table.best
    raise UserError(
        f"are smaller or larger values of {metric!r} better? Set `best: min` or `best: max` in the "
        f"table{near_miss(metric, RANKABLE)}"
    )


def _comparable(
    study: Study, table: TableConfig, metric: str | None, rows: Sequence[str]
) -> tuple[Selection, pd.DataFrame]:
    """Return what can be compared: the columns, and their values as a frame of data sets.

    First leave out the columns without a value on any data set, then the data sets on which one of
    the other columns has no value. At least two columns must remain.
    """
    selection = _select_columns(study, table, metric)
    labels = selection.labels
    answers = pd.DataFrame(
        {
            column.name: {row: ask(study, question_of(study, table, row, column)) for row in rows}
            for column in selection.columns
        }
    )
    problems = answers.map(lambda answer: _problem(study, answer))
    has_values = (problems == "").any()
    if selection.columns and not has_values.any():
        reasons = pd.unique(problems.to_numpy().ravel())
        raise UserError(f"no values of {selection.metric}: {'; '.join(reasons)}")
    left_out = list(selection.left_out)
    for name in problems.columns[~has_values]:
        left_out.append(f"{labels[name]}: {'; '.join(problems[name].unique())}")
    columns = tuple(column for column in selection.columns if has_values[column.name])
    if len(columns) < 2:
        count = "one algorithm is" if columns else "no algorithms are"
        raise UserError(f"{count} left to compare{_listed(left_out)}")
    selection = replace(selection, columns=columns)
    answers, problems = answers.loc[:, has_values], problems.loc[:, has_values]
    reasons_of_rows = {row: _problem_of_row(selection, problems.T[row].tolist()) for row in rows}
    left_out += [f"{row}: {reason}" for row, reason in reasons_of_rows.items() if reason]
    comparable = [row for row, reason in reasons_of_rows.items() if not reason]
    return replace(selection, left_out=tuple(left_out)), answers.loc[comparable]


def _problem(study: Study, answer: Answer) -> str:
    """Return why a value cannot be compared with others, or an empty string."""
    if answer.status != "ok":
        return answer.why
    return "" if np.isfinite(answer.shown()).all() else "not all values are finite numbers"


def _problem_of_row(selection: Selection, problems: Sequence[str]) -> str:
    """Return why the values of a data set cannot be compared, or an empty string."""
    if len(set(problems)) > 1:
        labelled = zip(selection.labels.values(), problems, strict=True)
        return "; ".join(f"{label}: {problem}" for label, problem in labelled if problem)
    return problems[0]


def _listed(left_out: Sequence[str]) -> str:
    """Return what was left out, as the end of an error message."""
    return f"; left out: {'; '.join(left_out)}" if left_out else ""
