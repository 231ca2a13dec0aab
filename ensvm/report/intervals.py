"""What varies if an experiment is run again: from results to centre, half-width and basis.

Signs of tables, claims, underlined values and `ensvm rank` on one data set take their intervals
here, and add only their own rule. On *these rows*, nothing varies (*exact*), or one of these does:
the orders of the training rows, the repetitions of a cross-validation, or the realizations. A
single error rate, and equal ones, vary with their test rows. On *new rows*, realizations that share
rows are correlated.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ensvm.array_types import Vector
from ensvm.data.splits import OfficialSplit, folds_of
from ensvm.report.query import QueryResult, ask, paired_values, shared_realizations
from ensvm.report.randomness import (
    by_repetition,
    complete,
    for_each_realization,
    is_fixed,
    is_left_out_in_turn,
    n_tested,
    overlap_of,
    split_of,
)
from ensvm.report.statistical_tests import (
    Estimate,
    MeanEstimate,
    Sample,
    difference_of_means,
    difference_of_rates,
    is_constant,
    mean_of,
    rate_of,
    ratio_of,
    sample,
)
from ensvm.report.study_folder import Study
from ensvm.study.metrics import PARAMETER, PERCENT
from ensvm.study.printed import Published
from ensvm.study.printed_means import Mean, Spread
from ensvm.study.relations import EFFECTS, Effect
from ensvm.study.table_layout import ColumnConfig, TableConfig


class Varied(NamedTuple):
    """A number that is shown, its estimate (None without an interval), and what this rests on."""

    shown: float
    estimate: Estimate | None
    basis: str


# Of a value against the printed one.


@dataclass(frozen=True)
class Comparison:
    """Our values and the printed one, and what the bases of an interval need to know about them.

    `values` are ours, one for each run. A run is a realization, a whole repetition of a
    cross-validation, or one of the `n_folds` folds of a single repetition. If print is one more
    split, repetition, order or draw like ours, `like_print` has ours; else it is None. `each` is
    what the values of `like_print`, or else `values`, are called. `fixed` says
    that the training and test rows are the paper's and nothing is random. `is_given_split` says
    that other realizations have the same rows. `n_test` is the number
    of test rows behind a single error rate, or behind equal ones, and 0 for other values. The
    printed value is the mean of `n_printed` runs; `spread` is our standard deviation of such a run,
    if it differs from that of `values`. `paired` is the estimate of a value that is computed from
    two columns; it includes the variance of the printed value.
    """

    values: Vector
    printed: Published
    like_print: Vector | None = None
    fixed: bool = False
    n_test: int = 0
    n_printed: int = 1
    spread: float | None = None
    n_folds: int = 1
    paired: "Varied | None" = None
    is_given_split: bool = False
    each: str = "realizations"

    @property
    def mean(self) -> float:
        """Our value."""
        return float(self.values.mean())


class Basis(NamedTuple):
    """What an interval is computed from.

    `interval` returns our value and the estimate of its difference from the printed one.
    """

    name: str
    meaning: str
    applies: Callable[[Comparison], bool]
    interval: Callable[[Comparison], tuple[float, Estimate]]


def _exactly(one: Comparison) -> tuple[float, MeanEstimate]:
    return one.mean, MeanEstimate(one.mean - one.printed.value, 0.0)


def _is_paired(one: Comparison) -> bool:
    return one.paired is not None and one.paired.estimate is not None


def _paired(one: Comparison) -> tuple[float, Estimate]:
    assert one.paired is not None
    assert one.paired.estimate is not None
    return one.paired.shown, one.paired.estimate.moved(1.0, -one.printed.value)


def _is_one_more(one: Comparison) -> bool:
    """Return whether print is one more of several values; equal error rates do not vary enough."""
    values = one.like_print
    return values is not None and values.size > 1 and not (one.n_test and is_constant(values))


def _one_more(one: Comparison) -> tuple[float, MeanEstimate]:
    """Return the prediction interval of one more value like ours: t s √(1 + 1/n)."""
    assert one.like_print is not None
    mean, std, n = sample(one.like_print)
    assert std is not None
    return mean, MeanEstimate(mean - one.printed.value, std * math.sqrt(1 + 1 / n), n - 1.0)


def _is_of_rates(one: Comparison) -> bool:
    """Return whether the test rows alone say how our error rates vary."""
    # a printed deviation over the folds of one cross-validation says more
    is_one_repetition = one.n_folds == one.values.size and one.printed.std is None
    is_single = one.values.size == 1 or is_one_repetition
    return one.n_test > 0 and (is_single or is_constant(one.values))


def _of_two_rates(one: Comparison) -> tuple[float, MeanEstimate]:
    """Return the interval of two independent error rates on as many test rows."""
    return one.mean, difference_of_rates(one.mean, one.printed.value, one.n_test, PERCENT.scale)


def _of_two_means(one: Comparison) -> tuple[float, MeanEstimate]:
    """Return Welch's interval; if print has no standard deviation, ours is taken for it.

    Then only our values estimate the spread, with n - 1 degrees of freedom.
    """
    ours, m = sample(one.values), one.n_printed
    assert ours.std is not None
    if one.printed.std is not None and m > 1:  # a single run has no standard deviation
        theirs = Sample(one.printed.value, one.printed.std, m)
        return ours.mean, difference_of_means(ours, theirs)
    error = math.sqrt(ours.std**2 / ours.n + (one.spread or ours.std) ** 2 / m)
    return ours.mean, MeanEstimate(ours.mean - one.printed.value, error, ours.n - 1.0)


EXACT = "exact"  # the name of the basis of what nothing changes
# The first that applies is taken; the legends of tables are made from the same list.
BASES = (
    Basis(
        EXACT,
        "the paper's rows and nothing random, so only print's rounding counts",
        lambda one: one.fixed,
        _exactly,
    ),
    Basis(
        "two columns",
        "both columns in the same realizations, a ratio by Fieller's interval; print's spread is "
        "taken to be ours",
        _is_paired,
        _paired,
    ),
    Basis(
        "one more of ours",
        "print is one more split, repetition, order or draw like ours, whose mean is shown: "
        "t s √(1 + 1/n)",
        _is_one_more,
        _one_more,
    ),
    Basis(
        "test rows",
        "a single error rate, or equal ones: of two rates, as Agresti and Caffo have it",
        _is_of_rates,
        _of_two_rates,
    ),
    Basis(
        "means",
        "two means: Welch's; if print has no deviation, ours stands for it, with our n − 1 degrees "
        "of freedom",
        lambda one: one.values.size > 1,
        _of_two_means,
    ),
)


def against_print(one: Comparison) -> Varied:
    """Return our value, and how it varies: the estimate is of the difference from print."""
    basis = next((basis for basis in BASES if basis.applies(one)), None)
    if basis is None:
        return Varied(one.mean, None, "")
    shown, estimate = basis.interval(one)
    return Varied(shown, estimate, basis.name)


def comparison(
    study: Study, table: TableConfig, column: ColumnConfig, result: QueryResult, printed: Published
) -> Comparison:
    """Return what the interval of a table's value is computed from."""
    mean = study.config.mean_of_print(table, column, result.query.row)
    if result.effect is not None:
        return _of_two_columns(study, result.effect, result, printed, mean.realizations or 1)
    drawn = drawn_results(study, table, column, result)
    fixed = drawn is None and is_fixed(study, result)
    if drawn is not None and len(drawn) > 1:
        means = np.array([one.shown().mean() for one in drawn])
        each = f"draws of {what_is_drawn(column)}"
        return Comparison(result.shown(), printed, means, n_test=n_tested(result), each=each)
    k = folds_of(split_of(result))
    if k is not None:
        return _of_folds(result, printed, mean, k, fixed)
    printed, m = _with_deviation(printed, mean)
    # The paper ran one order in each realization; our values are means over orders.
    orders, entry = result.by_order(), study.config.dataset(result.query.row)
    values = result.shown()
    like_print: Vector | None = None
    each = "realizations"
    if entry.same_rows and orders is not None and len(orders) == 1:
        like_print, each = orders[0], "orders of the training rows"
    elif entry.published_split is not None:
        like_print = values
    # on the paper's own rows equal values show that seeds or orders do not matter
    is_given = entry.same_rows and (values.size > 1 or like_print is not None)
    is_rate = not is_given and (values.size == 1 or is_constant(values))
    return Comparison(
        values,
        printed,
        like_print,
        fixed=like_print is None and fixed,
        n_test=n_tested(result) if is_rate else 0,
        n_printed=m,
        spread=None if orders is None else sample(orders.ravel()).std,
        is_given_split=entry.same_rows or isinstance(split_of(result), OfficialSplit),
        each=each,
    )


