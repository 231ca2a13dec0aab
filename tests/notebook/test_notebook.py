"""Studies from Python: runs of files and mappings; frames, tables, figures and claims."""

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_up_records import claimed, errors, make_study, record

import ensvm
from ensvm.errors import UserError
from ensvm.notebook.results import Results
from ensvm.records.store import read_records
from ensvm.report.documents.table_document import table_document
from ensvm.report.render.markdown import to_markdown

pytestmark = pytest.mark.usefixtures("in_this_process")

SVC = "svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}"
TABLES = "tables:\n  - {id: 1, caption: c, columns: [svc]}\n"
QUIET = {"jobs": 1, "progress": False}


def test_a_file_and_a_mapping_are_the_same_study(study, tmp_path, monkeypatch):
    path = study(SVC, more=TABLES)
    monkeypatch.chdir(tmp_path)
    ran = ensvm.run(str(path), results="first", **QUIET)
    kept = ensvm.run(yaml.safe_load(path.read_text()), results="first", **QUIET)
    pd.testing.assert_frame_equal(kept.frame(), ran.frame())  # with the times of the cells


def test_numbers_of_numpy_are_numbers_and_paths_may_be_several(study, tmp_path, monkeypatch):
    content = yaml.safe_load(study(SVC).read_text())
    monkeypatch.chdir(tmp_path)
    content["realizations"] = np.int64(2)
    content["datasets"][0]["path"] = (Path(content["datasets"][0]["path"]),)
    content["algorithms"]["svc"]["params"]["C"] = np.float64(3.0)
    assert len(ensvm.run(content, results=tmp_path, **QUIET).frame()) == 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"realisations": 3}, "did you mean 'realizations'"),
        ({"algorithms": {"svc": {"estimator": "SVCC"}}}, "unknown estimator 'SVCC'"),
        ({"title": object()}, "has the type object"),
    ],
)
def test_a_wrong_mapping_is_refused_by_key(study, tmp_path, monkeypatch, change, message):
    content = yaml.safe_load(study(SVC).read_text()) | change
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"^the given study") as refusal:
        ensvm.run(content, results=tmp_path / "results", **QUIET)
    assert message in str(refusal.value)
    assert not (tmp_path / "results").exists()


def test_shards_are_the_study(study, tmp_path):
    path = study(SVC, realizations=3)
    places = [tmp_path / "first", tmp_path / "second"]
    for shard, place in zip(("1/2", (2, 2)), places, strict=True):
        ensvm.run(path, results=place, shard=shard, **QUIET)
    ensvm.run(path, results=tmp_path / "whole", **QUIET)
    keys = [{one.key for one in read_records(at / "trial").values()} for at in places]
    assert not keys[0] & keys[1]
    whole = read_records(tmp_path / "whole" / "trial").values()
    assert keys[0] | keys[1] == {one.key for one in whole}


def test_a_cell_that_fails_warns_and_is_kept(study, tmp_path):
    path = study("bad: {estimator: WeightedNuSVC, params: {mu: 0.999}}\n" + SVC)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = ensvm.run(path, results=tmp_path / "results", **QUIET).frame()
    failed = frame[frame["status"] == "failed"]
    texts = [str(one.message) for one in caught if one.filename == __file__]
    assert len(failed) == 4
    assert any("4 of 9 cells failed" in text and "bad on own" in text for text in texts)
    assert failed["error"].isna().all()


STUDY = """\
study: s
realizations: 3
datasets: [german, titanic]
algorithms:
  a: {label: A, estimator: RhoSVC, record: [path_]}
  b: {label: B, estimator: RhoSVC, record: [path_]}
tables:
  - {id: 1, caption: Errors., columns: [a, b]}
  - {id: more, caption: More errors., columns: [b]}
"""


def test_the_file_of_records_is_answered_with_its_folder(tmp_path):
    made(tmp_path / "s")
    path = tmp_path / "s" / "cells.jsonl"
    assert path.is_file()
    with pytest.raises(UserError) as refusal:
        ensvm.load_results(path)
    assert str(path) in str(refusal.value)
    assert f"give its folder: {str(path.parent)!r}" in str(refusal.value)


def made(folder) -> Results:
    found = [
        *errors("titanic", "b", [0.3, 0.4, 0.5], support_=2.0),
        *errors("german", "a", [0.1, 0.2, 0.3]),
        record("german", 1, "data", rows=1000),
        record("german", 1, "b", status="failed", reason="it broke"),
    ]
    return Results([make_study(folder, STUDY, found)])


def test_the_frame_has_a_row_a_cell_and_none_of_the_facts_of_the_data(tmp_path):
    frame = made(tmp_path).frame()
    cells = frame[["dataset", "algorithm", "realization"]].to_numpy().tolist()
    assert cells == [
        ["german", "a", 1],
        ["german", "b", 1],
        *(["german", "a", number] for number in (2, 3)),
        *(["titanic", "b", number] for number in (1, 2, 3)),
    ]
    means = frame.groupby(["dataset", "algorithm"])["error"].mean()
    assert means["german", "a"] == pytest.approx(0.2)
    assert frame.loc[1, "reason"] == "it broke"


