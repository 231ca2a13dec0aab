"""Grids of values at a terminal: fitted to its width, with colours for the verdicts."""

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from itertools import pairwise

from rich.console import Console, RenderableType
from rich.measure import Measurement, measure_renderables
from rich.table import Column, Table
from rich.text import Text

from ensvm.report.documents.document import NOTHING, Grid, Value

# Verdicts have marks too, so colours are not necessary.
COLOURS = {"reproduced": "green", "close": "cyan", "differs": "red", "cannot tell": "yellow"}
DIM = "dim"


def fitted(console: Console, grid: Grid) -> list[Table]:
    """Return a grid whole, without spreads, transposed, or in parts: the first that fits."""
    heads, names = list(grid.heads[1:]), [str(row[0]) for row in grid.rows]
    rows, short_rows = (
        [[_text(cell, spread) for cell in row[1:]] for row in grid.rows] for spread in (True, False)
    )
    tables = [_table("data set", heads, names, rows), _table("data set", heads, names, short_rows)]
    if len(names) < len(heads):
        columns = [list(column) for column in zip(*short_rows, strict=True)]
        tables.append(_table("column", names, heads, columns))
    chosen = next((table for table in tables if _fits(console, table, console.width)), tables[1])
    return in_parts(console, chosen, console.width)


def in_parts(console: Console, table: Table, width: int) -> list[Table]:
    """Return a table in parts of about equally many columns that fit, each with the first column.

    No word is broken, unless even the first column and a single other one do not fit.
    """
    first, *others = table.columns
    parts = [table]
    for count in range(1, len(others) + 1):
        cuts = [round(part * len(others) / count) for part in range(count + 1)]
        parts = [
            _part(console, table, [first, *others[begin:end]], width)
            for begin, end in pairwise(cuts)
        ]
        if all(_fits(console, part, width) for part in parts):
            break
    return parts


def _part(console: Console, table: Table, columns: list[Column], width: int) -> Table:
    """Return a table of some columns, which share the room that their longest words leave."""
    part = copy(table)
    part.columns = [
        replace(column, _index=index, overflow="fold") for index, column in enumerate(columns)
    ]
    # By itself, rich narrows the widest columns first, and cuts off their longest words.
    spare = width - _measured(console, part).minimum
    if spare >= 0:
        wishes = []
        for column in part.columns:
            measure = _measured(console, column.header, *column.cells)
            column.width = max(measure.minimum, column.min_width or 0)
            wishes.append(max(measure.maximum - column.width, 0))
        share = min(spare / max(sum(wishes), 1), 1.0)
        for column, wish in zip(part.columns, wishes, strict=True):
            column.width = (column.width or 0) + int(share * wish)
    return part


def _fits(console: Console, table: Table, width: int) -> bool:
    return _measured(console, table).minimum <= width


def _measured(console: Console, *contents: RenderableType) -> Measurement:
    return measure_renderables(console, console.options.update(max_width=10_000), contents)


def _table(first: str, heads: Sequence[str], names: Sequence[str], rows: list[list[Text]]) -> Table:
    """Return a table in which heads may be folded between words, and values never."""
    table = Table(box=None, padding=(0, 1))
    table.add_column(first, min_width=max(map(len, [first, *names])), no_wrap=True)
    for number, head in enumerate(heads):
        width = max((row[number].cell_len for row in rows), default=0)
        table.add_column(head, justify="right", min_width=width)
    for name, row in zip(names, rows, strict=True):
        table.add_row(name, *row)
    return table


def _text(cell: str | Value, spread: bool) -> Text:
    if isinstance(cell, str):
        return Text(cell, no_wrap=True)
    text = Text(no_wrap=True)
    text.append(cell.ours.replace(NOTHING, "-"), "bold" if cell.best else "")
    text.append(cell.marks)
    if spread and cell.spread:
        text.append(f" ±{cell.spread}", DIM)
    if cell.printed:
        text.append(f" ({cell.printed}", DIM)
        if cell.verdict:
            text.append(f" {cell.sign}", COLOURS[cell.verdict])
        text.append(")", DIM)
    return text
