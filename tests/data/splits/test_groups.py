"""Laws of protocols that keep groups whole, and of a user's own file that tells the groups."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import DatasetCard, inline_card, load
from ensvm.data.splits import KFoldSplit, LeaveOneGroupOutSplit, split_rows
from ensvm.errors import UserError

Y = np.repeat([-1, 1], [30, 12]).astype(np.int8)
RNG = np.random.default_rng(0)
GROUPS = RNG.permutation(
    np.repeat([f"{k}" for k in range(1, 13)], [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6])
)
LEAVE_OUT = LeaveOneGroupOutSplit(protocol="leave-one-group-out", realizations=12)


def test_each_group_is_tested_once_in_the_order_of_numbers() -> None:
    for index in range(1, 13):
        train, test = split_rows(LEAVE_OUT, "some", index, Y, None, GROUPS)
        assert set(GROUPS[test]) == {str(index)}
        assert sorted([*train, *test]) == list(range(42))
        assert list(train) != sorted(train)  # algorithms that take rows in turn need an order
    with pytest.raises(UserError, match="realization 13 does not exist; accepted: 1 to 12"):
        split_rows(LEAVE_OUT, "some", 13, Y, None, GROUPS)


@pytest.mark.parametrize(
    ("n_splits", "stratified", "repetition"),
    [(2, False, 0), (2, True, 0), (5, False, 3), (5, True, 3), (12, False, 1)],
)
def test_folds_of_whole_groups_partition_the_rows(
    n_splits: int, stratified: bool, repetition: int
) -> None:
    split = KFoldSplit(protocol="kfold", n_splits=n_splits, stratified=stratified, grouped=True)
    tested = []
    for fold in range(n_splits):
        index = repetition * n_splits + fold + 1
        train, test = split_rows(split, "some", index, Y, None, GROUPS)
        assert not set(GROUPS[train]) & set(GROUPS[test])
        assert sorted([*train, *test]) == list(range(42))
        tested += [*test]
    assert sorted(tested) == list(range(42))


def test_repetitions_of_grouped_folds_are_drawn_apart() -> None:
    split = KFoldSplit(protocol="kfold", n_splits=3, grouped=True)
    first, second, again = (split_rows(split, "a", r, Y, None, GROUPS) for r in (1, 4, 1))
    assert set(first[1]) != set(second[1])
    np.testing.assert_array_equal(np.concatenate(first), np.concatenate(again))


HEAD = "who,x,kind,label\n"
ROWS = "p2,1,a,yes\np10,2,b,no\np2,3,a,no\np10,4,b,yes\np1,5,b,yes\np1,6,a,no\n"
LEAVE = {"protocol": "leave-one-group-out"}
KINDS = {"kind": ["a", "b"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.csv").write_text(HEAD + ROWS)
    (tmp_path / "bare.csv").write_text(ROWS)
    (tmp_path / "gap.csv").write_text(HEAD + ROWS + "?,7,a,no\n")
    (tmp_path / "numbers.csv").write_text("who,x,label\n10,1,a\n9,2,b\n10,3,b\n9,4,a\n")
    (tmp_path / "one.csv").write_text("who,x,label\n1,1,a\n1.0,2,b\n1,3,b\n")
    (tmp_path / "apart.csv").write_text("who,x,label\n1,1,a\n1,2,a\n2,3,b\n2,4,b\n")
    (tmp_path / "own.svm").write_text("1 1:1\n-1 1:2\n1 1:3\n")
    who = ["p2", "p10", "p2", "p10", "p1", "p1"]
    X = np.arange(12.0).reshape(6, 2)
    np.savez(tmp_path / "own.npz", X=X, y=[1, 0, 0, 1, 1, 0], who=who, some=[1])
    return tmp_path


def own(**changes: Any) -> dict[str, Any]:
    keys = {"path": "own.csv", "target": "label", "inputs": KINDS, "groups": "who", "split": LEAVE}
    return {key: value for key, value in {**keys, **changes}.items() if value is not None}


def test_the_column_of_groups_is_no_input_and_decides_on_the_realizations(folder: Path) -> None:
    card = inline_card(own(scaling="none"), folder)
    assert (card.features, card.max_realizations, card.dropped) == (2, 3, ())
    assert card.split_protocol() == {**LEAVE, "realizations": 3}
    dataset = load(card)
    tested = [dataset.realization(r).X_test.tolist() for r in (1, 2, 3)]
    assert tested == [[[5, 2], [6, 1]], [[2, 2], [4, 2]], [[1, 1], [3, 1]]]  # p1, p10, p2


@pytest.mark.parametrize("groups", ["who", None])
def test_groups_count_in_the_checksum_where_there_are_any(folder: Path, groups: str | None) -> None:
    split = LEAVE if groups else {"protocol": "kfold", "n_splits": 2}
    given = own(groups=groups, split=split, drop=["who"])
    before = inline_card(given, folder).checksum
    (folder / "own.csv").write_text(HEAD + ROWS.replace("p10", "p11"))
    assert (inline_card(given, folder).checksum == before) == (groups is None)


def test_folds_are_of_whole_groups_where_there_are_groups(folder: Path) -> None:
    split = {"protocol": "kfold", "n_splits": 3}
    card = inline_card(own(split=split), folder)
    assert card.split_protocol() == {**split, "stratified": False, "grouped": True}
    assert load(card).realization(7).X_test.shape == (2, 2)


def who(card: DatasetCard) -> list[str]:
    """Return the groups that a data set's arrays have."""
    groups = load(card).groups
    assert groups is not None
    return [str(group) for group in groups]


