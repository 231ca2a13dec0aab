"""A study's first page, README.md in its folder: what it is, what came out, where the rest is.

All of it is made of the config and the records; nothing in it is written by hand.
"""

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from tabulate import tabulate

from ensvm.report.claims import render as claim_render
from ensvm.report.claims.comparisons import evaluate_claims
from ensvm.report.claims.findings import Finding
from ensvm.report.query import Study
from ensvm.report.readings.coverage import file_of
from ensvm.report.tables.cells import TableCell, build_table
from ensvm.report.tables.legend import MARKS
from ensvm.report.tables.render import grid, origin
from ensvm.shipped import shipped_config
from ensvm.study.table_layout import TableConfig

Laid: TypeAlias = tuple[TableConfig, list[TableCell]]

NAME = "README.md"
# By this line a page of ours is known from one that a user wrote, which is left alone.
WRITTEN = "<!-- Written by `ensvm table` from the records: edits are lost. -->"
JUDGED = {"holds": "hold", "fails": "fail", "cannot tell": "cannot be told"}
MARKS_TOLD = (
    "Each cell: our mean ± standard deviation over n realizations; small, the paper's value and "
    "how ours compares with it: "
    + ", ".join(f"{mark} {verdict}" for verdict, mark in MARKS.items())
)


def to_markdown(study: Study) -> str:
    """Return the page: a summary, how to run the study, tables, figures, claims and the rest.

    Parameters
    ----------
    study : Study
        The study.

    Returns
    -------
    str
        Markdown, whose links lead to the files in the study's folder that are there.
    """
    config = study.config
    tables = [(table, build_table(study, table)) for table in config.tables]
    findings = list(evaluate_claims(study))
    parts = [
        WRITTEN,
        f"# {config.title or config.study}",
        config.citation.strip(),
        _at_a_glance(study, tables, findings),
        _how_to_run(study),
        *_tables(study, tables),
        *_figures(study),
    ]
    if findings:
        told = f"What the paper says, tested on the records ({_page(study, 'claim', 'evidence')}):"
        parts += ["## Claims", told, claim_render.overview(findings)]
    parts += _readings(study)
    if config.coverage:
        told = f"What of the paper is covered, item by item: {_page(study, 'coverage', 'list')}."
        parts += ["## Coverage", told]
    return "\n\n".join(part for part in [*parts, origin(study)] if part) + "\n"


def _at_a_glance(study: Study, tables: list[Laid], findings: list[Finding]) -> str:
    """Return how many there are of everything, as a table."""
    config = study.config
    judged = Counter[str](finding.verdict for finding in findings)
    covered = sum(bool(entry.by) for entry in config.coverage)
    records = study.records.values()
    bad = Counter(record.status for record in records if record.status in ("failed", "timeout"))
    missing = sorted({record.dataset for record in records if record.status == "unavailable"})
    rows = [
        ("tables", len(config.tables), ""),
        ("printed results", *_printed(tables, "results")),
        ("printed facts of the data", *_printed(tables, "data")),
        ("figures", len(config.figures), ""),
        (
            "claims",
            len(findings),
            ", ".join(f"{judged[v]} {text}" for v, text in JUDGED.items() if judged[v]),
        ),
        ("open questions, each under several readings", len(config.readings), ""),
        ("items of the paper", len(config.coverage), f"{covered} covered"),
        ("cells run", len(records), ", ".join(f"{n} {status}" for status, n in bad.items())),
        ("data sets that could not be loaded", len(missing), ", ".join(missing)),
    ]
    return tabulate(
        [[what, str(count), more] for what, count, more in rows if count],
        headers=["what", "how many", ""],
        tablefmt="pipe",
        colalign=("left", "right", "left"),
        disable_numparse=True,
    )


def _printed(tables: list[Laid], of: str) -> tuple[int, str]:
    """Return how many printed values there are in tables of a kind, and what ours make of them."""
    cells = [cell for table, found in tables if table.of == of for cell in found]
    verdicts = Counter(cell.verdict for cell in cells)
    told = [f"{verdicts[name]} {mark} {name}" for name, mark in MARKS.items() if verdicts[name]]
    silent = sum(cell.published is not None and cell.mean is None for cell in cells)
    told += [f"{silent} without a value of ours"] if silent else []
    return sum(cell.published is not None for cell in cells), ", ".join(told)


def _how_to_run(study: Study) -> str:
    """Return the commands that make all of this."""
    name = study.config.study
    shipped = shipped_config(name) is not None
    return (
        f"Run it with `ensvm run {name if shipped else f'{name}.yaml'}`: what is done already is "
        "not done again. `ensvm table`, `figure`, `claims` and `readings` write what this page "
        "shows and links to, `ensvm report` makes pages for the browser; each is given the folder "
        "that this one is in."
    )


def _tables(study: Study, tables: list[Laid]) -> Iterator[str]:
    if not tables:
        return
    yield "## Tables"
    if any(cell.verdict for _, cells in tables for cell in cells):
        yield f"{MARKS_TOLD}. Each table's legend says the rest."
    for table, cells in tables:
        name = f"table-{table.id}"
        yield f"### Table {table.id}. {_line(table.caption)}"
        yield grid(study, table, cells)
        yield f"[Legend, notes and assumptions]({name}.md), [unrounded values]({name}.csv)"


def _figures(study: Study) -> Iterator[str]:
    if not study.config.figures:
        return
    yield "## Figures"
    for figure in study.config.figures:
        caption, stem = _line(figure.caption), f"figure-{figure.id}"
        yield f"### Figure {figure.id}. {caption}"
        if not (study.folder / f"{stem}.png").is_file():
            yield "Not drawn yet: `ensvm figure` does, then `ensvm table` shows it here."
            continue
        yield f"![{caption.replace('[', '(').replace(']', ')')}]({stem}.png)"
        yield ", ".join(
            f"[{ending.upper()}]({stem}.{ending})"
            for ending in ("pdf", "svg", "csv")
            if (study.folder / f"{stem}.{ending}").is_file()
        )


def _readings(study: Study) -> Iterator[str]:
    if study.config.readings:
        yield "## Readings"
        page = _page(study, "reading", "tables")
        yield f"What the paper leaves open, tried under several readings ({page}):"
        yield "\n".join(f"- {_line(reading.question)}" for reading in study.config.readings)


def _page(study: Study, kind: str, text: str) -> str:
    """Return a link to a page of the study, or how to have it written."""
    name = "coverage.md" if kind == "coverage" else file_of(kind, "", None)
    if (study.folder / name).is_file():
        return f"[{text}]({name})"
    return f"{text}: `ensvm {'claims' if kind == 'claim' else 'readings'}`"


def _line(text: str) -> str:
    return " ".join(text.split())
