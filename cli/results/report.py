"""`ensvm report`: results as web pages, and their parts: figures, claims, readings."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from ensvm_cli.printing import tell, tell_markdown
from ensvm_cli.terminal import WRONG_INPUT, results_argument, study_folders

PARTS = ("pages", "figures", "claims", "readings")


@click.command()
@results_argument
@click.option(
    "--only",
    "parts",
    type=click.Choice(PARTS),
    multiple=True,
    help="Write this part; may be given several times  [default: pages].",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default="report",
    show_default=True,
    help="The folder of the pages.",
)
def report(results: Path, studies: tuple[str, ...], parts: tuple[str, ...], output: Path) -> None:
    """Write web pages of the studies in RESULTS, or parts of them.

    There is index.html, and a page for each study. The pages need no network and no server. Each
    cell of a table opens its evidence: the values of all realizations, parameters, warnings, and
    the command that runs it anew.

    With --only, the parts are written into the folder of each study that has them: figures as
    figure-<id>.png, .svg and .pdf, with the data behind them in figure-<id>.csv; claims, whether
    each holds and on what evidence, as claims.md and claims.csv; readings, the values under each
    reading of what papers leave open, as readings.md and readings.csv, and coverage.md. Claims and
    readings are printed too. A figure that cannot be drawn is named, and the exit status is 1.

    \b
    Examples:
      ensvm report results/ -o pages
      ensvm report ijcai07-figure1 --only figures --only claims
    """
    write: dict[str, Callable[[], None]] = {
        "pages": lambda: _pages(results, studies, output),
        "figures": lambda: _figures(results, studies),
        "claims": lambda: _claims(results, studies),
        "readings": lambda: _readings(results, studies),
    }
    for part in PARTS:
        if part in (parts or ("pages",)):
            write[part]()


# The verbs that were before `report --only`, hidden for one version.
@click.command(hidden=True)
@results_argument
def figure(results: Path, studies: tuple[str, ...]) -> None:
    """Draw figures, as `ensvm report --only figures` does."""
    _figures(results, studies)


@click.command(hidden=True)
@results_argument
def claims(results: Path, studies: tuple[str, ...]) -> None:
    """Test claims, as `ensvm report --only claims` does."""
    _claims(results, studies)


@click.command(hidden=True)
@results_argument
def readings(results: Path, studies: tuple[str, ...]) -> None:
    """Lay out readings, as `ensvm report --only readings` does."""
    _readings(results, studies)


def _pages(results: Path, studies: tuple[str, ...], output: Path) -> None:
    from ensvm.report.render.pages import write_report

    errors: list[str] = []
    written = list(write_report(study_folders(results, studies), output, errors.append))
    for path in written[:-1]:
        click.echo(path)
    click.echo(f"open {written[-1].resolve().as_uri()} in a browser")
    _end_with(errors)


def _figures(results: Path, studies: tuple[str, ...]) -> None:
    from ensvm.report.query import read_study
    from ensvm.report.write import write_figures

    figures = [
        figure
        for folder in study_folders(results, studies, "ijcai07-figure1")
        for figure in write_figures(read_study(folder))
    ]
    for one in figures:
        for line in one.missing:
            click.echo(f"figure {one.figure.id}: missing: {line}", err=True)
        for path in one.paths:
            click.echo(path)
    _end_with([one.error for one in figures if one.error])
    if not any(one.paths for one in figures):
        first = "run a study with figures first, for example: ensvm run ijcai07-figure1"
        click.echo(f"error: {results}: nothing to draw; {first}", err=True)
        sys.exit(WRONG_INPUT)


def _end_with(errors: list[str]) -> None:
    """End the command with status 1 if there are errors, and print them."""
    for error in errors:
        click.echo(f"error: {error}", err=True)
    if errors:
        sys.exit(1)


def _claims(results: Path, studies: tuple[str, ...]) -> None:
    from ensvm.report.query import read_study
    from ensvm.report.write import write_claims

    folders = study_folders(results, studies, "ijcai07-figure1")
    claimed = [study for study in map(read_study, folders) if study.config.claims]
    _tell(
        [write_claims(study) for study in claimed], f"{results}: no records of a study with claims"
    )


def _readings(results: Path, studies: tuple[str, ...]) -> None:
    from ensvm.report.query import read_study
    from ensvm.report.write import write_readings

    folders = study_folders(results, studies, "nips99")
    written = [write_readings(read_study(folder)) for folder in folders]
    _tell(written, f"{results}: no records of a study with readings or a coverage table")


def _tell(written: list[tuple[str, list[Path]]], nothing: str) -> None:
    """Print the Markdown of documents and the paths of their files; refuse if there are none."""
    for text, paths in written:
        if paths:
            tell_markdown(text)
    paths = [path for _, of_study in written for path in of_study]
    if not paths:
        click.echo(f"error: {nothing}; run one first", err=True)
        sys.exit(WRONG_INPUT)
    tell("wrote " + ", ".join(map(str, paths)), err=True)
