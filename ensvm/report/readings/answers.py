"""From records to questions: the printed cells of a table, with our values under each reading."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

from ensvm.report.query import Question as Asked
from ensvm.report.query import Study
from ensvm.report.tables.cells import TableCell, cell_of, question_of
from ensvm.study.table_layout import ColumnConfig, TableConfig
from ensvm.study.variants import ReadingConfig

DEFAULT = "default"
ALIKE = ("reproduced", "compatible")


@dataclass(frozen=True)
class Reading:
    """Our values of a question's cells under one reading.

    Attributes
    ----------
    name : str
        The variant's name; `default` for what the study runs.
    label : str
        Its heading.
    cells : tuple of TableCell
        The printed cells of the question with our values, in its order.
    distances : tuple of float or None
        How far each value is from the printed one; None where that cannot be said.
    """

    name: str
    label: str
    cells: tuple[TableCell, ...]
    distances: tuple[float | None, ...]

    @property
    def any_known(self) -> bool:
        """Whether any cell has a distance."""
        return any(distance is not None for distance in self.distances)

    def distance(self, numbers: Iterable[int]) -> float | None:
        """Return the mean distance over some of the cells; None over none, or without values."""
        found = [self.distances[number] for number in numbers]
        known = [distance for distance in found if distance is not None]
        return sum(known) / len(known) if known and len(known) == len(found) else None

    def alike(self, numbers: Iterable[int]) -> int:
        """Return how many of some cells are reproduced or compatible."""
        return sum(self.cells[number].verdict in ALIKE for number in numbers)


@dataclass(frozen=True)
class Question:
    """A question with its readings, the study's own first.

    Attributes
    ----------
    config : ReadingConfig
        What is asked.
    table : TableConfig
        The table whose printed values are compared.
    columns : tuple of ColumnConfig
        The columns that have printed values.
    readings : tuple of Reading
        Our values under each reading.
    """

    config: ReadingConfig
    table: TableConfig
    columns: tuple[ColumnConfig, ...]
    readings: tuple[Reading, ...]

    @property
    def places(self) -> tuple[TableCell, ...]:
        """The printed cells, one for each place, with the values of the study's own reading."""
        return self.readings[0].cells

    @cached_property
    def common(self) -> tuple[int, ...]:
        """The numbers of the cells in which all readings that have any value have one."""
        with_values = [reading for reading in self.readings if reading.any_known]
        return tuple(
            number
            for number in range(len(self.places) if with_values else 0)
            if all(reading.distances[number] is not None for reading in with_values)
        )

    def common_of(self, column: str) -> list[int]:
        """Return those of the common cells that are of one column."""
        return [number for number in self.common if self.places[number].column == column]


def answer_question(study: Study, config: ReadingConfig) -> Question:
    """Return a question of a study with our values under each reading."""
    table = study.config.table(config.table)
    rows = config.rows_of(study.config.rows_of(table))
    places = [
        (row, column)
        for row in rows
        for column in config.columns_of(table)
        if (table.id, row, column.name) in study.published
    ]
    shown = {column.name for _, column in places}
    columns = tuple(column for column in table.columns if column.name in shown)
    own = [question_of(table, row, column) for row, column in places]
    asked = [(DEFAULT, config.default, own)]
    for variant in config.variants:
        moved = [
            replace(one, row=variant.row(one.row), algorithm=variant.column(one.algorithm))
            for one in own
        ]
        asked.append((variant.name, variant.label, moved))

    def reading(name: str, label: str, questions: list[Asked]) -> Reading:
        cells = tuple(
            cell_of(study, table, row, column, question)
            for (row, column), question in zip(places, questions, strict=True)
        )
        by_difference = config.by_difference(table)
        return Reading(name, label, cells, tuple(_distance(cell, by_difference) for cell in cells))

    return Question(config, table, columns, tuple(reading(*one) for one in asked))


def _distance(cell: TableCell, by_difference: bool) -> float | None:
    """Return how far our value is from the printed one; None without ours, or without a ratio."""
    if cell.mean is None or cell.published is None or not math.isfinite(cell.mean):
        return None
    if by_difference:
        return abs(cell.mean - cell.published)
    if cell.mean <= 0 or cell.published <= 0:
        return None
    return abs(math.log(cell.mean / cell.published))
