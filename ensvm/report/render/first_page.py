"""A study's first page, README.md in its folder: overview, tables, figures, claims, links.

Everything on it comes from the config and the records.
"""

from collections import Counter
from collections.abc import Iterator

from ensvm.data.alarms import TITLE
from ensvm.report.claims import evaluate_claims
from ensvm.report.documents.claim_document import overview
from ensvm.report.documents.document import (
    CHOSEN,
    MARKS,
    Bullets,
    Grid,
    Heading,
    Part,
    one_line,
    origin,
    verdict_counts,
)
from ensvm.report.documents.findings_document import findings_of
from ensvm.report.documents.table_document import markdown_grid
from ensvm.report.query import Study, alarms_of
from ensvm.report.render.markdown import parts_to_markdown, unbroken
from ensvm.report.render.pictures import PICTURE
from ensvm.report.tables import TableCell, build_table
from ensvm.shipped import shipped_config

NAME = "README.md"
# Marks a page as ours: a README.md without this line belongs to the user and is not overwritten.
WRITTEN = "<!-- Written by `ensvm table` from the records: edits are lost. -->"
JUDGED = {"holds": "hold", "fails": "fail", "cannot tell": "cannot be told"}
HOW_TO_READ = (
    "Each cell: our mean ± standard deviation over n realizations; small, the paper's value and "
    "how ours compares with it: "
    + ", ".join(f"{mark} {verdict}" for verdict, mark in MARKS.items())
    + f"; {CHOSEN} a setting was chosen on the printed value"
)


def first_page(study: Study) -> str:
    """Return the page as Markdown; it links to files in the study's folder."""
    config = study.config
    parts: list[Part] = [
        WRITTEN,
        f"# {config.title or config.study}",
        " ".join((config.citation.strip(), *(f"<{address}>" for address in config.links))),
        Bullets(f"**{TITLE}**", alarms_of(study)),
        *findings_parts(study),
        _picture(study),
        _at_a_glance(study),
        _how_to_run(study),
        *_tables(study),
        *_figures(study),
    ]
    if config.claims:
        sentence = (
            f"What the paper says, tested on the records ({_page(study, 'claims', 'evidence')}):"
        )
        parts += ["## Claims", sentence, overview(study)]
    parts += _readings(study)
    return unbroken(parts_to_markdown([*parts, origin(study)])) + "\n"


def findings_parts(study: Study) -> Iterator[Part]:
    """Yield the findings: the sentences of the abstract, with our numbers."""
    if study.config.findings:
        yield "## What comes out"
        yield "\n".join(f"- {finding.markdown}" for finding in findings_of(study))


def _at_a_glance(study: Study) -> Grid:
    """Return a table of how many tables, claims, cells, ... the study has."""
    config = study.config
    judged = Counter[str](claim.verdict for claim in evaluate_claims(study))
    bad = Counter(record.status for record in study.failed)
    missing = study.missing_data
    rows = [
        ("tables", len(config.tables), ""),
        ("printed results", *printed_counts(study, "results")),
        ("printed facts of the data", *printed_counts(study, "data")),
        ("figures", len(config.figures), ""),
        (
            "claims",
            len(config.claims),
            ", ".join(f"{judged[v]} {text}" for v, text in JUDGED.items() if judged[v]),
        ),
        ("open questions, each under several readings", len(config.readings), ""),
        ("cells run", len(study.records), ", ".join(f"{n} {status}" for status, n in bad.items())),
        ("data sets that could not be loaded", len(missing), ", ".join(missing)),
    ]
    cells = [[what, str(count), more] for what, count, more in rows if count]
    return Grid(["what", "how many", ""], cells, left=("",))


def _picture(study: Study) -> str:
    """Return the picture of printed values against ours; empty if nothing has a verdict."""
    if not any(cell.verdict for cell in _cells(study, "results")):
        return ""
    return f"![printed values against ours, with their verdicts]({PICTURE})"


def _cells(study: Study, of: str) -> list[TableCell]:
    """Return the cells of the tables of a kind."""
    tables = [table for table in study.config.tables if table.of == of]
    return [cell for table in tables for cell in build_table(study, table)]


def printed_counts(study: Study, of: str) -> tuple[int, str]:
    """Return the number of printed values in tables of a kind, and of each verdict on them."""
    cells = [cell for cell in _cells(study, of) if cell.published is not None]
    unjudged = sum(cell.verdict is None and cell.mean is not None for cell in cells)
    silent = sum(cell.mean is None for cell in cells)
    texts = [verdict_counts(cells), f"{unjudged} not judged", f"{silent} without a value of ours"]
    counted = (True, unjudged, silent)
    return len(cells), ", ".join(text for text, n in zip(texts, counted, strict=True) if n and text)


def _how_to_run(study: Study) -> str:
    """Return the commands that write the page and its links."""
    name = study.config.study
    shipped = shipped_config(name) is not None
    return (
        f"Run it with `ensvm run {name if shipped else f'{name}.yaml'}`: what is done already is "
        "not done again. `ensvm table`, and `ensvm report --only figures`, `claims` or `readings`, "
        "write what this page shows and links to; `ensvm report` makes pages for the browser. Each "
        "is given the folder that this one is in."
    )


def _tables(study: Study) -> Iterator[Part]:
    if not study.config.tables:
        return
    yield "## Tables"
    if any(cell.verdict for table in study.config.tables for cell in build_table(study, table)):
        yield f"{HOW_TO_READ}. Each table's legend says the rest."
    for table in study.config.tables:
        name = f"table-{table.id}"
        yield Heading(f"Table {table.id}. {one_line(table.caption)}")
        yield markdown_grid(study, table)
        yield f"[Legend, notes and assumptions]({name}.md), [unrounded values]({name}.csv)"


def _figures(study: Study) -> Iterator[Part]:
    if not study.config.figures:
        return
    yield "## Figures"
    for figure in study.config.figures:
        caption, stem = one_line(figure.caption), f"figure-{figure.id}"
        yield Heading(f"Figure {figure.id}. {caption}")
        if not (study.folder / f"{stem}.png").is_file():
            yield "Not drawn yet: `ensvm report --only figures`, then `ensvm table` shows it here."
            continue
        yield f"![{caption.replace('[', '(').replace(']', ')')}]({stem}.png)"
        yield ", ".join(f"[{ending.upper()}]({stem}.{ending})" for ending in ("pdf", "svg", "csv"))


def _readings(study: Study) -> Iterator[Part]:
    if study.config.readings:
        yield "## Readings"
        page = _page(study, "readings", "tables")
        yield f"What the paper leaves open, tried under several readings ({page}):"
        yield "\n".join(f"- {one_line(reading.question)}" for reading in study.config.readings)


def _page(study: Study, name: str, text: str) -> str:
    """Return a link to a page of the study, or the command that writes it."""
    if (study.folder / f"{name}.md").is_file():
        return f"[{text}]({name}.md)"
    return f"{text}: `ensvm report --only {'claims' if name == 'claims' else 'readings'}`"
