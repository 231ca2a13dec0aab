"""Classifiers that misbehave, for tests of the runner; configs name them by import path."""

import ctypes
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info


class Majority(ClassifierMixin, BaseEstimator):
    """Says the commonest label."""

    def fit(self, X, y):
        labels, counts = np.unique(y, return_counts=True)
        self.label_ = int(labels[np.argmax(counts)])
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.label_)


class Raises(Majority):
    """Raises while fitting."""

    def fit(self, X, y):
        raise RuntimeError("no luck today")


class Sleeps(Majority):
    """Takes a long time in Python."""

    def fit(self, X, y):
        time.sleep(60)
        return super().fit(X, y)


class Dies(Majority):
    """Takes its process with it, as a crash in compiled code would."""

    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


class Exits(Majority):
    """Ends its process as if all were well."""

    def fit(self, X, y):
        os._exit(0)


class Crashes(Majority):
    """Reads where nothing is, as wrong compiled code does."""

    def fit(self, X, y):
        ctypes.string_at(0)


class Abandons(Majority):
    """Starts a process and a copy of its own, which go on for long, and leaves them behind."""

    def __init__(self, mark=""):
        self.mark = mark

    def fit(self, X, y):
        command = [sys.executable, "-c", "import time; time.sleep(600)", self.mark]
        subprocess.Popen(command, stdin=subprocess.DEVNULL)
        if os.fork() == 0:
            time.sleep(600)
        return super().fit(X, y)


class KillsItsParent(Majority):
    """Kills the process that started its own: on a cluster, the worker."""

    def fit(self, X, y):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)


class DiesOnce(Majority):
    """Takes its process with it the first time only: a file remembers."""

    def __init__(self, marker=""):
        self.marker = marker

    def fit(self, X, y):
        try:
            open(self.marker, "x").close()
        except FileExistsError:
            return super().fit(X, y)
        os.kill(os.getpid(), signal.SIGKILL)
        return None


class SleepsOnce(Majority):
    """Takes very long the first time only: a file remembers."""

    def __init__(self, marker=""):
        self.marker = marker

    def fit(self, X, y):
        try:
            open(self.marker, "x").close()
        except FileExistsError:
            return super().fit(X, y)
        time.sleep(600)
        return self


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


class DiesOnMany(Majority):
    """Takes its process with it on more rows than a warm-up has."""

    def fit(self, X, y):
        if X.shape[0] >= 40:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y)


class RaisesOnFew(Majority):
    """Raises on fewer rows than the whole training part has, as a warm-up's are."""

    def fit(self, X, y):
        if X.shape[0] < 40:
            raise ValueError("too few rows")
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
