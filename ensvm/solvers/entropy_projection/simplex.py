"""The problem min a'K~a over the simplex: its unknowns, its proved bound, the result of a run.

Weights a whose products g = K~a are all at least v > 0 prove that rho* >= v^2 / a'K~a: every b on
the simplex has b'K~a >= v, and the bound follows by Cauchy and Schwarz.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import blas

from ensvm.array_types import Vector
from ensvm.kernels.gram_matrix import DistinctRows

ProjectionStop = Literal[
    "epsilon_below_tol",
    "gap_below_tol",
    "zero_objective",
    "not_positive_semidefinite",
    "max_iter",
]

METHOD_RULES: tuple[ProjectionStop, ...] = ("epsilon_below_tol", "gap_below_tol", "zero_objective")

_SYMMETRIC_PRODUCT = {np.dtype(np.float32): blas.ssymv, np.dtype(np.float64): blas.dsymv}


class SignedGram:
    """K~ = diag(y) K diag(y), with K a symmetric matrix or operator that is never copied.

    `operator` is K, or an object with `matvec` and `dtype` (a low-rank factor). `rounding` is the
    rounding error of a value a'K~a with weights on the simplex.
    """

    def __init__(self, operator: Any, y: ArrayLike) -> None:
        self.labels = np.asarray(y, dtype=np.float64)
        self.size = self.labels.size
        is_array = isinstance(operator, np.ndarray)
        self._product = _dense_product(operator) if is_array else operator.matvec
        # An operator shows no diagonal: the means of its rows are of the same size.
        means = np.full(self.size, 1.0 / self.size)
        largest = operator.diagonal() if is_array else self._product(means)
        dtype = operator.dtype if operator.dtype in _SYMMETRIC_PRODUCT else np.float64
        self.rounding = float(np.finfo(dtype).eps * np.abs(largest).max())

    def matvec(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the product K~ weights in float64, shape (m,)."""
        return self.labels * np.asarray(self._product(self.labels * weights), dtype=np.float64)


def _dense_product(gram: NDArray[Any]) -> Callable[[NDArray[np.float64]], NDArray[Any]]:
    """Return the product with a symmetric matrix in its own precision, float32 or float64.

    BLAS reads one triangle, which halves the memory traffic that bounds the product.
    """
    matrix = gram if gram.dtype in _SYMMETRIC_PRODUCT else gram.astype(np.float64)
    if not (matrix.flags.c_contiguous or matrix.flags.f_contiguous):
        matrix = np.ascontiguousarray(matrix)
    # BLAS reads columns; the transpose of a symmetric matrix is the same matrix, without a copy.
    columns = matrix if matrix.flags.f_contiguous else matrix.T
    symmetric_product = _SYMMETRIC_PRODUCT[columns.dtype]
    return lambda vector: symmetric_product(1.0, columns, vector)


@dataclass(frozen=True, eq=False)
class MergedExamples:
    """The p unknowns of a problem of m training rows whose identical rows are taken as one."""

    labels: Vector  # (p,), -1 or +1
    first: NDArray[np.intp]  # (p,) the first training row that an unknown stands for, ascending
    inputs: NDArray[np.intp]  # (p,) the number of its distinct input
    counts: Vector  # (p,) how many training rows it stands for, or the sum of their weights
    unknown: NDArray[np.intp]  # (m,) the unknown that a training row belongs to
    row_weights: Vector | float = 1.0  # (m,) how much a training row counts, positive

    def weighted(self, weights: Vector) -> "MergedExamples":
        """Return the unknowns where the training rows count by their weights, shape (m,).

        A row of weight 2 is then two rows: both start at the same sum, and stay at it.
        """
        counts = np.bincount(self.unknown, weights).astype(np.float64)
        return replace(self, counts=counts, row_weights=weights)

    @property
    def start(self) -> Vector:
        """The weights of the unknowns where those of the training rows are as they count."""
        return self.counts / self.counts.sum()

    def spread(self, weights: Vector) -> Vector:
        """Return the weights of the training rows, shape (..., m), for those of the unknowns.

        The rows of an unknown share its weight as they count.
        """
        return (weights / self.counts)[..., self.unknown] * self.row_weights

    def both_labels(self) -> tuple[int, int] | None:
        """Return two training rows of one input, the first of label -1; None without any.

        It is the first such pair in the order of the training rows. With one rho* = 0.
        """
        _, inverse, occurrences = np.unique(self.inputs, return_inverse=True, return_counts=True)
        twice = np.flatnonzero((occurrences[inverse] > 1) & (self.labels < 0.0))
        if not twice.size:
            return None
        negative = twice[0]
        [positive] = np.flatnonzero((self.inputs == self.inputs[negative]) & (self.labels > 0.0))
        return int(self.first[negative]), int(self.first[positive])


