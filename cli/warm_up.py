"""`ensvm warm-up`: compile the solvers before their first fit; `ensvm run` does so too."""

import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from ensvm_cli.printing import duration, refuse

if TYPE_CHECKING:
    from ensvm.runner.plan import Plan


def compile_first(plan: "Plan", results: Path, jobs: int) -> None:
    """Compile the solvers of the cells to run, in as many processes as will run them."""
    from ensvm.classifiers.first_fits import is_filled, solvers_of
    from ensvm.compiled import code_folder
    from ensvm.records.store import read_records

    missing = plan.missing(read_records(results / plan.config.study))
    algorithms = {cell.algorithm: cell.settings["algorithm"] for cell, _ in missing}
    solvers = solvers_of(set(_texts(algorithms)))
    to_compile = [solver for solver in solvers if not is_filled(solver)]
    if to_compile and code_folder() is not None:
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


@click.command("warm-up", hidden=True)
def warm_up() -> None:
    """Compile the solvers of all classifiers now, so that no first fit waits for it.

    The machine code is kept in the user's cache folder, or in the one that NUMBA_CACHE_DIR names.
    """
    from joblib import cpu_count

    from ensvm.classifiers.first_fits import FIRST_FITS, RARE_FITS
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

    from ensvm.classifiers.first_fits import fill

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
