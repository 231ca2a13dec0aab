"""The media of a table: each writes the same document, as far as it has room for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ensvm.report.documents.document import csv_of
from ensvm.report.documents.table_document import TableDocument
from ensvm.report.render.html import as_html
from ensvm.report.render.latex import to_latex
from ensvm.report.render.markdown import to_markdown
from ensvm.report.render.terminal import to_terminal

AROUND = ("best", "legend", "notes", "assumptions", "missing", "origin")


@dataclass(frozen=True)
class Medium:
    """A medium: how it shows a table, its file's ending, and what stands around the values in it.

    The ending is empty if the medium has no file of a table: a notebook shows HTML, and a page its
    own layout of the same document. `always` says that `ensvm table` writes it unasked. `parts` are
    fields of the document, out of `AROUND`.
    """

    render: Callable[[TableDocument], Any]
    parts: tuple[str, ...]
    suffix: str = ""
    always: bool = False


MEDIA: dict[str, Medium] = {
    "csv": Medium(lambda table: csv_of(table.columns), (), ".csv", always=True),
    "md": Medium(lambda table: to_markdown(table.whole), AROUND, ".md", always=True),
    "latex": Medium(to_latex, ("best", "legend", "notes", "missing"), ".tex"),
    "html": Medium(lambda table: as_html(to_markdown(table.whole)), AROUND),
    "terminal": Medium(to_terminal, ("best", "legend", "notes")),
}
FORMS = tuple(name for name, medium in MEDIA.items() if medium.suffix)
