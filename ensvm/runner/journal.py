"""What workers note on their own disk the moment it happens, until the writing process has it."""

import json
import os
import shutil
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from ensvm.records.record import Record
from ensvm.records.store import json_lines

CRASH = "crash-"


@dataclass(frozen=True)
class Left:
    """What a process that died had noted of its task.

    Attributes
    ----------
    records : list of Record
        The records of the cells that it finished.
    running : dict of str to float
        When each cell in progress was started, by its key.
    crash : str
        Where the process crashed, as the interpreter said it; empty where it did not.
    """

    records: list[Record]
    running: dict[str, float]
    crash: str


@dataclass(frozen=True)
class Journal:
    """A folder with a file for each task in progress: the cells that began, and their records."""

    folder: Path

    def started(self, task: str, key: str) -> None:
        """Note that the cell of this key, one of a task's, begins."""
        self._note(task, {"kind": "started", "key": key, "time": time.time()})

    def made(self, task: str, record: Record) -> None:
        """Note a record of one of a task's cells."""
        self._note(task, record.to_json())

    def forget(self, task: str) -> None:
        """Remove what was noted of a task, whose records are in the store."""
        for path in self.folder.glob(f"{task}-*.jsonl"):
            with suppress(FileNotFoundError):
                path.unlink()

    def crash_file(self) -> IO[str]:
        """Return a file that stays open for what the interpreter says when this process crashes."""
        folder = self.folder if self.folder.is_dir() else None
        return open(os.devnull if folder is None else folder / f"{CRASH}{os.getpid()}", "w")

    def records(self) -> list[Record]:
        """Return the records in the folder; incomplete last lines are ignored."""
        records, _ = _read(sorted(self.folder.glob("*.jsonl")))
        return list(records.values())

    def remove(self) -> None:
        """Remove the folder, whose records are in the store."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def left_by(self, process: int, task: str) -> Left:
        """Return what a process noted of a task before it died; it stays in the folder.

        Parameters
        ----------
        process : int
            The number of the process.
        task : str
            The name of the task.

        Returns
        -------
        Left
            The records, the cells in progress, and where it crashed.
        """
        records, running = _read([self._file(task, process)])
        crash = self.folder / f"{CRASH}{process}"
        told = crash.read_text() if crash.is_file() else ""
        return Left(list(records.values()), running, _where(told))

    def _note(self, task: str, line: dict[str, Any]) -> None:
        # A worker on another machine has no such folder; its records travel with its answer alone.
        if self.folder.is_dir():
            # Each process has a file of its own: one that was killed may have torn its last line.
            with self._file(task, os.getpid()).open("a") as file:
                file.write(json.dumps(line) + "\n")

    def _file(self, task: str, process: int) -> Path:
        return self.folder / f"{task}-{process}.jsonl"


def _read(paths: Iterable[Path]) -> tuple[dict[str, Record], dict[str, float]]:
    """Return the records, and when each cell without one was started, both by the cell's key."""
    records: dict[str, Record] = {}
    running: dict[str, float] = {}
    for path in paths:
        for _, line in json_lines(path):
            if line["kind"] == "started":
                running[line["key"]] = line["time"]
            else:
                record = Record.from_json(line)
                records[record.key] = record
    for key in records:
        running.pop(key, None)
    return records, running


def _where(text: str) -> str:
    """Return what faulthandler said without its list of all extension modules."""
    return text.partition("\nExtension modules:")[0].strip()
