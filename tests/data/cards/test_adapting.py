"""A study's own split, scaling and options: what changes, what stays, what is refused."""

from typing import Any

import numpy as np
import pytest

from ensvm.data import DatasetCard, adapt, find_card, load
from ensvm.errors import UserError

CIRCLE = find_card("circle")


def test_nothing_said_changes_nothing() -> None:
    for card in (find_card("german"), CIRCLE):
        same = adapt(card)
        assert same.fingerprint() == card.fingerprint()
        assert same.split_protocol() == card.split_protocol()
        assert adapt(CIRCLE, split={}, options={"noise": 0}).fingerprint() == CIRCLE.fingerprint()


def test_split_is_a_whole_protocol_or_some_keys_of_the_cards_own() -> None:
    german = find_card("german")
    kfold = adapt(german, split={"protocol": "kfold", "n_splits": 10})
    assert kfold.split_protocol() == {"protocol": "kfold", "n_splits": 10, "stratified": False}
    fewer = adapt(german, split={"n_train": 100})
    assert fewer.split_protocol() == {"protocol": "random", "n_train": 100, "n_test": 300}
    for adapted in (kfold, fewer):
        assert adapted.fingerprint() == german.fingerprint()
        assert adapted.base == "german"


def test_scaling_changes_the_fingerprint_and_the_inputs() -> None:
    german = find_card("german")
    scaled = adapt(german, scaling="minmax")
    assert scaled.fingerprint() != german.fingerprint()
    X = load(scaled, offline=True).realization(1).X_train
    np.testing.assert_allclose(X.min(axis=0), -1)
    np.testing.assert_array_equal(load(scaled, offline=True).X, load(german, offline=True).X)


def test_options_change_the_arrays_and_the_fingerprint() -> None:
    cards = [
        CIRCLE,
        adapt(CIRCLE, options={"noise": 0.1}),
        adapt(CIRCLE, options={"redundant": 3}),
        adapt(CIRCLE, options={"noise": 0.1, "redundant": 3}),
    ]
    assert len({card.fingerprint() for card in cards}) == len(cards)
    assert [card.features for card in cards] == [2, 2, 5, 5]
    clean, noisy, wide, both = (load(card).realization(2) for card in cards)
    np.testing.assert_array_equal(wide.X_test[:, :2], clean.X_test)
    np.testing.assert_array_equal(wide.y_test, clean.y_test)
    np.testing.assert_array_equal(both.X_train, wide.X_train)
    np.testing.assert_array_equal(both.y_train, noisy.y_train)
    assert 0.05 < (noisy.y_train != clean.y_train).mean() < 0.15


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        (
            "circle",
            {"options": {"nois": 1}},
            "generator: unknown key 'nois'; did you mean 'noise'",
        ),
        (
            "circle",
            {"options": {"noise": 2}},
            "generator.noise: 2 is not accepted.*1 or less",
        ),
        ("circle", {"options": {"redundant": -1}}, "generator.redundant: -1"),
        ("circle", {"scaling": "minmx"}, "scaling: 'minmx'.*did you mean 'minmax'"),
        (
            "circle",
            {"split": {"n_trian": 3}},
            "split: unknown key 'n_trian'; did you mean 'n_train'",
        ),
        ("circle", {"split": {"n_train": 1500}}, "n_train 1500.*block of 2000"),
        ("circle", {"split": {"protocol": "disjont"}}, "split: 'disjont'.*did you mean 'disjoint'"),
        ("a9a", {"scaling": "standard"}, "scaling: 'standard' would fill sparse data"),
        ("waveform", {"options": {"noise": 1}}, "options: .*the generator 'waveform' has none"),
        ("german", {"options": {"noise": 1}}, "options: .*read from files"),
    ],
)
def test_what_is_impossible_is_refused_by_key(
    name: str, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(UserError, match=message) as refusal:
        adapt(find_card(name), **changes)
    assert f"data set {name!r}" in str(refusal.value)


def test_official_parts_may_be_cut_anew() -> None:
    card = find_card("toy-boosting")
    official = load(card).realization(1)
    again = load(adapt(card, split={"protocol": "random", "n_train": 14, "n_test": 6})).realization(
        1
    )
    assert again.X_train.shape == (14, 2)
    rows = np.vstack([official.X_train, official.X_test])
    both = np.vstack([again.X_train, again.X_test])
    assert np.array_equal(rows[np.lexsort(rows.T)], both[np.lexsort(both.T)])


def with_inputs(card: DatasetCard, encoding: object) -> DatasetCard:
    (name, *_) = card.inputs or {}
    own = card.model_dump()
    return DatasetCard.model_validate(own | {"inputs": own["inputs"] | {name: encoding}})


def test_which_columns_are_one_hot_is_in_it_where_the_scaling_looks_at_them() -> None:
    card = find_card("german")
    one_hot = with_inputs(card, {"one-hot": ["a", "b"]})
    for scaling, same in (("e1071", False), ("standard", True)):
        prints = [adapt(c, scaling=scaling).fingerprint() for c in (card, one_hot)]
        assert (prints[0] == prints[1]) is same
