"""A reader that leaves, as `head` does, ends a command without a traceback."""

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["list", "data list", "run smoke --dry-run", "-h"])
def test_a_reader_that_leaves_is_no_error(tmp_path, verb):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", "from ensvm_cli import start; start()", *verb.split()]
    ran = subprocess.run(command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (1, b"")
