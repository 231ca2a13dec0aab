"""Rosenblatt's perceptron with the bound of its convergence theorem evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base import Ending, Solution, drawn_seed
from ensvm.classifiers.linear_classifier import LinearClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval
from ensvm.solvers.perceptron_rule import PerceptronResult, perceptron
from ensvm.solvers.separability import separability, signed_points


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class Perceptron(LinearClassifier):
    """Rosenblatt's perceptron, with the bound of its convergence theorem evaluated.

    The plane f(x) = w.x + w_0 starts at zero or random weights and goes through the training rows,
    pass after pass. Each mistake, a row with y_i f(x_i) <= 0 and its label y_i in {-1, +1}, makes
    one update with the step size gamma: w <- w + gamma y_i x_i, w_0 <- w_0 + gamma y_i. The rule
    stops when a pass needs no update.

    Apart from the rule, `fit` finds out whether any plane separates the classes. If so, the rule
    stops by itself, after at most `mistake_bound_` updates. If not, it never would: it is stopped
    after `max_iter` passes, with a `ConvergenceWarning`. With augmented points z_i = (1, x_i), beta
    = max_i |z_i| and any separating w of the augmented space with |w| = 1 and mu = min_i y_i w.z_i,
    the bound is |w_1 / (gamma beta) - (beta / mu) w|^2, which from zero weights w_1 is (beta /
    mu)^2, whatever the step. It is evaluated for the plane through the origin with the largest
    margin mu, which gives the smallest bound from zero weights.

    Parameters
    ----------
    dual : bool, default False
        Whether the weights are kept as numbers of updates of each row, so that only inner products
        of rows are needed. The updates are the same.
    shuffle : bool, default False
        Whether each pass goes through the rows in a new random order. A separating plane is not
        unique, and the one found depends on the order.
    step : float, default 1.0
        The step size gamma, a positive number. From zero weights it changes the length of w alone.
    start_scale : float, default 0.0
        The standard deviation of the normal weights w_1 that training starts from, at least 0; with
        0 they are zero.
    max_iter : int, default 1000
        The largest number of passes over the rows, at least 1; if the rule needs more, there is a
        `ConvergenceWarning`.
    random_state : int, RandomState or None, default None
        Draws the first weights and the orders; read where start_scale > 0 or shuffle=True.

    Attributes
    ----------
    alpha_ : ndarray of int, shape (n_samples,)
        The number of updates made for each row: from zero weights, w = gamma sum_i alpha_i y_i x_i
        and w_0 = gamma sum_i alpha_i y_i.
    support_ : ndarray of int, shape (n_support,)
        The row numbers of the training rows with an update: alpha_i > 0.
    margin_ : float
        Twice the distance from the plane to the nearest training row, negative if a row is on the
        wrong side; 0.0 if w = 0.
    mistakes_ : int
        The number of updates in all.
    mistake_path_ : ndarray of int, shape (mistakes_,)
        The row number of each update.
    errors_ : ndarray of int, shape (n_iter_,)
        The number of updates in each pass.
    separable_ : bool
        Whether some plane separates the classes.
    mistake_bound_ : float
        The bound of the convergence theorem, a whole number; infinite if the classes are not
        separable.
    objective_ : float
        The perceptron criterion J(w, w_0) = sum_i max(-y_i f(x_i), 0).
    certificate_ : int
        The number of training rows with y_i f(x_i) <= 0; 0 proves that the plane separates.
    n_iter_ : int
        The number of passes over the rows.
    converged_ : bool
        Whether the rule stopped by itself.
    stop_reason_ : str
        Why training ended: 'no_mistake' or 'max_iter'.

    References
    ----------
    COMP 6321 lecture 5, "Perceptrons" to "Comment: Solutions are nonunique".

    Examples
    --------
    The rule stops by itself, after no more updates than the theorem allows:

    >>> from ensvm import Perceptron
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> machine = Perceptron().fit(X, y)
    >>> machine.separable_, machine.stop_reason_, machine.certificate_
    (True, 'no_mistake', 0)
    >>> bool(machine.mistakes_ <= machine.mistake_bound_)
    True
    """

    dual: bool = False
    shuffle: bool = False
    step: float = 1.0
    start_scale: float = 0.0
    max_iter: int = 1000
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "dual": ["boolean"],
        "shuffle": ["boolean"],
        "step": [Interval(Real, 0.0, None, closed="neither")],
        "start_scale": [Interval(Real, 0.0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def _solve(
        self,
        X: NDArray[np.float64],
        signs: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None,
    ) -> Solution:
        start = np.zeros(X.shape[1] + 1)
        rng = None
        if self.shuffle or self.start_scale > 0.0:
            rng = np.random.default_rng(drawn_seed(self.random_state))
            if self.start_scale > 0.0:
                start = self.start_scale * rng.normal(size=start.size)
        result = perceptron(
            X,
            signs,
            dual=self.dual,
            max_iter=self.max_iter,
            rng=rng if self.shuffle else None,
            step=self.step,
            start=start,
        )
        bound = _mistake_bound(X, signs, start / self.step)
        length = float(np.linalg.norm(result.weights))
        nearest = float((signs * (X @ result.weights + result.offset)).min())
        attributes = {
            "alpha_": result.alpha,
            "support_": np.flatnonzero(result.alpha),
            "margin_": 2.0 * nearest / length if length > 0.0 else 0.0,
            "mistake_path_": result.mistake_path,
            "mistakes_": result.mistake_path.size,
            "errors_": result.errors,
            "separable_": bound is not None,
            "mistake_bound_": np.inf if bound is None else bound,
            "objective_": result.objective,
            "certificate_": result.certificate,
        }
        return Solution(result.weights, result.offset, attributes, _ending(result, bound))


def _mistake_bound(
    X: NDArray[np.float64], signs: NDArray[np.float64], start: NDArray[np.float64]
) -> float | None:
    """Return the most updates that the theorem allows; None for classes not separable.

    `start` are the first weights in units of the step size.
    """
    points = signed_points(X, signs)
    answer = separability(points)
    if not answer.separable:
        return None
    longest = np.linalg.norm(points, axis=1).max()
    if not start.any():
        return float(np.floor((longest / answer.margin) ** 2))
    direction = answer.weights / np.linalg.norm(answer.weights)
    away = start / longest - longest / answer.margin * direction
    return float(np.floor(away @ away))


def _ending(result: PerceptronResult, bound: float | None) -> Ending:
    if result.converged:
        return Ending(result.n_iter, "no_mistake", converged=True)
    if bound is None:
        message = (
            "no plane separates the classes, so the perceptron rule never stops; stopped after "
            f"{result.n_iter} passes"
        )
    else:
        message = (
            f"Perceptron stopped after {result.n_iter} passes and {result.mistake_path.size} "
            f"updates; the data are separable, and it would end after at most {bound:.0f} updates: "
            "raise max_iter"
        )
    return Ending(result.n_iter, "max_iter", converged=False, message=message)
