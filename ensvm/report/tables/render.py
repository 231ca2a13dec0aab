"""Tables as files: CSV in long form and unrounded; Markdown and LaTeX laid out as in the paper."""

from dataclasses import asdict, fields
from itertools import groupby

import pandas as pd
from tabulate import tabulate

from ensvm import __version__
from ensvm.records.writing import csv_of
from ensvm.report.query import Study, runs_of
from ensvm.report.tables.cells import TableCell, best_of_row, underlined
from ensvm.report.tables.legend import (
    MARKS,
    SHIPPED,
    WARNED,
    column_label,
    legend,
    notes,
)
from ensvm.study.config import Assumption
from ensvm.study.table_layout import TableConfig

NOTHING = "—"


def to_csv(cells: list[TableCell]) -> str:
    """Return the cells in long form, one line each, numbers unrounded."""
    columns = [field.name for field in fields(TableCell)]
    return csv_of(pd.DataFrame([asdict(cell) for cell in cells], columns=columns))


def to_markdown(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return the table as the paper lays it out, with legend, assumptions and reasons."""
    parts = [
        f"## Table {table.id}. {table.caption}",
        grid(study, table, cells),
        legend(study, table, cells),
    ]
    parts += [
        bullet_list("Notes", notes(study, table, cells)),
        bullet_list("Assumptions", _assumptions(study, table)),
        bullet_list("Missing", reasons(cells)),
    ]
    return "\n\n".join(part for part in [*parts, origin(study)] if part) + "\n"


def grid(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return the rows and columns of a table alone, as Markdown."""
    headers = [
        "data set",
        *(column_label(study, column) for column in table.columns),
        "n",
    ]
    rows = [
        _markdown_row(table, row, list(of_row))
        for row, of_row in groupby(cells, key=lambda cell: cell.row)
    ]
    if table.of == "data":
        headers, rows = headers[:-1], [row[:-1] for row in rows]
    return tabulate(
        rows,
        headers=headers,
        tablefmt="pipe",
        colalign=("left", *["right"] * (len(headers) - 1)),
        disable_numparse=True,
    )


def _markdown_row(table: TableConfig, row: str, cells: list[TableCell]) -> list[str]:
    best = set() if table.of == "data" else best_of_row(table, cells)
    counts = sorted({cell.n for cell in cells if cell.n})
    spread = f"{counts[0]}–{counts[-1]}" if len(counts) > 1 else str(*counts)
    decimals = {column.name: table.decimals_of(column) for column in table.columns}
    lines = underlined(table, cells)
    shown = (
        _markdown_cell(cell, cell.column in best, cell.column in lines, decimals[cell.column])
        for cell in cells
    )
    return [row, *shown, spread or NOTHING]


def _markdown_cell(cell: TableCell, best: bool, underline: bool, decimals: int) -> str:
    ours = our_value(cell, decimals, best=best, underline=underline)
    if cell.published is None:
        return ours
    return f"{ours} <sub>{cell.published:.{decimals}f}{verdict_mark(cell)}</sub>"


def our_value(
    cell: TableCell, decimals: int, *, best: bool = False, underline: bool = False
) -> str:
    """Return our mean with its spreads and marks, as Markdown."""
    ours = NOTHING if cell.mean is None else f"{cell.mean:.{decimals}f}"
    if best:
        ours = f"**{ours}**"
    if underline:
        ours = f"<u>{ours}</u>"
    if cell.std is not None:
        ours += f" ±{cell.std:.{decimals}f}"
    if cell.std_orders is not None:
        ours += f" (±{cell.std_orders:.{decimals}f})"
    return ours + SHIPPED * (cell.status == "shipped") + WARNED * (cell.warned > 0)


def verdict_mark(cell: TableCell) -> str:
    """Return a space and the mark of a cell's verdict; nothing where it has none."""
    return f" {MARKS[cell.verdict]}" if cell.verdict else ""


def _assumptions(study: Study, table: TableConfig) -> list[str]:
    return [f"*{entry.id}*: {entry.text.strip()}" for entry in touching(study, table)]


def touching(study: Study, table: TableConfig) -> list[Assumption]:
    """Return the assumptions that touch a table: those that name it, and those that name none."""
    return [
        entry
        for entry in study.config.assumptions
        if entry.tables is None or table.id in entry.tables
    ]


def reasons(cells: list[TableCell]) -> list[str]:
    """Say why cells have no value or not all; rows and columns at once where they agree."""
    wanting = [cell for cell in cells if cell.status != "ok"]
    lines: dict[tuple[str, str], list[TableCell]] = {}
    for cell in wanting:
        lines.setdefault((cell.status, cell.reason), []).append(cell)
    columns = {cell.column for cell in cells}
    rows = {cell.row for cell in cells}
    texts = []
    for (status, reason), found in lines.items():
        in_rows, in_columns = (
            {cell.row: None for cell in found},
            {cell.column: None for cell in found},
        )
        where = [] if set(in_rows) == rows and len(rows) > 1 else [", ".join(in_rows)]
        where += [] if set(in_columns) == columns else [", ".join(in_columns)]
        texts.append(f"{': '.join(where) or 'everything'}: {status}: {reason}")
    return texts


def bullet_list(title: str, lines: list[str] | tuple[str, ...]) -> str:
    """Return a Markdown list under a title, one line an entry; nothing for no entries."""
    return (
        f"{title}:\n\n" + "\n".join(f"- {' '.join(line.split())}" for line in lines)
        if lines
        else ""
    )


def origin(study: Study) -> str:
    """Return the small print: version, days, processors and commits of the runs, citation."""
    runs = runs_of(study.records.values())
    if not runs:
        return f"<sub>{study.note}</sub>" if study.note else ""
    days = sorted({record.time[:10] for record in study.records.values()})
    commits = sorted(
        {
            str(run.commit)[:10] + ("+changes" if run.dirty else "")
            for run in runs.values()
            if run.commit
        }
    )
    span = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    machines = sorted({run.arithmetic for run in runs.values()} - {""})
    span += f" on {', '.join(machines)}" if machines else ""
    code = f", commit {', '.join(commits)}" if commits else ""
    told = f"ensvm {__version__}; cells run {span}{code}; study `{study.config.study}`."
    parts = (told, study.note, study.config.citation.strip())
    return f"<sub>{' '.join(part for part in parts if part)}</sub>"
