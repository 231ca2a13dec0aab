"""The numbers as the papers print them: `table,row,column,value,std`, one line a printed cell."""

import csv
from dataclasses import dataclass
from pathlib import Path

HEADER = ["table", "row", "column", "value", "std"]


@dataclass(frozen=True)
class Published:
    """A printed number and, where the paper prints one, its standard deviation."""

    value: float
    std: float | None = None


def read_published(path: Path) -> dict[tuple[str, str, str], Published]:
    """Return the printed numbers by (table, row, column).

    Raises ValueError naming file and line for another header, a cell given twice or something that
    is no number.
    """
    cells: dict[tuple[str, str, str], Published] = {}
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        header = next(lines, [])
        if header != HEADER:
            raise ValueError(
                f"{path}, line 1: the header is {','.join(header)}; expected {','.join(HEADER)}"
            )
        for number, line in enumerate(lines, start=2):
            try:
                table, row, column, value, std = line
                published = Published(float(value), float(std) if std else None)
            except ValueError as error:
                raise ValueError(
                    f"{path}, line {number}: expected {','.join(HEADER)}, got {','.join(line)!r}"
                ) from error
            if (table, row, column) in cells:
                raise ValueError(
                    f"{path}, line {number}: the cell {table}, {row}, {column} is given twice"
                )
            cells[table, row, column] = published
    return cells
