"""Statistical tests of claims: whether effects keep to their bounds, with a 95 % interval."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ensvm.report.intervals import Varied
from ensvm.report.statistical_tests import (
    CONFIDENCE,
    Estimate,
    MeanEstimate,
    chance_below,
    mean_of,
)
from ensvm.study.relations import Bound

ClaimVerdict = Literal["holds", "fails", "cannot tell"]
CLAIM_VERDICTS: tuple[ClaimVerdict, ...] = ("holds", "fails", "cannot tell")

# The level of one-sided tests: at it, an effect is beyond a bound if its interval is.
ONE_SIDED_LEVEL = (1 - CONFIDENCE) / 2

ROUNDING = 1e-9  # of sums of fractions


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
    estimate: Estimate | None = None


def judge_varied(varied: Varied, *bounds: Bound) -> TestedEffect:
    """Judge an effect by its estimate; all bounds must hold.

    An effect that does not vary is compared as a plain number. Without an estimate it is a single
    value.
    """
    effect, estimate = varied.shown, varied.estimate
    if estimate is None:
        verdict = judge_single_value(effect, *bounds)
        return TestedEffect(effect, None, None, None, None, verdict)
    if estimate.is_exact:
        # Rounding in the last bit must not decide at a threshold.
        limits = [bound.threshold for bound in bounds]
        effect = next((each for each in limits if abs(each - effect) < ROUNDING), effect)
        estimate = MeanEstimate(effect, 0.0)
    low, high = estimate.interval(2 * ONE_SIDED_LEVEL)
    sides = [_p_values(bound, estimate) for bound in bounds]
    p_holds = max(holds for holds, _ in sides)
    p_fails = min(fails for _, fails in sides)
    return TestedEffect(effect, low, high, p_holds, p_fails, judge_p(p_holds, p_fails), estimate)


def judge_sample(effects: ArrayLike, *bounds: Bound, overlap: float = 0.0) -> TestedEffect:
    """Judge the mean of effects, one a realization, by its t test.

    If the effects are differences of paired values, this is the paired t test; with `overlap` (see
    `statistical_tests.mean_of`), the corrected resampled t test.
    """
    array = np.asarray(effects, dtype=float)
    estimate = mean_of(array, overlap) if array.size > 1 else None
    shown = float(array[0]) if estimate is None else estimate.value
    return judge_varied(Varied(shown, estimate, ""), *bounds)


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
    if p_holds <= ONE_SIDED_LEVEL:
        return "holds"
    return "fails" if p_fails <= ONE_SIDED_LEVEL else "cannot tell"


def judge_rejection(effect: TestedEffect) -> TestedEffect:
    """Return an effect that holds unless its 95 % interval excludes 0, without p-values to adjust.

    A claim about rejections counts the rows that reject, so each row is tested by itself.
    """
    if effect.low is None or effect.high is None:
        return replace(effect, verdict="cannot tell")
    is_rejected = not effect.low <= 0.0 <= effect.high
    verdict: ClaimVerdict = "fails" if is_rejected else "holds"
    return replace(effect, p_holds=None, p_fails=None, verdict=verdict)


def _p_values(bound: Bound, estimate: Estimate) -> tuple[float, float]:
    """Return the p-values of keeping to the bound, and of violating it."""
    if estimate.is_exact:
        return (0.0, 1.0) if bound.kept_by(estimate.value) else (1.0, 0.0)
    distance = estimate.distance(bound.threshold)
    below, above = (chance_below(side, estimate.freedom) for side in (distance, -distance))
    return (above, below) if bound.above else (below, above)


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

    `fails` means that so many fail that the number cannot be reached. A row without values (None)
    may come out either way.
    """
    needed = len(verdicts) if scope == "all" else scope
    if verdicts and verdicts.count("holds") >= needed:
        return "holds"
    left = len(verdicts) - verdicts.count("fails")
    return "fails" if left < needed <= len(verdicts) else "cannot tell"
