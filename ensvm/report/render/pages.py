"""Results as web pages that open from disk: an overview, and a page for each study."""

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from ensvm.data import DatasetCard, find_card
from ensvm.data.alarms import TITLE
from ensvm.errors import UserError
from ensvm.records.writing import csv_of, replace_file
from ensvm.report.claim_tests import CLAIM_VERDICTS
from ensvm.report.claims import JudgedClaim, evaluate_claims
from ensvm.report.documents.claim_document import evidence_parts, tested, wording
from ensvm.report.documents.claim_document import legend as claims_legend
from ensvm.report.documents.document import MARKS, Part, Value, one_line, origin
from ensvm.report.documents.ranking_document import ranking_document
from ensvm.report.documents.readings_document import (
    OpenQuestion,
    answer_questions,
    coverage_document,
    question_parts,
    readings_legend,
)
from ensvm.report.documents.table_document import legend, notes, reasons, table_grid, touching
from ensvm.report.evidence import Evidence, evidence_of, n_warned, warnings_of
from ensvm.report.plots import drawing
from ensvm.report.plots.critical_difference import ranking_diagram
from ensvm.report.query import Study, alarms_of, runs_of
from ensvm.report.ranking import rank_over_data_sets
from ensvm.report.render.claim_picture import picture_of
from ensvm.report.render.first_page import FINDINGS, finding_texts
from ensvm.report.render.html import MENTION, as_html, compressed, data_uri, render_page
from ensvm.report.render.inline_svg import inline_svg
from ensvm.report.render.markdown import parts_to_markdown
from ensvm.report.render.reading_options import as_json, options_of
from ensvm.report.render.reproduction_picture import (
    SHAPES,
    ReproductionPicture,
    reproduction_picture,
)
from ensvm.report.render.speed_page import measured_pages
from ensvm.report.tables import LaidOut, algorithm_label, build_tables
from ensvm.study.config import StudyConfig
from ensvm.study.figure_kinds import FigureConfig
from ensvm.study.table_layout import TableConfig, Verdict

MOST_FAILURES = 50  # listed one by one
FEWEST_RANKED = 3  # algorithms
RANK_LEVEL = 0.05
MOST_EMBEDDED = 20_000  # bytes of a figure's data that a page carries as a download
DIGITS = 4  # of the values in the evidence: a page has thousands, and a screen shows no more

Html: TypeAlias = Callable[[Iterable[Part]], str]  # from parts of a document, with links


@dataclass(frozen=True)
class PageSection:
    """A table, claim or figure on a page: its identity, its title, and what the template shows.

    `of_paper` says whether the paper has it, or only we do.
    """

    id: str
    title: str
    content: Mapping[str, Any]
    of_paper: bool = True


