"""The numbers that a paper prints, from a CSV beside the config.

The file has a line for each number (`table,row,column,value,std`), or is laid out as in the paper:
a line for each data set, a column for each column of the table (`row,svm,lvm`), fields such as
`5.9 ± 1.2`.
"""

import csv
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ensvm.errors import UserError, did_you_mean
from ensvm.study.metrics import DATA_FACTS, PERCENT, direction_of, range_of, unit_of
from ensvm.study.source import read_text
from ensvm.study.sweeps import label_of

if TYPE_CHECKING:
    from ensvm.study.config import StudyConfig

LONG = ("table", "row", "column", "value", "std")
FORMS = (
    f"expected {','.join(LONG)} and a line for each number, or row and the columns of the table "
    "and a line for each data set"
)
IN_PERCENT = "Errors and accuracies are printed in percent"
NOT_PRINTED = ("", "-", "–", "—")
_SIZE = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_VALUE = re.compile(
    rf"([-+]?{_SIZE})\s*(?:(?:±|\+/?-|\\pm)\s*({_SIZE})|\(\s*(?:±\s*)?({_SIZE})\s*\))?"
)

_WINS = re.compile(r"(\d+) ?/ ?\d+ ?/ ?\d+")  # ties and losses follow


@dataclass(frozen=True)
class Published:
    """A printed number and, if the paper prints one, its standard deviation.

    `half_unit` is half a unit of the last printed digit: what print has rounded away at most.
    """

    value: float
    std: float | None = None
    half_unit: float = 0.0
    text: str = field(default="", compare=False)  # the digits as they are printed


Place: TypeAlias = tuple[str, str, str]  # table, row, column


def read_published(path: Path, config: "StudyConfig") -> dict[Place, Published]:
    """Return the printed numbers of a paper by the names of table, row and column.

    The file has names or labels. One that is laid out as in the paper has a column `table`, unless
    the study has a single one; a line with `row` begins another layout. Lines that begin with # are
    comments.

    Raises UserError, with file and line, if the file cannot be read, has another header, a place
    twice, or a value that is not a number.
    """
    numbers: dict[Place, Published] = {}
    tables = config.tables
    originals = [entry for entry in config.datasets if entry.copy_of is None]
    rows = _by_label((label_of(entry, entry.name), entry.name) for entry in originals)
    columns = {
        table.id: _by_label(
            (label, column.name)
            for column in table.columns
            for label in {config.column_label(column), config.column_title(column)}
        )
        for table in tables
    }
    lines = csv.reader(read_text(path).removeprefix("\ufeff").splitlines(keepends=True))
    header: list[str] = []
    try:
        for line in lines:
            position = f"{path}, line {lines.line_num}"
            if not any(line) or line[0].startswith("#"):
                continue
            if not header or "row" in map(str.strip, line):
                header = [name.strip() for name in line]
                is_long = {"row", "column", "value"} <= {*header} <= {*LONG}
                if "row" not in header:
                    written = ",".join(header)
                    raise UserError(f"{position}: the header is {written!r:.80}; {FORMS}")
                if twice := [name for name, times in Counter(header).items() if times > 1]:
                    title = f"{twice[0]} (HEADING)"
                    hint = f"the column under a heading is called by its name, or {title!r:.80}"
                    raise UserError(f"{position}: the header names {twice[0]!r:.80} twice; {hint}")
                if "table" not in header and len(tables) != 1:
                    raise UserError(f"{position}: which table? add a column `table` with its id")
                continue
            if len(line) != len(header):
                counts = f"{len(line)} fields, and the header has {len(header)}"
                raise UserError(f"{position}: {','.join(line)!r:.200} has {counts}")
            fields = dict(zip(header, map(str.strip, line), strict=True))
            table, row = fields.pop("table", tables[0].id if tables else ""), fields.pop("row")
            row = rows.get(row, row)
            if is_long:
                std = fields.get("std", "")
                fields = {fields["column"]: fields["value"] + (f" ± {std}" if std else "")}
            for title, text in fields.items():
                if text in NOT_PRINTED and not is_long:
                    continue
                column = columns.get(table, {}).get(title, title)
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
    if not header:
        raise UserError(f"{path}: holds no header line; {FORMS}")
    return numbers


def _published(text: str) -> Published | None:
    if of_wins := _WINS.fullmatch(text):
        return Published(float(of_wins[1]), text=text.replace(" ", ""))
    found = _VALUE.fullmatch(text.replace("−", "-"))
    if found is None:
        return None
    digits = list(filter(None, found.groups()))
    value, *std = map(float, digits)
    if not all(map(math.isfinite, (value, *std))):
        return None
    return Published(value, std[0] if std else None, half_unit(digits[0]), " ±".join(digits))


