"""What `check` asks and says about the printed numbers of a paper."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import chain
from pathlib import Path
from statistics import fmean

from ensvm.counts import counted
from ensvm.name_lists import first_names
from ensvm.study.config import StudyConfig
from ensvm.study.csv_lines import csv_lines
from ensvm.study.metrics import PERCENT, Direction, direction_of, unit_of
from ensvm.study.printed import (
    Place,
    PlaceNames,
    Published,
    largest_deviation,
    least_deviation,
)
from ensvm.study.table_summary import COMPARING

NEARER = 4  # times nearer to others of its row is a value, if read as it is meant
MOST_ROWS = 4  # with empty fields that are listed
IN_PERCENT = "Errors and accuracies are printed in percent"


def doubtful_values(numbers: dict[Place, Published], config: StudyConfig) -> Iterator[str]:
    """Yield questions about tables whose printed percentages look like something else.

    They may be fractions, or accuracies under `error`, or errors under `accuracy`: all of them, or
    some. Deviations may be ranks or percentages. Wins, ties and losses may be those over other
    rows.
    """
    kinds = PlaceNames(config).kinds
    for table in config.tables:
        by_metric: dict[str, dict[tuple[str, str], Published]] = {}
        columns = {column.name: column for column in table.columns}
        for (name, row, column), number in numbers.items():
            if name != table.id or column not in columns:  # a base may print more columns
                continue
            metric, kind = table.metric_of(columns[column]), kinds.get((name, row), "")
            n_rows = len(config.rows_of(table))
            if kind == "wins" and (over := sum(map(int, number.text.split("/")))) != n_rows:
                counts = f"{number.text} counts {over} rows, and the table has {n_rows}"
                yield f"table {name}: {row}, {column}: {counts}; is it printed of other rows?"
            elif unit_of(metric) == PERCENT and kind not in COMPARING:
                by_metric.setdefault(metric, {})[row, column] = number
        for metric, percentages in by_metric.items():
            for question in _about_percentages(metric, percentages):
                yield f"table {table.id}: {question}"
        if lacking := _without_deviation(table.id, numbers):
            beside = "has no standard deviation, and others of its row and its column have"
            yield f"table {table.id}: {first_names(lacking)}: {beside}; is it printed without?"
        by_row: dict[str, list[Published]] = {}
        for (name, row, _), number in numbers.items():
            if name == table.id and number.std is not None:
                by_row.setdefault(row, []).append(number)
        if _have_ranks(list(by_row.values())):
            beside = "the numbers beside the values are 1, 2, ... in the order of the values"
            yield f"table {table.id}: {beside}; are these ranks? They are read as deviations"
        elif question := _about_last_digits([*chain.from_iterable(by_row.values())]):
            yield f"table {table.id}: {question}"


def _about_percentages(metric: str, numbers: dict[tuple[str, str], Published]) -> Iterator[str]:
    """Yield questions about a table's printed percentages of a metric, by row and column."""
    values, better = [number.value for number in numbers.values()], direction_of(metric)
    wide = [
        f"{row}, {column}: {number.value:g} ± {number.std:g}"
        for (row, column), number in numbers.items()
        if least_deviation(number) > largest_deviation(metric, number) / 2
    ]
    if wide:
        yield (
            f"{first_names(wide)}: more than half of the largest standard deviation that"
            " percentages with this mean can have; is it something else?"
        )
    if len(values) < 2 or not any(values):
        return
    if max(values) <= 1:
        yield f"no value of {metric} is above 1; are these fractions? {IN_PERCENT}"
    elif better == "min" and min(values) >= PERCENT.scale / 2:
        yield f"every {metric} is at least 50 %; are these accuracies?"
    elif better == "max" and max(values) <= PERCENT.scale / 2:
        yield f"every {metric} is at most 50 %; are these errors?"
    elif better is not None and (turned := _turned_round(numbers, better)):
        other = "accuracies" if better == "min" else "errors"
        near = "100 minus each is near the other values of its row"
        yield f"{first_names(turned)}: are these {other}, not values of {metric}? {near}"
    if max(values) > 1 and (fractions := _fractions(numbers)):
        yield f"{first_names(fractions)}: are these fractions? {IN_PERCENT}"


def _turned_round(numbers: dict[tuple[str, str], Published], better: Direction) -> list[str]:
    """Return which values are 100 minus what they should be, by the others of their rows.

    Such a value is on the bad side of 50 %, another one of its row on the good side.
    """
    sign, half = (1 if better == "min" else -1), PERCENT.scale / 2
    return _like_their_rows(
        numbers,
        is_odd=lambda value: sign * (value - half) > 0,
        is_good=lambda value: sign * (value - half) < 0,
        meant=lambda value: PERCENT.scale - value,
    )


