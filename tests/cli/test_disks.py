"""Folders that cannot be written to and disks that are full: one message, and nothing is lost."""

import resource
import subprocess
import sys

import pytest
from made_up_records import invoke

from ensvm.records.store import CELLS_FILE, read_records

OPTIONS = ("--datasets", "titanic", "--algorithms", "parzen", "--jobs", "1")


def below_a_file(folder):
    folder.write_text("no folder")
    return folder / "below"


def records_that_are_a_folder(folder):
    (folder / "smoke" / CELLS_FILE).mkdir(parents=True)
    return folder


def a_path_that_is_too_long(folder):
    return folder / ("a" * 300)


@pytest.mark.parametrize(
    "prepare",
    [
        below_a_file,
        records_that_are_a_folder,
        a_path_that_is_too_long,
    ],
)
def test_results_that_cannot_be_written_are_one_message(tmp_path, prepare):
    ran = invoke("run", "smoke", *OPTIONS, "--results", prepare(tmp_path / "results"))
    assert ran.exit_code == 2
    [line] = ran.stderr.splitlines()
    assert line.startswith(f"error: {tmp_path}")


@pytest.mark.usefixtures("in_this_process")
def test_a_full_disk_leaves_the_tables_there_were_and_every_record(tmp_path):
    """A limit on the size of files ends a write in its midst, as a full disk does."""
    assert invoke("run", "smoke", *OPTIONS, "--results", tmp_path).exit_code == 0
    assert invoke("table", tmp_path).exit_code == 0
    folder = tmp_path / "smoke"
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    ran = subprocess.run(
        [sys.executable, "-c", "from ensvm_cli import start; start()", "table", tmp_path],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"error: {folder}")
    assert "Traceback" not in ran.stderr
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    assert len(read_records(folder)) == 4
