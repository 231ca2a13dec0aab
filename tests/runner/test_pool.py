"""Whenever a process dies, every cell has one record, and only the guilty cell fails."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

import pytest
from joblib.externals.loky import process_executor
from made_up_records import invoke, run_quietly

from ensvm.records.store import CELLS_FILE, Appender, Store, read_records
from ensvm.runner import pool
from ensvm.runner.cell import Task, new_record
from ensvm.runner.plan import make_plan
from ensvm.runner.pool import LocalPool, WorkersDie
from ensvm.runner.worker import CellDied, Traces

ALGORITHMS = "\n".join(f"a{n}: {{estimator: SVC, params: {{C: {n + 1}}}}}" for n in range(6))


@pytest.fixture
def task(study):
    plan = make_plan(study(ALGORITHMS, realizations=1))
    cells = tuple(cell for cell in plan.cells if cell.method is not None)
    return Task(plan.cards["own"], cells, None, "run")


def made_up(death, ran):
    """Return a worker that notes cells in `ran` and dies before, in or after a cell."""

    class Worker:
        def __init__(self, folder, threads):
            folder.mkdir()
            self.traces, self.was_too_slow = Traces(folder), False

        def submit(self, attempt, results, timeout):
            future = Future()
            try:
                self.run(attempt.task, results)
            except CellDied as error:
                future.set_exception(error)
            else:
                future.set_result(None)
            return future

        def run(self, task, results):
            for cell in task.cells:
                moment = death(cell)
                if moment == "before":
                    raise CellDied("SIGKILL(-9)")
                self.traces.begin(cell.identity)
                if moment == "in":
                    raise CellDied("SIGKILL(-9)")
                with Appender(results) as store:
                    store.append([new_record(task, cell, "ok")])
                ran.append(cell.key)
                if moment == "after":
                    raise CellDied("SIGKILL(-9)")
                self.traces.end()

        def notice_death(self):
            pass

        def end(self, *, wait=True):
            pass

    return Worker


def outcome(task, death, monkeypatch, folder):
    """Run a task in a pool of one such worker; return the statuses of its cells in their order."""
    records, ran = {}, []
    monkeypatch.setattr(pool, "_Worker", made_up(death, ran))

    def report(new):
        assert not records.keys() & {one.key for one in new}, "a cell has two records"
        records.update((one.key, one) for one in new)

    with Store(folder) as store, LocalPool(store, report, None, 1) as one:
        one.run([task])
    assert len(ran) == len(set(ran)), "a finished cell was run again"
    return [records[cell.key].status for cell in task.cells]


@pytest.mark.parametrize("seed", range(10))
def test_every_cell_has_one_record_whenever_the_process_dies(task, monkeypatch, tmp_path, seed):
    rng = random.Random(seed)
    moments = {cell.key: rng.choices(["", "before", "in", "after"], k=3) for cell in task.cells}

    def death(cell):
        return moments[cell.key].pop() if moments[cell.key] else ""

    assert set(outcome(task, death, monkeypatch, tmp_path / "r")) <= {"ok", "failed"}


def test_a_cell_fails_only_if_its_own_process_dies_twice(task, monkeypatch, tmp_path):
    deaths = {task.cells[1].key: 9, task.cells[3].key: 1}

    def death(cell):
        deaths[cell.key] = deaths.get(cell.key, 0) - 1
        return "in" if deaths[cell.key] >= 0 else ""

    statuses = outcome(task, death, monkeypatch, tmp_path / "r")
    assert statuses == ["ok", "failed", "ok", "ok", "ok", "ok"]


def test_processes_that_never_begin_end_the_run(task, monkeypatch, tmp_path):
    with pytest.raises(WorkersDie, match=r"SIGKILL.*fewer"):
        outcome(task, lambda cell: "before", monkeypatch, tmp_path / "r")


def test_a_worker_that_is_killed_while_it_is_idle_is_replaced(task, tmp_path):
    records = []
    with Store(tmp_path / "r") as store, LocalPool(store, records.extend, None, 1) as one:
        one.run([task.only(task.cells[:1])])
        executor = one._idle[0]._executor
        for pid in list(executor._processes):
            os.kill(pid, signal.SIGKILL)
        end = time.monotonic() + 60
        while executor._flags.broken is None and time.monotonic() < end:
            time.sleep(0.01)
        one.run([task.only(task.cells[1:2])])
    assert [record.status for record in records] == ["ok", "ok"]


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
    outcome = run_quietly(make_plan(config), tmp_path, jobs=1, timeout=1.0)
    assert outcome.statuses == {"ok": 2, "timeout": 1}


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


PARENT = """
import sys
from pathlib import Path
from made_up_records import invoke, run_quietly
from ensvm.runner.plan import make_plan
run_quietly(make_plan(Path(sys.argv[1])), Path(sys.argv[2]), jobs=2)
"""
NAPS = """
import os
from troublesome import Naps

class Own(Naps):
    def fit(self, X, y):
        with open(os.environ["NAPPING"], "a") as file:
            file.write(f"{os.getpid()}\\n")
        return super().fit(X, y)
