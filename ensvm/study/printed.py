"""The numbers that a paper prints, from a CSV beside the config.

The file has a line for each number (`table,row,column,value,std`), or is laid out as in the paper:
a line for each data set, a column for each column of the table (`row,svm,lvm`), fields such as
`5.9 ± 1.2`.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from ensvm.counts import counted
from ensvm.errors import Mistakes, UserError, did_you_mean
from ensvm.name_lists import first_names
from ensvm.study.csv_lines import LEAVE_EMPTY, NOT_GIVEN, csv_lines, slip_in_number
from ensvm.study.metrics import (
    DATA_FACTS,
    PARAMETER,
    PERCENT,
    range_of,
    unit_of,
)
from ensvm.study.sweeps import label_of
from ensvm.study.table_summary import COMPARING, KINDS

if TYPE_CHECKING:
    from ensvm.study.config import StudyConfig

LONG = ("table", "row", "column", "value", "std")
FORMS = (
    f"expected {','.join(LONG)} and a line for each number, or row and the columns of the table "
    "and a line for each data set"
)
ACCEPTED = "accepted: a number, or one with its standard deviation as 5.9 ± 1.2"
COMMAS = "; are these decimals with commas? accepted: points, as in 30.4"
FOLLOWS = "a standard deviation follows its value, as in 5.9 ± 1.2"
MORE = f"; accepted: as many; {FOLLOWS}"
FEWER = "; accepted: as many; where nothing is printed, an empty field or `-`"
_DECIMALS = re.compile(r"\d+|\d+\s*(?:±|\+/?-)\s*\d+")  # a part of a number with a comma
_SIZE = r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_VALUE = re.compile(
    rf"([-+]?{_SIZE})\s*(?:(?:±|\+/?-|\\pm)\s*({_SIZE})|\(\s*(?:±\s*)?({_SIZE})\s*\))?", re.ASCII
)

# Two numbers that are the ends of an interval, or what a value has above and below
_INTERVAL = re.compile(
    rf"{_SIZE}\s*(?:[-–—,;]|to)\s*{_SIZE}\s*[])]?$|[+^{{]\s*{_SIZE}[\W_]*[-−]\s*{_SIZE}", re.ASCII
)
# What others call the column of the rows
_ROW_NAMES = ("dataset", "data set", "data_set", "data", "rows", "name", "problem", "task")
_WINS = re.compile(r"(\d+) ?/ ?\d+ ?/ ?\d+", re.ASCII)  # ties and losses follow
_ACCEPTED_WINS = "accepted: wins/ties/losses, such as 7/1/2"
# Marks of notes, bold type and formulas; a single star may be a product.
_MARKS = re.compile(
    r"\*\*|\$|\[\w*\]|[†‡§∗⁎¹²³⁰⁴-⁹ᵃ-ᶿ]|\*(?=\s*(?:±|\(|$))"
    r"|</?[a-z]+>|\\(?:text|math)?(?:bf|it|sc|rm)\b|\\(?:emph|underline|boldsymbol)\b|[{}]"
)
# How a column of standard deviations is called
_DEVIATIONS = re.compile(r"(?:.*[\W_])?(?:std|sd|stdev|s\.d)\.?|.*±", re.IGNORECASE)


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
    twice, or a value that is not a number: Mistakes for several.
    """
    read, mistakes = _read(path, config)
    if mistakes:
        raise Mistakes(mistakes)
    return {place: number for place, number, _ in read}


class PlaceNames:
    """The names of tables, rows and columns by what a file may call them."""

    def __init__(self, config: "StudyConfig") -> None:
        originals = [entry for entry in config.datasets if entry.copy_of is None]
        self.tables = [table.id for table in config.tables]
        self.kinds = {
            (table.id, each.name): each.kind for table in config.tables for each in table.summary
        }
        rows = [(label_of(entry, entry.name), entry.name) for entry in originals]
        self.rows = {
            table.id: _by_label(
                [*rows, *((config.summary_label(table, each), each.name) for each in table.summary)]
            )
            for table in config.tables
        }
        self.columns = {
            table.id: _by_label(
                (label, column.name)
                for column in table.columns
                for label in {config.column_label(column), config.column_title(column)}
            )
            for table in config.tables
        }

    def place(self, table: str, row: str, title: str) -> Place:
        """Return the names of a table, a row and a column."""
        column = self.columns.get(table, {}).get(_as_seen(title), title)
        return table, self.rows.get(table, {}).get(_as_seen(row), row), column


