"""Columns of a user's own file are inputs unless a config drops them; an index is asked about."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import inline_card, load
from ensvm.errors import UserError

RANDOM = {"protocol": "random", "n_train": 3}
CSV = "age,city,sex,income,label\n20,a,m,1.5,yes\n30,b,f,2.5,no\n40,a,f,3.5,no\n50,b,m,4.5,yes\n"
CODES = {"sex": ["m", "f"], "city": ["a", "b"]}
AGE, SEX, CITY, INCOME = [20, 30, 40, 50], [1, 2, 2, 1], [1, 2, 1, 2], [1.5, 2.5, 3.5, 4.5]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.csv").write_text(CSV)
    lines = CSV.splitlines()
    for name, first, numbers in (
        ("index", "", (0, 1, 2, 3)),
        ("from-1", "", (1, 2, 3, 4)),
        ("drawn", "", (17, 4, 25, 9)),
        ("unnamed", "Unnamed: 0", (0, 1, 2, 3)),
        ("named", "id", (0, 1, 2, 3)),
        ("repeated", "", (0, 1, 1, 0)),
        ("fractions", "", (0.5, 1.5, 2.5, 3.5)),
    ):
        rows = [f"{number},{line}" for number, line in zip(numbers, lines[1:], strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"{first},{lines[0]}", *rows]) + "\n")
    return tmp_path


def own(folder: Path, **given: Any) -> Any:
    keys = {"path": "own.csv", "target": "label", "split": RANDOM, "inputs": CODES, **given}
    return inline_card({key: value for key, value in keys.items() if value is not None}, folder)


@pytest.mark.parametrize(
    ("given", "columns", "dropped"),
    [
        ({}, [AGE, CITY, SEX, INCOME], ()),
        ({"inputs": {"city": ["a", "b"], "sex": ["m", "f"]}}, [AGE, CITY, SEX, INCOME], ()),
        ({"inputs": {**CODES, "income": "number"}}, [AGE, CITY, SEX, INCOME], ()),
        ({"drop": ["age"]}, [CITY, SEX, INCOME], ("age",)),
        ({"drop": [0]}, [CITY, SEX, INCOME], ("age",)),
        ({"drop": [-2], "target": -1}, [AGE, CITY, SEX], ("income",)),
        ({"inputs": {1: ["a", "b"], "-3": ["m", "f"]}}, [AGE, CITY, SEX, INCOME], ()),
        ({"other_inputs": "drop"}, [CITY, SEX], ("age", "income")),
        ({"inputs": None, "drop": ["city", "sex"]}, [AGE, INCOME], ("city", "sex")),
    ],
)
def test_columns_stay_in_the_order_of_the_file_unless_told_otherwise(
    folder: Path, given: dict[str, Any], columns: list[list[float]], dropped: tuple[str, ...]
) -> None:
    card = own(folder, **given)
    found = load(card)
    np.testing.assert_array_equal(found.X, np.transpose(columns))
    assert card.features == len(columns)
    assert card.dropped == dropped


@pytest.mark.parametrize("name", ["index", "from-1", "drawn", "unnamed"])
def test_an_index_does_not_become_an_input(folder: Path, name: str) -> None:
    first = "Unnamed: 0" if name == "unnamed" else ""
    with pytest.raises(UserError) as caught:
        own(folder, path=f"{name}.csv")
    assert f'`drop: ["{first}"]` leaves it out, `inputs: {{"{first}": number}}`' in str(
        caught.value
    )
    assert own(folder, path=f"{name}.csv", drop=[first]).features == 4
    assert own(folder, path=f"{name}.csv", inputs={**CODES, first: "number"}).features == 5


@pytest.mark.parametrize("name", ["named", "repeated", "fractions"])
def test_other_first_columns_are_inputs(folder: Path, name: str) -> None:
    assert own(folder, path=f"{name}.csv").features == 5


def test_a_test_file_has_the_same_columns_in_any_order(folder: Path) -> None:
    (folder / "test.csv").write_text("label,income,sex,city,age\nyes,9.5,m,b,90\n")
    official = {"test": "test.csv", "split": {"protocol": "official"}}
    card = own(folder, **official)
    np.testing.assert_array_equal(load(card).X[-1], [90, 2, 1, 9.5])
    numbers = own(folder, **official, inputs=None, drop=["sex", "city"])
    np.testing.assert_array_equal(load(numbers).X[-1], [90, 9.5])
    (folder / "test.csv").write_text("label,income,sex,city,years\nyes,9.5,m,b,90\n")
    with pytest.raises(UserError, match="the files differ in columns: age, years"):
        own(folder, **official)


def test_positions_name_columns_of_a_file_without_a_header(folder: Path) -> None:
    rows = [f"{i},{i % 4},{i % 2},{'ab'[i % 2]}" for i in range(9)]
    (folder / "nine.data").write_text("\n".join(rows))
    keys = {"path": "nine.data", "format": {"delimiter": ","}, "inputs": {1: ["0", "1", "2", "3"]}}
    card = own(folder, **keys, target=3, drop=[0])
    assert (card.rows, card.dropped) == (9, ("0",))
    np.testing.assert_array_equal(load(card).X, [[1 + i % 4, i % 2] for i in range(9)])
    assert own(folder, **keys, target=-1, drop=[-4]).checksum == card.checksum
    with pytest.raises(UserError, match=r"nine.data: drop: 4 is not a column; there are 4"):
        own(folder, **keys, target=3, drop=[4])


def test_a_text_above_numbers_is_a_header_whatever_the_target_is(folder: Path) -> None:
    by_name = own(folder)
    assert own(folder, target=-1).checksum == by_name.checksum
    assert own(folder, target=4, format={"header": 1}).checksum == by_name.checksum
    with pytest.raises(UserError, match="line 1, column '3': 'income' is not a number"):
        own(folder, target=4, format={"header": 0}, inputs=None, drop=[0, 1, 2])


@pytest.mark.parametrize("labels", [("yes.", "no."), ("yes", "no."), ("Yes", "no")])
def test_labels_that_no_training_row_has_are_refused(folder: Path, labels: tuple[str, str]) -> None:
    rows = [f"20,a,m,1.5,{labels[0]}", f"30,b,f,2.5,{labels[1]}"]
    (folder / "test.csv").write_text("\n".join(["age,city,sex,income,label", *rows]))
    foreign = next(label for label in sorted(labels) if label not in ("yes", "no"))
    with pytest.raises(UserError, match=rf"test.csv: no training row has the labels '{foreign}'"):
        own(folder, test="test.csv", split={"protocol": "official"})
