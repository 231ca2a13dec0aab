"""The data sets that ensvm made for the readings of NIPS-99 are what their cards say."""

import numpy as np
import pytest

from ensvm.data import adapt, find_card, load
from ensvm.data.generators import Circle
from ensvm.errors import UserError


def test_only_the_training_labels_of_the_contaminated_circle_are_noisy() -> None:
    clean, at_noise = (Circle(rows=20000, seed=1999, noise=noise).draw() for noise in (0.0, 0.05))
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


@pytest.mark.parametrize("number", [-1.0, 0.0])
def test_a_number_stands_for_each_missing_value_of_bridges(number: float) -> None:
    original = load(adapt(find_card("bridges"), scaling="none"))
    own = load(adapt(find_card("bridges"), scaling="none", fill=number))
    known = ~np.isnan(original.X)
    assert np.all(original.X[known] > 0.0)  # so that neither number means anything else
    rows, part = np.where(known, original.X, number), own.realization(1)
    assert {tuple(row) for X in (part.X_train, part.X_test) for row in X} == set(map(tuple, rows))
    np.testing.assert_array_equal(part.y_test, original.realization(1).y_test)


def test_a_set_without_missing_values_has_none_to_replace() -> None:
    with pytest.raises(UserError, match="fill: it has no missing values"):
        adapt(find_card("bupa"), fill=0.0)


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
