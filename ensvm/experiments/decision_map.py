"""A classifier that keeps a map of its decisions over two inputs, for a picture of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils import check_random_state

from ensvm.classifiers.meta_estimator import FittedCopy, seeded_clone
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, fit_context


@documented
@dataclass(eq=False, repr=False)
class DecisionMap(FittedCopy):
    """Classifier that keeps what a picture of its decisions shows: the rows and a map of f(x).

    It fits a copy of an estimator and evaluates its decision function on a grid around the training
    rows, in the plane of the first two inputs. The others are held at their means; a single input
    is both axes. Its predictions are those of the copy.

    Parameters
    ----------
    estimator : classifier, default None
        The classifier that is shown; None is an unpruned decision tree.
    n_grid : int, default 61
        The number of values on each axis, at least 2.
    border : float, default 0.1
        How far the grid reaches beyond the rows, as a share of their range, at least 0.
    keep : sequence of str, default ()
        Attributes of the fitted copy that are kept under their own names, such as `support_`.
    random_state : int, RandomState or None, default None
        Seeds the copy, where it has no `random_state` of its own.

    Attributes
    ----------
    estimator_ : classifier
        The fitted copy.
    points_ : ndarray of shape (n_samples, 2)
        The training rows in the plane.
    signs_ : ndarray of shape (n_samples,)
        Their labels, -1 and +1.
    grid_ : ndarray of shape (2, n_grid)
        The values on the horizontal axis and on the vertical one.
    values_ : ndarray of shape (n_grid, n_grid)
        f at each point of the grid, one line per value of the vertical axis; -1 and +1 for a
        classifier without `decision_function`.

    References
    ----------
    The pictures of COMP 6321 lecture 5, "Toy example" and "Perceptron learning example".

    Examples
    --------
    The map of a linear machine is a plane; the rows with multipliers are kept beside it:

    >>> from ensvm import LinearSMO
    >>> from ensvm.experiments import DecisionMap
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]], [0, 0, 1]
    >>> shown = DecisionMap(LinearSMO(C=100.0), n_grid=3, border=0.0, keep=["support_"]).fit(X, y)
    >>> shown.grid_[0], shown.support_
    (array([0. , 1.5, 3. ]), array([1, 2]))
    >>> shown.values_[0].round(2)
    array([-2. , -0.5,  1. ])
    """

    estimator: Any = None
    _: KW_ONLY
    n_grid: int = 61
    border: float = 0.1
    keep: Sequence[str] = ()
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **FittedCopy._parameter_constraints,
        "n_grid": [Interval(Integral, 2, None, closed="left")],
        "border": [Interval(Real, 0.0, None, closed="left")],
        "keep": ["array-like"],
    }

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the copy and draw the map.

        Raises
        ------
        ValueError
            For another number of classes, or an attribute in `keep` that the fitted copy does not
            have.
        """
        X, y, self.signs_ = self._validated_training(X, y)
        generator = check_random_state(self.random_state)
        self.estimator_ = seeded_clone(self._base(), generator, keep_given=True).fit(X, y)
        for name in self.keep:
            if not hasattr(self.estimator_, name):
                raise ValueError(f"keep: {type(self.estimator_).__name__} leaves no {name!r}")
            setattr(self, name, getattr(self.estimator_, name))
        dense = X.toarray() if issparse(X) else np.asarray(X, dtype=np.float64)
        axes = [0, min(1, X.shape[1] - 1)]
        self.points_ = dense[:, axes]
        low, high = self.points_.min(axis=0), self.points_.max(axis=0)
        width = np.where(high > low, high - low, 1.0) * self.border
        self.grid_ = np.linspace(low - width, high + width, self.n_grid).T
        plane = np.tile(dense.mean(axis=0), (self.n_grid**2, 1))
        # If both axes are the same input, the horizontal one counts: it is written last.
        plane[:, axes[1]] = np.repeat(self.grid_[1], self.n_grid)
        plane[:, axes[0]] = np.tile(self.grid_[0], self.n_grid)
        self.values_ = self._decide(plane).reshape(self.n_grid, self.n_grid)
        return self

    def _decide(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        if hasattr(self, "decision_function"):
            return np.asarray(self.decision_function(rows), dtype=np.float64)
        return self._signs(self.estimator_.predict(rows))
