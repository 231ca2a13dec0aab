"""`ensvm check`: say whether a config could be run."""

import sys
from pathlib import Path

import click

from ensvm_cli import completion
from ensvm_cli.printing import tell
from ensvm_cli.studies.planned import size, tell_columns, tell_errors, tell_missing_data
from ensvm_cli.terminal import WRONG_INPUT, readable_errors


@click.command()
@click.argument("config", shell_complete=completion.configs)
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default="results",
    show_default=True,
    help="Where tables were written.",
)
def check(config: str, results: Path) -> None:
    """Check every key and value of CONFIG without running anything.

    What needs more memory than is free here is told, with exit status 2.
    Notes that explain verdicts are checked against the tables in RESULTS, where there are any.

    \b
    Examples:
      ensvm check smoke
      ensvm check configs/ijcai07.yaml
    """
    with readable_errors():
        from ensvm.report.tables.cells import stale_notes
        from ensvm.report.write import table_path
        from ensvm.runner.outlook.memory_needs import memory_refusals
        from ensvm.runner.plan import make_plan
        from ensvm.study.reading import find_config

        path = find_config(config)
        plan = make_plan(path)
        folder = results / plan.config.study
        wrong = [
            line
            for table in plan.config.tables
            for line in stale_notes(table, table_path(folder, table, "csv"))
        ]
        wrong += memory_refusals(plan, plan.cells)
    if wrong:
        tell_errors(f"{path}: {line}" for line in wrong)
        sys.exit(WRONG_INPUT)
    tell_columns(plan)
    tell(f"{path}: good; {size(plan)}")
    with readable_errors():
        tell_missing_data(plan, set(plan.cards), None)
