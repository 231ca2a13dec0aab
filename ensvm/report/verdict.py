"""Our value against the printed one: the difference, its 95 % interval D, and the verdict.

D is widened on both sides by half a unit of the last printed digit. With the margin M, the verdict
is `=` (reproduced) if D lies within ±M, `≠` (differs) if it lies outside, `≈` (close) if it lies
within ±3M, and `?` (cannot tell) otherwise.
"""

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ensvm.data.splits import folds_of
from ensvm.records.record import Record
from ensvm.report.query import Answer, Study, ask
from ensvm.report.statistical_tests import chance_below, quantile
from ensvm.study.metrics import RATES
from ensvm.study.printed import Published
from ensvm.study.table_layout import ColumnConfig, TableConfig, Verdict, Why

CONFIDENCE = 0.95
CLOSE = 3.0  # D within so many margins is close
MOST_VALUES = 10_000  # of ours; what more would decide counts as undecidable
ROUNDING = 1e-9  # a difference that equals the margin lies within it, despite rounding errors


class Sample(NamedTuple):
    """The mean, standard deviation (None for a single value) and number of some values."""

    mean: float
    std: float | None
    n: int


@dataclass(frozen=True)
class Deviation:
    """Ours minus printed, in the unit of the table.

    `low` and `high` are the ends of D, None if there is no interval; `basis` names what it is
    computed from. `why` is one word for a verdict that cannot be given.
    """

    value: float
    low: float | None
    high: float | None
    verdict: Verdict
    why: Why = ""
    basis: str = ""


@dataclass(frozen=True)
class Comparison:
    """Our values and the printed one, and what the bases of an interval need to know about them.

    `values` are ours, one a realization. `like_print` are values of ours of which the printed one
    is one more: of other splits, repetitions, orders or draws; None if there are none. `fixed` says
    that the training and test rows are the paper's and nothing is random. `n_test` is the number of
    test rows behind a single error rate, 0 for other values. The printed value is the mean of
    `n_printed` runs; `spread` is our standard deviation of such a run, if it is not that of
    `values`.
    """

    values: NDArray[np.float64]
    printed: Published
    like_print: NDArray[np.float64] | None = None
    fixed: bool = False
    n_test: int = 0
    n_printed: int = 1
    spread: float | None = None

    @property
    def mean(self) -> float:
        """Our value."""
        return float(self.values.mean())


class Basis(NamedTuple):
    """What an interval is computed from.

    `interval` returns the centre and the half-width of the interval around our value.
    """

    name: str
    meaning: str
    applies: Callable[[Comparison], bool]
    interval: Callable[[Comparison], tuple[float, float]]


def _one_more(one: Comparison) -> tuple[float, float]:
    """Return the prediction interval of one more value like ours: t s √(1 + 1/n)."""
    values = one.like_print
    assert values is not None
    half = _quantile(values.size - 1) * float(values.std(ddof=1)) * math.sqrt(1 + 1 / values.size)
    return float(values.mean()), half


def _of_two_rates(one: Comparison) -> tuple[float, float]:
    """Return the binomial interval of two independent error rates on as many test rows."""
    rates = (one.mean, one.printed.value)
    square = sum(rate * (100.0 - rate) for rate in rates) / one.n_test
    return one.mean, quantile((1 + CONFIDENCE) / 2) * math.sqrt(max(square, 0.0))


def _of_two_means(one: Comparison) -> tuple[float, float]:
    """Return Welch's interval; if print has no standard deviation, ours is taken for it.

    Then only our values estimate the spread, with n - 1 degrees of freedom.
    """
    ours, m = sample(one.values), one.n_printed
    assert ours.std is not None
    square, freedom = ours.std**2 / ours.n, ours.n - 1.0
    if one.printed.std is None or m == 1:  # a single run has no standard deviation
        of_print = (one.spread or ours.std) ** 2 / m
    else:
        of_print = one.printed.std**2 / m
        if square + of_print > 0.0:
            freedom = _welch_freedom((square, ours.n), (of_print, m))
    return ours.mean, _quantile(freedom) * math.sqrt(square + of_print)


