"""`ensvm warm-up`: compile the solvers now, so that no first fit waits for the compiler."""

import signal
import time

import click
from rich.console import Console

from ensvm_cli.terminal import duration, refuse


@click.command("warm-up", hidden=True)
def warm_up() -> None:
    """Compile the solvers of all classifiers.

    The machine code is kept for later processes, in the user's cache folder or the one that
    NUMBA_CACHE_DIR names. Nothing is compiled twice.
    """
    from joblib import cpu_count

    from ensvm.classifiers.first_fits import FIRST_FITS, FLOAT32_FITS
    from ensvm.compiled import code_folder

    folder = code_folder()
    if folder is None:
        refuse("no folder for machine code can be written; name one in NUMBA_CACHE_DIR")
    start = time.monotonic()
    compiled = fill_all([*FIRST_FITS, *FLOAT32_FITS], cpu_count())
    took = duration(time.monotonic() - start)
    done = f"{compiled} functions compiled in {took}" if compiled else "nothing to compile"
    click.echo(f"{done}; the machine code is in {folder}")


def fill_all(solvers: list[str], jobs: int) -> int:
    """Compile solvers, several at a time, print each, and return how many functions there were."""
    from joblib import Parallel, delayed

    from ensvm.classifiers.first_fits import fill

    console, total = Console(stderr=True), 0
    parallel = Parallel(
        n_jobs=min(jobs, len(solvers)),
        return_as="generator_unordered",
        batch_size=1,
        backend="loky",
        # Ctrl+C is for this process, which ends the others.
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )
    with console.status(_ready(0, len(solvers))) as status:
        filled = parallel(delayed(fill)(solver) for solver in solvers)
        for number, (solver, compiled, seconds) in enumerate(filled, start=1):
            total += compiled
            status.update(_ready(number, len(solvers)))
            if compiled:
                line = f"compiled, first use only: {solver} ({duration(seconds)} once)"
                console.print(line, highlight=False, soft_wrap=True)
    return total


def _ready(number: int, of: int) -> str:
    return f"solvers ready: {number}/{of}; compiled on first use only"
