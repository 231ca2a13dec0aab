"""Coverage as a file: every item of the paper, and what reproduces it or why nothing does."""

from tabulate import tabulate

from ensvm.report.query import Study
from ensvm.study.coverage import REFERENCE, CoverageConfig

# What `ensvm table`, `figure`, `claims` and `readings` write; an assumption stands in the tables.
FILES = {
    "table": "table-{id}.md",
    "figure": "figure-{id}.svg",
    "claim": "claims.md",
    "reading": "readings.md",
}


def to_markdown(study: Study) -> str:
    """Return the items of a study's paper with what covers them, and their count."""
    items = study.config.coverage
    covered = sum(bool(entry.by) for entry in items)
    grid = tabulate(
        [[_escape(entry.item), _escape(_covered_by(entry))] for entry in items],
        headers=["in the paper", "covered by"],
        tablefmt="pipe",
        colalign=("left", "left"),
        disable_numparse=True,
    )
    title = study.config.title or study.config.study
    return f"## Coverage: {title}\n\n{covered} of {len(items)} items are covered.\n\n{grid}\n"


def _covered_by(entry: CoverageConfig) -> str:
    if entry.not_covered is not None:
        return f"**not covered**: {entry.not_covered}"
    return ", ".join(map(_link, entry.by))


def _link(text: str) -> str:
    """Return a reference as a link to the file that it is in, seen from the study's folder."""
    found = REFERENCE.fullmatch(text)
    if found is None or found["kind"] not in FILES:
        return f"`{found['path']}`" if found and found["path"] else text
    folder = f"../{found['study']}/" if found["study"] else ""
    return f"[{text}]({folder}{FILES[found['kind']].format(id=found['id'])})"


def _escape(text: str) -> str:
    """Return a text as a cell of a Markdown table, in which a bar would end it."""
    return " ".join(text.split()).replace("|", "\\|")
