"""Grids of values at a terminal: rich fits them to its width, with colours for the verdicts."""

from rich.console import Group, JustifyMethod, RenderableType
from rich.constrain import Constrain
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from ensvm.report.documents.document import NOTHING, Grid, Value
from ensvm.report.documents.table_document import TableDocument
from ensvm.visible_text import visible

# Verdicts have marks too, so colours are not necessary.
COLOURS = {"within the margin": "green", "close": "cyan", "differs": "red", "cannot tell": "yellow"}
DIM = "dim"


def to_terminal(
    document: TableDocument, *, bold: bool = True, text_width: int | None = None
) -> Group:
    """Return a table with its heading, its legend, its notes and who is best.

    Without `bold`, see `to_table`. Lines of text have at most `text_width` letters; by default they
    are as long as the console's.
    """
    around: list[RenderableType] = [Text(visible(document.heading), "bold")]
    around += [to_table(document.grid, bold=bold)]
    # without bold letters there are asterisks, whose meaning the legend has to say
    legend = document.legend_without_orders(plain=not bold)
    texts = [Markdown(text, style=DIM) for text in legend]
    if document.notes:
        texts.append(Markdown("\n".join(f"- {text}" for text in document.notes)))
    texts += [Markdown(text) for text in document.best]
    return Group(*around, *(Constrain(text, text_width) for text in texts), "")


def to_table(grid: Grid, *, bold: bool = True) -> Table:
    """Return a grid as a table of a terminal, the printed values below ours.

    Without `bold`, as in a file, the best values, and the second best, stand between asterisks, as
    in Markdown, and underlined ones between underscores.
    """
    table = Table(box=None, padding=(0, 1))
    for number, (head, whole) in enumerate(zip(grid.heads, grid.whole_heads, strict=True)):
        justify: JustifyMethod = "left" if number == 0 or head in grid.left else "right"
        table.add_column(Text(visible(whole)), justify=justify, overflow="fold")
    for row in (*grid.rows, *grid.foot):
        table.add_row(*(_text(cell, bold) for cell in row))
    return table


def _text(cell: str | Value, bold: bool) -> Text:
    if isinstance(cell, str):
        return Text(visible(cell))
    text = Text()
    ours = cell.ours.replace(NOTHING, "-")
    stars = ("**" if cell.best else "*" if cell.second else "") * (not bold)
    lines = "_" * (cell.underlined and not bold)
    style = "bold" if cell.best else "italic" if cell.second else ""
    style += " underline" * (cell.underlined and bold)
    text.append(f"{lines}{stars}{ours}{stars}{lines}", style)
    text.append(cell.marks)
    if cell.spread:
        text.append(f" ±{cell.spread}", DIM)
    if cell.interval:
        text.append(f" ({cell.interval})", DIM)
    if cell.printed:
        text.append(f"\n{visible(cell.printed)}", DIM)
        if cell.verdict:
            text.append(f" {cell.sign}", COLOURS[cell.verdict])
    return text
