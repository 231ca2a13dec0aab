"""Findings as texts: sentences of the abstract with verdicts, and lines filled from the records."""

from collections.abc import Iterator

from ensvm.report.claims import Judged, JudgedClaim, JudgedTest, judge_claim
from ensvm.report.documents.claim_document import in_short
from ensvm.report.documents.document import MARKS, NOTHING, one_line
from ensvm.report.query import Study
from ensvm.report.tables import TableCell, build_table
from ensvm.study.findings import PLACEHOLDER, FindingConfig


def finding_texts(study: Study) -> Iterator[str]:
    """Yield the findings in Markdown, each on one line."""
    return (_text(study, finding) for finding in study.config.findings)


def _text(study: Study, finding: FindingConfig) -> str:
    """Return a claim's sentence with its verdict and numbers, and the lines that are added."""
    judged = _claim(study, finding.claim)
    sentence = one_line(judged.claim.text or judged.claim.paraphrase or "")
    quoted = f"“{sentence}”" if judged.claim.text else f"Ours: {sentence}"
    shown = [in_short(study, tested) for tested in judged.tests if tested.test.decides]
    lines = [f"{quoted} **{judged.verdict}**: {' And '.join(shown)}."]
    lines += [PLACEHOLDER.sub(lambda m: _filled(study, *m[1].split()), one) for one in finding.adds]
    return one_line(" ".join(lines))


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
        case "holds" | "fails" | "of":
            return str(_count(_judged(study, name), kind))
        case "count":
            sign, column = words
            cells = [cell for cell in _cells(study, name) if cell.column == column]
            return str(sum(_sign(cell) == sign for cell in cells))
    table, (row, column) = study.config.table(name), words
    cell = next(one for one in _cells(study, name) if (one.row, one.column) == (row, column))
    if kind == "sign":
        return _sign(cell)
    value = cell.mean if kind == "ours" else cell.published
    decimals = table.decimals_of(table.column(column))
    return NOTHING if value is None else f"{value:.{decimals}f}".replace("-", "−")


def _count(judged: Judged, kind: str) -> int:
    verdicts = [one.verdict for one in judged.comparisons]
    return len(verdicts) if kind == "of" else sum(verdict == kind for verdict in verdicts)


def _cells(study: Study, table: str) -> list[TableCell]:
    return build_table(study, study.config.table(table))


def _sign(cell: TableCell) -> str:
    return NOTHING if cell.verdict is None else MARKS[cell.verdict]