# The first that applies is taken; the legends of tables are made from the same list.
BASES = (
    Basis(
        "exact",
        "the paper's rows and nothing random, so only print's rounding counts",
        lambda one: one.fixed,
        lambda one: (one.mean, 0.0),
    ),
    Basis(
        "one more of ours",
        "print is one more split, repetition, order or draw like ours: t s √(1 + 1/n)",
        lambda one: one.like_print is not None and one.like_print.size > 1,
        _one_more,
    ),
    Basis(
        "test rows",
        "a single error rate: binomial, of two rates",
        lambda one: one.n_test > 0,
        _of_two_rates,
    ),
    Basis("means", "two means: Welch's", lambda one: one.values.size > 1, _of_two_means),
)


def judge(one: Comparison, margin: float) -> Deviation:
    """Return the difference of a comparison with its interval D and the verdict."""
    difference, rounded = one.mean - one.printed.value, one.printed.half_unit
    basis = next((basis for basis in BASES if basis.applies(one)), None)
    if basis is None:
        return Deviation(difference, None, None, "cannot tell", "none")
    centre, half = basis.interval(one)
    low, high = (centre - one.printed.value + side * (half + rounded) for side in (-1, 1))
    # No value can be nearer to the printed one than print's own rounding.
    verdict = verdict_on(low, high, max(margin, rounded))
    why: Why = "wide" if verdict == "cannot tell" else ""
    return Deviation(difference, low, high, verdict, why, basis.name)


def values_to_decide(one: Comparison, margin: float) -> int | None:
    """Return about how many values of ours would give another verdict than "cannot tell".

    These are whole repetitions if ours are folds of a cross-validation. Mean and spread are taken
    to stay as they are; the spread of a single error rate is binomial. Returns None if 10,000
    values would not decide, as when the printed value alone is too uncertain, and for rows left
    out one by one, which can be left out in one way only.
    """
    if one.n_test and one.values.size > 1 and one.like_print is None:
        return None
    known = one.values if one.like_print is None else one.like_print
    if known.size > 1:
        mean, spread = float(known.mean()), float(known.std(ddof=1))
    elif one.n_test:
        mean, spread = one.mean, math.sqrt(one.mean * (100.0 - one.mean) / one.n_test)
    else:
        return None

    def decides(n: int) -> bool:
        shape = np.linspace(-1.0, 1.0, n)
        values = mean + shape * spread / shape.std(ddof=1)
        like_print = None if one.like_print is None else values
        more = replace(one, values=values, like_print=like_print, n_test=0)
        return judge(more, margin).verdict != "cannot tell"

    if not decides(MOST_VALUES):
        return None
    return bisect_left(range(MOST_VALUES), True, lo=2, key=decides)


def verdict_on(low: float, high: float, margin: float) -> Verdict:
    """Return the verdict on an interval D from `low` to `high`."""
    if low > margin + ROUNDING or high < -margin - ROUNDING:
        return "differs"
    farthest = max(abs(low), abs(high))
    if is_within(farthest, margin):
        return "reproduced"
    return "close" if is_within(farthest, CLOSE * margin) else "cannot tell"


def is_within(difference: float, margin: float) -> bool:
    """Return whether a difference is at most the margin, whatever its last bit."""
    return abs(difference) <= margin + ROUNDING


def deviation(
    study: Study, table: TableConfig, column: ColumnConfig, answer: Answer, printed: Published
) -> Deviation:
    """Compare the values of a table's cell (there is at least one) with the printed value.

    Facts of the data are equal or they differ.
    """
    if table.of == "data":
        difference = float(answer.shown().mean()) - printed.value
        return Deviation(difference, None, None, "differs" if difference else "reproduced")
    return judge(
        comparison(study, table, column, answer, printed), table.margin_of(column, printed.value)
    )


def comparison(
    study: Study, table: TableConfig, column: ColumnConfig, answer: Answer, printed: Published
) -> Comparison:
    """Return what the interval of a value is computed from."""
    values = answer.shown()
    like_print = _like_print(study, table, column, answer)
    n_test = 0
    if table.metric_of(column) in RATES and (values.size == 1 or _folds(answer)):
        n_test = sum(record.size("n_test") or 0 for record in answer.records.values())
    # The paper ran one order in each realization; our values are means over orders.
    orders = answer.by_order()
    return Comparison(
        values,
        printed,
        like_print,
        fixed=like_print is None and is_fixed(study, answer),
        n_test=n_test,
        n_printed=study.config.published_realizations or 1,
        spread=None if orders is None else sample(orders.ravel()).std,
    )


