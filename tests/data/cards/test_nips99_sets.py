"""The data sets that ensvm made for the readings of NIPS-99 are what their cards say."""

import numpy as np
import pytest

from ensvm.data import find_card, load
from ensvm.data.generators import circle


def test_only_the_training_labels_of_the_contaminated_circle_are_noisy() -> None:
    clean, at_noise = circle(20000, 1999), circle(20000, 1999, noise=0.05)
    dataset = load(find_card("circle-contaminated"))
    turned = []
    for index in range(1, 11):
        part, start = dataset.realization(index), 2000 * (index - 1)
        for X, y, rows, drawn in (
            (part.X_train, part.y_train, slice(start, start + 200), at_noise),
            (part.X_test, part.y_test, slice(start + 1000, start + 2000), clean),
        ):
            np.testing.assert_array_equal(X, drawn[0][rows])
            np.testing.assert_array_equal(y, drawn[1][rows])
        turned.append(np.mean(part.y_train != clean[1][start : start + 200]))
    assert np.mean(turned) == pytest.approx(0.05, abs=0.02)


def test_bridges_minus_one_is_bridges_where_a_value_is_known() -> None:
    own, original = load(find_card("bridges-minus-one")), load(find_card("bridges"))
    known = ~np.isnan(original.X)
    np.testing.assert_array_equal(own.X[known], original.X[known])
    assert np.all(own.X[~known] == -1.0)
    assert np.all(original.X[known] > 0.0)  # so that -1 means nothing else
    np.testing.assert_array_equal(own.y, original.y)


def test_the_official_horse_colic_trains_on_the_rows_of_the_other_card() -> None:
    official, numberless = (
        load(find_card(name)) for name in ("horse-colic-official", "horse-colic-unnumbered")
    )
    original = load(find_card("horse-colic"))
    assert official.splits is not None
    train = official.splits[0][0]
    np.testing.assert_array_equal(official.X[train], original.X)
    np.testing.assert_array_equal(official.y[train], original.y)
    np.testing.assert_array_equal(np.delete(official.X, 2, axis=1), numberless.X)
