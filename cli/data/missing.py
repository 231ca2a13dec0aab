"""`ensvm data missing`: say in one block which data of studies cannot be loaded."""

from pathlib import Path

import click
from rich.console import Console

from ensvm_cli import completion
from ensvm_cli.printing import tell
from ensvm_cli.terminal import data_dir_option, missing_block


@click.command()
@click.argument(
    "configs",
    nargs=-1,
    required=True,
    metavar="CONFIG...",
    shell_complete=completion.configs,
)
@data_dir_option
def missing(configs: tuple[str, ...], data_dir: Path | None) -> None:
    """Say which data of studies cannot be loaded; download the others.

    Each CONFIG is a file, or the name of a shipped study. What cannot be loaded is told with how
    to get it.

    \b
    Example:
      ensvm data missing smoke comp6321
    """
    from ensvm.data import DataSearch
    from ensvm.runner.plan import make_plan
    from ensvm.study.config import find_config

    plans = [make_plan(find_config(config)) for config in configs]
    rows = [
        (f"{plan.config.study}/{name}" if len(plans) > 1 else name, card)
        for plan in plans
        for name, card in plan.cards.items()
    ]
    search = DataSearch(data_dir)
    progress = Console(stderr=True)
    with progress.status("reading") as status:
        for number, (name, card) in enumerate(rows, start=1):
            status.update(f"data {number}/{len(rows)}: {name}")
            search.find(name, card)
    studies = f"{len(plans)} studies" if len(plans) > 1 else plans[0].config.study
    if search.missing:
        tell(missing_block(search, len(rows), studies))
    else:
        click.echo(f"all {len(rows)} data sets of {studies} are here")
