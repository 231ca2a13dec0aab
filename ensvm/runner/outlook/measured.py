"""Measured seconds of cells: gathered from records, kept in a shipped table, read for estimates.

`python -m ensvm.runner.outlook.measured results` writes the table anew from the records in a
folder; the rows of studies that have no records there stay.
"""

import csv
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any

from ensvm.kernels import parameters_of
from ensvm.records.record import Identity, Record
from ensvm.records.store import CELLS_FILE, read_records
from ensvm.shipped import shipped_configs
from ensvm.study.metrics import DATA_CELL

TABLE = "measured-seconds.csv"
SECONDS = ("fit_seconds", "kernel_seconds", "predict_seconds", "test_kernel_seconds")


@dataclass(frozen=True)
class Measured:
    """The mean seconds of an algorithm's cells on one data set.

    Attributes
    ----------
    study, dataset, algorithm : str
        Where the cells belong: the study, the row, the column.
    run_pass : 'error' or 'timing'
        The pass they belong to.
    settings : str
        A hash of the estimator and its parameters; see `settings_id`.
    n_train, n_test : int
        The rows that a cell is fitted on and scored on.
    cells : int
        The cells that were measured.
    fit_seconds, predict_seconds : float
        Seconds of one cell, apart from the kernel values that it may share with others.
    kernel_seconds, test_kernel_seconds : float
        Seconds for all kernel values among the training rows, and of the test rows. In the error
        pass the algorithms with one kernel share them.
    machine : str
        The kind of processor.
    """

    study: str
    dataset: str
    algorithm: str
    run_pass: str
    settings: str
    n_train: int
    n_test: int
    cells: int
    fit_seconds: float
    kernel_seconds: float
    predict_seconds: float
    test_kernel_seconds: float
    machine: str

    @property
    def kernels(self) -> float:
        """The seconds of all kernel values."""
        return self.kernel_seconds + self.test_kernel_seconds

    @property
    def alone(self) -> float:
        """The seconds of a cell that shares nothing."""
        return self.fit_seconds + self.predict_seconds + self.kernels


