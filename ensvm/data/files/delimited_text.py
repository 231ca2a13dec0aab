"""Tables of delimited text: CSV, tab-separated, UCI and KEEL files."""

import csv
import io
from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ensvm.data.files.encode import Inputs, Label, Numerals, encoded_columns
from ensvm.data.files.file_content import FileContent
from ensvm.data.files.named_columns import ROWS_AT_ONCE, NamedColumnsFormat, RowBlock
from ensvm.errors import Strict, UserError

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "whitespace": None}
MISSING = ("?", "NA", "NaN", "nan")  # in users' own files, beside empty fields


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


def plain_formula(text: str) -> str:
    """Return 5 for Excel's `="5"`; other texts stay."""
    return text[2:-1] if text.startswith('="') and text.endswith('"') and len(text) > 2 else text


Delimiter = Annotated[str, AfterValidator(_delimiter)]
TextEncoding = Annotated[str, AfterValidator(_encoding)]
OneCharacter = Annotated[str, Field(min_length=1, max_length=1)]
Thousands = Annotated[OneCharacter, AfterValidator(_thousands)]
Quote = Annotated[OneCharacter, AfterValidator(_quote)]


class Dialect(Strict):
    """How a user's own table of text is written: the key `format` of its data set.

    Attributes
    ----------
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
    missing : list of str
        What stands for a missing value, beside an empty field.
    skip : int
        How many lines before the table are left out.
    footer : int
        How many rows after the table are left out.
    """

    encoding: TextEncoding = "utf-8"
    delimiter: Delimiter | None = None
    decimal: Literal[".", ","] = "."
    thousands: Thousands | None = None
    quote: Quote = '"'
    missing: list[Label] = Field(default_factory=lambda: list(MISSING))
    skip: int = Field(default=0, ge=0)
    footer: int = Field(default=0, ge=0)

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
    missing : list of str
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
    unit: ClassVar = "line"

    type: Literal["table"]
    delimiter: Delimiter = "comma"
    missing: list[str] = Field(default_factory=list)
    header: int = Field(default=0, ge=0)
    comment: str | list[str] | None = None
    lowercase: bool = False
    corrections: dict[str, str] = Field(default_factory=dict)
    columns: list[str] | None = None
    inputs: Inputs | None = None
    encoded: bool = False

    @classmethod
    def of_own_file(cls, ending: str, dialect: Dialect | None, options: dict[str, Any]) -> Self:
        """Return the format of a user's own table; a target that is a name needs a header."""
        dialect = dialect or Dialect()
        written = dialect.model_dump(exclude_unset=True) | {"missing": dialect.missing}
        if dialect.delimiter is None:
            written["delimiter"] = cls.endings.get(ending, {}).get("delimiter", "comma")
        header = 0 if isinstance(options["target"], int) else 1
        return cls.model_validate({"type": "table", "header": header, **written, **options})

    def blocks(self, file: FileContent) -> Iterator[RowBlock]:
        """Yield the rows as text."""
        names, rows = self._table(file)
        while block := list(islice(rows, ROWS_AT_ONCE)):
            for line, fields in block:
                if len(fields) != len(names):
                    raise UserError(
                        f"{file.name}, line {line}: {len(fields)} fields; expected {len(names)}"
                    )
            lines, columns = zip(*block, strict=True)
            yield RowBlock(names, list(zip(*columns, strict=True)), lines)

    def column_names(self, file: FileContent) -> list[str]:
        """Return the names in the header; without one, the positions."""
        return self._table(file)[0]

    def _table(self, file: FileContent) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
        """Return the names of the columns, and the rows below the header with their lines."""
        rows = self.rows(file)
        head = list(islice(rows, self.header))
        if len(head) < self.header:
            raise UserError(f"{file.name}: holds no header line")
        # a name in quotes may go over several lines
        names = self.columns or [
            " ".join(field.split()) for _, fields in head[:1] for field in fields
        ]
        if not names:
            first = list(islice(rows, 1))
            if not first:
                raise UserError(f"{file.name}: holds no rows")
            names = [str(at) for _, fields in first for at in range(len(fields))]
            rows = (row for part in (first, rows) for row in part)
        return names, rows

    def rows(self, file: FileContent) -> Iterator[tuple[int, list[str]]]:
        """Yield the fields of each row, and the line that the row begins at, without the footer.

        Excel's `="5"`, which keeps a number a text, is read as 5. Raises UserError for a quote that
        is not closed, and for what is not text.
        """
        rows = self._rows(file)
        last = deque(islice(rows, self.footer))
        for row in rows:
            last.append(row)
            yield last.popleft()

    def _rows(self, file: FileContent) -> Iterator[tuple[int, list[str]]]:
        comments = tuple([self.comment] if isinstance(self.comment, str) else self.comment or [])
        lines_of_row = list[int]()

        def lines() -> Iterator[str]:
            for number, line in self._lines(file):
                # within quotes, blank lines and comments belong to the field
                if lines_of_row or (line.strip() and not line.startswith(comments)):
                    lines_of_row.append(number)
                    yield line
            if lines_of_row:
                raise csv.Error(f"a quote {self.quote} is not closed")

        mark = DELIMITERS.get(self.delimiter, self.delimiter)
        formulas = b'="' in file.data or b'=\0"' in file.data  # the latter in UTF-16
        try:
            if mark is None:
                yield from ((lines_of_row.pop(), line.split()) for line in lines())
                return
            blanks = mark != " "
            for fields in csv.reader(
                lines(), delimiter=mark, quotechar=self.quote, skipinitialspace=blanks
            ):
                if formulas:
                    fields = [plain_formula(text) for text in fields]
                yield lines_of_row[0], fields
                lines_of_row.clear()
        except csv.Error as error:
            raise UserError(f"{file.name}, line {lines_of_row[0]}: {error}") from error

    def _lines(self, file: FileContent) -> Iterator[tuple[int, str]]:
        """Yield the number and the text of each line, without those before the table."""
        data = self._corrected(file) if self.corrections else file.data
        text = io.TextIOWrapper(io.BytesIO(data), self.encoding, newline=None)
        try:
            for number, line in enumerate(text, start=1):
                if "\0" in line:
                    raise self._not_text(file, number, "a zero byte")
                if number == 1:
                    line = line.removeprefix("\ufeff")
                if number > self.skip:
                    yield number, line.lower() if self.lowercase else line
        except UnicodeDecodeError as error:
            raise self._not_decoded(file) from error
        except UnicodeError as error:
            raise self._not_text(file, None, str(error)) from error

    def _not_decoded(self, file: FileContent) -> UserError:
        """Return the error with the line of the first bytes that are not text."""
        try:
            file.data.decode(self.encoding)
        except UnicodeDecodeError as error:
            line = file.data.count(b"\n", 0, error.start) + 1
            return self._not_text(file, line, error.reason)
        return self._not_text(file, None, "damaged")

    def _not_text(self, file: FileContent, line: int | None, reason: str) -> UserError:
        position = file.name if line is None else f"{file.name}, line {line}"
        name = "UTF-8" if self.encoding == "utf-8" else self.encoding
        hint = "say which encoding it has, as in `format: {encoding: cp1252}`"
        return UserError(f"{position}: is not {name} text ({reason}); {hint}")

    def _corrected(self, file: FileContent) -> bytes:
        try:
            text = file.data.decode(self.encoding)
        except UnicodeDecodeError as error:
            raise self._not_decoded(file) from error
        text = text.replace("\r\n", "\n")
        for wrong, right in self.corrections.items():
            if (count := text.count(wrong)) != 1:
                raise UserError(
                    f"{file.name}: corrections: {wrong!r} is there {count} times, not once"
                )
            text = text.replace(wrong, right)
        return text.encode(self.encoding)

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
        """The fields that have no value."""
        return frozenset(["", *self.missing])
