"""Records on disk: one JSON line a cell, appended and fsynced, so that nothing computed is lost."""

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, Self

import filelock

Record = dict[str, Any]
RunPass = Literal["error", "timing"]
Identity = tuple[str, int, str, RunPass]  # data set (row), realization, algorithm, pass

CELLS_FILE = "cells.jsonl"
# A study's folder stands on its own: tables are laid out from these copies and the records.
CONFIG_COPY = "config.yaml"
PUBLISHED_COPY = "published.csv"


class StoreLocked(RuntimeError):
    """Another run is writing the same study."""


class RecordsDamaged(ValueError):
    """A line before the last is no record; the message names it."""


def identity_of(record: Record) -> Identity:
    """Return which cell of the study a record is about."""
    return record["dataset"], record["realization"], record["algorithm"], record["pass"]


def read_records(folder: Path) -> dict[Identity, Record]:
    """Return the latest record of every cell in `folder`; none where there is no file.

    A torn last line (a run killed while writing) is left out. Each record carries its run's
    provenance under `run`. Raises RecordsDamaged for a line that is no record elsewhere.
    """
    runs: dict[str, Record] = {}
    latest: dict[Identity, Record] = {}
    for line in _lines(folder / CELLS_FILE):
        if line["kind"] == "run":
            runs[line["id"]] = line
        else:
            line["run"] = runs.get(line["run_id"], {})
            latest[identity_of(line)] = line
    return latest


def _lines(path: Path) -> Iterator[Record]:
    if not path.exists():
        return
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            if not raw.endswith(b"\n"):
                return  # torn: the run was killed while writing it
            try:
                yield json.loads(raw)
            except ValueError as error:
                raise RecordsDamaged(
                    f"{path}, line {number}: not a record: {error}; remove the line to go on"
                ) from error


class Store:
    """The records of one study, open for writing by one process at a time (a context manager).

    Raises StoreLocked when another process has it open.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / CELLS_FILE
        self._lock = filelock.FileLock(folder / "cells.lock")

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire(timeout=0)
        except filelock.Timeout:
            raise StoreLocked(
                f"{self.folder}: another `ensvm run` is writing here; wait for it, or choose another --results folder"
            ) from None
        self._drop_torn_line()
        self._file = self._path.open("ab")
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()
        self._lock.release()

    def append(self, lines: Iterable[Record]) -> None:
        """Write the lines and have them on the disk before returning."""
        self._file.write(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _drop_torn_line(self) -> None:
        if not self._path.exists():
            return
        with self._path.open("rb+") as file:
            content = file.read()
            file.truncate(content.rfind(b"\n") + 1)


def journal_lines(folder: Path) -> Iterator[Record]:
    """Yield what workers noted in `folder`: cells started and records made, up to the line each was killed in."""
    for path in sorted(folder.glob("*.jsonl")):
        yield from _lines(path)
