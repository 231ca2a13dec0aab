"""A process that does one task after another ends silently when whoever asked it is gone."""

import os
import subprocess
import sys
import time

import pytest

from ensvm.runner.engines import child
from ensvm.runner.journal import Journal

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs POSIX pipes")


@pytest.fixture
def process(tmp_path):
    """A serving process that has been told its parent and its journal."""
    start = child.START.format(path=list(map(str, sys.path)), module=child.__name__)
    with subprocess.Popen(
        [sys.executable, "-c", start],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        child._send(process.stdin, (os.getpid(), Journal(tmp_path)))
        yield process
        process.kill()


def test_it_answers_and_ends_with_its_orders(process):
    child._send(process.stdin, (abs, -3))
    assert child._receive(process.stdout) == (3, None)
    process.stdin.close()
    assert process.wait(30) == 0
    assert process.stderr.read() == b""


# What takes a while, until nobody reads; in modules that every process finds.
SLOW = {
    "small": (time.sleep, 0.3),
    "larger than a pipe": (
        subprocess.check_output,
        [sys.executable, "-c", "import time; time.sleep(0.3); print('x' * 2**20)"],
    ),
}


@pytest.mark.parametrize("answer", SLOW)
def test_nobody_left_to_answer_is_no_traceback(process, answer):
    child._send(process.stdin, (abs, -3))
    child._receive(process.stdout)  # it serves
    child._send(process.stdin, SLOW[answer])
    process.stdout.close()
    assert process.wait(30) == 0
    assert process.stderr.read() == b""
