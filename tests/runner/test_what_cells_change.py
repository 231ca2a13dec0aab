"""Whatever a cell does to its process costs at most its own record, with the true reason."""

import os
import re
import signal

import pytest
from made_up_records import run_quietly

from ensvm.records.store import CELLS_FILE, read_records
from ensvm.runner.estimator_output import MOST_CHARACTERS, MOST_OF_A_TRACEBACK
from ensvm.runner.plan import make_plan

ATTACKS = """
import builtins, io, json, multiprocessing, os, resource, shutil, signal, sys, tempfile
import threading, time, warnings

from ensvm.records import store
from troublesome import Majority


class Mute(Exception):
    def __str__(self):
        raise ValueError("no text")

    __repr__ = __str__


class MuteWarning(UserWarning):
    __str__ = Mute.__str__


class Text(str):
    def encode(self, *arguments, **options):
        raise ValueError("no bytes")


def gone():
    folder = tempfile.mkdtemp()
    os.chdir(folder)
    shutil.rmtree(folder)


def mute():
    raise Mute


def mute_warning():
    warnings.warn(MuteWarning())


def long_error():
    raise ValueError("x" * 10_000_000)


def exit_in_a_child():
    if os.fork() == 0:
        return
    time.sleep(0.1)


def process():
    started = multiprocessing.Process(target=print)
    started.start()
    started.join()


def daemon():
    if os.fork():
        return os.wait()
    os.setsid()
    if os.fork():
        os._exit(0)
    with open(os.path.join(os.path.dirname(__file__), "daemon"), "w") as file:
        print(os.getpid(), file=file)
    time.sleep(600)


def limit(name, least=0):
    resource.setrlimit(getattr(resource, name), (least, least))


def interrupt():
    raise KeyboardInterrupt


def replace(module, *names):
    for name in names:
        setattr(module, name, None)


ATTACKS = {
    "directory": lambda: os.chdir("/"),
    "directory_gone": gone,
    "descriptors": lambda: os.closerange(3, 1024),
    "slow": lambda: (os.closerange(3, 1024), time.sleep(1000)),
    "every_descriptor": lambda: os.closerange(0, 1024),
    "streams": lambda: replace(sys, "stdin", "stdout", "stderr"),
    "environment": os.environ.clear,
    "handlers": lambda: signal.signal(signal.SIGTERM, signal.SIG_IGN),
    "thread": lambda: threading.Thread(target=time.sleep, args=(1000,)).start(),
    "child": exit_in_a_child,
    "mute": mute,
    "mute_warning": mute_warning,
    "long_error": long_error,
    "exit_0": lambda: os._exit(0),
    "exit_99": lambda: os._exit(99),
    "sys_exit": lambda: sys.exit(3),
    "interrupt": interrupt,
    "file_size": lambda: limit("RLIMIT_FSIZE"),
    "open_files": lambda: limit("RLIMIT_NOFILE", 3),
    "io": lambda: replace(io, "open"),
    "json": lambda: replace(json, "dumps"),
    "other_json": lambda: setattr(json, "dumps", lambda *values, **options: "{}"),
    "fsync": lambda: replace(os, "fsync"),
    "exit": lambda: setattr(os, "_exit", lambda status: None),
    "clocks": lambda: setattr(time, "perf_counter", lambda: -1e9) or setattr(time, "time", int),
    "store": lambda: setattr(store.Appender, "append", lambda self, lines: None),
    "process": process,
    "daemon": daemon,
    "parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "alarm": lambda: (signal.alarm(1), time.sleep(1000)),
    "real_time": lambda: os.kill(os.getpid(), signal.SIGRTMIN + 6),
    "crash": os.abort,
}


class Attack(Majority):
    def __init__(self, how=""):
        self.how = how

    def fit(self, X, y):
        super().fit(X, y)
        ATTACKS[self.how]()
        return self


LEFT = {
    "huge": lambda: -(10**5000),
    "large": lambda: 2**70,
    "text": lambda: "x" * 10_000_000,
    "surrogate": lambda: "\\ud800",
    "subclass": lambda: Text("x"),
}


class Leaves(Attack):
    def fit(self, X, y):
        Majority.fit(self, X, y)
        self.left_ = LEFT[self.how]()
        return self


class Warns(Attack):
    def fit(self, X, y):
        for number in range(300):
            warnings.warn(f"{number} " + "x" * 100_000)
        return Majority.fit(self, X, y)
"""
# How a cell ends that does this to its process while it is fitted.
DONE = "directory directory_gone descriptors every_descriptor streams environment handlers thread"
DONE = [*DONE.split(), "child", "fsync", "exit", "process", "clocks"]
FAILED = {
    "mute": "Mute: its text cannot be shown",
    "mute_warning": "ValueError: no text",
    "long_error": "ValueError: xxx",
    "exit_0": r"without a record \(EXIT\(0\)\)",
    "exit_99": r"without a record \(EXIT\(99\)\)",
    "sys_exit": "SystemExit: 3",
    "interrupt": "KeyboardInterrupt",
    "file_size": "File too large|without a record",
    "open_files": "Too many open files|without a record",
    "io": "TypeError",
    "json": "TypeError",
    "other_json": "its record cannot be read",
    "store": "its record cannot be read",
    "alarm": r"SIGALRM\(-14\)\): by its own code, a timer or another program",
    "real_time": r"SIGNAL\(-\d+\)\): by its own code, a timer or another program",
    "crash": r"SIGABRT\(-6\)\): a crash in compiled code",
}