@dataclass(frozen=True)
class StudyPage:
    """The content of a study's page."""

    study: Study
    tables: tuple[PageSection, ...]
    claims: tuple[PageSection, ...]
    figures: tuple[PageSection, ...]
    evidence: Mapping[str, Any]
    claims_legend: str
    readings: tuple[PageSection, ...]
    readings_legend: str
    assumptions: tuple[PageSection, ...]
    coverage: str
    picture: ReproductionPicture | None
    findings: tuple[str, ...]
    rankings: tuple[PageSection, ...]

    @property
    def ours(self) -> bool:
        """Whether there are tables or figures that the paper does not have."""
        return any(not section.of_paper for section in (*self.tables, *self.figures))

    @property
    def name(self) -> str:
        """The study's name, that of the file too."""
        return self.study.config.study

    @property
    def tried(self) -> str:
        """The data and algorithms of the first table of results with the most data sets."""
        config = self.study.config

        def data_of(table: TableConfig, rows: Container[str] | None = None) -> list[str]:
            named = (name for name in config.rows_of(table) if rows is None or name in rows)
            return list(dict.fromkeys(config.dataset(name).card or name for name in named))

        tables = [table for table in config.tables if table.of == "results"]
        if not tables:
            return ""
        table = max(tables, key=lambda table: len(data_of(table)))
        names = [algorithm_label(self.study, column.of(table)) for column in table.columns]
        data = data_of(table)
        run = data_of(table, {each.dataset for each in self.study.records.values() if each.ok})
        of_all = f"{len(data)}" if len(run) == len(data) else f"{len(run)} of {len(data)}"
        on = data[0] if len(data) == 1 else f"{of_all} data sets"
        return f"on {on}, with {'; '.join(dict.fromkeys(names))}"

    @property
    def in_short(self) -> list[str]:
        """The first finding, and that which rests on readings most: why values differ."""
        configs = self.study.config.findings
        shares = [
            sum(one.reading is not None for one in config.shown_by) / len(config.shown_by)
            for config in configs
        ]
        chosen = {0, shares.index(max(shares))} if any(shares) else {0}
        return [text for number, text in enumerate(self.findings) if number in chosen]

    @property
    def verdicts(self) -> Mapping[Verdict, int]:
        """The number of values with each verdict, in tables of results."""
        return self.picture.counts if self.picture else {}

    @property
    def claim_verdicts(self) -> dict[str, int]:
        """The number of claims with each verdict."""
        counts = Counter(claim.content["verdict"] for claim in self.claims)
        return {name: counts[name] for name in CLAIM_VERDICTS if counts[name]}

    @property
    def claims_by_verdict(self) -> list[tuple[int, PageSection]]:
        """The claims by verdict, each with its number in the paper's order."""
        verdicts = list(CLAIM_VERDICTS)
        return sorted(
            enumerate(self.claims), key=lambda one: verdicts.index(one[1].content["verdict"])
        )

    @property
    def n_warned(self) -> int:
        """The number of cells with warnings."""
        return n_warned(self.study)

    @property
    def machines(self) -> list[str]:
        """The processor and BLAS of every machine with records, which affect rounding."""
        runs = {record.run.arithmetic for record in self.study.records.values() if record.run}
        return sorted(runs - {""})


def write_report(
    studies: Iterable[Study],
    target: Path,
    undrawn: Callable[[str], None] | None = None,
    benchmarks: Path | None = None,
) -> Iterator[Path]:
    """Write `index.html` and `<study>.html` into `target`; yield the paths, the index last.

    `undrawn` takes a message for each figure that cannot be drawn; its page is written without it.
    If the folder `benchmarks` has pages of measured seconds, `speed.html` shows them.
    """
    pages = []
    for study in studies:
        page = study_page(study)
        target.mkdir(parents=True, exist_ok=True)
        path = target / f"{page.name}.html"
        replace_file(path, render_page("study.html", page=page, **_about(page)))
        pages.append(page)
        for figure in page.figures:
            if undrawn is not None and figure.content["error"]:
                undrawn(figure.content["error"])
        yield path
    speed = measured_pages(benchmarks) if benchmarks is not None else []
    if speed:
        path = target / "speed.html"
        replace_file(path, render_page("speed.html", sections=speed))
        yield path
    path = target / "index.html"
    replace_file(path, render_page("index.html", pages=_in_order(pages), speed=bool(speed)))
    yield path


def _in_order(pages: Iterable[StudyPage]) -> list[tuple[StudyPage, bool]]:
    """Return the pages in the order of the index, each with whether it is a side study.

    A side study has the name of another, a dash and more; it follows that one. Studies without
    findings and their side studies come last.
    """
    by_name = {page.name: page for page in pages}

    def place(name: str) -> tuple[bool, str, str]:
        main = name.partition("-")[0]
        main = main if main in by_name else name
        return not by_name[main].study.config.findings, main, name

    placed = sorted(map(place, by_name))
    return [(by_name[name], name != main) for _, main, name in placed]


