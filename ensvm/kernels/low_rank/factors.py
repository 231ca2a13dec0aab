"""Low-rank factors of Gram matrices: K ~ LL' from r columns of K, which itself is never formed.

Both methods are Cholesky's, stopped after r pivots; they differ only in how a pivot is chosen from
the residual diagonal K_ii - |L_i|^2. `incomplete_cholesky` (Fine & Scheinberg, 2001) takes its
largest entry, `randomly_pivoted_cholesky` (Chen, Epperly, Tropp & Webber, 2022) draws in proportion
to it, which bounds the expected error and does not chase outliers. K - LL' is positive
semidefinite, so that its trace, known at every step, bounds all of it: the certificate.

Columns are fetched in blocks of proposed pivots, for the speed of matrix products. A proposal is
used only if the method would choose it at that moment, or with the probability that makes its law
exact (rejection sampling, as in Epperly, Tropp & Webber, Embrace rejection, 2024): blocks never
change the method.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg, sparse

from ensvm.kernels import DENSE_COLUMNS, gram
from ensvm.kernels.low_rank.partial_cholesky import Columns, PartialCholesky, StopReason

DIAGONAL_BLOCK = 64  # rows whose kernel values are computed for the sake of their diagonal


@dataclass(frozen=True, eq=False)
class LowRankGram:
    """The matrix LL' near a Gram matrix K, an operator for the solvers, and what is proved of it.

    Attributes
    ----------
    factor : ndarray of shape (m, r)
        The factor L, float32 or float64, columns contiguous.
    pivots : array of shape (r,)
        Distinct rows of K in the order chosen; K and LL' agree in these columns.
    trace_residuals : float64 array of shape (r + 1,)
        The traces of K - LL' with the first 0, ..., r columns of L, never rising; the first is
        trace(K), the last bounds the largest eigenvalue of K - LL'.
    residual_diagonal : array of shape (m,)
        The differences K_ii - |L_i|^2 >= 0; an entry i, j of K - LL' is at most
        sqrt(residual_diagonal_i residual_diagonal_j) in size.
    stop_reason : str
        'rank_reached', 'tolerance_met' or 'exhausted' (K has no higher rank up to rounding).
    """

    factor: NDArray[Any]
    pivots: NDArray[np.intp]
    trace_residuals: NDArray[np.float64]
    residual_diagonal: NDArray[Any]
    stop_reason: StopReason

    @property
    def rank(self) -> int:
        """The number of columns of L."""
        return self.pivots.size

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (m, m) of LL'."""
        return self.factor.shape[0], self.factor.shape[0]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of L, in which products run."""
        return self.factor.dtype

    @property
    def relative_residual(self) -> float:
        """trace(K - LL') / trace(K), in [0, 1]; 0 for K = 0."""
        whole = self.trace_residuals[0]
        return float(self.trace_residuals[-1] / whole) if whole > 0.0 else 0.0

    def matvec(self, vector: ArrayLike) -> NDArray[Any]:
        """Return LL' times a vector, or times each column of an array.

        Parameters
        ----------
        vector : array of shape (m,) or (m, k)
            The vector or vectors.

        Returns
        -------
        ndarray of shape (m,) or (m, k)
            The products, in the precision of L.
        """
        # Cast first: a product of mixed precisions would copy L.
        right = np.asarray(vector, dtype=self.dtype)
        return self.factor @ (self.factor.T @ right)

    __matmul__ = matvec

    def at_pivots(self, values: ArrayLike) -> NDArray[np.float64]:
        """Return the coefficients at the pivots of the expansion that LL' makes of others.

        The kernel between a row x and the training rows is replaced by k(x, P) L_P^-T L', with P
        the pivots and L_P their rows of L: sum_i v_i k(x_i, x) becomes sum_j c_j k(p_j, x).

        Parameters
        ----------
        values : array of shape (m,) or (t, m)
            The coefficients v of the training rows, of one expansion or of several.

        Returns
        -------
        ndarray of float64, shape (r,) or (t, r)
            The coefficients c = L_P^-T L'v, in the order of `pivots`.
        """
        given = np.asarray(values, dtype=self.dtype)
        corner = self.factor[self.pivots].astype(np.float64)
        projected = (given @ self.factor).T.astype(np.float64)
        return linalg.solve_triangular(corner, projected, lower=True, trans="T").T


@dataclass(frozen=True, eq=False)
class DiagonalCorrectedGram:
    """The operator LL' + diag(K - LL') of a low-rank factor, which has the diagonal of K.

    It is positive semidefinite and has full rank where LL' has not: a hard margin exists, which m
    points in r < m dimensions rarely have. Products cost what those of LL' do.

    Parameters
    ----------
    low_rank : LowRankGram
        The factor and its residual diagonal.

    References
    ----------
    Snelson & Ghahramani, Sparse Gaussian processes using pseudo-inputs, NIPS 2005, where it is a
    covariance.
    """

    low_rank: LowRankGram

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (m, m)."""
        return self.low_rank.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The precision of L, in which products run."""
        return self.low_rank.dtype

    def matvec(self, vector: ArrayLike) -> NDArray[Any]:
        """Return the operator times a vector, or times each column of an array.

        Parameters
        ----------
        vector : array of shape (m,) or (m, k)
            The vector or vectors.

        Returns
        -------
        ndarray of shape (m,) or (m, k)
            The products, in the precision of L.
        """
        right = np.asarray(vector, dtype=self.dtype)
        return self.low_rank.matvec(right) + (self.low_rank.residual_diagonal * right.T).T

    __matmul__ = matvec


def kernel_columns(X: Any, **kernel: Any) -> tuple[Columns, NDArray[Any]]:
    """Return columns and diagonal of a Gram matrix, as the factorisations read it.

    Parameters
    ----------
    X : array or scipy sparse matrix of shape (m, d)
        The rows.
    **kernel : dict
        The kernel, its parameters and dtype, as `ensvm.kernels.gram` takes them, which raises the
        errors for all of them.

    Returns
    -------
    columns : callable
        Maps an array of k row numbers to these columns, shape (m, k).
    diagonal : array of shape (m,)
        The diagonal.
    """
    if isinstance(kernel["kernel"], str) and sparse.issparse(X) and X.shape[1] <= DENSE_COLUMNS:
        X = X.toarray()  # once, not for every block of columns

    def columns(indices: NDArray[np.intp]) -> NDArray[Any]:
        # Rows of the symmetric K: their transpose is contiguous by column.
        return gram(X[indices], X, **kernel).T

    blocks = [X[start : start + DIAGONAL_BLOCK] for start in range(0, X.shape[0], DIAGONAL_BLOCK)]
    return columns, np.concatenate([gram(block, **kernel).diagonal() for block in blocks])


def incomplete_cholesky(
    columns: Columns, diagonal: ArrayLike, *, rank: int | None = None, tol: float | None = None
) -> LowRankGram:
    """Factorise K with the largest residual as the next pivot; of equal ones, the first row's.

    Parameters
    ----------
    columns : callable
        Maps an array of k row numbers to these columns of K, shape (m, k); see `kernel_columns`.
    diagonal : array of shape (m,)
        The diagonal of K, at least 0; float32 makes a float32 factor, all else a float64 one.
    rank : int, default None
        The most columns of L, at least 1; None for m.
    tol : float, default None
        The share of trace(K) at which to stop, in (0, 1); None to stop at the rank alone.

    Returns
    -------
    LowRankGram
        The factor and what is proved about it, in O(m r^2) time and O(m r) memory.

    Raises
    ------
    ValueError
        If rank or tol lies outside its range, the diagonal is no vector of finite numbers >= 0, the
        columns have another shape, or K proves to be not positive semidefinite.

    References
    ----------
    Fine & Scheinberg, Efficient SVM training using low-rank kernel representations, JMLR 2, 2001.
    """
    work = PartialCholesky(columns, diagonal, rank, tol)
    while (reason := work.stop_reason) is None:
        proposals = _largest(work.residual, work.block_size)
        block = work.fetch(proposals)
        place = {int(row): position for position, row in enumerate(proposals)}
        while work.stop_reason is None and (pivot := int(work.residual.argmax())) in place:
            work.take(pivot, block[:, place[pivot]])
    return _result(work, reason)


def randomly_pivoted_cholesky(
    columns: Columns,
    diagonal: ArrayLike,
    *,
    rank: int | None = None,
    tol: float | None = None,
    rng: np.random.Generator | int | None = None,
) -> LowRankGram:
    """Factorise K with each pivot drawn in proportion to the residual diagonal.

    Parameters
    ----------
    columns : callable
        Maps an array of k row numbers to these columns of K, shape (m, k); see `kernel_columns`.
    diagonal : array of shape (m,)
        The diagonal of K, at least 0; float32 makes a float32 factor, all else a float64 one.
    rank : int, default None
        The most columns of L, at least 1; None for m.
    tol : float, default None
        The share of trace(K) at which to stop, in (0, 1); None to stop at the rank alone.
    rng : numpy Generator or int, default None
        A generator or its seed; None draws a fresh seed.

    Returns
    -------
    LowRankGram
        The factor and what is proved about it.

    Raises
    ------
    ValueError
        If rank or tol lies outside its range, the diagonal is no vector of finite numbers >= 0, the
        columns have another shape, or K proves to be not positive semidefinite.

    References
    ----------
    Chen, Epperly, Tropp & Webber, Randomly pivoted Cholesky, 2022; Epperly, Tropp & Webber, Embrace
    rejection: kernel matrix approximation by accelerated randomly pivoted Cholesky, 2024.
    """
    generator = np.random.default_rng(rng)
    work = PartialCholesky(columns, diagonal, rank, tol)
    while (reason := work.stop_reason) is None:
        shares = work.residual / work.residual.sum()
        proposals = generator.choice(shares.size, size=work.block_size, p=shares)
        thresholds = work.residual[proposals] * generator.random(proposals.size)
        block = work.fetch(proposals)
        for pivot, threshold, column in zip(proposals, thresholds, block.T, strict=True):
            # Accepted with the share of its residual that the pivots before it have left: then its
            # law is exact.
            if threshold < work.residual[pivot] and work.stop_reason is None:
                work.take(int(pivot), column)
    return _result(work, reason)


def _largest(residual: NDArray[np.float64], count: int) -> NDArray[np.intp]:
    """Return `count` rows of large residual, the first of the largest among them."""
    rows = np.argpartition(residual, -count)[-count:]
    top = residual.argmax()
    if top not in rows:
        rows[0] = top
    return rows


def _result(work: PartialCholesky, reason: StopReason) -> LowRankGram:
    factor = work.factor
    return LowRankGram(
        factor, work.pivots, work.trace_residuals, work.residual.astype(factor.dtype), reason
    )
