"""Readings as files: CSV, a cell and reading a line; Markdown, a table a question."""

import pandas as pd
from tabulate import tabulate

from ensvm.records.writing import csv_of
from ensvm.report.query import Study
from ensvm.report.readings.answers import Question, Reading
from ensvm.report.tables.legend import column_label, marks, verdicts
from ensvm.report.tables.render import (
    NOTHING,
    bullet_list,
    origin,
    our_value,
    reasons,
    verdict_mark,
)

DISTANCES = {True: "|ours - printed|", False: "|ln(ours / printed)|"}  # by difference, by ratio
IN_SAMPLE = (
    "A reading that is chosen because it matches printed test errors is identified on those very "
    "values: that is in-sample, and no reproduction. No default of the library is calibrated on it."
)
HOW_TO_READ = (
    "Each cell: our mean ± standard deviation over n realizations, and how it compares with the "
    "printed value. The first reading is what the study runs; the others draw the same random "
    "numbers wherever the data are the same. **Bold**: the smallest mean distance to the printed "
    "values, over the cells of which every reading that has values has one."
)


def to_csv(questions: list[Question]) -> str:
    """Return the cells of the questions, one line a cell and reading, numbers unrounded."""
    lines = [
        {
            "question": question.config.id,
            "row": cell.row,
            "column": cell.column,
            "printed": cell.published,
            "reading": reading.name,
            "value": cell.mean,
            "std": cell.std,
            "n": cell.n,
            "distance": reading.distances[number],
            "verdict": cell.verdict,
            "difference": cell.difference,
            "difference_low": cell.difference_low,
            "difference_high": cell.difference_high,
            "counted": number in question.common,
            "reason": cell.reason,
        }
        for question in questions
        for reading in question.readings
        for number, cell in enumerate(reading.cells)
    ]
    return csv_of(pd.DataFrame(lines))


def to_markdown(study: Study, questions: list[Question]) -> str:
    """Return a table for each question with its conclusion, a legend, and the records' origin."""
    parts = [f"## Readings: {study.config.title or study.config.study}"]
    for question in questions:
        parts += _question(study, question)
    parts += [HOW_TO_READ, *_legend(questions), origin(study)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _question(study: Study, question: Question) -> list[str]:
    config, table = question.config, question.table
    return [
        f"### {_line(config.question)}",
        f"`{config.id}`, on the printed values of Table {table.id} ({_line(table.caption)})",
        _grid(study, question) if question.places else "The table has no printed values here.",
        _counted(question),
        f"**Conclusion**: {_line(config.conclusion)}",
        IN_SAMPLE,
        bullet_list("Missing", _missing(question)),
    ]


def _grid(study: Study, question: Question) -> str:
    several = len(question.columns) > 1
    labels = {column.name: column_label(study, column) for column in question.columns}
    heads = ["data set", *(["column"] if several else []), "printed"]
    heads += [reading.label for reading in question.readings]
    rows = [[*line[:1], *line[1 if several else 2 :]] for line in _cells(question, labels)]
    for text, values in _last_lines(question, labels if several else {}):
        rows.append([text, *([""] if several else []), "", *values])
    sides = ["left", *(["left"] if several else [])]
    sides += ["right"] * (len(heads) - len(sides))
    return tabulate(
        [[_escape(cell) for cell in row] for row in rows],
        headers=[_escape(head) for head in heads],
        tablefmt="pipe",
        colalign=sides,
        disable_numparse=True,
    )


def _cells(question: Question, labels: dict[str, str]) -> list[list[str]]:
    """Return a line for each printed cell: its row and column, the printed value, and ours."""
    decimals = {column.name: question.table.decimals_of(column) for column in question.columns}
    return [
        [place.row, labels[place.column], f"{place.published:.{decimals[place.column]}f}"]
        + [
            our_value(cell, decimals[cell.column]) + verdict_mark(cell)
            for cell in (reading.cells[number] for reading in question.readings)
        ]
        for number, place in enumerate(question.places)
    ]


def _last_lines(question: Question, labels: dict[str, str]) -> list[tuple[str, list[str]]]:
    """Return the lines under the cells: distances, verdicts and realizations of each reading."""
    readings, common = question.readings, question.common
    lines = [("mean distance", _distances(question, common))]
    for column, label in labels.items():
        of_column = question.common_of(column)
        if of_column:
            lines.append((f"mean distance, {label}", _distances(question, of_column)))
    alike = [str(one.alike(common)) if one.any_known else NOTHING for one in readings]
    return [
        *lines,
        (f"= or ≈, of {len(common)} cells", alike),
        ("n", [_realizations(reading) for reading in readings]),
    ]


def _distances(question: Question, numbers: tuple[int, ...] | list[int]) -> list[str]:
    """Return each reading's mean distance over some cells, the smallest bold."""
    by_difference = question.config.by_difference(question.table)
    decimals = question.table.decimals + 1 if by_difference else 3
    found = [reading.distance(numbers) for reading in question.readings]
    shown = [None if value is None else f"{value:.{decimals}f}" for value in found]
    known = [float(text) for text in shown if text is not None]
    least = min(known) if len(known) > 1 else None
    return [
        NOTHING if text is None else f"**{text}**" if float(text) == least else text
        for text in shown
    ]


def _realizations(reading: Reading) -> str:
    counts = sorted({cell.n for cell in reading.cells if cell.n})
    return f"{counts[0]}–{counts[-1]}" if len(counts) > 1 else str(*counts) or NOTHING


def _counted(question: Question) -> str:
    """Say over which cells the distances are, and which readings have none of their values."""
    if not question.places:
        return ""
    counted, printed = len(question.common), len(question.places)
    text = f"Distance: the mean of {DISTANCES[question.config.by_difference(question.table)]} over "
    text += f"the {counted} of {printed} printed cells that all readings have"
    without = [reading.label for reading in question.readings if not reading.any_known]
    return text + (f", but for those without any value: {'; '.join(without)}." if without else ".")


def _missing(question: Question) -> list[str]:
    """Say why cells have no value, or not all of it, with the readings that this is so in."""
    found: dict[str, list[str]] = {}
    for reading in question.readings:
        for text in reasons(list(reading.cells)):
            found.setdefault(text, []).append(reading.label)
    return [
        text if len(labels) == len(question.readings) else f"*{'; '.join(labels)}*: {text}"
        for text, labels in found.items()
    ]


def _legend(questions: list[Question]) -> list[str]:
    """Return the meaning of verdicts, a table of the paper at a time, and of marks."""
    parts: list[str] = []
    tables = {question.table.id: question.table for question in questions}
    shown = [
        (question.table.id, cell)
        for question in questions
        for reading in question.readings
        for cell in reading.cells
    ]
    for name, table in tables.items():
        found = verdicts(table, [cell for of, cell in shown if of == name])
        parts += [f"Verdicts on Table {name}, over all readings:", *found] if found else []
    return parts + marks([cell for _, cell in shown])


def _line(text: str) -> str:
    return " ".join(text.split())


def _escape(text: str) -> str:
    """Return a text as a cell of a Markdown table, in which a bar would end it."""
    return _line(text).replace("|", "\\|")
