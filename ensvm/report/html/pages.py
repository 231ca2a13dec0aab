"""From studies to pages: what each page shows, and its files."""

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt

from ensvm import __version__
from ensvm.records.record import Record
from ensvm.records.writing import replace_file
from ensvm.report.claims import render as claim_render
from ensvm.report.claims.comparisons import evaluate_claims
from ensvm.report.claims.findings import Finding
from ensvm.report.claims.statistics import CLAIM_VERDICTS
from ensvm.report.evidence import Evidence, evidence_of
from ensvm.report.html.intervals import picture_of
from ensvm.report.plots.shown import read_figure
from ensvm.report.query import Study, read_study, runs_of
from ensvm.report.readings import coverage
from ensvm.report.readings import render as reading_render
from ensvm.report.readings.answers import answer_question
from ensvm.report.tables.cells import TableCell, best_of_row, build_table
from ensvm.report.tables.legend import MARKS, column_label, legend, notes
from ensvm.report.tables.render import origin, reasons, touching
from ensvm.report.warned import n_warned, warnings_of
from ensvm.study.figure_kinds import FigureConfig
from ensvm.study.table_layout import TableConfig

MOST_FAILURES = 50  # told one by one
# What a browser may load and run: our own style and script, and images within the page.
POLICY = (
    "default-src 'none'; img-src data:; style-src 'sha256-{style}'; "
    "style-src-attr 'unsafe-inline'; script-src 'sha256-{script}'; base-uri 'none'; "
    "form-action 'none'"
)
# A page has thousands of values: more digits than a screen can tell apart would fill it.
DIGITS = 4


# Addresses that a link may have: of the web, of mail, or of a place beside the page. Two slashes
# alone would lead to another host.
LINK = re.compile(r"https?://|mailto:|(?![a-z][a-z0-9+.-]*:|[/\\]{2}|%5c)", re.IGNORECASE)


@dataclass(frozen=True)
class Section:
    """A table or a claim on a page: its identity, its title, and what the template shows."""

    id: str
    title: str
    content: Mapping[str, Any]


@dataclass(frozen=True)
class StudyPage:
    """What a study's page shows."""

    study: Study
    tables: tuple[Section, ...]
    claims: tuple[Section, ...]
    figures: tuple[Section, ...]
    evidence: Mapping[str, Any]
    claims_legend: str
    readings: str
    coverage: str

    @property
    def name(self) -> str:
        """The study's name, that of the file too."""
        return self.study.config.study

    @property
    def verdicts(self) -> dict[str, int]:
        """How many cells of the tables of results have each verdict."""
        counts = Counter(
            cell["verdict"]
            for table in self.tables
            if table.content["of"] == "results"
            for row in table.content["rows"]
            for cell in row["cells"]
        )
        return {verdict: counts[verdict] for verdict in MARKS if counts[verdict]}

    @property
    def claim_verdicts(self) -> dict[str, int]:
        """How many claims hold, fail, or cannot be told."""
        counts = Counter(claim.content["verdict"] for claim in self.claims)
        return {name: counts[name] for name in CLAIM_VERDICTS if counts[name]}

    @property
    def bad(self) -> list[Record]:
        """The records of cells that did not end well, but for want of data."""
        records = self.study.records.values()
        return [record for record in records if record.status in ("failed", "timeout")]

    @property
    def missing_data(self) -> list[str]:
        """The data sets that could not be loaded."""
        records = self.study.records.values()
        return sorted({record.dataset for record in records if record.status == "unavailable"})

    @property
    def n_warned(self) -> int:
        """How many cells gave a warning."""
        return n_warned(self.study)

    @property
    def machines(self) -> list[str]:
        """What rounding depends on, of every machine with records."""
        runs = {record.run.arithmetic for record in self.study.records.values() if record.run}
        return sorted(runs - {""})


