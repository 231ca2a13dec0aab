"""Small fits that reach all compiled code, so that its machine code is there before it is needed.

A compiled solver costs seconds the first time it is called with arguments of certain types; later
processes load the machine code. `FIRST_FITS` has a row a solver: classifiers that use it, and
parameters that reach what only some fits compile.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ensvm.classifiers import CLASSIFIERS

Fit = tuple[str, dict[str, Any]]


def _on_a_gram_matrix(fits: tuple[Fit, ...]) -> tuple[Fit, ...]:
    return tuple((name, {**parameters, "kernel": "precomputed"}) for name, parameters in fits)


FIRST_FITS: dict[str, tuple[Fit, ...]] = {
    "regularization path": (("SVMPathClassifier", {}),),
    "leave-one-out values": (("TunedSVC", {}),),
    "leveraging": (("LeveragedVectorMachine", {}),),
    "weighted nu-SVM": (
        ("WeightedNuSVC", {}),
        ("WeakenedSVC", {}),
        ("EditingSVC", {}),
        ("BoostedSVM", {"n_rounds": 2}),
    ),
    "pairwise machines": (
        ("MixedKernelBagging", {"n_estimators": 2}),
        ("MixedKernelBagging", {"n_estimators": 2, "C": 1e6, "voting": "majority"}),
        ("MixedKernelAdaBoost", {"n_estimators": 2}),
    ),
    "linear SMO": (("LinearSMO", {}),),
    "perceptron": (("Perceptron", {}), ("Perceptron", {"dual": True})),
}
"""The compiled solvers and what is fitted to compile each."""

MANY_ROWS = 4100
RARE_FITS: dict[str, tuple[Fit, ...]] = {
    "leveraging, float32": _on_a_gram_matrix(FIRST_FITS["leveraging"]),
    "weighted nu-SVM, float32": _on_a_gram_matrix(FIRST_FITS["weighted nu-SVM"]),
    "many rows": (
        *(
            ("PartiallyTrainedEnsemble", {"gram_dtype": dtype, "max_iter": 1})
            for dtype in ("float64", "float32", "uint16")
        ),
        ("LeveragedVectorMachine", {"n_rounds": 2}),
    ),
}
"""What most studies do not need: code for Gram matrices given as float32, and for many rows."""


def solvers_of(names: Iterable[str]) -> list[str]:
    """Return the solvers of `FIRST_FITS` that classifiers of these names use, in its order."""
    used = set(names)
    return [solver for solver, fits in FIRST_FITS.items() if any(name in used for name, _ in fits)]


def is_filled(solver: str) -> bool:
    """Return whether `fill` has run for these sources, this Python, this numba, this processor."""
    mark = _mark(solver)
    return mark is not None and mark.exists()


def fill(solver: str) -> tuple[str, int, float]:
    """Fit small made-up rows, so that all of a solver's compiled code is made and kept.

    Returns the solver's name, how many functions had to be compiled, and the seconds that took.
    """
    from ensvm.compiled import compiling_counted

    generator = np.random.default_rng(0)
    X = generator.normal(size=(MANY_ROWS if solver == "many rows" else 30, 2))
    two, three = np.where(X[:, 0] > 0.1, 1, -1), np.arange(len(X)) % 3
    start = time.perf_counter()
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, parameters in (FIRST_FITS | RARE_FITS)[solver]:
            classifier = getattr(import_module(CLASSIFIERS[name]), name)(**parameters)
            rows = np.float32(X @ X.T) if parameters.get("kernel") == "precomputed" else X
            classifier.fit(rows, three if name.startswith("Mixed") else two).predict(rows)
    mark = _mark(solver)
    if mark is not None:
        mark.touch()
    return solver, len(compiled), time.perf_counter() - start


def _mark(solver: str) -> Path | None:
    """Return the file that stands for a solver whose machine code is all there."""
    import llvmlite.binding
    import numba

    from ensvm.compiled import code_folder

    folder = code_folder()
    if folder is None:
        return None
    machine = llvmlite.binding.get_host_cpu_name()
    python = sys.implementation.cache_tag
    name = solver.replace(",", "").replace(" ", "-")
    return folder / f"{name}.{python}-{numba.__version__}-{machine}.filled"