def test_groups_are_read_by_position_from_archives_and_as_numbers(folder: Path) -> None:
    bare = own(path="bare.csv", target=3, groups=0, inputs={"2": ["a", "b"]})
    named = inline_card(own(), folder)
    assert inline_card(bare, folder).checksum == named.checksum
    assert who(inline_card(bare, folder)) == who(named)
    archive = {"path": "own.npz", "groups": "who", "split": LEAVE}
    assert who(inline_card(archive, folder)) == who(named)
    numbers = load(inline_card(own(path="numbers.csv", inputs=None, scaling="none"), folder))
    assert numbers.realization(1).X_test.tolist() == [[2], [4]]  # group 9, before 10


def test_rows_without_a_group_are_refused_or_left_out(folder: Path) -> None:
    for incomplete in (None, "keep"):
        with pytest.raises(UserError, match=r"line 8, column 'who': the group is missing"):
            inline_card(own(path="gap.csv", incomplete=incomplete, missing=None), folder)
    assert inline_card(own(path="gap.csv", incomplete="drop"), folder).rows == 6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (own(groups="woh"), "groups: there is no column 'woh'; did you mean 'who'"),
        (own(groups="label"), "groups: the column 'label' holds the labels"),
        (own(groups="kind"), "groups: the column 'kind' is in `inputs` too"),
        (own(groups=None, drop=["who"]), "groups: is missing; the protocols leave-one-group-out"),
        (
            own(
                groups=None, drop=["who"], split={"protocol": "kfold", "n_splits": 2, "grouped": 1}
            ),
            "groups: is missing; .* kfold with `grouped`",
        ),
        (
            own(split={"protocol": "random", "n_train": 3}),
            "groups: the protocol 'random' does not keep groups whole; accepted: leave-one-group",
        ),
        (
            own(split={"protocol": "kfold", "n_splits": 2, "grouped": False}),
            "groups: the protocol 'kfold' does not keep groups whole; .*`grouped: true`",
        ),
        (
            own(split={"protocol": "kfold", "n_splits": 4}),
            "split.n_splits: 4 folds of whole groups cannot be made of 3 groups; accepted: 2 to 3",
        ),
        (own(split={**LEAVE, "realizations": 2}), "split.realizations: 2 .* number of groups, 3"),
        (own(split={"protocol": "leave-group-out"}), "did you mean 'leave-one-group-out'"),
        (own(path="one.csv", inputs=None), "groups: all rows are in one group .'1'."),
        (
            own(path="apart.csv", inputs=None),
            "groups: all rows of the class 'a' are in the group '1'",
        ),
        ({"path": "own.svm", "groups": "who", "split": LEAVE}, "groups: a .svm file has none"),
        (
            {"path": "own.npz", "groups": "how", "split": LEAVE},
            r"groups: holds no array 'how'; did you mean 'who'\? \(arrays: X, y, who, some\)",
        ),
        (
            {"path": "own.npz", "groups": "some", "split": LEAVE},
            "groups: 'some' holds int64 of shape",
        ),
    ],
)
def test_groups_that_cannot_be_kept_are_refused(
    folder: Path, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message) as refusal:
        inline_card(given, folder)
    assert len(str(refusal.value).splitlines()) == 1
