"""Kernel expansions written in linearly independent points, as few as a tolerance allows.

Downs, Gates & Masters, JMLR 2, 2001.

Cholesky's method with pivots orders the points so that each adds what the ones before it explain
least. In the orthonormal basis that it builds, leaving out the last directions leaves out exactly
these coordinates of the expansion: the error is known before any point goes.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from ensvm.kernels.low_rank import incomplete_cholesky


@dataclass(frozen=True, eq=False)
class ReducedExpansion:
    """Expansions in fewer points.

    Attributes
    ----------
    points : ndarray of int, shape (r,)
        The numbers of the rows kept, ascending.
    coefs : ndarray of shape (r, k)
        The coefficients in them, one expansion a column.
    error : float
        The largest change |f - f_reduced| of the first expansion at an x with k(x, x) at most that
        of the rows.
    """

    points: NDArray[np.intp]
    coefs: NDArray[np.float64]
    error: float


def reduce_expansion(
    gram: NDArray[Any], coefs: NDArray[np.float64], allowed: float
) -> ReducedExpansion:
    """Project expansions onto the fewest pivots that change the first one by at most `allowed`.

    Parameters
    ----------
    gram : array of shape (n, n)
        The kernel among the n points of the expansions, positive semidefinite; taken to float64.
    coefs : array of shape (n, k)
        One expansion a column.
    allowed : float
        The largest change, >= 0, of a value of the first expansion where k(x, x) <= max_i K_ii.
        What rounding makes of points that are linearly dependent is dropped in any case.

    Returns
    -------
    ReducedExpansion
        The points kept, the coefficients in them and the error.

    References
    ----------
    Downs, Gates & Masters, Exact simplification of support vector solutions, JMLR 2, 2001.
    """
    gram = np.asarray(gram, dtype=np.float64)
    factor = incomplete_cholesky(lambda rows: gram[:, rows], gram.diagonal())
    coordinates = factor.factor.T @ coefs  # of each expansion, in the basis that the pivots build
    # Squared norm of what follows the first r directions
    left_out = np.append(np.cumsum(coordinates[::-1, 0] ** 2)[::-1], 0.0)
    errors = np.sqrt(left_out * gram.diagonal().max())
    rank = int(np.argmax(errors <= allowed))
    pivots = factor.pivots[:rank]
    lower = factor.factor[pivots, :rank]
    order = np.argsort(pivots)
    reduced = (
        solve_triangular(lower, coordinates[:rank], lower=True, trans="T")
        if rank
        else coordinates[:0]
    )
    return ReducedExpansion(pivots[order], reduced[order], float(errors[rank]))


def reduce_members(
    gram: NDArray[Any],
    alphas: NDArray[np.float64],
    member_coefs: NDArray[np.float64],
    intercepts: NDArray[np.float64],
    reduce_tol: float,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Rewrite kernel expansions, and a weighted sum of them, in linearly independent rows.

    Parameters
    ----------
    gram : ndarray of shape (m, m)
        The Gram matrix of the rows.
    alphas : ndarray of shape (n_members,)
        The weights of the sum.
    member_coefs : ndarray of shape (n_members, m)
        The coefficients of each expansion.
    intercepts : ndarray of shape (n_members,)
        Their intercepts.
    reduce_tol : float
        How much of the largest value of the sum a value may change.

    Returns
    -------
    coefs : ndarray of shape (m,)
        The coefficients of the sum.
    member_coefs : ndarray of shape (n_members, m)
        Those of each expansion.
    error : float
        What this changed at most, relative to the largest value.
    """
    rows = np.flatnonzero(member_coefs.any(axis=0))
    members = member_coefs[:, rows].T
    vote = members @ alphas
    values = gram[:, rows] @ vote + alphas @ intercepts
    largest = float(np.abs(values).max())
    reduced = reduce_expansion(
        gram[np.ix_(rows, rows)], np.column_stack([vote, members]), reduce_tol * largest
    )
    coefs = np.zeros((gram.shape[0], alphas.size + 1))
    coefs[rows[reduced.points]] = reduced.coefs
    return coefs[:, 0], coefs[:, 1:].T, reduced.error / largest if largest > 0.0 else 0.0
