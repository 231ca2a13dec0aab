"""The range of widths for a Gaussian kernel that the data suggest, as kernlab's `sigest` estimates it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

QUANTILES = (0.9, 0.5, 0.1)


class WidthRange(NamedTuple):
    """Widths gamma of exp(-gamma |x - x'|^2), low <= middle <= high."""

    low: float
    middle: float
    high: float


def sigest(X: NDArray[np.floating], *, fraction: float = 0.5, rng: np.random.Generator) -> WidthRange:
    """Return 1 / quantile(|x - x'|^2, (0.9, 0.5, 0.1)) over pairs of rows drawn at random.

    X has shape (n, d). As in kernlab, floor(fraction n) pairs are drawn with replacement (at least one), and pairs without
    distance do not count; kernlab's scaling of the columns is left to the caller. If no pair has a distance, all are 1.0.

    Raises ValueError for a fraction that is not positive.

    Reference: Caputo, Sim, Furesjo & Smola, Appearance-based object recognition using SVMs, 2002.
    """
    if not 0.0 < fraction < np.inf:
        raise ValueError(f"fraction must be a positive number, got {fraction!r}")
    size = max(int(fraction * len(X)), 1)
    left, right = rng.integers(len(X), size=(2, size))
    difference = np.subtract(X[left], X[right], dtype=np.float64)
    distances = np.einsum("ij,ij->i", difference, difference)
    distances = distances[distances > 0.0]
    if not distances.size:
        return WidthRange(1.0, 1.0, 1.0)
    return WidthRange(*(1.0 / np.quantile(distances, QUANTILES)).tolist())
