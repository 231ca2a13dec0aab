"""A table as a document: the grid of the paper, legend, notes, assumptions, missing values."""

from collections import Counter
from dataclasses import asdict, fields, replace
from itertools import groupby

import pandas as pd

from ensvm.report.documents.document import (
    MARKS,
    NOTHING,
    SHIPPED,
    WARNED,
    Bullets,
    Document,
    Grid,
    Part,
    Value,
    enumerated,
    number_range,
    origin,
)
from ensvm.report.query import Study, ask, machines, once
from ensvm.report.tables import (
    TableCell,
    best_of_row,
    build_table,
    column_label,
    is_oracle,
    is_own,
    question_of,
    underlined,
)
from ensvm.report.verdict import Basis
from ensvm.study.algorithms import CrossValidationConfig
from ensvm.study.config import Assumption
from ensvm.study.table_layout import TableConfig, Verdict

MEANINGS: dict[Verdict, str] = {
    "reproduced": "ours lies within {margin} of the printed value, and so does the interval",
    "compatible": "no difference is shown, but the interval reaches beyond {margin}; it is short",
    "close": "there is a difference; whether it is more than {margin} is open, in a short interval",
    "differs": "ours lies further than {margin} from the printed value, and so does the interval",
    "cannot tell": "the interval reaches beyond {margin} and is too long, or there is none; or the "
    "largest class gets it too",
    "undetermined": "rounding decides what is predicted: no machine is shown to separate the rows",
}
INTERVALS: dict[Basis, str] = {
    "realizations": "It is Welch's, of the two means over realizations; a mean printed without a "
    "spread is given ours.",
    "one split in print": "Where the paper split the data once and does not say how, it is that of "
    "one more split beside the mean of ours.",
    "random draw in print": "Where print is one random draw of what ours sets, it is the range of "
    "such draws of ours.",
    "repetitions": "It is that of one cross-validation, as printed, beside the mean of ours: from "
    "the spread between whole repetitions; where there is but one, from that between its folds, "
    "with Nadeau and Bengio's correction for the rows that they share.",
    "two rates": "A single error rate has the binomial interval of two rates.",
}
OWN_ROWS: dict[Basis, str] = {
    "same rows": "What is computed there without random numbers has no sampling error, and an "
    "interval of no width.",
    "orders": "Where rounding decides the value, the interval is that of one order of the training "
    "rows beside the mean of ours.",
}


def table_document(study: Study, table: TableConfig) -> Document:
    """Return a table as the paper lays it out; its frame has a line for each cell."""
    cells = build_table(study, table)
    parts = [
        markdown_grid(study, table),
        *legend(study, table),
        Bullets("Notes", notes(study, table)),
        Bullets("Assumptions", [f"*{one.id}*: {one.text}" for one in assumptions_of(study, table)]),
        Bullets("Missing", reasons(cells)),
        origin(study),
    ]
    columns = [field.name for field in fields(TableCell)]
    frame = pd.DataFrame([asdict(cell) for cell in cells], columns=columns)
    return Document(f"Table {table.id}. {table.caption}", parts, frame)


@once
def table_grid(study: Study, table: TableConfig) -> Grid:
    """Return the rows and columns of a table, with the best values of each row marked."""
    rows: list[list[str | Value]] = []
    for row, cells_of_row in groupby(build_table(study, table), key=lambda cell: cell.row):
        of_row = list(cells_of_row)
        best, significant = best_of_row(study, table, of_row), underlined(table, of_row)
        values = [
            replace(
                value_of(cell, table.decimals_of(column)),
                best=column.name in best,
                underlined=column.name in significant,
            )
            for cell, column in zip(of_row, table.columns, strict=True)
        ]
        rows.append([row, *values])
    heads = ["data set", *(column_label(study, column) for column in table.columns)]
    return Grid(heads, rows)


def markdown_grid(study: Study, table: TableConfig) -> Grid:
    """Return the grid of a table with the numbers of realizations as its last column."""
    grid, cells = table_grid(study, table), build_table(study, table)
    if table.of == "data":
        return grid
    counts = {
        row: number_range({cell.n for cell in of_row if cell.n})
        for row, of_row in groupby(cells, key=lambda cell: cell.row)
    }
    guesses = {
        cell.row: f"{guess:.{table.decimals}f}" for cell in cells if (guess := cell.largest_class)
    }
    rows = [[*row, counts[str(row[0])]] for row in grid.rows]
    if not guesses or table.largest_class in [column.of(table) for column in table.columns]:
        return Grid([*grid.heads, "n"], rows)
    rows = [[*row[:-1], guesses.get(str(row[0]), NOTHING), row[-1]] for row in rows]
    return Grid([*grid.heads, "largest class", "n"], rows)


