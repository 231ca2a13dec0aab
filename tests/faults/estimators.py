"""Estimators that do what none should, for the cells of a run; configs name them by import path."""

import contextlib
import ctypes
import os
import signal
import sys
import time
from fractions import Fraction

import numpy as np
from sklearn.svm import SVC
from troublesome import Majority


class FlipsLabels(Majority):
    def fit(self, X, y):
        y[:] = -y
        return super().fit(X, y)


class ForcesLabels(Majority):
    def fit(self, X, y):
        y.flags.writeable = True
        y[:] = -y
        return super().fit(X, y)


class ForcesThroughBase(Majority):
    def fit(self, X, y):
        whole = X
        while isinstance(whole.base, np.ndarray):
            whole = whole.base
        whole.flags.writeable = True
        whole[:] = 0
        return super().fit(X, y)


class ForcesMemory(Majority):
    """Writes where the labels lie, whatever their flags say."""

    def fit(self, X, y):
        if y.flags.c_contiguous:
            ctypes.memset(y.ctypes.data, 0, y.nbytes)
        return super().fit(X, y)


class ZeroesInputs(Majority):
    def fit(self, X, y):
        X[:] = 0
        return super().fit(X, y)


class ZeroesTestInputs(Majority):
    def predict(self, X):
        X[:] = 0
        return super().predict(X)


class ZeroesGram(SVC):
    """An SVC that is given the Gram matrix of the realization, and spoils it."""

    def fit(self, X, y, sample_weight=None):
        super().fit(X, y, sample_weight)
        X[:] = 0
        return self


class Column(Majority):
    def predict(self, X):
        return super().predict(X)[:, None]


class Scalar(Majority):
    def predict(self, X):
        return self.label_


class One(Majority):
    def predict(self, X):
        return super().predict(X)[:1]


class TooMany(Majority):
    def predict(self, X):
        return np.full(X.shape[0] + 1, self.label_)


class Nothing(Majority):
    def predict(self, X):
        return None


class NotNumbers(Majority):
    def predict(self, X):
        return np.full(X.shape[0], np.nan)


class Texts(Majority):
    def predict(self, X):
        return np.full(X.shape[0], "1")


class Fractions(Majority):
    def predict(self, X):
        return np.full(X.shape[0], 0.9)


class Exits(Majority):
    def fit(self, X, y):
        raise SystemExit


class ExitsOnPredict(Majority):
    def predict(self, X):
        sys.exit(0)


class HardExit(Majority):
    def fit(self, X, y):
        os._exit(0)


class Segfault(Majority):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGSEGV)


class ForksAndReturnsTwice(Majority):
    def fit(self, X, y):
        os.fork()
        return super().fit(X, y)


class Unprintable(Majority):
    def fit(self, X, y):
        class Silent(Exception):
            def __str__(self):
                raise RuntimeError("no text")

            __repr__ = __str__

        raise Silent


class RaisesGeneratorExit(Majority):
    def fit(self, X, y):
        raise GeneratorExit


class RaisesKeyboardInterrupt(Majority):
    def fit(self, X, y):
        raise KeyboardInterrupt


class RaisesBase(Majority):
    def fit(self, X, y):
        raise type("Base", (BaseException,), {})("of its own")


class RaisesSurrogate(Majority):
    def fit(self, X, y):
        raise ValueError("lone \ud800 surrogate")


class Recurses(Majority):
    def fit(self, X, y):
        return self.fit(X, y)


class ComplexAttribute(Majority):
    def fit(self, X, y):
        self.value_, self.number_ = 1j, np.complex128(2j)
        return super().fit(X, y)


class FractionAttribute(Majority):
    def fit(self, X, y):
        self.value_ = Fraction(1, 3)
        return super().fit(X, y)


class HugeAttribute(Majority):
    def fit(self, X, y):
        self.value_ = 10**5000
        return super().fit(X, y)


class OddAttributes(Majority):
    """Fitted attributes that raise when read, that are not finite, that are no numbers."""

    def fit(self, X, y):
        self.nan_, self.set_, self.type_, self.bytes_ = np.nan, {1}, int, b"\xff"
        return super().fit(X, y)

    @property
    def lazy_(self):
        raise RuntimeError("not yet")


class ChangesTheProcess(Majority):
    """Leaves the process as no one expects it: folder, environment, random state, signals."""

    def fit(self, X, y):
        os.chdir("/")
        os.environ["ENSVM_DATA"] = "/nowhere"
        np.random.seed(0)
        np.seterr(all="raise")
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.setrecursionlimit(200)
        return super().fit(X, y)


class ClosesFiles(Majority):
    def fit(self, X, y):
        os.closerange(0, 3)
        return super().fit(X, y)


class PrintsMuch(Majority):
    def fit(self, X, y):
        print("x" * 200_000)
        return super().fit(X, y)


class Hog(Majority):
    """Takes memory until there is none."""

    def fit(self, X, y):
        taken = []
        while True:
            taken.append(np.ones(1 << 24))


class Sleeps(Majority):
    def fit(self, X, y):
        time.sleep(3600)


class Deaf(Majority):
    """Hears nothing of a time limit."""

    def fit(self, X, y):
        while True:
            with contextlib.suppress(BaseException):
                time.sleep(3600)


class Blocks(Majority):
    """Never returns to the interpreter, as a loop in compiled code."""

    def fit(self, X, y):
        ctypes.PyDLL(None).sleep(3600)


# Whether the cell must fail: True, False, or None where either is honest.
HOSTILE = {
    FlipsLabels: True,
    ForcesLabels: True,
    ForcesThroughBase: True,
    ForcesMemory: True,
    ZeroesInputs: True,
    ZeroesTestInputs: True,
    ZeroesGram: True,
    Column: True,
    Scalar: True,
    One: True,
    TooMany: True,
    Nothing: True,
    NotNumbers: True,
    Texts: True,
    Fractions: True,
    Exits: True,
    ExitsOnPredict: True,
    HardExit: True,
    Segfault: True,
    ForksAndReturnsTwice: None,
    Unprintable: True,
    RaisesGeneratorExit: True,
    RaisesKeyboardInterrupt: True,
    RaisesBase: True,
    RaisesSurrogate: True,
    Recurses: True,
    ComplexAttribute: None,
    FractionAttribute: None,
    HugeAttribute: None,
    OddAttributes: None,
    ChangesTheProcess: None,
    ClosesFiles: None,
    PrintsMuch: False,
    Hog: True,
    Sleeps: True,
    Deaf: True,
    Blocks: True,
}
# Those that need a limit on time.
HANGING = {Sleeps, Deaf, Blocks}
