"""ARFF: a header that declares the columns, and rows of fields."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from ensvm.counts import counted
from ensvm.data.files.encode import Numerals
from ensvm.data.files.file_content import FileContent, check_size, is_utf_16
from ensvm.data.files.last_line import NO_LINE_BREAK, ends_whole
from ensvm.data.files.named_columns import Table
from ensvm.data.files.typed_tables import TypedFormat, table_of
from ensvm.data.missing_values import USUAL_MARKS
from ensvm.errors import UserError


class ArffFormat(TypedFormat):
    """An ARFF file, dense or sparse, as Weka, MOA, OpenML and KEEL write it.

    Nominal attributes become columns of 0 and 1 by themselves. In a sparse row, a value that is
    left out is zero, or the first of a nominal attribute's values. Weights of rows are left out.

    Attributes
    ----------
    type : 'arff'
        The name of the format.
    """

    endings: ClassVar = {".arff": {"type": "arff"}}

    type: Literal["arff"]

    def table(self, file: FileContent) -> Table:
        """Return the rows, nominal attributes as categories."""
        return _table(file.data, file.name)


Kind = str | list[str]  # number, string or date, or the values of a nominal attribute
_VALUE_BYTES = 8  # of memory, at least
_QUOTED = r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.*)", re.I)
_FIELD = re.compile(rf"\s*({_QUOTED}|[^,]*?)\s*(?:,|$)")
_UNCOMMENTED = re.compile(rf"(?:{_QUOTED}|[^%'\"])*")
_WEIGHT = re.compile(r",\s*\{[^{}]*\}\s*$")
_SPARSE = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,]*?)\s*(?:,|$)")


def is_arff(data: bytes) -> bool:
    """Return whether a file begins as ARFF does, whatever its name: KEEL calls it `NAME.dat`."""
    start = data.replace(b"\0", b"")[2:] if is_utf_16(data) else data
    return re.match(rb"(\xef\xbb\xbf)?(\s|%[^\n]*\n)*@relation\b", start, re.I) is not None


@lru_cache(maxsize=1)  # the names, the types and the rows are asked for one after the other
def _table(data: bytes, file_name: str) -> Table:
    """Return the rows of an ARFF file.

    scipy.io.arff knows neither texts, sparse rows, comments after a row, nor what KEEL writes.
    """
    import pandas

    text, doubt = _decoded(data)
    lines = _lines(text)
    kinds = _attributes(lines, file_name)
    numbers, rows, weighted = list[int](), list[list[str]](), False
    for number, line in lines:
        if line.startswith("{"):
            fields = _sparse_row(line, kinds, f"{file_name}, line {number}")
        else:
            weighted |= bool(_WEIGHT.search(line))
            fields = _fields(_WEIGHT.sub("", line))
            for field in fields:
                if field[:1] in ("'", '"') and field == _unquoted(field) and field in line:
                    message = f"is not ARFF: a quote is not closed: {field[:40]}"
                    raise UserError(f"{file_name}, line {number}: {message}")
        fields = fields[:-1] if len(fields) == len(kinds) + 1 and not fields[-1] else fields
        if len(fields) != len(kinds):
            counts = f"{counted(len(fields), 'value')}; expected {len(kinds)}"
            raise UserError(f"{file_name}, line {number}: is not ARFF: {counts}")
        numbers.append(number)
        rows.append(fields)
    check_size(len(rows) * len(kinds) * _VALUE_BYTES, file_name)

    def place(row: int) -> str:
        """Return where a row stands, for messages."""
        return f"{file_name}, line {numbers[row]}"

    columns = {
        name: _column([row[at] for row in rows], name, kind, place)
        for at, (name, kind) in enumerate(kinds.items())
    }
    notes = (*doubt, *["weights of rows left out"] * weighted)
    notes += (NO_LINE_BREAK,) * (not ends_whole(data))
    return table_of(pandas.DataFrame(columns), place, notes)


def _attributes(lines: Iterator[tuple[int, str]], file_name: str) -> dict[str, Kind]:
    """Return the attributes that stand above the line @data."""
    kinds = dict[str, Kind]()
    for number, line in lines:
        where = f"{file_name}, line {number}: is not ARFF"
        if line[:5].lower() == "@data":
            break
        if match := _ATTRIBUTE.match(line):
            name = _unquoted(match[1])
            if name in kinds:
                raise UserError(f"{where}: several attributes are called {name!r}")
            kinds[name] = _kind(match[2], where)
        elif not line.startswith("@"):
            raise UserError(f"{where}: {line[:60]!r}")
    else:
        raise UserError(f"{file_name}: is not ARFF: it has no line @data")
    if not kinds:
        raise UserError(f"{file_name}: is not ARFF: it declares no attribute")
    return kinds


def _decoded(data: bytes) -> tuple[str, list[str]]:
    """Return the text of a file, and a note if its encoding is assumed."""
    try:
        return data.decode("utf-16" if is_utf_16(data) else "utf-8-sig"), []
    except UnicodeDecodeError:  # Weka's older files
        return data.decode("latin-1"), ["Latin-1 (assumed, since it is not UTF-8)"]


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the number and the text of each line, without comments and blank lines."""
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), start=1):
        plain = line.strip().removesuffix("\x1a")
        if "%" in plain:
            match = _UNCOMMENTED.match(plain)
            plain = match[0].strip() if match and plain[match.end() :][:1] == "%" else plain
        if plain:
            yield number, plain


