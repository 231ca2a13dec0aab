"""Rank the algorithms of a table over its data sets, or compare them on one data set.

References
----------
J. Demšar, Statistical comparisons of classifiers over multiple data sets, Journal of Machine
Learning Research 7 (2006): the tests of Friedman and Nemenyi.
J. C. Hsu, Simultaneous confidence intervals for all distances from the "best", Annals of Statistics
9 (1981): comparisons with the best of a sample.
C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52 (2003): the
corrected resampled t test.
"""

import math
import shlex
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ensvm.errors import UserError, did_you_mean
from ensvm.name_lists import first_names
from ensvm.report.column_values import over_other_realizations, result_of
from ensvm.report.intervals import difference_on_new_rows
from ensvm.report.query import QueryResult, infinite_values
from ensvm.report.randomness import complete, overlap_of
from ensvm.report.statistical_tests import (
    LEVEL,
    MeanEstimate,
    chance_below,
    critical_difference,
    friedman_p,
    holm,
    holm_levels,
    nemenyi,
    steady,
)
from ensvm.report.study_folder import Study
from ensvm.report.tables import is_oracle, row_label
from ensvm.study.metrics import MEASURED, Direction, direction_of
from ensvm.study.table_layout import ColumnConfig, TableConfig

if TYPE_CHECKING:
    import pandas as pd

FEWEST_DATA_SETS = 5
MOST_REALIZATIONS = 1000  # what more would show counts as not to be shown
UNTESTED = "two algorithms share fewer than two realizations, or the difference is the same in each"


@dataclass(frozen=True)
class Selection:
    """The columns of a table that are compared in one metric, and why others are left out.

    `labels` has the label of each column by its name, the best column first. `without_values` are
    those of `left_out` that would be compared if all of their values were there; `partial` names
    the data sets that are compared over some of their realizations, and `unlike` those with means
    over other realizations than their neighbours.
    """

    study: Study
    table: TableConfig
    metric: str
    better: Direction
    labels: dict[str, str]
    left_out: tuple[str, ...]
    without_values: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()

    def ordered(self, names: Sequence[str]) -> "Selection":
        """Return the selection with its columns in another order."""
        return replace(self, labels={name: self.labels[name] for name in names})


@dataclass(frozen=True)
class Ranking:
    """The algorithms of a table over its data sets, with the tests of Friedman and Nemenyi.

    `ranks` has a row for each data set and a column for each algorithm, in the order of the average
    ranks. `nemenyi` has the p-value of each pair; `friedman_p` is None for two algorithms.
    """

    selection: Selection
    ranks: "pd.DataFrame"
    nemenyi: "pd.DataFrame"
    friedman_p: float | None
    critical_difference: float


@dataclass(frozen=True)
class DataSetComparison:
    """The algorithms of a table on one data set, each tested against the best.

    `means` are over all realizations, the best first. `pairs` has a row for the best and each
    other algorithm with the columns of the CSV: the number `n` of realizations that both have, the
    mean difference over them with its interval, at Holm's level, the p-values, which are NaN if the
    pair cannot be tested, and how many realizations would show the difference.
    """

    selection: Selection
    row: str
    means: dict[str, float]
    pairs: "pd.DataFrame"
    overlap: float

    @property
    def is_single(self) -> bool:
        """Whether each pair has one realization only."""
        return bool(self.pairs["n"].max() == 1)


@infinite_values()
def rank_over_data_sets(study: Study, table: TableConfig, metric: str | None = None) -> Ranking:
    """Rank the algorithms of a table over its data sets and test their differences.

    The metric is by default the table's own. Raises UserError if fewer than two algorithms or five
    data sets can be compared.
    """
    selection, results = comparable(study, table, metric, study.config.rows_of(table))
    losses = losses_of(selection, results)
    n, k = losses.shape
    if n < FEWEST_DATA_SETS:
        raise UserError(
            f"ranks need at least {FEWEST_DATA_SETS} data sets with values of all algorithms, "
            f"and it has {n}{_listed(selection.left_out)}{_on_one_data_set(losses)}"
        )
    order = list(losses.rank(axis=1).mean().sort_values(kind="stable").index)
    losses = losses[order]
    ranks = losses.rank(axis=1)
    return Ranking(
        selection.ordered(order),
        ranks=ranks,
        nemenyi=nemenyi(ranks),
        friedman_p=friedman_p(losses),
        critical_difference=critical_difference(n, k, LEVEL),
    )


