"""`ensvm readings`: lay out the readings of every study in a results folder, and its coverage."""

import sys
from pathlib import Path

import click

from ensvm_cli.printing import tell, tell_markdown
from ensvm_cli.terminal import WRONG_INPUT, results_argument, study_folders


@click.command()
@results_argument
def readings(results: Path, studies: tuple[str, ...]) -> None:
    """Lay out values under each reading of what papers leave open.

    Writes readings.md and readings.csv (a cell and reading a line, unrounded), and coverage.md for
    what of the paper is covered, into the folder of each study in RESULTS that has such blocks;
    prints the first.

    \b
    Example:
      ensvm readings ijcai07-original-splits
    """
    written: list[Path] = []
    from ensvm.report.query import read_study
    from ensvm.report.write import write_readings

    for folder in study_folders(results, studies, "nips99"):
        study = read_study(folder)
        text, paths = write_readings(study)
        if paths:
            tell_markdown(text)
            written += paths
    if not written:
        what = "no records of a study with readings or a coverage table"
        click.echo(f"error: {results}: {what}; run one first", err=True)
        sys.exit(WRONG_INPUT)
    tell("wrote " + ", ".join(map(str, written)), err=True)
