"""What workers note on their own disk the moment it happens, until the writing process has it."""

import json
import os
import platform
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ensvm.records.record import Record
from ensvm.records.store import json_lines


@dataclass(frozen=True)
class Journal:
    """A folder with one file for each worker: the cells it started, and the records it made."""

    folder: Path

    def started(self, key: str) -> None:
        """Note that the cell of this key begins."""
        self._note({"kind": "started", "key": key, "time": time.time()})

    def made(self, record: Record) -> None:
        """Note a record."""
        self._note(record.to_json())

    def take(self) -> tuple[list[Record], dict[str, float]]:
        """Empty the folder; return the records, and when each cell in progress was started.

        The line that a worker was killed in is left out.
        """
        records: dict[str, Record] = {}
        running: dict[str, float] = {}
        for path in sorted(self.folder.glob("*.jsonl")):
            for _, line in json_lines(path):
                if line["kind"] == "started":
                    running[line["key"]] = line["time"]
                else:
                    record = Record.from_json(line)
                    records[record.key] = record
                    running.pop(record.key, None)
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        return list(records.values()), running

    def _note(self, line: dict[str, Any]) -> None:
        # A worker on another machine has no such folder; its records travel with its answer alone.
        if self.folder.is_dir():
            with (self.folder / f"{platform.node()}-{os.getpid()}.jsonl").open("a") as file:
                file.write(json.dumps(line) + "\n")
