"""Readings: what a paper leaves open.

Readings show our values under each interpretation of the paper, beside the printed ones.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from ensvm.report.column_values import query_of
from ensvm.report.documents.document import (
    NOTHING,
    Bullets,
    Document,
    Grid,
    Heading,
    Part,
    Value,
    as_note,
    as_written,
    columns_of,
    number_range,
    origin,
)
from ensvm.report.documents.table_document import as_printed, reasons, value_of
from ensvm.report.documents.table_legend import verdicts
from ensvm.report.query import QueryResult, ask, once, shared_realizations
from ensvm.report.study_folder import Study
from ensvm.report.tables import TableCell, cell_of, decimals_of, row_label
from ensvm.report.verdict import ALIKE
from ensvm.study.table_layout import TableConfig
from ensvm.study.variants import DEFAULT, ReadingConfig

DISTANCES = {True: "|ours - printed|", False: "|ln(ours / printed)|"}  # by difference, by ratio
IN_SAMPLE = (
    "A reading that is chosen because it matches printed test errors is identified on those very "
    "values: that is in-sample, and no reproduction. No default of the library is calibrated on it."
)
COMPARED = (
    "Distances, and the numbers of cells that are = or ≈, are over the realizations that every "
    "reading has in a cell (n, compared); a value that was computed once counts as it is. The "
    "values in the table are over all realizations of a reading (n, shown), so they may differ "
    "otherwise."
)
HOW_TO_READ = (
    "Each cell: our mean ± standard deviation over n realizations, and how it compares with the "
    "printed value. The first reading is what the study runs; the others draw the same random "
    "numbers if the data are the same. The CSV has these values and verdicts. **Bold**: the "
    "smallest mean distance to the printed values, over the cells in which all readings have a "
    "value; readings without any value are left out."
)


@dataclass(frozen=True)
class OpenQuestion:
    """A question with our values under each reading of the paper, the study's own first.

    `table` has the printed values to compare. `labels` has the heading of each reading by its name:
    a variant's, or `default` for what the study runs. `cells` are the printed cells with the values
    of each reading; `equal` are the same cells over the realizations that every reading has in a
    cell (a reading with a single value keeps it): these are counted and compared. `distances` says
    how far each of these is from the printed one, a line for each cell, a column for each reading;
    NaN if that cannot be computed.
    """

    config: ReadingConfig
    table: TableConfig
    labels: dict[str, str]
    cells: dict[str, tuple[TableCell, ...]]
    equal: dict[str, tuple[TableCell, ...]]
    distances: pd.DataFrame

    @property
    def printed(self) -> tuple[TableCell, ...]:
        """The printed cells, with the values of the study's own reading."""
        return self.cells[DEFAULT]

    @property
    def unanswered(self) -> list[str]:
        """The readings without any distance."""
        return [name for name in self.labels if self.distances[name].isna().all()]

    @property
    def common(self) -> list[int]:
        """The numbers of the cells in which all readings but unanswered ones have a distance."""
        answered = self.distances.drop(columns=self.unanswered)
        return [] if answered.empty else list(answered.dropna().index)

    @property
    def decimals(self) -> int:
        """How many decimals of a mean distance are shown."""
        table = self.table
        return table.decimals_of(table.columns[0]) + 1 if self.config.by_difference(table) else 3


def answer_questions(study: Study) -> list[OpenQuestion]:
    """Return the questions of a study with our values under each reading."""
    return [answer_question(study, config) for config in study.config.readings]


