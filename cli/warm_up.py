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
from rich.console import Console

from ensvm_cli.printing import duration, refuse

Fit = tuple[str, dict[str, Any]]


def _on_a_gram_matrix(fits: tuple[Fit, ...]) -> tuple[Fit, ...]:
    return tuple((name, {**parameters, "kernel": "precomputed"}) for name, parameters in fits)


# The compiled solvers, and the classifiers that are fitted to compile each.
FIRST_FITS: dict[str, tuple[Fit, ...]] = {
    "regularization path": (("SVMPathClassifier", {}),),
    "leave-one-out values": (("TunedSVC", {}),),
    "leveraging": (("LeveragedVectorMachine", {}),),
    "weighted nu-SVM": (
        ("WeightedNuSVC", {}),
        ("WeightedNuSVC", {"mu": 0.2, "sigma": 0.1}),
        ("BoostedSVM", {"n_estimators": 2}),
    ),
    "pairwise machines": (
        ("MixedKernelBagging", {"n_estimators": 2}),
        ("MixedKernelBagging", {"n_estimators": 2, "C": 1e6, "voting": "majority"}),
        ("MixedKernelAdaBoost", {"n_estimators": 2}),
    ),
    "linear SMO": (("LinearSMO", {}),),
    "perceptron": (("Perceptron", {}), ("Perceptron", {"dual": True})),
}

# What most studies do not need: code for float32 Gram matrices, which many rows have too.
RARE_FITS: dict[str, tuple[Fit, ...]] = {
    "leveraging, float32": _on_a_gram_matrix(FIRST_FITS["leveraging"]),
    "weighted nu-SVM, float32": _on_a_gram_matrix(FIRST_FITS["weighted nu-SVM"]),
}


@click.command("warm-up", hidden=True)
def warm_up() -> None:
    """Compile the solvers of all classifiers now, so that no first fit waits for it.

    The machine code is kept in the user's cache folder, or in the one that NUMBA_CACHE_DIR names.
    """
    from joblib import cpu_count

    from ensvm.compiled import code_folder

    folder = code_folder()
    if folder is None:
        refuse("no folder for machine code can be written; name one in NUMBA_CACHE_DIR")
    start = time.monotonic()
    n_compiled = compile_solvers([*FIRST_FITS, *RARE_FITS], cpu_count())
    took = duration(time.monotonic() - start)
    result = f"{n_compiled} functions compiled in {took}" if n_compiled else "nothing to compile"
    click.echo(f"{result}; the machine code is in {folder}")


def compile_solvers(solvers: list[str], jobs: int) -> int:
    """Compile solvers, several at a time, and return how many functions there were."""
    from joblib import Parallel, delayed

    # This process alone handles Ctrl+C, and ends the others.
    ignored = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    parallel = Parallel(n_jobs=min(jobs, len(solvers)), batch_size=1, backend="loky", **ignored)
    with Console(stderr=True).status("compiling solvers"):
        return sum(parallel(delayed(fill)(solver) for solver in solvers))


def fill(solver: str) -> int:
    """Fit small made-up rows, so that all of a solver's compiled code is made and kept.

    Returns how many functions had to be compiled.
    """
    import numpy as np

    from ensvm.classifiers import CLASSIFIERS
    from ensvm.compiled import compiling_counted

    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 2))
    two, three = np.where(X[:, 0] > 0.1, 1, -1), np.arange(len(X)) % 3
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, parameters in (FIRST_FITS | RARE_FITS)[solver]:
            classifier = getattr(import_module(CLASSIFIERS[name]), name)(**parameters)
            rows = np.float32(X @ X.T) if parameters.get("kernel") == "precomputed" else X
            classifier.fit(rows, three if name.startswith("Mixed") else two).predict(rows)
    return len(compiled)
