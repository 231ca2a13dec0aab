"""Sizes of parts as fractions: numbers of rows before anything is drawn."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensvm.data import adapt, find_card, inline_card
from ensvm.data.split_sizes import sizes_in_rows
from ensvm.data.splits import RandomSplit, check_split
from ensvm.errors import UserError

RANDOM = {"protocol": "random"}


@given(rows=st.integers(10, 10**6), train=st.floats(0.25, 0.75), share=st.floats(0.5, 1.0))
def test_fractions_become_numbers_that_fit_the_rows(rows: int, train: float, share: float) -> None:
    test = (1 - train) * share
    asked = {**RANDOM, "n_train": train, "n_test": test}
    split = RandomSplit.model_validate(sizes_in_rows(asked, asked, rows))
    check_split(split, rows)
    assert abs(split.n_train - train * rows) <= 0.5
    assert abs(split.n_test - test * rows) <= 1


@given(rows=st.integers(10, 10**6), share=st.floats(0.25, 0.75))
def test_one_fraction_leaves_the_other_rows_to_the_other_part(rows: int, share: float) -> None:
    for key in ("n_train", "n_test"):
        found = sizes_in_rows({**RANDOM, key: share}, (key,), rows)
        assert found["n_train"] + found["n_test"] == rows
        assert abs(found[key] - share * rows) <= 0.5


@pytest.mark.parametrize("split", [{**RANDOM, "n_train": 3, "n_test": 7}, {"protocol": "kfold"}])
def test_numbers_of_rows_stay_as_they_are(split: dict[str, Any]) -> None:
    assert sizes_in_rows(split, split, 10) == split


@pytest.mark.parametrize("key", ["n_train", "n_test"])
def test_a_whole_number_may_be_written_with_a_point(key: str) -> None:
    whole, written = ({**RANDOM, key: size} for size in (60, 6e1))
    assert sizes_in_rows(written, written, 100) == sizes_in_rows(whole, whole, 100)


def test_sizes_have_the_names_of_scikit_learn_too() -> None:
    asked = {**RANDOM, "train_size": 0.5, "test_size": 3}
    assert sizes_in_rows(RANDOM | {"train_size": 6}, ("train_size",), 10) == {
        **RANDOM,
        "n_train": 6,
        "n_test": 4,
    }
    with pytest.raises(ValueError, match=r"n_train 0\.5 and n_test 3 are a fraction and a number"):
        sizes_in_rows(asked, asked, 10)
    twice = {**RANDOM, "train_size": 5, "n_train": 6}
    with pytest.raises(ValueError, match="given by two names"):
        sizes_in_rows(twice, twice, 10)
    card = adapt(find_card("german"), split={"train_size": 100})
    assert card.split == adapt(find_card("german"), split={"n_train": 100}).split


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{k},{'ab'[k % 5 == 0]}" for k in range(20)]
    for name in ("own", "test"):
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,label", *rows]) + "\n")
    return tmp_path


def own(**split: Any) -> dict[str, Any]:
    return {"path": "own.csv", "target": "label", "split": {**RANDOM, **split}}


def test_own_files_are_split_by_fractions(folder: Path) -> None:
    card = inline_card(own(n_train=0.75, stratified=True), folder)
    counted_split = {**RANDOM, "n_train": 15, "n_test": 5, "stratified": True}
    assert card.split_protocol() == counted_split
    same = inline_card(own(n_train=15, stratified=True), folder)
    assert same.split_protocol() == counted_split
    official = {**own(protocol="official", n_train=0.5), "test": "test.csv"}
    assert inline_card(official, folder).sizes() == (1, 10, 20)


def test_cards_are_split_by_fractions() -> None:
    german = find_card("german")
    assert adapt(german, split={"n_train": 0.5}).sizes() == (20, 500, 300)
    assert adapt(german, split={**RANDOM, "n_train": 0.9}).sizes() == (20, 900, 100)
    with pytest.raises(UserError, match=r"groups: is missing.*leave-one-group-out"):
        adapt(german, split={"protocol": "leave-one-group-out"})


@pytest.mark.parametrize(
    ("split", "message"),
    [
        ({"n_train": 0.7, "n_test": 5}, "n_train 0.7 and n_test 5 are a fraction and a number"),
        ({"n_train": 0.7, "n_test": 0.5}, "n_train 0.7 .* n_test 0.5 is more than all rows"),
        ({"n_train": 1.5}, "split.n_train: 1.5 is not accepted; accepted: .* fraction"),
        ({"n_train": 1.0}, "split.n_train: 1.0 is not accepted; accepted: .* fraction"),
        ({"n_train": -0.5}, "split.n_train: -0.5 is not accepted"),
        ({"n_train": float("nan")}, "split.n_train: nan is not accepted"),
        ({"n_train": 0.01}, "split.n_train: 0.01 of 20 rows is 0; accepted: .* at least 2 rows"),
        ({"n_train": "70%"}, "split.n_train: '70%' is not accepted"),
        ({"protocol": "disjoint", "n_train": 0.5, "n_test": 5}, "n_train: 0.5 is not accepted"),
        ({"protocol": "kfold", "n_splits": 5, "n_train": 0.5}, "unknown key 'n_train'"),
        ({}, "split.n_train: is missing"),
        (
            {"protocol": "kfold", "n_splits": 5, "stratified": True},
            "split.n_splits: 5 stratified folds .* 'b' has 4 rows; accepted: up to 4 folds",
        ),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(
    folder: Path, split: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message) as refusal:
        inline_card(own(**split), folder)
    assert len(str(refusal.value).splitlines()) == 1
