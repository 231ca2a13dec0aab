"""A user's table as `ensvm init` reads it: how it is written is guessed, its fields are text."""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ensvm.data.drafting.column_guess import MISSING, guess_numerals
from ensvm.data.drafting.target_guess import FEWEST_ROWS
from ensvm.data.files.delimited_text import DELIMITERS, TableFormat
from ensvm.data.files.encode import Inputs, Numerals, plain_label
from ensvm.data.files.file_content import FileContent, unpack
from ensvm.data.files.named_columns import NamedColumnsFormat, refuse_equal_names
from ensvm.data.own_file import ending_of
from ensvm.errors import Refused, UserError

MAX_FIELDS = 2_200_000  # each takes some microseconds
MAX_COLUMNS = 20_000
HEAD = 2**16  # characters that a guess is made from
HEAD_ROWS = 200
MOST_BANNER = 20  # lines before a table, and after it, that are not rows of it
ENCODINGS = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "cp1252": "Windows-1252 (Latin-1)",
    "latin-1": "Latin-1",
}
SAMPLE_OF_ROWS = "take a random sample of its rows for a first study, or write a config by hand"
SAVE_AS = "save the table as CSV"
RENAME = "rename it to end in {}, and repeat the command"
FOREIGN = {
    b"PK\x03\x04": f"an Excel workbook or another zip archive; {SAVE_AS}, numpy's arrays as .npz",
    b"PAR1": f"a Parquet file; {RENAME.format('.parquet')}",
    b"\x93NUMPY": f"a numpy array; {SAVE_AS}, or as .npz with the arrays X and y",
    b"{": f"JSON; {SAVE_AS}",
    b"[{": f"JSON; {SAVE_AS}",
    b"<": f"HTML or XML; {SAVE_AS}",
    b"@relation": f"an ARFF file; {RENAME.format('.arff')}",
    b"ARROW1": f"a Feather file; {RENAME.format('.feather')}",
}
CONTROL = re.compile(r"[\0-\x08\x0e-\x1f\x7f]")
LINE_END = re.compile(r"\r\n|\r|\n")
LIBSVM = re.compile(r"\S+(\s+\d+:\S+)+\s*")
# A delimiter that is rarer within fields comes first: a comma may be a decimal point.
TRIED = ("tab", "semicolon", "bar", "comma", "whitespace")


@dataclass
class DraftTable:
    """The fields of a table, before anything is guessed of what its columns hold."""

    written_as: str  # how the file is written, in one line
    names: list[str]  # the columns as a config names them: by the header, or by position
    columns: list[Sequence[str]]  # the fields of each column
    titles: list[str] = field(default_factory=list)  # the columns as the header calls them
    numerals: Numerals = field(default_factory=Numerals)  # how numbers are written
    # the key `format` of the config, without values that are defaults
    dialect: dict[str, Any] = field(default_factory=dict)
    # whether the config names columns by position, so that the reader expects no header
    by_position: bool = False
    # for typed columns: the encodings of those that are not numbers, and why some cannot be inputs
    typed: tuple[Inputs, dict[str, str]] | None = None
    missing: frozenset[str] = MISSING  # the fields that have no value


def read_content(path: Path) -> FileContent:
    """Return the uncompressed file; raise UserError if there is none, or it is empty."""
    if not path.exists():
        raise UserError(f"{path}: no such file")
    try:
        data = unpack(path)
    except Refused as refusal:
        raise UserError(f"{path}: {refusal}") from refusal
    if not data.strip():
        raise UserError(f"{path}: the file is empty")
    return FileContent(data, str(path))


