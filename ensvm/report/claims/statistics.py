"""Does a relation hold, fail, or can we not tell? Effects in, evidence with an interval out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, t

from ensvm.report.verdict import CONFIDENCE
from ensvm.study.relations import Bound

ClaimVerdict = Literal["holds", "fails", "cannot tell"]
CLAIM_VERDICTS: tuple[ClaimVerdict, ...] = ("holds", "fails", "cannot tell")

# Added to errors and to right answers of each rate: no interval shrinks to nothing at 0 or n errors
PSEUDO_ERRORS = 1


@dataclass(frozen=True)
class Evidence:
    """An effect of `n` realizations, its 95 % interval (None: a single value), the verdict."""

    effect: float
    low: float | None
    high: float | None
    n: int
    verdict: ClaimVerdict


def judge_sample(effects: ArrayLike, *bounds: Bound, logarithmic: bool = False) -> Evidence:
    """Judge the mean of effects, one a realization, by its 95 % t interval.

    Equal effects have an interval of no width. For paired values the effects are differences, and
    this is the paired t test.

    Parameters
    ----------
    effects : array-like of shape (n_realizations,)
        The effects.
    *bounds : Bound
        What is claimed of the effect; all must hold.
    logarithmic : bool, default False
        Whether to judge the mean of the logarithms: the effect is then the geometric mean.

    Raises
    ------
    ValueError
        Without effects.
    """
    array = np.asarray(effects, dtype=float)
    if not array.size:
        raise ValueError("there are no effects to judge")
    if logarithmic:
        logs = judge_sample(np.log(array), *(_logarithm(bound) for bound in bounds))
        return replace(logs, effect=_exp(logs.effect), low=_exp(logs.low), high=_exp(logs.high))
    # The mean of equal numbers may be off by a rounding, which would decide at the threshold
    # itself.
    equal = np.ptp(array) == 0.0
    mean = float(array[0]) if equal else float(array.mean())
    if array.size == 1:
        return Evidence(mean, None, None, 1, judge_interval(bounds, mean, mean, single=True))
    spread = 0.0 if equal else float(array.std(ddof=1))
    half = float(t.ppf((1 + CONFIDENCE) / 2, array.size - 1)) * spread / math.sqrt(array.size)
    low, high = mean - half, mean + half
    return Evidence(mean, low, high, array.size, judge_interval(bounds, low, high))


def judge_single_split(better: float, than: float, n_test: int, *bounds: Bound) -> Evidence:
    """Judge the difference of two error rates of one split, a single realization.

    The interval is Agresti & Caffo's (2000) for independent rates: conservative here, since both
    classifiers answer the same points, and as sound for few errors.

    Parameters
    ----------
    better, than : float
        The rates, as fractions.
    n_test : int
        The number of test points.
    *bounds : Bound
        What is claimed of the difference, in fractions; all must hold.
    """
    rates = [
        (rate * n_test + PSEUDO_ERRORS) / (n_test + 2 * PSEUDO_ERRORS) for rate in (better, than)
    ]
    square = sum(rate * (1 - rate) for rate in rates) / (n_test + 2 * PSEUDO_ERRORS)
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(square)
    low, high = rates[0] - rates[1] - half, rates[0] - rates[1] + half
    return Evidence(better - than, low, high, 1, judge_interval(bounds, low, high))


def judge_interval(
    bounds: Sequence[Bound], low: float, high: float, *, single: bool = False
) -> ClaimVerdict:
    """Judge an effect known to lie in [low, high]: does it keep to all bounds?

    With `single` it is a plain value, low = high, with no spread known.
    """
    return judge_all([_judge(bound, low, high, single) for bound in bounds])


def _judge(bound: Bound, low: float, high: float, single: bool) -> ClaimVerdict:
    if bound.above:  # the same of the effect's negative, from below
        bound = replace(bound, threshold=-bound.threshold, neutral=-bound.neutral, above=False)
        low, high = -high, -low
    least = most = bound.threshold
    if single:
        least, most = min(least, bound.neutral), max(most, bound.neutral)
    if high < least or (high == least and not bound.strict):
        return "holds"
    return "fails" if low > most or (low == most and bound.strict) else "cannot tell"


def _logarithm(bound: Bound) -> Bound:
    return replace(bound, threshold=math.log(bound.threshold), neutral=math.log(bound.neutral))


def _exp(log: float | None) -> Any:
    # The interval of two very different ratios may well be infinite.
    with np.errstate(over="ignore"):
        return None if log is None else float(np.exp(log))


def judge_all(verdicts: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return `holds` when all hold (there is one), `fails` when any fails, else `cannot tell`."""
    if "fails" in verdicts:
        return "fails"
    return "holds" if verdicts and set(verdicts) == {"holds"} else "cannot tell"


def judge_most(verdicts: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return `holds` when over half hold, `fails` when half or more fail, else `cannot tell`."""
    if 2 * verdicts.count("holds") > len(verdicts):
        return "holds"
    return "fails" if verdicts and 2 * verdicts.count("fails") >= len(verdicts) else "cannot tell"
