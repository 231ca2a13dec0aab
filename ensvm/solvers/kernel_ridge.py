"""Kernel ridge regression with an intercept: all penalties from one eigendecomposition.

f(x) = sum_j c_j k(x_j, x) + b minimises sum_i w_i (y_i - f(x_i))^2 + alpha c'Kc. With
S = diag(sqrt(w)) and the unit vector u in proportion to sqrt(w), let Q and lambda be the
eigenvectors and eigenvalues, without u itself, of (I - uu') S K S (I - uu'). The solution is
c = S Q (lambda + alpha)^-1 Q' S y. The value of f without row i at row i is
y_i - r_i / (1 - h_i), with the residual r_i and the leverage h_i of the fit to all rows; this is
exact (Wahba, Spline models for observational data, 1990, theorem 4.2.1).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

PENALTIES = 23  # two in a decade
# Times the largest eigenvalue: a larger penalty leaves no weights, a smaller one is rounding
LARGEST, SMALLEST = 10.0, 1e-10
ROUNDING = 10.0  # roundings of the trace: a smaller eigenvalue counts as 0


class KernelRidge:
    """The ridge regressions of k targets on m rows for any penalty, in O(m^3) for all of them.

    `gram`, shape (m, m), is positive semidefinite; `targets` have shape (m, k). `weight`, shape
    (m,), is what the squared error of each row counts; 1 by default.
    """

    def __init__(
        self,
        gram: NDArray[Any],
        targets: NDArray[np.float64],
        weight: NDArray[np.float64] | None = None,
    ) -> None:
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

    def penalties(self) -> NDArray[np.float64]:
        """Return the penalties worth trying, the largest first, shape (PENALTIES,)."""
        top = self._values[-1] if self._values[-1] > 0.0 else 1.0
        return np.geomspace(LARGEST * top, SMALLEST * top, PENALTIES)

    def leave_one_out(self, alphas: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return f fitted without each row at that row, for each penalty: (n_alphas, m, k)."""
        inverses = 1.0 / (self._values[:, None] + alphas)
        spare = alphas * (np.square(self._vectors) @ inverses)  # 1 - the leverages
        values = np.empty((alphas.size, *self._targets.shape))
        for position, alpha in enumerate(alphas):
            residuals = alpha * (self._vectors @ (self._along * inverses[:, position, None]))
            errors = residuals / self._roots / spare[:, position, None]
            np.subtract(self._targets, errors, out=values[position])
        return values

    def solve(self, alpha: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return c and b of f(x) = sum_j c_j k(x_j, x) + b for one penalty, positive.

        The coefficients have shape (m, k), the intercepts, which are not penalised, (k,).
        """
        inner = self._vectors @ (self._along / (self._values[:, None] + alpha))
        means = (self._unit @ (self._roots * self._targets) - self._at_unit @ inner) / self._length
        return self._roots * inner, means
