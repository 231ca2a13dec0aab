"""Cards of the user's own, in the folder datasets/ beside a config."""

import hashlib
import shutil

import numpy as np
import pytest
from made_up_records import invoke

from ensvm.data import find_card, load, loading
from ensvm.errors import UserError
from ensvm.runner.plan import make_plan

ROWS = "\n".join(
    f"{i * 37 % 90},{['red', 'blue'][i % 2]},{['yes', 'no'][i % 3 // 2]}" for i in range(60)
)
TABLE = f"age,colour,label\n{ROWS}\n"
CARD = f"""\
name: {{name}}
title: Mine
source: made up
licence: mine
citation: none
rows: 60
features: 2
classes: {{{{yes: 40, no: 20}}}}
positive: "yes"
inputs: {{{{age: number, colour: [red, blue]}}}}
scaling: standard
split: {{{{protocol: random, n_train: 48, n_test: 12}}}}
all:
  - file: ../my.csv
    sha256: {hashlib.sha256(TABLE.encode()).hexdigest()}
    format: {{{{type: table, header: 1, target: label}}}}
""".replace("yes: 40, no: 20", '"yes": 40, "no": 20')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my.csv").write_text(TABLE)
    (tmp_path / "datasets").mkdir()
    write(tmp_path, "my")
    return tmp_path


def write(folder, name):
    (folder / "datasets" / f"{name}.yaml").write_text(CARD.format(name=name))


def study(folder, entry):
    path = folder / "study.yaml"
    path.write_text(f"study: s\ndatasets: [{entry}]\nalgorithms: {{svc: {{estimator: SVC}}}}\n")
    return path


def test_a_card_holds_the_rows_of_its_file(folder):
    dataset = load(make_plan(study(folder, "my")).cards["my"])
    ages = [int(line.split(",")[0]) for line in ROWS.splitlines()]
    np.testing.assert_array_equal(dataset.X, [[age, 1 + i % 2] for i, age in enumerate(ages)])


def test_a_card_is_found_beside_the_config_from_any_folder(folder, monkeypatch):
    before = make_plan(study(folder, "my")).cells
    moved = folder / "moved"
    moved.mkdir()
    for name in ("datasets", "my.csv", "study.yaml"):
        shutil.move(folder / name, moved / name)
    monkeypatch.chdir("/")
    after = make_plan(moved / "study.yaml").cells
    assert [cell.key for cell in after] == [cell.key for cell in before]


def test_a_card_goes_before_a_shipped_one_and_a_changed_file_is_refused(folder):
    write(folder, "german")
    assert find_card("german", folder / "datasets").rows == 60
    assert find_card("german").rows == 1000
    card = find_card("german", folder / "datasets")
    (folder / "my.csv").write_text(TABLE.replace("yes", "no", 1))
    loading._recent.clear()  # a process reads a file once
    with pytest.raises(UserError, match="sha256"):
        load(card)


def test_data_verbs_show_and_fetch_own_cards(folder):
    assert "no: 20 rows" in invoke("data", "show", "my").stdout
    assert "my: 60 rows from file" in invoke("data", "fetch", "my").stdout


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("scaling:", "scalling:", "did you mean 'scaling'"),
        ("scaling:", "missing: 0\nscaling:", "unknown key 'missing'; write `fill:`"),
    ],
)
def test_a_wrong_card_gets_one_message_with_its_file(folder, old, new, message):
    path = folder / "datasets/my.yaml"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(UserError, match=rf"(?s)study.yaml, line 2.*my.yaml.*{message}"):
        make_plan(study(folder, "my"))
