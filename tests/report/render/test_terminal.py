"""Grids at a terminal: all values are there at any width, the printed ones below ours."""

from io import StringIO

import pytest
from rich.console import Console

from ensvm.report.documents.document import Grid, Value
from ensvm.report.render.terminal import to_table

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
