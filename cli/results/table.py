"""`ensvm table` lays out tables as in the papers, `ensvm export` as data for other programs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from ensvm_cli import completion
from ensvm_cli.printing import tell
from ensvm_cli.terminal import (
    WRONG_INPUT,
    commands_of,
    config_option,
    must_be_one_of,
    plans_of,
    refuse,
    results_argument,
    study_folders,
)

if TYPE_CHECKING:
    from ensvm.records.record import Identity
    from ensvm.report.query import Study
    from ensvm.runner.plan import Plan
    from ensvm.study.table_layout import TableConfig


@click.command()
@results_argument
@click.option(
    "--table",
    "wanted",
    metavar="ID",
    shell_complete=completion.of_results(completion.tables),
    help="Only the tables of this identity.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["md", "csv", "latex"]),
    help="What to print [default: a table for the terminal; md where the output is piped].",
)
def table(results: Path, studies: tuple[str, ...], wanted: str | None, form: str | None) -> None:
    """Lay out the tables of the studies in RESULTS, and print them.

    They are as in the papers, with the printed values. Written are, for each table, table-<id>.csv
    (long form, unrounded) and table-<id>.md; with --format latex also table-<id>.tex; and, unless
    you wrote one there, README.md in each study's folder, with all of its tables and figures.

    \b
    Examples:
      ensvm table
      ensvm table ijcai07 --table 2
      ensvm table results/ ijcai07 --table 2 --format latex
    """
    from ensvm.report.query import read_study
    from ensvm.report.write import write_first_page, write_tables

    chosen = _with_table(list(map(read_study, study_folders(results, studies))), wanted)
    written: list[Path] = []
    without: list[str] = []
    terminal = Console() if form is None and sys.stdout.isatty() else None
    for study in chosen:
        if not study.config.tables:
            others = "; ".join(commands_of(study.config, results))
            without.append(f"the study {study.config.study} has no tables; {others}")
        tables = [config for config in study.config.tables if wanted in (None, config.id)]
        if terminal is not None:
            _show_study(terminal, study, tables)
        if study.note:
            tell(f"{study.config.study}: {study.note}", err=True)
        for text, paths in write_tables(study, form or "md", tables):
            if terminal is None:
                click.echo(text)
            written += paths
    for line in without:
        click.echo(line if written else f"error: {line}", err=True)
    if not written:
        sys.exit(WRONG_INPUT)
    if wanted is None:
        written += [page for page in map(write_first_page, chosen) if page is not None]
    tell("wrote " + ", ".join(map(str, written)), err=True)


def _with_table(studies: list["Study"], wanted: str | None) -> list["Study"]:
    """Return the studies that have the wanted table; end the command if none has it."""
    if wanted is None:
        return studies
    ids = dict.fromkeys(config.id for study in studies for config in study.config.tables)
    must_be_one_of("no table", wanted, ids)
    return [study for study in studies if wanted in [table.id for table in study.config.tables]]


def _show_study(console: Console, study: "Study", tables: list["TableConfig"]) -> None:
    """Print a study's tables, fitted to the width of the terminal."""
    from ensvm.report.documents.table_document import table_grid
    from ensvm.report.render.terminal import DIM, HOW_TO_READ, fitted
    from ensvm.report.tables import build_table

    console.rule(study.config.title or study.config.study, style=DIM)
    for config in tables:
        title = f"Table {config.id}. {' '.join(config.caption.split())}"
        console.print(title, style="bold", markup=False, highlight=False)
        for part in fitted(console, table_grid(study, config, build_table(study, config))):
            console.print(part)
    if tables:
        console.print(HOW_TO_READ, style=DIM, highlight=False)
        console.print(
            f"notes and assumptions: {study.folder}/table-*.md\n", style=DIM, highlight=False
        )


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
        chosen = [read_study(folder) for folder in study_folders(results, studies)]
        plans = plans_of(configs, chosen) if per_realization else {}
        lines = [
            line
            for study in chosen
            for line in (
                exporting.realizations(study, _seeds(study, plans.get(study.config.study)))
                if per_realization
                else exporting.table_cells(study)
            )
        ]
        if not lines:
            names = ", ".join(study.config.study for study in chosen)
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
