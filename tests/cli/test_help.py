"""`--help` of every verb: nothing cut off, and nothing wider than a terminal of 80 columns."""

import subprocess
import sys

import click
import pytest
from made_up_records import invoke

from ensvm_cli.main import VERBS, main


def verbs(group, path=()):
    """Yield the path of every verb that is not hidden, and of every group of them."""
    yield path
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if isinstance(command, click.Group):
            yield from verbs(command, (*path, name))
        else:
            yield (*path, name)


@pytest.fixture(autouse=True)
def narrow(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize("path", list(verbs(main)), ids=" ".join)
def test_help_fits_and_is_whole(path):
    told = invoke(*path, "--help")
    assert told.exit_code == 0
    assert all(len(line) <= 80 for line in told.stdout.splitlines())
    assert not [
        line
        for line in told.stdout.splitlines()
        if line.endswith("...") and not line.startswith("Usage")
    ]


def test_every_verb_stands_in_one_section():
    listed = [verb.name for of_section in VERBS.values() for verb in of_section]
    assert sorted(listed) == sorted(main.commands)
    told = invoke("--help").stdout
    for name, command in main.commands.items():
        assert command.hidden or f"\n  {name} " in told


def test_python_m_ensvm_is_the_command():
    asked = [sys.executable, "-m", "ensvm", "--version"]
    told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert told == invoke("--version").stdout
