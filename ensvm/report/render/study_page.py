"""What the page of a study shows, from its config and records; the templates lay it out."""

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from markupsafe import Markup

from ensvm.data import DatasetCard, find_card
from ensvm.errors import UserError
from ensvm.records.record import Run
from ensvm.records.runs import processors_of
from ensvm.report.claim_tests import CLAIM_VERDICTS
from ensvm.report.claims import JudgedClaim
from ensvm.report.documents.claim_document import legend as claims_legend
from ensvm.report.documents.claim_document import (
    quotes_a_paper,
    rule_of_sentences,
    test_parts,
    title_of_claims,
    verdicts_in_words,
    wording,
)
from ensvm.report.documents.document import (
    Grid,
    Part,
    as_note,
    as_written,
    csv_of,
    number_range,
    one_line,
    origin,
    values_of,
)
from ensvm.report.documents.findings_document import (
    Finding,
    abstract_of,
    came_out_of,
    outcome_of,
    sentences_tested,
)
from ensvm.report.documents.ranking_document import ranking_document
from ensvm.report.documents.readings_document import (
    IN_SAMPLE,
    answer_questions,
    question_parts,
    readings_legend,
)
from ensvm.report.documents.table_document import TableDocument, table_document
from ensvm.report.evidence import Evidence, evidence_of, warnings_of
from ensvm.report.plots import drawing
from ensvm.report.plots.ranking_diagram import ranking_diagram
from ensvm.report.ranking import rank_over_data_sets
from ensvm.report.render.html import as_html, compressed, data_uri, svg_image
from ensvm.report.render.markdown import parts_to_markdown
from ensvm.report.render.media import MEDIA
from ensvm.report.render.page_order import parts_on_page
from ensvm.report.render.pictures import reproduction_picture
from ensvm.report.study_folder import Study
from ensvm.report.summary_evidence import evidence_of_sum
from ensvm.report.summary_rows import summed
from ensvm.report.tables import build_table, tables_on_page
from ensvm.study.figure_kinds import FigureConfig
from ensvm.study.findings import MENTION
from ensvm.study.signs import SIGNS, Verdict
from ensvm.study.table_layout import TableConfig

MOST_FAILURES = 50  # listed one by one
FEWEST_RANKED = 3  # algorithms
MOST_EMBEDDED = 20_000  # bytes of a figure's data that a page carries as a download
# Heads are turned if the columns would not fit the window. A column is as wide as its values, or as
# the longest word of its head, and the room beside it.
WINDOW_LETTERS, VALUE_LETTERS, ROOM_LETTERS = 115, 8, 2
PHONE_LETTERS = 10  # a phone shows three columns if no word is longer
BOXED = {"<table>": "<div class=scroll><table>", "</table>": "</table></div>"}
DOWNLOADS = {"md": "text/markdown", "latex": "text/x-tex", "csv": "text/csv"}
NAMES_OF_MEDIA = {"md": "Markdown", "latex": "LaTeX", "csv": "CSV"}
DIGITS = 4  # of the values in the evidence: a page has thousands, and a screen shows no more


@dataclass(frozen=True)
class PageSection:
    """A part of a page: its id among those of its kind, its title, and what the template shows."""

    id: str
    title: str
    content: Mapping[str, Any]


