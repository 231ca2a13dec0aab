"""Grids of values at a terminal: fitted to its width, with colours for the verdicts."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from rich.console import Console
from rich.measure import measure_renderables
from rich.table import Table
from rich.text import Text

from ensvm.report.documents.document import MARKS, NOTHING, SHIPPED, WARNED, Grid, Value

# Verdicts have marks too, so colours are not necessary.
COLOURS = {
    "reproduced": "green",
    "compatible": "cyan",
    "close": "yellow",
    "differs": "red",
    "cannot tell": "yellow",
    "undetermined": "yellow",
}
DIM = "dim"


def how_to_read(grids: Sequence[Grid]) -> str:
    """Return the meaning of what occurs in grids: spreads, bold values, printed ones, marks."""
    values = [
        cell for grid in grids for row in grid.rows for cell in row if isinstance(cell, Value)
    ]
    shown = {value.verdict for value in values}
    verdicts = [f"{mark} {verdict}" for verdict, mark in MARKS.items() if verdict in shown]
    meanings = {
        "± standard deviation over realizations": any(value.spread for value in values),
        "bold: the best of the row": any(value.best for value in values),
        f"ours (printed){': ' * bool(verdicts)}{', '.join(verdicts)}": any(
            value.printed for value in values
        ),
        f"{WARNED} fits warned": any(value.warned for value in values),
        f"{SHIPPED} shipped": any(value.shipped for value in values),
    }
    return "; ".join(text for text, occurs in meanings.items() if occurs)


def fitted(console: Console, grid: Grid) -> list[Table]:
    """Return a grid whole, without spreads, transposed, or in parts: the first that fits."""
    heads, names = list(grid.heads[1:]), [str(row[0]) for row in grid.rows]

    def columns(spread: bool) -> list[list[Text]]:
        rows = [[_text(cell, spread) for cell in row[1:]] for row in grid.rows]
        return [list(column) for column in zip(*rows, strict=True)]

    for spread in (True, False):
        table = _table(console, "data set", names, heads, columns(spread))
        if _fits(console, table):
            return [table]
    if len(names) < len(heads):
        transposed = [list(row) for row in zip(*columns(False), strict=True)]
        table = _table(console, "column", heads, names, transposed)
        if _fits(console, table):
            return [table]
    return list(_parts(console, names, heads, columns(False)))


def _parts(
    console: Console, names: Sequence[str], heads: Sequence[str], columns: list[list[Text]]
) -> Iterator[Table]:
    """Yield tables of about equally many columns that fit, each with the names of the rows."""
    for count in range(1, len(heads) + 1):
        cuts = [round(part * len(heads) / count) for part in range(count + 1)]
        parts = [
            _table(console, "data set", names, heads[first:last], columns[first:last])
            for first, last in pairwise(cuts)
        ]
        if all(_fits(console, part) for part in parts):
            break
    yield from parts


def _fits(console: Console, table: Table) -> bool:
    unlimited = console.options.update(max_width=10_000)
    return measure_renderables(console, unlimited, [table]).minimum <= console.width


def _table(
    console: Console,
    first: str,
    names: Sequence[str],
    heads: Sequence[str],
    columns: list[list[Text]],
) -> Table:
    """Return a table in which no word of a head is broken; what room is left widens the columns."""
    table = Table(box=None, padding=(0, 1))
    name_width = max(map(len, [first, *names]))
    table.add_column(first, min_width=name_width, no_wrap=True)
    widths = [
        max((*(text.cell_len for text in column), *map(len, head.split())), default=0)
        for head, column in zip(heads, columns, strict=True)
    ]
    spare = console.width - name_width - sum(widths) - 2 * (len(widths) + 1)
    for head, width in zip(heads, widths, strict=True):
        more = max(min(len(head) - width, spare), 0)
        spare -= more
        table.add_column(head, justify="right", width=width + more)
    for name, *row in zip(names, *columns, strict=True):
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
            text.append(f" {MARKS[cell.verdict]}", COLOURS[cell.verdict])
        text.append(")", DIM)
    return text
