"""Files that are something else than their name says, and addresses in the place of files.

The first bytes tell what a file is. What is compressed is read whatever its name (see `unpack`);
the rest is refused with what it is and what to do.
"""

import io
import re
import zipfile
from contextlib import suppress
from pathlib import Path

from ensvm.data.files.file_content import FileFormat
from ensvm.errors import Refused

SAVE_AS = "save the table as CSV"
_START = 1024  # bytes in which a web page shows that it is one, perhaps after blank lines
_WEB_PAGES = (b"<!doc", b"<html", b"<head", b"<body", b"<?xml", b"<!--")
_LFS, _ANNEX = b"version https://git-lfs.github.com/spec/", b"/annex/objects/"
_POINTERS = {
    "a pointer of Git LFS, not the data": "`git lfs pull` in its repository brings the data",
    "a pointer of git-annex, not the data": "`git annex get FILE` in its repository brings it",
    "a list of parts of DVC, not the data": "`dvc pull` in its repository brings the data",
}
# First bytes, what a file is that begins so, and what to do.
_BEGINNINGS = (
    (b"PAR1", "a Parquet file", "rename it to end in .parquet"),
    (b"ARROW1", "a Feather file", "rename it to end in .feather"),
    (b"\x93NUMPY", "a numpy array", f"{SAVE_AS}, or as .npz with the arrays X and y"),
    (b"\x1f\x8b", "a gzip file inside another one", "unpack it once"),
    (b"\xfd7zXZ\0", "an xz file inside another one", "unpack it once"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it"),
    (b"\x28\xb5\x2f\xfd", "a zstandard file", "unpack it by `zstd -d`"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it"),
    (b"%PDF-", "a PDF document", SAVE_AS),
    (b"{\\rtf", "an RTF document", SAVE_AS),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Excel or Word document", SAVE_AS),
    (b"SQLite format 3\0", "an SQLite database", SAVE_AS),
    (b"\x89HDF\r\n\x1a\n", "an HDF5 file", SAVE_AS),
    (b"MATLAB 5.0 MAT-file", "a MATLAB file", SAVE_AS),
    (b"MATLAB 7.3 MAT-file", "a MATLAB file", SAVE_AS),
    (b"$FL2", "an SPSS file", SAVE_AS),
    (b"$FL3", "an SPSS file", SAVE_AS),
    (b"<stata_dta>", "a Stata file", SAVE_AS),
    *(
        (bytes([n, order, 1, 0]), "a Stata file", SAVE_AS)
        for n in range(105, 116)
        for order in (1, 2)
    ),
    (bytes(12) + b"\xc2\xea\x81\x60", "a SAS file", SAVE_AS),
    (b"HEADER RECORD*******", "a SAS transport file", SAVE_AS),
    (b"Obj\x01", "an Avro file", SAVE_AS),
    (b"SIMPLE  =", "a FITS file", SAVE_AS),
    (b"CDF\x01", "a netCDF file", SAVE_AS),
    (b"CDF\x02", "a netCDF file", SAVE_AS),
    (b"\xff\xff\xff\xff", "a stream of Arrow", "save it as a Feather file"),
    (b"GIF8", "a picture", SAVE_AS),
    (b"RDX", "an R file", "save the table by `write.csv`"),
    (b"RDA", "an R file", "save the table by `write.csv`"),
    (b"X\n\0\0\0", "an R file", "save the table by `write.csv`"),
    *((bytes([0x80, n]), "a pickle of Python, which is never read", SAVE_AS) for n in range(2, 6)),
    (b"\x89PNG", "a picture", SAVE_AS),
    (b"\xff\xd8\xff", "a picture", SAVE_AS),
    (b"\0\x05\x16\x07", "what macOS keeps beside a file, not the file", "name the file itself"),
)
_FILE_ADDRESS = re.compile(r"file:/+(.*)", re.I | re.S)
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/|www\.")


def is_web_page(content: bytes) -> bool:
    """Return whether a file is HTML or XML; a table may begin with a name such as <OPEN>."""
    start = content[:_START].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    tag = re.match(rb"<([a-z][\w:-]*)[\s>]", start)
    is_closed = tag is not None and b"</" + tag[1] + b">" in content.lower()
    return start.startswith(_WEB_PAGES) or is_closed


def stand_in(content: bytes) -> str:
    """Return what a file is that stands in the place of data, and what to do; else empty.

    Such are web pages, with which sites answer if a file does not exist, and the pointers that a
    repository holds in place of large files.
    """
    if is_web_page(content):
        why = "sites answer so if a file does not exist"
        return f"a web page (HTML or XML), not data: {why}; {SAVE_AS} if it holds one"
    start = content[:_START].strip()
    kinds = list(_POINTERS)
    if start.startswith(_LFS):
        kind = kinds[0]
    elif _ANNEX in start.split(b"\n")[0] and re.match(rb"(\.\./)*(\.git)?/annex/objects/", start):
        kind = kinds[1]
    elif re.match(rb"outs:\s*\n- (md5|hash|path|size): ", start):
        kind = kinds[2]
    else:
        return ""
    return f"{kind}; {_POINTERS[kind]}"


def foreign_content(content: bytes, form: type[FileFormat] | None = None) -> str:
    """Return what a file is if it is not of the format that is to read it; else empty.

    The text ends with what to do.
    """
    if form is not None and form.accepts(content):
        return ""
    if what := stand_in(content):
        return what
    if content.startswith(b"PK\x03\x04"):
        return _archive(content)
    if content[257:262] == b"ustar":
        return "a tar archive; unpack it"
    for beginning, what, advice in _BEGINNINGS:
        if content.startswith(beginning):
            return f"{what}; {advice}"
    return ""


def _archive(content: bytes) -> str:
    try:
        names = zipfile.ZipFile(io.BytesIO(content)).namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return "a damaged zip archive, as a cut-off Excel or NumPy file is; copy it again"
    if "[Content_Types].xml" in names:
        return f"a document of Office; {SAVE_AS}"
    if "content.xml" in names:
        return f"a document of LibreOffice; {SAVE_AS}"
    if names and all(name.endswith(".npy") for name in names):
        return "a numpy archive; rename it to end in .npz"
    listed = f" of {', '.join(names[:3])}{', ...' * (len(names) > 3)}" if names else ""
    return f"a zip archive{listed}; unpack it"


def absent_file(path: Path) -> str:
    """Return what is wrong with a path at which there is no file."""
    if path.is_dir():
        return f"{path} is a folder, not a file"
    if not path.is_symlink():
        return f"there is no file {path}"
    target = str(path.readlink())
    what = f"{path} is a link to {target}, which is not there"
    kinds = list(_POINTERS)
    return f"{what}; {_POINTERS[kinds[1]]}" if _ANNEX.decode() in target else what


def local_file(path: str | Path, folder: Path = Path()) -> Path:
    """Return the place of a file that a user names, relative to a folder; `~` is expanded.

    Raises Refused for an address of the network.
    """
    text = str(path)
    with suppress(OSError, ValueError):  # of a name that no file can have
        if (folder / text).exists():  # a file may be called ~x.csv or http:x.csv
            return folder / text
    if _ADDRESS.match(text):
        if of_file := _FILE_ADDRESS.match(text):
            raise Refused(f"{text} is an address; name the file by its path, /{of_file[1]}")
        address = re.sub(r"^(\w[\w+.-]*):/+", r"\1://", text)  # a Path takes // for /
        raise Refused(
            f"{address} is an address, not a file of this machine; download the file, and name it "
            "by its path"
        )
    try:
        return folder / Path(text).expanduser()
    except RuntimeError as error:
        raise Refused(f"{text}: {error}") from error
