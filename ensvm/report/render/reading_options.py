"""The readings that a page offers above a table: each replaces values, verdicts and dots."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ensvm.report.documents.document import one_line
from ensvm.report.documents.readings_document import OpenQuestion, in_short
from ensvm.report.documents.table_document import value_of
from ensvm.report.render.reproduction_picture import SIDE, ReproductionPicture
from ensvm.study.variants import DEFAULT


@dataclass(frozen=True)
class ReadingOption:
    """One reading of an open question.

    `replaced` has, for the key of each value, our value and its spread as texts, the verdict, and
    where its dot lies from the top of its panel (None without a dot).
    """

    label: str
    summary: str
    replaced: dict[str, list[Any]]


@dataclass(frozen=True)
class QuestionOptions:
    """The readings of a question other than the study's own, whose summary is `own`."""

    id: str
    text: str
    own: str
    options: tuple[ReadingOption, ...]


def options_of(
    table_id: str, questions: Iterable[OpenQuestion], picture: ReproductionPicture | None
) -> Iterator[QuestionOptions]:
    """Yield what a page offers above a table; readings without any value are left out."""
    for question in questions:
        if question.table.id != table_id:
            continue
        options = tuple(
            ReadingOption(label, in_short(question, name), _replaced(question, name, picture))
            for name, label in question.labels.items()
            if name != DEFAULT and any(cell.n for cell in question.cells[name])
        )
        if options:
            text = one_line(question.config.question)
            text = text[: text.find("?") + 1] or text
            own = f"{question.labels[DEFAULT]}: {in_short(question, DEFAULT)}"
            yield QuestionOptions(question.config.id, text, own, options)


def _replaced(
    question: OpenQuestion, name: str, picture: ReproductionPicture | None
) -> dict[str, list[Any]]:
    """Return the values of a reading by their keys in the table."""
    columns = {column.name: column for column in question.table.columns}
    replaced = {}
    for cell in question.cells[name]:
        if cell.mean is None:
            continue
        value = value_of(cell, question.table.decimals_of(columns[cell.column]))
        scale = picture.scale_of(value.key) if picture else None
        height = None if scale is None else SIDE - scale.pixel(cell.mean)
        replaced[value.key] = [value.ours, value.spread, cell.verdict or "", height]
    return replaced


def as_json(questions: Iterable[QuestionOptions]) -> list[dict[str, Any]]:
    """Return the readings of a table as the script of a page reads them, in the order offered."""
    return [
        {
            "text": f"{question.text} {option.label}: {option.summary}. As the study has it, "
            f"{question.own} (over the realizations that all readings have).",
            "cells": option.replaced,
        }
        for question in questions
        for option in question.options
    ]
