"""The text of a user's file: unpacked, decoded, and without what stands before the table."""

import codecs
import io
import lzma
import re
import zlib
from collections.abc import Container
from pathlib import Path

from ensvm.data import DataError
from ensvm.data.files.compression import UNPACK

MAX_BYTES = 32 * 2**20  # fields as text take ten times the memory of their bytes
HEAD = 2**16  # characters that a guess is made from
MARKS = (  # UTF-32's little mark begins with UTF-16's
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CALLED = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8 with a byte-order mark",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "utf-32": "UTF-32",
    "cp1252": "Windows-1252 (Latin-1)",
    "latin-1": "Latin-1",
}
SAMPLE_OF_ROWS = "take a random sample of its rows for a first study, or write a config by hand"
SAVE_AS = "save the table as CSV"
RENAME = "rename it to end in {}, and repeat the command"
FOREIGN = {
    b"PK\x03\x04": f"an Excel workbook or another zip archive; {SAVE_AS}, numpy's arrays as .npz",
    b"\xd0\xcf\x11\xe0": f"an old Excel workbook; {SAVE_AS}",
    b"PAR1": f"a Parquet file; {RENAME.format('.parquet')}",
    b"\x93NUMPY": f"a numpy array; {SAVE_AS}, or as .npz with the arrays X and y",
    b"\x89HDF": f"an HDF5 file; {SAVE_AS}",
    b"SQLite format 3": f"an SQLite database; {SAVE_AS}",
    b"%PDF": f"a PDF; {SAVE_AS}",
    b"{": f"JSON; {SAVE_AS}",
    b"[{": f"JSON; {SAVE_AS}",
    b"<": f"HTML or XML; {SAVE_AS}",
    b"@relation": f"an ARFF file; {RENAME.format('.arff')}",
    b"ARROW1": f"a Feather file; {RENAME.format('.feather')}",
}
CONTROL = re.compile(r"[\0-\x08\x0e-\x1f\x7f]")


def read_text(path: Path) -> tuple[str, str]:
    """Return the text of a file, its lines ended by newlines alone, and its encoding.

    Raises DataError where there is no such file, or it is no text, or too large.
    """
    data = _content(path)
    _refuse_foreign(path, data)
    text, encoding = _decoded(path, data)
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def check_file(path: Path) -> None:
    """Raise DataError unless there is such a file."""
    if not path.exists():
        raise DataError(f"{path}: no such file")
    if not path.is_file():  # a pipe or a device may never end
        raise DataError(f"{path}: not a regular file")


def _content(path: Path) -> bytes:
    check_file(path)
    try:
        with UNPACK.get(path.suffix, UNPACK[""])(path) as file:
            data: bytes = file.read(MAX_BYTES + 1)
    except (OSError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error
    if len(data) > MAX_BYTES:
        raise DataError(f"{path}: holds more than {MAX_BYTES // 2**20} MiB; {SAMPLE_OF_ROWS}")
    if not data.strip():
        raise DataError(f"{path}: the file is empty")
    return data


def _refuse_foreign(path: Path, data: bytes) -> None:
    first = data.removeprefix(codecs.BOM_UTF8).lstrip()[:20]
    for beginning, what in FOREIGN.items():
        if first.lower().startswith(beginning.lower()):
            raise DataError(f"{path}: is {what}")


def _decoded(path: Path, data: bytes) -> tuple[str, str]:
    """Return the text and its encoding; what is no text is refused."""
    marked = [encoding for mark, encoding in MARKS if data.startswith(mark)]
    for encoding in [*marked[:1], *_wide(data), "utf-8", "cp1252", "latin-1"]:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        found = CONTROL.search(text, 0, HEAD)
        if found or "\0" in text:
            what = repr(found[0]) if found else "a zero byte"
            raise DataError(f"{path}: is no text but a binary file (it holds {what}); {SAVE_AS}")
        return text, encoding
    raise AssertionError("every byte is a character of Latin-1")


def _wide(data: bytes) -> list[str]:
    """Return the two-byte encoding that text without a mark looks like: every other byte is 0."""
    head = data[:HEAD]
    for encoding, zeros in (("utf-16-le", head[1::2]), ("utf-16-be", head[::2])):
        if zeros and zeros.count(0) > 0.7 * len(zeros):
            return [encoding]
    return []


def without_preamble(text: str, delimiters: Container[str]) -> tuple[str, int, str]:
    """Return the text without comments before the table, how many, and a delimiter it states."""
    begin, skipped, stated = 0, 0, ""
    for line in io.StringIO(text):
        excel = re.fullmatch(r"sep=(.)\s*", line)
        if not (excel or line.startswith(("#", "%"))):
            break
        stated = excel[1] if excel and excel[1] in delimiters else stated
        begin, skipped = begin + len(line), skipped + 1
    return text[begin:], skipped, stated