def study_page(study: Study) -> StudyPage:
    """Return the content of a study's page."""
    evidence: dict[str, Any] = {}
    html = partial(_as_html, _anchors(study.config))
    laid_out = build_tables(study)
    questions = answer_questions(study)
    picture = reproduction_picture(study, laid_out)
    tables = tuple(_table(study, one, evidence, questions, picture, html) for one in laid_out)
    judged = list(evaluate_claims(study))
    claims = tuple(_claim(study, claim, html) for claim in judged)
    drawn = tuple(section for figure in study.config.figures for section in _figure(study, figure))
    readings = tuple(
        PageSection(
            question.config.id,
            one_line(question.config.question),
            {
                "text": _mentioned(html, question.config.question)
                + html(question_parts(study, question))
            },
        )
        for question in questions
    )
    assumptions = tuple(
        PageSection(one.id, "", {"text": html([one.text])}) for one in study.config.assumptions
    )
    coverage = coverage_document(study, _address).parts if study.config.coverage else []
    return StudyPage(
        study,
        tables,
        claims,
        drawn,
        evidence,
        html(claims_legend(judged)) if judged else "",
        readings=readings,
        readings_legend=html(readings_legend(questions)),
        assumptions=assumptions,
        coverage=html(coverage),
        picture=picture,
        findings=tuple(html([text]) for text in finding_texts(study, judged)),
        rankings=tuple(_rankings(study, html)),
    )


def _table(
    study: Study,
    laid_out: LaidOut,
    evidence: dict[str, Any],
    questions: Sequence[OpenQuestion],
    picture: ReproductionPicture | None,
    html: Html,
) -> PageSection:
    """Return a table's section, and add the evidence of its cells to `evidence`."""
    table, cells = laid_out
    columns = {column.name: column for column in table.columns}
    grid = table_grid(study, table, cells)
    values = [value for row in grid.rows for value in row if isinstance(value, Value)]
    for cell, value in zip(cells, values, strict=True):
        behind = evidence_of(study, table, columns[cell.column], cell)
        evidence[value.key] = _as_json(behind, values=table.of != "data")
    content = {
        "of": table.of,
        "grid": grid,
        "readings": list(options_of(table.id, questions, picture)),
        "legend": html(legend(study, table, cells, grid)),
        "notes": [html([note]) for note in notes(study, table, cells)],
        "missing": reasons(cells),
        "assumptions": [entry.id for entry in touching(study, table)],
        "verdicts": [v for v in MARKS if any(cell.verdict == v for cell in cells)],
        "proposed": _proposed(study, table),
    }
    of_paper = any(cell.published is not None for cell in cells)
    return PageSection(table.id, table.caption, content, of_paper)


def _proposed(study: Study, table: TableConfig) -> int:
    """Return the number, from 1, of the last column of a proposed algorithm; 0 without one."""
    proposed = study.config.proposed
    numbers = [n for n, column in enumerate(table.columns, 1) if column.of(table) in proposed]
    return max(numbers, default=0)


def _rankings(study: Study, html: Html) -> Iterator[PageSection]:
    """Yield the ranking of each table of results that has enough data sets and algorithms."""
    for table in study.config.tables:
        if table.of != "results":
            continue
        try:
            ranking = rank_over_data_sets(study, table, None, RANK_LEVEL)
        except UserError:
            continue  # `ensvm rank` says why a table is not ranked
        if len(ranking.selection.columns) < FEWEST_RANKED:
            continue
        document = ranking_document(ranking)
        description = f"Average ranks of table {table.id}, with the critical difference"
        (diagram,) = ranking_diagram(ranking, [".svg"])
        content = {
            "svg": inline_svg(diagram, f"ranking-{table.id}", description),
            "text": html(document.parts),
        }
        yield PageSection(table.id, document.title, content)


def _as_json(evidence: Evidence, *, values: bool) -> dict[str, Any]:
    """Return evidence as the script of a page reads it, with or without the values."""
    numbers = evidence.answer.shown() if values else np.empty(0)
    return {
        "title": evidence.title,
        "sentence": evidence.sentence,
        "facts": [list(fact) for fact in evidence.facts.items()],
        "values": [float(f"{value:.{DIGITS}g}") for value in numbers[np.isfinite(numbers)]],
        "margin": evidence.margin,
        "printed": evidence.printed,
        "mean": evidence.mean,
        "unit": evidence.answer.unit.name,
        "warnings": list(evidence.warnings),
        "failures": list(evidence.failures),
        "traceback": evidence.traceback,
    }


