"""Splits that a file lists: what `ensvm data splits` writes, a config reads."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import adapt, find_card, inline_card, load
from ensvm.data.row_numbers import splits_as_csv
from ensvm.errors import UserError
from ensvm.shipped import shipped_datasets

HEAD = "realization,part,row\n"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text("a,b,c\n" + "".join(f"{n},{n % 3},{n % 2}\n" for n in range(12)))
    return path


def card_of(table: Path, lines: str, **split: Any) -> Any:
    (table.parent / "splits.csv").write_text(lines)
    block = {"protocol": "indices", "file": "splits.csv", **split}
    return inline_card({"path": table.name, "target": "c", "split": block}, table.parent)


@pytest.mark.parametrize("protocol", ["random", "kfold"])
def test_rows_that_were_written_are_read_again(tmp_path: Path, protocol: str) -> None:
    sizes = {"random": {"n_train": 600, "n_test": 100}, "kfold": {"n_splits": 5}}[protocol]
    drawn = load(adapt(find_card("german"), split={"protocol": protocol, **sizes}))
    splits = [drawn.split(number) for number in (1, 2, 3)]
    (tmp_path / "rows.csv").write_text(
        splits_as_csv({"german": (drawn, splits), "other": (drawn, splits[:1])})
    )
    listed = load(
        adapt(
            find_card("german"), split={"protocol": "indices", "file": "rows.csv"}, folder=tmp_path
        )
    )
    assert listed.card.max_realizations == 3
    for number, (train, test) in enumerate(splits, start=1):
        for before, now in zip((train, test), listed.split(number), strict=True):
            np.testing.assert_array_equal(before, now)


def test_without_test_rows_all_others_are_tested(table: Path) -> None:
    card = card_of(table, HEAD + "".join(f"1,train,{row}\n" for row in (7, 2, 5, 0)))
    train, test = load(card).split(1)
    assert train.tolist() == [7, 2, 5, 0]
    assert test.tolist() == [1, 3, 4, 6, 8, 9, 10, 11]


def test_other_rows_are_another_split_and_another_place_is_not(tmp_path: Path, table: Path) -> None:
    lines = HEAD + "1,train,0\n1,train,1\n1,test,2\n"
    first = card_of(table, lines).split_protocol()
    assert card_of(table, lines.replace("test,2", "test,3")).split_protocol() != first
    (tmp_path / "below").mkdir()
    moved = table.rename(tmp_path / "below" / table.name)
    assert card_of(moved, lines).split_protocol() == first


@pytest.mark.parametrize(
    ("lines", "split", "message"),
    [
        ("", {}, "has no column 'realization'"),
        ("realization,part\n1,train\n", {}, "has no column 'row'"),
        (HEAD + "1,train,12\n1,test,1\n", {}, "line 2: 1, train, 12 is not accepted"),
        (HEAD + "1,train,1\n1,valid,2\n", {}, "line 3: 1, valid, 2 is not accepted"),
        (HEAD + "0,train,1\n", {}, "a realization from 1"),
        (HEAD + "1,train,1.5\n", {}, "a row from 0 to 11"),
        (HEAD + "1,train,1\n1,train,2\n1,test,2\n", {}, "trains and tests on row 2"),
        (HEAD + "2,train,1\n2,train,3\n", {}, "training rows of 1 of 2 realizations"),
        (HEAD + "1,train,1\n1,train,3\n2,train,1\n", {}, "realization 2 has 1 training and 11"),
        (HEAD + "1,train,1\n1,train,3\n1,test,5\n", {"n_train": 9}, "split.n_train"),
        (
            "data set,realization,part,row\na,1,train,1\nb,1,train,1\n",
            {},
            "lists rows of a, b, not of 'mine",
        ),
    ],
)
def test_a_file_that_lists_no_splits_is_refused(
    table: Path, lines: str, split: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        load(card_of(table, lines, **split)).split(1)


def test_an_absent_file_is_named(table: Path) -> None:
    block = {"protocol": "indices", "file": "none.csv"}
    with pytest.raises(UserError, match=r"split.file: .*none.csv cannot be read"):
        inline_card({"path": table.name, "target": "c", "split": block}, table.parent)


def test_a_card_states_what_its_file_holds(tmp_path: Path) -> None:
    shipped = shipped_datasets() / "w1a.yaml"
    text = re.sub(r",\s*sha256: [0-9a-f]{64}}", "}", shipped.read_text())
    (tmp_path / "w1a.yaml").write_text(text)
    with pytest.raises(UserError, match="states its `sha256`"):
        find_card("w1a", tmp_path)


def test_a_file_beside_a_card_of_ones_own_is_found(tmp_path: Path) -> None:
    shipped = shipped_datasets()
    for name in ("w1a.yaml", "w2a-completions.csv.xz"):
        shutil.copy(shipped / name, tmp_path)
    split = find_card("w2a-completed", tmp_path).split
    assert Path(str(getattr(split, "file", ""))).parent == tmp_path