def _with_deviation(
    printed: Published, mean: Mean, folds: int | None = None
) -> tuple[Published, int]:
    """Return a printed value with its standard deviation over runs, and the number of runs."""
    std, n = mean.deviation(printed.std, folds)
    return replace(printed, std=std), n


def printed_sample(
    study: Study, table: TableConfig, column: ColumnConfig, result: QueryResult, printed: Published
) -> Sample:
    """Return a printed value as the mean of runs, with their standard deviation and number."""
    mean = study.config.mean_of_print(table, column, result.query.row)
    printed, n = _with_deviation(printed, mean, folds_of(split_of(result)))
    return Sample(printed.value, printed.std, n)


def _of_two_columns(
    study: Study, effect: Effect, result: QueryResult, printed: Published, n_printed: int
) -> Comparison:
    """Return a comparison of a value that is computed from two columns, paired by realization.

    The printed value is one of means over `n_printed` realizations that vary as ours do.
    """
    whole = complete(result)
    values, k = whole.pairs, folds_of(split_of(result))
    fixed = all(is_fixed(study, part) for part in result.parts)
    of_ours = Comparison(np.array([effect.of_means(values)]), printed, fixed=fixed)
    if fixed:
        return of_ours
    if (rates := _of_rates(effect, result.parts, values)) is not None:
        assert isinstance(rates.estimate, MeanEstimate)
        error = math.sqrt(2) * rates.estimate.error  # print's rates are on as many rows
        estimate = replace(rates.estimate, error=error)
        return replace(of_ours, paired=Varied(rates.shown, estimate, ""))
    if k is not None:
        n_printed = max(n_printed, k)
        if (means := by_repetition(whole, values)) is not None:
            values, n_printed = means, n_printed // k
    return replace(of_ours, paired=_varied(effect, values, "", 1 / n_printed))


