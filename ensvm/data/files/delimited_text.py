"""Tables of delimited text: CSV, tab-separated, UCI and KEEL files."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from ensvm import hints
from ensvm.data.files.encode import (
    LABEL_MARKS,
    USUAL_MARKS,
    Inputs,
    Label,
    Numerals,
    encoded_columns,
)
from ensvm.data.files.file_content import FileContent, reading
from ensvm.data.files.named_columns import NamedColumnsFormat, Table, refuse_equal_names
from ensvm.errors import Strict, UserError

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "whitespace": None}
_END_OF_FILE = "\x1a"  # DOS marks the end of a text so
_FIRST_ROWS = 50  # rows that tell whether the first of them is a header


def _delimiter(name: str) -> str:
    if name in DELIMITERS or (len(name) == 1 and name not in '"\r\n\0'):
        return name
    names = ", ".join(DELIMITERS)
    raise ValueError(f"{name!r} is not a delimiter (accepted: any one character, or {names})")


def _encoding(name: str) -> str:
    try:
        "a,1\n".encode(name)
    except (LookupError, ValueError):
        accepted = "utf-8, utf-16, latin-1, cp1252 and all that Python knows"
        raise ValueError(f"{name!r} is not an encoding of text (accepted: {accepted})") from None
    return name


def _thousands(mark: str) -> str:
    if mark.isalnum() or mark in "+-\r\n":
        raise ValueError(
            f"{mark!r} is not a mark of thousands (accepted: one character, as ' or .)"
        )
    return mark


def _quote(mark: str) -> str:
    if mark.isalnum() or mark.isspace():
        raise ValueError(f"{mark!r} is not a quote (accepted: one character, as \" or ')")
    return mark


Delimiter = Annotated[str, AfterValidator(_delimiter)]
TextEncoding = Annotated[str, AfterValidator(_encoding)]
OneCharacter = Annotated[str, Field(min_length=1, max_length=1)]
Thousands = Annotated[OneCharacter, AfterValidator(_thousands)]
Quote = Annotated[OneCharacter, AfterValidator(_quote)]


class Dialect(Strict):
    """How a user's own table of text is written: the key `format` of its data set.

    Attributes
    ----------
    type : 'table', 'libsvm' or None
        What the file is, whatever its ending; by default its ending or its content says it.
    encoding : str
        The encoding of the text, as Python calls it.
    delimiter : str or None
        The character between fields, or its name: comma, semicolon, tab, bar, whitespace. By
        default that of the file's ending.
    decimal : '.' or ','
        The mark before the decimals.
    thousands : str or None
        The mark between thousands, as in 1.234.567.
    quote : str
        The character around fields that hold a delimiter or a line break.
    missing : list of str or None
        What stands for a missing value, beside an empty field. By default what pandas takes for
        it (NA, NaN, null, ...), `?`, and a spreadsheet's errors; labels may then be called NA.
    skip : int
        How many lines before the table are left out.
    footer : int
        How many rows after the table are left out.
    header : int, bool or None
        How many lines before the rows are headings; the first of them names the columns. `true` is
        1, `false` is 0. By default 1 if `target` is a name, or a text stands above numbers, else 0.
    """

    hints: ClassVar = hints.FORMAT

    type: Literal["table", "libsvm"] | None = None
    encoding: TextEncoding = "utf-8"
    delimiter: Delimiter | None = None
    decimal: Literal[".", ","] = "."
    thousands: Thousands | None = None
    quote: Quote = '"'
    missing: list[Label] | None = None
    skip: int = Field(default=0, ge=0)
    footer: int = Field(default=0, ge=0)
    header: Annotated[int | bool, AfterValidator(int), Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if self.thousands == self.decimal:
            raise ValueError(f"thousands: {self.thousands!r} is the decimal mark")
        if self.quote == self.delimiter:
            raise ValueError(f"quote: {self.quote!r} is the delimiter")
        return self


class TableFormat(NamedColumnsFormat, Dialect):
    """Rows of fields: CSV, tab-separated, UCI and KEEL files.

    The first of the `header` lines names the columns, unless `columns` does. Inputs are the columns
    that `inputs` names with their encodings, or else the card's `inputs`, or else all but the
    target.

    Attributes
    ----------
    type : 'table'
        The name of the format.
    delimiter : str
        The character between fields, or its name: comma, semicolon, tab, bar, whitespace.
    missing : list of str or None
        What stands for a missing value, beside an empty field.
    header : int
        How many lines before the rows are headings; the first of them names the columns.
    comment : str, list of str or None
        Lines that begin with this text are left out.
    lowercase : bool
        Whether fields and labels are read as if written in lower case.
    corrections : dict of str to str
        Text that the file holds exactly once, each with what replaces it, such as a line broken
        in two.
    columns : list of str or None
        The names of the columns, for a file without a header.
    inputs : dict or None
        The columns used, each with its encoding; those of the card if not given.
    encoded : bool
        Whether the columns hold the card's codes already.
    """

    endings: ClassVar = {
        ".csv": {"type": "table", "delimiter": "comma"},
        ".tsv": {"type": "table", "delimiter": "tab"},
        ".tab": {"type": "table", "delimiter": "tab"},
    }

    type: Literal["table"]
    delimiter: Delimiter = "comma"
    header: int = Field(default=0, ge=0)
    comment: str | list[str] | None = None
    lowercase: bool = False
    corrections: dict[str, str] = Field(default_factory=dict)
    columns: list[str] | None = None
    inputs: Inputs | None = None
    encoded: bool = False

    @classmethod
    def of_own_file(
        cls, ending: str, dialect: Dialect | None, options: dict[str, Any], file: FileContent
    ) -> Self:
        """Return the format of a user's own table."""
        dialect = dialect or Dialect()
        written = dialect.model_dump(exclude_unset=True, exclude={"type"})
        if dialect.delimiter is None:
            written["delimiter"] = cls.endings.get(ending, {}).get("delimiter", "comma")
        if written.get("header") is None:
            written["header"] = 1
            form = cls.model_validate({"type": "table", **written, **options})
            if _is_position(options["target"]) and not form.begins_with_names(file):
                return form.model_copy(update={"header": 0})
            return form
        return cls.model_validate({"type": "table", **written, **options})

    def begins_with_names(self, file: FileContent) -> bool:
        """Return whether the first row has a text above a column of numbers."""
        rows = self.rows(file)
        if not rows.texts:
            raise UserError(f"{file.name}: holds no rows")
        first, *others = [self.fields(text) for text in rows.texts[:_FIRST_ROWS]]
        width = len(others[0]) if others else 0
        names = [""] * (width - len(first)) + first  # R gives row names no title
        columns = zip(*(row for row in others if len(row) == width), strict=True)
        return any(self._is_above_numbers(*pair) for pair in zip(names, columns, strict=False))

    def _is_above_numbers(self, name: str, fields: Sequence[str]) -> bool:
        present = [text for text in fields if text not in self.missing_marks]
        if name in self.missing_marks or not present:
            return False
        return (
            bool(np.isnan(self.numerals.read([name])[0]))
            and not np.isnan(self.numerals.read(present)).any()
        )

    def table(self, file: FileContent) -> Table:
        """Return the rows below the header, as texts.

        pandas cuts the text into fields; `Numerals` makes numbers of them, exactly to the last bit.
        """
        import pandas  # loaded here to keep starting up quick

        names, rows, notes = self._body(file)
        refuse_equal_names(names, file.name)
        with reading(file.name, "a table of text"):
            frame = pandas.read_csv(
                io.StringIO("\n".join(rows.texts) or "\n"),
                sep=self._mark or r"\s+",
                engine="c" if len((self._mark or "").encode()) < 2 else "python",
                quotechar=self.quote,
                skipinitialspace=self._mark != " ",
                header=None,
                names=names,
                index_col=False,
                dtype=object,
                na_filter=False,
            )
        if b'="' in file.data or b'=\0"' in file.data:  # Excel's ="5" (also in UTF-16)
            formula = re.compile(r'^\s*="(.*)"\s*$', re.S)
            frame = frame.map(lambda text: formula.sub(r"\1", text))
        return Table(frame, lambda row: f"{file.name}, line {rows.lines[row]}", notes)

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names in the header; without one, the positions."""
        return self._body(file)[0]

    def _body(self, file: FileContent) -> tuple[list[str], "TextRows", tuple[str, ...]]:
        """Return the names of the columns, the rows below the header, and what is left out."""
        rows = self.rows(file)
        if len(rows.texts) < self.header:
            raise UserError(f"{file.name}: holds no header line")
        # a name in quotes may go over several lines
        names = self.columns or [
            " ".join(name.split())
            for text in rows.texts[: min(self.header, 1)]
            for name in self.fields(text)
        ]
        body = rows.cut(self.header, len(rows.texts))
        if not names:
            if not body.texts:
                raise UserError(f"{file.name}: holds no rows")
            names = [str(at) for at in range(body.widths[0])]
        notes = list[str]()
        if set(body.widths) == {len(names) + 1}:
            body, *notes = self._without_row_names(body)
        for line, width in zip(body.lines, body.widths, strict=True):
            if width != len(names):
                hint = "; of several spaces: `delimiter: whitespace`" if self._mark == " " else ""
                if self.header and set(body.widths) == {width}:
                    hint = "; the header and all rows differ: is a name or a quote missing?"
                raise UserError(
                    f"{file.name}, line {line}: {width} fields; expected {len(names)}{hint}"
                )
        return names, body, tuple(notes)

    def _without_row_names(self, body: "TextRows") -> tuple["TextRows", *tuple[str, ...]]:
        """Return rows with one field more than the header without it, and what was left out.

        R writes names of rows, all different, and no title for them. A number without quotes is
        none: it may be cut in two by its decimal comma.
        """
        fields = [self.fields(text) for text in body.texts]
        first = [row[0] for row in fields]
        quoted = all(text.lstrip().startswith(self.quote) for text in body.texts)
        texts = bool(np.isnan(self.numerals.read(first)).all())
        if not any(row[-1] for row in fields):
            fields, note = [row[:-1] for row in fields], "a delimiter after each row left out"
        elif len(set(first)) == len(first) and (quoted or texts or self._mark is None):
            fields, note = [row[1:] for row in fields], "row names of R left out"
        else:
            return (body,)
        lines = [(self._mark or " ").join(map(self._quoted, row)) for row in fields]
        return TextRows(body.lines, lines, [len(row) for row in fields]), note

    def _quoted(self, text: str) -> str:
        return self.quote + text.replace(self.quote, 2 * self.quote) + self.quote

    def rows(self, file: FileContent) -> "TextRows":
        """Return the text of each row, header and all, without comments, blank lines and footer.

        Raises UserError for a quote that is not closed, and for what is not text.
        """
        comments = tuple([self.comment] if isinstance(self.comment, str) else self.comment or [])
        text = self._text(file)
        lines = islice(enumerate(text.split("\n"), start=1), self.skip, None)
        scan = self._scan_quoted if self.quote in text and self._mark else self._scan
        try:
            found = list(scan(lines, comments))
        except csv.Error as error:
            raise UserError(f"{file.name}, {error}") from error
        found = found[: max(len(found) - self.footer, 0)]
        return TextRows(*map(list, zip(*found, strict=True))) if found else TextRows([], [], [])

    def _scan(
        self, lines: Iterator[tuple[int, str]], comments: tuple[str, ...]
    ) -> Iterator[tuple[int, str, int]]:
        """Yield line number, text and number of fields of rows that go over one line each."""
        for number, line in lines:
            if line.strip() and not line.startswith(comments):
                yield number, line, self._width(line)

    def _scan_quoted(
        self, lines: Iterator[tuple[int, str]], comments: tuple[str, ...]
    ) -> Iterator[tuple[int, str, int]]:
        """Yield the same of rows that may go over several lines, within quotes."""
        row = list[tuple[int, str]]()

        def texts() -> Iterator[str]:
            for number, line in lines:
                # within quotes, blank lines and comments belong to the field
                if row or (line.strip() and not line.startswith(comments)):
                    row.append((number, line))
                    yield f"{line}\n"
            if row:
                raise csv.Error(f"line {row[0][0]}: a quote {self.quote} is not closed")

        for fields in csv.reader(texts(), **self._csv_options):
            yield row[0][0], "\n".join(line for _, line in row), len(fields)
            row.clear()

    @property
    def _csv_options(self) -> dict[str, Any]:
        blanks = self._mark != " "
        return {"delimiter": self._mark, "quotechar": self.quote, "skipinitialspace": blanks}

    @property
    def _mark(self) -> str | None:
        """The character between fields; None for any number of blanks."""
        return DELIMITERS.get(self.delimiter, self.delimiter)

    def _width(self, text: str) -> int:
        if self.quote in text:
            return len(self.fields(text))
        return len(text.split()) if self._mark is None else text.count(self._mark) + 1

    def fields(self, text: str) -> list[str]:
        """Return the fields of one row."""
        if self._mark is None:
            quote = re.escape(self.quote)
            found = re.findall(
                rf"{quote}((?:[^{quote}]|{quote}{quote})*){quote}(?=\s|$)|(\S+)", text
            )
            return [(quoted or plain) for quoted, plain in found]
        rows = csv.reader(io.StringIO(text, newline=""), **self._csv_options)
        return [field.strip() for row in rows for field in row]

    def _text(self, file: FileContent) -> str:
        """Return the decoded text, with `\\n` at the end of each line."""
        try:
            text = file.data.decode(self.encoding)
        except UnicodeDecodeError as error:
            line = file.data.count(b"\n", 0, error.start) + 1
            raise self._not_text(file, line, error.reason) from error
        except UnicodeError as error:
            raise self._not_text(file, None, str(error)) from error
        text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        text = text.rstrip("\n").removesuffix(_END_OF_FILE)
        if "\0" in text:
            line = text.count("\n", 0, text.index("\0")) + 1
            raise self._not_text(file, line, "a zero byte")
        for wrong, right in self.corrections.items():
            if (count := text.count(wrong)) != 1:
                raise UserError(
                    f"{file.name}: corrections: {wrong!r} is there {count} times, not once"
                )
            text = text.replace(wrong, right)
        return text.lower() if self.lowercase else text

    def _not_text(self, file: FileContent, line: int | None, reason: str) -> UserError:
        position = file.name if line is None else f"{file.name}, line {line}"
        name = "UTF-8" if self.encoding == "utf-8" else self.encoding
        hint = "say which encoding it has, as in `format: {encoding: cp1252}`"
        return UserError(f"{position}: is not {name} text ({reason}); {hint}")

    def columns_used(self, file: FileContent) -> Inputs | None:
        """Return the inputs and their encodings; None for all columns but the target."""
        inputs = self.inputs or file.inputs
        if inputs and self.encoded:
            return dict.fromkeys(encoded_columns(inputs), "number")
        return inputs

    @property
    def numerals(self) -> Numerals:
        """How numbers are written."""
        return Numerals(self.decimal, self.thousands or "")

    @property
    def missing_marks(self) -> frozenset[str]:
        """The inputs that have no value."""
        return USUAL_MARKS if self.missing is None else frozenset(["", *self.missing])

    @property
    def label_marks(self) -> frozenset[str]:
        """The labels that are missing."""
        return LABEL_MARKS if self.missing is None else self.missing_marks


@dataclass(frozen=True)
class TextRows:
    """The rows of a text, not yet cut into fields."""

    lines: list[int]  # the line that each row begins at
    texts: list[str]
    widths: list[int]  # the number of fields

    def cut(self, start: int, end: int) -> "TextRows":
        """Return the rows from `start` up to, not including, `end`."""
        return TextRows(self.lines[start:end], self.texts[start:end], self.widths[start:end])


def _is_position(column: str | int) -> bool:
    return isinstance(column, int) or re.fullmatch(r"-?\d+", column) is not None
