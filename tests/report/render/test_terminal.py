"""Grids at a terminal: all values are there at any width, the printed ones below ours."""

from dataclasses import replace
from io import StringIO

import pytest
from made_up_records import make_study, record
from rich.console import Console

from ensvm.report.documents.document import Grid, Value, how_to_read
from ensvm.report.documents.table_document import computed_part, table_document
from ensvm.report.render.markdown import parts_to_markdown
from ensvm.report.render.terminal import to_table, to_terminal

VALUE = Value("25.3", spread="2.1", printed="25.1", verdict="within the margin", chosen=True)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_every_value_is_there_and_the_printed_one_is_below(width):
    n_columns = 7 if width > 40 else 2
    grid = Grid(
        ["data set", *(f"algorithm {n}" for n in range(n_columns))], [["g", *[VALUE] * n_columns]]
    )
    console = Console(file=StringIO(), width=width)
    console.print(to_table(grid))
    lines = console.file.getvalue().splitlines()
    assert all(len(line) <= width for line in lines)
    words = " ".join(lines).split()
    for word in ("25.3", "±2.1", "25.1", "=", "†"):
        assert words.count(word) == n_columns
    ours, printed = (
        next(n for n, line in enumerate(lines) if text in line) for text in ("25.3", "25.1")
    )
    assert ours < printed


def printed(tmp_path, grid, **options):
    """Return a table with a grid, and the legend of it, as a terminal shows it."""
    empty = make_study(
        tmp_path,
        "{study: s, datasets: [german], algorithms: {a: {estimator: SVC}}, "
        "tables: [{id: 1, caption: c, columns: [a]}]}",
        [],
    )
    document = table_document(empty, empty.config.tables[0])
    document = replace(document, grid=grid, legend=[f"{how_to_read(grid)}."])
    console = Console(file=StringIO(), width=200)
    console.print(to_terminal(document, **options))
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("mark", "stars"), [("best", "**"), ("second", "*"), ("underlined", "_"), ("", "")]
)
def test_in_a_file_the_legend_names_the_asterisks_of_the_table(tmp_path, mark, stars):
    value = replace(VALUE, **{mark: True}) if mark else VALUE
    grid = Grid(["data set", "a", "b"], [["g", value, VALUE]])
    for bold in (False, True):
        text = printed(tmp_path, grid, bold=bold)
        assert (f"{stars}25.3{stars} " in text) == (not bold or not stars)
        assert (f"({stars}): " in text) == bool(stars and not bold)


def test_the_legend_does_not_name_a_spread_over_orders_that_no_value_shows(tmp_path):
    for value in (replace(VALUE, order_spread="0.7"), Value("25.3", order_spread="0.7")):
        grid = Grid(["data set", "a"], [["g", value]])
        text = printed(tmp_path, grid)
        assert "0.7" in parts_to_markdown([grid])
        assert "0.7" not in text
        assert "over orders" in how_to_read(grid)
        assert "over orders" not in text
        assert "\n." not in text


NOTED = """\
study: s
realizations: 1
datasets: [german, titanic]
algorithms: {a: {estimator: SVC}, b: {estimator: SVC}}
tables:
  - id: 1
    caption: c
    columns: [a, b]
    notes:
      - Of all.
      - {rows: [german], text: Of german.}
      - {rows: [titanic], text: Of titanic.}
      - {columns: [a], text: Of a.}
      - {columns: [b], text: Of b.}
      - {rows: [german], columns: [b], text: Of b on german.}
"""


@pytest.mark.parametrize("row", ["german", "titanic"])
@pytest.mark.parametrize("column", ["a", "b"])
def test_a_part_of_a_table_has_the_notes_about_it_alone(tmp_path, row, column):
    study = make_study(tmp_path, NOTED, [record(row, 1, column, error=0.2)])
    table = study.config.tables[0]
    part = computed_part(study, table, table_document(study, table))
    marks = [head.removeprefix(column) for head in part.grid.heads[1:]]
    texts = [note.partition("Of ")[2] for note in part.notes]
    expected = {"all.", f"{row}.", f"{column}."}
    if (row, column) == ("german", "b"):
        expected.add("b on german.")
    assert set(texts) == expected
    assert all(any(note.startswith(mark) for note in part.notes) for mark in marks)
