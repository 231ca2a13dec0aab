"""Laws of the split protocols: parts are disjoint, complete, and follow from identity."""

import hashlib
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ensvm.data.splits import (
    BootstrapSplit,
    DisjointSplit,
    IndicesSplit,
    KFoldSplit,
    OfficialSplit,
    RandomSplit,
    Split,
    check_split,
    identity,
    max_realizations,
    overlap,
    part_sizes,
    split_rows,
)
from ensvm.errors import UserError

SPLIT: TypeAdapter[Split] = TypeAdapter(Split)
Y = np.repeat([-1, 1], [30, 12]).astype(np.int8)


@given(n_train=st.integers(2, 30), n_test=st.integers(1, 12), index=st.integers(1, 10**6))
def test_random_parts_are_disjoint_and_of_the_asked_size(
    n_train: int, n_test: int, index: int
) -> None:
    split = RandomSplit(protocol="random", n_train=n_train, n_test=n_test)
    train, test = split_rows(split, "some", index, Y, None)
    assert (len(train), len(test)) == (n_train, n_test) == part_sizes(split, len(Y))
    assert len(set(train) | set(test)) == n_train + n_test
    assert set(train) | set(test) <= set(range(len(Y)))


@given(n_splits=st.integers(2, 42), stratified=st.booleans(), repetition=st.integers(0, 100))
def test_folds_of_a_repetition_partition_the_rows(
    n_splits: int, stratified: bool, repetition: int
) -> None:
    split = KFoldSplit(protocol="kfold", n_splits=n_splits, stratified=stratified)
    folds = [
        split_rows(split, "some", repetition * n_splits + k + 1, Y, None) for k in range(n_splits)
    ]
    assert sorted(np.concatenate([test for _, test in folds])) == list(range(len(Y)))
    for train, test in folds:
        assert sorted([*train, *test]) == list(range(len(Y)))
    assert max(len(test) for _, test in folds) - min(len(test) for _, test in folds) <= 1
    assert (len(folds[0][0]), len(folds[0][1])) == part_sizes(split, len(Y))
    if stratified:
        positives = [int((Y[test] == 1).sum()) for _, test in folds]
        assert max(positives) - min(positives) <= 1


def test_repetitions_names_and_protocols_are_drawn_apart() -> None:
    split = RandomSplit(protocol="random", n_train=20, n_test=5)
    other = RandomSplit(protocol="random", n_train=20, n_test=6)
    kfold = KFoldSplit(protocol="kfold", n_splits=2)
    drawn = [
        split_rows(split, "a", 1, Y, None),
        split_rows(split, "a", 2, Y, None),
        split_rows(split, "b", 1, Y, None),
        split_rows(other, "a", 1, Y, None),
        split_rows(kfold, "a", 1, Y, None),
        split_rows(kfold, "a", 3, Y, None),
    ]
    orders = sorted(tuple(train) for train, _ in drawn)
    assert all(one != next_one for one, next_one in pairwise(orders))


@pytest.mark.parametrize(
    ("split", "digest"),
    [
        ({"protocol": "random", "n_train": 20, "n_test": 12}, "4972074e8704"),
        ({"protocol": "kfold", "n_splits": 5}, "b40416c23827"),
        ({"protocol": "kfold", "n_splits": 5, "stratified": True}, "f499a97e32e7"),
        ({"protocol": "official", "n_train": 20, "n_test": 12}, "f3f394849ca8"),
        ({"protocol": "disjoint", "n_train": 9, "n_test": 4, "block": 14}, "49f8fa28741f"),
    ],
)
def test_rows_of_each_protocol_are_pinned(split: dict[str, object], digest: str) -> None:
    # Finished results hang on these rows, as on those above.
    drawn = [split_rows(SPLIT.validate_python(split), "german", r, Y, OFFICIAL) for r in (1, 2, 3)]
    rows = str([[part.tolist() for part in parts] for parts in drawn])
    assert hashlib.sha256(rows.encode()).hexdigest()[:12] == digest


BOOTSTRAP = BootstrapSplit(protocol="bootstrap")


@given(rows=st.integers(8, 200), index=st.integers(1, 10**6))
def test_a_bootstrap_sample_is_tested_on_the_rows_out_of_the_bag(rows: int, index: int) -> None:
    y = np.resize(Y, rows)
    train, test = split_rows(BOOTSTRAP, "some", index, y, None)
    assert len(train) == rows
    assert sorted({*train} | {*test}) == list(range(rows))
    assert not {*train} & {*test}
    assert sum(part_sizes(BOOTSTRAP, rows)) == rows
    for one, again in zip(
        (train, test), split_rows(BOOTSTRAP, "some", index, y, None), strict=True
    ):
        np.testing.assert_array_equal(one, again)


