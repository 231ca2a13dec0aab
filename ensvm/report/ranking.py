"""Rank the algorithms of a table over its data sets, or compare them on one data set.

References
----------
J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
Learning Research 7 (2006): the tests of Friedman, Nemenyi and Wilcoxon.
C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003): the
corrected resampled t test.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from ensvm.data.splits import overlap
from ensvm.errors import UserError, did_you_mean
from ensvm.report.query import Answer, Study, ask, paired_values
from ensvm.report.statistical_tests import chance_below, holm, mean_of
from ensvm.report.tables import is_oracle, question_of, row_label
from ensvm.study.block import FITTED
from ensvm.study.metrics import (
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
TIE_DECIMALS = 9  # differences are tied if, as fractions of the largest, they agree so far
EQUAL = 1e-12  # differences below this share of the largest value are rounding errors
RANKABLE = tuple(name for name in MEASURED if direction_of(name) is not None)


@dataclass(frozen=True)
class Selection:
    """The columns of a table that are compared in one metric, and why others are left out.

    `labels` has the label of each column by its name, the best column first. `uneven` names the
    data sets whose values are means over different numbers of realizations.
    """

    study: Study
    table: TableConfig
    metric: str
    better: Direction
    labels: dict[str, str]
    left_out: tuple[str, ...]
    uneven: tuple[str, ...] = ()

    @property
    def shows_metric(self) -> bool:
        """Whether the table itself is about the metric."""
        return self.metric == default_metric(self.table)

    def ordered(self, names: Sequence[str]) -> "Selection":
        """Return the selection with its columns in another order."""
        return replace(self, labels={name: self.labels[name] for name in names})


@dataclass(frozen=True)
class Ranking:
    """The algorithms of a table over its data sets, with all tests.

    `values` (means over realizations) and `ranks` have a row for each data set and a column for
    each algorithm, in the order of the average ranks. `pairs` has a row for each two algorithms
    with the columns of the CSV: wins and losses are those of `first`, which has the better average
    rank or the same. `nemenyi` has the p-values of Nemenyi's test; `friedman_p` is None for two
    algorithms, which need no test of all.
    """

    selection: Selection
    values: pd.DataFrame
    ranks: pd.DataFrame
    nemenyi: pd.DataFrame
    pairs: pd.DataFrame
    friedman_p: float | None
    critical_difference: float
    alpha: float


@dataclass(frozen=True)
class DataSetComparison:
    """The algorithms of a table on one data set, with the test of each pair.

    `means` are over all realizations, the best first. `pairs` has a row for each two algorithms
    with the columns of the CSV: in how many of the `n` realizations that both have the first is
    better (`wins`), the difference with its interval, and the test, or the `reason` why there is
    none.
    """

    selection: Selection
    row: str
    means: dict[str, float]
    pairs: pd.DataFrame
    overlap: float
    alpha: float


def rank_over_data_sets(
    study: Study, table: TableConfig, metric: str | None, alpha: float
) -> Ranking:
    """Rank the algorithms of a table over its data sets and test their differences at level alpha.

    The metric is by default the table's own. Raises UserError if fewer than two algorithms or five
    data sets can be compared.
    """
    selection, answers = _comparable(study, table, metric, study.config.rows_of(table))
    n, k = answers.shape
    if n < FEWEST_DATA_SETS:
        raise UserError(
            f"ranks need at least {FEWEST_DATA_SETS} data sets with values of all algorithms, "
            f"and it has {n}{_listed(selection.left_out)}"
        )
    from scikit_posthocs import posthoc_nemenyi_friedman  # takes a second to import

    values = answers.map(lambda one: float(f"{one.shown().mean():.{SIGNIFICANT_DIGITS}g}"))
    losses = values if selection.better == "min" else -values
    order = list(losses.rank(axis=1).mean().sort_values(kind="stable").index)
    losses = losses[order]
    nemenyi = posthoc_nemenyi_friedman(losses)
    return Ranking(
        selection.ordered(order),
        values=values[order],
        ranks=losses.rank(axis=1),
        nemenyi=nemenyi,
        pairs=_ranked_pairs(losses, nemenyi),
        friedman_p=_friedman_p(losses),
        critical_difference=critical_difference(n, k, alpha),
        alpha=alpha,
    )


def critical_difference(n: int, k: int, alpha: float) -> float:
    """Return the smallest significant difference of average ranks in Nemenyi's test.

    There are n data sets and k algorithms; `alpha` is the level for all pairs together.
    """
    from scipy.stats import studentized_range

    quantile = float(studentized_range.ppf(1 - alpha, k, np.inf))
    return quantile * math.sqrt(k * (k + 1) / (12 * n))


def _friedman_p(losses: pd.DataFrame) -> float | None:
    """Return the p-value of Friedman's test that all algorithms rank alike."""
    from scipy.stats import friedmanchisquare

    if losses.shape[1] < 3:
        return None
    if (losses.nunique(axis=1) == 1).all():
        return 1.0
    return float(friedmanchisquare(*losses.to_numpy().T).pvalue)