def _fractions(numbers: dict[tuple[str, str], Published]) -> list[str]:
    """Return which values are 1 / 100 of what they should be, by the others of their rows.

    Such a value is at most 1, another one of its row is above 1.
    """
    return _like_their_rows(
        numbers,
        is_odd=lambda value: value <= 1,
        is_good=lambda value: value > 1,
        meant=lambda value: PERCENT.scale * value,
    )


def _like_their_rows(
    numbers: dict[tuple[str, str], Published],
    is_odd: Callable[[float], bool],
    is_good: Callable[[float], bool],
    meant: Callable[[float], float],
) -> list[str]:
    """Return which odd values are like the good ones of their rows if read as `meant`.

    They are then much nearer to the mean of these than the values themselves.
    """
    alike = []
    for (row, column), number in numbers.items():
        of_row = (other.value for (name, _), other in numbers.items() if name == row)
        good = [value for value in of_row if is_good(value)]
        if not is_odd(number.value) or not good:
            continue
        mean = fmean(good)
        if abs(meant(number.value) - mean) * NEARER <= abs(number.value - mean):
            alike.append(f"{row}, {column}: {number.value:g}")
    return alike


def _without_deviation(table: str, numbers: dict[Place, Published]) -> list[str]:
    """Return which values lack a standard deviation that others of their row and column have."""
    of_table = {place: number for place, number in numbers.items() if place[0] == table}
    having = [place for place, number in of_table.items() if number.std is not None]
    rows, columns = {row for _, row, _ in having}, {column for *_, column in having}
    return [
        f"{row}, {column}: {number.text}"
        for (_, row, column), number in of_table.items()
        if number.std is None and row in rows and column in columns
    ]


def _about_last_digits(numbers: list[Published]) -> str:
    """Return a question about deviations that may be written as in 5.93(12), else "".

    There is one if some printed values have decimals, and no deviation of these has any.
    """
    texts = (number.text.split(" ±") for number in numbers)
    pairs = [(value, std) for value, std in texts if value.partition(".")[2].isdecimal()]
    if not pairs or any(not std.isdecimal() or not int(std) for _, std in pairs):
        return ""
    value, std = pairs[0]
    meant = Decimal(std).scaleb(-len(value.partition(".")[2]))
    is_meant = f"a deviation in units of the last digits, as in {value}({std})"
    return f"is {value} ±{std} {is_meant}? Write {value} ± {meant:f}"


def _have_ranks(rows: list[list[Published]]) -> bool:
    """Return whether what stands beside printed values are their ranks in each of some rows."""
    if len(rows) < 2 or min(map(len, rows)) < 2:
        return False
    for sign in (1, -1):  # the best is the smallest or the largest
        in_order = (sorted(row, key=lambda number: sign * number.value) for row in rows)
        if all([one.std for one in row] == [*range(1, len(row) + 1)] for row in in_order):
            return True
    return False


def empty_fields(path: Path, config: StudyConfig) -> Iterator[str]:
    """Yield for each table of a file that is laid out as in the paper what is empty.

    These are its fields without a text, and its rows of data sets without a line.
    """
    names, header = PlaceNames(config), list[str]()
    present: dict[str, set[str]] = {}  # the rows of each table
    empty: dict[str, dict[str, list[str]]] = {}
    for _, line in csv_lines(path):
        if not header or "row" in line:
            header = line
        elif "value" not in header:
            fields = dict(zip(header, line, strict=False))
            table, row = fields.pop("table", names.tables[0]), fields.pop("row")
            columns = names.columns.get(table, {})
            block, (_, name, _) = config.table(table), names.place(table, row, "")
            summary = next((each for each in block.summary if each.name == name), None)
            present.setdefault(table, set()).add(name)
            known = {
                column.name
                for column in block.columns
                if summary is None or block.sums_up(summary, column)
            }
            for title, text in fields.items():
                if not text and columns.get(title, title) in known:
                    empty.setdefault(table, {}).setdefault(row, []).append(title)
    for table, rows in empty.items():
        listed = [f"{row}: {', '.join(titles)}" for row, titles in list(rows.items())[:MOST_ROWS]]
        more = f"; and {len(rows) - MOST_ROWS} more rows" if len(rows) > MOST_ROWS else ""
        n = sum(map(len, rows.values()))
        fields_are = f"{counted(n, 'field')} {'is' if n == 1 else 'are'}"
        yield f"table {table}: {fields_are} still empty ({'; '.join(listed)}{more})"
    for table, rows_present in present.items():
        rows_of = config.rows_of(config.table(table))
        if absent := [row for row in rows_of if row not in rows_present]:
            yield f"table {table}: no line for {first_names(absent)}"


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
        n_values = counted(len(of_table), "printed value")
        yield f"table {table}: {n_values}; {first}: {', '.join(values)}"
