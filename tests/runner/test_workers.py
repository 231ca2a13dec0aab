"""Whenever a process dies, every cell has one record, and only the guilty cell fails."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from made_up_records import run_quietly

from ensvm.records.record import Record
from ensvm.records.store import read_records
from ensvm.runner import workers
from ensvm.runner.cell import Started, Task, new_record
from ensvm.runner.plan import make_plan
from ensvm.runner.workers import WorkerDied, WorkersDie

ALGORITHMS = "\n".join(f"a{n}: {{estimator: SVC, params: {{C: {n + 1}}}}}" for n in range(6))


@pytest.fixture
def task(study):
    plan = make_plan(study(ALGORITHMS, realizations=1))
    cells = tuple(cell for cell in plan.cells if cell.method is not None)
    return Task(plan.cards["own"], cells, None, "run")


class MadeUpWorker:
    """Runs cells in this process, and dies when `death` says: before a cell, in it or after it."""

    def __init__(self, death):
        self.death, self.done, self.sent = death, [], []

    def send(self, task):
        self.sent = self.run(task)

    def run(self, task):
        for cell in task.cells:
            moment = self.death(cell)
            if moment == "before":
                raise WorkerDied("")
            yield Started()
            if moment == "in":
                raise WorkerDied("crashed here")
            self.done.append(cell.key)
            yield new_record(task, cell, "ok")
            if moment == "after":
                raise WorkerDied("")
        yield None

    def handles(self):
        return []

    def messages(self):
        return [next(self.sent)]

    def kill(self):
        self.sent = iter(())


def outcome(task, worker, monkeypatch):
    monkeypatch.setattr(workers, "_Worker", lambda threads: worker)
    monkeypatch.setattr(workers, "wait", lambda handles, seconds: time.sleep(0.0))
    records: list[Record] = []
    workers.run_here([task], records.extend, None, jobs=1)
    assert [record.key for record in records] == [cell.key for cell in task.cells]
    return [record.status for record in records]


@pytest.mark.parametrize("seed", range(10))
def test_every_cell_has_one_record_whenever_the_process_dies(task, monkeypatch, seed):
    rng = random.Random(seed)
    moments = {cell.key: rng.choices(["", "before", "in", "after"], k=3) for cell in task.cells}

    def death(cell):
        return moments[cell.key].pop() if moments[cell.key] else ""

    worker = MadeUpWorker(death)
    assert set(outcome(task, worker, monkeypatch)) <= {"ok", "failed"}
    assert len(worker.done) == len(set(worker.done)), "a finished cell was run again"


def test_a_cell_fails_only_if_its_own_process_dies_twice(task, monkeypatch):
    deaths = {task.cells[1].key: 9, task.cells[3].key: 1}

    def death(cell):
        deaths[cell.key] = deaths.get(cell.key, 0) - 1
        return "in" if deaths[cell.key] >= 0 else ""

    statuses = outcome(task, MadeUpWorker(death), monkeypatch)
    assert statuses == ["ok", "failed", "ok", "ok", "ok", "ok"]


def test_processes_that_never_begin_end_the_run(task, monkeypatch):
    with pytest.raises(WorkersDie, match="fewer"):
        outcome(task, MadeUpWorker(lambda cell: "before"), monkeypatch)


STUBBORN = """
import os, signal
from troublesome import Majority

class Stops(Majority):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGSTOP)
        return super().fit(X, y)
"""


def test_a_stopped_process_is_killed_at_the_time_limit(study, tmp_path):
    config = study('stops: {estimator: "stubborn:Stops"}\nsvc: {estimator: SVC}', realizations=1)
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    start = time.monotonic()
    outcome = run_quietly(make_plan(config), tmp_path, jobs=1, timeout=1.0)
    assert outcome.statuses == {"ok": 2, "timeout": 1}
    assert time.monotonic() - start < 30


# State in a module of one's own, in a class of scikit-learn's, and in NumPy itself.
STATEFUL = """
import numpy as np
from sklearn.naive_bayes import GaussianNB

_fits = []

class Counts(GaussianNB):
    def fit(self, X, y):
        _fits.append(1)
        self.var_smoothing = 10.0 ** -len(_fits)
        return super().fit(X, y)

class Patches(GaussianNB):
    def fit(self, X, y):
        super().fit(X, y)
        GaussianNB.predict = lambda self, X: np.full(len(X), self.classes_[0])
        return self

class Twin(GaussianNB):
    pass
"""
THREE = ["Counts", "Patches", "Twin"]


def values(study, tmp_path, names, jobs):
    (tmp_path / "stateful.py").write_text(STATEFUL)
    blocks = [f'{name}: {{estimator: "stateful:{name}"}}' for name in names]
    config = study("\n".join([*blocks, "bayes: {estimator: GaussianNB}"]), realizations=2)
    results = tmp_path / f"{'-'.join(names)}-{jobs}"
    run_quietly(make_plan(config), results, jobs=jobs)
    return {
        identity: record.metrics.get("error")
        for identity, record in read_records(results / "trial").items()
    }


def test_state_of_own_code_never_reaches_another_cell(study, tmp_path):
    together = values(study, tmp_path, THREE, 1)
    assert values(study, tmp_path, THREE[::-1], 2) == together
    assert values(study, tmp_path, ["Twin"], 1).items() <= together.items()
    of = {name: [v for (_, _, a, _), v in sorted(together.items()) if a == name] for name in THREE}
    assert of["Twin"] == [v for (_, _, a, _), v in sorted(together.items()) if a == "bayes"]
    assert of["Patches"] != of["Twin"]


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import time
        from ensvm.runner.workers import _start
        process, connection, _ = _start(1)
        print(process.pid, flush=True)
        time.sleep(60)
        """)
    )
    command = [sys.executable, str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        worker = int(parent.stdout.readline())
        parent.kill()
    end = time.monotonic() + 20
    while time.monotonic() < end:
        try:
            os.kill(worker, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    os.kill(worker, signal.SIGKILL)
    pytest.fail("the worker outlived its parent by 20 seconds")
