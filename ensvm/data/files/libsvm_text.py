"""LIBSVM text: `label index:value ...`, a row a line."""

import codecs
import io
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ensvm.data.files.encode import LARGEST, plain_labels
from ensvm.data.files.file_content import FileContent, FileFormat, Raw, is_utf_16, reading
from ensvm.data.files.last_line import refuse_cut_pairs
from ensvm.errors import UserError
from ensvm.exact_integers import MOST_EXACT, merged_integers

_LINE = re.compile(rb"\s*[-+]?[\d.]+([eE][-+]?\d+)?(\s+\d+:\S+)*\s*")
_TOO_FEW = re.compile(r"n_features was set to (\d+), but input file contains (\d+) features")
_LONG_INTEGERS = re.compile(rb"\s(\d+):([+-]?\d{16,})(?=\s|$)")
_HEAD = 20  # lines that show what a file is
_MOST_COLUMNS = 10**8  # the widest public sets have 55 million; dense weights of more fill a memory


class LibsvmFormat(FileFormat):
    """LIBSVM's `label index:value ...`; a line with a label alone is a row of zeros.

    Attributes
    ----------
    type : 'libsvm'
        The name of the format.
    zero_based : bool or None
        Whether columns are counted from 0 or, as LIBSVM does, from 1. By default an index 0 in
        any file of the data set says so of all its files.
    """

    endings: ClassVar = {".libsvm": {"type": "libsvm"}, ".svm": {"type": "libsvm"}}
    sparse: ClassVar = True

    type: Literal["libsvm"]
    zero_based: bool | None = None

    def settled(self, files: Sequence[FileContent]) -> Self:
        """Return the format with one `zero_based` for all files.

        Raises UserError if only some of them have an index 0 and `zero_based` does not say that
        this is right: the others may count from 1, so that their columns would be shifted.
        """
        if self.zero_based is not None:
            return self
        from_zero = [_index_zero(file.data) for file in files]
        zero = next((k for k, line in enumerate(from_zero) if line is not None), None)
        if zero is not None and None in from_zero:
            other = files[from_zero.index(None)].name
            raise UserError(
                f"{files[zero].name}, line {from_zero[zero]}: has an index 0, so its columns are "
                f"counted from 0, but {other} has none and may count from 1; accepted: the same "
                "in both, or `zero_based: true` if both count from 0"
            )
        return self.model_copy(update={"zero_based": zero is not None})

    def read(self, file: FileContent) -> Raw:
        """Return the inputs as csr, of `file.features` columns, and the labels."""
        form = self.settled([file])
        if is_utf_16(file.data):
            raise UserError(f"{file.name}: is text in UTF-16; save it in UTF-8")
        _refuse_queries(file)
        _refuse_underscores(file)
        refuse_cut_pairs(file.name, file.data)
        try:
            with reading(file.name, "LIBSVM text"):
                X, labels = form._load(file.data, file.features)
        except UserError as error:
            if found := _TOO_FEW.search(str(error)):
                message = f"features: {found[1]}: {file.name} has {found[2]} columns"
                raise UserError(message) from error
            form._name_wrong_line(file)
            raise
        _check_values(X, labels, file.name)
        _refuse_merged(file)
        return Raw(X, plain_labels(labels))

    def _load(self, data: bytes, features: int | None) -> tuple[Any, NDArray[np.float64]]:
        # loaded only where needed: starting up must stay quick
        from sklearn.datasets import load_svmlight_file

        loaded: tuple[Any, NDArray[np.float64]] = load_svmlight_file(
            io.BytesIO(_without_marks(data)),
            n_features=features,
            zero_based=bool(self.zero_based),
        )
        return loaded

    def _name_wrong_line(self, file: FileContent) -> None:
        """Raise UserError for the first line that cannot be read by itself, if there is one."""
        lines = file.data.split(b"\n")
        start, end = 0, len(lines)  # the lines before `start` are right
        while end - start > 1:
            middle = (start + end) // 2
            if self._failure(lines[start:middle]) is None:
                start = middle
            else:
                end = middle
        if (error := self._failure(lines[start:end])) is not None:
            hint = "; accepted: `label index:value ...`, all numbers, the indices rising"
            if isinstance(error, OverflowError):
                hint = f" (indices go up to {_MOST_COLUMNS})"
            position = f"{file.name}, line {start + 1}"
            raise UserError(f"{position}: is not LIBSVM text: {error}{hint}") from error

    def _failure(self, lines: list[bytes]) -> Exception | None:
        try:
            self._load(b"\n".join(lines), None)
        except Exception as error:
            return error
        return None