def _on_one_data_set(losses: "pd.DataFrame") -> str:
    """Return what compares the algorithms on the first data set that has values of all."""
    first = next(iter(losses.index), "")
    return f"; --dataset {shlex.quote(first)} compares them on one" if first else ""


def losses_of(selection: Selection, results: "pd.DataFrame") -> "pd.DataFrame":
    """Return the means of results, or their negatives: the smallest is the best."""
    values = results.map(lambda one: steady(one.shown().mean()))  # rounding does not break ties
    return values if selection.better == "min" else -values


@infinite_values()
def compare_on_data_set(
    study: Study, table: TableConfig, row: str, metric: str | None = None
) -> DataSetComparison:
    """Compare the algorithms of a table with the best of them, on one of its data sets.

    What always predicts the largest class, or guesses, is compared only with a single other
    algorithm. The metric is by default the table's own. Raises UserError if the table does not have
    the data set, or if no pair can be tested.
    """
    import pandas as pd

    rows = study.config.rows_of(table)
    row = next((name for name in rows if row_label(study, name) == row), row)
    if row not in rows:
        accepted = f"accepted: {first_names(rows)}{did_you_mean(row, rows)}"
        raise UserError(f"it has no data set {row!r}; {accepted}")
    selection, frame = comparable(study, table, metric, [row], baseline=False)
    if frame.empty:
        raise UserError(selection.left_out[-1])  # the reason why the data set is left out
    results: dict[str, QueryResult] = {str(name): frame[name][row] for name in frame}
    means = {name: float(result.shown().mean()) for name, result in results.items()}
    order = sorted(means, key=lambda name: means[name], reverse=selection.better == "max")
    best, *others = order
    estimates = [_difference(study, results[best], results[name]) for name in others]
    p_values = [None if one is None else _two_sided(one) for _, one in estimates]
    if all(p is None for p in p_values):
        left_out = _listed(selection.left_out)
        raise UserError(f"{row_label(study, row)}: there is nothing to test: {UNTESTED}{left_out}")
    # That the first of each pair is the best of all costs nothing (Hsu 1981): there are as many
    # tests as others.
    shared = overlap_of(results[best])
    pairs = [
        {"first": best, "second": name, **pair, **_tested(pair["n"], estimate, level, shared)}
        for name, (pair, estimate), level in zip(
            others, estimates, holm_levels(p_values, LEVEL), strict=True
        )
    ]
    numbers = dict.fromkeys(("difference", "low", "high", "p", "n_to_decide"), float)
    tested = pd.DataFrame(pairs).astype(numbers)
    tested["p_holm"] = np.array(holm(p_values), dtype=float)
    in_order = {name: means[name] for name in order}
    return DataSetComparison(selection.ordered(order), row, in_order, tested, shared)


def _difference(
    study: Study, one: QueryResult, other: QueryResult
) -> tuple[dict[str, Any], MeanEstimate | None]:
    """Return the difference of two columns over the realizations that both have, on new rows.

    The estimate is None if there is no test.
    """
    varied, values = difference_on_new_rows(study, one, other)
    if not len(values):
        return {"n": 0, "difference": None}, None
    pair = {"n": len(values), "difference": float((values[:, 0] - values[:, 1]).mean())}
    if varied is None or not isinstance(varied.estimate, MeanEstimate) or varied.estimate.is_exact:
        return pair, None
    return pair, varied.estimate


def _two_sided(estimate: MeanEstimate) -> float:
    return 2 * chance_below(-abs(estimate.distance(0.0)), estimate.freedom)


