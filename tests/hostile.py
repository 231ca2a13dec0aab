"""Classifiers whose answers cannot be used, or that disturb their process; configs name them."""

import os
import random
import signal
import sys
import time
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin


class Base(ClassifierMixin, BaseEstimator):
    """Says the first class, after having done what is hostile."""

    def __init__(self, how=""):
        self.how = how

    def fit(self, X, y):
        self.act(X, y)
        self.classes_ = np.unique(y)
        self._first = self.classes_[0]
        return self

    def act(self, X, y):
        """Do what is hostile."""

    def predict(self, X):
        return np.full(X.shape[0], self._first)


class Writes(Base):
    """Changes the labels that it is fitted on."""

    def act(self, X, y):
        y[:] = -y


RAISED = {
    "exit": lambda: SystemExit(0),
    "interrupt": KeyboardInterrupt,
    "surrogate": lambda: ValueError("\ud800"),
    "long": lambda: ValueError("x" * 10**6),
}


class Raises(Base):
    """Raises something that is rarely caught, in `fit` or, if `how` begins so, in `predict`."""

    def act(self, X, y):
        if not self.how.startswith("predict "):
            raise RAISED[self.how]()

    def predict(self, X):
        raise RAISED[self.how.removeprefix("predict ")]()


LEFT = {"complex": 1 + 2j, "huge": 10**400}
HELD = {
    "fraction": (Fraction(1, 4), 0.25),
    "array of one": (np.array([3]), 3),
    "flag": (np.bool_(True), True),
    "infinite": (float("inf"), float("inf")),
    "surrogate": ("\ud800", "\\ud800"),
}


class Leaves(Base):
    """Leaves an attribute that is not a plain number."""

    def act(self, X, y):
        self.left_ = LEFT[self.how] if self.how in LEFT else HELD[self.how][0]
        self.curve_ = [self.left_]


ANSWERS = {
    "column": lambda y: y[:, None],
    "scalar": lambda y: y[0],
    "none": lambda y: None,
    "texts": lambda y: y.astype(str),
    "nan": lambda y: np.where(np.arange(y.size) == 2, np.nan, y),
    "probabilities": lambda y: 0.9 * y,
    "ragged": lambda y: [[1], *y[1:].tolist()],
    "unknown": lambda y: y + 7,
    "short": lambda y: y[:-1],
}
FINE = {
    "array": lambda y: y,
    "list": lambda y: y.tolist(),
    "floats": lambda y: y.astype(float),
    "numbers as objects": lambda y: y.astype(object),
}


class Answers(Base):
    """Predicts what is not a label for each row; stages do so from the second on."""

    def predict(self, X):
        return (ANSWERS | FINE)[self.how](super().predict(X))

    def staged_predict(self, X):
        yield super().predict(X)
        yield self.predict(X)


class Nameless(Answers):
    """Does not say which classes there are."""

    def fit(self, X, y):
        super().fit(X, y)
        del self.classes_
        return self


SCORES = {
    "raises": lambda n: 1 / 0,
    "nothing": lambda n: None,
    "a row less": lambda n: np.zeros(n - 1),
    "not finite": lambda n: np.full((n, 2), np.nan),
    "texts": lambda n: np.full((n, 2), "0.5"),
    "three classes": lambda n: np.full((n, 3), 1 / 3),
}


class Scores(Base):
    """Gives scores that cannot be used, or takes its time."""

    def decision_function(self, X):
        if self.how == "sleeps":
            time.sleep(60)
        return SCORES[self.how](X.shape[0])

    predict_proba = decision_function


class Stages(Base):
    """Has no stages, or not as many for all rows."""

    def staged_predict(self, X):
        for _ in range(0 if self.how == "none" else X.shape[0]):
            yield self.predict(X)


class Draws(Base):
    """Draws from the global random numbers, and says what it sees of its process."""

    def act(self, X, y):
        self.drawn_ = float(np.random.rand())
        self.drawn_by_python_ = random.random()
        self.folder_ = os.getcwd()
        self.variable_ = os.environ.get("HOSTILE", "")
        self.treatment_ = str(sorted(np.geterr().items()))
        self.finite_ = str(sklearn.get_config()["assume_finite"])
        self.output_ = type(sys.stdout).__name__


class Disturbs(Base):
    """Changes what surrounds it in its process."""

    def act(self, X, y):
        np.random.seed(0)
        random.seed(0)
        os.chdir(Path(os.sep))
        os.environ["HOSTILE"] = "yes"
        np.seterr(all="raise")
        sklearn.set_config(assume_finite=True)
        warnings.simplefilter("error")
        sys.stdout = None
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


class WarnsSilently(Base):
    """Warns of something."""

    def act(self, X, y):
        warnings.warn("a text", stacklevel=2)
