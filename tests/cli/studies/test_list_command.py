"""`ensvm list`: every study, with what of it is here."""

import pytest
from made_up_records import errors, invoke, make_study, record

from ensvm.study.config import reproduced

OWN = """\
study: mine
title: Of my own
datasets: [german]
algorithms: {svc: {estimator: SVC}}
"""


@pytest.fixture(autouse=True)
def _no_network(tmp_path, monkeypatch):
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    monkeypatch.setenv("ENSVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ENSVM_DATA", raising=False)


def listed(*arguments):
    """Return what is told of each study, by heads."""
    told = invoke("list", *arguments)
    assert told.exit_code == 0, told.output
    head, *lines = [line.split("\t") for line in told.stdout.splitlines()]
    assert head[0] == "study"
    return {line[0]: dict(zip(head, line, strict=True)) for line in lines}


def test_every_study_is_told_of_where_nothing_was_run(tmp_path):
    studies = listed(tmp_path / "none")
    assert set(reproduced()) < set(studies)
    assert {study["here"] for study in studies.values()} == {"not run"}
    assert all(study["title"] for study in studies.values())
    assert studies["ijcai07"]["paper"].startswith("I. W. Tsang and J. T. Kwok")
    assert "of one processor, measured on " in studies["ijcai07"]["takes"]


def test_data_are_missing_until_they_are_in_a_folder(tmp_path):
    assert "web2" in listed(tmp_path)["ijcai07"]["data missing"].split(", ")
    assert listed(tmp_path)["smoke"]["data missing"] == ""
    for name in ("w2a", "w2a.t"):
        (tmp_path / name).touch()
    found = listed(tmp_path, "--data-dir", tmp_path)["ijcai07"]["data missing"].split(", ")
    assert "web2" not in found
    assert "web1" in found


def test_studies_of_ones_own_are_listed_with_what_was_run(tmp_path):
    bad = record("german", 3, "svc", status="failed")
    make_study(tmp_path / "mine", OWN, [*errors("german", "svc", [0.2, 0.3]), bad])
    mine = listed(tmp_path)["mine"]
    assert mine["title"] == "Of my own"
    assert mine["here"] == "2 cells done, 1 cells failed"