def _tested(
    n: int, estimate: MeanEstimate | None, level: float, shared: float
) -> dict[str, float | None]:
    """Return the interval and the p-value of a difference over n realizations.

    `n_to_decide` is about how many realizations would make it significant, if mean and spread stay
    as they are; infinite if no number would, since they share rows. None if it is significant, or
    if 1,000 are not enough.
    """
    if estimate is None:
        return dict.fromkeys(("low", "high", "p", "n_to_decide"))
    low, high = estimate.interval(level)
    spread = estimate.error / math.sqrt(1 / n + shared)

    def decides(more: float) -> bool:
        """Return whether so many realizations would show the difference."""
        error = spread * math.sqrt(1 / more + shared)
        if not error:
            return estimate.value != 0.0
        return _two_sided(MeanEstimate(estimate.value, error, more - 1)) <= level

    p, needed = _two_sided(estimate), None
    if p > level and n > 1 and not decides(math.inf):
        needed = math.inf
    elif p > level and n > 1 and decides(MOST_REALIZATIONS):
        needed = bisect_left(range(MOST_REALIZATIONS), True, lo=n, key=decides)
    return {"low": low, "high": high, "p": p, "n_to_decide": needed}


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

    An oracle is not compared.
    """
    if table.of == "data":
        raise UserError("it states facts of the data, not values of algorithms")
    metrics = dict.fromkeys(table.metric_of(column) for column in table.columns)
    metric = metric or default_metric(table)
    if metric is None:
        raise UserError(f"its columns show {', '.join(metrics)}; choose one with --metric")
    if metric not in metrics:
        remedy = _where_shown(study, metric, metrics)
        raise UserError(f"its columns show {', '.join(metrics)}, not {metric!r:.80}{remedy}")
    columns: dict[str, ColumnConfig] = {}
    left_out = []
    for column in table.columns:
        title = study.config.column_title(column)
        if table.metric_of(column) != metric:
            left_out.append(f"{title}: shows {table.metric_of(column)}")
        elif is_oracle(study, table, column):
            left_out.append(f"{title}: an oracle, chosen on the test error")
        else:
            columns[column.name] = column
    return metric, columns, left_out


def _where_shown(study: Study, metric: str, shown: Iterable[str]) -> str:
    """Return which table has a metric that a table does not show, or how a table gets it."""
    for table in study.config.tables:
        columns = table.columns if table.of == "results" else ()
        if any(table.metric_of(column) == metric for column in columns):
            return f"; `--table {table.id}` shows it"
    if metric in MEASURED:
        return f"; no table shows it: write one with `metric: {metric}` into the config"
    return did_you_mean(metric, (*shown, *MEASURED))


def _better(table: TableConfig, metric: str) -> Direction:
    """Return whether smaller or larger values of a metric are better."""
    if direction := direction_of(metric):
        return direction
    if table.best == "min" or table.best == "max":
        return table.best
    raise UserError(
        f"are smaller or larger values of {metric!r} better? Set `best: min` or `best: max` in the "
        "table"
    )


def comparable(
    study: Study,
    table: TableConfig,
    metric: str | None,
    rows: Sequence[str],
    *,
    baseline: bool = True,
) -> "tuple[Selection, pd.DataFrame]":
    """Return what can be compared: the columns, and their values as a frame of data sets.

    First leave out the columns without a value on any data set, then the data sets on which one of
    the other columns has no value. At least two columns must remain. Without `baseline`, what
    always predicts the largest class, or guesses, is compared only if there is just one other
    column.
    """
    import pandas as pd

    metric, columns, left_out = _columns_to_compare(study, table, metric)
    better = _better(table, metric)
    labels = {name: study.config.column_title(column) for name, column in columns.items()}
    results = pd.DataFrame(
        {
            name: {row: complete(result_of(study, table, row, column)) for row in rows}
            for name, column in columns.items()
        }
    )
    problems = results.apply(_problems, axis=1)
    has_values = (problems == "").any()
    if columns and not has_values.any():
        raise UserError(_nothing_to_compare(study, metric, labels, problems, results))
    without_values = [
        f"{labels.pop(name)}: {'; '.join(problems[name].unique())}"
        for name in problems.columns[~has_values]
    ]
    left_out += without_values
    reasons = {name: _why_guess(study, table, columns[name].of(table)) for name in labels}
    guesses = {name: why for name, why in reasons.items() if why and not baseline}
    if len(labels) - len(guesses) > 1:
        left_out += [f"{labels.pop(name)}: {why}" for name, why in guesses.items()]
    if len(labels) < 2:
        count = "one algorithm is" if labels else "no algorithms are"
        raise UserError(f"{count} left to compare{_listed(left_out)}")
    results, problems = results[list(labels)], problems[list(labels)]
    rows_without = list(_rows_without_values(study, labels, problems))
    results = results.loc[(problems == "").all(axis=1)]
    return (
        Selection(
            study,
            table,
            metric,
            better,
            labels,
            (*left_out, *rows_without),
            (*without_values, *rows_without),
            *_about_realizations(study, labels, results),
        ),
        results,
    )


def _about_realizations(
    study: Study, labels: dict[str, str], results: "pd.DataFrame"
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what is compared over some realizations, and over others than its neighbours."""
    by_row = {
        row_label(study, str(row)): {labels[str(name)]: of_row[name] for name in of_row.index}
        for row, of_row in results.iterrows()
    }
    # if one column is over some of the realizations, all are, over the same ones
    parts = {row: next(iter(of_row.values())).part_shown for row, of_row in by_row.items()}
    partial = tuple(f"{row}: {part}" for row, part in parts.items() if part)
    return partial, tuple(over_other_realizations(study, by_row))


