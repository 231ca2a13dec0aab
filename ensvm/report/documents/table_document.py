"""A table as a document: the grid of the paper, legend, notes, assumptions, missing values."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import groupby, product
from typing import TYPE_CHECKING

from ensvm.report.documents.document import (
    NOTHING,
    Bullets,
    Document,
    Entry,
    Grid,
    NamedColumns,
    Part,
    Value,
    as_written,
    assumption_entry,
    how_to_read,
    number_range,
    number_text,
    one_line,
    origin,
)
from ensvm.report.documents.ranking_document import who_is_best
from ensvm.report.documents.table_legend import legend_of
from ensvm.report.documents.table_notes import (
    marks_at_column,
    marks_at_row,
    marks_at_value,
    notes_about,
    table_notes,
)
from ensvm.report.query import once
from ensvm.report.study_folder import Study
from ensvm.report.summary_rows import summary_cells
from ensvm.report.tables import (
    TableCell,
    best_of_row,
    build_table,
    decimals_of,
    is_oracle,
    row_label,
    second_of_row,
    underlined,
)
from ensvm.study.table_layout import MOST_DECIMALS, TableConfig

if TYPE_CHECKING:
    import pandas as pd

DECIMALS = {"mean-rank": 2, "mean-excess": 1, "winner": 1}  # of rows that compare columns
SMALLEST = 10.0**-MOST_DECIMALS / 2  # smaller numbers are shown with an exponent ...
LARGEST = 1e15  # ... and so are larger ones, whose digits float64 does not hold


@dataclass(frozen=True)
class TableDocument:
    """A table as the paper lays it out, and all that stands around it, for every medium.

    `caption` and the texts of `grid` are as written in the config; the others are in Markdown.
    `counted_grid` is `grid` in Markdown with the numbers of realizations; `columns` has an
    entry for each cell, unrounded.
    `missing` has reasons; `what_is_missing` says of what: values, realizations of values that are
    shown, or both.
    """

    study: str
    table: str
    caption: str
    grid: Grid
    counted_grid: Grid
    best: Sequence[str]
    legend: Sequence[str]
    notes: Sequence[str]
    assumptions: Mapping[str, Entry]
    missing: Sequence[str]
    what_is_missing: str
    origin: str
    columns: NamedColumns

    @property
    def heading(self) -> str:
        """The number of the table and its caption, as written."""
        return f"Table {self.table}. {self.caption}"

    def legend_without_orders(self, *, plain: bool = False) -> list[str]:
        """Return the legend for a medium that does not show the spread over orders.

        For `plain`, see `how_to_read`.
        """
        return self.legend_with(how_to_read(self.grid, plain=plain, orders=False))

    def legend_with(self, marks: str) -> list[str]:
        """Return the legend with other words, maybe none, on how to read the grid."""
        shown = {f"{how_to_read(self.grid)}.": f"{marks}." if marks else ""}
        return [text for each in self.legend if (text := shown.get(each, each))]

    @property
    def whole(self) -> Document:
        """All of it as a document."""
        parts: list[Part] = [
            self.counted_grid,
            *self.best,
            *self.legend,
            Bullets("Notes", self.notes),
            Bullets("Assumptions", list(self.assumptions.values())),
            Bullets("Missing", self.missing),
            self.origin,
        ]
        return Document(as_written(self.heading), parts, self.columns)

    @property
    def frame(self) -> "pd.DataFrame":
        """The columns as a frame."""
        return self.whole.frame


@once
def table_document(study: Study, table: TableConfig) -> TableDocument:
    """Return a table with its legend, notes, assumptions and reasons for missing values."""
    cells = build_table(study, table)
    lines = [*cells, *summary_cells(study, table)]
    columns = {
        each.name: [getattr(cell, each.name) for cell in lines] for each in fields(TableCell)
    }
    columns["notes"] = [
        " ".join(notes_about(study, table, cell.row, cell.column)) for cell in lines
    ]
    return TableDocument(
        study=study.config.study,
        table=table.id,
        caption=one_line(table.caption),
        grid=table_grid(study, table),
        counted_grid=markdown_grid(study, table),
        best=who_is_best(study, table),
        legend=legend_of(study, table, table_grid(study, table)),
        notes=tuple(note.marked_text for note in table_notes(study, table)),
        assumptions=_assumptions(study, table),
        missing=[as_written(text) for text in reasons(study, cells)],
        what_is_missing=_what_is_missing(cells),
        origin=origin(study),
        columns=columns,
    )


def computed_part(study: Study, table: TableConfig, document: TableDocument) -> TableDocument:
    """Return the rows and columns of a table that have a value of ours, with their notes.

    All are returned if none has a value.
    """
    computed = [cell for cell in build_table(study, table) if cell.mean is not None]
    if not computed:
        return document
    rows, columns = {cell.row for cell in computed}, {cell.column for cell in computed}
    notes = [
        note.marked_text
        for note in table_notes(study, table)
        if not note.is_marked or any(note.is_about(*pair) for pair in product(rows, columns))
    ]
    kept = [0, *(n for n, column in enumerate(table.columns, 1) if column.name in columns)]
    whole = document.grid
    part = replace(
        whole,
        heads=[whole.heads[n] for n in kept],
        above=[whole.above[n] for n in kept] if whole.above else (),
        rows=[
            [row[n] for n in kept]
            for name, row in zip(study.config.rows_of(table), whole.rows, strict=True)
            if name in rows
        ],
        foot=[[row[n] for n in kept] for row in whole.foot],
    )
    legend = document.legend_with(how_to_read(part))
    return replace(document, grid=part, legend=legend, notes=notes)


@once
def table_grid(study: Study, table: TableConfig) -> Grid:
    """Return the rows and columns of a table, with the best values of each row marked."""
    rows: list[list[str | Value]] = []
    for row, cells_of_row in groupby(build_table(study, table), key=lambda cell: cell.row):
        of_row = list(cells_of_row)
        best, second = best_of_row(study, table, of_row), second_of_row(study, table, of_row)
        significant = underlined(study, table, of_row)
        values = [
            replace(
                value_of(cell, decimals_of_value(study, table, cell)),
                best=column.name in best,
                second=column.name in second,
                underlined=column.name in significant,
                printed=as_printed(study, cell),
                notes=marks_at_value(study, table, row, column.name),
            )
            for cell, column in zip(of_row, table.columns, strict=True)
        ]
        rows.append([row_label(study, row) + marks_at_row(study, table, row), *values])
    labels = {column.name: study.config.column_label(column) for column in table.columns}
    marked = [label + marks_at_column(study, table, name) for name, label in labels.items()]
    heads = ["data set", *marked]
    above = ["", *(column.heading or "" for column in table.columns)]
    oracles = any(is_oracle(study, table, column) for column in table.columns)
    foot = _foot(study, table)
    return Grid(heads, rows, above=above if any(above) else (), oracles=oracles, foot=foot)


def _foot(study: Study, table: TableConfig) -> list[list[str | Value]]:
    """Return the rows that sum up a table."""
    cells = {(cell.row, cell.column): cell for cell in summary_cells(study, table)}
    foot: list[list[str | Value]] = []
    for summary in table.summary:
        label = study.config.summary_label(table, summary)
        of_row = [cells[summary.name, column.name] for column in table.columns]
        values = [
            replace(
                value_of(cell, decimals_of_value(study, table, cell)),
                printed=as_printed(study, cell),
                notes=marks_at_value(study, table, cell.row, cell.column),
            )
            for cell, column in zip(of_row, table.columns, strict=True)
        ]
        foot.append([label, *values])
    return foot


def decimals_of_value(study: Study, table: TableConfig, cell: TableCell) -> int:
    """Return how many decimals a value of a table, or of a row that sums it up, is shown with."""
    kinds = {summary.name: summary.kind for summary in table.summary}
    decimals = DECIMALS.get(kinds.get(cell.row, ""))
    return decimals or decimals_of(study, table, table.column(cell.column), cell.mean)


def markdown_grid(study: Study, table: TableConfig) -> Grid:
    """Return the grid of a table with the numbers of realizations as its last column."""
    grid, cells = table_grid(study, table), build_table(study, table)
    heads, above = [[as_written(text) for text in texts] for texts in (grid.heads, grid.above)]
    rows = [[as_written(str(label)), *values] for label, *values in grid.rows]
    if table.of == "data":
        return Grid(heads, rows, above=above)
    counts, guesses = [], []
    for _, cells_of_row in groupby(cells, key=lambda cell: cell.row):
        of_row = list(cells_of_row)
        counts.append(number_range({cell.n for cell in of_row if cell.n}))
        guess = [cell.largest_class for cell in of_row if cell.largest_class][-1:]
        decimals = decimals_of(study, table, table.columns[0], *guess)
        guesses.append(f"{guess[0]:.{decimals}f}" if guess else NOTHING)
    shows_guess = table.largest_class in [column.of(table) for column in table.columns]
    more = {"n": counts}
    if not shows_guess and any(guess != NOTHING for guess in guesses):
        more = {"largest class": guesses, **more}
    rows = [[*row, *texts] for row, *texts in zip(rows, *more.values(), strict=True)]
    above = above and [*above, *[""] * len(more)]
    foot = [[as_written(str(label)), *values, *[""] * len(more)] for label, *values in grid.foot]
    return replace(grid, heads=[*heads, *more], rows=rows, above=above, foot=foot)


def as_printed(study: Study, cell: TableCell) -> str:
    """Return the printed value of a cell with the paper's own digits; empty if there is none."""
    printed = study.published.get((cell.table, cell.row, cell.column))
    return printed.text if printed else ""


