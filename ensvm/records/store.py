"""Records on disk: JSON lines, appended and fsynced, so that nothing computed is lost."""

import gc
import json
import lzma
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import filelock

from ensvm.data.files.foreign_content import foreign_content
from ensvm.errors import UserError, unreadable
from ensvm.records.fit_values import differing_values
from ensvm.records.record import Identity, LineReader, Record, Run, settings_line
from ensvm.shipped import shipped_results

CELLS_FILE = "cells.jsonl"
SHIPPED_FILE = "cells.jsonl.xz"  # the same lines, compressed: results that come with ensvm
# A study's folder stands on its own: tables are laid out from these copies and the records.
CONFIG_COPY = "config.yaml"
PUBLISHED_COPY = "published.csv"

# Begin the lines that git writes into a file that two sides have changed
CONFLICT_MARKS = (b"<<<<<<<", b"=======", b">>>>>>>")

# The settings that this process has written: the file's device and number, the run, their key. A
# new run writes them again, because a file that was deleted may have had the number of this one.
_written: set[tuple[int, int, str, str]] = set()


def read_records(folder: Path) -> dict[Identity, Record]:
    """Return the latest record of every cell that was run in `folder`.

    An incomplete last line (a run killed while writing) is ignored. Each record has its `run` and
    its settings.

    Raises UserError if another line is not a record.
    """
    return records_in(folder / CELLS_FILE)


def records_in(path: Path) -> dict[Identity, Record]:
    """Return the latest record of every cell in a file; an empty dict without the file.

    A file named `*.xz` is read as compressed. Empty lines are skipped.

    Raises UserError, naming the file and the line, if a whole line is not a record, or if the file
    cannot be read.
    """
    reader, latest = LineReader(), dict[Identity, Record]()
    with _garbage_left():
        for number, text in _whole_lines(path):
            try:
                record = reader.read(text)
            except (ValueError, RecursionError) as error:
                if number == 1 and (what := foreign_content(text)):
                    raise UserError(f"{path}: {what}") from error
                raise UserError(_not_a_record(path, number, text, error)) from error
            if record is not None:
                before = latest.get(record.identity)
                if before is not None and _contradicts(before, record):
                    record = replace(record, is_contradicted=True)
                latest[record.identity] = record
    return latest


def _contradicts(before: Record, after: Record) -> bool:
    """Return whether two good records of a cell have the same settings and different values."""
    if not (before.ok and after.ok and before.settings_key == after.settings_key):
        return False
    return before.is_contradicted or bool(differing_values(before, after))


