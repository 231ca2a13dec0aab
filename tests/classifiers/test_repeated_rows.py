"""Repeated rows: what rows repeated k times choose is what weights k choose."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons

from ensvm import KernelRidgeClassifierCV, SVMEnsembleClassifier, TunedSVC
from ensvm.classifiers.repeated_rows import merged_rows

CLASSIFIERS = pytest.mark.parametrize(
    "make", [TunedSVC, SVMEnsembleClassifier, KernelRidgeClassifierCV]
)


@pytest.fixture(scope="module")
def continuous():
    return make_classification(90, 5, flip_y=0.1, weights=[0.7], random_state=0)


@pytest.fixture(scope="module")
def few_values():
    """Rows that repeat by chance: three columns of three values."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(150, 3)).astype(float)
    return X, (X.sum(axis=1) + rng.normal(size=150) > 3.0).astype(int)


def times(kind, y):
    """Return how often each row is repeated."""
    rng = np.random.default_rng(1)
    if kind == "all alike":
        return np.full(y.size, 3)
    if kind == "a class":
        return np.where(y == 1, 4, 1)
    return rng.integers(1, 5, size=y.size)


def chosen(machine):
    """Return what a fit chose, and its own estimate of its error."""
    names = ("gamma_", "alpha_", "loo_score_", "loo_loss_")
    values = [getattr(machine, name) for name in names if hasattr(machine, name)]
    members = [(m.gamma, m.C, m.weight) for m in getattr(machine, "members_", [])]
    return np.concatenate([values, np.ravel(members)])


@CLASSIFIERS
@pytest.mark.parametrize("kind", ["all alike", "a class", "at random"])
def test_repetitions_choose_what_weights_choose(make, kind, continuous):
    X, y = continuous
    k = times(kind, y)
    weighted = make().fit(X, y, sample_weight=k)
    order = np.random.default_rng(2).permutation(k.sum())
    repeated = make().fit(np.repeat(X, k, axis=0)[order], np.repeat(y, k)[order])
    np.testing.assert_allclose(chosen(repeated), chosen(weighted), rtol=1e-6)
    new = X + 0.1
    if make is KernelRidgeClassifierCV:
        values = (machine.decision_function(new) for machine in (repeated, weighted))
    else:
        values = (machine.predict_proba(new) for machine in (repeated, weighted))
    np.testing.assert_allclose(*values, atol=1e-6)


@CLASSIFIERS
def test_rows_that_repeat_by_chance_are_left_out_one_by_one(make, few_values):
    X, y = few_values
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        once = make().fit(X, y)
        twice = make().fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(chosen(twice), chosen(once), rtol=1e-6)
    merged = merged_rows(X, y, np.ones(y.size), "")
    assert merged.draws.sum() == y.size > merged.draws.size


def test_balancing_by_repetition_does_not_flatter():
    """Rows of the rare class drawn until the classes are equal, as oversampling does."""
    X, y = make_moons((150, 30), noise=0.5, random_state=0)
    rare = np.flatnonzero(y == 1)
    more = np.random.default_rng(0).choice(rare, 120)
    X_more, y_more = np.vstack([X, X[more]]), np.append(y, y[more])
    machine, plain = TunedSVC().fit(X_more, y_more), TunedSVC(class_weight="balanced").fit(X, y)
    new, labels = make_moons((1000, 1000), noise=0.5, random_state=1)
    assert machine.score(new, labels) > plain.score(new, labels) - 0.05
    assert machine.loo_score_ < machine.score(new, labels) + 0.1


def test_a_class_of_many_copies_among_few_values_is_reported(few_values):
    X, y = few_values
    # In the larger class a third of the rows are distinct already; the other one is oversampled.
    rows = np.concatenate([np.unique(X[y == 0], axis=0), X[y == 0][:6], np.repeat(X[y == 1], 9, 0)])
    labels = np.repeat([0, 1], [len(rows) - 9 * (y == 1).sum(), 9 * (y == 1).sum()])
    rows, labels = np.delete(rows, -1, axis=0), labels[:-1]  # no common divisor
    with pytest.warns(UserWarning, match=r"\d+% of the rows of one class repeat .*class_weight"):
        TunedSVC().fit(rows, labels)


def test_order_and_weights_of_merged_rows():
    X, codes = np.array([[1.0], [0.0], [1.0], [-0.0], [5.0]]), np.array([1, 0, 1, 0, 1])
    merged = merged_rows(X, codes, np.array([1.0, 2.0, 1.0, 2.0, 0.0]), "")
    np.testing.assert_array_equal(merged.group, [1, 0, 1, 0, -1])
    np.testing.assert_array_equal(merged.first, [1, 0])
    np.testing.assert_array_equal(merged.draws, [2.0, 2.0])  # of one distinct row nobody can tell
    np.testing.assert_allclose(merged.counts, [8.0 / 3.0, 4.0 / 3.0])
    np.testing.assert_array_equal(merged.at_rows(np.array([3.0, 7.0])), [7, 3, 7, 3, np.nan])