def value_of(cell: TableCell, decimals: int) -> Value:
    """Return our value of a cell as it is shown, rounded to some decimals, without print."""

    def text(value: float | None) -> str:
        """Return a number as text; an empty text without one."""
        if value is None or math.isnan(value):
            return ""
        if 0.0 < abs(value) < SMALLEST and decimals == MOST_DECIMALS:
            return f"{value:.1e}"
        return f"{value:z.{decimals}f}" if abs(value) < LARGEST else number_text(value, 5)

    order_spread = text(cell.std_orders)
    return Value(
        cell.text or text(cell.mean) or NOTHING,
        spread=text(cell.std) if cell.low is None else "",
        spread_kind=cell.spread,
        interval="" if cell.low is None else f"{text(cell.low)} to {text(cell.high)}",
        order_spread=order_spread if order_spread.strip("0.") else "",
        verdict=cell.verdict,
        why=cell.why,
        chosen=cell.chosen,
        warned=cell.warned > 0,
        partial_n=cell.n if cell.is_partial else None,
        state="" if cell.status == "ok" else f"{cell.status}: {cell.reason}",
        key=cell.key,
        number=cell.mean,
    )


def _assumptions(study: Study, table: TableConfig) -> dict[str, Entry]:
    """Return the assumptions about a table by id: those that name it, and those without tables."""
    return {
        entry.id: assumption_entry(entry)
        for entry in study.config.assumptions
        if entry.tables is None or table.id in entry.tables
    }


def _what_is_missing(cells: Sequence[TableCell]) -> str:
    """Return what cells without all of their realizations lack: values, realizations, or both."""
    has_reason = [cell for cell in cells if cell.status != "ok"]
    parts = {
        "values": any(cell.mean is None for cell in has_reason),
        "realizations": any(cell.mean is not None for cell in has_reason),
    }
    return " and ".join(what for what, applies in parts.items() if applies)


def reasons(study: Study, cells: Sequence[TableCell]) -> list[str]:
    """Return the reasons for missing values, a line for the rows that lack the same columns."""
    columns_by_row: dict[tuple[str, str], list[str]] = {}
    for cell in cells:
        if cell.status != "ok":
            key = (f"{cell.status}: {cell.reason}", row_label(study, cell.row))
            column = study.config.table(cell.table).column(cell.column)
            label = study.config.column_label(column)
            columns_by_row.setdefault(key, []).append(label)
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