def _ranked_pairs(losses: pd.DataFrame, nemenyi: pd.DataFrame) -> pd.DataFrame:
    """Test all pairs of algorithms."""
    average = losses.rank(axis=1).mean()
    pairs = []
    for first, second in combinations(map(str, losses), 2):
        gains = (losses[second] - losses[first]).to_numpy()
        pairs.append(
            {
                "first": first,
                "second": second,
                "first_rank": average[first],
                "second_rank": average[second],
                "wins": int((gains > 0).sum()),
                "ties": int((gains == 0).sum()),
                "losses": int((gains < 0).sum()),
                "nemenyi_p": nemenyi.loc[first, second],
                "wilcoxon_p": _wilcoxon_p(gains),
            }
        )
    adjusted = holm([pair["wilcoxon_p"] for pair in pairs])
    return pd.DataFrame(pairs).assign(wilcoxon_p_holm=np.array(adjusted))


def _wilcoxon_p(differences: np.ndarray) -> float:
    """Return the two-sided p-value of Wilcoxon's signed-rank test; zeros are ranked (Pratt)."""
    from scipy.stats import wilcoxon

    largest = np.abs(differences).max()
    if largest == 0.0:
        return 1.0
    rounded = np.round(differences / largest, TIE_DECIMALS)
    return float(wilcoxon(rounded, zero_method="pratt").pvalue)


def compare_on_data_set(
    study: Study, table: TableConfig, row: str, metric: str | None, alpha: float
) -> DataSetComparison:
    """Compare the algorithms of a table on one of its data sets, at level alpha.

    The metric is by default the table's own. Raises UserError if the table does not have the data
    set, or if no pair can be tested.
    """
    rows = study.config.rows_of(table)
    row = next((name for name in rows if row_label(study, name) == row), row)
    if row not in rows:
        accepted = f"accepted: {', '.join(rows)}{did_you_mean(row, rows)}"
        raise UserError(f"it has no data set {row!r}; {accepted}")
    selection, frame = _comparable(study, table, metric, [row])
    if frame.empty:
        raise UserError(selection.left_out[-1])  # the reason why the data set is left out
    answers: dict[str, Answer] = {str(name): frame[name][row] for name in frame}
    sign = -1.0 if selection.better == "min" else 1.0
    means = {name: float(answer.shown().mean()) for name, answer in answers.items()}
    order = sorted(means, key=lambda name: -sign * means[name])
    split = next(iter(answers[order[0]].records.values())).settings.get("split", {})
    shared = overlap(split)
    pairs = [
        {
            "first": first,
            "second": second,
            **_compared_pair(answers[first], answers[second], alpha, sign, shared),
        }
        for first, second in combinations(order, 2)
    ]
    if all(pair["p"] is None for pair in pairs):
        reasons = "; ".join(dict.fromkeys(pair["reason"] for pair in pairs))
        left_out = _listed(selection.left_out)
        raise UserError(f"{row_label(study, row)}: there is nothing to test: {reasons}{left_out}")
    tested = pd.DataFrame(pairs)
    tested["p_holm"] = np.array(holm([pair["p"] for pair in pairs]), dtype=float)
    in_order = {name: means[name] for name in order}
    return DataSetComparison(selection.ordered(order), row, in_order, tested, shared, alpha)