def settings_id(algorithm: Mapping[str, Any]) -> str:
    """Return a hash of what an algorithm is, from its settings as a JSON object.

    Two algorithms with the same hash cost the same on the same data. Defaults do not enter it, so
    that a new parameter does not make what was measured another algorithm.
    """
    told = [algorithm.get(key) for key in ("estimator", "params", "grid", "stage")]
    text = json.dumps(told, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def kernel_id(algorithm: Mapping[str, Any]) -> str:
    """Return what algorithms share kernel values by: the kernel, its parameters, the precision."""
    told = algorithm.get("defaults", {})
    try:
        read = parameters_of(told.get("kernel", "").strip("'"))
    except ValueError:  # a function of the user's own, or an algorithm without kernels
        read = ()
    return repr([*(told.get(name) for name in ("kernel", *read)), algorithm.get("gram_dtype")])


def measured(records: Mapping[Identity, Record]) -> list[Measured]:
    """Return the mean seconds of a study's finished cells, one line a data set and algorithm."""
    done = [record for record in records.values() if record.ok and record.settings.get("algorithm")]
    kernels = _kernel_seconds(done)
    groups: dict[tuple[str, str, str, str], list[Record]] = defaultdict(list)
    for record in done:
        identity = settings_id(record.settings["algorithm"])
        groups[record.dataset, record.algorithm, record.run_pass, identity].append(record)
    lines = []
    for (dataset, algorithm, run_pass, identity), group in groups.items():
        facts = records.get((dataset, 1, DATA_CELL, "error"))
        if facts is None or not facts.ok:
            continue
        n_train, n_test = facts.size("n_train"), facts.size("n_test")
        if n_train is None or n_test is None:
            continue
        of_group = [kernels[_sharing(record)] for record in group]
        lines.append(
            Measured(
                study=group[0].study,
                dataset=dataset,
                algorithm=algorithm,
                run_pass=run_pass,
                settings=identity,
                n_train=n_train,
                n_test=n_test,
                cells=len(group),
                fit_seconds=fmean(_fit_seconds(record) for record in group),
                kernel_seconds=fmean(train for train, _ in of_group),
                predict_seconds=fmean(_undisturbed(record, "predict") for record in group),
                test_kernel_seconds=fmean(test for _, test in of_group),
                machine=group[-1].run.processor if group[-1].run else "",
            )
        )
    return lines


def _fit_seconds(record: Record) -> float:
    return _undisturbed(record, "fit") + record.seconds.get("selection_seconds", 0.0)


def _undisturbed(record: Record, part: str) -> float:
    """Return the seconds of a part as if the machine had nothing else to do.

    Waiting for a processor adds to the wall time alone, a second thread to the CPU time alone.
    """
    wall = record.seconds.get(f"{part}_seconds", 0.0)
    return min(wall, record.seconds.get(f"{part}_cpu_seconds", wall))


def _kernel_seconds(records: Iterable[Record]) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Return the seconds of each kernel matrix: the highest of the running sums in its records."""
    spent: dict[tuple[Any, ...], tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for record in records:
        train, test = spent[_sharing(record)]
        spent[_sharing(record)] = (
            max(train, record.seconds.get("kernel_seconds", 0.0)),
            max(test, record.seconds.get("test_kernel_seconds", 0.0)),
        )
    return spent


def _sharing(record: Record) -> tuple[Any, ...]:
    """Return what records have in common whose kernel values were computed once."""
    # A timing has a matrix of its own; so has what is fitted on the inputs.
    if record.run_pass == "timing" or "kernel_seconds" not in record.seconds:
        return (record.key,)
    kernel = kernel_id(record.settings["algorithm"])
    return record.dataset, record.realization, record.run_id, kernel


def total_seconds(lines: Iterable[Measured], orders: Mapping[str, int]) -> float:
    """Return the seconds that all measured cells of a study take one processor.

    Parameters
    ----------
    lines : iterable of Measured
        The study's lines.
    orders : dict of int
        Over how many orders of its training rows each algorithm is fitted, where over several.

    Returns
    -------
    float
        The seconds, about: lines of a data set with equal kernel seconds shared the kernel values.
    """
    lines = list(lines)
    timed = {
        (line.dataset, line.algorithm, line.settings): line.cells
        for line in lines
        if line.run_pass == "timing"
    }
    total, shared = 0.0, dict[tuple[str, float], float]()
    for line in lines:
        if line.run_pass == "timing":
            total += line.cells * line.alone
            continue
        n = orders.get(line.algorithm, 1)
        own = n * (line.fit_seconds + line.predict_seconds) + (n - 1) * line.kernels
        # a timing leaves the error too
        cells = max(line.cells - timed.get((line.dataset, line.algorithm, line.settings), 0), 0)
        total += cells * own
        kernel = line.dataset, line.kernel_seconds
        shared[kernel] = max(shared.get(kernel, 0.0), cells * line.kernels)
    return total + sum(shared.values())


def read_measured(path: Path | None = None) -> list[Measured]:
    """Return the lines of a table of measured seconds: the shipped one, if no other is named."""
    path = path or shipped_configs() / TABLE
    if not path.is_file():
        return []
    kinds = {entry.name: entry.type for entry in fields(Measured)}
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Measured(**{name: kinds[name](text) for name, text in line.items()})  # type: ignore
            for line in csv.DictReader(file)
        ]


def write_measured(lines: Iterable[Measured], path: Path) -> None:
    """Write a table of measured seconds, three digits each."""
    with path.open("w", encoding="utf-8", newline="") as file:
        names = [entry.name for entry in fields(Measured)]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        for line in lines:
            rounded = {name: f"{getattr(line, name):.3g}" for name in SECONDS}
            writer.writerow(asdict(line) | rounded)


def main(results: Path, path: Path) -> None:
    """Replace the lines of every study that has records in `results`."""
    lines = {line.study: list[Measured]() for line in read_measured(path)}
    for line in read_measured(path):
        lines[line.study].append(line)
    for cells in sorted(results.glob(f"*/{CELLS_FILE}")):
        found = measured(read_records(cells.parent))
        lines |= {found[0].study: found} if found else {}
    write_measured([line for study in sorted(lines) for line in lines[study]], path)


if __name__ == "__main__":
    main(Path(sys.argv[1]), shipped_configs() / TABLE)