def value_of(cell: TableCell, decimals: int) -> Value:
    """Return a cell as it is shown, rounded to some decimals."""

    def text(value: float | None) -> str:
        return "" if value is None else f"{value:.{decimals}f}"

    order_spread = text(cell.std_orders)
    return Value(
        text(cell.mean) or NOTHING,
        spread=text(cell.std),
        order_spread=order_spread if order_spread.strip("0.") else "",
        printed=text(cell.published),
        verdict=cell.verdict,
        shipped=cell.status == "shipped",
        warned=cell.warned > 0,
        state="" if cell.status == "ok" else f"{cell.status}: {cell.reason}",
        key=cell.key,
        number=cell.mean,
    )


def legend(study: Study, table: TableConfig) -> list[Part]:
    """Return the meaning of the numbers, verdicts and marks that the table shows."""
    if table.of == "data":
        equal, different = MARKS["reproduced"], MARKS["differs"]
        return [f"Ours, and small the paper's value: {equal} equal, {different} different."]
    # What the numbers of a cell are.
    grid, cells = table_grid(study, table), build_table(study, table)
    text = "Each cell: our mean ± standard deviation over n realizations"
    if is_own(study, cells) and all(cell.n <= 1 for cell in cells):
        text = "Each cell: our value in one realization"
    if any(cell.published is not None for cell in cells):
        text += "; small, the paper's value, "
        text += (
            "on other machines: to be compared as ratios only"
            if table.of == "timing"
            else "and how ours compares with it"
        )
    # Which marks occur, since only these are explained.
    values = [value for row in grid.rows for value in row if isinstance(value, Value)]
    bold = any(value.best for value in values)
    underlined_columns = "; ".join(
        f"{_label(study, table, column)} against "
        + ", ".join(_label(study, table, other) for other in others)
        for column, others in table.underline.items()
    )
    guessed = any(cell.largest_class is not None for cell in cells)
    judged = any(cell.verdict for cell in cells)
    barred = "neither =, nor ≈, nor bold" if judged else "not bold"
    oracles = [column for column in table.columns if is_oracle(study, table, column)]
    apart = ", oracles apart" if 0 < len(oracles) < len(table.columns) else ""
    return [
        f"{text}. **Bold**: the best of the row{apart}." if bold else f"{text}.",
        f"What predicting the largest class gets as well is {barred}." if guessed else "",
        *verdicts(table, cells),
        *marks(cells),
        *(_machines(study, table) if table.of == "timing" else []),
        "Underlined: significantly better than the columns it is compared with, "
        f"by a one-sided Welch t test at 5 %: {underlined_columns}."
        if underlined_columns
        else "",
        *(_methods(study, table) if table.of == "results" else []),
    ]


def _methods(study: Study, table: TableConfig) -> list[str]:
    """Return which columns are oracles, chosen by cross-validation, or wrapped one against rest."""
    oracles: list[str] = []
    chosen: dict[str, list[str]] = {}
    wrapped: dict[str, list[str]] = {}
    rows = study.config.rows_of(table)
    for column in table.columns:
        name, label = column.of(table), column_label(study, column)
        block = study.config.algorithms[name]
        if is_oracle(study, table, column):
            oracles.append(label)
        if block.stage == "best-by-cv":
            cv = block.cv or CrossValidationConfig()
            how = f"{cv.n_splits}-fold cross-validation of the training rows ({cv.scorer})"
            chosen.setdefault(how, []).append(label)
        for row in rows:
            records = study.by_cell.get((row, name, "error"), [])
            method = records[-1].settings.get("algorithm") if records else None
            if method and method.get("wrapped"):
                wrapped.setdefault(label, []).append(row)
    wrapped_rows = list(dict.fromkeys(row for of_label in wrapped.values() for row in of_label))
    on = "" if len(wrapped_rows) == len(rows) else f" on {enumerated(wrapped_rows)}"
    texts = {
        ", ".join(oracles): "chosen on the test error, an oracle; not to be compared as equals.",
        **{", ".join(labels): f"chosen by {how}." for how, labels in chosen.items()},
    }
    sentences = [f"{labels}: {text}" for labels, text in texts.items() if labels]
    if wrapped:
        labels = ", ".join(wrapped)
        sentences.append(f"{labels}: one against rest, a machine for each class{on}.")
    return sentences


def verdicts(table: TableConfig, cells: list[TableCell]) -> list[Part]:
    """Return the meaning of each verdict with its count, and what the intervals are computed from.

    The margins are those of the table. Returns an empty list if no cell has a verdict.
    """
    counts = Counter(cell.verdict for cell in cells if cell.verdict)
    if not counts:
        return []
    margin, margins = _margins(table)
    rows = [
        [mark, verdict, MEANINGS[verdict].format(margin=margin), str(counts[verdict])]
        for verdict, mark in MARKS.items()
        if counts[verdict] or verdict not in ("cannot tell", "undetermined")
    ]
    silent = sum(cell.published is not None and cell.mean is None for cell in cells)
    rows += [["", "", "printed, and no value of ours", str(silent)]] if silent else []
    return [
        Grid(["", "verdict", "meaning", "cells"], rows, left=("verdict", "meaning")),
        f"{margins}The interval is the 95 % interval of ours minus printed; both stand in the CSV. "
        "It is short if its half-width is at most twice the margin. " + " ".join(_intervals(cells)),
    ]