@once
def answer_question(study: Study, config: ReadingConfig) -> OpenQuestion:
    """Return a question of a study with our values under each reading."""
    table = study.config.table(config.table)
    rows = config.rows_of(study.config.rows_of(table))
    printed_cells = [
        (row, column)
        for row in rows
        for column in config.columns_of(table)
        if (table.id, row, column.name) in study.published
    ]
    own_queries = [query_of(study, table, row, column) for row, column in printed_cells]
    # Each reading has the same queries about its own copies of data sets and algorithms.
    asked = {DEFAULT: own_queries}
    for variant in config.variants:
        asked[variant.name] = [
            replace(one, row=variant.row(one.row), algorithm=variant.column(one.algorithm))
            for one in own_queries
        ]
    results = {name: [ask(study, one) for one in queries] for name, queries in asked.items()}
    over_shared = [_over_shared(of_cell) for of_cell in zip(*results.values(), strict=True)]

    def cells_of(of_reading: Iterable[QueryResult]) -> tuple[TableCell, ...]:
        """Return the cells of a reading, in the order of the printed ones."""
        return tuple(
            cell_of(study, table, *place, result)
            for place, result in zip(printed_cells, of_reading, strict=True)
        )

    cells = {name: cells_of(of_reading) for name, of_reading in results.items()}
    # The same cells over the realizations that all readings have.
    equal = {
        name: cells_of(of_cell[number] for of_cell in over_shared)
        for number, name in enumerate(results)
    }
    by_difference = config.by_difference(table)
    distances = pd.DataFrame(
        {
            name: [_distance(cell, by_difference) for cell in of_reading]
            for name, of_reading in equal.items()
        },
        dtype=float,
    )
    labels = {DEFAULT: config.default, **{one.name: one.label for one in config.variants}}
    return OpenQuestion(config, table, labels, cells, equal, distances)


def values_of_readings(study: Study, cell: TableCell, reading: str) -> dict[str, str]:
    """Return a cell's value under each reading of a question with its sign, by their labels."""
    (config,) = (one for one in study.config.readings if one.id == reading)
    question = answer_question(study, config)
    column = question.table.column(cell.column)
    texts = {}
    for name, label in question.labels.items():
        (of_reading,) = (one for one in question.cells[name] if one.key == cell.key)
        value = value_of(of_reading, decimals_of(study, question.table, column, of_reading.mean))
        texts[label] = f"{value.ours} {value.sign}".rstrip()
    return texts


def _over_shared(of_cell: Sequence[QueryResult]) -> list[QueryResult]:
    """Return a cell's results over shared realizations; those of a single one stay as they are."""
    several = [result for result in of_cell if len(result.values) > 1]
    shared = shared_realizations(several) if several else []
    return [result.over(shared) if len(result.values) > 1 else result for result in of_cell]


def _distance(cell: TableCell, by_difference: bool) -> float | None:
    """Return how far our value is from the printed one; None without ours, or without a ratio."""
    if cell.mean is None or cell.published is None or not math.isfinite(cell.mean):
        return None
    if by_difference:
        return abs(cell.mean - cell.published)
    if cell.mean <= 0 or cell.published <= 0:
        return None
    return abs(math.log(cell.mean / cell.published))


def readings_document(study: Study) -> Document:
    """Return a grid for each question; the columns are of cells and readings."""
    questions = answer_questions(study)
    parts: list[Part] = [IN_SAMPLE]
    for question in questions:
        parts += [Heading(as_written(question.config.question)), *question_parts(study, question)]
    parts += [*readings_legend(study), origin(study)]
    lines = [
        {
            "question": question.config.id,
            "row": cell.row,
            "column": cell.column,
            "printed": cell.published,
            "reading": name,
            "value": cell.mean,
            "std": cell.std,
            "n": cell.n,
            "equal_value": question.equal[name][number].mean,
            "equal_n": question.equal[name][number].n,
            "equal_verdict": question.equal[name][number].verdict,
            "distance": question.distances[name][number],
            "verdict": cell.verdict,
            "why": cell.why,
            "difference": cell.difference,
            "difference_low": cell.difference_low,
            "difference_high": cell.difference_high,
            "counted": number in question.common,
            "reason": cell.reason,
        }
        for question in questions
        for name, cells in question.cells.items()
        for number, cell in enumerate(cells)
    ]
    title = as_written(f"Readings: {study.config.title or study.config.study}")
    return Document(title, parts, columns_of(lines))


def question_parts(study: Study, question: OpenQuestion) -> list[Part]:
    """Return the parts below the heading of a question."""
    config, table = question.config, question.table
    return [
        f"`{config.id}`, on the printed values of Table {table.id} ({as_written(table.caption)})",
        _grid(study, question) if question.printed else "The table has no printed values here.",
        _counted(question),
        f"**Conclusion**: {as_note(config.conclusion)}",
        Bullets("Missing", _missing(study, question)),
    ]


