"""The readings that a page offers above a table: each replaces values, verdicts and dots."""

from dataclasses import dataclass
from typing import Any

from ensvm.report.documents.document import one_line
from ensvm.report.documents.readings_document import OpenQuestion, answer_questions, in_short
from ensvm.report.documents.table_document import value_of
from ensvm.report.query import Study
from ensvm.report.render.reproduction_picture import ReproductionPicture
from ensvm.study.table_layout import TableConfig
from ensvm.study.variants import DEFAULT


@dataclass(frozen=True)
class ReadingOption:
    """A reading of an open question other than the study's own, and what the page then says.

    `cells` has, for the key of each value, our value and its spread as texts, the verdict, and
    where its dot lies from the top of its panel (None without a dot).
    """

    label: str
    text: str
    cells: dict[str, list[Any]]


def options_of(
    study: Study, table: TableConfig, picture: ReproductionPicture | None
) -> dict[str, list[ReadingOption]]:
    """Return what a page offers above a table, by question; readings without values are left out.

    The texts are read by the script of the page.
    """
    options: dict[str, list[ReadingOption]] = {}
    for question in answer_questions(study):
        text = one_line(question.config.question)
        text = text[: text.find("?") + 1] or text
        own = f"{question.labels[DEFAULT]}: {in_short(question, DEFAULT)}"
        for name, label in question.labels.items():
            with_values = any(cell.n for cell in question.cells[name])
            if question.table.id != table.id or name == DEFAULT or not with_values:
                continue
            summary = (
                f"{text} {label}: {in_short(question, name)}. As the study has it, {own} (over the "
                "realizations that all readings have)."
            )
            cells = _cells(question, name, picture)
            options.setdefault(text, []).append(ReadingOption(label, summary, cells))
    return options


def _cells(
    question: OpenQuestion, name: str, picture: ReproductionPicture | None
) -> dict[str, list[Any]]:
    """Return the values of a reading by their keys in the table."""
    cells, table = {}, question.table
    for cell in question.cells[name]:
        if cell.mean is None:
            continue
        value = value_of(cell, table.decimals_of(table.column(cell.column)))
        scale = picture.scale_of(value.key) if picture else None
        height = None if scale is None else scale.up(cell.mean)
        cells[value.key] = [value.ours, value.spread, cell.verdict or "", height]
    return cells
