"""Grids at a terminal: in parts of about equally many columns, if they are too wide for a line."""

from io import StringIO

from rich.console import Console

from ensvm.report.documents.document import Grid, Value
from ensvm.report.render.terminal import fitted


def shown(n_columns: int, n_rows: int = 20, width: int = 80) -> list[str]:
    heads = ["data set", *(f"algorithm {n}" for n in range(n_columns))]
    rows = [
        [f"row {n}", *(Value(ours=f"{n}.00", printed="12.34567") for _ in range(n_columns))]
        for n in range(n_rows)
    ]
    console = Console(file=StringIO(), width=width)
    return [
        ", ".join(str(column.header) for column in table.columns[1:])
        for table in fitted(console, Grid(heads, rows))
    ]


def test_no_column_is_split_off_alone():
    for n_columns in range(2, 15):
        parts = [part.count(",") + 1 for part in shown(n_columns)]
        assert sum(parts) == n_columns
        assert max(parts) - min(parts) <= 1


def test_every_column_stands_somewhere_in_order_even_if_none_fits():
    assert shown(3, width=10) == ["algorithm 0", "algorithm 1", "algorithm 2"]