class StudyPage:
    """A study's page, and its line of the index; templates read the attributes."""

    in_sample = IN_SAMPLE

    def __init__(self, study: Study) -> None:
        self.study, self.config, self.name = study, study.config, study.config.study
        blocks = {
            "table": self.config.tables,
            "figure": self.config.figures,
            "claim": self.config.claims,
            "reading": self.config.readings,
            "assumption": self.config.assumptions,
        }
        # The ids on the page: a text that mentions one of these parts gets a link to it.
        self.anchors = frozenset(f"{kind}-{one.id}" for kind in blocks for one in blocks[kind])
        self.picture = reproduction_picture(study)
        self.evidence: dict[str, Any] = {}  # by the keys of the tables' values
        self.tables = list(map(self._table, tables_on_page(self.config)))
        self.figures = [part for figure in self.config.figures for part in self._figure(figure)]
        tested = sentences_tested(study)
        self.judged = [judged for judged, _ in tested]
        self.claims = [self._claim(judged, finding) for judged, finding in tested]
        sections = {("table", table.id): table for table in self.tables}
        sections |= {("figure", figure.id): figure for figure in self.figures}
        first = parts_on_page(study)
        # Each with its kind; a figure without any value has no section.
        self.shown = [(part[0], sections[part]) for part in first if part in sections]
        self.more = [(part[0], sections[part]) for part in sections if part not in first]
        self.claims_title = title_of_claims(study)
        self.quotes_a_paper = quotes_a_paper(study)
        self.claims_legend = self.html(*claims_legend(study)) if self.judged else ""
        # Of the user's own data the page says first which algorithm is best.
        best = self.tables[0].content["best"] if self.tables else Markup()
        self.headline = self.html(came_out_of(study)) or best
        abstract, outcome = abstract_of(study), outcome_of(study)
        self.outcome = self.html(f"**{outcome}**") if abstract else self.headline
        self.about = self.html(" ".join(text for text in abstract if text != outcome))
        self.readings = [
            PageSection(
                question.config.id,
                one_line(question.config.question),
                {
                    "text": self._mentioned(question.config.question)
                    + self.html(*question_parts(study, question))
                },
            )
            for question in answer_questions(study)
        ]
        self.readings_legend = self.html(*readings_legend(study))
        self.rankings = list(self._rankings())
        self.alarms, self.warnings = study.alarms, warnings_of(study)
        self.failures = study.failed[:MOST_FAILURES]
        self.origin = Markup(as_html(origin(study)))

    def html(self, *parts: Part) -> Markup:
        """Return parts of a document as HTML, with links to the parts of the page they mention.

        Each table stands in a box that scrolls if the table is wider than the window.
        """
        html = as_html(parts_to_markdown(parts), self.anchors)
        for tag, boxed in BOXED.items():
            html = html.replace(tag, boxed)
        return Markup(html)

    def note(self, text: str) -> Markup:
        """Return a note of the config as HTML."""
        return self.html(as_note(text))

    @property
    def verdicts(self) -> Mapping[Verdict, int]:
        """The number of values with each verdict, in tables of results."""
        return self.picture.counts if self.picture else {}

    @property
    def chosen(self) -> Mapping[Verdict, int]:
        """The number of values with each verdict for which a setting was chosen on print."""
        return self.picture.chosen if self.picture else {}

    @property
    def claim_verdicts(self) -> dict[str, int]:
        """The number of claims with each verdict."""
        counts = Counter(judged.verdict for judged in self.judged)
        return {name: counts[name] for name in CLAIM_VERDICTS if counts[name]}

    @property
    def claims_in_words(self) -> dict[str, str]:
        """How many claims have each verdict, in words."""
        return verdicts_in_words(self.judged)

    @property
    def rule_of_sentences(self) -> str:
        """How parts decide a sentence; empty if the abstract has no verdict of a part."""
        return rule_of_sentences(self.study)

    @property
    def runs(self) -> list[Run]:
        """The runs that made the records, the first one first."""
        return sorted(self.study.runs.values(), key=lambda run: run.time)

    @property
    def cells_of_runs(self) -> Mapping[str, int]:
        """The number of cells of each run, by its id."""
        return Counter(record.run_id for record in self.study.records.values())

    @property
    def machines(self) -> list[str]:
        """The processor and BLAS of every machine with records, which affect rounding."""
        return processors_of(self.runs)

    @property
    def cards(self) -> dict[str, DatasetCard]:
        """The shipped cards of the data sets by the names of the rows."""
        cards = {}
        for name in self.config.own_rows:
            entry = self.config.dataset(name)
            if not entry.own:
                with suppress(UserError):  # a card of the user's own is not shipped
                    cards[name] = find_card(entry.card or name)
        return cards

    @property
    def figures_command(self) -> str:
        """The shell command that writes the study's figures and their data to files."""
        results = [] if self.study.shipped else [str(self.study.folder.parent)]
        return shlex.join(["ensvm", "report", *results, self.name, "--only", "figures"])

    @property
    def data(self) -> str:
        """The evidence of the values, compressed, which the script of the page reads."""
        return compressed(self.evidence)

    def _table(self, table: TableConfig) -> PageSection:
        """Return a table's section, and add the evidence of its cells to that of the page."""
        cells, document = build_table(self.study, table), table_document(self.study, table)
        for cell in cells:
            behind = evidence_of(self.study, table, cell)
            self.evidence[cell.key] = _as_json(behind)
        by_name = {each.name: each for each in table.summary}
        for one in summed(self.study, table):
            behind = evidence_of_sum(self.study, table, by_name[one.cell.row], one)
            self.evidence[one.cell.key] = _as_json(behind)
        proposed = [
            number
            for number, column in enumerate(table.columns, 1)
            if column.of(table) in self.config.proposed
        ]
        last = max(proposed, default=0)  # counted from 1
        label = as_written(self.config.column_label(table.columns[last - 1]))
        grey = [f"Grey: {label}, which the cited work proposes."] if last else []
        counts = {cell.n for cell in cells if cell.n and table.of != "data"}
        content = {
            "grid": document.grid,
            "turned": _turned(document.grid),
            "has_print": any(value.printed for value in values_of(document.grid)),
            "realizations": f"Realizations: {number_range(counts)}. " if counts else "",
            "best": self.html(*document.best),
            "legend": self.html(*document.legend_without_orders(), *grey),
            "notes": self.html(*document.notes),
            "missing": [self.html(reason) for reason in document.missing],
            "what_is_missing": document.what_is_missing,
            "files": _downloads(document),
            "assumptions": list(document.assumptions),
            "verdicts": [v for v in SIGNS if any(cell.verdict == v for cell in cells)],
            "proposed": last,
        }
        return PageSection(table.id, document.caption, content)

    def _claim(self, judged: JudgedClaim, finding: Finding) -> PageSection:
        claim = judged.claim
        title = f"“{wording(claim)}”" if claim.text else wording(claim)
        evidence = [
            part for tested in judged.tests for part in test_parts(self.study, judged, tested)
        ]
        text = self._mentioned(title) + self.html(as_note(claim.note), *evidence)
        lines = list(map(self.html, finding.lines))
        return PageSection(claim.id, title, {"judged": judged, "lines": lines, "text": text})

    def _mentioned(self, text: str) -> Markup:
        """Return links to the parts that a text mentions; empty if there are none.

        They stand beside the text, because HTML does not allow links within a summary.
        """
        names = dict.fromkeys(found[0] for found in MENTION.finditer(one_line(text)))
        links = self.html(f"Mentioned: {', '.join(names)}.")
        return links if "<a " in links else Markup()

    def _figure(self, figure: FigureConfig) -> Iterator[PageSection]:
        """Yield a figure's section; nothing if all of it is missing."""
        shown, files = drawing.drawn_figure(self.study, figure, [".svg"])
        if not files:
            return
        csv = csv_of(shown.columns).encode()
        names = [panel.name for panel in figure.panels if panel.name]
        panels = f"Panels: {', '.join(names)}. " if names else ""
        description = f"{figure.caption} {panels}Shown: {', '.join(shown.names)}."
        content = {
            "svg": [svg_image(svg, description) for svg in files],
            "csv": data_uri("text/csv", csv) if len(csv) <= MOST_EMBEDDED else "",
            "missing": shown.missing,
        }
        yield PageSection(figure.id, figure.caption, content)

    def _rankings(self) -> Iterator[PageSection]:
        """Yield the ranking of each table with enough data sets and algorithms, without a paper."""
        for table in self.config.tables:
            if table.of != "results" or self.config.published:
                continue
            try:
                ranking = rank_over_data_sets(self.study, table)
            except UserError:
                continue  # `ensvm rank` says why a table is not ranked
            if len(ranking.selection.labels) < FEWEST_RANKED:
                continue
            document = ranking_document(ranking)
            description = f"Average ranks of table {table.id}, with the critical difference"
            (diagram,) = ranking_diagram(ranking, [".svg"])
            content = {
                "svg": svg_image(diagram, description),
                "text": self.html(*document.parts),
            }
            yield PageSection(table.id, document.title, content)


