"""`ensvm warm-up`: compile the solvers before their first fit, as `make` does once.

A compiled solver costs seconds the first time it is called with arguments of certain types; later
processes load the machine code. Small fits reach all compiled code.
"""

import signal
import time
import warnings
from importlib import import_module
from typing import Any

import click

from ensvm.visible_console import VisibleConsole
from ensvm_cli.printing import duration, refuse, say

# Classifiers and parameters whose fits compile all solvers; those of a group share functions. A
# kernel `precomputed` stands for a Gram matrix of float32, as many rows have.
FITS: tuple[tuple[tuple[str, dict[str, Any]], ...], ...] = (
    (
        ("SVMPathClassifier", {}),
        ("TunedSVC", {}),
        ("SVMPathClassifier", {"tol": 0.1, "select": "span"}),
    ),
    (
        ("LeveragedVectorMachine", {}),
        ("LeveragedVectorMachine", {"kernel": "precomputed"}),
    ),
    (
        ("WeightedNuSVC", {}),
        ("WeightedNuSVC", {"mu": 0.2, "sigma": 0.1}),
        ("BoostedSVM", {"n_estimators": 2}),
    ),
    (
        ("WeightedNuSVC", {"kernel": "precomputed"}),
        ("WeightedNuSVC", {"kernel": "precomputed", "mu": 0.2, "sigma": 0.1}),
        ("BoostedSVM", {"kernel": "precomputed", "n_estimators": 2}),
    ),
    (
        ("MixedKernelBagging", {"n_estimators": 2}),
        ("MixedKernelBagging", {"n_estimators": 2, "C": 1e6, "voting": "majority"}),
        ("MixedKernelAdaBoost", {"n_estimators": 2}),
    ),
    (("LinearSMO", {}),),
    (("Perceptron", {}), ("Perceptron", {"dual": True})),
)


@click.command("warm-up")
def warm_up() -> None:
    """Compile all solvers now: no first fit waits for it.

    The machine code is kept in the user's cache folder, or in the one that NUMBA_CACHE_DIR names.
    """
    from joblib import Parallel, cpu_count, delayed

    from ensvm.compiled import code_folder

    folder = code_folder()
    if folder is None:
        refuse("no folder for machine code can be written; name one in NUMBA_CACHE_DIR")
    start = time.monotonic()
    # This process alone handles Ctrl+C, and ends the others.
    ignored = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    parallel = Parallel(cpu_count(), batch_size=1, backend="loky", **ignored)
    calls = [delayed(compile_solvers)(*fits) for fits in FITS]
    with VisibleConsole(stderr=True).status("compiling solvers"):
        n_compiled = sum(parallel([*calls, delayed(compile_kernels)()]))
    took = duration(time.monotonic() - start)
    result = f"{n_compiled} functions compiled in {took}" if n_compiled else "nothing to compile"
    say(f"{result}; the machine code is in {folder}")


def compile_solvers(*fits: tuple[str, dict[str, Any]]) -> int:
    """Fit classifiers to small made-up rows; return how many functions had to be compiled."""
    import numpy as np

    from ensvm.classifiers import CLASSIFIERS
    from ensvm.compiled import compiling_counted

    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 2))
    # a plane divides two classes; machines of classes that overlap need more steps, and more code
    divided, overlapping = np.where(X[:, 0] > 0.1, 1, -1), np.arange(len(X)) % 2
    four = np.arange(len(X)) % 4
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, parameters in fits:
            classifier = getattr(import_module(CLASSIFIERS[name]), name)(**parameters)
            rows = np.float32(X @ X.T) if parameters.get("kernel") == "precomputed" else X
            # loops over pairs are compiled for more than three classes
            several = name.startswith(("Mixed", "Tuned"))
            for y in (divided, overlapping, *([four] * several)):
                classifier.fit(rows, y).predict(rows)
    return len(compiled)


def compile_kernels() -> int:
    """Call what classifiers call on some rows only; return how many functions had to be compiled.

    These are kernels of rows of two numbers, the Laplacian kernel and its slopes.
    """
    import numpy as np

    from ensvm.compiled import compiling_counted
    from ensvm.kernels.cityblock import cityblock_distances
    from ensvm.kernels.packed_gram import PackedGram
    from ensvm.solvers.kernel_slopes import signed_sums

    rows = np.eye(2)
    with compiling_counted() as compiled:
        signed_sums(cityblock_distances(rows, rows), rows, rows)
        matrix = PackedGram(np.eye(30), kernel="rbf", gamma=1.0, dtype="float32")
        matrix.matvec(np.ones(30))
    return len(compiled)
