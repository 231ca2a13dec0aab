"""Records on disk: one JSON line a cell, appended and fsynced, so that nothing computed is lost."""

import gc
import json
import lzma
import os
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import filelock

from ensvm.errors import UserError
from ensvm.records.predictions import PREDICTIONS_FOLDER, save_files
from ensvm.records.record import (
    CONTROL,
    LONGEST_TEXT,
    Identity,
    Newer,
    Record,
    Run,
    from_json,
    plain,
)

CELLS_FILE = "cells.jsonl"
SHIPPED_FILE = "cells.jsonl.xz"  # records that came with the folder; a run does not touch them
# A study's folder stands on its own: tables are laid out from these copies and the records.
CONFIG_COPY = "config.yaml"
PUBLISHED_COPY = "published.csv"
# A line ends with a checksum, since JSON stays valid if a bit of a number flips.
_CHECKSUM_KEY = b', "crc32": "'
_LINE_END = b'"}\n'
# Matches lines that may hold control characters: an escape, or a character beyond plain ASCII.
_CONTROL_OR_OTHER = re.compile(rb"\\[bfru]|[^\t\n\x20-\x7e]")


def read_records(folder: Path) -> dict[Identity, Record]:
    """Return the latest record of every cell in `folder`; an empty dict without a file.

    A torn last line (a run killed while writing) is left out. Each record has its `run`, and its
    predictions if their files exist.

    Raises UserError if another line is not a record.
    """
    path = folder / CELLS_FILE
    return with_predictions_at_hand(latest_records(path, json_lines(path)), folder)


def folders_in(results: Path) -> list[Path]:
    """Return a folder of results and the folders in it.

    Raises UserError if the name of a folder in it has control characters, since messages
    contain it.
    """
    folders = sorted(path for path in results.iterdir() if path.is_dir())
    for folder in folders:
        if CONTROL.search(folder.name):
            raise UserError(
                f"{results}: the name of the folder {folder.name!r} has control characters; "
                "rename or remove it"
            )
    return [results, *folders]


def with_predictions_at_hand(
    records: Mapping[Identity, Record], folder: Path
) -> dict[Identity, Record]:
    """Return records that name predictions only if the study's folder has the files."""
    kept = folder / PREDICTIONS_FOLDER
    names = {path.name for path in kept.iterdir()} if kept.is_dir() else set[str]()
    return {
        cell: record
        if names.issuperset(record.predictions.values())
        else replace(record, predictions={})
        for cell, record in records.items()
    }


@contextmanager
def _no_search_for_cycles() -> Iterator[None]:
    """Keep Python from looking for unused cycles of objects in the body.

    Records have no cycles, but each search walks through all of them, which takes a third of the
    time of reading.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@_no_search_for_cycles()
def latest_records(
    path: Path, lines: Iterable[tuple[int, dict[str, Any]]]
) -> dict[Identity, Record]:
    """Return the latest record of every cell among a file's lines, each with its `run`.

    Raises UserError, naming `path` and the line, if a line is not a record.
    """
    runs: dict[str, Run] = {}
    latest: dict[Identity, Record] = {}
    for number, line in lines:
        try:
            entry = from_json(line, runs)
        except (ValueError, RecursionError) as error:
            raise _not_a_record(path, number, error) from error
        if isinstance(entry, Run):
            runs[entry.id] = entry
        else:
            latest[entry.identity] = entry
    return latest


def json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the JSON object of every whole line; none if the file is missing.

    A file named `*.xz` is read as compressed.

    Raises UserError if a whole line is not JSON, or a compressed file is damaged.
    """
    if not os.path.exists(path):
        return
    try:
        with lzma.open(path) if path.suffix == ".xz" else path.open("rb") as file:
            for number, raw in enumerate(file, start=1):
                if not raw.endswith(b"\n"):
                    return  # torn: the run was killed while writing it
                try:
                    yield number, _content(raw)
                except (ValueError, RecursionError) as error:
                    raise _not_a_record(path, number, error) from error
    except (EOFError, lzma.LZMAError) as error:
        raise UserError(
            f"{path}: damaged: {error}; restore the file, or remove it to go on"
        ) from error


def _line(content: dict[str, Any]) -> bytes:
    """Return an object as a line that ends with a checksum of the rest."""
    text = json.dumps(content).encode()
    return b"%s%s%08x%s" % (text[:-1], _CHECKSUM_KEY, zlib.crc32(text), _LINE_END)


def _content(raw: bytes) -> Any:
    """Return the content of a line; lines of older versions have no checksum."""
    content = json.loads(raw)
    head, key, tail = raw.rpartition(_CHECKSUM_KEY)
    if key:
        if tail != b"%08x%s" % (zlib.crc32(head + b"}"), _LINE_END):
            raise ValueError("its checksum does not fit: the line was changed or is damaged")
        del content["crc32"]
    must_clean = len(raw) > LONGEST_TEXT or _CONTROL_OR_OTHER.search(raw)
    return plain(content) if must_clean else content


def _not_a_record(path: Path, number: int, error: Exception) -> UserError:
    if isinstance(error, Newer):
        mend = "update ensvm, or move the file away to begin anew"
        return UserError(f"{path}, line {number}: {error}; {mend}")
    mend = "restore the file, or remove it" if path.suffix == ".xz" else "remove the line"
    return UserError(f"{path}, line {number}: not a record: {error}; {mend} to go on")


class Appender:
    """Appends to the records of a study whose store is open, from any process of this machine.

    It is a context manager. Several processes may append at the same time.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / CELLS_FILE
        self._appending = filelock.FileLock(folder / "append.lock")

    def __enter__(self) -> Self:
        # Not buffered: after a write that failed, closing would try it again.
        self._file = self._path.open("a+b", buffering=0)
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()

    def append(self, lines: Iterable[Record | Run]) -> None:
        """Write records to disk, the files of their predictions first.

        Raises OSError, which names the file, if they cannot be written. Whole lines stay, and the
        torn last one is dropped before the next is written. Raises UserError if the file was
        deleted or renamed meanwhile; the message names a new file with all of its records.
        """
        text = b"".join(_line(self._without_files(line).to_json()) for line in lines)
        try:
            with self._appending:
                self._drop_torn_line()
                while text:
                    text = text[self._file.write(text) :]
                os.fsync(self._file.fileno())
        except OSError as error:  # errors of writing do not say to which file
            error.filename = str(self._path)
            raise
        opened = os.fstat(self._file.fileno())
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

    def _without_files(self, line: Record | Run) -> Record | Run:
        """Write the files of a record, and return it without their content."""
        if isinstance(line, Run) or not line.files:
            return line
        save_files(self.folder, line.files)
        return replace(line, files={})

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
        If another run has it open.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._lock = filelock.FileLock(folder / "cells.lock")
        self._runs: dict[str, Run] = {}

    def __enter__(self) -> Self:
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
        lines = self._file.readall().splitlines(keepends=True)
        records: list[Record] = []
        for line in lines:
            if not line.endswith(b"\n"):
                break  # another process is writing it
            self._n_read += len(line)
            entry = from_json(_content(line), self._runs)
            if isinstance(entry, Run):
                self._runs[entry.id] = entry
            else:
                records.append(entry)
        return records
