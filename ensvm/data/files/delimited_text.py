"""Tables of delimited text: CSV, tab-separated, UCI and KEEL files; sheets of workbooks as such."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import AfterValidator, Field, model_validator

from ensvm import hints
from ensvm.data.files.encode import Inputs, Label, Numerals, encoded_columns
from ensvm.data.files.file_content import FileContent
from ensvm.data.files.last_line import NO_LINE_BREAK, ends_whole
from ensvm.data.files.named_columns import NamedColumnsFormat, Table, refuse_equal_names
from ensvm.data.files.spreadsheets import ENDINGS, as_text, is_workbook
from ensvm.data.missing_values import LABEL_MARKS, USUAL_MARKS
from ensvm.errors import UserError
from ensvm.yaml_block import Strict

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "whitespace": None}
_END_OF_FILE = "\x1a"  # DOS marks the end of a text so
_OF_TEXT = ("encoding", "delimiter", "decimal", "thousands", "quote")  # a workbook has none
_FIRST_ROWS = 50  # rows that tell whether the first of them is a header

COMMENT_MARKS = ("#", "%")
_COMMENTED = re.compile(r"^[#%]+\s+(?!of\b)")  # "# of rings" is a name
_FORMULA = re.compile(r'^\s*="(.*)"\s*$', re.S)

Row = tuple[int, list[str]]  # the number of its first line, and its fields


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
    """How a user's own table of text or of a workbook is written: the key `format` of its data set.

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
    sheet : str or None
        The sheet of a workbook; by default the only one that has values.
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
    sheet: Label | None = None
    header: Annotated[int | bool, AfterValidator(int), Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _distinct(self) -> Self:
        if self.thousands == self.decimal:
            raise ValueError(f"thousands: {self.thousands!r} is the decimal mark")
        if self.quote == self.delimiter:
            raise ValueError(f"quote: {self.quote!r} is the delimiter")
        return self


class TableFormat(NamedColumnsFormat, Dialect):
    """Rows of fields: CSV, tab-separated, UCI and KEEL files, and sheets of workbooks.

    The first of the `header` lines names the columns, unless `columns` does. Inputs are the columns
    that `inputs` names with their encodings, or else the card's `inputs`, or else all but the
    target.

    Attributes
    ----------
    type : 'table'
        The name of the format.
    delimiter : str
        The character between fields, or its name: comma, semicolon, tab, bar, whitespace.
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
        **{ending: {"type": "table", "delimiter": "comma"} for ending in ENDINGS},
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
        is_open = written.get("header") is None
        header = {"header": 1} if is_open else {}
        form = cls.model_validate({"type": "table", **written, **header, **options})
        if is_open and is_position(options["target"]):
            first_rows = [fields for _, fields in form.rows(file, _FIRST_ROWS)]
            if not form.begins_with_names(first_rows):
                return form.model_copy(update={"header": 0})
        return form

    def begins_with_names(self, rows: Sequence[list[str]]) -> bool:
        """Return whether the first of some rows has a text above a column of numbers.

        A first row that numbers the columns is one of names, too.
        """
        first, *others = rows[:_FIRST_ROWS] or [[]]
        if _numbers_columns(first):
            return True
        seen = _as_seen(first)  # files put together, each with a header
        others = [row for row in others if _as_seen(row) != seen]
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
        """Return the rows below the header, as texts; `Numerals` makes numbers of them exactly."""
        names, body, notes = self._body(file)
        rows = [fields for _, fields in body]
        if b'="' in file.data or b'=\0"' in file.data:  # Excel's ="5" (also in UTF-16)
            rows = [[_FORMULA.sub(r"\1", text).strip() for text in fields] for fields in rows]
        fields = np.array(rows, dtype=object).reshape(len(rows), len(names))
        columns = {name: fields[:, at] for at, name in enumerate(names)}
        return Table(columns, len(rows), lambda row: f"{file.name}, line {body[row][0]}", notes)

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names in the header; without one, the positions."""
        return self._body(file, self.header + _FIRST_ROWS)[0]

    def _body(
        self, file: FileContent, most: int | None = None
    ) -> tuple[list[str], list[Row], tuple[str, ...]]:
        """Return the names of the columns, the rows below the header, and what is left out."""
        file = self._as_text(file)
        rows = self._rows(file, most)
        if len(rows) < self.header:
            raise UserError(f"{file.name}: holds no header line")
        # a name in quotes may go over several lines
        header = rows[0][1] if self.header else []
        names = self.columns or [" ".join(name.split()) for name in header]
        body, notes = rows[self.header :], list[str]()
        if header:
            names, body, notes = self._without_marks(names, header, body, file)
        if not names:
            if not body:
                raise UserError(f"{file.name}: holds no rows")
            names = [str(at) for at in range(len(body[0][1]))]
        if {len(fields) for _, fields in body} == {len(names) + 1}:
            body, *more = self._without_row_names(body, file)
            notes += more
        for line, fields in body:
            if (width := len(fields)) != len(names):
                hint = "; of several spaces: `delimiter: whitespace`" if self._mark == " " else ""
                if line == body[-1][0] != body[0][0] and not ends_whole(file.data):
                    hint = "; it is the last line and has no line break: is the file cut off?"
                elif self.header and all(len(fields) == width for _, fields in body):
                    hint = "; the header and all rows differ: is a name or a quote missing?"
                raise UserError(
                    f"{file.name}, line {line}: {width} fields; expected {len(names)}{hint}"
                )
        refuse_equal_names(names, file.name)
        if not self.footer and not ends_whole(file.data):
            notes.append(NO_LINE_BREAK)
        return names, body, tuple(notes)

    def _without_marks(
        self, names: list[str], header: list[str], body: list[Row], file: FileContent
    ) -> tuple[list[str], list[Row], list[str]]:
        """Return the names without a comment mark, rows without the header again, and notes.

        numpy's savetxt writes `# ` before the names. A column may be called `#`, though.
        """
        seen = _as_seen(header)
        again = [
            line
            for line, fields in body
            if _as_seen(fields[:1]) == seen[:1] and _as_seen(fields) == seen
        ]
        lines = {*again}
        others = [fields for line, fields in body if line not in lines]
        is_text = np.isnan(self.numerals.read(header))
        if again and not is_text.any():
            raise UserError(
                f"{file.name}, line {again[0]}: is equal to the header, whose names are numbers; "
                "if both are rows, say `format: {header: false}`, else remove the line"
            )
        if again and (is_text.all() or self.begins_with_names([header, *others])):
            body = [row for row in body if row[0] not in lines]
        else:
            again = []
        if names and names[0] in COMMENT_MARKS and body and len(body[0][1]) == len(names) - 1:
            names = names[1:]
        elif names and self.columns is None:
            names = [_COMMENTED.sub("", names[0]), *names[1:]]
        listed = ", ".join(map(str, again[:5])) + (", ..." if len(again) > 5 else "")
        return names, body, [f"the header again, left out: line {listed}"] if again else []

    def _without_row_names(
        self, body: list[Row], file: FileContent
    ) -> tuple[list[Row], *tuple[str, ...]]:
        """Return rows with one field more than the header without it, and what was left out.

        R writes names of rows, all different, and no title for them. A number without quotes is
        none: it may be cut in two by its decimal comma.
        """
        first, lines = [fields[0] for _, fields in body], self._text(file).split("\n")
        quoted = all(lines[line - 1].lstrip().startswith(self.quote) for line, _ in body)
        texts = bool(np.isnan(self.numerals.read(first)).all())
        if not any(fields[-1] for _, fields in body):
            rows = [(line, fields[:-1]) for line, fields in body]
            return rows, "a delimiter after each row left out"
        if len(set(first)) == len(first) and (quoted or texts or self._mark is None):
            return [(line, fields[1:]) for line, fields in body], "row names of R left out"
        return (body,)

    def rows(self, file: FileContent, most: int | None = None) -> list[Row]:
        """Return the rows, header and all, without comments, blank lines and footer.

        With `most`, only so many of the first rows. Raises UserError for a quote that is not
        closed, and for what is not text.
        """
        return self._rows(self._as_text(file), most)

    def _rows(self, file: FileContent, most: int | None) -> list[Row]:
        """Return the rows of a text; see `rows`."""
        lines = enumerate(self._text(file).split("\n"), start=1)
        found = self._scan(islice(lines, self.skip, None))
        try:
            rows = list(islice(found, None if most is None else most + self.footer))
        except csv.Error as error:
            if "field limit" in str(error):
                what = f"a field has more than {csv.field_size_limit():,} characters"
                raise UserError(f"{file.name}: {what}; is a quote not closed?") from error
            raise UserError(f"{file.name}, {error}") from error
        rows = rows[: max(len(rows) - self.footer, 0)]
        for line, fields in rows if self._mark is None else ():
            if any(field.startswith(self.quote) for field in fields):
                raise UserError(f"{file.name}, line {line}: a quote {self.quote} is not closed")
        return rows

    def _scan(self, lines: Iterator[tuple[int, str]]) -> Iterator[Row]:
        """Yield the rows of numbered lines; within quotes, a row goes over several of them."""
        comments = tuple([self.comment] if isinstance(self.comment, str) else self.comment or [])
        row = list[int]()  # the numbers of its lines

        def texts() -> Iterator[str]:
            """Yield the lines that belong to rows, and note their numbers in `row`."""
            for number, line in lines:
                # within quotes, blank lines and comments belong to the field
                if row or (line.strip() and not line.startswith(comments)):
                    row.append(number)
                    yield f"{line}\n"
            if row:
                raise csv.Error(f"line {row[0]}: a quote {self.quote} is not closed")

        for fields in self.cut(texts()):
            yield row[0], fields
            row.clear()

    def cut(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """Yield the fields of each row of a text."""
        if self._mark is None:
            quote = re.escape(self.quote)
            words = rf"{quote}((?:[^{quote}]|{quote}{quote})*){quote}(?=\s|$)|(\S+)"
            for text in texts:
                found = re.findall(words, text)
                yield [
                    quoted.replace(2 * self.quote, self.quote) or plain for quoted, plain in found
                ]
            return
        blanks = self._mark != " "
        options: Any = {"delimiter": self._mark, "quotechar": self.quote}
        for fields in csv.reader(texts, skipinitialspace=blanks, **options):
            yield [field.strip() for field in fields]

    @classmethod
    def accepts(cls, content: bytes) -> bool:
        """Return whether a file is a workbook; text has no first bytes in common."""
        return is_workbook(content)

    def _as_text(self, file: FileContent) -> FileContent:
        """Return a file of text as it is, and of a workbook the sheet."""
        if not is_workbook(file.data):
            if self.sheet is not None:
                raise UserError(f"{file.name}: sheet: is for workbooks; remove it")
            return file
        for key in _OF_TEXT:
            if getattr(self, key) != type(self).model_fields[key].default:
                raise UserError(f"{file.name}: {key}: is for tables of text; remove it")
        return as_text(file.data, file.name, self.sheet)[0]

    @property
    def _mark(self) -> str | None:
        """The character between fields; None for any number of blanks."""
        return DELIMITERS.get(self.delimiter, self.delimiter)

    def _text(self, file: FileContent) -> str:
        """Return the decoded text, with `\\n` at the end of each line."""
        try:
            text = file.data.decode(self.encoding)
        except UnicodeDecodeError as error:
            line = file.data.count(b"\n", 0, error.start) + 1
            raise self._not_text(file, line, error.reason) from error
        except UnicodeError as error:
            raise self._not_text(file, None, str(error)) from error
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        text = text.removeprefix("\ufeff").replace("\n\ufeff", "\n")  # of files put together
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


def _numbers_columns(fields: Sequence[str]) -> bool:
    """Return whether a row is 0, 1, 2, ..., as pandas writes the header of columns without names.

    Above its index, pandas writes nothing.
    """
    numbers = [str(at) for at in range(len(fields))]
    return len(fields) > 2 and [*fields] in (numbers, ["", *numbers[:-1]])


def _as_seen(fields: Sequence[str]) -> list[str]:
    """Return fields without differences in blanks and capital letters."""
    return [" ".join(text.split()).casefold() for text in fields]


def is_position(column: str | int) -> bool:
    """Return whether a column is named by its position."""
    return isinstance(column, int) or re.fullmatch(r"-?\d+", column) is not None