def _turned(grid: Grid) -> str:
    """Return the classes of a table whose heads are turned, or whose names are broken."""
    heads = [_longest_word(head) for head in grid.heads]
    letters = sum(max(VALUE_LETTERS, head) + ROOM_LETTERS for head in heads)
    names = [_longest_word(str(row[0])) for row in (*grid.rows, *grid.foot)]
    classes = {
        "turned-heads": letters > WINDOW_LETTERS,
        "long-heads": max(heads) > PHONE_LETTERS,
        "long-names": max(names, default=0) > PHONE_LETTERS,
    }
    return " ".join(name for name, applies in classes.items() if applies)


def _longest_word(text: str) -> int:
    """Return the letters of the longest word; a line may break at a hyphen."""
    return max(map(len, re.split(r"[\s-]", text)))


def _downloads(document: TableDocument) -> dict[str, tuple[str, str]]:
    """Return the ending and the address of a table in each medium of files, if it is small."""
    files = {}
    for name, kind in DOWNLOADS.items():
        medium = MEDIA[name]
        content = medium.render(document).encode()
        if len(content) <= MOST_EMBEDDED:
            files[NAMES_OF_MEDIA[name]] = (medium.suffix, data_uri(kind, content))
    return files


def _as_json(evidence: Evidence) -> dict[str, Any]:
    """Return evidence as the script of a page reads it."""
    numbers, cell = np.array(evidence.values), evidence.cell
    # D around our value, in place of around the difference
    ends = [
        cell.published + end
        for end in (cell.difference_low, cell.difference_high)
        if cell.published is not None and end is not None and math.isfinite(end)
    ]
    values = np.array([float(f"{value:.{DIGITS}g}") for value in numbers])
    return {
        "title": evidence.title,
        "sentence": evidence.sentence,
        "facts": [list(fact) for fact in evidence.facts.items()],
        "readings": [list(reading) for reading in evidence.readings.items()],
        "values": values[np.isfinite(values)].tolist(),
        "margin": evidence.margin,
        "printed": cell.published,
        "mean": cell.mean,
        "interval": ends if len(ends) == 2 else [],
        "unit": evidence.unit,
        "each": evidence.each,
        "warnings": list(evidence.warnings),
        "failures": list(evidence.failures),
        "traceback": evidence.traceback,
    }
