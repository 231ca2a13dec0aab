"""Classifiers that try to hurt others' cells, for tests of the runner; configs name them."""

import os
import random
import signal
import sys
import time
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.svm import SVC


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
    """Changes what it is fitted on, whatever the flags say."""

    def act(self, X, y):
        changed = {"y": y, "X": X, "data": getattr(X, "data", None)}
        name, _, _ = self.how.partition(" ")
        array = writable(changed[name])
        if "shuffled" in self.how:
            array[:] = array[::-1].copy()
        else:
            array[:] = -array if "negated" in self.how else 0


class WritesTestRows(Base):
    """Changes the rows that it predicts."""

    def predict(self, X):
        writable(X)[:] = 0
        return super().predict(X)


class WritesThenRaises(Writes):
    """Changes what it is fitted on, and fails."""

    def act(self, X, y):
        super().act(X, y)
        raise ValueError("and that was that")


class WritesPlainly(Base):
    """Changes the labels as somebody would who does not mean harm."""

    def act(self, X, y):
        y[:] = -y


def writable(array):
    """Return the array that owns the memory, made writable."""
    view = array
    while isinstance(array.base, np.ndarray):
        array = array.base
    array.flags.writeable = True
    view.flags.writeable = True
    return view


class Unheard(BaseException):
    """An error that `except Exception` lets pass."""


RAISED = {
    "exit": lambda: SystemExit(0),
    "interrupt": KeyboardInterrupt,
    "base": Unheard,
    "surrogate": lambda: ValueError("\ud800"),
    "long": lambda: ValueError("x" * 10**6),
}


class Raises(Base):
    """Raises something that is rarely caught, in `fit` or, said so, in `predict`."""

    def act(self, X, y):
        if not self.how.startswith("predict "):
            raise RAISED[self.how]()

    def predict(self, X):
        if self.how.startswith("predict "):
            raise RAISED[self.how.removeprefix("predict ")]()
        return super().predict(X)


class Shy(Base):
    """Has a property that raises."""

    @property
    def support_(self):
        raise RuntimeError("ask me not")


LEFT = {
    "complex": 1 + 2j,
    "huge": 10**400,
    "large fraction": Fraction(10**401),
}
HELD = {
    "fraction": (Fraction(1, 4), 0.25),
    "decimal": (Decimal("0.5"), 0.5),
    "long double": (np.longdouble(0.75), 0.75),
    "array of one": (np.array([3]), 3),
    "flag": (np.bool_(True), True),
    "infinite": (float("inf"), float("inf")),
    "whole": (2**70, 2**70),
    "surrogate": ("\ud800", "\\ud800"),
}


class Leaves(Base):
    """Leaves an attribute that is no plain number."""

    def act(self, X, y):
        self.left_ = LEFT[self.how] if self.how in LEFT else HELD[self.how][0]
        self.lists_ = [[1], [2, 3]]


class LeavesCurve(Base):
    """Leaves a curve of what is no number."""

    def act(self, X, y):
        self.curve_ = [LEFT[self.how]]


ANSWERS = {
    "column": lambda y: y[:, None],
    "row": lambda y: y[None],
    "scalar": lambda y: y[0],
    "one": lambda y: y[:1],
    "none": lambda y: None,
    "texts": lambda y: y.astype(str),
    "nan": lambda y: np.where(np.arange(y.size) == 2, np.nan, y),
    "probabilities": lambda y: 0.9 * y,
    "objects": lambda y: np.array([None, *y[1:].tolist()], dtype=object),
    "ragged": lambda y: [[1], *y[1:].tolist()],
    "unknown": lambda y: y + 7,
    "short": lambda y: y[:-1],
    "complex": lambda y: y * (1 + 1j),
}
FINE = {
    "array": lambda y: y,
    "list": lambda y: y.tolist(),
    "floats": lambda y: y.astype(float),
    "numbers as objects": lambda y: y.astype(object),
}


class Answers(Base):
    """Predicts what is no label for each row; stages do so from the second on."""

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
    "one number": lambda n: 0.5,
    "a column": lambda n: np.zeros((n, 1)),
    "a row less": lambda n: np.zeros(n - 1),
    "not finite": lambda n: np.full((n, 2), np.nan),
    "complex": lambda n: np.full((n, 2), 1j),
    "texts": lambda n: np.full((n, 2), "0.5"),
    "three classes": lambda n: np.full((n, 3), 1 / 3),
}


class Scores(Base):
    """Gives scores that are none, or takes its time."""

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
        handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
        self.handlers_ = str([getattr(each, "__name__", each) for each in handlers])


class Disturbs(Base):
    """Changes what surrounds it in its process."""

    def act(self, X, y):
        np.random.seed(0)
        np.random.set_bit_generator(np.random.PCG64(1))
        random.seed(0)
        os.chdir(Path(os.sep))
        os.environ["HOSTILE"] = "yes"
        os.environ.pop("PATH", None)
        np.seterr(all="raise")
        sklearn.set_config(assume_finite=True)
        warnings.simplefilter("error")
        sys.stdout = None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)


class WarnsSilently(Base):
    """Warns of something."""

    def act(self, X, y):
        warnings.warn("a text", stacklevel=2)


class WritesGram(SVC):
    """Changes the Gram matrix that it is fitted on, or the kernel values of the test rows."""

    def __init__(self, how="fit", kernel="rbf", gamma=0.7):
        self.how = how
        super().__init__(kernel=kernel, gamma=gamma)

    def fit(self, X, y):
        super().fit(X, y)
        if self.how == "fit":
            writable(X)[:] = 0
        elif self.how == "one entry":
            writable(X)[3, 5] += 1e-9
        elif self.how == "transposed rows":
            writable(X)[[3, 5]] = X[[5, 3]]
        return self

    def predict(self, X):
        labels = super().predict(X)
        if self.how == "predict":
            writable(X)[:] *= -1
        return labels


class WritesCopies(Writes):
    """Changes what it is fitted on after the first fit of each realization: other rows' copies."""

    seen = None

    def __init__(self, how="y negated", tried=0):
        self.tried = tried
        super().__init__(how)

    def act(self, X, y):
        if len(y) < 40 or (
            WritesCopies.seen is not None and not np.array_equal(X, WritesCopies.seen)
        ):
            super().act(X, y)
        WritesCopies.seen = X.copy()