def of_two_columns(study: Study, result: QueryResult, *, timed: bool) -> Varied:
    """Return a value that is computed from two columns, with what varies on the same rows."""
    assert result.effect is not None
    whole = complete(result)
    return on_these_rows(study, result.effect, result.parts, whole.pairs, timed=timed)


def _of_folds(
    result: QueryResult, printed: Published, mean: Mean, k: int, fixed: bool
) -> Comparison:
    """Return a comparison of cross-validations: whole repetitions, or the folds of a single one.

    A printed value is the mean of the folds of one repetition at least.
    """
    printed, n_printed = _with_deviation(printed, mean, k)
    values = complete(result).shown()
    n_test = n_tested(result)
    if is_left_out_in_turn(result):
        return Comparison(values, printed, fixed=fixed, n_test=n_test, n_printed=k, n_folds=k)
    means = by_repetition(result, result.shown())
    if means is None:
        return Comparison(
            values, printed, n_test=n_test, n_printed=n_printed, n_folds=k, each="folds"
        )
    each = "repetitions of the cross-validation"
    n_test = n_test if is_constant(means) else 0
    if printed.std is not None:
        return Comparison(means, printed, n_test=n_test, n_printed=n_printed, each=each)
    m = n_printed // k
    like_print = means if m == 1 else None
    return Comparison(means, printed, like_print, n_test=n_test, n_printed=m, each=each)


