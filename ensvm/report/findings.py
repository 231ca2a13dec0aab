"""Whether the findings of a study still rest on what its records show."""

from ensvm.report.claims import evaluate_claims
from ensvm.report.documents.readings_document import answer_question
from ensvm.report.query import Study
from ensvm.report.tables import build_table
from ensvm.study.claim import FindingConfig, SupportConfig


def contradictions(study: Study, finding: FindingConfig) -> list[str]:
    """Return what the records show other than a finding says, a message for each result.

    A result without values counts.
    """
    return [text for support in finding.shown_by if (text := _differs(study, support))]


def _differs(study: Study, support: SupportConfig) -> str:
    if support.claim is not None:
        judged = evaluate_claims(study)
        verdict = next(one.verdict for one in judged if one.claim.id == support.claim)
        return "" if verdict in support.verdict else f"claim {support.claim}: {verdict}"
    if support.reading is not None:
        return _another_is_nearer(study, support)
    return _other_verdicts(study, support)


def _another_is_nearer(study: Study, support: SupportConfig) -> str:
    """Return which variants of a reading are as near as the one that should be nearest."""
    [config] = [one for one in study.config.readings if one.id == support.reading]
    question = answer_question(study, config)
    means = question.distances.loc[question.common].mean()
    others = means[list(support.than)] if support.than else means.drop(support.nearer)
    as_near = [str(name) for name in others.index[~(others > means[str(support.nearer)])]]
    return f"reading {config.id}: {', '.join(as_near)} not farther" if as_near else ""


def _other_verdicts(study: Study, support: SupportConfig) -> str:
    """Return the cells of a column with a verdict that the finding does not name."""
    table = study.config.table(str(support.table))
    cells = [
        cell
        for cell in build_table(study, table)
        if cell.column == support.column
        and (cell.row in support.rows if support.rows else cell.verdict)
    ]
    others = [f"{cell.row} {cell.verdict}" for cell in cells if cell.verdict not in support.verdict]
    if not cells:
        others = ["no verdict"]
    return f"table {table.id}, {support.column}: {', '.join(others)}" if others else ""
