"""The notes under a table, and the marks in it that lead to them, in one numbering for all media.

A note about rows, columns or values has a mark, a raised letter, which stands at what it is about.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ensvm.report.documents.document import as_note, as_written, enumerated
from ensvm.report.query import once
from ensvm.report.study_folder import Study
from ensvm.report.summary_rows import summary_cells
from ensvm.report.tables import TableCell, build_table, counted_tables, row_label
from ensvm.study.figure_kinds import metric_name
from ensvm.study.metrics import DATA_CELL, POSITIVE, is_of_positive
from ensvm.study.passes import PASS_OF_TABLE
from ensvm.study.signs import SIGNS
from ensvm.study.table_layout import NoteConfig, TableConfig

RAISED = "ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"  # there is no raised q
LETTERS = "abcdefghijklmnoprstuvwxyz"


@dataclass(frozen=True)
class TableNote:
    """A note in Markdown, and what it is about: rows, columns, and values by row and column.

    `mark` is empty for a note about the whole table.
    """

    text: str
    rows: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()
    values: frozenset[tuple[str, str]] = frozenset()
    mark: str = ""

    @property
    def is_marked(self) -> bool:
        """Whether it is about a part of the table."""
        return bool(self.rows or self.columns or self.values)

    @property
    def marked_text(self) -> str:
        """The note behind its mark."""
        return f"{self.mark} {self.text}".lstrip()

    def is_about(self, row: str, column: str) -> bool:
        """Return whether it is about a value, or its row or column."""
        return row in self.rows or column in self.columns or (row, column) in self.values


@once
def table_notes(study: Study, table: TableConfig) -> list[TableNote]:
    """Return the notes of a table: those of the config, then those that the records give.

    A note that explains verdicts is left out if no value has such a verdict. Rows that the paper is
    believed to have run in another way follow, then rows whose data differ from the printed facts.
    """
    cells = build_table(study, table)
    notes = [
        *filter(None, (_of_config(note, cells) for note in table.notes)),
        *map(TableNote, _positive_classes(study, table, cells)),
        *map(TableNote, _wrapped(study, table, cells)),
        *_other_protocols(study, cells),
        *_other_conditions(study, table),
        *_of_summaries(study, table),
    ]
    marks = map(mark_of_number, range(len(notes)))
    return [
        TableNote(note.text, note.rows, note.columns, note.values, next(marks))
        if note.is_marked
        else note
        for note in notes
    ]


def mark_of_number(number: int) -> str:
    """Return the mark of the note with a number, from 0: a raised letter, or it several times."""
    times, letter = divmod(number, len(RAISED))
    return RAISED[letter] * (times + 1)


def marks_at_row(study: Study, table: TableConfig, row: str) -> str:
    """Return the marks that stand at the label of a row."""
    return "".join(note.mark for note in table_notes(study, table) if row in note.rows)


def marks_at_column(study: Study, table: TableConfig, column: str) -> str:
    """Return the marks that stand at the heading of a column."""
    return "".join(note.mark for note in table_notes(study, table) if column in note.columns)


def marks_at_value(study: Study, table: TableConfig, row: str, column: str) -> str:
    """Return the marks that stand at a value."""
    notes = table_notes(study, table)
    return "".join(note.mark for note in notes if (row, column) in note.values)


def notes_about(study: Study, table: TableConfig, row: str, column: str) -> list[str]:
    """Return the notes about a value, its row or its column, each behind its mark."""
    notes = table_notes(study, table)
    return [note.marked_text for note in notes if note.is_about(row, column)]


def _of_config(note: NoteConfig, cells: Sequence[TableCell]) -> TableNote | None:
    """Return a note of the config; None if it explains verdicts and no value has such a one."""
    if note.explains:
        differs = SIGNS["differs"]
        differing = [cell for cell in cells if cell.verdict == "differs"]
        values = _named(note.explains, differing)
        return TableNote(f"{differs} {as_note(note.text)}", values=values) if values else None
    if note.coded:
        with_value = [cell for cell in cells if cell.mean is not None]
        values = _named(note.coded, with_value)
        text = f"without a sign: {as_note(note.text)}"
        return TableNote(text, values=values) if values else None
    text = as_note(note.text)
    if note.rows and note.columns:
        both = frozenset((row, column) for row in note.rows for column in note.columns)
        return TableNote(text, values=both)
    return TableNote(text, frozenset(note.rows), frozenset(note.columns))


def _named(
    rows_of: Mapping[str, Sequence[str]], cells: Sequence[TableCell]
) -> frozenset[tuple[str, str]]:
    """Return those of some cells that a mapping of columns to rows names."""
    return frozenset(
        (cell.row, cell.column) for cell in cells if cell.row in rows_of.get(cell.column, ())
    )


def _other_protocols(study: Study, cells: Sequence[TableCell]) -> Iterator[TableNote]:
    """Yield how the paper ran rows in another way, each text once with its rows."""
    rows_by_text: dict[str, set[str]] = {}
    for cell in cells:
        if cell.why == "protocol":
            text = str(study.config.dataset(cell.row).other_protocol)
            rows_by_text.setdefault(as_note(text), set()).add(cell.row)
    for text, rows in rows_by_text.items():
        yield TableNote(f"{SIGNS['cannot tell']} protocol: {text}", rows=frozenset(rows))


def _of_summaries(study: Study, table: TableConfig) -> Iterator[TableNote]:
    """Yield what the rows that sum up a table leave out, and why values of them are missing."""
    values_of: dict[str, set[tuple[str, str]]] = {}
    for cell in summary_cells(study, table):
        if cell.reason:
            values_of.setdefault(cell.reason, set()).add((cell.row, cell.column))
    for reason, values in values_of.items():
        yield TableNote(as_written(reason), values=frozenset(values))


def _other_conditions(study: Study, table: TableConfig) -> Iterator[TableNote]:
    """Yield what the paper prints of the data of a row, such as their number, and ours is not."""
    if table.of == "data":
        return  # there each fact has its sign
    facts: dict[str, dict[str, None]] = {}
    rows = study.config.rows_of(table)
    for of_data in counted_tables(study, "data"):
        for cell in build_table(study, of_data):
            if cell.row in rows and cell.verdict == "differs":
                label = study.config.column_label(of_data.column(cell.column))
                fact = f"{label} {cell.mean:g}, the paper prints {cell.published:g}"
                facts.setdefault(cell.row, {})[fact] = None
    rows_of: dict[str, set[str]] = {}
    for row, differing in facts.items():
        rows_of.setdefault("; ".join(differing), set()).add(row)
    for text, named in rows_of.items():
        text = as_written(f"run under other conditions: {text}.")
        yield TableNote(text, rows=frozenset(named))


def _positive_classes(
    study: Study, table: TableConfig, cells: Sequence[TableCell]
) -> Iterator[str]:
    """Yield a sentence for each metric such as F1: the classes that its values are about."""
    rows_of: dict[str, dict[str, dict[str, None]]] = {}
    for cell in cells:
        metric = table.metric_of(table.column(cell.column))
        facts = study.by_cell.get((cell.row, DATA_CELL, "error"), ())
        labels = (record.metrics[POSITIVE] for record in facts if POSITIVE in record.metrics)
        for label in labels if cell.mean is not None else ():
            if is_of_positive(metric):
                rows = rows_of.setdefault(metric_name(metric), {}).setdefault(str(label), {})
                rows[as_written(row_label(study, cell.row))] = None
    for name, rows_of_label in rows_of.items():
        classes = "; ".join(
            f"{as_written(repr(label))} on {enumerated([*rows])}"
            for label, rows in rows_of_label.items()
        )
        yield f"{name} is of the class {classes}."


def _wrapped(study: Study, table: TableConfig, cells: Sequence[TableCell]) -> Iterator[str]:
    """Yield the algorithms that learnt one class against the rest, each with its rows."""
    rows_of: dict[str, dict[str, None]] = {}
    for cell in cells if table.of != "data" else ():
        algorithm = table.column(cell.column).of(table)
        records = study.by_cell.get((cell.row, algorithm, PASS_OF_TABLE[table.of]), ())
        wraps = any(record.settings.method and record.settings.method.wrapped for record in records)
        if wraps and cell.mean is not None:
            rows_of.setdefault(cell.column, {})[as_written(row_label(study, cell.row))] = None
    for column, rows in rows_of.items():
        label = as_written(study.config.column_label(table.column(column)))
        yield f"{label} learns one class against the rest on {enumerated([*rows])}."
