"""How a table of text is written: encoding, delimiter, decimal mark, quote, missing values."""

import codecs
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from ensvm.data.files.labels import Label
from ensvm.data.strict import Strict

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|", "whitespace": None}
MISSING = ("?", "NA", "NaN", "nan")  # in users' own files, beside empty fields
DATES = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([T ].*)?"
    r"|\d{1,2}:\d{2}(:\d{2}.*)?|.*\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*\d.*",
    re.I,
)


def _delimiter(given: str) -> str:
    if given in DELIMITERS or (len(given) == 1 and given not in '"\r\n\0'):
        return given
    names = ", ".join(DELIMITERS)
    raise ValueError(f"{given!r} is no delimiter (accepted: any one character, or {names})")


def _encoding(given: str) -> str:
    try:
        is_text = codecs.lookup(given)._is_text_encoding
        "a,1\n".encode(given)  # of some that Python lists, no text can be read
    except (LookupError, ValueError):
        is_text = False
    if not is_text:
        accepted = "utf-8, utf-16, latin-1, cp1252 and all that Python knows"
        raise ValueError(f"{given!r} is no encoding of text (accepted: {accepted})")
    return given


def _thousands(given: str) -> str:
    if given.isalnum() or given in "+-\r\n":
        raise ValueError(f"{given!r} is no mark of thousands (accepted: one character, as ' or .)")
    return given


def _quote(given: str) -> str:
    if given.isalnum() or given.isspace():
        raise ValueError(f"{given!r} is no quote (accepted: one character, as \" or ')")
    return given


Delimiter = Annotated[str, AfterValidator(_delimiter)]
TextEncoding = Annotated[str, AfterValidator(_encoding)]
OneCharacter = Annotated[str, Field(min_length=1, max_length=1)]
Thousands = Annotated[OneCharacter, AfterValidator(_thousands)]
Quote = Annotated[OneCharacter, AfterValidator(_quote)]


class Dialect(Strict):
    """What a config says of how a user's own table of text is written: its key `format`.

    Attributes
    ----------
    encoding : str
        The encoding, as Python calls it.
    delimiter : str or None
        One character, or the name of one; None for that of the file's ending.
    decimal : '.' or ','
        The mark before the decimals.
    thousands : str or None
        A mark between thousands, as in 1.234.567; None where there is none.
    quote : str
        The character around fields that hold a delimiter or a line break.
    missing : list of str
        What stands for a missing value, beside an empty field.
    skip : int
        The lines before the table, which are passed over.
    """

    encoding: TextEncoding = "utf-8"
    delimiter: Delimiter | None = None
    decimal: Literal[".", ","] = "."
    thousands: Thousands | None = None
    quote: Quote = '"'
    missing: list[Label] = Field(default_factory=lambda: list(MISSING))
    skip: int = Field(default=0, ge=0)

    @model_validator(mode="after")
    def _distinct(self) -> "Dialect":
        if self.thousands == self.decimal:
            raise ValueError(f"thousands: {self.thousands!r} is the decimal mark")
        if self.quote == self.delimiter:
            raise ValueError(f"quote: {self.quote!r} is the delimiter")
        return self

    def table_keys(self) -> dict[str, Any]:
        """Return the keys of a `TableFormat`; those that are as it has them are left out."""
        given = self.model_dump(exclude_defaults=True) | {"missing": self.missing}
        return {key: value for key, value in given.items() if value is not None}


@dataclass(frozen=True)
class Numerals:
    """How numbers are written, where it is not as Python writes them."""

    decimal: str = "."
    thousands: str = ""

    @property
    def plain(self) -> bool:
        """Whether Python reads them."""
        return self.decimal == "." and not self.thousands

    def translated(self, text: str) -> str:
        """Return a number as Python reads it; raise ValueError for what is none."""
        if not (self._plain.fullmatch(text) or self._grouped.fullmatch(text)):
            marks = f"the decimal mark is {self.decimal!r}"
            if self.thousands:
                marks += f", that of thousands {self.thousands!r}"
            raise ValueError(f"{text!r} is not a number; {marks}{advice(text)}")
        if self.thousands:
            text = text.replace(self.thousands, "")
        return text.replace(self.decimal, ".")

    @cached_property
    def _plain(self) -> re.Pattern[str]:
        return plain_number(self.decimal)

    @cached_property
    def _grouped(self) -> re.Pattern[str]:
        return grouped_number(self.decimal, self.thousands or "\0")


def plain_number(decimal: str) -> re.Pattern[str]:
    """Return the pattern of numbers without marks of thousands."""
    mark = re.escape(decimal)
    return re.compile(rf"[+-]?(\d+({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?")


def grouped_number(decimal: str, marks: str) -> re.Pattern[str]:
    """Return the pattern of numbers with one of these marks between all their thousands."""
    between = f"[{re.escape(marks)}]"
    return re.compile(rf"[+-]?[1-9]\d{{0,2}}({between}\d{{3}})+({re.escape(decimal)}\d*)?")


def advice(text: str) -> str:
    """Return what to do about a field that is no number."""
    if DATES.fullmatch(text.strip()):
        return (
            "; dates and times are no inputs: make numbers of them, as days since the first, or "
            "leave the column out by `drop`"
        )
    return "; a column of text needs its codes under `inputs`, or is left out by `drop`"