def _read(
    path: Path, config: "StudyConfig"
) -> tuple[list[tuple[Place, Published, str]], list[str]]:
    """Return the printed numbers of a file, each with its place and line, and what is wrong."""
    names, mistakes = PlaceNames(config), list[str]()
    numbers: dict[Place, tuple[Place, Published, str]] = {}
    header: list[str] = []
    for position, line in csv_lines(path):
        if not header or "row" in line:
            header = line
            _check_header(position, header, names)
            continue
        try:
            for title, place, text in _fields(position, header, line, names):
                if place in numbers:
                    before = numbers[place][2].rpartition(", ")[2]
                    message = f"the value of {', '.join(place)} is given twice"
                    raise UserError(f"{position}: {message} (before in {before})")
                try:
                    numbers[place] = place, _published(text), position
                except ValueError as error:
                    is_wins = names.kinds.get(place[:2]) == "wins"
                    slip = slip_in_number(text) if is_wins else ""
                    hint = "; ".join(filter(None, (slip, _ACCEPTED_WINS))) if is_wins else error
                    mistakes.append(f"{position}: {title} has {text!r:.200}; {hint}")
        except UserError as error:
            mistakes.append(str(error))
    if not header:
        raise UserError(f"{path}: holds no header line; {FORMS}")
    return list(numbers.values()), mistakes


def _check_header(position: str, header: list[str], names: PlaceNames) -> None:
    if "row" not in header:
        other = next((name for name in header if name.lower() in _ROW_NAMES), "")
        hint = f"; write `row` in place of {other!r}" if other else ""
        raise UserError(f"{position}: the header is {','.join(header)!r:.80}; {FORMS}{hint}")
    if twice := [name for name, times in Counter(header).items() if times > 1]:
        title = f"{twice[0]} (HEADING)"
        hint = f"the column under a heading is called by its name, or {title!r:.80}"
        hint = FOLLOWS if _DEVIATIONS.fullmatch(twice[0]) else hint
        raise UserError(f"{position}: the header names {twice[0]!r:.80} twice; {hint}")
    if "table" not in header and len(names.tables) != 1:
        raise UserError(f"{position}: which table? add a column `table` with its id")


def _fields(
    position: str, header: list[str], line: list[str], names: PlaceNames
) -> Iterator[tuple[str, Place, str]]:
    """Yield the numbers in a line as texts, each with the title and the place of its value."""
    if len(line) != len(header):
        counts = f"{len(line)} fields, and the header has {len(header)}"
        message = f"{','.join(line)!r:.200} has {counts}"
        decimals = any(map(_DECIMALS.fullmatch, line)) and len(line) > len(header)
        hint = COMMAS if decimals else FEWER if len(line) < len(header) else MORE
        raise UserError(f"{position}: {message}{hint}")
    fields = dict(zip(header, line, strict=True))
    table, row = fields.pop("table", names.tables[0] if names.tables else ""), fields.pop("row")
    is_long = {"row", "column", "value"} <= {*header} <= {*LONG}
    if is_long:
        std = fields.get("std", "")
        fields = {fields["column"]: fields["value"] + (f" ± {std}" if std else "")}
    for title, text in fields.items():
        if text not in NOT_GIVEN or is_long:
            place = names.place(table, row, title)
            yield place[2], place, text


def _published(text: str) -> Published:
    """Return a printed number; raise ValueError, which says what is accepted, for another text."""
    if of_wins := _WINS.fullmatch(text):
        return Published(float(of_wins[1]), text=text.replace(" ", ""))
    # Texts that are copied from a page have blanks that do not break a line.
    found = _VALUE.fullmatch(" ".join(text.split()).replace("−", "-"))
    if found is None:
        raise ValueError(_why_not(text))
    digits = list(filter(None, found.groups()))
    value, *std = map(float, digits)
    if not all(map(math.isfinite, (value, *std))):
        raise ValueError(ACCEPTED)
    return Published(value, std[0] if std else None, half_unit(digits[0]), " ±".join(digits))


def _why_not(text: str) -> str:
    """Return what is wrong with a field that is not a number, and what is accepted."""
    plain = _MARKS.sub("", text).strip()
    plain = plain if _VALUE.fullmatch(plain) else text.strip("*†‡§ab^_{}() ")
    if text.lower() in ("none", "null", "x"):
        return LEAVE_EMPTY
    if text.endswith("%") or "%" in text:
        return f"leave out `%`: errors and accuracies are printed in percent; {ACCEPTED}"
    if slip := slip_in_number(text):
        return slip if slip == LEAVE_EMPTY else f"{slip}; {ACCEPTED}"
    if _VALUE.fullmatch(text.replace(",", ".")):
        return f"write a point in decimals, not a comma; {ACCEPTED}"
    if plain != text and _VALUE.fullmatch(plain):
        return (
            f"leave out marks of notes and bold type: write {plain}; `notes:` of a table has notes"
        )
    if _INTERVAL.search(text):
        return (
            "a range or an interval is not a printed value with its standard deviation: write the"
            " value alone, and the interval in a note"
        )
    if text[:1] in "<>≤≥~≈":
        return "a bound or an estimate is not a printed value: leave it out, or say it in a note"
    return ACCEPTED