def merge_identical(distinct: DistinctRows, y: Vector) -> MergedExamples:
    """Return the unknowns of a problem: its distinct pairs of input and label.

    They are in the order of their first training rows. `y`, shape (m,), are the labels.

    Identical rows of one label have equal entries g_i = (K~a)_i, so that their weights, equal at
    the start, stay equal in every update (8). With the sum of their weights as one unknown that
    starts at count / m, the objective, the sums of the line search, min_i g_i and hence every rate
    eta_t are those of all rows. An input with both labels makes two unknowns; rho* is then 0.
    """
    _, first, unknown, counts = np.unique(
        2 * distinct.index + (y > 0.0), return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first)
    new_numbers = np.empty_like(order)
    new_numbers[order] = np.arange(order.size)
    first = first[order]
    return MergedExamples(
        y[first],
        first,
        distinct.index[first],
        counts[order].astype(np.float64),
        new_numbers[unknown],
    )


@dataclass(frozen=True)
class EntropyProjectionResult:
    """The weights found, what is proved about them, and the ensemble they passed through."""

    weights: Vector  # (m,) the last weights alpha_{T+1}, on the simplex
    objective: float  # rho_bar = weights'K~weights, an upper bound of rho*
    lower_bound: float  # the best one of rho* seen on the way, in [0, objective]
    # Whether any weights seen on the way separate the classes by more than rounding: this proves
    # that rho* > 0.
    separated: bool
    n_iter: int  # the number T of accepted steps
    n_matvec: int  # the number of products with the Gram matrix
    # Whether a rule of the method stopped it: Algorithm 1 ('epsilon_below_tol'), 'gap_below_tol'
    # (the objective is within a factor 1 + tol of the lower bound) or 'zero_objective' (to
    # rounding, hence optimal). How near rho* is, only `certificate` says.
    converged: bool
    stop_reason: ProjectionStop
    # At the start and after each accepted step, (T + 1,) each; lower bounds are the best so far.
    objectives: Vector
    lower_bounds: Vector
    products: NDArray[np.int64]
    learning_rates: Vector  # (T,) eta_t
    epsilons: Vector  # (T,) epsilon_t; nan for accelerated descent
    # The mean sum_t eta_t alpha_t / sum_t eta_t over t = 1..T: the ensemble of section 3.2 as one
    # expansion on the simplex; the start alpha_1 when T = 0.
    average_weights: Vector
    members: Vector | None  # (max(T, 1), m) alpha_1..alpha_T; None unless asked for

    @property
    def certificate(self) -> float:
        """What `objective` can at most lie above rho*: objective - lower_bound."""
        return self.objective - self.lower_bound

    def spread(self, merged: MergedExamples) -> "EntropyProjectionResult":
        """Return the result with the weights of the training rows, in place of the unknowns'."""
        members = None if self.members is None else merged.spread(self.members)
        return replace(
            self,
            weights=merged.spread(self.weights),
            average_weights=merged.spread(self.average_weights),
            members=members,
        )


@dataclass(frozen=True)
class SimplexPoint:
    """Weights on the simplex, the gradient K~ weights, and the objective."""

    weights: Vector
    gradient: Vector
    objective: float