def text_table(
    file: FileContent, path: Path, header: bool | None, written: Mapping[str, Any]
) -> DraftTable:
    """Return the fields of delimited text, read as a config will read them.

    `written` are the keys of `format:` that need no guess.
    """
    first = file.data.removeprefix(codecs.BOM_UTF8).lstrip()[:20].lower()
    for beginning, what in FOREIGN.items():
        if first.startswith(beginning.lower()):
            raise UserError(f"{path}: is {what}")
    text, encoding = _decoded(file)
    guessed = _guess_dialect(file.name, text, written.get("delimiter"))
    dialect: dict[str, Any] = {"encoding": encoding, **guessed}
    dialect |= {key: value for key, value in written.items() if key != "missing"}
    names_of_marks = {mark: name for name, mark in DELIMITERS.items()}
    dialect["delimiter"] = names_of_marks.get(dialect["delimiter"], dialect["delimiter"])
    delimiter = dialect["delimiter"]
    del text
    form = TableFormat(type="table", target=-1, **dialect)
    head = list(islice(form.rows(file), HEAD_ROWS + 1))
    if not any(field.strip() for _, fields in head for field in fields):
        raise UserError(f"{path}: holds no values")
    if len(head[0][1]) > MAX_COLUMNS:
        raise UserError(f"{path}: {len(head[0][1]):,} columns; accepted: up to {MAX_COLUMNS:,}")
    named = _has_header([fields for _, fields in head]) if header is None else header
    titles = [" ".join(title.split()) for title in head[0][1]]
    # the first column of what pandas writes is its index, which has no name
    by_position = not named or len(set(titles)) < len(titles) or not all(titles[1:])
    if named and by_position and len(head) > 1:
        dialect["skip"] = head[1][0] - 1  # a config cannot name the columns by this header
    options = {"header": 0 if by_position else 1, **dialect}
    form = TableFormat(type="table", target=-1, **options)
    names, columns = _columns(form, file)
    what = "a header" if named else "no header"
    what += " (columns are called by position, from 0)" if by_position else ""
    numerals = guess_numerals(columns, delimiter == "comma")
    dialect |= {"decimal": numerals.decimal, "thousands": numerals.thousands}
    ending = TableFormat.endings.get(ending_of(path), {})
    default = {**ending, "encoding": "utf-8", "decimal": "."}
    dialect = {
        key: DELIMITERS.get(value) or value if key == "delimiter" else value
        for key, value in dialect.items()
        if value and value != default.get(key)
    }
    written_as = f"{ENCODINGS[encoding]}, delimiter {delimiter}, {what}"
    if not named:
        titles = names
    missing = MISSING | _as_written(columns, written.get("missing", ()))
    return DraftTable(
        written_as, names, columns, titles, numerals, dialect, by_position, missing=missing
    )


def _as_written(columns: list[Sequence[str]], marks: Sequence[str]) -> set[str]:
    """Return the fields that are equal to marks, so that -9 stands for -9.0 too."""
    if not marks:
        return set()
    plain = {plain_label(mark) for mark in marks}
    return {text for column in columns for text in set(column) if plain_label(text) in plain}


def _columns(form: NamedColumnsFormat, file: FileContent) -> tuple[list[str], list[Sequence[str]]]:
    """Return the names and the fields of the columns; numbers of typed columns as text."""
    names, columns = form.column_names(file), list[list[str]]()
    refuse_equal_names(names, file.name)
    if len(names) > MAX_COLUMNS:
        raise UserError(f"{file.name}: {len(names):,} columns; accepted: up to {MAX_COLUMNS:,}")
    for block in form.blocks(file):
        columns = columns or [[] for _ in names]
        for fields, more in zip(columns, block.columns, strict=True):
            fields += [
                "" if value != value else str(value).strip()
                for value in (more.tolist() if isinstance(more, np.ndarray) else more)
            ]
        if len(columns[0]) * len(names) > MAX_FIELDS:
            raise UserError(
                f"{file.name}: more than {MAX_FIELDS:,} fields ({len(names):,} columns); "
                f"{SAMPLE_OF_ROWS}"
            )
    if not columns:
        raise UserError(
            f"{file.name}: holds {'a header and ' if getattr(form, 'header', 0) else ''}no rows"
        )
    if len(columns[0]) < FEWEST_ROWS:
        raise UserError(
            f"{file.name}: holds {len(columns[0])} rows; accepted: {FEWEST_ROWS} or more"
        )
    return names, list(columns)


def _decoded(file: FileContent) -> tuple[str, str]:
    """Return the text and its encoding; raise UserError for what is not text."""
    marked = file.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    for encoding in (*["utf-16"] * marked, "utf-8", "cp1252", "latin-1"):
        try:
            text = file.data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if (control := CONTROL.search(text, 0, HEAD)) or "\0" in text:
            what = repr(control[0]) if control else "a zero byte"
            raise UserError(
                f"{file.name}: is not text but a binary file (it holds {what}); {SAVE_AS}"
            )
        return text.removeprefix("\ufeff"), encoding
    raise AssertionError("every byte is a character of Latin-1")


