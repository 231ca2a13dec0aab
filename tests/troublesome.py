"""Classifiers that misbehave, for tests of the runner; configs name them by import path."""

import ctypes
import logging
import os
import signal
import time
import warnings
from pathlib import Path

import numba
import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from threadpoolctl import threadpool_info


class Majority(ClassifierMixin, BaseEstimator):
    """Says the commonest label."""

    def fit(self, X, y):
        labels, counts = np.unique(y, return_counts=True)
        self.label_ = int(labels[np.argmax(counts)])
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.label_)


RAISED = {
    "error": lambda: RuntimeError("no luck today"),
    "exit": lambda: SystemExit(0),
    "interrupt": KeyboardInterrupt,
    "surrogate": lambda: ValueError("\ud800"),
    "long": lambda: ValueError("x" * 10**6),
}


class Raises(Majority):
    """Raises while fitting."""

    def __init__(self, how="error"):
        self.how = how

    def fit(self, X, y):
        raise RAISED[self.how]()


class Writes(Majority):
    """Changes the labels that it is fitted on."""

    def fit(self, X, y):
        y[:] = -y
        return self


HELD = {
    "array of one": (np.array([3]), 3),
    "flag": (np.bool_(True), True),
    "infinite": (float("inf"), float("inf")),
    "complex": (1 + 2j, None),
}


class Leaves(Majority):
    """Leaves an attribute that is not a plain number."""

    def __init__(self, how=""):
        self.how = how

    def fit(self, X, y):
        self.left_ = HELD[self.how][0]
        self.curve_ = [self.left_]
        return super().fit(X, y)


ANSWERS = {
    "columns": lambda y: np.column_stack([y, y]),
    "none": lambda y: None,
    "texts": lambda y: y.astype(str),
    "masked": lambda y: np.ma.array(y, mask=np.arange(y.size) == 2),
    "nan": lambda y: np.where(np.arange(y.size) == 2, np.nan, y),
    "probabilities": lambda y: 0.9 * y,
    "unknown": lambda y: y + 7,
    "short": lambda y: y[:-1],
    "with scores": lambda y: (y, np.column_stack([y, y])),
}
FINE = {
    "list": lambda y: y.tolist(),
    "floats": lambda y: y.astype(float),
    "masked array": np.ma.array,
    "column": lambda y: y[:, None],
    "objects": lambda y: y.astype(object),
    "column of objects": lambda y: y[:, None].astype(object),
    "frame": lambda y: pd.DataFrame({"label": y}),
    "series": lambda y: pd.Series(y, index=np.arange(y.size) + 7),
}


class Answers(Majority):
    """Predicts something else than a label for each row; stages do so from the second on."""

    def __init__(self, how="", has_classes=True):
        self.how, self.has_classes = how, has_classes

    def fit(self, X, y):
        if self.has_classes:
            self.classes_ = np.unique(y)
        return super().fit(X, y)

    def predict(self, X):
        return (ANSWERS | FINE)[self.how](super().predict(X))

    def staged_predict(self, X):
        yield super().predict(X)
        yield self.predict(X)


SCORES = {
    "raises": lambda n: 1 / 0,
    "nothing": lambda n: None,
    "a row less": lambda n: np.zeros(n - 1),
    "not finite": lambda n: np.full((n, 2), np.nan),
}


class Scores(Majority):
    """Gives scores that cannot be used, or takes its time."""

    def __init__(self, how=""):
        self.how = how

    def decision_function(self, X):
        return SCORES[self.how](X.shape[0])

    predict_proba = decision_function


class Stages(Majority):
    """Has no stages, or not as many for all rows."""

    def __init__(self, how=""):
        self.how = how

    def staged_predict(self, X):
        for _ in range(0 if self.how == "none" else X.shape[0]):
            yield self.predict(X)


def kill(pid):
    """Kill a process, and wait: it may be the parent of this one."""
    os.kill(pid, signal.SIGKILL)
    time.sleep(60)


ENDS = {
    "killed": lambda: kill(os.getpid()),
    "exits": lambda: os._exit(0),
    "crashes": lambda: ctypes.string_at(0),  # reads where nothing is, as wrong compiled code does
    "kills its parent": lambda: kill(os.getppid()),  # on a cluster, the worker
    "sleeps": lambda: time.sleep(600),
}


class Ends(Majority):
    """Ends its process, or takes very long.

    If `marker` names a file, it does so only the first time; if `n_rows`, only on that many rows.
    """

    def __init__(self, how="killed", marker=None, n_rows=0):
        self.how, self.marker, self.n_rows = how, marker, n_rows

    def fit(self, X, y):
        if X.shape[0] >= self.n_rows and not (self.marker and Path(self.marker).exists()):
            if self.marker:
                Path(self.marker).touch()
            ENDS[self.how]()
        return super().fit(X, y)


class Random(Majority):
    """Says random labels from its `random_state`."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def predict(self, X):
        return np.random.default_rng(self.random_state).choice([-1, 1], X.shape[0])


class Staged(Majority):
    """Three stages: all wrong side, all right side, the wrong one again."""

    def staged_predict(self, X):
        for sign in (-1, 1, -1):
            yield np.full(X.shape[0], sign * self.label_)

    def predict(self, X):
        return np.full(X.shape[0], -self.label_)


class Naps(Majority):
    """Takes a moment."""

    def fit(self, X, y):
        time.sleep(0.1)
        return super().fit(X, y)


class RaisesOnFew(Majority):
    """Raises on fewer rows than the whole training part has, as a warm-up's are."""

    def fit(self, X, y):
        if X.shape[0] < 40:
            raise ValueError("too few rows")
        return super().fit(X, y)


class Compiles(Majority):
    """Lets numba compile a function."""

    def fit(self, X, y):
        numba.njit(lambda x: x + 1.0)(2.0)
        return super().fit(X, y)


class CountsThreads(Majority):
    """Keeps how many threads the libraries of this process may use while it is fitted."""

    def fit(self, X, y):
        self.threads_ = max(pool["num_threads"] for pool in threadpool_info())
        return super().fit(X, y)


class LastRow(Majority):
    """Follows the last training row, so that the order of the rows decides what it says."""

    def fit(self, X, y):
        self.coef_ = float(y[-1]) * X[-1]
        self.flag_ = bool(y[-1] == 1)
        self.text_ = str(self.coef_)
        return super().fit(X, y)

    def predict(self, X):
        return np.where(X @ self.coef_ > 0, 1, -1)


class Warns(Majority):
    """Warns while fitting, of a number that no two cells share; of another thing on some rows."""

    def fit(self, X, y):
        warnings.warn(
            f"stopped {float(X[0, 0])!r} short of the aim", ConvergenceWarning, stacklevel=2
        )
        if y[0] == 1:
            warnings.warn("the first row is positive", UserWarning, stacklevel=2)
        return super().fit(X, y)


class Alone(SVC):
    """SVC(kernel='rbf', gamma=0.7, C=3), but hides that it could be given a Gram matrix."""

    def __init__(self):
        super().__init__(kernel="rbf", gamma=0.7, C=3.0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags


class Duck:
    """Has scikit-learn's methods but not its base classes."""

    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]


class Logs(Majority):
    """Logs what a compiled solver logs when it is compiled."""

    def fit(self, X, y):
        logging.getLogger("ensvm").info("compiling")
        return super().fit(X, y)
