"""What Tab offers: the names that the command at hand would accept, and none that it would not."""

import shutil
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from ensvm_cli.main import main

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def checkout(tmp_path, monkeypatch):
    """A folder with the configs of two studies of ours, as results have them."""
    for name in ("ijcai07", "ijcai07-figure1"):
        folder = tmp_path / "results" / name
        folder.mkdir(parents=True)
        shutil.copy(ROOT / "results" / name / "config.yaml", folder)
        (folder / "cells.jsonl").touch()
    monkeypatch.chdir(tmp_path)


def offered(line):
    """Return what is offered at the end of a line, after `ensvm`."""
    *before, last = line.split(" ")
    found = ShellComplete(main, {}, "ensvm", "_ENSVM_COMPLETE").get_completions(before, last)
    return [item.value for item in found if item.type == "plain"]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("stat", ["status"]),
        ("run nips", ["nips99"]),
        ("check comp", ["comp6321"]),
        ("run ijcai07 --datasets adult", ["adult1", "adult2", "adult3", "adult"]),
        ("run ijcai07 --datasets adult1,adult", ["adult1,adult2", "adult1,adult3", "adult1,adult"]),
        ("run ijcai07 --algorithms parz", ["parzen"]),
        ("run no-such-study --algorithms parz", []),
        ("table results ijcai07-f", ["ijcai07-figure1"]),
        ("table ijcai07-f", ["ijcai07-figure1", "ijcai07-full-adult"]),
        ("table results ijcai07 --table 2-c", ["2-certificates"]),
        ("table ijcai07-figure1 --table 2-c", []),
        ("rank --table 2-c", ["2-certificates"]),
        ("show --dataset web", ["web1", "web2"]),
        ("show results --dataset waveform-2", ["waveform-200"]),
    ],
)
def test_names_are_offered(line, names):
    assert offered(line) == names


def test_algorithms_are_those_of_the_studies_with_the_data_set():
    assert "fig1_adaptive" in offered("show --dataset german --algorithm fig1")
    assert not offered("show --dataset web2 --algorithm fig1")


def test_a_config_that_cannot_be_read_offers_nothing(tmp_path):
    (tmp_path / "results" / "ijcai07" / "config.yaml").write_text("study: [")
    assert offered("table results ijc") == ["ijcai07-figure1"]