def _guess_dialect(file_name: str, text: str, delimiter: str | None) -> dict[str, Any]:
    """Return the delimiter, and how many lines stand before and after the table.

    The delimiter cuts most lines of the head into the same number of fields, two or more; lines
    with at most half as many at the beginning and the end do not belong to the table.
    """
    lines = LINE_END.split(text[:HEAD])[: 2 * HEAD_ROWS]
    skip = 0
    for line in lines:
        excel = re.fullmatch(r"sep=(.)\s*", line)
        if excel:
            names = [name for name in TRIED if DELIMITERS[name] == excel[1]]
            delimiter = delimiter or next(iter(names), None)
        elif not line.startswith(("#", "%")):
            break
        skip += 1
    shown = [line for line in lines[skip:] if line.strip()][:HEAD_ROWS]
    if shown and all(LIBSVM.fullmatch(line) for line in shown[:20]):
        raise UserError(f"{file_name}: is LIBSVM text; {RENAME.format('.libsvm')}")
    best, width, share = "", 0, 0.0
    for name in TRIED if delimiter is None else (delimiter,):
        widths = Counter(_widths(shown, DELIMITERS.get(name, name)))
        most, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1]))
        if most > 1 and count / widths.total() > share:
            best, width, share = name, most, count / widths.total()
    if share < 0.5:
        tried = ", ".join(TRIED) if delimiter is None else delimiter
        raise UserError(
            f"{file_name}: no delimiter cuts its lines into columns (tried: {tried}); "
            "a table needs one column of classes and one or more of inputs; --skip N leaves out "
            "lines before it"
        )
    mark = DELIMITERS.get(best, best)
    skip += _foreign_lines(lines[skip:], width, mark)
    last = LINE_END.split(text[-HEAD:].rstrip())[:0:-1]
    footer = sum(bool(line.strip()) for line in last[: _foreign_lines(last, width, mark)])
    return {"delimiter": best, "skip": skip, "footer": footer}


def _foreign_lines(lines: list[str], width: int, mark: str | None) -> int:
    """Return how many of the first lines have at most half of the fields of a row."""
    count = 0
    for at, line in enumerate(lines[:MOST_BANNER], start=1):
        if line.strip():
            if line.count('"') % 2 or _widths([line], mark)[0] > width / 2:
                return count
            count = at
    return 0


def _widths(lines: list[str], mark: str | None) -> list[int]:
    if mark is None:
        return [len(line.split()) for line in lines] or [0]
    try:
        rows = list(csv.reader(lines, delimiter=mark, skipinitialspace=True))
    except csv.Error:
        return [0]
    return [len(row) for row in rows if row] or [0]


def _has_header(rows: list[list[str]]) -> bool:
    """Return whether the first row holds names.

    A text above numbers is a name. If no column has that, a number above numbers is not a name,
    and neither is a text that occurs in its column again.
    """
    new = again = numbers = 0
    rows = [row for row in rows if len(row) == len(rows[0])]
    for name, *fields in zip(*rows, strict=True):
        title, below = name.strip(), [text.strip() for text in fields if text.strip()]
        if sum(_are_numbers(below)) > len(below) / 2:
            if title not in MISSING and not any(_are_numbers([title])):
                return True
            numbers += bool(title)
        elif title and not any(_are_numbers([title])):
            again += title in below
            new += title not in below and len(set(below)) <= len(below) / 2
    return numbers == 0 and again <= new


def _are_numbers(texts: list[str]) -> list[bool]:
    """Return which texts are numbers, with a decimal point or comma."""
    ways = (Numerals(), Numerals(","), Numerals(".", ","), Numerals(",", "."))
    numeric = np.isfinite(ways[0].read(texts))
    if not numeric.all():
        numeric = numeric | np.any([np.isfinite(way.read(texts)) for way in ways[1:]], axis=0)
    return list(numeric.tolist())


def typed_table(file: FileContent, form: type[NamedColumnsFormat]) -> DraftTable:
    """Return the fields of a table whose columns have types."""
    name = str(next(iter(form.endings.values()))["type"])
    kind = {"arff": "ARFF", "feather": "Feather (Arrow)"}.get(name, name.capitalize())
    made = form.model_construct(target=-1)
    names, columns = _columns(made, file)
    written_as, typed = f"{kind}, typed columns", made.typed_columns(file)
    return DraftTable(written_as, names, columns, names, typed=typed)
