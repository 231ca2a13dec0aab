"""The command `ensvm data`: what it prints and with which status it ends, without a network."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import Result
from made_up_records import invoke

from ensvm.data import find_card, list_cards, load
from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config, shipped_datasets

# What everybody has without a network.
SMALL = [  # what needs no download: scikit-learn is installed
    card.name
    for card in list_cards()
    if card.generator
    or all(
        any(source.shipped or str(source.pip).startswith("scikit-learn==") for source in part)
        for part in card.parts.values()
    )
]


def run(*arguments: str) -> Result:
    return invoke("data", *arguments)


def test_list_is_one_aligned_line_a_data_set_when_piped() -> None:
    result = run("list")
    assert result.exit_code == 0
    header, *lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == sorted(line.split()[0] for line in lines)
    (german,) = [line for line in lines if line.startswith("german")]
    assert "1000 x 20" in german
    at = header.index("served by")
    assert german[at:].startswith("shipped")
    (web2,) = [line for line in lines if line.startswith("w2a")]
    assert web2[at:].startswith("nobody: ")
    assert "offline" in web2


def test_fetch_of_what_is_at_hand_succeeds_by_alias_too() -> None:
    result = run("fetch", "cancer", "waveform-200")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "breast-cancer: 277 rows from shipped",
        "waveform-200: 5,000 rows from generator",
    ]


def test_fetch_of_a_named_set_that_nobody_serves_fails_and_says_how_to_get_it() -> None:
    result = run("fetch", "german", "web2")
    assert result.exit_code == 1
    assert "german: 1,000 rows" in result.stdout
    assert "data set 'w2a' could not be loaded" in result.stderr
    assert "To get it: download w2a and w2a.t from" in result.stderr


def test_fetch_of_all_succeeds_if_anything_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    cards = [find_card(name) for name in ("german", "w2a", "waveform")]
    monkeypatch.setattr("ensvm.data.list_cards", lambda: cards)
    result = run("fetch")
    assert result.exit_code == 0
    assert [line.split(":")[0] for line in result.stdout.splitlines()] == ["german", "waveform"]
    assert "could not be loaded" in result.stderr


@pytest.mark.parametrize("command", ["fetch", "show"])
def test_misspelt_name_is_wrong_input(command: str) -> None:
    result = run(command, "germann")
    assert result.exit_code == 2
    assert "did you mean 'german'" in result.stderr
    assert "Traceback" not in result.output


def test_show_tells_the_card_and_where_the_file_is() -> None:
    result = run("show", "german-credit")
    assert result.exit_code == 0
    card = find_card("german")
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for name in ("source", "licence", "checksum"):
        assert f"{name} {getattr(card, name)}" in lines
    assert f"citation {card.citation} {' '.join(card.links)}" in lines
    assert f"rows {card.rows:,}" in lines
    assert "classes 1: 700 rows, 2: 300 rows" in lines
    assert "served by shipped" in lines
    file = shipped_datasets() / "german.csv.xz"
    assert f"files {file} ({file.stat().st_size:,} bytes)" in lines


def test_show_of_what_is_not_here_says_why_and_how_to_get_it() -> None:
    result = run("show", "web2")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert "served by nobody why mirror: no folder given" in text
    assert "how to get it download w2a and w2a.t from https://" in text


@pytest.mark.parametrize("command", ["list", "fetch"])
def test_folder_that_is_not_there_is_wrong_input(command: str, tmp_path: Path) -> None:
    result = run(command, "--data-dir", str(tmp_path / "absent"))
    assert result.exit_code == 2
    assert "absent" in result.stderr


def test_folders_given_several_times_add_up(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    both = run("fetch", "german", "--data-dir", str(first), "--data-dir", str(second))
    assert both.exit_code == 0
    for folders in ((first, tmp_path / "third"), (tmp_path / "third", first)):
        options = [part for folder in folders for part in ("--data-dir", str(folder))]
        refused = run("fetch", "german", *options)
        assert refused.exit_code == 2
        assert "third" in refused.stderr


SVC = "svc: {estimator: SVC}"


def test_missing_data_of_several_studies_are_listed_by_the_way_to_get_them(tmp_path):
    names = []
    for name in ("trial", "other"):
        path = tmp_path / f"{name}.yaml"
        rows = "[titanic, web2, {name: again, card: web2}, web1]"
        path.write_text(f"study: {name}\ndatasets: {rows}\nalgorithms: {{{SVC}}}\n")
        names.append(str(path))
    answer = run("list", "--missing", *names)
    assert answer.exit_code == 0
    assert "6 of the 8 data sets of 2 studies" in answer.stdout
    first, second = [line for line in answer.stdout.splitlines() if "--data-dir" in line]
    assert first.strip().startswith("trial/web2, trial/again, other/web2, other/again: ")
    assert second.strip().startswith("trial/web1, other/web1: ")


def test_a_study_whose_data_are_here_says_so(study):
    answer = run("list", "--missing", str(study(SVC)))
    assert answer.exit_code == 0
    assert answer.stdout == "here: 1 data set of trial\n"


def test_missing_needs_a_config_that_exists():
    answer = run("list", "--missing", "smokee")
    assert answer.exit_code == 2
    assert "did you mean 'smoke'" in answer.stderr
    assert run("list", "--missing").exit_code == 2


def test_splits_of_a_study_are_the_rows_that_its_cells_use(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("splits", "smoke").exit_code == 0
    table = pd.read_csv("smoke-splits.csv")
    plan = make_plan(find_config("smoke"))
    for name, card in plan.cards.items():
        for index in range(1, plan.config.realizations + 1):
            of_cell = table[(table["data set"] == name) & (table["realization"] == index)]
            for part, rows in zip(("train", "test"), load(card).split(index), strict=True):
                assert of_cell.loc[of_cell["part"] == part, "row"].tolist() == rows.tolist()


FOLDS = """\
study: folds
realizations: 5
datasets: [{name: mine, path: mine.csv, target: label, split: {protocol: kfold, n_splits: 5}}]
algorithms: {svc: {estimator: SVC}}
"""


def test_splits_of_folds_of_unequal_size_are_filled_up(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(13))
    Path("mine.csv").write_text(f"x,label\n{rows}")
    Path("folds.yaml").write_text(FOLDS)
    assert run("splits", "folds.yaml", "-o", "folds.npz").exit_code == 0
    card = make_plan(Path("folds.yaml")).cards["mine"]
    with np.load("folds.npz") as archive:
        assert archive["y"].tolist() == ["ab"[i % 2] for i in range(13)]
        for index in range(5):
            for part, rows in zip(("train", "test"), load(card).split(index + 1), strict=True):
                written = archive[part][index]
                assert written[written >= 0].tolist() == rows.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["smoke", "titanicc"], "no data set 'titanicc'"),
        (["smoke", "-o", "all.npz"], "an archive holds one data set: which one?"),
        (["smoke", "-o", "all.txt"], "ends in .csv or .npz"),
        (["smokee"], "smoke"),
    ],
)
def test_splits_that_cannot_be_written_are_refused(arguments, message):
    refused = run("splits", *arguments)
    assert (refused.exit_code, "Traceback" in refused.output) == (2, False)
    assert message in refused.stderr