def _grid(study: Study, question: OpenQuestion) -> Grid:
    """Return the printed values and ours under each reading, with columns if there are several."""
    table, shown = question.table, {cell.column for cell in question.printed}
    labels = {
        column.name: as_written(study.config.column_label(column))
        for column in table.columns
        if column.name in shown
    }
    n_names = 2 if len(labels) > 1 else 1
    heads = [*["data set", "column"][:n_names], "printed"]
    rows: list[list[str | Value]] = []
    for cell, *of_readings in zip(question.printed, *question.cells.values(), strict=True):
        digits = decimals_of(study, table, table.column(cell.column), cell.mean)
        ours = [value_of(one, digits) for one in of_readings]
        names = [as_written(row_label(study, cell.row)), labels[cell.column]][:n_names]
        rows.append([*names, as_printed(study, cell), *ours])
    for text, values in _summary_lines(question, labels if n_names == 2 else {}):
        rows.append([*[text, ""][:n_names], "", *values])
    labels_of_readings = map(as_written, question.labels.values())
    return Grid([*heads, *labels_of_readings], rows, left=heads[1:n_names])


def _summary_lines(question: OpenQuestion, labels: dict[str, str]) -> list[tuple[str, list[str]]]:
    """Return the lines under the cells: distances, verdicts and realizations of each reading."""
    common = question.common
    lines = [("mean distance", _distances(question, common))]
    for column, label in labels.items():
        of_column = [number for number in common if question.printed[number].column == column]
        if of_column:
            lines.append((f"mean distance, {label}", _distances(question, of_column)))
    alike = [
        NOTHING
        if name in question.unanswered
        else str(sum(cells[number].verdict in ALIKE for number in common))
        for name, cells in question.equal.items()
    ]
    lines.append((f"= or ≈, of {len(common)} cells", alike))
    lines.append(("n, compared", _realizations(question.equal)))
    return [*lines, ("n, shown", _realizations(question.cells))]


def _realizations(cells: dict[str, tuple[TableCell, ...]]) -> list[str]:
    return [number_range({cell.n for cell in of if cell.n}) for of in cells.values()]


def _distances(question: OpenQuestion, numbers: list[int]) -> list[str]:
    """Return each reading's mean distance over some cells, the smallest bold."""
    means = question.distances.loc[numbers].mean(skipna=False)
    texts = [NOTHING if math.isnan(mean) else f"{mean:.{question.decimals}f}" for mean in means]
    shown = [float(text) for text in texts if text != NOTHING]
    least = min(shown) if len(shown) > 1 else None
    return [f"**{text}**" if text != NOTHING and float(text) == least else text for text in texts]


def _counted(question: OpenQuestion) -> str:
    """Return how distances are computed, over how many cells, and which readings have no values."""
    if not question.printed:
        return ""
    counted, printed = len(question.common), len(question.printed)
    text = f"Distance: the mean of {DISTANCES[question.config.by_difference(question.table)]} over "
    text += f"the {counted} of {printed} printed cells that all readings have"
    without = [as_written(question.labels[name]) for name in question.unanswered]
    text += f", but for those without any value: {'; '.join(without)}" if without else ""
    text += ". A smaller one is nearer to print."
    same = all(question.equal[name] == cells for name, cells in question.cells.items())
    return text if same else f"{text} {COMPARED}"


def _missing(study: Study, question: OpenQuestion) -> list[str]:
    """Return the reasons why values are missing, each with its readings."""
    labels_by_reason: dict[str, list[str]] = {}
    for name, cells in question.cells.items():
        for text in map(as_written, reasons(study, list(cells))):
            labels_by_reason.setdefault(text, []).append(as_written(question.labels[name]))
    return [
        text if len(labels) == len(question.labels) else f"*{'; '.join(labels)}*: {text}"
        for text, labels in labels_by_reason.items()
    ]


def readings_legend(study: Study) -> list[Part]:
    """Return how to read the grids, and the meaning of verdicts, table by table."""
    questions = answer_questions(study)
    parts: list[Part] = [HOW_TO_READ]
    tables = {question.table.id: question.table for question in questions}
    cells = [
        (question.table.id, cell)
        for question in questions
        for cells_of_reading in question.cells.values()
        for cell in cells_of_reading
    ]
    for name, table in tables.items():
        if rule := verdicts(study, table, [cell for of, cell in cells if of == name]):
            parts += [f"Verdicts on Table {name}, over all readings:", rule]
    return parts
