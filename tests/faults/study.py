"""The small study that faults are made in, and what a folder of its results holds."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np

from ensvm.records.asked import ASKED_FILE
from ensvm.records.record import Identity, Record
from ensvm.records.store import CELLS_FILE, read_records

CONFIG = """\
study: trial
title: A trial
realizations: 2
published: printed.csv
datasets:
  - {name: own, path: own.csv, target: label, positive: 1,
     split: {protocol: random, n_train: 40, n_test: 20}}
algorithms:
  svc: {label: C-SVM, estimator: SVC, params: {kernel: rbf, gamma: 0.5}}
  tree: {label: tree, estimator: DecisionTreeClassifier}
timing: {algorithms: [svc], realizations: 1}
tables:
  - {id: errors, caption: Errors., columns: [svc, tree]}
  - {id: auc, caption: Areas., metric: auc, columns: [svc, tree]}
figures:
  - {id: box, kind: box, caption: Errors., rows: [own], series: [svc, tree], table: errors}
claims: [{id: 1, text: t, left: svc, relation: at-most, limit: 99.0}]
"""
PRINTED = "table,row,column,value,std\nerrors,own,svc,24.0,\nerrors,own,tree,29.5,\n"


def write_study(folder: Path) -> Path:
    """Write the data, the printed values and the config, and return the config's path."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 3 == 0, -1, 1)
    X = rng.normal(size=(60, 2)) + 0.7 * y[:, None]
    rows = [f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    (folder / "own.csv").write_text("\n".join(["a,b,label", *rows]) + "\n")
    (folder / "printed.csv").write_text(PRINTED)
    path = folder / "trial.yaml"
    path.write_text(CONFIG)
    return path


def records_on_disk(folder: Path) -> set[tuple[str, str]]:
    """Return what tells each record in whole lines below a folder: its cell's key, and its time."""
    lines = [line for path in folder.rglob("*.jsonl") for line in _whole_lines(path)]
    return {(line["key"], line["time"]) for line in lines if line.get("kind") == "cell"}


def saved_twice(folder: Path) -> int:
    """Return how many cells of the study's folder have more than one good record."""
    lines = _whole_lines(folder / CELLS_FILE)
    good = Counter(line["key"] for line in lines if line.get("status") == "ok")
    return sum(count > 1 for count in good.values())


def _whole_lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n")[:-1]]


def content(folder: Path) -> dict[str, object]:
    """Return what a folder holds: the values of records, the bytes of all other files."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.name == CELLS_FILE:
            found[name] = _values(read_records(path.parent))
        elif path.name == ASKED_FILE:  # its first line has the time of the run
            found[name] = path.read_bytes().split(b"\n")[1:]
        elif path.suffix != ".lock":
            found[name] = path.read_bytes() if path.is_file() else None
    return found


def _values(records: dict[Identity, Record]) -> dict[Identity, Record]:
    """Return records without what may differ between two runs of the same."""
    return {
        cell: replace(record, seconds={}, time="", run_id="", conditions=None)
        for cell, record in records.items()
    }
