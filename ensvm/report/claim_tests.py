"""Statistical tests of claims: whether effects keep to their bounds, with a 95 % interval."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ensvm.report.statistical_tests import MeanEstimate, chance_below, mean_of
from ensvm.report.verdict import CONFIDENCE
from ensvm.study.relations import Bound

ClaimVerdict = Literal["holds", "fails", "cannot tell"]
CLAIM_VERDICTS: tuple[ClaimVerdict, ...] = ("holds", "fails", "cannot tell")

# The level of one-sided tests: at it, an effect is beyond a bound if its interval is.
LEVEL = (1 - CONFIDENCE) / 2

ROUNDING = 1e-9  # of sums of fractions

# Agresti and Caffo add this many errors and correct answers to each rate, so that the interval has
# a width even for 0 errors and for errors only.
PSEUDO_ERRORS = 1


@dataclass(frozen=True)
class TestedEffect:
    """An effect over realizations, its 95 % interval, and its verdict on its own.

    A single value has neither interval nor p-values (None). The p-values are one-sided: a small
    `p_holds` shows that the effect keeps to all bounds, a small `p_fails` that it violates one.
    """

    effect: float
    low: float | None
    high: float | None
    p_holds: float | None
    p_fails: float | None
    verdict: ClaimVerdict


def judge_sample(
    effects: ArrayLike,
    *bounds: Bound,
    logarithmic: bool = False,
    overlap: float = 0.0,
    exact: bool = False,
) -> TestedEffect:
    """Judge the mean of effects, one a realization, by its t test.

    All bounds must hold. Equal effects have an interval of no width, and so has a mean that is
    `exact`, because nothing was drawn. If the effects are differences of paired values, this is the
    paired t test; with `overlap`, which is added to 1/n in the variance of the mean (see
    `ensvm.data.splits.overlap`), the corrected resampled t test. If `logarithmic`, the mean of the
    logarithms is judged, and the effect is the geometric mean.
    """
    array = np.asarray(effects, dtype=float)
    if logarithmic:
        logged = [_logarithm(bound) for bound in bounds]
        logs = judge_sample(np.log(array), *logged, overlap=overlap, exact=exact)
        return replace(logs, effect=_exp(logs.effect), low=_exp(logs.low), high=_exp(logs.high))
    if exact:
        # Rounding in the last bit must not decide at a threshold.
        value, limits = float(array.mean()), [bound.threshold for bound in bounds]
        value = next((each for each in limits if abs(each - value) < ROUNDING), value)
        return _tested(value, MeanEstimate(value, 0.0), bounds)
    if array.size == 1:
        value = float(array[0])
        return TestedEffect(value, None, None, None, None, judge_single_value(value, *bounds))
    mean = mean_of(array, overlap)
    return _tested(mean.value, mean, bounds)


def judge_single_split(
    left: float, right: float, n_test: int, *bounds: Bound, variance: float = 0.0
) -> TestedEffect:
    """Judge the difference of two error rates of one split, a single realization.

    The rates and bounds are fractions. The interval is Agresti & Caffo's (2000) for independent
    rates: conservative here, because both classifiers predict the same `n_test` points, and valid
    for few errors. `variance` is added for causes other than the choice of test points.
    """
    rates = [
        (rate * n_test + PSEUDO_ERRORS) / (n_test + 2 * PSEUDO_ERRORS) for rate in (left, right)
    ]
    square = variance + sum(rate * (1 - rate) for rate in rates) / (n_test + 2 * PSEUDO_ERRORS)
    difference = MeanEstimate(rates[0] - rates[1], math.sqrt(square))
    return _tested(left - right, difference, bounds)


def judge_single_value(value: float, *bounds: Bound) -> ClaimVerdict:
    """Judge a single value, which has no interval.

    It decides only if it lies on the same side of the threshold and of equality.
    """
    verdicts: list[ClaimVerdict] = []
    for bound in bounds:
        kept = bound.kept_by(value)
        is_clear = replace(bound, threshold=bound.neutral).kept_by(value) == kept
        verdicts.append(("holds" if kept else "fails") if is_clear else "cannot tell")
    return judge_all(verdicts)


def judge_each(effects: ArrayLike, *bounds: Bound) -> TestedEffect:
    """Judge a claim about each realization: no test is needed; the effect is the worst of them."""
    values = [float(effect) for effect in np.asarray(effects, dtype=float)]
    worst = max(values, key=lambda effect: max(bound.excess(effect) for bound in bounds))
    kept = all(bound.kept_by(worst) for bound in bounds)
    return TestedEffect(worst, None, None, None, None, "holds" if kept else "fails")


def judge_range(low: float, high: float, *bounds: Bound) -> ClaimVerdict:
    """Judge a number between two ends, which are not reached, such as a rounded one.

    It holds or fails if all numbers between the ends do.
    """
    verdicts: list[ClaimVerdict] = []
    for bound in bounds:
        if low < bound.threshold < high:
            verdicts.append("cannot tell")
        else:
            verdicts.append("holds" if (low >= bound.threshold) == bound.above else "fails")
    return judge_all(verdicts)


def judge_p(p_holds: float, p_fails: float) -> ClaimVerdict:
    """Judge by one-sided p-values, each at half of 5 %."""
    if p_holds <= LEVEL:
        return "holds"
    return "fails" if p_fails <= LEVEL else "cannot tell"


def judge_rejection(effect: TestedEffect) -> TestedEffect:
    """Return an effect that holds unless its 95 % interval excludes 0, without p-values to adjust.

    A claim about rejections counts the rows that reject, so each row is tested by itself.
    """
    if effect.low is None or effect.high is None:
        return replace(effect, verdict="cannot tell")
    is_rejected = not effect.low <= 0.0 <= effect.high
    verdict: ClaimVerdict = "fails" if is_rejected else "holds"
    return replace(effect, p_holds=None, p_fails=None, verdict=verdict)


def _tested(effect: float, estimate: MeanEstimate, bounds: Sequence[Bound]) -> TestedEffect:
    """Return an effect with the interval and the p-values of its estimate."""
    low, high = estimate.interval(2 * LEVEL)
    sides = [_p_values(bound, estimate) for bound in bounds]
    p_holds = max(holds for holds, _ in sides)
    p_fails = min(fails for _, fails in sides)
    return TestedEffect(effect, low, high, p_holds, p_fails, judge_p(p_holds, p_fails))


def _p_values(bound: Bound, estimate: MeanEstimate) -> tuple[float, float]:
    """Return the p-values of keeping to the bound, and of violating it."""
    if estimate.error == 0.0:
        return (0.0, 1.0) if bound.kept_by(estimate.value) else (1.0, 0.0)
    distance = (estimate.value - bound.threshold) / estimate.error
    below, above = (chance_below(side, estimate.freedom) for side in (distance, -distance))
    return (above, below) if bound.above else (below, above)


def _logarithm(bound: Bound) -> Bound:
    return replace(bound, threshold=math.log(bound.threshold), neutral=math.log(bound.neutral))


def _exp(log: float | None) -> Any:
    # The interval of two very different ratios may well be infinite.
    with np.errstate(over="ignore"):
        return None if log is None else float(np.exp(log))


def judge_all(verdicts: Iterable[ClaimVerdict | None]) -> ClaimVerdict:
    """Return `fails` if any fails, `holds` if there are some and all hold, else `cannot tell`.

    None, a verdict without values, does not count.
    """
    known = set(verdicts) - {None}
    if "fails" in known:
        return "fails"
    return "holds" if known == {"holds"} else "cannot tell"


def judge_scope(
    verdicts: Sequence[ClaimVerdict | None], scope: int | Literal["all"]
) -> ClaimVerdict:
    """Return `holds` if all verdicts hold, or as many as the number `scope`.

    With a number, `fails` means that so many fail that the number cannot be reached.
    """
    if scope == "all":
        return judge_all(verdicts)
    if verdicts.count("holds") >= scope:
        return "holds"
    left = len(verdicts) - verdicts.count("fails")
    return "fails" if left < scope <= len(verdicts) else "cannot tell"
