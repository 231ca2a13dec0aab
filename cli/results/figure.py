"""`ensvm figure`: draw the figures of every study in a results folder."""

import sys
from pathlib import Path

import click

from ensvm_cli.terminal import WRONG_INPUT, results_argument, study_folders


@click.command()
@results_argument
def figure(results: Path, studies: tuple[str, ...]) -> None:
    """Draw the figures of the studies in RESULTS.

    Prints the files written, for each figure of each study: figure-<id>.png, .svg and .pdf, and
    figure-<id>.csv with the data behind it. A figure that cannot be drawn is named, and the exit
    status is 1.

    \b
    Example:
      ensvm figure ijcai07-figure1
    """
    from ensvm.report.query import read_study
    from ensvm.report.write import write_figures

    drawn = [
        drawing
        for folder in study_folders(results, studies, "ijcai07-figure1")
        for drawing in write_figures(read_study(folder))
    ]
    for drawing in drawn:
        for line in drawing.missing:
            click.echo(f"figure {drawing.figure.id}: missing: {line}", err=True)
        if drawing.error:
            click.echo(f"error: {drawing.error}", err=True)
        for path in drawing.paths:
            click.echo(path)
    if any(drawing.error for drawing in drawn):
        sys.exit(1)
    if not any(drawing.paths for drawing in drawn):
        first = "run a study with figures first, for example: ensvm run ijcai07-figure1"
        click.echo(f"error: {results}: nothing to draw; {first}", err=True)
        sys.exit(WRONG_INPUT)