def write_report(
    folders: Sequence[Path], target: Path, undrawn: Callable[[str], None] | None = None
) -> Iterator[Path]:
    """Write `index.html` and `<study>.html` into a folder; yield the paths, the index last.

    Parameters
    ----------
    folders : sequence of Path
        The studies' folders, as `find_studies` finds them.
    target : Path
        Where the pages go; made if it is not there.
    undrawn : callable or None, default None
        Takes a message for each figure that cannot be drawn; its page is written without it.

    Yields
    ------
    Path
        Each file written.
    """
    pages = []
    for folder in folders:
        page = study_page(read_study(folder))
        target.mkdir(parents=True, exist_ok=True)
        path = target / f"{page.name}.html"
        replace_file(path, _rendered("study.html", page=page, **_about(page)))
        pages.append(page)
        for figure in page.figures:
            if undrawn is not None and figure.content["error"]:
                undrawn(figure.content["error"])
        yield path
    path = target / "index.html"
    replace_file(path, _rendered("index.html", pages=pages))
    yield path


def study_page(study: Study) -> StudyPage:
    """Return what a study's page shows; nothing is written."""
    evidence: dict[str, Any] = {}
    tables = tuple(_table(study, table, evidence) for table in study.config.tables)
    findings = list(evaluate_claims(study))
    claims = tuple(_claim(study, finding) for finding in findings)
    drawn = tuple(section for figure in study.config.figures for section in _figure(study, figure))
    told = as_html(claim_render.legend(findings)) if findings else ""
    return StudyPage(
        study,
        tables,
        claims,
        drawn,
        evidence,
        told,
        readings=_readings(study),
        coverage=_body(coverage.to_markdown(study, _address)) if study.config.coverage else "",
    )


def _table(study: Study, table: TableConfig, evidence: dict[str, Any]) -> Section:
    cells = build_table(study, table)
    columns = {column.name: column for column in table.columns}
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in study.config.rows_of(table):
        of_row = [cell for cell in cells if cell.row == row]
        best = set() if table.of == "data" else best_of_row(table, of_row)
        rows[row] = []
        for cell in of_row:
            key = f"{table.id}|{row}|{cell.column}"
            found = evidence_of(study, table, columns[cell.column], cell)
            evidence[key] = _as_json(found, values=table.of != "data")
            decimals = table.decimals_of(columns[cell.column])
            rows[row].append(_shown(cell, decimals, cell.column in best) | {"key": key})
    content = {
        "of": table.of,
        "heads": [column_label(study, column) for column in table.columns],
        "rows": [{"name": row, "cells": of_row} for row, of_row in rows.items()],
        "legend": as_html(legend(study, table, cells)),
        "notes": [as_html(note) for note in notes(study, table, cells)],
        "missing": reasons(cells),
        "assumptions": [(entry.id, as_html(entry.text)) for entry in touching(study, table)],
        "verdicts": [v for v in MARKS if any(cell.verdict == v for cell in cells)],
    }
    return Section(table.id, table.caption, content)


def _as_json(evidence: Evidence, *, values: bool) -> dict[str, Any]:
    """Return evidence as the script of a page reads it, with or without the values."""
    shown = evidence.answer.shown() if values else np.empty(0)
    return {
        "title": evidence.title,
        "facts": [list(fact) for fact in evidence.facts.items()],
        "values": [float(f"{value:.{DIGITS}g}") for value in shown[np.isfinite(shown)]],
        "margin": evidence.margin,
        "printed": evidence.printed,
        "mean": evidence.mean,
        "unit": evidence.answer.unit.name,
        "warnings": list(evidence.warnings),
        "failures": list(evidence.failures),
        "traceback": evidence.traceback,
    }


def _shown(cell: TableCell, decimals: int, best: bool) -> dict[str, Any]:
    """Return a cell as the template shows it."""

    def text(value: float | None, sign: str = "") -> str:
        return "" if value is None else f"{sign}{value:.{decimals}f}"

    return {
        "value": "" if cell.mean is None else repr(cell.mean),
        "ours": text(cell.mean) or "—",
        "std": text(cell.std, "±"),
        "printed": text(cell.published),
        "verdict": cell.verdict or "",
        "mark": MARKS[cell.verdict] if cell.verdict else "",
        "shipped": cell.status == "shipped",
        "warned": cell.warned > 0,
        "best": best,
        "reason": "" if cell.status == "ok" else f"{cell.status}: {cell.reason}",
    }


