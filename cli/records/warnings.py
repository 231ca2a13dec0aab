"""`ensvm warnings`: list what the cells of every study in a results folder warned of."""

import sys
from pathlib import Path

import click

from ensvm_cli.terminal import WRONG_INPUT, readable_errors


@click.command()
@click.argument(
    "results", type=click.Path(exists=True, file_okay=False, path_type=Path), default="results"
)
def warnings(results: Path) -> None:
    """List what the cells of the studies in RESULTS warned of.

    Under each warning: the data sets and algorithms whose cells gave it, and how many did. Where
    the cells differ in a number of the text, … stands for it.
    """
    with readable_errors():
        from tabulate import tabulate

        from ensvm.report.query import find_studies, read_study
        from ensvm.report.warned import n_warned, warnings_of

        folders = find_studies(results)
        if not folders:
            first = "run a study first, for example: ensvm run smoke"
            click.echo(f"error: {results}: no records here; {first}", err=True)
            sys.exit(WRONG_INPUT)
        for study in map(read_study, folders):
            click.echo(
                f"{study.config.study}: {n_warned(study)} of {len(study.records)} cells warned"
            )
            for warned in warnings_of(study):
                rows = [
                    [*place, f"{count} of {len(study.by_cell[place])}"]
                    for place, count in warned.cells.items()
                ]
                headers = ["data set", "algorithm", "pass", "cells"]
                click.echo(f"\n{warned.text}\n")
                click.echo(tabulate(rows, headers=headers, tablefmt="simple"))
