"""Our value against the printed one: the difference, its 95 % interval, and the verdict."""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t, ttest_ind_from_stats

from ensvm.data.splits import folds_of, overlap
from ensvm.records.record import Record
from ensvm.report.query import Answer, Study, ask
from ensvm.study.metrics import RATES
from ensvm.study.table_layout import ColumnConfig, Published, TableConfig, Verdict

CONFIDENCE = 0.95
ROUNDING = 1e-9  # a difference that equals the margin lies within it, despite rounding errors
# An interval that reaches beyond the margin tells something only if its half-width is at most this
# many margins.
WIDEST = 2.0

Basis = Literal[
    "same rows",
    "realizations",
    "one split in print",
    "random draw in print",
    "other rows in print",
    "repetitions",
    "orders",
    "two rates",
    "none",
]

SPLIT: Basis = "one split in print"


@dataclass(frozen=True)
class Sample:
    """The mean, standard deviation (None for a single value) and number of some values."""

    mean: float
    std: float | None
    n: int


@dataclass(frozen=True)
class Deviation:
    """Ours minus printed, in the unit of the table.

    `low` and `high` are its 95 % interval (None if it cannot be computed), `basis` is what the
    interval is computed from: `same rows` if there is no sampling error.
    """

    value: float
    low: float | None
    high: float | None
    verdict: Verdict
    basis: Basis


def of_same_rows(ours: float, published: float, margin: float) -> Deviation:
    """Compare two values of the same training and test rows, computed without randomness.

    There is no sampling error, so the interval has no width: they are reproduced or they differ.
    """
    return _judged(ours - published, 0.0, margin, "same rows")


def of_samples(
    ours: Sample, published: Sample, margin: float, basis: Basis = "realizations"
) -> Deviation:
    """Compare two means by Welch's interval.

    If the spread of the published mean is not printed, ours is used for it.
    """
    difference = ours.mean - published.mean
    if ours.n < 2 or ours.std is None:
        return Deviation(difference, None, None, "cannot tell", "none")
    if published.std is None:  # only our values estimate the spread: n - 1 degrees of freedom
        return of_spread(difference, ours.std, 1 / ours.n + 1 / published.n, ours.n, margin, basis)
    ours_square, published_square = ours.std**2 / ours.n, published.std**2 / published.n
    square = ours_square + published_square
    freedom = 1.0
    if square > 0.0:
        freedom = square**2 / (
            ours_square**2 / (ours.n - 1) + published_square**2 / max(published.n - 1, 1)
        )
    return _judged(difference, _quantile(freedom) * math.sqrt(square), margin, basis)


def of_draws(draws: NDArray[np.float64], ours: float, published: float, margin: float) -> Deviation:
    """Compare a printed random draw with the range of ours; `ours` is the value that is shown.

    One more draw lies in the range of n with probability (n - 1) / (n + 1).
    """
    if draws.size < 2:
        return Deviation(ours - published, None, None, "cannot tell", "none")
    low, high = float(draws.min()) - published, float(draws.max()) - published
    judged = _judged((low + high) / 2, (high - low) / 2, margin, "random draw in print")
    return replace(judged, value=ours - published)


def of_drawn_rows(means: NDArray[np.float64], published: float, margin: float) -> Deviation:
    """Compare a printed mean on rows drawn from a generator with our means on other draws.

    `means` has one mean for each draw of the rows (at least 2), the first on the rows of the table.
    The printed mean is one more draw, so the interval is that of a prediction, around the mean of
    our draws.
    """
    centre, std, n = float(means.mean()), float(means.std(ddof=1)), means.size
    basis: Basis = "other rows in print"
    judged = of_spread(centre - published, std, 1 + 1 / n, n, margin, basis)
    return replace(judged, value=float(means[0]) - published)


def of_spread(
    difference: float, std: float, share: float, n: int, margin: float, basis: Basis
) -> Deviation:
    """Judge a difference by the t interval with n - 1 degrees of freedom.

    `std` is the standard deviation of `n` values (at least 2), `share` the variance of the
    difference over that of the values: 1 / n + 1 / m for means of n and of m values.
    """
    return _judged(difference, _quantile(n - 1) * std * math.sqrt(share), margin, basis)


def of_two_rates(error: float, published: float, n_test: int, margin: float) -> Deviation:
    """Compare two error rates of single splits, in percent, by the binomial interval.

    The rates count as independent, with `n_test` test rows each.
    """
    square = (error * (100.0 - error) + published * (100.0 - published)) / n_test
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(max(square, 0.0))
    return _judged(error - published, half, margin, "two rates")


def less_by_welch(one: Sample, other: Sample) -> bool:
    """Return whether a one-sided Welch test at 5 % finds the first mean less than the second.

    If no value differs from its mean, the means are compared as numbers.
    """
    if one.std is None or other.std is None:
        return False
    if one.std == other.std == 0.0:
        return one.mean < other.mean
    test = ttest_ind_from_stats(
        one.mean,
        one.std,
        one.n,
        other.mean,
        other.std,
        other.n,
        equal_var=False,
        alternative="less",
    )
    return bool(test.pvalue < 1 - CONFIDENCE)


def _quantile(freedom: float) -> float:
    return float(t.ppf((1 + CONFIDENCE) / 2, freedom))


