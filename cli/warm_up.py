"""`ensvm warm-up`: compile the solvers now, so that no first fit waits for the compiler."""

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
    """Compile the solvers of the classifiers named, or all, so that no first fit has to.

    The machine code is kept for later processes, in the user's cache folder or the one that
    NUMBA_CACHE_DIR names. Nothing is compiled twice: after an upgrade the command does what is new.
    """
    from joblib import cpu_count

    from ensvm.classifiers import CLASSIFIERS
    from ensvm.classifiers.first_fits import FIRST_FITS, solvers_of
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
    solvers = solvers_of(names) if names else list(FIRST_FITS)
    if not solvers:
        click.echo(f"nothing to compile: {', '.join(names)} use no compiled solver")
        return
    start = time.monotonic()
    compiled = fill_all(solvers, jobs or cpu_count())
    took = duration(time.monotonic() - start)
    done = f"{compiled} functions compiled in {took}" if compiled else "nothing to compile"
    click.echo(f"{done}; the machine code of {', '.join(solvers)} is in {folder}")


def fill_all(solvers: list[str], jobs: int) -> int:
    """Compile solvers, several at a time, tell the progress, and return the functions compiled."""
    from joblib import Parallel, delayed

    from ensvm.classifiers.first_fits import fill

    console, total = Console(stderr=True), 0
    start = time.monotonic()
    filled = Parallel(
        n_jobs=min(jobs, len(solvers)), return_as="generator_unordered", batch_size=1
    )(delayed(fill)(solver) for solver in solvers)
    with console.status(f"compiling, first use only: 0/{len(solvers)} solvers") as status:
        for number, (solver, compiled) in enumerate(filled, start=1):
            total += compiled
            status.update(f"compiling, first use only: {number}/{len(solvers)} solvers")
            if compiled:
                took = duration(time.monotonic() - start)
                console.print(
                    f"compiled: {solver} ({number}/{len(solvers)}, {took})", highlight=False
                )
    return total
