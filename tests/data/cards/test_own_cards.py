"""Cards of the user's own beside a config, and `ensvm data new`, which drafts one."""

import shutil

import numpy as np
import pytest
import yaml
from made_up_records import invoke

from ensvm.data import find_card, load, loading
from ensvm.errors import UserError
from ensvm.runner.plan import make_plan

BLOCK = "{path: my.csv, target: label, split: {protocol: random, n_train: 48, stratified: true}}"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    random = np.random.default_rng(1)
    rows = zip(random.integers(0, 90, 60), random.integers(0, 2, 60), strict=True)
    lines = [f"{age},{'red' if age % 2 else 'blue'},{'yes' if y else 'no'}" for age, y in rows]
    (tmp_path / "my.csv").write_text("\n".join(["age,colour,label", *lines]))
    return tmp_path


def study(folder, entry):
    path = folder / "study.yaml"
    path.write_text(f"study: s\ndatasets: [{entry}]\nalgorithms: {{svc: {{estimator: SVC}}}}\n")
    return path


def test_a_drafted_card_has_the_data_that_init_finds(folder):
    result = invoke("data", "new", "my.csv", "--target", "label")
    assert "wrote datasets/my.yaml; fill in: title, source, licence, citation" in result.stdout
    invoke("init", "my.csv", "--target", "label")
    content = yaml.safe_load((folder / "datasets/my.yaml").read_text())
    assert content["rows"] == sum(content["classes"].values()) == 60
    assert content["licence"] == ""
    assert content["all"][0]["file"] == "../my.csv"
    by_card = make_plan(study(folder, "my"))
    by_init = make_plan(folder / "my.yaml")
    assert by_card.cards["my"].checksum == by_init.cards["my"].checksum
    assert by_card.cards["my"].fingerprint() == by_init.cards["my"].fingerprint()
    dataset, drafted = (load(plan.cards["my"]).realization(1) for plan in (by_card, by_init))
    np.testing.assert_array_equal(dataset.X_train, drafted.X_train)


def test_a_card_is_found_beside_the_config_from_any_folder(folder, monkeypatch):
    invoke("data", "new", "my.csv", "--target", "label")
    before = make_plan(study(folder, "my")).cells
    moved = folder / "moved"
    moved.mkdir()
    for name in ("datasets", "my.csv", "study.yaml"):
        shutil.move(folder / name, moved / name)
    monkeypatch.chdir("/")
    after = make_plan(moved / "study.yaml").cells
    assert [cell.key for cell in after] == [cell.key for cell in before]


def test_a_card_goes_before_a_shipped_one_and_a_changed_file_is_refused(folder):
    invoke("data", "new", "my.csv", "--target", "label", "-o", "datasets/german.yaml")
    assert find_card("german", folder / "datasets").rows == 60
    assert find_card("german").rows == 1000
    card = find_card("german", folder / "datasets")
    (folder / "my.csv").write_text((folder / "my.csv").read_text().replace("yes", "no", 1))
    loading._recent.clear()  # a process reads a file once
    with pytest.raises(UserError, match="sha256"):
        load(card)


def test_data_verbs_show_and_split_own_cards(folder):
    invoke("data", "new", "my.csv", "--target", "label")
    assert "no: " in invoke("data", "show", "my").stdout
    assert "my: 60 rows from file" in invoke("data", "fetch", "my").stdout
    assert invoke("data", "splits", "my", "--realizations", "2").exit_code == 0
    with np.load("my-splits.npz") as archive:
        assert archive["train"].shape == (2, 48)


def test_a_card_that_exists_is_kept(folder):
    invoke("data", "new", "my.csv", "--target", "label")
    before = (folder / "datasets/my.yaml").read_text()
    result = invoke("data", "new", "my.csv")
    assert (result.exit_code, "exists; choose another name" in result.stderr) == (2, True)
    assert (folder / "datasets/my.yaml").read_text() == before


def test_a_wrong_card_gets_one_message_with_its_file(folder):
    invoke("data", "new", "my.csv", "--target", "label")
    path = folder / "datasets/my.yaml"
    path.write_text(path.read_text().replace("scaling: standard", "scalling: standard"))
    with pytest.raises(UserError, match=r"(?s)study.yaml, line 2.*my.yaml.*did you mean 'scaling'"):
        make_plan(study(folder, "my"))
