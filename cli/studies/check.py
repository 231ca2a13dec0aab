"""`ensvm check`: say whether a config could be run."""

import sys
from pathlib import Path

import click

from ensvm_cli.studies.planned import size, tell_columns, tell_missing_data
from ensvm_cli.terminal import WRONG_INPUT, readable_errors


@click.command()
@click.argument("config")
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default="results",
    show_default=True,
    help="Where tables were written.",
)
def check(config: str, results: Path) -> None:
    """Check every key and value of CONFIG without running anything.

    Notes that explain verdicts are checked against the tables in RESULTS, where there are any.
    """
    with readable_errors():
        from ensvm.report.tables.cells import stale_notes
        from ensvm.report.write import table_path
        from ensvm.runner.plan import make_plan
        from ensvm.study.reading import find_config

        path = find_config(config)
        plan = make_plan(path)
        folder = results / plan.config.study
        stale = [
            line
            for table in plan.config.tables
            for line in stale_notes(table, table_path(folder, table, "csv"))
        ]
    if stale:
        click.echo("\n".join(f"error: {path}: {line}" for line in stale), err=True)
        sys.exit(WRONG_INPUT)
    tell_columns(plan)
    click.echo(f"{path}: good; {size(plan)}")
    with readable_errors():
        tell_missing_data(plan, set(plan.cards), None)