def _unquoted(text: str) -> str:
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text


def _fields(line: str) -> list[str]:
    if "'" not in line and '"' not in line:
        return [field.strip() for field in line.split(",")]
    fields = [_unquoted(match[1]) for match in _FIELD.finditer(line)]
    return fields if line.rstrip().endswith(",") else fields[:-1] or fields


def _kind(kind: str, where: str) -> Kind:
    """Return the values of a nominal attribute, or number, string or date."""
    if kind.startswith("{") and "}" in kind:
        return _fields(kind[1 : kind.rindex("}")])
    word = re.match(r"\w*", kind)
    name = word[0].lower() if word else ""
    if name in ("numeric", "real", "integer"):
        return "number"  # KEEL writes the range after it
    if name in ("string", "date"):
        return name
    raise UserError(
        f"{where}: the type {kind[:40]!r} is unknown; accepted: numeric, real, integer, string, "
        "date, or {A,B,...}"
    )


def _sparse_row(line: str, kinds: dict[str, Kind], where: str) -> list[str]:
    if "}" not in line:
        raise UserError(f"{where}: is not ARFF: a sparse row without its closing brace")
    row = [kind[0] if isinstance(kind, list) else "0" for kind in kinds.values()]
    given = set[int]()
    for match in _SPARSE.finditer(line.strip().removeprefix("{").partition("}")[0]):
        at = int(match[1])
        if at >= len(row):
            raise UserError(f"{where}: is not ARFF: there is no attribute {at}")
        if at in given:
            raise UserError(f"{where}: is not ARFF: attribute {at} stands twice (counted from 0)")
        given.add(at)
        row[at] = _unquoted(match[2])
    return row


def _column(fields: list[str], name: str, kind: Kind, place: Callable[[int], str]) -> Any:
    import pandas

    values = kind if isinstance(kind, list) else []
    marks = frozenset("?") if kind == "string" else USUAL_MARKS - set(values)
    present = [at for at, field in enumerate(fields) if field not in marks]
    texts = [fields[at] for at in present]
    if kind == "number":
        numbers = np.full(len(fields), np.nan)
        numbers[present] = read = Numerals().read(texts)
        if merged := Numerals().merged(texts, read):
            where = f"{place(present[merged.row])}, column {name!r}"
            raise UserError(f"{where}: {merged.problem}; declare names as the type string")
        wrong = [at for at in present if np.isnan(numbers[at])]
        problem, column = "not a number", pandas.Series(numbers)
    else:
        column = pandas.Series(None, index=range(len(fields)), dtype=object)
        column.iloc[present] = texts
        wrong = [at for at in present if values and fields[at] not in values]
        problem = f"not one of its values (accepted: {', '.join(values)})"
    for at in wrong[:1]:
        raise UserError(f"{place(at)}, column {name!r}: {fields[at]!r} is {problem}")
    if values:
        return pandas.Series(pandas.Categorical(column, categories=list(dict.fromkeys(values))))
    return column
