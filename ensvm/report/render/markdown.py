"""Documents as Markdown."""

import re
from collections.abc import Iterable

from markdown_it import MarkdownIt
from tabulate import tabulate

from ensvm.report.documents.document import (
    Bullets,
    Document,
    Entry,
    Grid,
    Heading,
    Part,
    Value,
    one_line,
)
from ensvm.report.study_folder import Study
from ensvm.study.findings import MENTION

READINGS = "readings.md"


def to_markdown(document: Document) -> str:
    """Return a document as Markdown: its title, then its parts."""
    return f"## {document.title}\n\n{parts_to_markdown(document.parts)}\n"


def markdown_parser() -> MarkdownIt:
    """Return a parser of the Markdown that ensvm writes: no images, and no HTML but for tags."""
    parser = MarkdownIt("commonmark").enable("table")
    return parser.disable(["image", "html_block"])


def unbroken(markdown: str) -> str:
    """Return Markdown in which no value is separated from its spread at the end of a line."""
    return markdown.replace(" ±", "\N{NO-BREAK SPACE}±").replace(" (±", "\N{NO-BREAK SPACE}(±")


def with_links_to_readings(study: Study, markdown: str) -> str:
    """Return Markdown of a study's folder in which `reading ID` leads to the question's heading.

    Without the page of readings in the folder, nothing is a link.
    """
    if not (study.folder / READINGS).is_file():
        return markdown
    questions = {one.id: one_line(one.question) for one in study.config.readings}

    def link(mention: re.Match[str]) -> str:
        """Return a mention of a reading as a link, and any other one as it is."""
        if mention[1].lower() != "reading" or mention[2] not in questions:
            return mention[0]
        return f"[{mention[0]}]({READINGS}#{heading_anchor(questions[mention[2]])})"

    return MENTION.sub(link, markdown)


def heading_anchor(heading: str) -> str:
    """Return the name that code hosts and Sphinx give a heading, to be linked to."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def parts_to_markdown(parts: Iterable[Part]) -> str:
    """Return parts of a document as Markdown, with an empty line between them."""
    return "\n\n".join(text for text in map(part_to_markdown, parts) if text)


def part_to_markdown(part: Part) -> str:
    """Return a part of a document as Markdown; empty if there is nothing in it."""
    if isinstance(part, Heading):
        return f"### {part.text}"
    if isinstance(part, Grid):
        return grid_to_markdown(part)
    if isinstance(part, Bullets):
        lines = "\n".join(map(_entry, part.entries))
        return f"{part.title}:\n\n{lines}" if part.entries else ""
    return part


def _entry(entry: str | Entry) -> str:
    """Return an entry of a list, and below it the list of its points."""
    if isinstance(entry, str):
        return f"- {one_line(entry)}"
    points = (f"  - {one_line(point)}" for point in entry.points)
    return "\n".join([f"- {one_line(entry.text)}", *points])


def grid_to_markdown(grid: Grid) -> str:
    """Return a grid as a Markdown table; empty if it has no rows."""
    if not grid.rows:
        return ""
    sides = [
        "left" if number == 0 or head in grid.left else "right"
        for number, head in enumerate(grid.heads)
    ]
    heads = [head.replace("\n", "<br>") for head in grid.whole_heads]
    return tabulate(
        [[_cell(cell) for cell in row] for row in (*grid.rows, *grid.foot)],
        headers=list(map(_cell, heads)),
        tablefmt="pipe",
        colalign=sides,
        disable_numparse=True,
    )


def _cell(cell: str | Value) -> str:
    """Return a cell of a table, on one line and without bars, which would end the cell."""
    if isinstance(cell, str):
        return one_line(cell).replace("|", "\\|")
    sign = f" {cell.sign}" if cell.sign else ""
    return _our_value(cell) + (f"<br><sub>{cell.printed}{sign}</sub>" if cell.printed else sign)


def _our_value(value: Value) -> str:
    ours = f"**{value.ours}**" if value.best else value.ours
    ours = f"*{ours}*" if value.second else ours
    ours = f"<u>{ours}</u>" if value.underlined else ours
    ours += f" ±{value.spread}" if value.spread else ""
    ours += f" (±{value.order_spread})" if value.order_spread else ""
    ours += f" ({value.interval})" if value.interval else ""
    return ours + value.marks