def test_bootstrap_samples_draw_every_row_alike() -> None:
    drawn = [split_rows(BOOTSTRAP, "some", index, Y, None) for index in range(1, 2001)]
    out_of_bag = np.mean([np.isin(np.arange(len(Y)), test) for _, test in drawn], axis=0)
    expected = (1 - 1 / len(Y)) ** len(Y)
    assert np.abs(out_of_bag - expected).max() < 5 * np.sqrt(expected * (1 - expected) / 2000)
    counts = np.bincount(np.concatenate([train for train, _ in drawn]))
    assert np.abs(counts / 2000 - 1).max() < 5 / np.sqrt(2000)
    n_train, n_test = part_sizes(BOOTSTRAP, 1000)
    assert overlap(BOOTSTRAP) == pytest.approx(n_test / n_train, abs=1e-2)
    assert max_realizations(BOOTSTRAP, len(Y)) is None


def test_a_bootstrap_sample_of_every_row_leaves_nothing_to_test_on() -> None:
    with pytest.raises(UserError, match="draws every row; too few rows"):
        [split_rows(BOOTSTRAP, "some", index, Y[:2], None) for index in range(1, 100)]


@given(n_train=st.integers(4, 38), n_test=st.integers(2, 20), index=st.integers(1, 10**6))
def test_stratified_parts_have_the_classes_in_proportion(
    n_train: int, n_test: int, index: int
) -> None:
    n_test = min(n_test, len(Y) - n_train)
    split = RandomSplit(protocol="random", n_train=n_train, n_test=n_test, stratified=True)
    train, test = split_rows(split, "some", index, Y, None)
    assert len(set(train) | set(test)) == n_train + n_test == len(train) + len(test)
    assert abs((Y[train] == 1).sum() - n_train * 12 / 42) < 1
    assert abs((Y[test] == 1).sum() - n_test * 12 / 42) < 2  # of what training left


@pytest.mark.parametrize("index", [0, -1, 3])
def test_realization_beyond_the_last_is_refused(index: int) -> None:
    split = IndicesSplit(protocol="indices", n_train=3, n_test=2, realizations=2)
    with pytest.raises(UserError, match=f"realization {index}.*1 to 2"):
        split_rows(split, "some", index, Y, None)


@pytest.mark.parametrize(
    ("keys", "rows", "expected"),
    [
        ({"protocol": "official", "n_train": 2, "n_test": 1}, 3, 1),
        ({"protocol": "official", "n_train": 2, "n_test": 1, "realizations": 10}, 3, 10),
        ({"protocol": "official", "n_train": 2, "n_test": 1}, 4, None),
        ({"protocol": "official", "n_train": 2, "n_test": 1, "realizations": 10}, 4, 10),
        ({"protocol": "indices", "n_train": 2, "n_test": 1, "realizations": 7}, 3, 7),
        ({"protocol": "kfold", "n_splits": 3}, 3, None),
        ({"protocol": "leave-one-group-out", "realizations": 3}, 9, 3),
        ({"protocol": "random", "n_train": 2, "n_test": 1}, 3, None),
        ({"protocol": "disjoint", "n_train": 2, "n_test": 1}, 11, 3),
        ({"protocol": "disjoint", "n_train": 2, "n_test": 1, "block": 5}, 11, 2),
    ],
)
def test_number_of_realizations(keys: dict[str, object], rows: int, expected: int | None) -> None:
    assert max_realizations(SPLIT.validate_python(keys), rows) == expected


def official(n_train: int, **more: int) -> OfficialSplit:
    return OfficialSplit(protocol="official", n_train=n_train, n_test=12, **more)


OFFICIAL = (np.arange(30)[None], np.arange(30, 42)[None])


@given(n_train=st.integers(2, 29), index=st.integers(1, 10**6))
def test_draws_from_the_official_training_part_are_nested_and_leave_the_test_part(
    n_train: int, index: int
) -> None:
    train, test = split_rows(official(n_train), "some", index, Y, OFFICIAL)
    larger, _ = split_rows(official(min(n_train + 5, 29)), "some", index, Y, OFFICIAL)
    other, _ = split_rows(official(29), "some", index + 1, Y, OFFICIAL)
    assert len(set(train)) == n_train
    assert set(train) <= set(range(30))
    np.testing.assert_array_equal(larger[:n_train], train)
    assert (other != split_rows(official(29), "some", index, Y, OFFICIAL)[0]).any()
    np.testing.assert_array_equal(test, np.arange(30, 42))


def test_options_not_given_are_no_part_of_the_identity() -> None:
    # Finished results are keyed by these values, and random rows are drawn from them.
    assert identity(official(30)) == {"protocol": "official", "n_train": 30, "n_test": 12}
    disjoint = DisjointSplit(protocol="disjoint", n_train=3, n_test=4)
    assert identity(disjoint) == {"protocol": "disjoint", "n_train": 3, "n_test": 4}
    random = {"protocol": "random", "n_train": 3, "n_test": 4}
    assert identity(SPLIT.validate_python({**random, "stratified": False})) == random
    stratified = {**random, "stratified": True}
    assert identity(SPLIT.validate_python(stratified)) == stratified
    kfold = {"protocol": "kfold", "n_splits": 3, "stratified": False}
    assert identity(SPLIT.validate_python({**kfold, "grouped": False})) == kfold