@pytest.fixture
def run(study, tmp_path, monkeypatch):
    """Return a function that runs algorithms and returns their records by name, and the lines."""

    def run(blocks, folder=tmp_path, timeout=None):
        (folder / "attacks.py").write_text(ATTACKS)
        config = study("\n".join([*blocks, "bayes: {estimator: GaussianNB}"]), realizations=1)
        monkeypatch.chdir(tmp_path)
        plan = make_plan(config.relative_to(tmp_path))
        outcome = run_quietly(plan, (tmp_path / "r").relative_to(tmp_path), jobs=1, timeout=timeout)
        records = read_records(tmp_path / "r" / "trial")
        assert outcome.statuses.total() == len(plan.cells) == len(records)
        lines = (tmp_path / "r" / "trial" / CELLS_FILE).read_bytes().splitlines()
        return {record.algorithm: record for record in records.values()}, lines

    return run


def block(name, how, module="attacks"):
    return f'{how}: {{estimator: "{module}:{name}", params: {{how: {how}}}}}'


def test_a_cell_costs_at_most_its_own_record(run):
    records, lines = run([block("Attack", how) for how in (*DONE, *FAILED)])
    failed = {how: record.reason for how, record in records.items() if not record.ok}
    assert failed.keys() == FAILED.keys(), failed
    wrong = {how: text for how, text in failed.items() if not re.search(FAILED[how], text)}
    assert not wrong
    assert len({records[how].metrics["error"] for how in DONE}) == 1
    assert 0.0 <= records["clocks"].seconds["fit_seconds"] < 600.0
    assert sum(b'"status"' in line for line in lines) == len(records)  # each is written once
    assert max(map(len, lines)) < 2 * MOST_CHARACTERS + MOST_OF_A_TRACEBACK


def test_a_time_limit_is_told_also_if_the_cell_has_closed_all_files(run):
    records, _ = run([block("Attack", "slow")], timeout=1.0)
    assert records["slow"].status == "timeout"


def test_a_process_that_a_cell_left_behind_hides_no_death_of_a_worker(run, tmp_path):
    records, _ = run([block("Attack", "daemon"), block("Attack", "parent")])
    daemon = int((tmp_path / "daemon").read_text())
    os.kill(daemon, signal.SIGKILL)  # raises an error if the run has waited for its end
    assert "SIGKILL" in records["parent"].reason
    assert records["daemon"].ok


PACKAGE = "directory directory_gone descriptors thread child mute mute_warning long_error exit_0"
PACKAGE = [*PACKAGE.split(), "exit_99", "sys_exit", "interrupt"]


def test_a_cell_of_an_installed_class_costs_at_most_its_own_record(
    run, tmp_path_factory, monkeypatch
):
    """It runs in the process of other cells, and in one of its own if that process dies."""
    folder = tmp_path_factory.mktemp("installed")
    monkeypatch.syspath_prepend(folder)
    records, _ = run([block("Attack", how) for how in PACKAGE], folder)
    failed = {how: record.reason for how, record in records.items() if not record.ok}
    assert failed.keys() == FAILED.keys() & {*PACKAGE}, failed
    assert not {how: text for how, text in failed.items() if not re.search(FAILED[how], text)}


def test_a_record_holds_whatever_a_fit_leaves_and_is_not_long(run):
    names = ("huge", "large", "text", "surrogate", "subclass")
    records, lines = run([*(block("Leaves", how) for how in names), block("Warns", "warns")])
    assert {how for how, record in records.items() if not record.ok} == set()
    left = {how: records[how].metrics["left_"] for how in names}
    assert left["huge"] == float("-inf")
    assert left["large"] == 2.0**70
    assert len(left["text"]) < MOST_CHARACTERS + 9
    assert (left["surrogate"], left["subclass"]) == ("?", "x")
    assert len(records["warns"].warnings) == 101
    assert max(map(len, lines)) < 110 * (MOST_CHARACTERS + 50)
