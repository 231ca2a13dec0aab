"""How a user's table is written: encoding, delimiter, header, and how numbers are written."""

import json
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ensvm.counts import counted
from ensvm.data.files.delimited_text import (
    COMMENT_MARKS,
    DELIMITERS,
    TableFormat,
    is_position,
)
from ensvm.data.files.encode import Inputs, Numerals
from ensvm.data.files.file_content import FileContent, is_utf_16
from ensvm.data.files.foreign_content import SAVE_AS
from ensvm.data.files.libsvm_text import is_libsvm
from ensvm.data.files.named_columns import NamedColumnsFormat, Table, texts_of
from ensvm.data.files.spreadsheets import as_text, is_workbook
from ensvm.data.missing_values import USUAL_MARKS
from ensvm.data.own_file import ending_of
from ensvm.errors import UserError

MAX_FIELDS = 2_200_000  # each takes some microseconds
FEWEST_ROWS = 10
HEAD = 2**16  # characters that a guess is made from
HEAD_ROWS = 200
MOST_BANNER = 20  # lines before a table, and after it, that are not rows of it
WIDEST_PAIR = 2  # fields: the first of a pair alone may be a row with a gap, and not a title
# What begins a row at the end of a table that sums up the others, and how many there are at most
SUMS = re.compile(
    r"(grand |sub)?(total|sum|mean|average|avg\.?|median|std|min|max|count|summe|mittelwert)s? ?:?",
    re.I,
)
MOST_SUMS = 5
SAMPLE = 200  # values of a column that show how numbers are written ...
SAMPLE_COLUMNS = 100  # ... and columns of numbers
BETWEEN_DIGITS = re.compile(r"\d\D+\d")
ENCODINGS = {"utf-8": "UTF-8", "utf-16": "UTF-16", "cp1252": "Windows-1252", "latin-1": "Latin-1"}
# What is looked for if a text does not look like Windows-1252
OTHER_ENCODINGS = (
    *("gb18030", "big5", "cp932", "euc_jp", "cp949"),
    *("cp1251", "koi8_r", "cp866", "cp1253", "cp1255", "cp1256", "cp874"),
)
# In Windows-1252, letters with accents and a few signs stand alone among letters of ASCII.
WESTERN = re.compile(
    rb"(?<![\x80-\xff])[\xc0-\xff\xa1\xa3\xa7\xaa\xab\xb0-\xb3\xb5\xba\xbb\xbf\x80\x91-\x97](?![\x80-\xff])"
)
BEYOND_ASCII = re.compile(rb"[\x80-\xff]")
ZEROS_OF_UTF_16 = 0.6  # of each second byte, at least, where most letters are those of ASCII
CONTROL = re.compile(r"[\0-\x08\x0e-\x19\x1b-\x1f\x7f]|\x1a(?!\s*$)")
# A delimiter that is rarer within fields comes first: a comma may be a decimal point.
TRIED = ("tab", "semicolon", "bar", "comma", "whitespace")
WAYS = [Numerals(), Numerals(","), Numerals(".", ","), Numerals(",", ".")]
WAYS += [Numerals(decimal, mark) for mark in "'\u2019 \u00a0\u2009\u202f" for decimal in ".,"]


@dataclass
class DraftTable:
    """The fields of a table, before anything is guessed of what its columns hold."""

    written_as: str  # how the file is written, in one line
    names: list[str]  # the columns as a config names them: by the header, or by position
    titles: list[str]  # the columns as the header calls them
    columns: list[list[str]]  # the fields of each column, empty if a value is missing
    numerals: Numerals = field(default_factory=Numerals)  # how numbers are written
    # the key `format` of the config, without values that are defaults
    dialect: dict[str, Any] = field(default_factory=dict)
    has_header: bool = True
    by_position: bool = False  # whether the config names the target by its position
    alarms: tuple[str, ...] = ()  # what may be wrong with how the file is read
    options: str = ""  # those of `ensvm init` that read the file in another way
    # If columns have types: the encodings of those that are not numbers, and by name why a column
    # cannot be an input.
    typed: tuple[Inputs, dict[str, str]] | None = None