@given(n_train=st.integers(2, 10), n_test=st.integers(1, 10), spare=st.integers(0, 5))
def test_disjoint_realizations_share_no_row(n_train: int, n_test: int, spare: int) -> None:
    split = DisjointSplit(
        protocol="disjoint", n_train=n_train, n_test=n_test, block=n_train + n_test + spare
    )
    last = max_realizations(split, len(Y))
    assert last is not None
    parts = [part for k in range(last) for part in split_rows(split, "some", k + 1, Y, None)]
    assert [len(part) for part in parts] == [n_train, n_test] * last
    rows = np.concatenate(parts)
    assert len(set(rows)) == len(rows)
    assert max(rows) < len(Y)
    with pytest.raises(UserError, match=f"realization {last + 1}"):
        split_rows(split, "some", last + 1, Y, None)


@pytest.mark.parametrize(
    ("split", "message"),
    [
        (RandomSplit(protocol="random", n_train=8, n_test=3), "n_train 8.*n_test 3.*10 rows"),
        (
            IndicesSplit(protocol="indices", n_train=8, n_test=3, realizations=1),
            "n_train 8.*10 rows",
        ),
        (OfficialSplit(protocol="official", n_train=8, n_test=3), "n_train: 8 is more than the 7"),
        (
            DisjointSplit(protocol="disjoint", n_train=8, n_test=3),
            "n_train 8.*block of 11 out of 10",
        ),
        (
            DisjointSplit(protocol="disjoint", n_train=4, n_test=3, block=6),
            "n_test 3.*block of 6 out of 10",
        ),
        (KFoldSplit(protocol="kfold", n_splits=11), "n_splits: 11.*10 rows"),
    ],
)
def test_impossible_splits_are_refused(split: Split, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_split(split, 10)


@pytest.mark.parametrize(
    ("split", "classes", "message"),
    [
        (
            RandomSplit(protocol="random", n_train=8, n_test=4, stratified=True),
            {"a": 18, "b": 2},
            r"n_train: 8 of 20 rows.*'b' has 2 rows.*at least 10 \(0.5 of the rows\)",
        ),
        (
            RandomSplit(protocol="random", n_train=15, n_test=5, stratified=True),
            {"a": 19, "b": 1},
            "'b' has 1 row; accepted: only `stratified: false`",
        ),
        (
            RandomSplit(protocol="random", n_train=15, n_test=2, stratified=True),
            {"a": 8, "b": 6, "c": 6},
            "n_test: 2.*3 classes",
        ),
        (
            KFoldSplit(protocol="kfold", n_splits=5, stratified=True),
            {"a": 16, "b": 4},
            "n_splits: 5.*'b' has 4 rows; accepted: up to 4 folds",
        ),
    ],
)
def test_classes_too_small_to_be_stratified_are_refused(
    split: Split, classes: dict[str, int | None], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        check_split(split, 20, classes)
    check_split(split, 20, dict.fromkeys(classes))  # nobody knows how many there are
    check_split(split.model_copy(update={"stratified": False}), 20, classes)


def test_realizations_overlap_where_they_split_the_same_rows_anew() -> None:
    random = RandomSplit(protocol="random", n_train=700, n_test=300)
    fixed = IndicesSplit(protocol="indices", n_train=700, n_test=300, realizations=10)
    assert overlap(random) == overlap(fixed) == pytest.approx(3 / 7)
    # of a large test part the training part is the one that counts
    turned = RandomSplit(protocol="random", n_train=300, n_test=700)
    assert overlap(turned) == overlap(random)
    stratified = random.model_copy(update={"stratified": True})
    assert overlap(stratified) == overlap(random)
    assert overlap(official(20)) == pytest.approx(12 / 20)  # draws of the training file


def test_realizations_without_rows_in_common_or_without_a_draw_do_not_overlap() -> None:
    block = DisjointSplit(protocol="disjoint", n_train=30, n_test=12)
    assert overlap(block) == 0.0
    assert overlap(official(30, realizations=10)) == 0.0
    assert overlap(None) == 0.0


def test_repeats_change_no_fold_and_count_the_realizations() -> None:
    folds = KFoldSplit(protocol="kfold", n_splits=5)
    repeated = KFoldSplit(protocol="kfold", n_splits=5, repeats=3)
    assert max_realizations(repeated, len(Y)) == 15
    assert identity(repeated) == identity(folds)
    for index in (1, 7, 15):
        for one, other in zip(
            split_rows(folds, "some", index, Y, None),
            split_rows(repeated, "some", index, Y, None),
            strict=True,
        ):
            np.testing.assert_array_equal(one, other)
    with pytest.raises(UserError, match="accepted: 1 to 15"):
        split_rows(repeated, "some", 16, Y, None)
