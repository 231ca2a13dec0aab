"""The lines of a CSV file beside a config, with what its header must not have been meant as."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ensvm.errors import UserError
from ensvm.study.source import read_text

# Marks that other tools put between fields, in place of the comma.
_OTHER_MARKS = {";": "semicolons", "\t": "tabs", "|": "'|'", "&": "'&'"}
NOT_GIVEN = ("", "-", "--", "---", "–", "—")  # fields without a value
LEAVE_EMPTY = "leave the field empty, or write `-`, if there is no value"
# What papers and spreadsheets write if there is no value.
_WORDS_FOR_NOTHING = ("n/a", "na", "nan", "?", "n.a", "not available")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_COMMA = re.compile(r"[-+]?\d+,\d+")
# What spreadsheets make of 26.4 or 3/0/1
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE = re.compile(
    rf"\d{{1,2}}[-. ]*({_MONTHS})[a-z]*\W*\d*|({_MONTHS})[a-z]*[-. ]*\d+"
    r"|\d{1,2}[-./]\d{1,2}[-./]\d{4}|\d{4}-\d{2}-\d{2}",
    re.IGNORECASE,
)
_POWER = re.compile(r"10\s*(?:\^|\*\*)\s*[{(]?([-+−]?\d+)[})]?")


class CsvLine(NamedTuple):
    """One line of a file: where it is, for messages, and its fields without spaces around them."""

    position: str
    fields: list[str]


def slip_in_number(text: str) -> str:
    """Return what to write in place of a text that is meant as a number, or as none; else ""."""
    if text.lower().strip(". ") in _WORDS_FOR_NOTHING:
        return LEAVE_EMPTY
    if any(letter.isdecimal() and not letter.isascii() for letter in text):
        return "write the digits 0 to 9, and a point in decimals"
    if _DATE.fullmatch(text):
        return "this is a date, which a spreadsheet may have made of the printed value"
    if "#" in text:
        return "a comment stands in a line of its own, which begins with #"
    if _THOUSANDS.fullmatch(text):
        return "leave out commas between thousands, and write a point in decimals"
    if _COMMA.fullmatch(text):
        return "write a point in decimals, not a comma"
    if power := _POWER.fullmatch(text):
        return f"write 1e{power[1].replace('−', '-')}"
    return ""


def csv_lines(path: Path) -> Iterator[CsvLine]:
    """Yield the lines of a CSV file but for empty ones and comments, which begin with #.

    Raises UserError if the file cannot be read, or its first line is divided by other marks.
    """
    lines = csv.reader(read_text(path).removeprefix("\ufeff").splitlines(keepends=True))
    is_first, end = True, 0
    try:
        for fields in lines:
            position, end = f"{path}, line {end + 1}", lines.line_num
            if broken := [field for field in fields if "\n" in field]:
                message = "a quotation mark is opened, and not closed in its line"
                raise UserError(f"{position}: {message}: {broken[0]!r:.60}")
            if not any(fields) or fields[0].startswith("#"):
                continue
            if is_first and len(fields) == 1:
                for mark, name in _OTHER_MARKS.items():
                    if mark in fields[0]:
                        message = f"{name} stand between the fields of {fields[0]!r:.60}; accepted:"
                        raise UserError(f"{position}: {message} commas, and points in decimals")
            is_first = False
            yield CsvLine(position, [field.strip() for field in fields])
    except csv.Error as error:
        raise UserError(f"{path}, line {lines.line_num}: not CSV: {error}") from error