def typed_table(file: FileContent, form: NamedColumnsFormat) -> DraftTable:
    """Return the fields of a table whose columns have types."""
    table = form.table(file)
    name = str(getattr(form, "type", ""))
    kind = {"arff": "ARFF", "feather": "Feather (Arrow)"}.get(name, name.capitalize())
    written_as = "; ".join([f"{kind}, typed columns", *table.notes])
    columns = _columns(table, file.name)
    names = list(table.columns)
    return DraftTable(written_as, names, names, columns, typed=form.typed_columns(file))


def text_table(
    file: FileContent,
    header: bool | None,
    written: Mapping[str, Any],
    named: Collection[str] = (),
) -> DraftTable:
    """Return the fields of delimited text, read as a config will read them.

    `written` are the keys of `format:` that need no guess, and `named` the names of columns that
    the user gave, which only a header can have. Raises UserError if the file is not a table of
    text.
    """
    plain, sheet = file, ""
    if is_workbook(file.data):
        plain, sheet = as_text(file.data, file.name, written.get("sheet"))
    text, encoding, doubt = _decoded(plain, written.get("encoding"))
    dialect: dict[str, Any] = {"encoding": encoding}
    dialect |= _guess_lines(file.name, text, "comma" if sheet else written.get("delimiter"))
    dialect |= {key: value for key, value in written.items() if key != "missing"}
    form = TableFormat(type="table", target=-1, **dialect)
    rows = form.rows(file, HEAD_ROWS + 1)
    head = [fields for _, fields in rows]
    if not any(any(fields) for fields in head):
        raise UserError(f"{file.name}: holds no values")
    if header is None:
        header = _has_header(form, head) or not {*map(str.strip, head[0])}.isdisjoint(named)
    n_headings = 1 + _n_headings(form, head) if header else 0
    titles = [" ".join(title.split()) for title in head[0]]
    # the first column of what pandas writes is its index, which has no name
    usable = header and len(set(titles)) == len(titles) and all(titles[1:])
    if header and not usable and len(rows) > n_headings:
        dialect["skip"] = rows[n_headings][0] - 1  # a config cannot name the columns by this header
    form = TableFormat(type="table", target=-1, header=n_headings * usable, **dialect)
    table = form.table(file)
    columns, names = _columns(table, file.name), list(table.columns)
    if "footer" not in written and (n_sums := _n_sums(columns)):
        dialect["footer"] += n_sums
        form = form.model_copy(update={"footer": dialect["footer"]})
        table = form.table(file)
        columns = _columns(table, file.name)
    # cells of a workbook are numbers or texts
    numerals = Numerals() if sheet else _guess_numerals(columns, form.delimiter == "comma")
    dialect |= {"decimal": numerals.decimal, "thousands": numerals.thousands}
    if usable and (n_headings > 1 or any(map(is_position, names))):
        dialect["header"] = n_headings
    written_as = f"a workbook, its sheet {sheet!r}"
    if not sheet:
        written_as = _encoding_and_delimiter(form, encoding, is_given="encoding" in written)
    notes = [f"{written_as}, {_about_header(n_headings, usable=usable)}", *table.notes]
    if usable:
        titles = names
    return DraftTable(
        "; ".join(notes),
        names,
        titles if header and len(titles) == len(names) else names,
        columns,
        numerals,
        _without_defaults(dialect, file.name, usable),
        has_header=header,
        by_position=not usable,
        alarms=(doubt,) if doubt else (),
        options="--sheet, --header" if sheet else "--encoding, --delimiter, --header",
    )


def _encoding_and_delimiter(form: TableFormat, encoding: str, *, is_given: bool) -> str:
    """Return in words how the letters and the fields of a text are written."""
    name = ENCODINGS.get(encoding, encoding)
    if encoding in ("cp1252", "latin-1") and not is_given:
        name += " (assumed, since it is not UTF-8)"
    names = {mark: key for key, mark in DELIMITERS.items()}
    return f"{name}, delimiter {names.get(form.delimiter, form.delimiter)}"


