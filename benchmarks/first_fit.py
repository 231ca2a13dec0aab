"""CPU seconds of a classifier's first fit and prediction, with no machine code kept and with it.

Three fits run in new processes with a cache folder of their own: the first in Python but for the
innermost loops, the second compiles all that it calls, the third loads what the second kept.
Counted are the functions that numba compiled, its own implementations of NumPy's among them.
Importing is not part of a time. With the name of a classifier, the functions that took most of the
second fit's time follow, without those they call.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter, defaultdict
from contextlib import nullcontext
from typing import Any

import numpy as np
from numba.core import event as events
from tabulate import tabulate

import ensvm
from ensvm.compiled import compiling_at_once
from ensvm_cli.warm_up import FITS

ROWS = 60
SHOWN = 15  # functions
# Classifier -> the parameters of the first of its fits that warm up the solvers
PARAMETERS: dict[str, dict[str, Any]] = {}
for fits in FITS:
    for name, parameters in fits:
        PARAMETERS.setdefault(name, parameters)


class Passes(events.Listener):
    """The time of the compiler's passes by function, without that of functions called."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.compiled: Counter[str] = Counter()
        self._running: list[str] = []
        self._since = 0.0

    def on_start(self, event: Any) -> None:
        """Begin a pass, maybe within another function's."""
        self._count()
        function = f"{event.data['module']}.{event.data['qualname']}"
        self._running.append(function)
        self.compiled[function] += event.data["name"].startswith("native_lowering")

    def on_end(self, event: Any) -> None:
        """End it."""
        self._count()
        self._running.pop()

    def _count(self) -> None:
        now = time.process_time()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now


def fit(name: str, at_once: bool) -> dict[str, Any]:
    """Return seconds and compiled functions of one fit and prediction in this process.

    With `at_once` all that it calls is compiled.
    """
    generator = np.random.default_rng(0)
    X = generator.normal(size=(ROWS, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0.0, 1, -1)
    if name.startswith("Mixed"):
        y = np.arange(ROWS) % 3
    classifier = getattr(ensvm, name)(**PARAMETERS[name])
    passes = Passes()
    events.register("numba:run_pass", passes)
    start = time.process_time()
    with warnings.catch_warnings(), compiling_at_once() if at_once else nullcontext():
        warnings.simplefilter("ignore")
        classifier.fit(X, y).predict(X)
    seconds = time.process_time() - start
    largest = sorted(passes.seconds.items(), key=lambda item: -item[1])
    return {
        "seconds": seconds,
        "functions": passes.compiled.total(),
        "largest": [[function, passes.compiled[function], t] for function, t in largest[:SHOWN]],
    }


def in_new_process(name: str, cache: str, *, at_once: bool) -> dict[str, Any]:
    """Return what `fit` returns, with machine code kept in a folder."""
    limits = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_CACHE_DIR": cache}
    told = subprocess.run(
        [sys.executable, __file__, "compile" if at_once else "fit", name],
        env={**os.environ, **limits},
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def main(chosen: list[str]) -> None:
    """Print the table, and of classifiers named the functions that took most time."""
    rows, tables = [], []
    for name in chosen or PARAMETERS:
        with tempfile.TemporaryDirectory() as cache:
            first, empty, warm = (
                in_new_process(name, cache, at_once=at_once) for at_once in (False, True, True)
            )
        both = [fits[what] for fits in (first, empty) for what in ("functions", "seconds")]
        rows.append([name, *both, warm["seconds"]])
        headers = [f"function ({name})", "compiled", "CPU s"]
        tables.append(tabulate(empty["largest"], headers=headers, floatfmt=".2f"))
    headers = ["classifier", "compiled", "CPU s", "more, at once", "CPU s", "CPU s, warm"]
    print("First fit and prediction")
    print(tabulate(rows, headers=headers, floatfmt=".2f"))
    for table in tables if chosen else ():
        print(f"\n{table}")


if __name__ == "__main__":
    if sys.argv[1:2] in (["fit"], ["compile"]):
        print(json.dumps(fit(sys.argv[2], sys.argv[1] == "compile")))
    else:
        main(sys.argv[1:])
