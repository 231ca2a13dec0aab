"""Values that look the same, lose digits or are missing are said in plain English."""

import unicodedata

import pytest
from made_up_records import invoke

BIG = 2**53 + 1
CONFIG = """\
study: alike
datasets: [{name: own, path: own.csv, target: label, drop: [Comment],
            split: {protocol: random, n_train: 20, n_test: 10}}]
algorithms: {a: {estimator: SVC}}
"""


def table(folder, other):
    """Write a table with two classes, some rows of the second class in another spelling."""
    labels = ["no", "caf\u00e9", other]
    rows = [f"{BIG + 10 * i},{i * i % 7},{labels[i % 3]}," for i in range(60)]
    path = folder / "own.csv"
    path.write_text("\n".join(["big,a,label,Comment", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "other",
    [
        unicodedata.normalize("NFD", "caf\u00e9"),
        "caf\u00e9\u200b",
        "caf\ufeff\u00e9",
        "caf\u00ad\u00e9",
    ],
)
def test_labels_that_look_the_same_are_named_once(tmp_path, other, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drafted = invoke("init", table(tmp_path, other), "--target", "label")
    assert drafted.exit_code == 0, drafted.output
    (tmp_path / "alike.yaml").write_text(CONFIG)
    checked = invoke("check", "alike.yaml", "--no-fit")
    assert checked.exit_code == 0, checked.output
    for told in (drafted, checked):
        [line] = [line for line in told.stderr.splitlines() if "look the same" in line]
        assert ascii(other) in line
        assert ascii("caf\u00e9") in line


def test_whole_numbers_that_lose_digits_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = " ".join(invoke("init", table(tmp_path, "no"), "--target", "label").stdout.split())
    assert told.count(f"whole numbers beyond 2^53, such as {BIG}, lose digits") == 1


def test_an_empty_last_column_is_called_empty(tmp_path):
    path = table(tmp_path, "no")
    path.write_text(path.read_text(encoding="utf-8").replace("label", "kind"), encoding="utf-8")
    told = invoke("init", path)
    assert told.exit_code == 2
    assert "the last column, 'Comment', is empty; --target NAME says" in told.stderr