def _about_header(n_headings: int, *, usable: bool) -> str:
    """Return in words which lines are the header, and how columns are called without one."""
    text = "a header" if n_headings else "no header"
    if n_headings > 1:
        text += f" of {n_headings} lines, the first with the names"
    return text if usable else f"{text} (columns are called by position, from 0)"


def _without_defaults(dialect: dict[str, Any], file_name: str, usable: bool) -> dict[str, Any]:
    """Return the keys of `format:` that the reader would not take by itself."""
    from pathlib import Path

    ending = TableFormat.endings.get(ending_of(Path(file_name)), {})
    default = {**ending, "encoding": "utf-8", "decimal": "."}
    plain = {key: value for key, value in dialect.items() if value and value != default.get(key)}
    if "delimiter" in plain:
        plain["delimiter"] = DELIMITERS.get(plain["delimiter"]) or plain["delimiter"]
    return plain if usable else plain | {"header": 0}


def _columns(table: Table, file_name: str) -> list[list[str]]:
    """Return the fields of the columns, numbers as text, if there are neither too many nor few."""
    n_rows, n_columns = table.n_rows, len(table.columns)
    if n_rows * n_columns > MAX_FIELDS:
        raise UserError(
            f"{file_name}: more than {MAX_FIELDS:,} fields ({n_columns:,} columns); take a random "
            "sample of its rows for a first study, or write a config by hand"
        )
    if n_rows < FEWEST_ROWS:
        raise UserError(
            f"{file_name}: holds {counted(n_rows, 'row') if n_rows else 'no rows'}; accepted: "
            f"{FEWEST_ROWS} or more"
        )
    return [texts_of(column).tolist() for column in table.columns.values()]


