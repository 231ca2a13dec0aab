"""Does a relation between figures hold, fail, or can we not tell? Plain numbers in, evidence with an interval out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm, t

from ensvm.report.verdict import CONFIDENCE

ClaimVerdict = Literal["holds", "fails", "cannot tell"]
CLAIM_VERDICTS: tuple[ClaimVerdict, ...] = ("holds", "fails", "cannot tell")

# Added to errors and to right answers of each rate: no interval shrinks to nothing at 0 or n errors
PSEUDO_ERRORS = 1


@dataclass(frozen=True)
class Bound:
    """What is claimed of an effect: that it lies below `threshold` (`strict`: not even at it).

    `neutral` is the effect of no difference at all. A single figure has no interval; it decides
    only where it lies on one side of both, so that between them the answer is `cannot tell`.
    """

    threshold: float
    neutral: float
    strict: bool = False

    def judge(self, low: float, high: float, *, single: bool = False) -> ClaimVerdict:
        """Judge an effect known to lie in [low, high]; `single`: a plain figure, low = high, with no spread known."""
        least, most = (self.threshold, self.threshold)
        if single:
            least, most = min(self.threshold, self.neutral), max(self.threshold, self.neutral)
        if high < least or (high == least and not self.strict):
            return "holds"
        return "fails" if low > most or (low == most and self.strict) else "cannot tell"


@dataclass(frozen=True)
class Evidence:
    """An effect with its 95 % interval (None: a single figure) over `n` realizations, and the verdict."""

    effect: float
    low: float | None
    high: float | None
    n: int
    verdict: ClaimVerdict


def judge_sample(effects: ArrayLike, bound: Bound) -> Evidence:
    """Judge the mean of effects, one a realization, by its 95 % t interval; equal effects have an interval of no width.

    For paired figures the effects are differences, and this is the paired t test. Raises ValueError
    without effects.
    """
    array = np.asarray(effects, dtype=float)
    if not array.size:
        raise ValueError("there are no effects to judge")
    # The mean of equal numbers may be off by a rounding, which would decide at the threshold
    # itself.
    mean = float(array[0]) if np.ptp(array) == 0.0 else float(array.mean())
    if array.size == 1:
        return Evidence(mean, None, None, 1, bound.judge(mean, mean, single=True))
    spread = 0.0 if np.ptp(array) == 0.0 else float(array.std(ddof=1))
    half = float(t.ppf((1 + CONFIDENCE) / 2, array.size - 1)) * spread / math.sqrt(array.size)
    return Evidence(
        mean, mean - half, mean + half, array.size, bound.judge(mean - half, mean + half)
    )


def judge_single_split(better: float, than: float, n_test: int, bound: Bound) -> Evidence:
    """Judge the difference of two error rates (fractions) of one split of `n_test` test points, a single realization.

    The interval is Agresti & Caffo's (2000) for independent rates: conservative here, since both
    classifiers answer the same points, and as sound for few errors. `bound` is in fractions.
    """
    rates = [
        (rate * n_test + PSEUDO_ERRORS) / (n_test + 2 * PSEUDO_ERRORS) for rate in (better, than)
    ]
    square = sum(rate * (1 - rate) for rate in rates) / (n_test + 2 * PSEUDO_ERRORS)
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(square)
    low, high = rates[0] - rates[1] - half, rates[0] - rates[1] + half
    return Evidence(better - than, low, high, 1, bound.judge(low, high))


def judge_all(verdicts: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return `holds` when all hold (and there is one), `fails` when any fails, else `cannot tell`."""
    if "fails" in verdicts:
        return "fails"
    return "holds" if verdicts and set(verdicts) == {"holds"} else "cannot tell"


def judge_most(verdicts: Sequence[ClaimVerdict]) -> ClaimVerdict:
    """Return `holds` when more than half hold, `fails` when half or more fail, else `cannot tell`."""
    if 2 * verdicts.count("holds") > len(verdicts):
        return "holds"
    return "fails" if verdicts and 2 * verdicts.count("fails") >= len(verdicts) else "cannot tell"
