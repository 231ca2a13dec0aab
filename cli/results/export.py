"""`ensvm export`: records or tables as one long table, for other programs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ensvm_cli.terminal import (
    config_option,
    plans_of,
    refuse,
    results_argument,
    study_folders,
)

if TYPE_CHECKING:
    from ensvm.records.record import Identity
    from ensvm.report.query import Study
    from ensvm.runner.plan import Plan


@click.command()
@results_argument
@click.option(
    "--per-realization",
    is_flag=True,
    help="A line a cell, with every metric and all seconds, in place of a line a cell of a table.",
)
@config_option
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The file, *.csv or *.parquet (needs pyarrow)  [default: CSV to the terminal].",
)
def export(
    results: Path,
    studies: tuple[str, ...],
    per_realization: bool,
    configs: tuple[Path, ...],
    output: Path | None,
) -> None:
    """Write tables or records as one long table, for other programs.

    A line is a cell of a table: mean, standard deviation, n, printed value, difference with its
    interval, verdict. With --per-realization it is a cell that was run: data set, algorithm,
    realization, pass, seed, status, metrics, seconds, host, commit. Seeds follow from the config of
    a study, ours or one that --config names. docs/running.md says what each column is.

    \b
    Examples:
      ensvm export -o tables.csv
      ensvm export ijcai07 --per-realization -o ijcai07.csv
    """
    from ensvm.records.writing import replace_file
    from ensvm.report import export as exporting
    from ensvm.report.query import read_study

    try:
        ending = ".csv" if output is None else exporting.ending_of(output)
        found = [read_study(folder) for folder in study_folders(results, studies)]
        plans = plans_of(configs, found) if per_realization else {}
        lines = [
            line
            for study in found
            for line in (
                exporting.realizations(study, _seeds(study, plans.get(study.config.study)))
                if per_realization
                else exporting.table_cells(study)
            )
        ]
        if not lines:
            names = ", ".join(study.config.study for study in found)
            refuse(f"no tables in {names}; --per-realization exports the records")
        content = exporting.content_of(exporting.frame_of(lines), ending)
    except exporting.NotExported as error:
        refuse(str(error))
    if output is None:
        click.echo(content.decode(), nl=False)
        return
    replace_file(output, content)
    click.echo(f"wrote {output}: {len(lines)} lines", err=True)


def _seeds(study: "Study", plan: "Plan | None") -> "dict[Identity, int]":
    """Return the seeds of a study's cells; only of those with the settings that its plan has."""
    from ensvm.records.identity import asked, by_value

    if plan is None:
        name = study.config.study
        click.echo(f"{name}: no seeds; they need its config: --config {name}.yaml", err=True)
        return {}
    cells = {cell.identity: cell for cell in plan.cells if cell.method is not None}
    seeds: dict[Identity, int] = {}
    for records in by_value(study.records.values()).values():
        same: dict[str, bool] = {}  # by settings, which all realizations share
        for record in records:
            cell = cells.get(record.identity)
            if cell is not None and record.settings_key not in same:
                same[record.settings_key] = asked(record.settings) == asked(cell.settings)
            if cell is not None and same[record.settings_key]:
                seeds[record.identity] = cell.seed
    return seeds
