"""Coverage: every item of the paper, and what reproduces it or why nothing does."""

from collections.abc import Callable
from typing import TypeAlias

from ensvm.report.documents.document import Document, Grid
from ensvm.report.query import Study
from ensvm.study.config import REFERENCE, CoverageConfig

Address: TypeAlias = Callable[[str, str, str | None], str]
# What `ensvm table` and `ensvm report --only` write; an assumption stands in the tables.
FILES = {
    "table": "table-{id}.md",
    "figure": "figure-{id}.svg",
    "claim": "claims.md",
    "reading": "readings.md",
}


def file_of(kind: str, name: str, study: str | None) -> str:
    """Return the file of a table, figure, claim or reading, seen from the study's folder."""
    return (f"../{study}/" if study else "") + FILES[kind].format(id=name)


def coverage_document(study: Study, address: Address = file_of) -> Document:
    """Return the items of a study's paper with what covers them, and their number.

    `address` returns where a link leads, of a kind, an identity, and another study's name or None.
    """
    items = study.config.coverage
    rows = [[entry.item, _covered_by(entry, address)] for entry in items]
    covered = sum(bool(entry.by) for entry in items)
    grid = Grid(["in the paper", "covered by"], rows, n_left=2)
    title = f"Coverage: {study.config.title or study.config.study}"
    return Document(title, [f"{covered} of {len(items)} items are covered.", grid])


def _covered_by(entry: CoverageConfig, address: Address) -> str:
    if entry.not_covered is not None:
        return f"**not covered**: {entry.not_covered}"
    return ", ".join(_link(text, address) for text in entry.by)


def _link(text: str, address: Address) -> str:
    """Return a reference as a link to where it is."""
    reference = REFERENCE.fullmatch(text)
    if reference is None or reference["kind"] not in FILES:
        return f"`{reference['path']}`" if reference and reference["path"] else text
    return f"[{text}]({address(reference['kind'], reference['id'], reference['study'])})"
