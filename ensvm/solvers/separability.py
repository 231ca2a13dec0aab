"""Whether a plane through the origin has all points on one side, and the one farthest from them.

The margin of w is min_i w.z_i / |w|, over signed points z_i = y_i (1, x_i). Its largest value is
the distance of the origin from the convex hull of the points, so any nonnegative u bounds it from
above by |sum_i u_i z_i| / sum_i u_i: the two numbers are the proof of either answer. The points are
separable if and only if the largest margin is positive.

Reference: Lawson & Hanson, Solving Least Squares Problems, chapter 23, least distance programming
by nonnegative least squares.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

__all__ = ["separability"]

# The rounding error of a product of n terms is at most about n roundings of the lengths multiplied;
# a margin below that counts as 0.
ROUNDINGS_A_TERM = 4.0
PASSES_OF_NNLS = 30  # few points with ties need more than scipy's default of 3 per point


@dataclass(frozen=True)
class Separability:
    """The plane through the origin with the largest margin to the points, or that there is none."""

    separable: bool  # whether some plane through the origin has all points on one side
    weights: NDArray[np.float64]  # (d,) the shortest w with all w.z_i >= 1; zeros if not separable
    margin: float  # the distance min_i w.z_i / |w| of the nearest point; 0 if not separable
    largest_margin: float  # an upper bound of the margin of every plane

    @property
    def certificate(self) -> float:
        """Return the gap between the margin and the proved bound of it."""
        return self.largest_margin - self.margin


def signed_points(X: NDArray[np.float64], labels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the signed, augmented points z_i = y_i (1, x_i) of a binary problem."""
    return labels[:, None] * np.column_stack([np.ones(labels.size), X])


def separability(points: NDArray[np.float64]) -> Separability:
    """Decide whether some w has w.z > 0 for all rows z of `points`, and return the best w.

    Parameters
    ----------
    points : ndarray of shape (m, d)
        The points z, m and d >= 1.

    Returns
    -------
    Separability
        The plane with the largest margin and the proof of the answer. A margin below some roundings
        of the longest row counts as none.
    """
    size = float(np.linalg.norm(points, axis=1).max())
    none = Separability(False, np.zeros(points.shape[1]), 0.0, 0.0)
    if size == 0.0:
        return none
    scaled = points / size
    m, d = points.shape
    target = np.zeros(d + 1)
    target[d] = 1.0
    multipliers, _ = nnls(
        np.vstack([scaled.T, np.ones(m)]), target, maxiter=PASSES_OF_NNLS * (m + d)
    )
    bound = size * float(np.linalg.norm(scaled.T @ multipliers) / multipliers.sum())
    # The hull's nearest point is the normal too, but to few digits where it is near 0; the points
    # that span it give them all.
    spanning = scaled[multipliers > 0.0]
    weights = np.linalg.lstsq(spanning, np.ones(spanning.shape[0]))[0]
    length = float(np.linalg.norm(weights))
    nearest = float((scaled @ weights).min())
    if nearest <= ROUNDINGS_A_TERM * np.finfo(np.float64).eps * d * length:
        return Separability(False, none.weights, 0.0, bound)
    margin = size * nearest / length
    return Separability(True, weights / (nearest * size), margin, max(bound, margin))
