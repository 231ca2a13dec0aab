"""Findings as texts: sentences of the abstract with verdicts, and lines filled from the records."""

from collections.abc import Sequence
from dataclasses import dataclass

from ensvm.report.claims import Judged, JudgedClaim, JudgedTest, judge_claim
from ensvm.report.documents.claim_document import reason_of, sentence_of, tests_of
from ensvm.report.documents.document import NOTHING, as_note
from ensvm.report.documents.table_document import as_printed, decimals_of_value, value_of
from ensvm.report.study_folder import Study
from ensvm.report.summary_rows import summary_cells
from ensvm.report.tables import TableCell, build_table
from ensvm.study.findings import PLACEHOLDER
from ensvm.study.signs import SIGNS


@dataclass(frozen=True)
class Finding:
    """A sentence of the abstract with its verdict, and what stands below it, in Markdown.

    `lines` has a line for each test that decides, and the lines that the config adds.
    """

    sentence: str
    lines: tuple[str, ...]

    @property
    def markdown(self) -> str:
        """The sentence with its lines as a list, without the mark of the outer list."""
        return "\n".join([self.sentence, *(f"  - {line}" for line in self.lines)])


def abstract_of(study: Study) -> list[str]:
    """Return the sentences of a study's abstract in Markdown, their numbers filled in; [] if none.

    The sentence that says what came out is `outcome_of`.
    """
    abstract = study.config.abstract
    return [filled_line(study, text) for text in abstract.sentences.values()] if abstract else []


def outcome_of(study: Study) -> str:
    """Return in Markdown what came out, in a sentence: of the abstract, else the first finding."""
    if study.config.abstract is not None:
        return filled_line(study, study.config.abstract.outcome)
    return findings_of(study)[0].sentence if study.config.findings else ""


def came_out_of(study: Study) -> str:
    """Return in Markdown what came out and what did not."""
    abstract = study.config.abstract
    failure = "" if abstract is None else filled_line(study, abstract.failure)
    return f"{outcome_of(study)} {failure}".strip()


def findings_of(study: Study) -> list[Finding]:
    """Return the findings of a study, their numbers filled in from its records."""
    return [_finding(study, finding.claim, finding.adds) for finding in study.config.findings]


def sentences_tested(study: Study) -> list[tuple[JudgedClaim, Finding]]:
    """Return each claim with its sentence and its lines, those of the findings first."""
    lines = {finding.claim: finding.adds for finding in study.config.findings}
    names = dict.fromkeys([*lines, *(claim.id for claim in study.config.claims)])
    judged = {name: _claim(study, name) for name in names}
    return [(judged[name], _finding(study, name, lines.get(name, ()))) for name in names]


def _finding(study: Study, claim: str, adds: Sequence[str]) -> Finding:
    judged = _claim(study, claim)
    lines = [*tests_of(study, judged), *(filled_line(study, line) for line in adds)]
    return Finding(sentence_of(judged), tuple(lines))


def filled_line(study: Study, line: str) -> str:
    """Return a line whose placeholders, such as `{holds CLAIM}`, are filled from the records."""
    return PLACEHOLDER.sub(lambda match: _filled(study, *match[1].split()), as_note(line))


def _claim(study: Study, name: str) -> JudgedClaim:
    return judge_claim(study, next(one for one in study.config.claims if one.id == name))


def _judged(study: Study, name: str) -> JudgedClaim | JudgedTest:
    """Return a claim, or its n-th test if the name is `CLAIM/n`."""
    claim, _, number = name.partition("/")
    judged = _claim(study, claim)
    return judged.tests[int(number) - 1] if number else judged


def _filled(study: Study, kind: str, name: str, *words: str) -> str:
    """Return what the records have for a placeholder, such as `{ours TABLE ROW COLUMN}`."""
    match kind:
        case "verdict":
            return _judged(study, name).verdict
        case "verdict-with-counts":
            judged = _judged(study, name)
            return f"{judged.verdict} ({reason_of(judged)})"
        case "holds" | "fails" | "of":
            return str(_count(_judged(study, name), kind))
        case "count":
            sign, column = words
            cells = [cell for cell in _cells(study, name) if cell.column == column]
            return str(sum(_sign(cell) == sign for cell in cells))
    table, (row, column) = study.config.table(name), words
    cells = [*_cells(study, name), *summary_cells(study, table)]
    cell = next(one for one in cells if (one.row, one.column) == (row, column))
    if kind == "sign":
        return _sign(cell)
    if kind == "printed":
        text = as_printed(study, cell)
    else:
        text = value_of(cell, decimals_of_value(study, table, cell)).ours
    return text.replace("-", "−") or NOTHING


def _count(judged: Judged, kind: str) -> int:
    verdicts = [one.verdict for one in judged.comparisons]
    return sum(verdict is not None if kind == "of" else verdict == kind for verdict in verdicts)


def _cells(study: Study, table: str) -> list[TableCell]:
    return build_table(study, study.config.table(table))


def _sign(cell: TableCell) -> str:
    return NOTHING if cell.verdict is None else SIGNS[cell.verdict]