def _claim(study: Study, finding: Finding) -> Section:
    content = {
        "verdict": finding.verdict,
        "qualified": finding.qualified,
        "counts": finding.counts,
        "printed_verdict": finding.printed_verdict,
        "picture": picture_of(finding),
        "text": as_html(
            "\n\n".join(part for part in claim_render.evidence(study, finding) if part)
        ),
    }
    return Section(finding.claim.id, finding.claim.id, content)


def _figure(study: Study, figure: FigureConfig) -> Iterator[Section]:
    # matplotlib takes half a second to import
    from ensvm.report.plots.drawing import CannotDraw, draw

    shown = read_figure(study, figure)
    if shown.content:
        named = [panel.name for panel in figure.panels if panel.name]
        panels = f"Panels: {', '.join(named)}. " if named else ""
        svg = pdf = b""
        error = ""
        try:
            svg, pdf = draw(figure, shown.content, [".svg", ".pdf"])
        except CannotDraw as refusal:
            error = str(refusal)
        content = {
            "error": error,
            "svg": _data_uri("image/svg+xml", svg),
            "pdf": _data_uri("application/pdf", pdf),
            "csv": _data_uri("text/csv", shown.csv.encode()),
            "missing": shown.missing,
            "panels": len(figure.panels),
            "told": f"{figure.caption} {panels}Shown: {', '.join(shown.names)}.",
        }
        yield Section(figure.id, figure.caption, content)


def _readings(study: Study) -> str:
    questions = [answer_question(study, config) for config in study.config.readings]
    return _body(reading_render.to_markdown(study, questions)) if questions else ""


def _body(markdown: str) -> str:
    """Return a text without its title, which the page has."""
    return as_html(markdown.partition("\n\n")[2])


def _address(kind: str, name: str, study: str | None) -> str:
    """Return where on the pages a table, figure, claim or reading is."""
    page = f"{study}.html" if study else ""
    return f"{page}#{'readings' if kind == 'reading' else f'{kind}-{name}'}"


def _about(page: StudyPage) -> dict[str, Any]:
    """Return what a study's page says of the whole study."""
    runs = runs_of(page.study.records.values())
    return {
        "evidence": _as_script(page.evidence),
        "claims_legend": page.claims_legend,
        "origin": as_html(origin(page.study)),
        "warnings": warnings_of(page.study),
        "failures": page.bad[:MOST_FAILURES],
        "runs": sorted(runs.values(), key=lambda run: run.time),
        "counts": Counter(record.run_id for record in page.study.records.values()),
    }


def _as_script(content: Any) -> str:
    """Return JSON that may stand within a script element."""
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")


def _data_uri(kind: str, content: bytes) -> str:
    """Return a file as an address that holds it; text is shorter when quoted than in base 64."""
    if kind == "application/pdf":
        return f"data:{kind};base64,{base64.b64encode(content).decode()}"
    return f"data:{kind};charset=utf-8,{quote(content, safe=' /:=,;.()-+*!?')}"


def as_html(markdown: str) -> str:
    """Return Markdown as HTML in which nothing is loaded or run.

    Parameters
    ----------
    markdown : str
        A text from anybody. What looks like HTML in it is shown as text, an image becomes a link,
        and a link that leads elsewhere than to the web, to mail or to a page beside it is text.

    Returns
    -------
    str
        The HTML; the small print of files is as large as the rest.
    """
    return _markdown().render(markdown.replace("<sub>", "").replace("</sub>", ""))


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    markdown.validateLink = lambda address: LINK.match(address) is not None  # type: ignore[assignment, method-assign]
    return markdown


def _sha256(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _rendered(name: str, **content: Any) -> str:
    return _environment().get_template(name).render(**content)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("ensvm.report.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    folder = files("ensvm.report.html") / "templates"
    style, script = ((folder / f"page.{kind}").read_text("utf-8") for kind in ("css", "js"))
    environment.globals.update(
        marks=MARKS,
        claim_marks={"holds": "✓", "fails": "✗", "cannot tell": "?"},
        version=__version__,
        style=style,
        script=script,
        policy=POLICY.format(style=_sha256(style), script=_sha256(script)),
    )
    return environment