def _by_label(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return names by those labels that no other one has, and that are no name themselves."""
    of_label = [(_as_seen(label), name) for label, name in pairs]
    counts = Counter(label for label, _ in of_label)
    names = {name for _, name in of_label}
    return {label: name for label, name in of_label if counts[label] == 1 and label not in names}


def _as_seen(text: str) -> str:
    """Return a text in the one form of those that look alike: é may be one character or two."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def half_unit(text: str) -> float:
    """Return half a unit of the last digit of a number: 0.05 for `24.7`, 0.5 for `468`."""
    exponent = Decimal(text.strip()).as_tuple().exponent
    return float(f"0.5e{exponent}")


def check_published(path: Path, config: "StudyConfig") -> dict[Place, Published]:
    """Return the printed numbers of a file, as `read_published` does.

    Raises UserError if no table has a place for one of them, or it cannot be of its metric:
    Mistakes for several.
    """
    kinds = PlaceNames(config).kinds
    read, mistakes = _read(path, config)
    unknown = dict[tuple[str, ...], list[str]]()  # by name; what is wrong with each value
    for place, number, position in read:
        at = f"{position}: the value of {', '.join(place)}: "
        if wrong_name := _unknown_name(config, place):
            unknown.setdefault(wrong_name, []).append(at)
        elif wrong := _not_of_its_place(config, place, kinds.get(place[:2], ""), number):
            mistakes.append(at + wrong)
    for (what, name, *accepted), places in unknown.items():
        wrong = f"{places[0]}unknown {what} {name!r}; accepted: {first_names(accepted)}"
        hint = _summary_hint(name) if what == "row" else ""
        if what == "row" and any(
            name == column.name for t in config.tables for column in t.columns
        ):
            hint = f"; {name} is a column: the file has rows and columns exchanged"
        if what == "column" and _DEVIATIONS.fullmatch(name):
            hint = f"; {FOLLOWS}"
        others = f" (and {counted(len(places) - 1, 'more value')})" if len(places) > 1 else ""
        mistakes.append(wrong + (hint or did_you_mean(name, accepted)) + others)
    if mistakes:
        raise Mistakes(mistakes)
    return {place: number for place, number, _ in read}


def _unknown_name(config: "StudyConfig", place: Place) -> tuple[str, ...]:
    """Return what the first unknown name of a place is of, the name, and what is accepted."""
    table, row, column = place
    tables = [one.id for one in config.tables]
    if table not in tables:
        return ("table", table, *tables)
    block = config.table(table)
    rows = [*config.rows_of(block), *(each.name for each in block.summary)]
    if row not in rows:
        return ("row", row, *rows)
    columns = [one.name for one in block.columns]
    return () if column in columns else ("column", column, *columns)


def _summary_hint(row: str) -> str:
    """Return how a table gets a row that sums it up, if the row is called so; else ""."""
    against = row.removeprefix("wins-")
    if against == row and (row not in KINDS or row == "wins"):
        return ""
    summary = row if against == row else f"{{wins: {against}}}"
    return f"; `summary: [{summary}]` of the table adds this row"


def _not_of_its_place(config: "StudyConfig", place: Place, kind: str, number: Published) -> str:
    """Return why a number cannot stand in its place, of a summary of a `kind` if any; else ""."""
    if (kind == "wins") != ("/" in number.text):
        wanted = _ACCEPTED_WINS if kind == "wins" else "accepted: a number"
        return f"{number.text} is not accepted; {wanted}"
    if kind == "mean-rank" and number.value < 1:
        return f"{number.text} is not an average rank; accepted: 1 (the best) or more"
    if kind in COMPARING:
        is_wrong = kind == "winner" and not 0 <= number.value <= PERCENT.scale
        is_wrong = is_wrong or (kind == "mean-excess" and number.value < 0)
        limits = "0 to 100" if kind == "winner" else "at least 0"
        return f"{number.text} is not a value of `{kind}`, in percent: {limits}" if is_wrong else ""
    table = config.table(place[0])
    metric = table.metric_of(table.column(place[2]))
    if metric.startswith(PARAMETER) and number.std is not None:
        return f"{number.text}: {metric} is what the config sets, and has no standard deviation"
    return _out_of_range(metric, number)


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
        return f"{number.value:g} is not a value of {metric}; accepted: a whole number"
    if number.std is not None and number.std < 0:
        return f"the standard deviation {number.std:g} is negative"
    # With n - 1 in place of n, which is at least n / 2, a deviation is larger by sqrt(2) at most.
    if least_deviation(number) > math.sqrt(2) * largest_deviation(metric, number):
        of = "percentages" if unit_of(metric) == PERCENT else f"values of {metric}"
        with_mean = f"{of} with the mean {number.value:g}"
        return f"the standard deviation {number.std:g} is larger than {with_mean} can have"
    return ""


def least_deviation(number: Published) -> float:
    """Return the smallest standard deviation that is printed as that of a number."""
    return (number.std or 0.0) - number.half_unit


def largest_deviation(metric: str, number: Published) -> float:
    """Return the largest standard deviation, with the divisor n, of values with a printed mean.

    Those at both ends of the metric's range vary most. It is infinite without such a range.
    """
    low, high = range_of(metric)
    above = min(number.value + number.half_unit, high) - low
    below = high - max(number.value - number.half_unit, low)
    return math.sqrt(above * below) if math.isfinite(above * below) else math.inf