def _rows_without_values(
    study: Study, labels: dict[str, str], problems: "pd.DataFrame"
) -> Iterator[str]:
    """Yield the data sets that are left out, with the columns that cannot be compared and why."""
    for row, of_row in problems.iterrows():
        whys = [f"{labels[str(name)]}: {why}" for name, why in of_row.items() if why]
        if len(set(of_row)) == 1:  # the reason of all columns
            whys = [why for why in of_row[:1] if why]
        if whys:
            yield f"{row_label(study, str(row))}: {'; '.join(whys)}"


def _nothing_to_compare(
    study: Study,
    metric: str,
    labels: dict[str, str],
    problems: "pd.DataFrame",
    results: "pd.DataFrame",
) -> str:
    """Return why no values can be compared, with the algorithms if they have several reasons.

    If some values are missing, the message ends with the command that runs them.
    """
    by_column = {labels[str(name)]: "; ".join(problems[name].unique()) for name in problems}
    reasons = dict.fromkeys(by_column.values())
    if len(reasons) > 1:
        reasons = dict.fromkeys(f"{label}: {why}" for label, why in by_column.items())
    text = "; ".join(reasons)
    if not results.map(lambda result: result.is_partial).to_numpy().any():
        return f"no values of {metric}: {text}"
    command = study.run_command
    return (
        f"the values of {metric} are not over the same realizations: {text}; `{command}` runs "
        "what is missing"
    )


def _why_guess(study: Study, table: TableConfig, algorithm: str) -> str:
    """Return why an algorithm is a baseline, which nobody would take; "" for any other."""
    if algorithm == table.largest_class:
        return "always predicts the largest class"
    block = study.config.algorithms.get(algorithm)
    return "predicts without the inputs" if block is not None and block.is_dummy else ""


def _problems(of_row: "pd.Series[Any]") -> "pd.Series[Any]":
    """Return why each value of a row cannot be compared with the others, or an empty string.

    Values over some of the realizations are compared only if all are over the same ones.
    """
    with_values = [result for result in of_row if result.values]
    is_same = len({frozenset(result.values) for result in with_values}) == 1
    are_alike = is_same and all(result.is_partial for result in with_values)
    return of_row.map(lambda result: _problem(result, are_alike=are_alike))


def _problem(result: QueryResult, *, are_alike: bool) -> str:
    if result.status != "ok" and not (result.is_partial and are_alike):
        return result.why
    return "" if np.isfinite(result.shown()).all() else "not all values are finite numbers"


def _listed(left_out: Sequence[str]) -> str:
    """Return what was left out, as the end of an error message."""
    return f"; left out: {'; '.join(left_out)}" if left_out else ""
