"""`ensvm copy`: a config with what it needs beside it, under a name of its own."""

import pytest
import yaml
from made_up_records import invoke

from ensvm.runner.plan import make_plan
from ensvm.shipped import SCHEMA_COMMENT, find_config, schema_line, shipped_configs
from ensvm.study.config import read_config


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
    files = [tmp_path / "mine.yaml", *(tmp_path / "mine").glob("*.yaml")]
    assert all(file.read_text(encoding="utf-8").startswith(schema_line()) for file in files)
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
    assert text.startswith(f"{schema_line()}# A few seconds")
    assert yaml.safe_load(text)["study"] == "my-smoke"


def test_the_copy_of_a_copy_names_the_schema_of_this_installation_once(tmp_path):
    assert invoke("copy", "smoke").exit_code == 0
    config = tmp_path / "my-smoke.yaml"
    config.write_text(config.read_text().replace(schema_line(), f"{SCHEMA_COMMENT} $schema=old\n"))
    assert invoke("copy", "my-smoke.yaml", "again").exit_code == 0
    lines = (tmp_path / "again.yaml").read_text().splitlines(keepends=True)
    assert [line for line in lines if SCHEMA_COMMENT in line] == [lines[0]] == [schema_line()]


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
        ("a/b", "is not accepted as the name of a study"),
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