def _claim(study: Study, finding: JudgedClaim, html: Html) -> PageSection:
    claim = finding.claim
    title = f"“{wording(claim)}”" if claim.text else wording(claim)
    content = {
        "verdict": finding.verdict,
        "qualified": finding.qualified,
        "counts": finding.counts,
        "printed_verdict": finding.printed_verdict,
        "tested": f"{tested(claim)}; {finding.counts}".replace("`", ""),
        "picture": picture_of(study, finding),
        "text": _mentioned(html, title) + html(evidence_parts(study, finding)),
    }
    return PageSection(claim.id, title, content)


def _mentioned(html: Html, text: str) -> str:
    """Return links to what a text mentions, which a summary must not have; empty without any."""
    names = dict.fromkeys(found[0] for found in MENTION.finditer(one_line(text)))
    links = html([f"Mentioned: {', '.join(names)}."])
    return links if "<a " in links else ""


def _figure(study: Study, figure: FigureConfig) -> Iterator[PageSection]:
    figure_content, files, error = drawing.draw_figure(study, figure, [".svg"])
    if not figure_content.items:
        return
    csv = csv_of(figure_content.frame).encode()
    names = [panel.name for panel in figure.panels if panel.name]
    panels = f"Panels: {', '.join(names)}. " if names else ""
    description = f"{figure.caption} {panels}Shown: {', '.join(figure_content.names)}."
    content = {
        "error": error,
        "svg": [inline_svg(svg, f"figure-{figure.id}", description) for svg in files],
        "csv": data_uri("text/csv", csv) if len(csv) <= MOST_EMBEDDED else "",
        "missing": figure_content.missing,
    }
    yield PageSection(figure.id, figure.caption, content, figure.id.isdecimal())


def _as_html(anchors: Collection[str], parts: Iterable[Part]) -> str:
    """Return parts of a document as HTML, in which what the study has is linked."""
    return as_html(parts_to_markdown(parts), anchors)


def _anchors(config: StudyConfig) -> frozenset[str]:
    """Return the ids that the page of a study has for its tables, figures, claims and so on."""
    kinds = {
        "table": config.tables,
        "figure": config.figures,
        "claim": config.claims,
        "reading": config.readings,
        "assumption": config.assumptions,
    }
    return frozenset(f"{kind}-{block.id}" for kind, blocks in kinds.items() for block in blocks)


def _address(kind: str, name: str, study: str | None) -> str:
    """Return the address of a table, figure, claim or reading on the pages."""
    page = f"{study}.html" if study else ""
    return f"{page}#{kind}-{name}"


def _cards(study: Study) -> dict[str, DatasetCard]:
    """Return the shipped cards of a study's data sets by the names of the rows."""
    cards = {}
    for name in study.config.own_rows:
        entry = study.config.dataset(name)
        if not entry.own:
            with suppress(UserError):  # a card of the user's own is not shipped
                cards[name] = find_card(entry.card or name)
    return cards


def _about(page: StudyPage) -> dict[str, Any]:
    """Return the parts of a page that are about the whole study."""
    runs = runs_of(page.study.records.values())
    data = {
        "cells": page.evidence,
        "readings": {table.id: as_json(table.content["readings"]) for table in page.tables},
        "marks": MARKS,
        "shapes": SHAPES,
    }
    return {
        "data": compressed(data),
        "findings_title": FINDINGS.removeprefix("## "),
        "alarms_title": TITLE,
        "alarms": alarms_of(page.study),
        "claims_legend": page.claims_legend,
        "origin": as_html(origin(page.study)),
        "cards": _cards(page.study),
        "warnings": warnings_of(page.study),
        "failures": page.study.failed[:MOST_FAILURES],
        "runs": sorted(runs.values(), key=lambda run: run.time),
        "counts": Counter(record.run_id for record in page.study.records.values()),
    }