def spread_shown(shown: Sample, result: QueryResult, kind: Spread) -> float | None:
    """Return the spread of our values in the kind of the printed one; None if there is none."""
    if shown.std is None or kind == "sd":
        return shown.std
    if kind == "se":
        return shown.std / math.sqrt(shown.n)
    means = by_repetition(result, result.shown())
    return None if means is None else sample(means).std


def value_shown(
    study: Study, table: TableConfig, column: ColumnConfig, result: QueryResult
) -> Sample:
    """Return the value of ours that a table shows: the one that is compared with print.

    If print is one of several draws, it is the mean of the draws.
    """
    if result.effect is not None:
        whole = complete(result)
        return sample(whole.shown())._replace(mean=result.effect.of_means(whole.pairs))
    drawn = drawn_results(study, table, column, result)
    if drawn is None or len(drawn) < 2:
        shown = sample(complete(result).shown())
        is_set = result.query.metric.startswith(PARAMETER)
        return shown._replace(std=None) if is_set else shown
    of_draws = [one.shown() for one in drawn]
    mean = float(np.mean([values.mean() for values in of_draws]))
    return sample(np.concatenate(of_draws))._replace(mean=mean)


def drawn_results(
    study: Study, table: TableConfig, column: ColumnConfig, result: QueryResult
) -> list[QueryResult] | None:
    """Return draws like the printed value, one result each; None if print is not one draw.

    They are the realizations of the algorithm that `draws:` names, or the data that `drawn_again:`
    names. Facts of the data are not draws.
    """
    if table.of == "data":
        return None
    query = result.query
    entry = study.config.dataset(query.row)
    if column.draws is not None and query.algorithm in (column.of(table), column.draws):
        drawn = ask(study, replace(query, algorithm=column.draws))
        return [drawn.over([number]) for number in drawn.values]
    if not entry.drawn_again:
        return None
    again = (ask(study, replace(query, row=name)) for name in entry.drawn_again)
    return [result, *(one for one in again if one.values)]


def what_is_drawn(column: ColumnConfig) -> str:
    """Return what draws like the printed value are draws of, for a text."""
    return "the data" if column.draws is None else "a setting"


# Of an effect of one algorithm or of two.


def of_printed(effect: Effect, samples: Sequence[Sample]) -> Varied | None:
    """Return an effect of printed means by their deviations; None if these do not say it.

    The values are taken for independent: print does not say how they vary together.
    """
    if any(one.std is None or one.n < 2 for one in samples):
        return None
    shown = float(effect.effects(np.array([[one.mean for one in samples]]))[0])
    if effect.of_pair and not effect.is_ratio:
        return Varied(shown, difference_of_means(*samples), "means")
    if effect.of_pair or len(samples) > 1:
        return None
    (one,) = samples
    assert one.std is not None
    return Varied(shown, MeanEstimate(shown, one.std / math.sqrt(one.n), one.n - 1.0), "means")


def on_these_rows(
    study: Study, effect: Effect, results: Sequence[QueryResult], values: Vector, *, timed: bool
) -> Varied:
    """Return an effect with what varies if all is run again on the same rows.

    `values` has a row for each shared realization, and a column for each algorithm. Timings always
    vary. A single result that is computed from two columns has the effect of these.
    """
    if len(results) == 1 and (computed := results[0].effect) is not None:
        parts, pairs = results[0].parts, results[0].pairs
        return on_these_rows(study, computed, parts, pairs, timed=timed)
    if (orders := _by_order(results, values)) is not None:
        return _varied(effect, orders, "orders")
    if not timed and all(is_fixed(study, result) for result in results):
        shown = effect.of_means(values)
        return Varied(shown, MeanEstimate(shown, 0.0), EXACT)
    # on the paper's own rows equal values show that seeds do not matter
    is_given = study.config.dataset(results[0].query.row).same_rows and len(values) > 1
    if not is_given and (rates := _of_rates(effect, results, values)) is not None:
        return rates
    shared = results[0].over(shared_realizations(results))
    if (means := by_repetition(shared, values)) is not None:
        return _varied(effect, means, "repetitions")
    return _varied(effect, values, "realizations")