def _intervals(cells: list[TableCell]) -> list[str]:
    """Return what the intervals of the cells are computed from."""
    judged = [cell for cell in cells if cell.verdict]
    bases = {cell.interval_of for cell in judged}
    texts = [text for basis, text in INTERVALS.items() if basis in bases]
    of_own_rows = [text for basis, text in OWN_ROWS.items() if basis in bases]
    if of_own_rows:
        rows = list({cell.row: None for cell in judged if cell.interval_of in OWN_ROWS})
        names = enumerated(rows) if len(rows) < len({cell.row for cell in judged}) else "All rows"
        texts.append(f"{names}: the paper's own training and test rows. {' '.join(of_own_rows)}")
    return texts


def marks(cells: list[TableCell]) -> list[str]:
    """Return the meaning of the marks in the cells, a sentence each."""
    orders = sorted({str(cell.orders) for cell in cells if cell.std_orders is not None})
    warned = sum(cell.warned > 0 for cell in cells)
    sentences = (
        (
            orders,
            f"In parentheses: the standard deviation over {enumerated(orders)} orders of the "
            "training rows, which are the same problem; the value is the mean over them.",
        ),
        (
            any(cell.status == "shipped" for cell in cells),
            f"{SHIPPED} A shipped value; why there is none computed here stands below.",
        ),
        (
            warned,
            f"{WARNED} Fits warned ({warned} of {len(cells)} cells); "
            "`ensvm status --warnings` lists how.",
        ),
    )
    return [sentence for applies, sentence in sentences if applies]


def _machines(study: Study, table: TableConfig) -> list[str]:
    """Return the machines that timed a table, and a warning if there are several."""
    records = [
        record
        for row in study.config.rows_of(table)
        for column in table.columns
        for record in ask(study, question_of(table, row, column)).records.values()
    ]
    names = [
        f"{host} ({processor})" if processor else host
        for host, processor in machines(records).items()
    ]
    if len(names) < 2:
        return [f"Timed on {one}." for one in names]
    return [f"Timed on different machines, whose seconds do not compare: {', '.join(names)}."]


def notes(study: Study, table: TableConfig) -> list[str]:
    """Return the notes of a table, each with the cells it explains.

    A note that explains verdicts is left out if no cell has such a verdict.
    """
    texts = []
    for note in table.notes:
        explained = {
            column: [
                cell.row
                for cell in build_table(study, table)
                if cell.column == column
                and note.explains_cell(cell.row, column)
                and cell.verdict == "differs"
            ]
            for column in note.explains
        }
        cells_explained = [
            f"{_label(study, table, column)} on {enumerated(rows)}"
            for column, rows in explained.items()
            if rows
        ]
        if cells_explained:
            texts.append(f"{MARKS['differs']} {'; '.join(cells_explained)}: {note.text}")
        elif not note.explains:
            texts.append(note.text)
    return texts


def _label(study: Study, table: TableConfig, name: str) -> str:
    return column_label(study, table.column(name))


def _margins(table: TableConfig) -> tuple[str, str]:
    """Return the table's margin as text, and a sentence if its columns have different margins."""
    others: dict[float, list[str]] = {}
    for column in table.columns:
        if column.margin is not None:
            others.setdefault(column.margin, []).append(column.label or column.name)
    parts = [f"±{margin:g} for {enumerated(names)}" for margin, names in others.items()]
    if table.relative_margin is not None:
        parts.append(f"at most {100 * table.relative_margin:g} % of a printed error")
    if not parts:
        return f"±{table.margin:g}", ""
    return "the margin", f"The margin is ±{table.margin:g}; {'; '.join(parts)}. "


def assumptions_of(study: Study, table: TableConfig) -> list[Assumption]:
    """Return the assumptions about a table: those that name it, and those without tables."""
    return [
        entry
        for entry in study.config.assumptions
        if entry.tables is None or table.id in entry.tables
    ]


def reasons(cells: list[TableCell]) -> list[str]:
    """Return the reasons for missing values, a line for the rows that lack the same columns."""
    columns_by_row: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        if cell.status != "ok":
            key = (f"{cell.status}: {cell.reason}", cell.row)
            columns_by_row.setdefault(key, []).append(cell.column)
    rows_by_columns: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (reason, row), lacking in columns_by_row.items():
        rows_by_columns.setdefault((reason, tuple(lacking)), []).append(row)
    n_rows, n_columns = len({cell.row for cell in cells}), len({cell.column for cell in cells})
    texts = []
    for (reason, columns), rows in rows_by_columns.items():
        names = [", ".join(rows)] if len(rows) < n_rows or n_rows == 1 else []
        names += [", ".join(columns)] if len(columns) < n_columns else []
        texts.append(f"{': '.join(names) or 'everything'}: {reason}")
    return texts
