"""Texts, facts, tables and Markdown, fitted to the width of a terminal; whole where piped."""

import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence

import click
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table
from rich.text import Text

LEAST_WIDTH = 20  # columns of a text beside its name, however narrow the terminal
UNLIMITED = 100_000  # columns of a line that nobody looks at: a program reads it


class _Grid(TableElement):
    """A table of Markdown in which a long name is folded; rich would leave its end out."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for drawn in super().__rich_console__(console, options):
            if isinstance(drawn, Table):
                for column in drawn.columns:
                    column.overflow = "fold"
            yield drawn


class _Page(Markdown):
    elements = {**Markdown.elements, "table_open": _Grid}  # noqa: RUF012


def line_width() -> int:
    """Return how long a line may be: as wide as the terminal; without limit where it is piped."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else UNLIMITED


def tell(text: str, *, err: bool = False) -> None:
    """Print a text, each of its lines wrapped to the width of the terminal."""
    stream = sys.stderr if err else sys.stdout
    width = shutil.get_terminal_size().columns if stream.isatty() else UNLIMITED
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        first, *more = _wrapped(line, max(width - indent - 2, LEAST_WIDTH)) or [""]
        told = [" " * indent + first, *(" " * (indent + 2) + part for part in more)]
        click.echo("\n".join(told), err=err)


def tell_markdown(text: str) -> None:
    """Print Markdown: laid out for the width of a terminal, as it is where the output is piped."""
    if not sys.stdout.isatty():
        click.echo(text)
        return
    Console().print(_Page(text.replace("<sub>", "").replace("</sub>", "")))


def tell_facts(facts: Mapping[str, str], indent: int = 0) -> None:
    """Print names and texts side by side, wrapped to the width of the terminal.

    A line of a text begins a line; paths and addresses stay whole, so that they can be copied.
    """
    margin = indent + max(map(len, facts), default=0) + 2
    width = max(line_width() - margin, LEAST_WIDTH)
    for name, text in facts.items():
        lines = [part for line in text.splitlines() for part in _wrapped(line, width)]
        head = f"{' ' * indent}{name}".ljust(margin)
        click.echo(f"\n{' ' * margin}".join([head + "".join(lines[:1]), *lines[1:]]).rstrip())


def _wrapped(text: str, width: int) -> list[str]:
    lines: list[str] = []
    for part in text.split():
        if lines and len(lines[-1]) + 1 + len(part) <= width:
            lines[-1] += f" {part}"
        else:  # textwrap and rich break a path that is too long, or leave all in one line
            lines.append(part)
    return lines


def tell_table(heads: Sequence[str], rows: Iterable[Sequence[str]], names: int = 1) -> None:
    """Print a table, its first `names` columns as texts and the others as numbers.

    Texts that do not fit the terminal are folded; numbers are whole.
    """
    rows = list(rows)
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for number, head in enumerate(heads):
        if number < names:
            table.add_column(head, overflow="fold")
        else:
            width = max((len(row[number]) for row in rows), default=0)
            table.add_column(head, justify="right", min_width=width)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = Console(width=line_width())
    with console.capture() as printed:
        console.print(table)
    click.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))
