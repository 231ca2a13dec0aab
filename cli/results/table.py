"""`ensvm table`: lay out the tables of every study in a results folder."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.measure import measure_renderables
from rich.table import Table
from rich.text import Text

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
    from ensvm.report.tables.cells import TableCell
    from ensvm.study.table_layout import TableConfig

# Each with a mark of its own, too: nothing is told by colour alone.
COLOURS = {
    "reproduced": "green",
    "compatible": "cyan",
    "close": "yellow",
    "differs": "red",
    "cannot tell": "yellow",
}
DIM = "dim"


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
    console.rule(study.config.title or study.config.study, style=DIM)
    for config in tables:
        title = f"Table {config.id}. {' '.join(config.caption.split())}"
        console.print(title, style="bold", markup=False, highlight=False)
        for drawn in _fitted(console, study, config):
            console.print(drawn)
    if tables:
        console.print(_marks(), style=DIM, highlight=False)
        console.print(
            f"notes and assumptions: {study.folder}/table-*.md\n", style=DIM, highlight=False
        )


def _fitted(console: Console, study: "Study", config: "TableConfig") -> list[Table]:
    """Return the table as it fits: as printed, without spreads, turned round, or in parts."""
    from ensvm.report.tables.cells import best_of_row, build_table
    from ensvm.report.tables.legend import column_label

    by_row: dict[str, list[TableCell]] = {}
    for cell in build_table(study, config):
        by_row.setdefault(cell.row, []).append(cell)
    decimals = [config.decimals_of(column) for column in config.columns]

    def columns(spread: bool) -> list[list[Text]]:
        rows = []
        for of_row in by_row.values():
            best = set() if config.of == "data" else best_of_row(config, of_row)
            places = zip(of_row, decimals, strict=True)
            rows.append([_cell(cell, n, cell.column in best, spread) for cell, n in places])
        return [list(column) for column in zip(*rows, strict=True)]

    heads, names = [column_label(study, column) for column in config.columns], list(by_row)
    for spread in (True, False):
        drawn = _drawn("data set", names, heads, columns(spread))
        if _fits(console, drawn):
            return [drawn]
    turned = [list(row) for row in zip(*columns(False), strict=True)]
    if len(names) < len(heads) and _fits(console, _drawn("column", heads, names, turned)):
        return [_drawn("column", heads, names, turned)]
    return list(_parts(console, names, heads, columns(False)))


def _parts(
    console: Console, names: list[str], heads: list[str], columns: list[list[Text]]
) -> Iterator[Table]:
    """Yield tables of as many columns as fit, at least one, each with the names of the rows."""
    first = 0
    while first < len(heads):
        last = first + 1
        part = _drawn("data set", names, heads[first:last], columns[first:last])
        while last < len(heads):
            wider = _drawn("data set", names, heads[first : last + 1], columns[first : last + 1])
            if not _fits(console, wider):
                break
            part, last = wider, last + 1
        yield part
        first = last


def _fits(console: Console, drawn: Table) -> bool:
    unlimited = console.options.update(max_width=10_000)
    return measure_renderables(console, unlimited, [drawn]).minimum <= console.width


def _drawn(first: str, names: list[str], heads: list[str], columns: list[list[Text]]) -> Table:
    drawn = Table(box=None, padding=(0, 1))
    drawn.add_column(first, min_width=max(map(len, names), default=0), no_wrap=True)
    for head, column in zip(heads, columns, strict=True):
        width = max((text.cell_len for text in column), default=0)
        drawn.add_column(head, justify="right", min_width=width)
    for name, *row in zip(names, *columns, strict=True):
        drawn.add_row(name, *row)
    return drawn


def _cell(cell: "TableCell", places: int, best: bool, spread: bool) -> Text:
    from ensvm.report.tables.legend import MARKS, SHIPPED, WARNED

    text = Text(no_wrap=True)
    text.append("-" if cell.mean is None else f"{cell.mean:.{places}f}", "bold" if best else "")
    text.append(SHIPPED * (cell.status == "shipped") + WARNED * (cell.warned > 0))
    if spread and cell.std is not None:
        text.append(f" ±{cell.std:.{places}f}", DIM)
    if cell.published is not None:
        text.append(f" ({cell.published:.{places}f}", DIM)
        if cell.verdict:
            text.append(f" {MARKS[cell.verdict]}", COLOURS[cell.verdict])
        text.append(")", DIM)
    return text


def _marks() -> str:
    from ensvm.report.tables.legend import MARKS

    told = ", ".join(f"{mark} {verdict}" for verdict, mark in MARKS.items())
    return f"ours (printed): {told}; ! fits warned, † shipped"
