"""A command is killed at six points, or the disk is full: the next one ends as if undisturbed."""

import errno
import os
import signal
import time
from pathlib import Path

import pytest
from made_up_records import cells_run_here, invoke

from ensvm.records import store
from ensvm.records.store import CELLS_FILE
from faults.study import content, records_on_disk, saved_twice, write_study

pytestmark = [
    pytest.mark.usefixtures("in_this_process"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork"),
]
TRACES = ("Traceback (most recent call last)", "Fatal Python error")


def kill(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)


def is_full(*arguments):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def counted(nth, then, otherwise):
    """Return a function whose nth call is `then`, and the others `otherwise`."""
    calls = 0

    def call(*arguments, **keywords):
        nonlocal calls
        calls += 1
        return (then if calls == nth else otherwise)(*arguments, **keywords)

    return call


class TornFile:
    """The file of the records, whose nth write is of half a line, and then `end` happens."""

    def __init__(self, file, nth, end):
        self._file, self._end = file, end
        self.write = counted(nth, self._write_half, file.write)

    def _write_half(self, text):
        self._file.write(text[: len(text) // 2])
        self.write = self._end  # a full disk stays full
        return self._end()

    def __getattr__(self, name):
        return getattr(self._file, name)


def in_the_middle_of_a_line(patch, nth, end=kill):
    enter = store.Appender.__enter__

    def entered(self):
        enter(self)
        self._file = TornFile(self._file, nth, end)
        return self

    patch.setattr(store.Appender, "__enter__", entered)


def before_a_line_is_on_the_disk(patch, nth):
    patch.setattr(os, "fsync", counted(nth, kill, os.fsync))


def after_a_line_is_on_the_disk(patch, nth):
    def sync_and_die(descriptor, sync=os.fsync):
        sync(descriptor)
        kill()

    patch.setattr(os, "fsync", counted(nth, sync_and_die, os.fsync))


def before_a_file_is_replaced(patch, nth):
    patch.setattr(os, "replace", counted(nth, kill, os.replace))


def after_a_file_is_replaced(patch, nth):
    def replace_and_die(old, new, replace=os.replace):
        replace(old, new)
        kill()

    patch.setattr(os, "replace", counted(nth, replace_and_die, os.replace))


def before_a_file_is_made(patch, nth):
    patch.setattr("tempfile.mkstemp", counted(nth, kill, store.tempfile.mkstemp))


def in_a_fork(arguments, log: Path, disturb=lambda patch: None) -> int:
    """Run a command in a fork of this process, and return its exit status; negative if killed."""
    child = os.fork()
    if not child:
        with pytest.MonkeyPatch.context() as patch:
            cells_run_here(patch)
            disturb(patch)
            ran = invoke(*arguments)
            log.write_text(ran.output + repr(ran.exception or ""))
            os._exit(ran.exit_code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def commands(folder):
    run = "run", folder / "study" / "trial.yaml", "--results", folder / "r", "--jobs", 1
    return run, ("report", folder / "r", "--only", "tables")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What a run and a report leave behind."""
    folder = tmp_path_factory.mktemp("undisturbed")
    write_study(folder / "study")
    for arguments in commands(folder):
        assert in_a_fork(arguments, folder / "log") == 0, (folder / "log").read_text()
    return content(folder / "r")


def must_go_on(folder, undisturbed, before):
    """Run the commands again; nothing is lost, run twice, left behind or different."""
    for path in folder.rglob("*"):  # files of a killed process are removed when they are old
        os.utime(path, (time.time() - 2 * 86_400,) * 2)
    for arguments in commands(folder):
        assert in_a_fork(arguments, folder / "log") == 0, (folder / "log").read_text()
    assert before <= records_on_disk(folder / "r")
    assert not saved_twice(folder / "r" / "trial")
    assert content(folder / "r") == undisturbed


POINTS = [
    (in_the_middle_of_a_line, 0, (1, 3)),
    (before_a_line_is_on_the_disk, 0, (3, 5)),
    (after_a_line_is_on_the_disk, 0, (3, 5)),
    (before_a_file_is_made, 0, (1,)),
    (before_a_file_is_replaced, 0, (1, 2)),
    (before_a_file_is_replaced, 1, (2,)),
    (after_a_file_is_replaced, 1, (2,)),
]
CASES = [(point, which, nth) for point, which, numbers in POINTS for nth in numbers]


@pytest.mark.parametrize(
    ("point", "which", "nth"), CASES, ids=[f"{point.__name__}-{w}-{n}" for point, w, n in CASES]
)
def test_a_command_that_is_killed_loses_nothing(tmp_path, undisturbed, point, which, nth):
    """`which` command is killed at the `nth` time that the point is reached."""
    write_study(tmp_path / "study")
    first, disturbed = commands(tmp_path)[:which], commands(tmp_path)[which]
    for arguments in first:
        assert in_a_fork(arguments, tmp_path / "log") == 0
    status = in_a_fork(disturbed, tmp_path / "log", lambda patch: point(patch, nth))
    assert status == -signal.SIGKILL, (tmp_path / "log").read_text()
    must_go_on(tmp_path, undisturbed, records_on_disk(tmp_path / "r"))


@pytest.mark.parametrize("nth", [1, 4])
def test_a_full_disk_is_one_message_and_the_same_command_goes_on(tmp_path, undisturbed, nth):
    write_study(tmp_path / "study")

    def fill(patch):
        in_the_middle_of_a_line(patch, nth, is_full)

    assert in_a_fork(commands(tmp_path)[0], tmp_path / "log", fill) == 2
    log = (tmp_path / "log").read_text()
    assert not any(trace in log for trace in TRACES), log
    assert f"{CELLS_FILE}: no space left on device; free some space; all records are kept" in log
    must_go_on(tmp_path, undisturbed, records_on_disk(tmp_path / "r"))
