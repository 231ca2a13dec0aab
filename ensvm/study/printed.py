"""The numbers that a paper prints, from a CSV beside the config.

The file has a line for each number (`table,row,column,value,std`), or is laid out as in the paper:
a line for each data set, a column for each column of the table (`row,svm,lvm`), fields such as
`5.9 ± 1.2`.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

from ensvm.errors import UserError, did_you_mean
from ensvm.study.source import read_text
from ensvm.study.table_layout import TableConfig

LONG = ("table", "row", "column", "value", "std")
FORMS = (
    f"expected {','.join(LONG)} and a line for each number, or row and the columns of the table "
    "and a line for each data set"
)
NOT_PRINTED = ("", "-", "–", "—")
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_VALUE = re.compile(
    rf"({_NUMBER})\s*(?:(?:±|\+/?-|\\pm)\s*({_NUMBER})|\(\s*(?:±\s*)?({_NUMBER})\s*\))?"
)


@dataclass(frozen=True)
class Published:
    """A printed number and, if the paper prints one, its standard deviation.

    `half_unit` is half a unit of the last printed digit: what print has rounded away at most.
    """

    value: float
    std: float | None = None
    half_unit: float = 0.0


Place: TypeAlias = tuple[str, str, str]  # table, row, column


def read_published(path: Path, tables: Sequence[TableConfig] = ()) -> dict[Place, Published]:
    """Return the printed numbers of a paper by (table, row, column).

    A file laid out as in the paper has a column `table`, unless `tables` are one table.

    Raises UserError, with file and line, if the file cannot be read, has another header, a place
    twice, or a value that is not a number.
    """
    numbers: dict[Place, Published] = {}
    lines = csv.reader(read_text(path).removeprefix("\ufeff").splitlines(keepends=True))
    try:
        header = [name.strip() for name in next(lines, [])]
        is_long = {"row", "column", "value"} <= {*header} <= {*LONG}
        if "row" not in header or len(set(header)) < len(header):
            raise UserError(f"{path}, line 1: the header is {','.join(header)!r:.80}; {FORMS}")
        if "table" not in header and len(tables) != 1:
            raise UserError(f"{path}, line 1: which table? add a column `table` with its id")
        for line in lines:
            position = f"{path}, line {lines.line_num}"
            if not any(line):
                continue
            if len(line) != len(header):
                counts = f"{len(line)} fields, and the header has {len(header)}"
                raise UserError(f"{position}: {','.join(line)!r:.200} has {counts}")
            fields = dict(zip(header, map(str.strip, line), strict=True))
            table, row = fields.pop("table", tables[0].id if tables else ""), fields.pop("row")
            if is_long:
                std = fields.get("std", "")
                fields = {fields["column"]: fields["value"] + (f" ± {std}" if std else "")}
            for column, text in fields.items():
                if text in NOT_PRINTED and not is_long:
                    continue
                if (table, row, column) in numbers:
                    raise UserError(
                        f"{position}: the value of {table}, {row}, {column} is given twice"
                    )
                number = _published(text)
                if number is None:
                    accepted = "accepted: a number, or one with its standard deviation as 5.9 ± 1.2"
                    raise UserError(f"{position}: {column} has {text!r:.200}; {accepted}")
                numbers[table, row, column] = number
    except csv.Error as error:
        raise UserError(f"{path}, line {lines.line_num}: not CSV: {error}") from error
    return numbers


def _published(text: str) -> Published | None:
    found = _VALUE.fullmatch(text.replace("−", "-"))
    if found is None:
        return None
    value, *stds = found.groups()
    std = next(filter(None, stds), None)
    return Published(float(value), None if std is None else float(std), half_unit(value))


def half_unit(text: str) -> float:
    """Return half a unit of the last digit of a number: 0.05 for `24.7`, 0.5 for `468`."""
    exponent = Decimal(text.strip()).as_tuple().exponent
    return 0.5 * 10.0 ** int(exponent)


def check_published(
    tables: Sequence[TableConfig], datasets: Sequence[str], path: Path
) -> dict[Place, Published]:
    """Return the printed numbers of a file, as `read_published` does.

    Raises UserError if no table has a place for one of them.
    """
    columns = {table.id: [column.name for column in table.columns] for table in tables}
    rows = {table.id: datasets if table.rows is None else table.rows for table in tables}
    printed = read_published(path, tables)
    for table, row, column in printed:
        names = {"table": list(columns), "row": rows.get(table, ()), "column": columns.get(table)}
        for what, name in (("table", table), ("row", row), ("column", column)):
            accepted = names[what] or ()
            if name not in accepted:
                raise UserError(
                    f"{path}: the value of {table}, {row}, {column}: unknown {what} {name!r}; "
                    f"accepted: {', '.join(accepted)}{did_you_mean(name, accepted)}"
                )
    return printed


def first_values(numbers: dict[Place, Published]) -> Iterator[str]:
    """Yield a line for each table: how many printed numbers were read, and those of its first row.

    The lines show whether a file was read as it was meant.
    """
    for table in dict.fromkeys(place[0] for place in numbers):
        of_table = {place[1:]: number for place, number in numbers.items() if place[0] == table}
        first = next(iter(of_table))[0]
        values = [
            f"{column} {number.value:g}" + (f" ± {number.std:g}" if number.std is not None else "")
            for (row, column), number in of_table.items()
            if row == first
        ]
        yield f"table {table}: {len(of_table)} printed values; {first}: {', '.join(values)}"