def _decoded(file: FileContent, asked: str | None) -> tuple[str, str, str]:
    """Return the text, its encoding, and why that may be wrong; raise UserError for no text.

    If an encoding is `asked` for, the reader refuses what is not text in it.
    """
    data = file.data
    if asked is not None:
        return data.decode(asked, errors="replace").removeprefix("\ufeff"), asked, ""
    if _is_json(data):
        raise UserError(f"{file.name}: is JSON; {SAVE_AS}")
    marked = is_utf_16(data)
    other, doubt = "", ""
    if not marked and not _is_text(data, "utf-8"):
        other, doubt = _other_encoding(data)
    for encoding in (*["utf-16"] * marked, *[other] * bool(other), "utf-8", "cp1252", "latin-1"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        found = CONTROL.search(text[:HEAD])
        if control := found[0] if found else "\0" * ("\0" in text):
            what = f"not text but a binary file (it holds {control!r})"
            zeros = [data[first:HEAD:2].count(0) / len(data[first:HEAD:2]) for first in (0, 1)]
            if max(zeros) > max(ZEROS_OF_UTF_16, 1.5 * min(zeros)):
                what = "UTF-16 or UTF-32 without a byte-order mark (--encoding utf-16-le reads one)"
            raise UserError(f"{file.name}: is {what}; {SAVE_AS} in UTF-8")
        return text.removeprefix("\ufeff"), encoding, doubt
    raise AssertionError("every byte is a character of Latin-1")


def _is_text(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


def _other_encoding(data: bytes) -> tuple[str, str]:
    """Return the encoding of a text that looks neither like UTF-8 nor like Windows-1252.

    With it comes why it may be wrong. Both are empty for a text that looks like Windows-1252, and
    the encoding is if none is found.
    """
    n_beyond = len(BEYOND_ASCII.findall(data[:HEAD]))
    if len(WESTERN.findall(data[:HEAD])) > n_beyond / 2:
        return "", ""
    try:
        from charset_normalizer import from_bytes  # comes with pooch
    except ImportError:
        found = None
    else:
        lines = b"\n".join(line for line in data.splitlines() if BEYOND_ASCII.search(line))
        found = from_bytes(lines[:HEAD], cp_isolation=list(OTHER_ENCODINGS)).best()
    name = "" if found is None or not _is_text(data, found.encoding) else found.encoding
    read_as = f"is read as {name}, which is a guess" if name else "is read as Windows-1252"
    return name, (
        f"the text looks neither like UTF-8 nor like Windows-1252, and {read_as}: if its letters "
        "are wrong, --encoding NAME reads it as another one"
    )


def _is_json(data: bytes) -> bool:
    """Return whether a file, or its first line, is JSON."""
    if data.lstrip()[:1] not in (b"{", b"["):
        return False
    for part in (data, data.strip().split(b"\n")[0]):
        try:
            json.loads(part)
            return True
        except ValueError:
            continue
    return False


def _guess_lines(file_name: str, text: str, delimiter: str | None) -> dict[str, Any]:
    """Return the delimiter, and how many lines stand before and after the table.

    The delimiter cuts most lines of the head into the same number of fields, two or more; lines
    with at most half as many at the beginning and the end do not belong to the table.
    """
    lines = re.split(r"\r\n|\r|\n", text[:HEAD])[: 2 * HEAD_ROWS]
    skip = 0
    for line in lines:
        if excel := re.fullmatch(r"sep=(.)\s*", line):
            delimiter = delimiter or excel[1]
        elif not line.startswith(COMMENT_MARKS):
            break
        skip += 1
    shown = [line for line in lines[skip:] if line.strip()][:HEAD_ROWS]
    if is_libsvm("\n".join(shown).encode()):
        raise UserError(
            f"{file_name}: is LIBSVM text; rename it to end in .libsvm, and repeat the command"
        )
    best, width, share = "", 0, 0.0
    for name in TRIED if delimiter is None else (delimiter,):
        widths = Counter(_widths(shown, name))
        most, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1]), default=(0, 0))
        if most > 1 and count / widths.total() > share:
            best, width, share = name, most, count / widths.total()
    if share < 0.5:
        tried = ", ".join(TRIED) if delimiter is None else delimiter
        raise UserError(
            f"{file_name}: no delimiter cuts its lines into columns (tried: {tried}); "
            "a table needs one column of classes and one or more of inputs; --delimiter MARK names "
            "another one, and --skip N leaves out lines before it"
        )
    if foreign := _foreign_lines(lines[skip:], width, best):
        skip += foreign
    elif skip and _is_header_behind_a_mark(lines[skip - 1], shown, best):
        skip -= 1
    last = re.split(r"\r\n|\r|\n", text[-HEAD:].rstrip("\x1a\r\n "))[:0:-1]
    footer = sum(bool(line.strip()) for line in last[: _foreign_lines(last, width, best)])
    return {"delimiter": best, "skip": skip, "footer": footer}


def _is_header_behind_a_mark(line: str, rows: Sequence[str], delimiter: str) -> bool:
    """Return whether a comment above a table names its columns, and no row of it does."""
    if not line.startswith(COMMENT_MARKS):
        return False
    form = TableFormat(type="table", target=-1, delimiter=delimiter)
    [names, *head] = [fields for text in (line, *rows) for fields in form.cut([text])]
    if names[0] in COMMENT_MARKS and head and len(head[0]) == len(names) - 1:
        names = names[1:]
    alike = bool(head) and len(head[0]) == len(names) == len(set(names))
    return alike and _has_header(form, [names, *head]) and not _has_header(form, head)


def _n_headings(form: TableFormat, head: Sequence[list[str]]) -> int:
    """Return how many lines below the first hold units or types in place of numbers, at most two.

    Such a line has a text in most of several columns that hold numbers below it. A second one, as
    Orange writes it, has no number in them.
    """
    for count in (2, 1):
        rows = [row for row in head[count + 1 :] if len(row) == len(head[0]) and row != head[0]]
        columns = [
            [text for text in column if text not in USUAL_MARKS]
            for column in zip(*rows, strict=True)
        ]
        numeric = [
            at
            for at, column in enumerate(columns)
            if column and not np.isnan(form.numerals.read(column)).any()
        ]
        lines = head[1 : count + 1]
        if len(numeric) < 2 or any(len(line) <= max(numeric) or line == head[0] for line in lines):
            continue
        fields = [[line[at] for at in numeric if line[at] not in USUAL_MARKS] for line in lines]
        texts = [int(np.isnan(form.numerals.read(line)).sum()) for line in fields]
        second_has_none = count == 1 or texts[1] == len(fields[1])
        if texts[0] > len(numeric) / 2 and second_has_none:
            return count
    return 0


