"""Boosted trees of LightGBM and CatBoost, which other classifiers are compared with.

The two packages are optional (`pip install "ensvm[rivals]"`). They are imported by `fit`, so that a
study that names these classifiers can be read, checked and shown without them.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import validated
from ensvm.classifiers.sklearn_private import Interval, fit_context
from ensvm.errors import UserError

LARGEST_SEED = 2**31 - 1
FOLDS = 3
# What a user of LightGBM tunes first
SEARCHED = {
    "num_leaves": [4, 7, 15, 31, 63],
    "learning_rate": [0.02, 0.05, 0.1, 0.2],
    "min_child_samples": [2, 5, 10, 20, 40],
    "n_estimators": [50, 100, 200],
}


def optional_class(module: str, name: str) -> Any:
    """Return a class of an optional package.

    Raises UserError if the package is not installed.
    """
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        raise UserError(
            f"{name} needs the package {error.name}, which is not installed: "
            "pip install 'ensvm[rivals]'"
        ) from error


@dataclass(eq=False, repr=False)
class _BoostedTrees(ClassifierMixin, BaseEstimator):
    """A classifier that fits one of another package, on one thread."""

    _: KW_ONLY
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {"random_state": ["random_state"]}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any) -> Self:
        """Fit the trees.

        Raises
        ------
        UserError
            If the package is not installed.
        """
        X, y = validated(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        seed = int(check_random_state(self.random_state).randint(LARGEST_SEED))
        self.estimator_ = self._fitted(X, codes, seed)
        return self

    def _fitted(self, X: NDArray[np.float64], codes: NDArray[np.intp], seed: int) -> Any:
        raise NotImplementedError

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the probability of each class at each row, shape (n, n_classes)."""
        check_is_fitted(self)
        X = validated(self, X, dtype=np.float64, reset=False)
        return np.asarray(self.estimator_.predict_proba(X), dtype=np.float64)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each row."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]


@dataclass(eq=False, repr=False)
class TunedLightGBM(_BoostedTrees):
    """LightGBM, tuned by a random search with three folds.

    The search draws among numbers of leaves (4 to 63), learning rates (.02 to .2), least rows of a
    leaf (2 to 40) and numbers of trees (50 to 200), and takes the least log loss.

    Parameters
    ----------
    n_candidates : int, default 10
        The number of random choices that are tried, at least 1.
    random_state : int, RandomState or None, default None
        Draws the choices and the folds, and seeds LightGBM.

    Attributes
    ----------
    estimator_ : RandomizedSearchCV
        The search, with the trees that were fitted to all rows.
    """

    n_candidates: int = 10

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_BoostedTrees._parameter_constraints,
        "n_candidates": [Interval(Integral, 1, None, closed="left")],
    }

    def _fitted(self, X: NDArray[np.float64], codes: NDArray[np.intp], seed: int) -> Any:
        trees = optional_class("lightgbm", "LGBMClassifier")(
            n_jobs=1, random_state=seed, verbose=-1, deterministic=True, force_row_wise=True
        )
        folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
        search = RandomizedSearchCV(
            trees,
            SEARCHED,
            n_iter=self.n_candidates,
            # A rare class may be missing in a fold, where a log loss of all classes is undefined
            scoring="neg_log_loss" if np.bincount(codes).min() >= FOLDS else "accuracy",
            cv=folds,
            random_state=seed,
        )
        return search.fit(X, codes)


@dataclass(eq=False, repr=False)
class CatBoost(_BoostedTrees):
    """CatBoost with its defaults apart from the number of trees, on one thread.

    Parameters
    ----------
    n_estimators : int, default 1000
        The number of trees, at least 1.
    random_state : int, RandomState or None, default None
        Seeds CatBoost.

    Attributes
    ----------
    estimator_ : CatBoostClassifier
        The trees.
    """

    n_estimators: int = 1000

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **_BoostedTrees._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
    }

    def _fitted(self, X: NDArray[np.float64], codes: NDArray[np.intp], seed: int) -> Any:
        trees = optional_class("catboost", "CatBoostClassifier")(
            iterations=self.n_estimators,
            thread_count=1,
            random_seed=seed,
            allow_writing_files=False,
            verbose=False,
        )
        return trees.fit(X, codes)
