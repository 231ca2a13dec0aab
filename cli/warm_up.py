"""`ensvm warm-up`: compile the solvers before their first fit; `ensvm run` does so too.

A compiled solver costs seconds the first time it is called with arguments of certain types; later
processes load the machine code. Small fits reach all compiled code.
"""

import signal
import sys
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from ensvm_cli.printing import duration, refuse

if TYPE_CHECKING:
    from ensvm.runner.plan import Plan

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


def compile_first(plan: "Plan", results: Path, jobs: int) -> None:
    """Compile the solvers of the cells to run, in as many processes as will run them."""
    from ensvm.compiled import code_folder
    from ensvm.records.store import read_records

    missing = plan.missing(read_records(results / plan.config.study))
    algorithms = {cell.algorithm: cell.settings["algorithm"] for cell, _ in missing}
    solvers = solvers_of(_texts(algorithms))
    folder = code_folder() if solvers else None
    if folder is None:
        return
    to_compile = [solver for solver in solvers if not _mark(folder, solver).exists()]
    if to_compile:
        compile_solvers(to_compile, jobs)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a value of JSON: names of estimators and base estimators among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _texts(list(value.values()))
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)


def solvers_of(names: Iterable[str]) -> list[str]:
    """Return the solvers of `FIRST_FITS` that classifiers of these names use, in its order."""
    used = set(names)
    return [solver for solver, fits in FIRST_FITS.items() if any(name in used for name, _ in fits)]


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
    """Compile solvers, several at a time, print each, and return how many functions there were."""
    from joblib import Parallel, delayed

    console, n_compiled = Console(stderr=True), 0
    parallel = Parallel(
        n_jobs=min(jobs, len(solvers)),
        return_as="generator_unordered",
        batch_size=1,
        backend="loky",
        # This process alone handles Ctrl+C, and ends the others.
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    with console.status("compiling solvers, on first use only") as status:
        filled = parallel(delayed(fill)(solver) for solver in solvers)
        for number, (solver, n_functions, seconds) in enumerate(filled, start=1):
            n_compiled += n_functions
            status.update(f"solvers ready: {number}/{len(solvers)}; compiled on first use only")
            if n_functions:
                line = f"compiled, first use only: {solver} ({duration(seconds)} once)"
                console.print(line, highlight=False, soft_wrap=True)
    return n_compiled


def fill(solver: str) -> tuple[str, int, float]:
    """Fit small made-up rows, so that all of a solver's compiled code is made and kept.

    Returns the solver's name, how many functions had to be compiled, and the seconds that took.
    """
    import numpy as np

    from ensvm.classifiers import CLASSIFIERS
    from ensvm.compiled import code_folder, compiling_counted

    generator = np.random.default_rng(0)
    X = generator.normal(size=(30, 2))
    two, three = np.where(X[:, 0] > 0.1, 1, -1), np.arange(len(X)) % 3
    start = time.perf_counter()
    with compiling_counted() as compiled, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, parameters in (FIRST_FITS | RARE_FITS)[solver]:
            classifier = getattr(import_module(CLASSIFIERS[name]), name)(**parameters)
            rows = np.float32(X @ X.T) if parameters.get("kernel") == "precomputed" else X
            classifier.fit(rows, three if name.startswith("Mixed") else two).predict(rows)
    folder = code_folder()
    if folder is not None:
        _mark(folder, solver).touch()
    return solver, len(compiled), time.perf_counter() - start


def _mark(folder: Path, solver: str) -> Path:
    """Return the file that says that all machine code of a solver is in the folder.

    It is of these fits, this Python, this numba, this processor; the folder is of these sources.
    """
    import llvmlite.binding
    import numba

    machine = llvmlite.binding.get_host_cpu_name()
    python = sys.implementation.cache_tag
    fits = zlib.crc32(repr((FIRST_FITS | RARE_FITS)[solver]).encode())
    name = solver.replace(",", "").replace(" ", "-")
    return folder / f"{name}.{python}-{numba.__version__}-{machine}-{fits:08x}.filled"
