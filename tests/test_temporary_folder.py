"""Temporary folders go with their process, and those of killed processes with a later one."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from ensvm import temporary_folder
from ensvm.temporary_folder import LOCK, PREFIX, TemporaryFolder

MAKES_ONE = (
    "from ensvm.temporary_folder import TemporaryFolder;"
    " folder = TemporaryFolder(); print(folder.name, flush=True); input()"
)


@pytest.fixture
def start_process(tmp_path, monkeypatch):
    """Return a function that starts a process with a folder whose lock is an hour old."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    processes = []

    def start():
        process = subprocess.Popen(
            [sys.executable, "-c", MAKES_ONE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        processes.append(process)
        folder = Path(process.stdout.readline().strip())
        os.utime(folder / LOCK, (time.time() - 3600,) * 2)
        return process, folder

    yield start
    for process in processes:
        process.kill()
        process.communicate()


def test_a_folder_goes_with_its_process_or_with_a_later_one(start_process, tmp_path):
    killed, left_behind = start_process()
    (left_behind / "0").mkdir()
    (left_behind / "0" / "mark").write_text("1")
    killed.kill()
    killed.wait()
    foreign = tmp_path / f"{PREFIX}foreign"
    foreign.mkdir()
    living, in_use = start_process()
    assert not left_behind.exists()
    temporary_folder._remove_left_behind.cache_clear()
    with TemporaryFolder() as own:
        assert in_use.exists()
        assert Path(own).exists()
    assert not Path(own).exists()
    living.communicate("\n")
    assert list(tmp_path.iterdir()) == [foreign]
