"""Whenever a process dies, every cell has one record, and only the guilty cell fails."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from made_up_records import Silent

from ensvm.records.record import Record
from ensvm.records.store import read_records
from ensvm.runner import workers
from ensvm.runner.cell import Started, Task, new_record
from ensvm.runner.engine import WorkersDie
from ensvm.runner.execute import run_plan
from ensvm.runner.plan import make_plan
from ensvm.runner.workers import Slot, TookTooLong, WorkerDied

ALGORITHMS = "\n".join(f"a{n}: {{estimator: SVC, params: {{C: {n + 1}}}}}" for n in range(6))


@pytest.fixture
def task(study):
    plan = make_plan(study(ALGORITHMS, realizations=1))
    cells = tuple(cell for cell in plan.cells if cell.method is not None)
    return Task(plan.cards["own"], cells, None, None, "run")


class MadeUpWorker:
    """Runs cells in this process, and dies when `death` says: before a cell, in it or after it."""

    def __init__(self, death):
        self.death, self.stopped, self.done = death, False, []

    def messages(self, task, timeout):
        for cell in task.cells:
            moment = self.death(cell)
            if moment == "before":
                raise WorkerDied("")
            yield [Started(cell.key)]
            if moment == "in":
                raise WorkerDied("crashed here")
            if moment == "too long":
                raise TookTooLong
            self.done.append(cell.key)
            yield [new_record(task, cell, "ok")]
            if moment == "after":
                raise WorkerDied("")


def outcome(task, worker, tmp_path, timeout=None):
    slot = Slot(1)
    slot._workers = {False: worker}
    records: list[Record] = []
    slot.run(task, records.extend, timeout)
    assert [record.key for record in records] == [cell.key for cell in task.cells]
    return [record.status for record in records]


@pytest.mark.parametrize("seed", range(30))
def test_every_cell_has_one_record_whenever_the_process_dies(task, tmp_path, seed):
    rng = random.Random(seed)
    moments = {cell.key: rng.choices(["", "before", "in", "after"], k=3) for cell in task.cells}

    def death(cell):
        return moments[cell.key].pop() if moments[cell.key] else ""

    worker = MadeUpWorker(death)
    assert set(outcome(task, worker, tmp_path)) <= {"ok", "failed"}
    assert len(worker.done) == len(set(worker.done)), "a finished cell was run again"


def test_a_cell_fails_only_if_its_own_process_dies_twice(task, tmp_path):
    deaths = {task.cells[1].key: 9, task.cells[3].key: 1}

    def death(cell):
        deaths[cell.key] = deaths.get(cell.key, 0) - 1
        return "in" if deaths[cell.key] >= 0 else ""

    statuses = outcome(task, MadeUpWorker(death), tmp_path)
    assert statuses == ["ok", "failed", "ok", "ok", "ok", "ok"]


def test_a_cell_that_took_too_long_is_not_tried_again(task, tmp_path):
    slow = task.cells[2].key
    worker = MadeUpWorker(lambda cell: "too long" if cell.key == slow else "")
    statuses = outcome(task, worker, tmp_path, timeout=30.0)
    assert statuses == ["ok", "ok", "timeout", "ok", "ok", "ok"]


def test_processes_that_never_begin_end_the_run(task, tmp_path):
    with pytest.raises(WorkersDie, match="fewer"):
        outcome(task, MadeUpWorker(lambda cell: "before"), tmp_path)


def test_deaths_in_both_passes_leave_one_line_a_cell(study, tmp_path):
    """A record that was saved before a death must not be saved again after the next one."""
    once = 'estimator: "troublesome:DiesOnce", params: {{marker: {}}}'
    config = study(
        f"a: {{{once.format(tmp_path / 'a')}}}\ntimed: {{{once.format(tmp_path / 'timed')}}}",
        realizations=1,
        more="timing: {algorithms: [timed]}\n",
    )
    outcome = run_plan(make_plan(config), tmp_path, Silent(), jobs=1)
    assert outcome.statuses == {"ok": 4}
    text = (tmp_path / "trial" / "cells.jsonl").read_text()
    assert text.count('"kind": "cell"') == len(read_records(tmp_path / "trial")) == 4


def test_an_idle_worker_ends_itself_and_is_started_again(task, tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "IDLE_SECONDS", 0.2)
    worker = workers.Worker(1)
    try:
        one = task.only(task.cells[:1])
        for _ in range(2):
            records = [m for part in worker.messages(one, None) for m in part]
            assert [type(message) for message in records] == [Started, Record]
            worker._process.kill()  # as after an idle minute, which no test waits for
            worker._process.join(30)
    finally:
        worker.stop()


STUBBORN = """
import os, signal, time
from troublesome import Majority

class Stops(Majority):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGSTOP)
        return super().fit(X, y)

class BlocksTheAlarm(Majority):
    def fit(self, X, y):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
        time.sleep(60)
        return super().fit(X, y)
"""


@pytest.mark.parametrize("name", ["Stops", "BlocksTheAlarm"])
def test_the_parent_ends_a_cell_that_no_alarm_reaches(study, tmp_path, name, monkeypatch):
    monkeypatch.setattr(workers, "GRACE_SECONDS", 0.5)
    config = study(
        f'slow: {{estimator: "stubborn:{name}"}}\nsvc: {{estimator: SVC}}', realizations=1
    )
    (tmp_path / "stubborn.py").write_text(STUBBORN)
    start = time.monotonic()
    outcome = run_plan(make_plan(config), tmp_path, Silent(), jobs=1, timeout=1.0)
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
    config = study("\n".join([*blocks, "bayes: {estimator: GaussianNB}"]), realizations=3)
    results = tmp_path / f"{'-'.join(names)}-{jobs}"
    run_plan(make_plan(config), results, Silent(), jobs=jobs)
    return {
        identity: record.metrics.get("error")
        for identity, record in read_records(results / "trial").items()
    }


def test_state_of_own_code_never_reaches_another_cell(study, tmp_path):
    together = values(study, tmp_path, THREE, 1)
    assert values(study, tmp_path, THREE, 2) == together
    assert values(study, tmp_path, THREE[::-1], 2) == together
    for name in THREE:
        assert values(study, tmp_path, [name], 1).items() <= together.items()
    of = {name: [v for (_, _, a, _), v in sorted(together.items()) if a == name] for name in THREE}
    assert of["Twin"] == [v for (_, _, a, _), v in sorted(together.items()) if a == "bayes"]
    assert of["Patches"] != of["Twin"]


def test_workers_end_with_a_parent_that_is_killed(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import time
        from ensvm.runner.workers import _start
        process, (connection, _) = _start(1)
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
