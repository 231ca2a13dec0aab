"""The linear SVM, hard or soft margin, by sequential minimal optimization on ZZ'.

Maximise sum_i alpha_i - |w|^2 / 2 over 0 <= alpha_i <= C_i, sum_i alpha_i y_i = 0, with w = sum_i
alpha_i y_i x_i, equation (7), where all C_i are C. `sequential_minimal_optimization` solves it for
the matrix of inner products of the centred rows, which is made: O(m^2) memory for m rows. The
conditions (3) to (6) hold where the violation is 0, w_0 eliminated.

C = infinity is the hard margin. The problem then has no solution where no plane separates the
classes, which is found out first.

Reference: COMP 6321 lecture 5, "Back to maximum margin perceptron", "New problem formulation with
soft errors", "SMO" (Platt, 1999).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.solvers.separability import separability, signed_points
from ensvm.solvers.sequential_minimal_optimization import minimise

__all__ = ["linear_smo"]


@dataclass(frozen=True)
class LinearSMOResult:
    """The machine f(x) = w.x + w_0 and what is known about it."""

    weights: NDArray[np.float64]  # (d,) the normal w
    offset: float  # the constant w_0
    # (m,) the multipliers, 0 <= alpha_i <= C_i, with sum_i alpha_i y_i = 0 up to rounding
    alpha: NDArray[np.float64]
    objective: float  # the dual objective sum_i alpha_i - |w|^2 / 2
    certificate: float  # the KKT residual: the violation of optimality in units of y f(x)
    n_iter: int  # the number of pairs optimised
    converged: bool  # whether the KKT residual came down to tol


def linear_smo(
    X: NDArray[np.float64],
    y: ArrayLike,
    *,
    C: ArrayLike = 1.0,
    tol: float = 1e-3,
    max_iter: int = 1_000_000,
) -> LinearSMOResult:
    """Return the linear support vector machine of rows X and labels y.

    Parameters
    ----------
    X : array of shape (m, d)
        The rows.
    y : array of shape (m,)
        The labels, -1 and +1, both of them there.
    C : float or array of shape (m,), default 1.0
        The price of a soft error, positive, of all rows or of each; infinity for the hard margin,
        which is one of all rows.
    tol : float, default 1e-3
        The KKT residual to stop at, positive.
    max_iter : int, default 1_000_000
        The most pairs optimised, at least 0.

    Returns
    -------
    LinearSMOResult
        The machine and what is known about it.

    Raises
    ------
    ValueError
        If C is infinite and no plane separates the classes.
    """
    labels = np.asarray(y, dtype=np.float64)
    upper = np.array(np.broadcast_to(np.asarray(C, dtype=np.float64), labels.shape))
    if np.isinf(upper).any() and not separability(signed_points(X, labels)).separable:
        raise ValueError(
            "C = inf asks for a hard margin, but no plane separates the two classes: "
            "give a finite C"
        )
    # A shift of all rows changes w_0 alone: from their mean, products and their rounding are
    # smallest.
    centre = X.mean(axis=0)
    rows = np.ascontiguousarray(X - centre, dtype=np.float64)
    machine = minimise(rows @ rows.T, labels, upper, tol, max_iter)
    weights = machine.signed @ rows
    return LinearSMOResult(
        weights=weights,
        offset=float(machine.intercept - weights @ centre),
        alpha=labels * machine.signed,
        objective=float(labels @ machine.signed - 0.5 * weights @ weights),
        certificate=float(max(machine.violation, 0.0)),
        n_iter=int(machine.n_iter),
        converged=bool(machine.violation <= tol),
    )
