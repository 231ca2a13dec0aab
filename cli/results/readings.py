"""`ensvm readings`: lay out the readings of every study in a results folder, and its coverage."""

import sys
from pathlib import Path

import click

from ensvm_cli.terminal import WRONG_INPUT, readable_errors


@click.command()
@click.argument(
    "results", type=click.Path(exists=True, file_okay=False, path_type=Path), default="results"
)
def readings(results: Path) -> None:
    """Lay out, for each question that a paper leaves open, our values under each reading of it.

    Writes readings.md and readings.csv (a cell and reading a line, unrounded), and coverage.md for
    what of the paper is covered, into the folder of each study in RESULTS that has such blocks;
    prints the first.
    """
    written: list[Path] = []
    with readable_errors():
        from ensvm.report.query import find_studies, read_study
        from ensvm.report.write import write_readings

        for folder in find_studies(results):
            study = read_study(folder)
            text, paths = write_readings(study)
            if paths:
                click.echo(text)
                written += paths
    if not written:
        what = "no records of a study with readings or a coverage table"
        click.echo(f"error: {results}: {what}; run one first", err=True)
        sys.exit(WRONG_INPUT)
    click.echo("wrote " + ", ".join(map(str, written)), err=True)
