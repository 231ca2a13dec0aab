"""Published against reproduced: does the difference lie within the margin, or outside?"""

import math
from dataclasses import dataclass
from typing import Literal

from scipy.stats import norm, t

Verdict = Literal["reproduced", "differs", "cannot tell"]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Sample:
    """A mean, the spread and the number of realizations (`std` is None for a single one)."""

    mean: float
    std: float | None
    n: int


def verdict(ours: Sample, published: Sample, margin: float) -> Verdict:
    """Compare two means by the 95 % interval of their difference.

    `reproduced` when it lies inside ±margin, `differs` when wholly outside, else `cannot tell`.
    A published sample without a printed spread is given ours. The interval is Welch's. Fewer than
    two realizations never pass.
    """
    if ours.n < 2 or ours.std is None:
        return "cannot tell"
    ours_square = ours.std**2 / ours.n
    spread = ours.std if published.std is None else published.std
    published_square = spread**2 / max(published.n, 1)
    square = ours_square + published_square
    if square == 0.0:
        return _place(ours.mean - published.mean, 0.0, margin)
    freedom = square**2 / (
        ours_square**2 / (ours.n - 1) + published_square**2 / max(published.n - 1, 1)
    )
    half = float(t.ppf((1 + CONFIDENCE) / 2, freedom)) * math.sqrt(square)
    return _place(ours.mean - published.mean, half, margin)


def single_split_verdict(error: float, published: float, n_test: int, margin: float) -> Verdict:
    """Compare two error rates (fractions) of one official split, with no spread of their own.

    The interval is the binomial one of two rates on `n_test` points; one split can contradict a
    printed value, never confirm it.
    """
    square = (error * (1 - error) + published * (1 - published)) / n_test
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) * math.sqrt(max(square, 0.0))
    found = _place(error - published, half, margin)
    return found if found == "differs" else "cannot tell"


def _place(difference: float, half: float, margin: float) -> Verdict:
    if abs(difference) + half <= margin:
        return "reproduced"
    return "differs" if abs(difference) - half > margin else "cannot tell"
