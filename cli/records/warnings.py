"""`ensvm warnings`: list what the cells of every study in a results folder warned of."""

from pathlib import Path

import click

from ensvm_cli.printing import tell, tell_table
from ensvm_cli.terminal import results_argument, study_folders


@click.command()
@results_argument
def warnings(results: Path, studies: tuple[str, ...]) -> None:
    """List what the cells of the studies in RESULTS warned of.

    Under each warning: the data sets and algorithms whose cells gave it, and how many did. Where
    the cells differ in a number of the text, … stands for it.

    \b
    Example:
      ensvm warnings ijcai07
    """
    from ensvm.report.evidence import n_warned, warnings_of
    from ensvm.report.query import read_study

    for study in map(read_study, study_folders(results, studies)):
        click.echo(f"{study.config.study}: {n_warned(study)} of {len(study.records)} cells warned")
        for warned in warnings_of(study):
            rows = [
                [*place, f"{count} of {len(study.by_cell[place])}"]
                for place, count in warned.cells.items()
            ]
            click.echo()
            tell(warned.text)
            click.echo()
            tell_table(["data set", "algorithm", "pass", "cells"], rows, names=2)
