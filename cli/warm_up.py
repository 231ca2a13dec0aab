"""`ensvm warm-up`: compile the solvers now, so that no first fit waits for the compiler."""

import signal
import sys
import time

import click
from rich.console import Console

from ensvm_cli.terminal import WRONG_INPUT, duration


@click.command("warm-up")
@click.argument("names", nargs=-1, metavar="[CLASSIFIER]...")
@click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1),
    help="Solvers compiled at a time [default: the number of cores].",
)
def warm_up(names: tuple[str, ...], jobs: int | None) -> None:
    """Compile the solvers now, so that no first fit has to.

    Those of the classifiers named, or all. The machine code is kept for later processes, in the
    user's cache folder or the one that NUMBA_CACHE_DIR names. Nothing is compiled twice: after an
    upgrade the command does what is new.
    """
    from joblib import cpu_count

    from ensvm.classifiers import CLASSIFIERS
    from ensvm.classifiers.first_fits import FIRST_FITS, FLOAT32_FITS, solvers_of
    from ensvm.compiled import code_folder

    unknown = [name for name in names if name not in CLASSIFIERS]
    if unknown:
        raise click.BadParameter(
            f"there is no classifier {unknown[0]!r}; accepted: {', '.join(CLASSIFIERS)}",
            param_hint="CLASSIFIER",
        )
    folder = code_folder()
    if folder is None:
        message = "error: no folder for machine code can be written; name one in NUMBA_CACHE_DIR"
        click.echo(message, err=True)
        sys.exit(WRONG_INPUT)
    every = FIRST_FITS | FLOAT32_FITS
    solvers = solvers_of(names, every) if names else list(every)
    if not solvers:
        click.echo(f"nothing to compile: no compiled solver in {', '.join(names)}")
        return
    start = time.monotonic()
    compiled = fill_all(solvers, jobs or cpu_count())
    took = duration(time.monotonic() - start)
    done = f"{compiled} functions compiled in {took}" if compiled else "nothing to compile"
    click.echo(f"{done}; the machine code is in {folder}")


def fill_all(solvers: list[str], jobs: int) -> int:
    """Compile solvers, several at a time, tell of each, and return the functions compiled."""
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
                told = f"compiled, first use only: {solver} ({duration(seconds)} once)"
                console.print(told, highlight=False, soft_wrap=True)
    return total


def _ready(number: int, of: int) -> str:
    return f"solvers ready: {number}/{of}; compiled on first use only"
