"""Markdown laid out for a terminal."""

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown, TableElement
from rich.table import Table


class _FoldedTable(TableElement):
    """A Markdown table that folds long words; rich would cut them off."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for element in super().__rich_console__(console, options):
            for column in element.columns if isinstance(element, Table) else ():
                column.overflow = "fold"
            yield element


class MarkdownPage(Markdown):
    """A text in Markdown as rich prints it, without cutting off words in tables."""

    elements = {**Markdown.elements, "table_open": _FoldedTable}  # noqa: RUF012