def on_new_rows(effect: Effect, results: Sequence[QueryResult], values: Vector) -> Varied | None:
    """Return an effect as one of new rows of the same kind; None if that cannot be told.

    Several realizations have the interval of the corrected resampled t test (Nadeau & Bengio
    2003). Error rates on a single split, and equal ones, have the interval of rates, widened by
    the spread over orders of the training rows.
    """
    if len(results) == 1 and (computed := results[0].effect) is not None:
        return on_new_rows(computed, results[0].parts, results[0].pairs)
    noise = sum(_variance_over_orders(result) for result in results)
    if (rates := _of_rates(effect, results, values, noise)) is not None:
        return rates
    if len(values) < 2:
        return None
    return _varied(effect, values, "new rows", overlap_of(results[0]))


def difference_on_new_rows(
    study: Study, one: QueryResult, other: QueryResult
) -> tuple[Varied | None, Vector]:
    """Return the difference of two results on new rows, and the values behind it.

    The values are those of the shared realizations, of shape (n_shared, 2), in the unit that tables
    show. The difference is None if it cannot be told.
    """
    both = for_each_realization(study, [complete(one), complete(other)])
    values = one.unit.scale * paired_values(*both)
    varied = on_new_rows(EFFECTS["difference"], both, values) if len(values) else None
    return varied, values


def _varied(effect: Effect, values: Vector, basis: str, shared: float = 0.0) -> Varied:
    """Return the effect of some draws, with its interval if there are two or more."""
    shown = effect.of_means(values)
    if len(values) == 1:
        return Varied(shown, None, basis)
    if effect.is_ratio:
        ratio = ratio_of(values[:, 1], values[:, 0], shared)
        return Varied(shown, ratio.moved(effect.scale, effect.offset), basis)
    effects = effect.effects(values)
    if is_constant(effects, np.abs(values).max()):
        return Varied(shown, MeanEstimate(shown, 0.0), basis)
    estimate = mean_of(effects, shared)
    return Varied(estimate.value, estimate, basis)


def _of_rates(
    effect: Effect, results: Sequence[QueryResult], values: Vector, variance: float = 0.0
) -> Varied | None:
    """Return the effect of error rates of a single realization, or of equal ones, else None."""
    is_of_values = len(results) == values.shape[1]  # not a growth over several data sets
    n_test = min(map(n_tested, results)) if is_of_values else 0
    if not n_test or effect.is_ratio:
        return None
    if not is_constant(effect.effects(values), np.abs(values).max()):
        return None
    rates = values.mean(axis=0).tolist()
    if len(rates) == 1:
        found = rate_of(rates[0], n_test, PERCENT.scale)
    else:
        found = difference_of_rates(rates[0], rates[1], n_test, PERCENT.scale, variance)
    return Varied(effect.of_means(values), found, "test rows")


def _by_order(results: Sequence[QueryResult], values: Vector) -> Vector | None:
    """Return the values of each order of the training rows of a single realization.

    An algorithm without orders has the same value in each. Returns None without orders, or if
    algorithms have different numbers of orders.
    """
    orders = [result.by_order() for result in results] if len(values) == 1 else []
    sizes = {of_one.size for of_one in orders if of_one is not None}
    if len(sizes) != 1 or len(results) != values.shape[1]:
        return None
    (size,) = sizes
    columns = [
        np.full(size, value) if of_one is None else of_one[0]
        for value, of_one in zip(values[0], orders, strict=True)
    ]
    return np.column_stack(columns)


def _variance_over_orders(result: QueryResult) -> float:
    """Return the variance of a mean over orders of the training rows; 0 without `orders:`."""
    orders = result.by_order()
    return 0.0 if orders is None else float(orders.var(axis=1, ddof=1).mean()) / orders.shape[1]
