"""`ensvm report`: results as pages that open from disk."""

import sys
from pathlib import Path

import click

from ensvm_cli.terminal import results_argument, study_folders


@click.command()
@results_argument
@click.option(
    "--output",
    "-o",
    type=click.Path(file_okay=False, path_type=Path),
    default="report",
    show_default=True,
    help="The folder of the pages.",
)
def report(results: Path, studies: tuple[str, ...], output: Path) -> None:
    """Write the studies in RESULTS as web pages.

    There is index.html, and a page for each study. The pages need no network and no server. Each
    cell of a table opens its evidence: the values of all realizations, parameters, warnings, and
    the command that runs it anew. A figure that cannot be drawn is named, and the exit status is
    1.

    \b
    Example:
      ensvm report results/ -o pages
    """
    from ensvm.report.html.pages import write_report

    errors: list[str] = []
    written = list(write_report(study_folders(results, studies), output, errors.append))
    for path in written[:-1]:
        click.echo(path)
    click.echo(f"open {written[-1].resolve().as_uri()} in a browser")
    for error in errors:
        click.echo(f"error: {error}", err=True)
    if errors:
        sys.exit(1)
