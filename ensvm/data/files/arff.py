"""ARFF, the format of Weka and OpenML: a header of typed attributes, then rows of fields."""

import io
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar, Literal

from ensvm.data.errors import DataError
from ensvm.data.files.compression import check_size
from ensvm.data.files.content import FileContent, reading
from ensvm.data.files.frames import FrameFormat

_DATA = re.compile(r"^[ \t]*@data\b[^\n]*", re.I | re.M)
_DATE = re.compile(
    r"""^([ \t]*@attribute[ \t]+('[^'\n]*'|"[^"\n]*"|\S+)[ \t]+)date\b.*$""", re.I | re.M
)
_NUMBERS = ("NUMERIC", "REAL", "INTEGER")
_VALUE_BYTES = 8  # of memory, at the least; sparse rows leave out what is zero


class ArffFormat(FrameFormat):
    """An ARFF file, dense or sparse, read by scikit-learn's copy of liac-arff.

    Nominal attributes become columns of 0 and 1 by themselves. In a sparse row what is left out is
    zero, or the first of a nominal attribute's values.
    """

    endings: ClassVar = {".arff": {"type": "arff"}}

    type: Literal["arff"]

    @classmethod
    def frames(cls, file: FileContent) -> Iterator[Any]:
        """Yield all rows as one pandas DataFrame."""
        yield _frame(file.data, file.where)


@lru_cache(maxsize=1)  # names, types and rows are asked for one after the other
def _frame(data: bytes, where: str) -> Any:
    import pandas  # loaded only where needed: starting up must stay quick

    read = _read(FileContent(data, where))
    columns = {}
    for at, (name, kind) in enumerate(read["attributes"]):
        if name in columns:
            raise DataError(f"{where}: several attributes are called {name!r}")
        values = [row[at] for row in read["data"]]
        if isinstance(kind, list):
            columns[name] = pandas.Series(pandas.Categorical(values, categories=kind))
        elif kind in _NUMBERS:
            columns[name] = pandas.Series(values, dtype="float64")
        else:
            columns[name] = pandas.Series(values, dtype=object)
    return pandas.DataFrame(columns)


def _read(file: FileContent) -> dict[str, Any]:
    """Return the attributes and the rows, with None for what is missing."""
    from sklearn.externals import _arff  # its fetch_openml reads by the same code

    text, sparse = _text(file)
    with reading(file.where, "ARFF"):
        kind = _arff.LOD if sparse else _arff.DENSE
        read: dict[str, Any] = _arff.load(io.StringIO(text), return_type=kind)
    attributes = read["attributes"]
    if not attributes:
        raise DataError(f"{file.where}: is not ARFF: it declares no attribute")
    if sparse:
        check_size(len(read["data"]) * len(attributes) * _VALUE_BYTES, file.where)
        absent = [kind[0] if isinstance(kind, list) else 0.0 for _, kind in attributes]
        read["data"] = [
            [row.get(at, fill) for at, fill in enumerate(absent)] for row in read["data"]
        ]
    return read


def _text(file: FileContent) -> tuple[str, bool]:
    """Return the text, and whether its rows are sparse.

    Dates are declared as strings: what they hold is told by their values.
    """
    try:
        text = file.data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = file.data.decode("latin-1")  # of which Weka's older files are
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    begin = _DATA.search(text)
    if begin is None:
        raise DataError(f"{file.where}: is not ARFF: it has no line @data")
    lines = (line.strip() for line in io.StringIO(text[begin.end() :]))
    first = next((line for line in lines if line and not line.startswith("%")), "")
    return _DATE.sub(r"\1string", text), first.startswith("{")