def _foreign_lines(lines: Sequence[str], width: int, delimiter: str) -> int:
    """Return how many of the first lines have at most half of the fields of a row.

    A spreadsheet writes a title with all the delimiters of a row, and only the first field filled.
    """
    count = 0
    for at, line in enumerate(lines[:MOST_BANNER], start=1):
        if line.strip():
            fields = [field for row in _cut(line, delimiter) for field in row]
            is_title = width > WIDEST_PAIR and not any(fields[1:])
            if line.count('"') % 2 or (len(fields) > width / 2 and not is_title):
                return count
            count = at
    return 0


def _n_sums(columns: Sequence[Sequence[str]]) -> int:
    """Return how many of the last rows sum up the others: a field says so, as no other row does."""
    last = [column[::-1][:MOST_SUMS] for column in columns]
    rows = list(zip(*last, strict=True))
    count = 0
    for row in rows:
        texts = [(text, at) for at, text in enumerate(row) if SUMS.fullmatch(text.strip())]
        if not any(columns[at].count(text) == 1 for text, at in texts):
            break
        count += 1
    return count


def _widths(lines: Sequence[str], delimiter: str) -> list[int]:
    return [sum(map(len, _cut(line, delimiter))) for line in lines]


def _cut(line: str, delimiter: str) -> list[list[str]]:
    return [*TableFormat(type="table", target=-1, delimiter=delimiter).cut([line])]


def _has_header(form: TableFormat, head: Sequence[list[str]]) -> bool:
    """Return whether the first row holds names.

    A text above numbers is a name. If no column has that, a text is one unless it occurs in its
    column again, and a number is one only if such a text stands beside it.
    """
    ways = [
        form.model_copy(update={"decimal": way.decimal, "thousands": way.thousands})
        for way in WAYS[:4]
    ]
    if any(way.begins_with_names(head) for way in ways):
        return True
    rows = [row for row in head if len(row) == len(head[0])]
    columns = [(name, below) for name, *below in zip(*rows, strict=True) if name]
    texts = [(name, below) for name, below in columns if np.isnan(Numerals().read([name])[0])]
    again = sum(name in below for name, below in texts)
    new = sum(name not in below and len(set(below)) <= len(below) / 2 for name, below in texts)
    return again < new if len(texts) < len(columns) else again <= new


def _guess_numerals(columns: Sequence[Sequence[str]], comma_delimited: bool) -> Numerals:
    """Return the way of writing numbers in which the most columns hold numbers.

    Of many columns, some at equal distances are looked at.
    """
    # in a file of commas, a comma within a number is a mark of thousands
    ways = [WAYS[0], WAYS[2], WAYS[1], *WAYS[3:]] if comma_delimited else WAYS
    samples = [
        [text for text in dict.fromkeys(column[: 10 * SAMPLE]) if text not in USUAL_MARKS][:SAMPLE]
        for column in columns
    ]
    # whole numbers and texts without digits look the same in every way of writing
    samples = [sample for sample in samples if any(map(BETWEEN_DIGITS.search, sample))]
    samples = samples[:: -(-len(samples) // SAMPLE_COLUMNS) or 1]

    best, best_score = ways[0], (-1, 0)
    for way in ways:
        wrong = [int(np.isnan(way.read(sample)).sum()) for sample in samples]
        few = [n <= min(3, len(sample) / 2) for n, sample in zip(wrong, samples, strict=True)]
        score = sum(few), -sum(wrong)
        if score > best_score:  # the first of several that are equally good
            best, best_score = way, score
        if not any(wrong):
            break
    return best
