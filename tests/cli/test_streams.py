"""Closed streams and readers that leave cost a command neither its work nor its exit status."""

import os
import subprocess
import sys

import pytest
from made_up_records import invoke

from ensvm.records.store import read_records

RUN = ("run", "smoke", "--datasets", "titanic", "--realizations", "1", "--jobs", "1")
CELLS = 5


def ended(folder, arguments, redirections="", **streams):
    """Return how the command ended that a shell started in a folder."""
    line = f'exec "$0" -c "from ensvm_cli import start; start()" "$@" {redirections}'
    command = ["sh", "-c", line, sys.executable, *arguments]
    return subprocess.run(command, cwd=folder, check=False, **streams)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A folder in which a study was run."""
    folder = tmp_path_factory.mktemp("streams")
    ran = invoke(*RUN, "--results", folder / "results")
    assert ran.exit_code == 0, ran.output
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_a_run_with_closed_streams_ends_well(tmp_path, closed):
    ran = ended(tmp_path, RUN, closed, capture_output=True)
    assert ran.returncode == 0, ran.stderr
    assert b"Traceback" not in ran.stderr
    assert len(read_records(tmp_path / "results" / "smoke")) == CELLS


@pytest.mark.slow
@pytest.mark.parametrize(
    "verb", ["table", "export --per-realization", "list", "data list", "run smoke --dry-run", "-h"]
)
def test_a_reader_that_leaves_is_no_error(results, verb):
    (results / "results" / "smoke" / "README.md").unlink(missing_ok=True)
    reader, writer = os.pipe()
    os.close(reader)
    shown = ended(results, verb.split(), stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    assert shown.returncode == 0
    assert not [line for line in shown.stderr.splitlines() if not line.startswith(b"wrote ")]
    if verb == "table":  # what it writes into files is written to the end
        assert (results / "results" / "smoke" / "README.md").exists()


@pytest.mark.slow
def test_a_run_whose_reader_has_left_goes_on(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    ran = ended(tmp_path, RUN, stdout=writer, stderr=writer)
    os.close(writer)
    assert ran.returncode == 0
    assert len(read_records(tmp_path / "results" / "smoke")) == CELLS


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has a device that is full")
def test_output_that_cannot_be_written_is_one_message(tmp_path):
    shown = ended(tmp_path, ["data", "list"], ">/dev/full", stderr=subprocess.PIPE)
    assert shown.returncode == 2
    [line] = shown.stderr.splitlines()
    assert line.startswith(b"error: no space left on device")