def _like_print(
    study: Study, table: TableConfig, column: ColumnConfig, answer: Answer
) -> NDArray[np.float64] | None:
    """Return values of ours of which the printed one is one more; None if print is not like that.

    They come from the algorithm that `draws:` names, from data drawn again, from the orders of the
    paper's own rows, from whole repetitions of a cross-validation (but leaving one row out is the
    same each time), or from other splits if the paper does not say how it split the data once.
    """
    question = answer.question
    entry = study.config.dataset(question.row)
    if column.draws is not None and question.algorithm in (column.of(table), column.draws):
        return ask(study, replace(question, algorithm=column.draws)).shown()
    if entry.drawn_again:
        again = (replace(question, row=name) for name in entry.drawn_again)
        answers = [answer, *(ask(study, of_draw) for of_draw in again)]
        return np.array([one.shown().mean() for one in answers if one.values])
    orders = answer.by_order()
    if entry.same_rows and orders is not None and len(orders) == 1:
        return orders[0]
    if _folds(answer):
        tested = {record.size("n_test") for record in answer.records.values()}
        return None if tested == {1} else repetitions_of(answer)  # leaving one out has one way
    return answer.shown() if entry.published_split is not None else None


def less_by_welch(one: Sample, other: Sample) -> bool:
    """Return whether a one-sided Welch test at 5 % finds the first mean less than the second.

    If no value differs from its mean, the means are compared as numbers.
    """
    if one.std is None or other.std is None:
        return False
    if one.std == other.std == 0.0:
        return one.mean < other.mean
    squares = one.std**2 / one.n, other.std**2 / other.n
    freedom = _welch_freedom((squares[0], one.n), (squares[1], other.n))
    distance = (one.mean - other.mean) / math.sqrt(sum(squares))
    return chance_below(distance, freedom) < 1 - CONFIDENCE


def _welch_freedom(*squares: tuple[float, int]) -> float:
    """Return Welch's degrees of freedom, from the squared error of each mean and its n."""
    total = sum(square for square, _ in squares)
    return total**2 / sum(square**2 / (n - 1) for square, n in squares)


def _quantile(freedom: float) -> float:
    return quantile((1 + CONFIDENCE) / 2, freedom)


def sample(values: NDArray[np.float64]) -> Sample:
    """Return the mean, the standard deviation and the number of values."""
    std = float(values.std(ddof=1)) if values.size > 1 else None
    return Sample(float(values.mean()), std, values.size)


def draws(record: Record) -> bool:
    """Return whether an algorithm draws random numbers, as its run found out.

    If the run did not try, an algorithm with a `random_state` counts as one that draws.
    """
    if record.draws is not None:
        return record.draws
    method = record.settings.method
    return method is not None and any(key.endswith("random_state") for key in method.defaults)


def is_fixed(study: Study, answer: Answer) -> bool:
    """Return whether the rows are the paper's and the algorithm draws no random numbers.

    A search by cross-validation is not fixed: the paper's folds are not known.
    """
    return study.config.dataset(answer.question.row).same_rows and not any(
        draws(record) or (record.stage is not None and record.n_stages is None)
        for record in answer.records.values()
    )


def _folds(answer: Answer) -> int | None:
    """Return the number of folds of the split behind an answer; None for other splits."""
    first = next(iter(answer.records.values()), None)
    return folds_of(first.settings.split) if first else None


def repetitions_of(answer: Answer) -> NDArray[np.float64]:
    """Return the mean of each complete repetition of a cross-validation.

    Its folds are not independent of each other, since they train on mostly the same rows.
    """
    k = _folds(answer)
    assert k is not None
    repetition = (np.array(list(answer.values)) - 1) // k  # as data.splits numbers the folds
    complete = np.bincount(repetition) == k
    return np.bincount(repetition, weights=answer.shown())[complete] / k
