"""Pack the records of a checkout's studies, so that they travel with it (for maintainers).

`python -m ensvm_cli.records.ship results`
"""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ensvm.records.record import Record


@click.command()
@click.argument(
    "results", type=click.Path(exists=True, file_okay=False, path_type=Path), default="results"
)
def ship(results: Path) -> None:
    """Pack the records of the shipped studies in RESULTS into cells.jsonl.xz, to be committed.

    Own records replace those packed before; names and paths of the machine are left out, and kept
    predictions, but for the metrics of them that the config asks for. Says of
    each study how many cells its config asks for that have no record.
    """
    from ensvm.records.shipped_records import pack
    from ensvm.records.store import SHIPPED_FILE
    from ensvm.report.query import find_studies, with_scores
    from ensvm.runner.plan import make_plan
    from ensvm.shipped import shipped_config
    from ensvm.study.source import config_text

    for folder in find_studies(results):
        config = shipped_config(folder.resolve().name)
        if config is None:
            raise click.UsageError(f"{folder}: no shipped study has this name")
        plan = make_plan(config)
        wanted = {cell.identity: cell.settings for cell in plan.cells}
        asked = plan.config.scored()

        def scored(
            record: "Record",
            folder: Path = folder,
            asked: dict[str, tuple[str, ...]] = asked,
        ) -> "Record":
            return with_scores(folder, record, asked.get(record.algorithm, ()))

        without = pack(folder, config_text(plan.path), wanted, scored)
        path = folder / SHIPPED_FILE
        size = path.stat().st_size / 1000
        click.echo(f"{path}: {size:.0f} kB, {len(wanted) - len(without)} of {len(wanted)} cells")
        values = Counter((row, name, run_pass) for row, _, name, run_pass in without)
        for (row, name, run_pass), count in values.items():
            line = f"  no record: {row}, {name}, {run_pass} pass: {count} cells"
            click.echo(line, err=True)


if __name__ == "__main__":
    ship()