class SimplexRun:
    """One run on min a'K~a over the simplex: its products, what they proved, its accepted steps."""

    def __init__(self, gram: SignedGram, keep_members: bool) -> None:
        self.size = gram.size
        self.rounding = gram.rounding
        self.n_matvec = 0
        self._gram = gram
        self._bound = 0.0
        self._separated = False
        self._members: list[Vector] | None = [] if keep_members else None
        self._path: list[tuple[float, float, int]] = []
        self._learning_rates: list[float] = []
        self._epsilons: list[float] = []
        self._weighted_sum: Vector | float = 0.0

    @property
    def n_iter(self) -> int:
        """The number of accepted steps."""
        return len(self._learning_rates)

    def first_weights(self, start: ArrayLike | None) -> Vector:
        """Return the weights to start from: those of `start`, or the centre of the simplex."""
        if start is None:
            return np.full(self.size, 1.0 / self.size)
        return np.array(start, dtype=np.float64)

    def evaluate(self, weights: Vector) -> SimplexPoint:
        """Return the point of these weights: it takes the one product that a step costs."""
        self.n_matvec += 1
        gradient = self._gram.matvec(weights)
        return SimplexPoint(weights, gradient, inner_product(weights, gradient))

    def prove(self, margin: float, objective: float) -> None:
        """Raise the lower bound to what weights of this least product and objective prove."""
        if margin > 0.0 and objective > 0.0:
            self._bound = max(self._bound, margin**2 / objective)
        # A margin is a sum of m kernel values, and rounds like one.
        self._separated |= margin > np.sqrt(self.size) * self.rounding

    def lower_bound(self, objective: float) -> float:
        """Return the proved bound; rounding may have left it outside [0, objective]."""
        return max(min(self._bound, objective), 0.0)

    def gap_is_below(self, tol: float, objective: float) -> bool:
        """Return whether the objective is proved to be within a factor 1 + tol of rho*."""
        return objective <= (1.0 + tol) * self.lower_bound(objective)

    def why_no_step(self, objective: float) -> ProjectionStop | None:
        """Return why no step can follow weights of this objective, None if one can."""
        if objective < -self.size * self.rounding:
            return "not_positive_semidefinite"
        return "zero_objective" if objective <= self.rounding else None

    def note(self, objective: float) -> None:
        """Note what is known at the newest iterate."""
        self._path.append((objective, self.lower_bound(objective), self.n_matvec))

    def leave(self, weights: Vector, learning_rate: float, epsilon: float) -> None:
        """Count alpha_t = `weights` in the ensemble, with eta_t of the step away from it."""
        self._weighted_sum = self._weighted_sum + learning_rate * weights
        self._learning_rates.append(learning_rate)
        self._epsilons.append(epsilon)
        if self._members is not None:
            self._members.append(weights)

    def result(
        self, weights: Vector, objective: float, reason: ProjectionStop
    ) -> EntropyProjectionResult:
        """Return the result of a run that ends at `weights`."""
        rates = np.array(self._learning_rates)
        objectives, lower_bounds, products = map(np.array, zip(*self._path, strict=True))
        return EntropyProjectionResult(
            weights=weights,
            objective=objective,
            lower_bound=self.lower_bound(objective),
            separated=self._separated,
            n_iter=self.n_iter,
            n_matvec=self.n_matvec,
            converged=reason in METHOD_RULES,
            stop_reason=reason,
            objectives=objectives,
            lower_bounds=lower_bounds,
            products=products,
            learning_rates=rates,
            epsilons=np.array(self._epsilons),
            average_weights=(
                np.asarray(self._weighted_sum / rates.sum()) if self.n_iter else weights
            ),
            members=None if self._members is None else np.array(self._members or [weights]),
        )


def inner_product(a: Vector, b: Vector) -> float:
    """Return a'b, without BLAS.

    BLAS threads, if they are not those of the library that multiplies with the Gram matrix, wait
    busily after each call and take the cores from the next product.
    """
    return float(np.einsum("i,i->", a, b))


# Of K_ii + K_jj: kernel values of identical inputs, each computed by itself, may differ as much
DISTANCE_ROUNDINGS = 16.0
BLOCK_ENTRIES = 1 << 20  # kernel values compared at once


def identical_inputs(gram: NDArray[Any], y: ArrayLike) -> tuple[int, int] | None:
    """Return two rows of opposite labels that the kernel does not tell apart; None without any.

    Their squared distance K_ii + K_jj - 2 K_ij is 0 up to the rounding of the kernel values. Half
    of all weight on each of the two gives the objective a quarter of it, so that rho* is 0 to the
    precision of the Gram matrix. The first row of label -1 that has such a twin is returned with
    the first of its twins.
    """
    signs = np.asarray(y)
    negative, positive = np.flatnonzero(signs < 0.0), np.flatnonzero(signs > 0.0)
    diagonal = np.asarray(gram.diagonal(), dtype=np.float64)
    precision = np.finfo(gram.dtype if gram.dtype == np.float32 else np.float64).eps
    share = 1.0 - DISTANCE_ROUNDINGS * precision
    length = max(BLOCK_ENTRIES // max(positive.size, 1), 1)
    for start in range(0, negative.size, length):
        rows = negative[start : start + length]
        sums = np.add.outer(diagonal[rows], diagonal[positive])
        pairs = np.argwhere(2.0 * gram[np.ix_(rows, positive)] >= share * sums)
        if pairs.size:
            return int(rows[pairs[0, 0]]), int(positive[pairs[0, 1]])
    return None