def _judged(value: float, half: float, margin: float, basis: Basis) -> Deviation:
    return Deviation(value, value - half, value + half, _verdict(value, half, margin), basis)


def is_within(difference: float, margin: float) -> bool:
    """Return whether a difference is at most the margin, whatever its last bit."""
    return abs(difference) <= margin + ROUNDING


def _verdict(value: float, half: float, margin: float) -> Verdict:
    """Return the verdict on a difference whose interval has this half-width."""
    if is_within(abs(value) + half, margin):
        return "reproduced"
    if abs(value) - half > margin + ROUNDING:
        return "differs"
    if not is_within(half, WIDEST * margin):
        return "cannot tell"
    return "compatible" if abs(value) <= half else "close"


def deviation(
    study: Study, table: TableConfig, column: ColumnConfig, answer: Answer, printed: Published
) -> Deviation:
    """Compare the values of a table's cell (there is at least one) with the printed value.

    If the printed value is a random draw, or comes from randomly drawn rows, the interval comes
    from more draws of ours. Facts of the data, and algorithms without randomness on the paper's own
    rows, have no sampling error. Otherwise the interval comes from the orders of the training rows
    if there is one realization, from whole repetitions of a cross-validation, or from the
    realizations; if the paper does not say how it split the data once, the printed value counts as
    one more realization. A single rate has the binomial interval.
    """
    question, margin = answer.question, table.margin_of(column, printed.value)
    entry = study.config.dataset(question.row)
    values = answer.shown()
    mean = float(values.mean())
    if column.draws is not None and question.algorithm in (column.of(table), column.draws):
        drawn = ask(study, replace(question, algorithm=column.draws)).shown()
        return of_draws(drawn, mean, printed.value, margin)
    others = [ask(study, replace(question, row=name)).shown() for name in entry.drawn_again]
    if means := [float(of_draw.mean()) for of_draw in others if of_draw.size]:
        return of_drawn_rows(np.array([mean, *means]), printed.value, margin)
    # Facts of the data, and fits without randomness on the paper's rows, have no sampling error.
    if table.of == "data":
        return of_same_rows(mean, printed.value, 0.0)
    orders = answer.by_order()
    if entry.same_rows:
        if orders is not None and len(orders) == 1:
            ours = sample(orders[0])
            return of_samples(ours, Sample(printed.value, printed.std, 1), margin, "orders")
        if not any(draws(record) for record in answer.records.values()):
            return of_same_rows(mean, printed.value, margin)
    # Otherwise the interval comes from what varies: repetitions, test rows, or realizations.
    repeated = repetitions_of(answer)
    if repeated is not None and values.size > 1:
        of_repetitions, share = repeated
        of = sample(of_repetitions)
        return of_spread(mean - printed.value, of.std or 0.0, share, of.n, margin, "repetitions")
    n_test = next(record.size("n_test") for record in answer.records.values())
    if values.size == 1 and n_test and table.metric_of(column) in RATES:
        return of_two_rates(mean, printed.value, n_test, margin)
    if entry.published_split is not None:
        # The printed spread, if any, is that of several runs on the one split.
        return of_samples(sample(values), Sample(printed.value, None, 1), margin, SPLIT)
    # The paper ran one order in each realization, so its spread is that of single orders; ours is
    # that of means over orders.
    spread = sample(orders.ravel()).std if orders is not None else None
    config = study.config
    n = config.published_realizations or entry.realizations or config.realizations
    return of_samples(sample(values), Sample(printed.value, printed.std or spread, n), margin)


def sample(values: NDArray[np.float64]) -> Sample:
    """Return the mean, the standard deviation and the number of values."""
    std = float(values.std(ddof=1)) if values.size > 1 else None
    return Sample(float(values.mean()), std, values.size)


def draws(record: Record) -> bool:
    """Return whether an algorithm draws random numbers of its own.

    An algorithm with a `random_state` draws unless the config sets it; one without it draws if one
    of its inner estimators does.
    """
    settings = (record.settings.get("algorithm") or {}).get("defaults") or {}
    states = {key: value for key, value in settings.items() if key.endswith("random_state")}
    own_state = states.get("random_state")
    return repr(None) in (states.values() if own_state is None else (own_state,))


def repetitions_of(answer: Answer) -> tuple[NDArray[np.float64], float] | None:
    """Return the sample to compare with a printed mean of one k-fold cross-validation.

    The second result is the variance of ours minus printed over that of the sample. One repetition
    of ours is one draw of the printed value; its folds are not independent draws, because they
    train on mostly the same rows. If there are fewer than two complete repetitions, the folds are
    the sample, and the variance of either mean has Nadeau and Bengio's (2003) term 1 / (k - 1), the
    size of a test part over that of a training part. Folds of incomplete repetitions are left out.
    None for splits that are neither k-fold nor leave one group out.
    """
    split = next((record.settings.get("split") for record in answer.records.values()), None)
    k = folds_of(split or {})
    if not split or k is None:
        return None
    folds = answer.shown()
    repetition = (np.array(list(answer.values)) - 1) // k  # as data.splits numbers the folds
    complete = np.bincount(repetition) == k
    means = np.bincount(repetition, weights=folds)[complete] / k
    if means.size >= 2:
        return means, 1 / means.size + 1.0
    shared = overlap(split)
    return folds, (1 / folds.size + shared) + (1 / k + shared)
