"""`ensvm table`: lay out the tables of every study in a results folder."""

import sys
from pathlib import Path

import click

from ensvm_cli.terminal import WRONG_INPUT, commands_of, readable_errors


@click.command()
@click.argument(
    "results", type=click.Path(exists=True, file_okay=False, path_type=Path), default="results"
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "csv", "latex"]),
    default="md",
    show_default=True,
    help="What to print.",
)
def table(results: Path, form: str) -> None:
    """Write the tables of the studies in RESULTS as the papers lay them out, and print them.

    For each table of each study: table-<id>.csv (long form, unrounded) and table-<id>.md; with
    --format latex also table-<id>.tex.
    """
    with readable_errors():
        from ensvm.report.query import find_studies, read_study
        from ensvm.report.write import write_tables

        folders = find_studies(results)
        if not folders:
            first = "run a study first, for example: ensvm run smoke"
            click.echo(f"error: {results}: no records here; {first}", err=True)
            sys.exit(WRONG_INPUT)
        written: list[Path] = []
        without: list[str] = []
        for study in map(read_study, folders):
            if not study.config.tables:
                there = "; ".join(commands_of(study.config, results))
                without.append(f"the study {study.config.study} has no tables; {there}")
            for text, paths in write_tables(study, form):
                click.echo(text)
                written += paths
    for line in without:
        click.echo(line if written else f"error: {line}", err=True)
    if not written:
        sys.exit(WRONG_INPUT)
    click.echo("wrote " + ", ".join(map(str, written)), err=True)
