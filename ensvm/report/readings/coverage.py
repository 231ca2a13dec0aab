"""Coverage as a file: every item of the paper, and what reproduces it or why nothing does."""

from collections.abc import Callable

from tabulate import tabulate

from ensvm.report.query import Study
from ensvm.study.config import REFERENCE, CoverageConfig

# What `ensvm table`, `figure`, `claims` and `readings` write; an assumption stands in the tables.
FILES = {
    "table": "table-{id}.md",
    "figure": "figure-{id}.svg",
    "claim": "claims.md",
    "reading": "readings.md",
}


def file_of(kind: str, name: str, study: str | None) -> str:
    """Return the file of a table, figure, claim or reading, seen from the study's folder."""
    return (f"../{study}/" if study else "") + FILES[kind].format(id=name)


def to_markdown(study: Study, address: Callable[[str, str, str | None], str] = file_of) -> str:
    """Return the items of a study's paper with what covers them, and their count.

    Parameters
    ----------
    study : Study
        The study.
    address : callable, default file_of
        Gives where a link leads: from a kind, an identity, and another study's name or None.

    Returns
    -------
    str
        Markdown.
    """
    items = study.config.coverage
    covered = sum(bool(entry.by) for entry in items)
    grid = tabulate(
        [[_escape(entry.item), _escape(_covered_by(entry, address))] for entry in items],
        headers=["in the paper", "covered by"],
        tablefmt="pipe",
        colalign=("left", "left"),
        disable_numparse=True,
    )
    title = study.config.title or study.config.study
    return f"## Coverage: {title}\n\n{covered} of {len(items)} items are covered.\n\n{grid}\n"


def _covered_by(entry: CoverageConfig, address: Callable[[str, str, str | None], str]) -> str:
    if entry.not_covered is not None:
        return f"**not covered**: {entry.not_covered}"
    return ", ".join(_link(text, address) for text in entry.by)


def _link(text: str, address: Callable[[str, str, str | None], str]) -> str:
    """Return a reference as a link to where it is."""
    found = REFERENCE.fullmatch(text)
    if found is None or found["kind"] not in FILES:
        return f"`{found['path']}`" if found and found["path"] else text
    return f"[{text}]({address(found['kind'], found['id'], found['study'])})"


def _escape(text: str) -> str:
    """Return a text as a cell of a Markdown table, in which a bar would end it."""
    return " ".join(text.split()).replace("|", "\\|")