def _by_label(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return names by those labels that no other one has, and that are no name themselves."""
    of_label = list(pairs)
    counts = Counter(label for label, _ in of_label)
    names = {name for _, name in of_label}
    return {label: name for label, name in of_label if counts[label] == 1 and label not in names}


def half_unit(text: str) -> float:
    """Return half a unit of the last digit of a number: 0.05 for `24.7`, 0.5 for `468`."""
    exponent = Decimal(text.strip()).as_tuple().exponent
    return float(f"0.5e{exponent}")


def check_published(path: Path, config: "StudyConfig") -> dict[Place, Published]:
    """Return the printed numbers of a file, as `read_published` does.

    Raises UserError if no table has a place for one of them.
    """
    columns = {table.id: [column.name for column in table.columns] for table in config.tables}
    sums = {table.id: {each.name: each.kind for each in table.summary} for table in config.tables}
    rows = {table.id: [*config.rows_of(table), *sums[table.id]] for table in config.tables}
    printed = read_published(path, config)
    for table, row, column in printed:
        names = {"table": list(columns), "row": rows.get(table, ()), "column": columns.get(table)}
        for what, name in (("table", table), ("row", row), ("column", column)):
            accepted = names[what] or ()
            if name not in accepted:
                raise UserError(
                    f"{path}: the value of {table}, {row}, {column}: unknown {what} {name!r}; "
                    f"accepted: {', '.join(accepted)}{did_you_mean(name, accepted)}"
                )
    for place, number in printed.items():
        table_config, kind = config.table(place[0]), sums[place[0]].get(place[1])
        if (kind == "wins") != ("/" in number.text):
            wanted = "wins/ties/losses, such as 7/1/2" if kind == "wins" else "a number"
            raise UserError(
                f"{path}: the value of {', '.join(place)} is {number.text}; accepted: {wanted}"
            )
        if kind in ("wins", "mean-rank"):
            continue
        metric = table_config.metric_of(table_config.column(place[2]))
        if wrong := _out_of_range(metric, number):
            raise UserError(f"{path}: the value of {', '.join(place)}: {wrong}")
    return printed


def _out_of_range(metric: str, number: Published) -> str:
    """Return what is impossible about a printed number of a metric; else ""."""
    low, high = range_of(metric)
    if not low <= number.value <= high:
        if unit_of(metric) == PERCENT:
            return f"{number.value:g} is not a percentage, which {metric} is printed in: 0 to 100"
        limits = f"at least {low:g}" if math.isfinite(low) else f"at most {high:g}"
        limits = f"{low:g} to {high:g}" if math.isfinite(high - low) else limits
        return f"{number.value:g} is not a value of {metric}: {limits}"
    if metric in DATA_FACTS and not number.value.is_integer():
        return f"{number.value:g} is not a number of {metric}: a whole number"
    if number.std is not None and number.std < 0:
        return f"the standard deviation {number.std:g} is negative"
    # Two values at both ends of the range have the largest standard deviation.
    if number.std is not None and number.std > (high - low) / math.sqrt(2):
        of = "percentages" if unit_of(metric) == PERCENT else f"values of {metric}"
        return f"the standard deviation {number.std:g} is larger than {of} can have"
    return ""


def doubtful_values(numbers: dict[Place, Published], config: "StudyConfig") -> Iterator[str]:
    """Yield a question for each table whose printed percentages look like something else.

    They may be fractions, or accuracies under `error`, or errors under `accuracy`.
    """
    for table in config.tables:
        by_metric: dict[str, list[float]] = {}
        for (name, _, column), number in numbers.items():
            metric = table.metric_of(table.column(column)) if name == table.id else ""
            if name == table.id and unit_of(metric) == PERCENT:
                by_metric.setdefault(metric, []).append(number.value)
        for metric, values in by_metric.items():
            at = f"table {table.id}: "
            if len(values) < 2 or not any(values):
                continue
            if max(values) <= 1:
                yield f"{at}no value of {metric} is above 1; are these fractions? {IN_PERCENT}"
            elif direction_of(metric) == "min" and min(values) >= PERCENT.scale / 2:
                yield f"{at}every {metric} is at least 50 %; are these accuracies?"
            elif direction_of(metric) == "max" and max(values) <= PERCENT.scale / 2:
                yield f"{at}every {metric} is at most 50 %; are these errors?"


def first_values(numbers: dict[Place, Published]) -> Iterator[str]:
    """Yield a line for each table: how many printed numbers were read, and those of its first row.

    The lines show whether a file was read as it was meant.
    """
    for table in dict.fromkeys(place[0] for place in numbers):
        of_table = {place[1:]: number for place, number in numbers.items() if place[0] == table}
        first = next(iter(of_table))[0]
        values = [
            f"{column} {number.text}" for (row, column), number in of_table.items() if row == first
        ]
        yield f"table {table}: {len(of_table)} printed values; {first}: {', '.join(values)}"
