"""Ridge regression with an intercept for all penalties at once, and its leave-one-out values.

f(x) = w'z(x) + b minimises sum_i w_i (y_i - f(x_i))^2 + alpha |w|^2 for features z(x) and the rows'
weights w_i. One eigendecomposition serves all penalties alpha: of the Gram matrix of the rows
(`KernelRidge`, any kernel, O(m^3) time for m rows), or of the products of the features, which are
sums over blocks of rows (`RidgeSums`, O(m r^2) time and O(r^2) memory for r features).

The value of f without row i at row i is y_i - (y_i - f(x_i)) / (1 - h_i), with the leverage h_i of
the row in the fit to all of them; this is exact (Wahba, Spline models for observational data, 1990,
theorem 4.2.1). The leverages sum to the degrees of freedom, 1 + sum_k lambda_k / (lambda_k +
alpha), with the eigenvalues lambda_k.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from ensvm.array_types import Vector

PENALTIES = 23  # two in a decade
# Times the largest eigenvalue: a larger penalty leaves no weights, a smaller one is rounding
LARGEST, SMALLEST = 10.0, 1e-10
ROUNDING = 10.0  # roundings of the trace, or of the largest eigenvalue, that count as 0


def penalties_below(top: float, rounding: float) -> Vector:
    """Return the penalties worth trying, the largest first, shape (PENALTIES,).

    `top` is the largest eigenvalue, `rounding` that of the features or kernel values.
    """
    top = top if top > 0.0 else 1.0
    return np.geomspace(LARGEST * top, max(SMALLEST, ROUNDING * rounding) * top, PENALTIES)


class KernelRidge:
    """The ridge regressions of k targets on m rows for any penalty: f(x) = sum_j c_j k(x_j, x) + b.

    `gram`, shape (m, m), is positive semidefinite; `targets` have shape (m, k). `weight`, shape
    (m,), is what the squared error of each row counts; 1 by default.

    With S = diag(sqrt(weight)) and the unit vector u in proportion to sqrt(weight), let Q and
    lambda be the eigenvectors and eigenvalues, without u itself, of (I - uu') S K S (I - uu'). The
    solution is c = S Q (lambda + alpha)^-1 Q' S y.
    """

    def __init__(self, gram: NDArray[Any], targets: Vector, weight: Vector | None = None) -> None:
        m = gram.shape[0]
        weight = np.ones(m) if weight is None else weight
        self._roots = np.sqrt(weight)[:, None]
        self._targets = targets
        self._length = float(np.sqrt(weight.sum()))
        self._unit = self._roots[:, 0] / self._length
        matrix = np.multiply(gram, self._roots * self._roots.T, dtype=np.float64)
        self._at_unit = matrix @ self._unit
        # u becomes an eigenvector of an eigenvalue below all others, the first: it is left out.
        inner, trace = float(self._unit @ self._at_unit), float(np.trace(matrix))
        floor = ROUNDING * np.finfo(np.float64).eps * trace
        below = (trace - inner) / m
        half = self._at_unit - 0.5 * (inner - (below if below > floor else 1.0)) * self._unit
        matrix -= np.outer(self._unit, half)
        matrix -= np.outer(half, self._unit)
        # The matrix is symmetric: its transpose has the memory order that LAPACK overwrites.
        values, vectors = linalg.eigh(matrix.T, overwrite_a=True, driver="evd", check_finite=False)
        self._values, self._vectors = values[1:], vectors[:, 1:]
        self._values[self._values <= floor] = 0.0
        self._along = self._vectors.T @ (self._roots * targets)

    def penalties(self) -> Vector:
        """Return the penalties worth trying, the largest first."""
        return penalties_below(float(self._values[-1]), float(np.finfo(np.float64).eps))

    def leave_one_out(self, alphas: Vector) -> Vector:
        """Return f fitted without each row at that row, for each penalty: (n_alphas, m, k)."""
        inverses = 1.0 / (self._values[:, None] + alphas)
        spare = alphas * (np.square(self._vectors) @ inverses)  # 1 - the leverages
        values = np.empty((alphas.size, *self._targets.shape))
        for position, alpha in enumerate(alphas):
            residuals = alpha * (self._vectors @ (self._along * inverses[:, position, None]))
            errors = residuals / self._roots / spare[:, position, None]
            np.subtract(self._targets, errors, out=values[position])
        return values

    def solve(self, alpha: float) -> tuple[Vector, Vector]:
        """Return c and b for one penalty, positive.

        The coefficients have shape (m, k), the intercepts, which are not penalised, (k,).
        """
        inner = self._vectors @ (self._along / (self._values[:, None] + alpha))
        means = (self._unit @ (self._roots * self._targets) - self._at_unit @ inner) / self._length
        return self._roots * inner, means


class _Spectrum(NamedTuple):
    """The centred products of the features, decomposed; `along` is X'y in their basis."""

    means: Vector
    values: Vector
    vectors: Vector
    along: Vector


class RidgeSums:
    """The ridge regressions of k targets on r features: sums over rows, which are read in blocks.

    Each block of n rows has features of shape (r, n), targets of shape (n, k) and weights of shape
    (n,), what the squared error of each row counts.
    """

    def __init__(self, features: int, targets: int) -> None:
        self._products = np.zeros((features, features))
        self._sum = np.zeros(features)
        self._with_target = np.zeros((features, targets))
        self._total = 0.0
        self._target = np.zeros(targets)
        self._rounding = 0.0
        self._decomposed: _Spectrum | None = None

    def add(self, features: NDArray[Any], targets: Vector, weight: Vector) -> None:
        """Add a block of rows; products are computed in the features' precision."""
        roots = np.sqrt(weight)
        self._total += float(weight.sum())
        self._sum += features @ weight.astype(features.dtype)
        self._target = self._target + weight @ targets
        features = features * roots.astype(features.dtype)
        self._products += features @ features.T
        self._with_target += features @ (roots[:, None] * targets).astype(features.dtype)
        self._rounding = float(np.finfo(features.dtype).eps)
        self._decomposed = None

    def penalties(self) -> Vector:
        """Return the penalties worth trying, the largest first."""
        return penalties_below(float(self._spectrum().values[-1]), self._rounding)

    def left_out_errors(
        self, features: NDArray[Any], targets: Vector, weight: Vector, alphas: Vector
    ) -> Vector:
        """Return a block's targets less f fitted without each row at that row: (n, k, n_alphas)."""
        means, values, vectors, along = self._spectrum()
        inverses = 1.0 / (values[:, None] + alphas)
        inner = (features.T - means) @ vectors
        leverages = weight[:, None] * (1.0 / self._total + np.square(inner) @ inverses)
        weights = (along[..., None] * inverses[:, None]).reshape(len(along), -1)
        fits = (inner @ weights).reshape(*targets.shape, alphas.size)
        fits += (self._target / self._total)[:, None]
        return (targets[..., None] - fits) / (1.0 - leverages[:, None])

    def solve(self, alpha: float) -> tuple[Vector, Vector]:
        """Return the weights w, shape (r, k), and the constants b, shape (k,), for one penalty."""
        means, values, vectors, along = self._spectrum()
        weights = vectors @ (along / (values + alpha)[:, None])
        return weights, self._target / self._total - means @ weights

    def _spectrum(self) -> _Spectrum:
        if self._decomposed is None:
            means = self._sum / self._total
            centred = self._products - self._total * np.outer(means, means)
            values, vectors = linalg.eigh(centred)
            along = vectors.T @ (self._with_target - np.outer(means, self._target))
            self._decomposed = _Spectrum(means, np.maximum(values, 0.0), vectors, along)
        return self._decomposed
