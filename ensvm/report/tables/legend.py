"""What stands under a table: how to read its cells, and the notes on its verdicts."""

from collections import Counter

from tabulate import tabulate

from ensvm.report.query import Study, ask, machines
from ensvm.report.tables.cells import TableCell, question_of
from ensvm.report.verdict import Basis
from ensvm.study.algorithms import CrossValidationConfig
from ensvm.study.table_layout import ColumnConfig, NoteConfig, TableConfig, Verdict

MARKS: dict[Verdict, str] = {
    "reproduced": "=",
    "compatible": "≈",
    "close": "~",
    "differs": "≠",
    "cannot tell": "?",
}
MEANINGS: dict[Verdict, str] = {
    "reproduced": "ours lies within {margin} of the printed value, and so does the interval",
    "compatible": "no difference is shown, but the interval reaches beyond {margin}",
    "close": "there is a difference; whether it is more than {margin} is open",
    "differs": "ours lies further than {margin} from the printed value, and so does the interval",
    "cannot tell": "a single value without a spread: there is no interval",
}
INTERVALS: dict[Basis, str] = {
    "realizations": "It is Welch's, of the two means over realizations; a mean printed without a "
    "spread is given ours.",
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
SHIPPED = "†"
WARNED = "!"


def legend(study: Study, table: TableConfig, cells: list[TableCell]) -> str:
    """Return how to read a table, as Markdown.

    Parameters
    ----------
    study : Study
        The study.
    table : TableConfig
        The table.
    cells : list of TableCell
        Its cells.

    Returns
    -------
    str
        The meaning of numbers, verdicts and marks, as far as the table shows them.
    """
    if table.of == "data":
        equal, different = MARKS["reproduced"], MARKS["differs"]
        return f"Ours, and small the paper's value: {equal} equal, {different} different."
    printed = any(cell.published is not None for cell in cells)
    text = "Each cell: our mean ± standard deviation over n realizations"
    if printed and table.of == "timing":
        text += "; small, the paper's value, on other machines: to be compared as ratios only"
    elif printed:
        text += "; small, the paper's value, and how ours compares with it"
    bold = any(map(table.best_of, table.columns))
    parts = [f"{text}. **Bold**: the best of the row." if bold else f"{text}."]
    parts += verdicts(table, cells) + marks(cells)
    if table.of == "timing":
        parts += _machines(study, table)
    if table.underline:
        parts.append(
            "Underlined: significantly better than the columns it is compared with, "
            "by a one-sided Welch t test at 5 %: "
            + "; ".join(
                f"{_label(study, table, one)} against "
                + ", ".join(_label(study, table, other) for other in others)
                for one, others in table.underline.items()
            )
            + "."
        )
    oracles = [
        column_label(study, column)
        for column in table.columns
        if table.of == "results"
        and study.config.algorithms[column.of(table)].stage == "best-on-test"
    ]
    if oracles:
        parts.append(
            f"{', '.join(oracles)}: chosen on the test error, an oracle; "
            "not to be compared as equals."
        )
    return "\n\n".join([*parts, *_chosen_by_cv(study, table), *_wrapped(study, table)])


def _chosen_by_cv(study: Study, table: TableConfig) -> list[str]:
    """Say which columns were chosen by folds of the training rows, how many and by what score."""
    found: dict[str, list[str]] = {}
    for column in table.columns if table.of == "results" else ():
        block = study.config.algorithms[column.of(table)]
        if block.stage == "best-by-cv":
            cv = block.cv or CrossValidationConfig()
            how = f"{cv.n_splits}-fold cross-validation of the training rows ({cv.scorer})"
            found.setdefault(how, []).append(column_label(study, column))
    return [f"{', '.join(labels)}: chosen by {how}." for how, labels in found.items()]


def _wrapped(study: Study, table: TableConfig) -> list[str]:
    """Say which columns were wrapped one against rest, on the data that have many classes."""
    found: dict[str, list[str]] = {}
    rows = study.config.rows_of(table)
    for column in table.columns if table.of == "results" else ():
        for row in rows:
            records = study.by_cell.get((row, column.of(table), "error"), [])
            method = records[-1].settings.get("algorithm") if records else None
            if method and method.get("wrapped"):
                found.setdefault(column_label(study, column), []).append(row)
    if not found:
        return []
    where = list(dict.fromkeys(row for of in found.values() for row in of))
    on = "" if len(where) == len(rows) else f" on {_and(where)}"
    return [f"{', '.join(found)}: for two classes, and wrapped one against rest{on}."]


def verdicts(table: TableConfig, cells: list[TableCell]) -> list[str]:
    """Return the meaning of each verdict with its count, and what the intervals are of.

    Parameters
    ----------
    table : TableConfig
        The table, which says the margins.
    cells : list of TableCell
        The cells that have the verdicts.

    Returns
    -------
    list of str
        A Markdown table and a paragraph; nothing where no cell has a verdict.
    """
    counts = Counter(cell.verdict for cell in cells if cell.verdict)
    if not counts:
        return []
    margin, margins = _margins(table)
    rows = [
        [mark, verdict, MEANINGS[verdict].format(margin=margin), str(counts[verdict])]
        for verdict, mark in MARKS.items()
        if counts[verdict] or verdict != "cannot tell"
    ]
    silent = sum(cell.published is not None and cell.mean is None for cell in cells)
    rows += [["", "", "printed, and no value of ours", str(silent)]] if silent else []
    grid = tabulate(
        rows,
        headers=["", "verdict", "meaning", "cells"],
        tablefmt="pipe",
        disable_numparse=True,
        colalign=("left", "left", "left", "right"),
    )
    return [
        grid,
        f"{margins}The interval is the 95 % interval of ours minus printed; both stand in the CSV. "
        + " ".join(_intervals(cells)),
    ]


def _intervals(cells: list[TableCell]) -> list[str]:
    """Say what the intervals of the cells are computed from, as far as there are such cells."""
    judged = [cell for cell in cells if cell.verdict]
    bases = {cell.interval_of for cell in judged}
    found = [text for basis, text in INTERVALS.items() if basis in bases]
    own = [text for basis, text in OWN_ROWS.items() if basis in bases]
    if own:
        rows = list({cell.row: None for cell in judged if cell.interval_of in OWN_ROWS})
        where = _and(rows) if len(rows) < len({cell.row for cell in judged}) else "All rows"
        found.append(f"{where}: the paper's own training and test rows. {' '.join(own)}")
    return found


def marks(cells: list[TableCell]) -> list[str]:
    """Return the meaning of the marks that the cells bear, a sentence each."""
    texts = []
    orders = {cell.orders for cell in cells if cell.std_orders is not None}
    if orders:
        texts.append(
            f"In parentheses: the standard deviation over {_and(sorted(map(str, orders)))} orders "
            "of the training rows, which are the same problem; the value is the mean over them."
        )
    if any(cell.status == "shipped" for cell in cells):
        texts.append(f"{SHIPPED} A shipped value; why there is none computed here stands below.")
    warned = sum(cell.warned > 0 for cell in cells)
    if warned:
        texts.append(
            f"{WARNED} Fits warned ({warned} of {len(cells)} cells); `ensvm warnings` lists how."
        )
    return texts


def _machines(study: Study, table: TableConfig) -> list[str]:
    """Say on which machines a table was timed, and that their seconds do not compare if several."""
    records = [
        record
        for row in study.config.rows_of(table)
        for column in table.columns
        for record in ask(study, question_of(table, row, column)).records.values()
    ]
    found = [
        f"{host} ({processor})" if processor else host
        for host, processor in machines(records).items()
    ]
    if len(found) < 2:
        return [f"Timed on {name}." for name in found]
    return [f"Timed on different machines, whose seconds do not compare: {', '.join(found)}."]


def notes(study: Study, table: TableConfig, cells: list[TableCell]) -> list[str]:
    """Return the notes of a table, each with the cells it explains; none without such cells."""
    texts = []
    for note in table.notes:
        explained = {
            column: [cell.row for cell in cells if _explained(note, cell) and cell.column == column]
            for column in note.explains
        }
        where = [
            f"{_label(study, table, column)} on {_and(rows)}"
            for column, rows in explained.items()
            if rows
        ]
        if where:
            texts.append(f"{MARKS['differs']} {'; '.join(where)}: {note.text}")
        elif not note.explains:
            texts.append(note.text)
    return texts


def _explained(note: NoteConfig, cell: TableCell) -> bool:
    return note.explains_cell(cell.row, cell.column) and cell.verdict == "differs"


def column_label(study: Study, column: ColumnConfig) -> str:
    """Return the heading of a column: its own label, or its algorithm's."""
    return column.label or algorithm_label(study, column.name)


def _label(study: Study, table: TableConfig, name: str) -> str:
    return column_label(study, next(column for column in table.columns if column.name == name))


def _margins(table: TableConfig) -> tuple[str, str]:
    """Return how the table's margin is spoken of, and what says it where columns differ in it."""
    others: dict[float, list[str]] = {}
    for column in table.columns:
        if column.margin is not None:
            others.setdefault(column.margin, []).append(column.label or column.name)
    if not others:
        return f"±{table.margin:g}", ""
    but = "; ".join(f"±{margin:g} for {_and(names)}" for margin, names in others.items())
    return "the margin", f"The margin is ±{table.margin:g}; {but}. "


def _and(names: list[str]) -> str:
    """Return names in a row, with a comma between them and `and` before the last."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def algorithm_label(study: Study, name: str) -> str:
    """Return an algorithm's label, with its value in a sweep; its name where there is none."""
    block = study.config.algorithms.get(name)
    if block is None or block.label is None:
        return name
    return (
        block.label
        if block.sweep is None
        else f"{block.label}, {block.sweep.key} = {block.sweep.value}"
    )
