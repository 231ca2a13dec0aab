"""Rosenblatt's perceptron with the bound of its convergence theorem evaluated."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base.ending import Ending
from ensvm.classifiers.base.linear_classifier import LinearClassifier, Plane
from ensvm.solvers.linear.perceptron import PerceptronResult, perceptron
from ensvm.solvers.linear.separability import separability, signed_points


class Perceptron(LinearClassifier):
    """Perceptron sgn(w.x + w_0), with the bound of its convergence theorem evaluated.

    From zero weights, each mistake, y_i f(x_i) <= 0, updates w <- w + y_i x_i, w_0 <- w_0 + y_i.

    Before the first pass it is decided whether any plane separates the classes. If so the rule
    stops by itself, after at most `mistake_bound_` updates; if not it never would: it is stopped
    after `max_iter` passes, with a `ConvergenceWarning`.

    The bound max_i |z_i|^2 |w|^2 / min_i (w.z_i)^2 over augmented points z_i = (1, x_i) holds for
    every separating w; it is evaluated for the one that makes it least, the plane through the
    origin of the augmented space with the largest margin.

    Parameters
    ----------
    dual : bool, default False
        True keeps the weights as numbers of updates for each row and reads products of rows alone.
        The updates are the same.
    shuffle : bool, default False
        Whether each pass goes through the rows in a new random order: a separating plane is not
        unique, and the one found depends on the order.
    max_iter : int, default 1000
        The most passes over the rows; fewer than the rule needs give a `ConvergenceWarning`; at
        least 1.
    random_state : int, RandomState instance or None, default None
        Read with shuffle=True.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
        The normal vector w of the plane.
    intercept_ : ndarray of shape (1,)
        The offset w_0.
    alpha_ : ndarray of shape (n_samples,)
        The updates made for each row: w = sum_i alpha_i y_i x_i, w_0 = sum_i alpha_i y_i.
    mistakes_ : int
        Updates in all.
    mistake_path_ : ndarray of shape (mistakes_,)
        The row of each update.
    errors_ : ndarray of shape (n_iter_,)
        The updates in each pass.
    separable_ : bool
        Whether some plane separates the classes.
    mistake_bound_ : float
        The bound of the convergence theorem, a whole number; infinite if the classes are not
        separable.
    bound_share_ : float
        The value of mistakes_ / mistake_bound_.
    objective_ : float
        The perceptron criterion J(w, w_0).
    certificate_ : int
        Training rows with y_i f(x_i) <= 0; 0 proves that the plane separates.
    n_iter_ : int
        Passes over the rows.
    converged_ : bool
        Whether the rule stopped by itself.
    classes_ : ndarray of shape (2,)
        The two classes, sorted.
    n_features_in_ : int
        The number of features seen in `fit`.

    References
    ----------
    COMP 6321 lecture 5, "Perceptrons" to "Comment: Solutions are nonunique".

    Examples
    --------
    >>> from ensvm import Perceptron
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> Perceptron().fit(X, y).score(X, y)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "dual": ["boolean"],
        "shuffle": ["boolean"],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        dual: bool = False,
        shuffle: bool = False,
        max_iter: int = 1000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.dual = dual
        self.shuffle = shuffle
        self.max_iter = max_iter
        self.random_state = random_state

    def _find_plane(self, X: NDArray[np.float64], signs: NDArray[np.float64]) -> Plane:
        bound = _mistake_bound(X, signs)
        rng = None
        if self.shuffle:
            rng = np.random.default_rng(
                check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
            )
        result = perceptron(X, signs, dual=self.dual, max_iter=self.max_iter, rng=rng)
        mistakes = result.mistake_path.size
        attributes = {
            "alpha_": result.alpha,
            "mistake_path_": result.mistake_path,
            "mistakes_": mistakes,
            "errors_": result.errors,
            "separable_": bound is not None,
            "mistake_bound_": np.inf if bound is None else bound,
            "bound_share_": 0.0 if bound is None else mistakes / bound,
            "objective_": result.objective,
            "certificate_": result.certificate,
        }
        return Plane(result.weights, result.offset, attributes, _ending(result, bound))


def _mistake_bound(X: NDArray[np.float64], signs: NDArray[np.float64]) -> float | None:
    """Return the most updates that the theorem allows; None for classes not separable."""
    points = signed_points(X, signs)
    answer = separability(points)
    if not answer.separable:
        return None
    longest = np.linalg.norm(points, axis=1).max()
    return float(np.floor((longest / answer.margin) ** 2))


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
