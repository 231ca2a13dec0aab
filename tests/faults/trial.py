"""The small study that faults are made in, and what an undisturbed run of it gives."""

import json
import textwrap
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ensvm.records.record import Identity, Record
from ensvm.records.store import CELLS_FILE, read_records

GOOD = """
svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}
random: {estimator: "troublesome:Random"}
parzen: {estimator: ParzenWindowClassifier}
naps: {estimator: "troublesome:Naps"}
"""
TIMING = "timing: {algorithms: [svc, naps], realizations: 2}\n"
TABLES = """
tables:
  - {id: errors, caption: c, columns: [svc, random, parzen, naps]}
  - {id: seconds, caption: c, of: timing, metric: train_seconds, columns: [svc]}
"""


def own_rows(m: int = 60) -> str:
    """Return a CSV of two inputs and labels -1 (fewer) and 1."""
    rng = np.random.default_rng(0)
    y = np.where(np.arange(m) % 3 == 0, -1, 1)
    X = rng.normal(size=(m, 2)) + 0.7 * y[:, None]
    rows = (f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True))
    return "\n".join(["a,b,label", *rows]) + "\n"


def write_study(
    folder: Path, algorithms: str = GOOD, *, realizations: int = 4, more: str = TIMING + TABLES
) -> Path:
    """Write the data and a config with these algorithms into a folder, and return the config."""
    (folder / "own.csv").write_text(own_rows())
    path = folder / "trial.yaml"
    path.write_text(
        f"study: trial\nrealizations: {realizations}\ndatasets:\n"
        "  - {name: own, path: own.csv, target: label, positive: 1,"
        " split: {protocol: random, n_train: 40, n_test: 20}}\n"
        f"algorithms:\n{textwrap.indent(algorithms.strip(), '  ')}\n{more}"
    )
    return path


@dataclass(frozen=True)
class State:
    """What a results folder holds."""

    values: dict[Identity, Any] = field(default_factory=dict)
    """What may not differ between runs: everything but seconds, times and provenance."""

    def of(self, algorithms: set[str]) -> dict[Identity, Any]:
        """Return the values of some algorithms."""
        return {cell: value for cell, value in self.values.items() if cell[2] in algorithms}


def state_of(results: Path) -> State:
    """Read the values from the records in a results folder."""
    return State(
        {cell: _values(record) for cell, record in read_records(results / "trial").items()}
    )


def _values(record: Record) -> Any:
    # A fitted time is no value; curves and metrics of the algorithms here hold none.
    same = (record.status, record.key, dict(record.metrics), dict(record.curves))
    return json.loads(json.dumps(same))


def whole_lines(results: Path) -> set[bytes]:
    """Return the records on the disk: whole lines that are JSON, those of the workers too."""
    folder = results / "trial"
    lines: set[bytes] = set()
    for path in (folder / CELLS_FILE, *folder.glob("running/*.jsonl")):
        if path.is_file():
            lines |= {line for line in path.read_bytes().split(b"\n")[:-1] if _is_record(line)}
    return lines


def _is_record(line: bytes) -> bool:
    try:
        return bool(json.loads(line).get("kind") == "cell")
    except (ValueError, AttributeError):
        return False


def records_of(lines: set[bytes]) -> set[tuple[str, str]]:
    """Return what tells one record from every other: its cell's key, and when it was made."""
    return {(record["key"], record["time"]) for record in map(json.loads, lines)}


def saved_twice(results: Path) -> int:
    """Return how many cells have more than one good record on the disk."""
    lines = (results / "trial" / CELLS_FILE).read_bytes().splitlines()
    good = Counter(line["key"] for line in map(json.loads, lines) if line.get("status") == "ok")
    return sum(count > 1 for count in good.values())


def table_of(results: Path) -> str:
    """Return the table of errors as it was last written; "" if it was not."""
    path = results / "trial" / "table-errors.csv"
    return path.read_text() if path.exists() else ""
