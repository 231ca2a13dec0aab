"""`ensvm table`: lay out the tables of every study in a results folder."""

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console

from ensvm_cli import completion
from ensvm_cli.printing import tell
from ensvm_cli.terminal import (
    WRONG_INPUT,
    commands_of,
    must_be_one_of,
    results_argument,
    study_folders,
)

if TYPE_CHECKING:
    from ensvm.report.query import Study
    from ensvm.study.table import TableConfig


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
    from ensvm.report.write import write_summary, write_tables

    found = _chosen(map(read_study, study_folders(results, studies)), wanted)
    written: list[Path] = []
    without: list[str] = []
    terminal = Console() if form is None and sys.stdout.isatty() else None
    for study in found:
        if not study.config.tables:
            there = "; ".join(commands_of(study.config, results))
            without.append(f"the study {study.config.study} has no tables; {there}")
        shown = [config for config in study.config.tables if wanted in (None, config.id)]
        if terminal is not None:
            _show_study(terminal, study, shown)
        if study.note:
            tell(f"{study.config.study}: {study.note}", err=True)
        for text, paths in write_tables(study, form or "md", shown):
            if terminal is None:
                click.echo(text)
            written += paths
    for line in without:
        click.echo(line if written else f"error: {line}", err=True)
    if not written:
        sys.exit(WRONG_INPUT)
    if wanted is None:
        written += [page for page in map(write_summary, found) if page is not None]
    tell("wrote " + ", ".join(map(str, written)), err=True)


def _chosen(studies: Iterable["Study"], wanted: str | None) -> list["Study"]:
    """Return the studies with the table that is wanted; ends the command where none has it."""
    found = list(studies)
    if wanted is None:
        return found
    ids = dict.fromkeys(config.id for study in found for config in study.config.tables)
    must_be_one_of("no table", wanted, ids)
    return [study for study in found if wanted in [table.id for table in study.config.tables]]


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
