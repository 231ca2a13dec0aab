"""`ensvm check`: say whether a config could be run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm_cli import completion
from ensvm_cli.printing import tell
from ensvm_cli.studies.planned import size, tell_columns, tell_errors, tell_missing_data
from ensvm_cli.terminal import WRONG_INPUT

if TYPE_CHECKING:
    from ensvm.runner.trial import Trial


@click.command()
@click.argument("config", shell_complete=completion.configs)
@click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default="results",
    show_default=True,
    help="Where tables were written.",
)
@click.option(
    "--fit/--no-fit",
    default=True,
    show_default=True,
    help="Fit each algorithm on 30 rows, which takes some seconds.",
)
def check(config: str, results: Path, fit: bool) -> None:
    """Check a config, and fit each algorithm on 30 rows.

    Every key and value of CONFIG is checked. The rows are of the smallest data set that is at
    hand; nothing is downloaded or recorded. What needs more memory than is free here is told, with
    exit status 2.
    Notes that explain verdicts are checked against the tables in RESULTS, where there are any.

    \b
    Examples:
      ensvm check smoke
      ensvm check configs/ijcai07.yaml --no-fit
    """
    from ensvm.report.tables import stale_notes
    from ensvm.report.write import table_path
    from ensvm.runner.estimate import memory_refusals
    from ensvm.runner.plan import make_plan
    from ensvm.runner.trial import trial
    from ensvm.study.config import find_config

    path = find_config(config)
    plan = make_plan(path)
    folder = results / plan.config.study
    wrong = [
        line
        for table in plan.config.tables
        for line in stale_notes(table, table_path(folder, table, "csv"))
    ]
    wrong += memory_refusals(plan, plan.cells)
    fitted = trial(plan) if fit and not wrong else None
    if wrong:
        tell_errors(f"{path}: {line}" for line in wrong)
        sys.exit(WRONG_INPUT)
    tell_columns(plan)
    tell(f"{path}: good; {size(plan)}")
    if fitted is not None:
        _tell_fitted(fitted)
    tell_missing_data(plan, set(plan.cards), None)


def _tell_fitted(found: "Trial") -> None:
    """Say which data the algorithms were fitted on, and which of them could not be."""
    from ensvm.runner.trial import TRIAL_ROWS, TRIAL_SECONDS

    if found.fitted:
        counts = [
            f"{len(names)} algorithm{'s' * (len(names) != 1)} on {dataset}"
            for dataset, names in found.fitted.items()
        ]
        tell(f"fitted on {TRIAL_ROWS} rows: {', '.join(counts)}")
    if found.untried:
        tell(f"not fitted, for no data of theirs are at hand: {', '.join(found.untried)}")
    if found.slow:
        tell(f"not fitted within {TRIAL_SECONDS:g} s: {', '.join(found.slow)}")