def _compared_pair(
    one: Answer, other: Answer, alpha: float, sign: float, shared: float
) -> dict[str, Any]:
    """Compare two columns over the realizations that both have.

    `sign` is 1 if larger values are better, else -1; `shared` corrects the variance for rows that
    the realizations share.
    """
    paired = one.unit.scale * paired_values(one, other)
    differences = paired[:, 0] - paired[:, 1]
    n, reason = len(paired), ""
    low = high = statistic = p = None
    if not n:
        reason = "they share no realization"
    elif n == 1:
        reason = "a single realization has no spread to test by"
    elif np.ptp(differences) <= EQUAL * np.abs(paired).max():
        reason = "the difference is the same in all realizations"
    else:
        mean = mean_of(differences, shared)
        low, high = mean.interval(alpha)
        statistic = mean.value / mean.error
        p = 2 * chance_below(-abs(statistic), mean.freedom)
    return {
        "n": n,
        "wins": int((sign * differences > 0).sum()),
        "ties": int((differences == 0).sum()),
        "losses": int((sign * differences < 0).sum()),
        "difference": differences.mean() if n else None,
        "low": low,
        "high": high,
        "t": statistic,
        "p": p,
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


def _columns_to_compare(
    study: Study, table: TableConfig, metric: str | None
) -> tuple[str, dict[str, ColumnConfig], list[str]]:
    """Return the metric, the columns that are compared in it, and why others are not.

    An oracle is not compared. If no column shows the metric, all algorithms of the table are
    compared in it.
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
        title = study.config.column_title(column)
        if table.metric_of(column) != metric:
            left_out.append(f"{title}: shows {table.metric_of(column)}")
        elif is_oracle(study, table, column):
            left_out.append(f"{title}: an oracle, chosen on the test error")
        else:
            columns[column.name] = column
    return metric, columns, left_out


def _better(table: TableConfig, metric: str) -> Direction:
    """Return whether smaller or larger values of a metric are better."""
    if direction := direction_of(metric):
        return direction
    if table.best == "min" or table.best == "max":
        return table.best
    raise UserError(
        f"are smaller or larger values of {metric!r} better? Set `best: min` or `best: max` in the "
        f"table{did_you_mean(metric, RANKABLE)}"
    )


def _comparable(
    study: Study, table: TableConfig, metric: str | None, rows: Sequence[str]
) -> tuple[Selection, pd.DataFrame]:
    """Return what can be compared: the columns, and their values as a frame of data sets.

    First leave out the columns without a value on any data set, then the data sets on which one of
    the other columns has no value. At least two columns must remain.
    """
    metric, columns, left_out = _columns_to_compare(study, table, metric)
    better = _better(table, metric)
    labels = {name: study.config.column_title(column) for name, column in columns.items()}
    answers = pd.DataFrame(
        {
            name: {row: ask(study, question_of(study, table, row, column)) for row in rows}
            for name, column in columns.items()
        }
    )
    problems = answers.map(lambda answer: _problem(study, answer))
    has_values = (problems == "").any()
    if columns and not has_values.any():
        reasons = dict.fromkeys(problems.to_numpy().ravel())
        raise UserError(f"no values of {metric}: {'; '.join(reasons)}")
    for name in problems.columns[~has_values]:
        left_out.append(f"{labels.pop(name)}: {'; '.join(problems[name].unique())}")
    if len(labels) < 2:
        count = "one algorithm is" if labels else "no algorithms are"
        raise UserError(f"{count} left to compare{_listed(left_out)}")
    answers, problems = answers.loc[:, has_values], problems.loc[:, has_values]
    for row, of_row in problems.iterrows():
        if len(set(of_row)) == 1 and of_row.iloc[0]:
            left_out.append(f"{row_label(study, str(row))}: {of_row.iloc[0]}")
        elif of_columns := [f"{labels[str(name)]}: {why}" for name, why in of_row.items() if why]:
            left_out.append(f"{row_label(study, str(row))}: {'; '.join(of_columns)}")
    answers = answers.loc[(problems == "").all(axis=1)]
    counts = answers.map(lambda answer: len(answer.values))
    uneven = [
        f"{row_label(study, str(row))}: "
        f"{', '.join(f'{labels[str(name)]} {n}' for name, n in of_row.items())}"
        for row, of_row in counts[counts.nunique(axis=1) > 1].iterrows()
    ]
    selection = Selection(study, table, metric, better, labels, tuple(left_out), tuple(uneven))
    return selection, answers


def _problem(study: Study, answer: Answer) -> str:
    """Return why a value cannot be compared with others, or an empty string."""
    if answer.status != "ok":
        return answer.why
    return "" if np.isfinite(answer.shown()).all() else "not all values are finite numbers"


def _listed(left_out: Sequence[str]) -> str:
    """Return what was left out, as the end of an error message."""
    return f"; left out: {'; '.join(left_out)}" if left_out else ""
