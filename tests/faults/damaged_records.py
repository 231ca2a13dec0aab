"""Records on the disk are damaged: what is intact is kept, and what is not is named."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import numpy as np

from faults.outcome import FaultClass, Outcome, Verdict, judged
from faults.trial import records_of, state_of, table_of, whole_lines, write_study

Damage = Callable[[bytes, np.random.Generator], bytes]


def truncated(content: bytes, rng: np.random.Generator) -> bytes:
    """End the file anywhere."""
    return content[: rng.integers(len(content))]


def zeroed(content: bytes, rng: np.random.Generator) -> bytes:
    """Put zeros in the place of a block, as a file system does after a crash."""
    start = int(rng.integers(len(content)))
    block = content[start : start + int(rng.integers(1, 4096))]
    return content[:start] + bytes(len(block)) + content[start + len(block) :]


def cut_out(content: bytes, rng: np.random.Generator) -> bytes:
    """Leave out a block."""
    start = int(rng.integers(len(content)))
    return content[:start] + content[start + int(rng.integers(1, 4096)) :]


def unreadable(content: bytes, rng: np.random.Generator) -> bytes:
    """Put bytes that are no text in the place of some."""
    changed = bytearray(content)
    for at in rng.integers(len(content), size=int(rng.integers(1, 4))):
        changed[at] |= 0x80
    return bytes(changed)


def flipped(content: bytes, rng: np.random.Generator) -> bytes:
    """Flip a bit anywhere."""
    changed = bytearray(content)
    changed[rng.integers(len(content))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


LINES = (
    b"[]",
    b"null",
    b"1",
    b'"text"',
    b"{}",
    b'{"kind": "cell"}',
    b'{"kind": "cell", "dataset": ["own"], "realization": "1"}',
    b'{"kind": "run"}',
    b'{"kind": "banana", "of": "a later version"}',
    b'{"status": "ok", "error": 0.25}',
    b"[" * 100_000,
    b"9" * 10_000,
    b'{"kind": NaN}',
)


def foreign(content: bytes, rng: np.random.Generator) -> bytes:
    """Put a line between the others that is JSON and no record."""
    lines = content.splitlines(keepends=True)
    lines.insert(int(rng.integers(len(lines))), LINES[rng.integers(len(LINES))] + b"\n")
    return b"".join(lines)


def mistyped(content: bytes, rng: np.random.Generator) -> bytes:
    """Give a key of a record a value of another type, or leave it out."""
    lines = content.splitlines(keepends=True)
    at = int(rng.integers(len(lines)))
    record = json.loads(lines[at])
    key = list(record)[rng.integers(len(record))]
    record[key] = [None, [], {}, "x", -1, True][rng.integers(6)]
    if rng.random() < 0.3:
        del record[key]
    lines[at] = json.dumps(record).encode() + b"\n"
    return b"".join(lines)


class Damaged(FaultClass):
    """Files cut off, with blocks missing, with lines that are no records."""

    name: ClassVar[str] = "damaged records"
    share: ClassVar[float] = 0.14
    short: ClassVar[int] = 3
    ways: ClassVar[tuple[Damage, ...]] = (
        truncated,
        zeroed,
        cut_out,
        unreadable,
        foreign,
        mistyped,
    )

    def one(self, number: int) -> Verdict:
        """Damage a copy of good results, lay out the table, and run what is missing."""
        if number == 0:
            self._calm()
        way = self.ways[number % len(self.ways)]
        folder = self.folder / str(number)
        results = folder / "r"
        shutil.copytree(self.folder / "calm", folder)
        cells = results / "trial" / "cells.jsonl"
        content = cells.read_bytes()
        damaged = way(content, self.rng)
        cells.write_bytes(damaged)
        (results / "trial" / "table-errors.csv").unlink()
        fault = f"{way.__name__}, {len(damaged)} of {len(content)} bytes"
        before = set(damaged.split(b"\n")[:-1]) & set(content.split(b"\n")[:-1])
        for command in (["table", str(results)], self._arguments(folder)):
            ran = self.starter.run(command, folder / "log")
            wrong = judged(f"{fault}: {command[0]}", ran, allowed=(0, 1, 2))
            if wrong:
                return wrong
            if ran.status == 2 and "cells.jsonl" not in ran.output and "records" not in ran.output:
                return Verdict(fault, Outcome.STATUS, f"the file is not named: {ran.tail}")
        kept = set(cells.read_bytes().split(b"\n"))
        if before - kept:
            return Verdict(fault, Outcome.LOST, f"{len(before - kept)} intact lines")
        if ran.status != 0:
            return Verdict(fault)  # refused: the user decides what becomes of the line named
        self.starter.run(["table", str(results)], folder / "log")
        if state_of(results).values != self._state.values or table_of(results) != self._table:
            return Verdict(fault, Outcome.WRONG, "values differ from an undisturbed run's")
        return Verdict(fault)

    def _arguments(self, folder: Path) -> list[str]:
        results = folder / "r"
        return ["run", str(folder / "trial.yaml"), "--results", str(results), "--jobs", "1"]

    def _calm(self) -> None:
        folder = self.folder / "calm"
        folder.mkdir()
        quick = """
svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}
parzen: {estimator: ParzenWindowClassifier}
"""
        table = "tables: [{id: errors, caption: c, columns: [svc, parzen]}]\n"
        write_study(folder, quick, more=table)
        ran = self.starter.run(self._arguments(folder), folder / "log")
        assert ran.status == 0, ran.tail
        self.starter.run(["table", str(folder / "r")], folder / "log")
        self._state, self._table = state_of(folder / "r"), table_of(folder / "r")
        assert records_of(whole_lines(folder / "r"))
        assert self._table


class FlippedBits(Damaged):
    """A single bit flipped, in a number too, where the line stays a record."""

    name: ClassVar[str] = "flipped bits in records"
    share: ClassVar[float] = 0.06
    short: ClassVar[int] = 2
    ways: ClassVar[tuple[Damage, ...]] = (flipped,)
