"""A user's table as `ensvm init` reads it: how it is written is guessed, its fields are text."""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from ensvm.data.drafting.column_guess import FEWEST_ROWS, MISSING, guess_numerals
from ensvm.data.files.delimited_text import DELIMITERS, TableFormat
from ensvm.data.files.encode import Numerals
from ensvm.data.files.file_content import FileContent, unpack
from ensvm.data.files.named_columns import NamedColumnsFormat, TypedColumns, refuse_equal_names
from ensvm.data.own_file import ending_of
from ensvm.errors import Refused, UserError

MAX_FIELDS = 2_200_000  # each takes some microseconds
MAX_COLUMNS = 20_000
HEAD = 2**16  # characters that a guess is made from
HEAD_ROWS = 200
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
LIBSVM = re.compile(r"\S+(\s+\d+:\S+)+\s*")
# A delimiter that is rarer within fields comes first: a comma may be a decimal point.
TRIED = ("tab", "semicolon", "bar", "comma", "whitespace")


@dataclass
class DraftTable:
    """The fields of a table, before anything is guessed of what its columns hold."""

    written_as: str  # how the file is written, in one line
    names: list[str]  # the columns as a config names them: by position if the header does not do
    columns: list[Sequence[str]]  # the fields of each column
    titles: list[str] = field(default_factory=list)  # the columns as the header calls them
    numerals: Numerals = field(default_factory=Numerals)  # how numbers are written
    # the key `format` of the config, without what goes without saying
    dialect: dict[str, Any] = field(default_factory=dict)
    # whether a config names the target by position, which means that there is no header
    by_position: bool = False
    typed: TypedColumns | None = None  # what the types of the columns say; None for a table of text


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


def text_table(file: FileContent, path: Path, header: bool | None) -> DraftTable:
    """Return the fields of delimited text, read as a config will read them."""
    first = file.data.removeprefix(codecs.BOM_UTF8).lstrip()[:20].lower()
    for beginning, what in FOREIGN.items():
        if first.startswith(beginning.lower()):
            raise UserError(f"{path}: is {what}")
    text, encoding = _decoded(file)
    skip, delimiter = _guess_delimiter(file.name, text)
    dialect: dict[str, Any] = {"encoding": encoding, "delimiter": delimiter, "skip": skip}
    del text
    form = TableFormat(type="table", target=-1, **dialect)
    head = list(islice(form.rows(file), HEAD_ROWS + 1))
    if not any(field.strip() for _, fields in head for field in fields):
        raise UserError(f"{path}: holds no values")
    if len(head[0][1]) > MAX_COLUMNS:
        raise UserError(f"{path}: {len(head[0][1]):,} columns; accepted: up to {MAX_COLUMNS:,}")
    named = _has_header([fields for _, fields in head]) if header is None else header
    titles = [title.strip() for title in head[0][1]]
    # the first column of what pandas writes is its index, which has no name
    by_position = not named or len(set(titles)) < len(titles) or not all(titles[1:])
    if named and by_position and len(head) > 1:
        dialect["skip"] = head[1][0] - 1  # a config cannot name the columns by this header
    options = {"header": 0 if by_position else 1, **dialect}
    form = TableFormat(type="table", target=-1, **options)
    names, columns = _columns(form, file)
    what = "a header" if named else "no header"
    what += " (columns are called by position, from 0)" if by_position else ""
    several = "s" if skip > 1 else ""
    what += f", {skip} line{several} before it left out" if skip else ""
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
    return DraftTable(written_as, names, columns, titles, numerals, dialect, by_position)


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


def _guess_delimiter(file_name: str, text: str) -> tuple[int, str]:
    """Return how many lines stand before the table, and the delimiter.

    The delimiter cuts most lines of the head into the same number of fields, two or more.
    """
    lines = re.split(r"\r\n|\r|\n", text[:HEAD])[: 2 * HEAD_ROWS]
    skip = 0
    for line in lines:
        excel = re.fullmatch(r"sep=(.)\s*", line)
        if excel and (names := [name for name in TRIED if DELIMITERS[name] == excel[1]]):
            return skip + 1, names[0]
        if not line.startswith(("#", "%")):
            break
        skip += 1
    lines = [line for line in lines[skip:] if line.strip()][:HEAD_ROWS]
    if lines and all(LIBSVM.fullmatch(line) for line in lines[:20]):
        raise UserError(f"{file_name}: is LIBSVM text; {RENAME.format('.libsvm')}")
    best, share = "", 0.0
    for name in TRIED:
        widths = Counter(_widths(lines, DELIMITERS[name]))
        width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1]))
        if width > 1 and count / widths.total() > share:
            best, share = name, count / widths.total()
    if share < 0.5:
        raise UserError(
            f"{file_name}: no delimiter cuts its lines into columns (tried: {', '.join(TRIED)}); "
            "a table needs one column of classes and one or more of inputs"
        )
    return skip, best


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
    kind = {"arff": "ARFF", "parquet": "Parquet"}.get(
        str(next(iter(form.endings.values()))["type"]), "Feather (Arrow)"
    )
    made = form.model_construct(target=-1)
    names, columns = _columns(made, file)
    typed = made.typed_columns(file)
    return DraftTable(f"{kind}, typed columns", names, columns, names, typed=typed)
