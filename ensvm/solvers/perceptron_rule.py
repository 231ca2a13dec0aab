"""The perceptron rule in primal and dual form. Compiled.

In signed, augmented points z_i = y_i (1, x_i) the rule is w <- w + gamma z_i for a row with w.z_i
<= 0, and a row is right if w.z_i > 0. In the dual form w = w_1 + gamma sum_i alpha_i z_i: the rule
is alpha_i <- alpha_i + 1, and only products z_i.z_j and w_1.z_i are read.

Reference: COMP 6321 lecture 5, "A gradient descent-like learning rule", "Proof of perceptron
convergence theorem" and "Weight as a combination of input vectors".
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.array_types import Indices, Vector
from ensvm.compiled import compiled
from ensvm.solvers.separability import signed_points

__all__ = ["perceptron"]


@dataclass(frozen=True)
class PerceptronResult:
    """The plane w.x + w_0 that the rule found and the updates that led to it."""

    weights: NDArray[np.float64]  # (d,) the normal w
    offset: float  # the constant w_0
    alpha: NDArray[np.int64]  # (m,) updates of rows: (w_0, w) = w_1 + step sum alpha_i y_i (1, x_i)
    mistake_path: NDArray[np.int64]  # (mistakes,) the row of each update, in their order
    errors: NDArray[np.int64]  # (n_iter,) the updates in each pass over the rows
    objective: float  # the perceptron criterion J(w, w_0) = sum_i max(-y_i f(x_i), 0)
    certificate: int  # the rows with y_i f(x_i) <= 0 at the end; 0 proves that the plane separates
    n_iter: int  # the passes over the rows, the last one without an update if converged
    converged: bool  # whether a pass needed no update


def perceptron(
    X: NDArray[np.float64],
    y: ArrayLike,
    *,
    dual: bool = False,
    max_iter: int = 1000,
    rng: np.random.Generator | None = None,
    step: float = 1.0,
    start: ArrayLike | None = None,
) -> PerceptronResult:
    """Run the perceptron learning rule until a pass over the rows needs no update.

    Parameters
    ----------
    X : array of shape (m, d)
        The rows.
    y : array of shape (m,)
        The labels, -1 and +1.
    dual : bool, default False
        Whether to keep alpha and the Gram matrix of the points, O(m^2) memory, instead of w; the
        updates are the same, unless rounding decides on which side a point is.
    max_iter : int, default 1000
        The most passes, at least 1.
    rng : numpy Generator, default None
        Draws a new order of the rows for each pass; None keeps the order given.
    step : float, default 1.0
        The step size gamma, positive.
    start : array of shape (d + 1,), default None
        The weights (w_0, w) before the first update; None is zeros.

    Returns
    -------
    PerceptronResult
        The plane and the updates that led to it.
    """
    labels = np.asarray(y, dtype=np.float64)
    points = signed_points(X, labels)
    # Dividing all weights by the step size changes no decision: the rule from w_1 with steps of
    # gamma is the rule from w_1 / gamma with steps of 1.
    first = np.zeros(points.shape[1]) if start is None else np.asarray(start) / step
    # The primal form keeps w and adds points; the dual form keeps all w.z_i and adds rows of the
    # Gram matrix.
    state, steps = (points @ first, points @ points.T) if dual else (first.copy(), points)
    go_through = pass_in_dual_form if dual else pass_in_primal_form
    order = np.arange(labels.size)
    passes: list[NDArray[np.int64]] = []
    while not passes or (passes[-1].size and len(passes) < max_iter):
        if rng is not None:
            order = rng.permutation(labels.size)
        passes.append(go_through(state, steps, order))
    mistake_path = np.concatenate(passes)
    alpha = np.bincount(mistake_path, minlength=labels.size)
    augmented = step * (first + alpha @ points if dual else state)
    products = points @ augmented
    return PerceptronResult(
        weights=augmented[1:],
        offset=float(augmented[0]),
        alpha=alpha,
        mistake_path=mistake_path,
        errors=np.array([made.size for made in passes]),
        objective=float(np.maximum(-products, 0.0).sum()),
        certificate=int((products <= 0.0).sum()),
        n_iter=len(passes),
        converged=not passes[-1].size,
    )


@compiled
def pass_in_primal_form(weights: Vector, points: Vector, order: Indices) -> NDArray[np.int64]:
    """Go through the points once, update `weights` in place, and return the rows updated for."""
    made, n_made = np.empty(order.size, dtype=np.int64), 0
    for i in order:
        product = 0.0
        for k in range(weights.size):
            product += weights[k] * points[i, k]
        if product <= 0.0:
            for k in range(weights.size):
                weights[k] += points[i, k]
            made[n_made] = i
            n_made += 1
    return made[:n_made]


@compiled
def pass_in_dual_form(products: Vector, gram: Vector, order: Indices) -> NDArray[np.int64]:
    """Go through the points once, update all w.z_j in place, and return the rows updated for."""
    made, n_made = np.empty(order.size, dtype=np.int64), 0
    for i in order:
        if products[i] <= 0.0:
            for j in range(products.size):
                products[j] += gram[i, j]
            made[n_made] = i
            n_made += 1
    return made[:n_made]