def is_libsvm(data: bytes) -> bool:
    """Return whether a file without an ending of its own is LIBSVM text, by its first lines."""
    lines = io.BytesIO(_without_marks(data))
    head = list(islice(filter(bytes.strip, (line.split(b"#")[0] for line in lines)), _HEAD))
    return any(b":" in line for line in head) and all(map(_LINE.fullmatch, head))


def _without_marks(data: bytes) -> bytes:
    """Return a text without the mark of its byte order, and that of its end under DOS."""
    return data.removeprefix(codecs.BOM_UTF8).rstrip(b"\x1a")


def _line_with(pattern: bytes, data: bytes) -> int | None:
    """Return the number of the first line with a pattern before its comment; None without one."""
    if re.search(pattern, data) is None:
        return None
    for number, line in enumerate(data.split(b"\n"), start=1):
        if re.search(pattern, line.split(b"#")[0]):
            return number
    return None


def _index_zero(data: bytes) -> int | None:
    """Return the number of the first line with an index 0; None if there is none."""
    return _line_with(rb"\s[+-]?0+:", data)


def _refuse_queries(file: FileContent) -> None:
    """Raise UserError if rows say to which query they belong: a split would divide the queries."""
    if (number := _line_with(rb"qid:", file.data)) is not None:
        raise UserError(
            f"{file.name}, line {number}: has a qid, which says which rows belong together; "
            "accepted: LIBSVM text without qid, or a CSV with it as the column of `groups`"
        )


def _refuse_underscores(file: FileContent) -> None:
    """Raise UserError for numbers such as 1_000, which Python reads as 1000."""
    if (number := _line_with(rb"_", file.data)) is not None:
        raise UserError(
            f"{file.name}, line {number}: is not LIBSVM text: a number has an underscore"
        )


def _refuse_merged(file: FileContent) -> None:
    """Raise UserError if float64 does not tell two whole numbers of a column apart."""
    columns = dict[bytes, list[str]]()
    for index, digits in _LONG_INTEGERS.findall(file.data):
        columns.setdefault(index.lstrip(b"0"), []).append(digits.decode())
    for index, texts in columns.items():
        if merged := merged_integers(texts, np.array(texts, dtype=np.float64)):
            raise UserError(
                f"{file.name}, column {index.decode() or 0}: {merged.problem}; leave names out of "
                "the inputs"
            )


def _check_values(X: Any, labels: NDArray[np.float64], file_name: str) -> None:
    if not X.shape[0]:
        raise UserError(f"{file_name}: holds no rows")
    if X.shape[1] > _MOST_COLUMNS:
        raise UserError(f"{file_name}: {X.shape[1]} columns; accepted: an index of up to 100000000")
    wrong = np.flatnonzero(~(np.abs(X.data) <= LARGEST))
    if len(wrong):
        row = int(np.searchsorted(X.indptr, wrong[0], side="right"))
        position = f"row {row}, column {X.indices[wrong[0]] + 1}"
        raise UserError(
            f"{file_name}, {position}: {X.data[wrong[0]]:g} is not a finite "
            f"number of at most {LARGEST:g}"
        )
    wrong = np.flatnonzero(~(np.abs(labels) < MOST_EXACT))
    if len(wrong):
        what = f"the label {labels[wrong[0]]:g} is missing or too large"
        raise UserError(f"{file_name}, row {wrong[0] + 1}: {what}; accepted: numbers below 2^53")
