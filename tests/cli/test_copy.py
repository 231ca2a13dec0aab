"""`ensvm copy`: a config with what it needs beside it, under a name of its own."""

import pytest
import yaml
from made_up_records import invoke

from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config, shipped_configs
from ensvm.study.read_config import read_config


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("study", sorted(path.stem for path in shipped_configs().glob("*.yaml")))
def test_a_copy_of_a_shipped_study_is_the_same_but_for_its_name(study, tmp_path):
    result = invoke("copy", study, "mine")
    assert result.exit_code == 0, result.output
    assert "now: ensvm run mine.yaml" in result.output
    copy, original = (read_config(path)[0] for path in (tmp_path / "mine.yaml", find_config(study)))
    assert copy.study == "mine"
    assert copy == original.model_copy(update={"study": "mine", "published": copy.published})
    assert (copy.published is None) == (original.published is None)
    if copy.published is not None:
        assert copy.published.startswith("mine/")
        assert (tmp_path / copy.published).is_file()


def test_a_name_may_be_that_of_the_file(tmp_path):
    assert invoke("copy", "smoke", "mine.yaml").exit_code == 0
    assert read_config(tmp_path / "mine.yaml")[0].study == "mine"


def test_a_copy_has_the_cells_of_the_original_and_keeps_its_comments(tmp_path):
    assert invoke("copy", "smoke").exit_code == 0
    cells = [make_plan(path).cells for path in (tmp_path / "my-smoke.yaml", find_config("smoke"))]
    assert [cell.key for cell in cells[0]] == [cell.key for cell in cells[1]]
    text = (tmp_path / "my-smoke.yaml").read_text()
    assert text.startswith("# A few seconds")
    assert yaml.safe_load(text)["study"] == "my-smoke"


def test_a_copy_of_ones_own_study_lies_beside_it(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "own.csv").write_text("a,y\n1,0\n2,1\n3,0\n4,1\n")
    (tmp_path / "folder" / "own.yaml").write_text(
        "study: own\ndatasets: [{path: own.csv, target: y, split: {protocol: random, n_train: 2}}]"
        "\nalgorithms: {svc: {estimator: SVC}}\n"
    )
    assert invoke("copy", "folder/own.yaml", "mine").exit_code == 0
    assert make_plan(tmp_path / "folder" / "mine.yaml").config.study == "mine"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("a/b", "the name of the study: 'a/b' is not accepted"),
        ("con", "the name of the study: 'con' cannot be the name of a folder"),
        ("nips99", "is the name of another study"),
        ("there", "there.yaml exists"),
    ],
)
def test_a_wrong_name_gets_one_message(name, message, tmp_path):
    (tmp_path / "there.yaml").write_text("mine")
    result = invoke("copy", "smoke", name)
    assert result.exit_code == 2
    assert message in result.output
    assert (tmp_path / "there.yaml").read_text() == "mine"