"""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the state of processes from /proc")
def test_a_parent_that_is_killed_loses_no_finished_line(study, tmp_path, monkeypatch):
    """At random moments; the workers end, and the same run goes on to the same records."""
    (tmp_path / "naps_beside.py").write_text(NAPS)
    monkeypatch.setenv("NAPPING", str(tmp_path / "pids"))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))
    nap = 'nap: {estimator: "troublesome:Naps"}\nown: {estimator: "naps_beside:Own"}'
    config, results = study(nap, realizations=8), tmp_path / "r"
    cells = results / "trial" / CELLS_FILE
    rng, lines = random.Random(0), b""
    for _ in range(3):
        command = [sys.executable, "-c", PARENT, str(config), str(results)]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as parent:
            n_before = lines.count(b"\n")
            while parent.poll() is None and cells_in(cells) < n_before + 3:
                time.sleep(0.02)
            time.sleep(rng.random())
            lines = cells.read_bytes()
            parent.kill()
        assert cells.read_bytes().startswith(lines[: lines.rfind(b"\n") + 1])
    pids = (tmp_path / "pids").read_text().split()
    end = time.monotonic() + 60
    while any(map(is_alive, pids)):
        assert time.monotonic() < end, "a worker has outlived its parent by a minute"
        time.sleep(0.05)
    assert run_quietly(make_plan(config), results, jobs=1).done == 17
    records = [line for line in map(json.loads, cells.read_text().splitlines()) if "status" in line]
    assert {line["status"] for line in records} == {"ok"}
    assert len({line["key"] for line in records}) == 17


def cells_in(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_worker_may_use_an_equal_share_of_the_processors(study, tmp_path, monkeypatch):
    for name in pool.THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pool, "cpu_count", lambda: 6)  # those that this process may run on
    config = study('counts: {estimator: "beside:Counts"}', realizations=2)
    (tmp_path / "beside.py").write_text(COUNTS)
    run_quietly(make_plan(config), tmp_path / "r", jobs=2)
    records = read_records(tmp_path / "r" / "trial").values()
    assert {one.metrics["omp_"] for one in records if one.algorithm == "counts"} == {3}


COUNTS = """
import os
from troublesome import Majority

class Counts(Majority):
    def fit(self, X, y):
        self.omp_ = int(os.environ["OMP_NUM_THREADS"])
        return super().fit(X, y)
"""


def test_a_long_folder_for_temporary_files_is_no_obstacle(study, tmp_path, monkeypatch):
    """As schedulers of clusters give: longer than the address of a socket may be."""
    folder = tmp_path / ("scratch-" * 20)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    config = study("svc: {estimator: SVC}", realizations=1)
    assert run_quietly(make_plan(config), tmp_path / "r", jobs=1).statuses == {"ok": 2}
    assert not list(folder.iterdir())


def test_a_pool_may_end_right_after_a_task_begins(task, tmp_path, monkeypatch):
    """However long joblib's thread takes to see the task, no error is raised in it."""
    errors, thread_type = [], process_executor._ExecutorManagerThread
    look = thread_type.wait_result_broken_or_wakeup
    monkeypatch.setattr(threading, "excepthook", errors.append)
    monkeypatch.setattr(
        thread_type, "wait_result_broken_or_wakeup", lambda self: (look(self), time.sleep(0.3))[0]
    )
    with Store(tmp_path / "r") as store, LocalPool(store, lambda records: None, None, 1) as one:
        one.run([task.only(task.cells[:1])])
        time.sleep(0.5)  # the thread waits for another task
        one.submit(pool.Attempt(task))
    assert errors == []


def test_a_running_pool_looks_for_an_interruption(task, tmp_path, monkeypatch):
    interrupted, records, awaited = pool.Interruption(), [], []
    monkeypatch.setattr(pool, "interrupted", interrupted)

    def report(new):
        records.extend(new)
        awaited.append(interrupted.is_awaited)
        interrupted.set()  # as the handler of the signal does, without an exception

    tasks = [task.only((cell,)) for cell in task.cells]
    with (
        Store(tmp_path / "r") as store,
        pytest.raises(KeyboardInterrupt),
        LocalPool(store, report, None, 1) as one,
    ):
        one.run(tasks)
    assert 0 < len(records) < len(tasks)
    assert all(awaited[:1])
    assert not interrupted.is_awaited


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.EAGAIN, "fewer --jobs"),
        (errno.ENOMEM, "fewer --jobs"),
        (errno.EMFILE, "fewer --jobs"),
        (errno.EROFS, "/nowhere, which is not a folder that can be written"),
        (errno.ENOENT, "/nowhere, which is not a folder that can be written"),
        (errno.ENOSYS, "/nowhere, which is not a folder that can be written"),
    ],
)
def test_a_system_that_starts_no_process_is_told_and_no_folder_is_blamed(
    study, tmp_path, monkeypatch, number, message
):
    def refused(*arguments, **options):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(pool, "ProcessPoolExecutor", refused)
    monkeypatch.setattr(pool, "SEMAPHORES", "/nowhere")
    path = study("a: {estimator: GaussianNB}", realizations=1)
    result = invoke("run", path, "--results", tmp_path / "results", "--jobs", 1)
    assert result.exit_code == 2, result.output
    told = " ".join(result.stderr.split())
    assert f"no worker process can be started: {os.strerror(number)}" in told
    assert message in told
    assert "--results" not in told
