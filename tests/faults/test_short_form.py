"""A few faults of every class: nothing is lost, wrong, hanging or a traceback."""

import sys

import pytest

from faults.__main__ import tried
from faults.classes import CLASSES
from faults.outcome import Outcome


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="forks and signals")
@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.name)
def test_faults_are_survived(kind, tmp_path):
    verdicts = tried(kind, kind.short, 0, tmp_path)
    assert not [verdict for verdict in verdicts if verdict.outcome is not Outcome.SURVIVED]