def test_a_table_is_that_of_the_command(tmp_path):
    results = made(tmp_path)
    study = results._studies["s"]
    config = study.config.table("1")

    table = results.table(1)
    assert str(table) == to_markdown(table_document(study, config).whole)
    assert "<table>" in table._repr_html_()
    assert set(table.frame["table"]) == {"1"}
    assert table.frame["mean"].dropna().tolist() == pytest.approx([20.0, 40.0])


@pytest.mark.parametrize(
    ("wanted", "message"),
    [(None, "which table"), ("moer", "did you mean 'more'"), (7, "no table 7")],
)
def test_an_unknown_table_is_refused(tmp_path, wanted, message):
    with pytest.raises(ValueError, match=message):
        made(tmp_path).table(wanted)


def test_of_several_studies_one_is_chosen(tmp_path):
    for name in ("s", "t"):
        text = STUDY.replace("study: s", f"study: {name}")
        make_study(tmp_path / name, text, errors("german", "a", [0.1]))
    results = ensvm.load_results(tmp_path)
    assert results.studies == ("s", "t")
    with pytest.raises(ValueError, match="several studies have such a table"):
        results.table(1)
    assert results["t"].table(1).frame["n"].sum() == 1
    assert len(results["t"].frame()) == len(results.frame()) / 2
    with pytest.raises(ValueError, match="no results of a study 'u'"):
        results["u"]
    assert results._repr_html_().count("<li>") == 2


def test_a_folder_without_records_is_refused(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(UserError, match="no records here"):
            ensvm.load_results(folder)
    with pytest.raises(UserError, match=r"icmla5: no records here; .* did you mean 'icmla05'\?"):
        ensvm.load_results("icmla5")


def test_claims_have_a_row_a_comparison(tmp_path):
    what = "metric: error, left: a, right: b, relation: less, rows: [german]"
    claim = f"- {{id: first, text: a is better., {what}}}"
    found = [*errors("german", "a", [0.1] * 9 + [0.11]), *errors("german", "b", [0.3] * 9 + [0.31])]
    claims = Results([claimed(tmp_path, claim, found)]).claims()
    assert claims.frame[["study", "claim", "row", "claim_verdict"]].to_numpy().tolist() == [
        ["s", "first", "german", "holds"]
    ]
    assert "a is better" in str(claims)
    with pytest.raises(ValueError, match="no claims"):
        made(tmp_path / "other").claims()


FIGURE = """\
figures:
  - id: 4
    caption: Errors by round.
    panels: [{dataset: german, title: German}]
    series: [a]
    y: path_
    realization: mean
"""


def test_a_figure_is_drawn_when_it_is_shown_or_saved(tmp_path):
    found = [record("german", n, "a", error=0.1, curve=[3.0, 2.0, 1.0 + n]) for n in (1, 2)]
    picture = Results([make_study(tmp_path, STUDY + FIGURE, found)]).figure()
    assert picture._repr_svg_().lstrip().startswith("<?xml")
    assert picture.save(tmp_path / "f.png").read_bytes().startswith(b"\x89PNG")
    assert len(picture.frame) >= 3
    with pytest.raises(ValueError, match=r"accepted: \.png, \.svg, \.pdf"):
        picture.save(tmp_path / "f.doc")
    with pytest.raises(ValueError, match="no figures"):
        made(tmp_path / "other").figure()


def test_the_stage_that_was_chosen_is_in_the_frame(study, tmp_path):
    path = study("svc: {estimator: SVC, grid: {C: [0.01, 10]}, stage: best-on-test}")
    frame = ensvm.run(path, results=tmp_path / "r", realizations=1, **QUIET).frame()
    assert json.loads(frame.loc[0, "stage"])["C"] in (0.01, 10)
    assert frame.loc[0, "n_stages"] == 2


@pytest.mark.parametrize("value", [0, -1, True, "2", 1.5, float("nan"), [2]], ids=repr)
@pytest.mark.parametrize("name", ["jobs", "realizations", "timeout"])
def test_an_argument_that_is_not_such_a_number_is_refused(study, name, value):
    if name == "timeout" and value == 1.5:
        return
    with pytest.raises(ValueError, match=f"^{name}=.*; accepted: a (whole )?number of "):
        ensvm.run(study(SVC, realizations=1), **{**QUIET, name: value})


def test_one_name_may_stand_for_a_list(study, tmp_path):
    path = study(SVC, realizations=1)
    chosen = {"datasets": "own", "algorithms": "svc"}
    frame = ensvm.run(path, results=tmp_path / "r", **chosen, **QUIET).frame()
    assert set(frame["dataset"]) == {"own"}