@contextmanager
def _garbage_left() -> Iterator[None]:
    """Do not look for garbage while many objects are made: that takes a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _not_a_record(path: Path, number: int, text: bytes, error: Exception) -> str:
    """Return what is wrong with a line, and what to do about it."""
    what, mend = str(error), "remove the line to go on"
    if text.startswith(CONFLICT_MARKS):
        what = f"{text[:7].decode()} is a mark of a merge conflict"
        marks = ", ".join(mark.decode() for mark in CONFLICT_MARKS)
        mend = f"remove the lines that begin with {marks}, and keep all others"
    elif isinstance(error, json.JSONDecodeError) and error.msg == "Extra data":
        what = "another object follows in the line"
        mend = f"begin a new line at character {error.pos + 1}"
    elif isinstance(error, UnicodeDecodeError):
        what = "it is not text in UTF-8"
    if path.suffix == ".xz":
        mend = "restore the file, or remove it to go on"
    return f"{path}, line {number}: not a record: {what}; {mend}"


def _whole_lines(path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            for number, text in enumerate(file, start=1):
                # without an end, the run was killed while writing it; an empty line may be typed
                if text.endswith(b"\n") and text.strip():
                    yield number, text
    except FileNotFoundError:
        return
    except (EOFError, lzma.LZMAError) as error:
        message = f"{path}: damaged: {error}; restore the file, or remove it to go on"
        raise UserError(message) from error
    except OSError as error:
        raise unreadable(path, error) from error


def folders_in(results: Path) -> list[Path]:
    """Return a folder of results and the folders in it.

    Raises UserError if it cannot be read.
    """
    try:
        return [results, *sorted(path for path in results.iterdir() if path.is_dir())]
    except OSError as error:
        raise unreadable(results, error) from error


def has_file(folder: Path, name: str) -> bool:
    """Return whether a folder of results has a file.

    It has one that cannot be read, too, and whatever one wants in a folder that nobody may look
    into: they are named when they are read.
    """
    try:
        kind = stat.S_IFMT((folder / name).stat().st_mode)
    except PermissionError:
        return True
    except OSError:
        return False
    return kind in (stat.S_IFREG, stat.S_IFDIR)  # reading a pipe would not end


class Appender:
    """Appends to the records of a study whose store is open, from any process of this machine.

    It is a context manager. Several processes may append at the same time.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()  # a cell may change the working directory
        self._path = self.folder / CELLS_FILE
        self._appending = filelock.FileLock(self.folder / "append.lock")

    def __enter__(self) -> Self:
        # Not buffered: after a write that failed, closing would try it again.
        self._file = self._path.open("a+b", buffering=0)
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def append(self, lines: Iterable[Record | Run]) -> None:
        """Write records and runs to disk, the settings of records once for each process.

        Raises OSError, which names the file, if they cannot be written. Whole lines stay, and the
        torn last one is dropped before the next is written. Raises UserError if the file was
        deleted or renamed meanwhile; the message names a new file with all of its records.
        """
        opened = os.fstat(self._file.fileno())
        contents, new = list[dict[str, Any]](), set[tuple[int, int, str, str]]()
        for line in lines:
            if isinstance(line, Record):
                place = opened.st_dev, opened.st_ino, line.run_id, line.settings_key
                if place not in _written and place not in new:
                    new.add(place)
                    contents.append(settings_line(line.settings_key, line.settings))
            contents.append(line.to_json())
        text = b"".join(json.dumps(content).encode() + b"\n" for content in contents)
        try:
            with self._appending:
                self._drop_torn_line()
                while text:
                    text = text[self._file.write(text) :]
                os.fsync(self._file.fileno())
        except OSError as error:  # errors of writing do not say to which file
            error.filename = str(self._path)
            raise
        _written.update(new)
        if not (self._path.exists() and os.path.samestat(opened, os.stat(self._path))):
            raise UserError(
                f"{self._path} was deleted or renamed during the run; all its records are in"
                f" {self._copy_elsewhere()}"
            )

    def _copy_elsewhere(self) -> Path:
        """Copy the records to a new file; the open file can be read even if it was deleted."""
        path = Path(tempfile.mkdtemp(prefix=f"{self.folder.name}-")) / CELLS_FILE
        self._file.seek(0)
        path.write_bytes(self._file.readall())
        return path

    def _drop_torn_line(self) -> None:
        """Remove the last line if the process that wrote it was killed before its end."""
        size = self._file.seek(0, os.SEEK_END)
        if size and os.pread(self._file.fileno(), 1, size - 1) != b"\n":
            self._file.seek(0)
            self._file.truncate(self._file.readall().rfind(b"\n") + 1)


class Store(Appender):
    """The records of one study, open for one run at a time (a context manager).

    Its workers append to it as well.

    Raises
    ------
    UserError
        If another run has it open, or it belongs to the results that come with ensvm.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._lock = filelock.FileLock(self.folder / "cells.lock")
        self._reader = LineReader()

    def __enter__(self) -> Self:
        if self.folder.resolve().parent == shipped_results().resolve():
            raise UserError(
                f"{self.folder}: the results that come with ensvm are not written to; choose"
                " another --results folder"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            raise UserError(
                f"{self.folder}: another `ensvm run` is writing here; wait for it, or choose"
                " another --results folder"
            ) from None
        try:
            super().__enter__()
            with self._appending:
                self._drop_torn_line()
            self._n_read = self._file.seek(0, os.SEEK_END)
        except OSError:
            self._lock.release()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self._lock.release()

    def appended(self) -> list[Record]:
        """Return the records that any process has appended since the last call."""
        if os.fstat(self._file.fileno()).st_size <= self._n_read:
            return []
        self._file.seek(self._n_read)
        records: list[Record] = []
        for line in self._file.readall().splitlines(keepends=True):
            if not line.endswith(b"\n"):
                break  # another process is writing it
            self._n_read += len(line)
            if (record := self._reader.read(line)) is not None:
                records.append(record)
        return records
