"""Copies of a base estimator: their seeds, and trees on rows that are checked once."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, ExtraTreeClassifier

from ensvm.classifiers.adaboost import AdaBoost
from ensvm.classifiers.meta_estimator import SeededCopies, SharedRows, seeded_clone
from ensvm.experiments.bias_variance import BiasVariance


def test_every_seed_within_is_drawn_and_the_original_is_left_alone() -> None:
    original = BaggingClassifier(DecisionTreeClassifier(max_depth=2))
    copies = [seeded_clone(original, np.random.RandomState(seed)) for seed in (0, 0, 1)]
    seeds = [(copy.random_state, copy.estimator.random_state) for copy in copies]
    assert seeds[0] == seeds[1] != seeds[2]
    assert len(set(seeds[0])) == 2
    assert all(copy.estimator.max_depth == 2 for copy in copies)
    assert original.random_state is original.estimator.random_state is None


def test_an_estimator_without_seeds_draws_nothing() -> None:
    generator, fresh = np.random.RandomState(3), np.random.RandomState(3)
    seeded_clone(GaussianNB(), generator)
    assert generator.randint(1000) == fresh.randint(1000)


@pytest.mark.parametrize("tree", [DecisionTreeClassifier(max_features=2), ExtraTreeClassifier()])
@pytest.mark.parametrize("weighted", [False, True])
def test_copies_of_a_tree_are_those_that_check_everything_themselves(
    tree: Any, weighted: bool
) -> None:
    X, y = make_classification(80, random_state=3)
    weights = {"sample_weight": np.arange(1.0, 81.0)} if weighted else {}
    rows, copies = SharedRows(X), SeededCopies(tree, np.random.RandomState(5))
    generator = np.random.RandomState(5)
    for _ in range(3):
        ours = copies.fit(copies.new(), rows, y, **weights)
        theirs = seeded_clone(tree, generator).fit(X, y, **weights)
        assert ours.get_params() == theirs.get_params()
        assert vars(ours).keys() == vars(theirs).keys()
        for name in ("threshold", "feature", "value", "impurity", "children_left"):
            np.testing.assert_array_equal(getattr(ours.tree_, name), getattr(theirs.tree_, name))
        np.testing.assert_array_equal(rows.predict(ours), theirs.predict(X))
        part = np.arange(0, 80, 3)
        np.testing.assert_array_equal(rows.take(part).predict(ours), theirs.predict(X[part]))


@pytest.mark.filterwarnings("ignore:overflow encountered in cast")  # scikit-learn's own
def test_copies_of_a_tree_refuse_what_the_tree_refuses() -> None:
    y = np.array([0, 1] * 5)
    for X, tree, message in (
        (np.full((10, 2), 1e300), DecisionTreeClassifier(), "infinity|too large"),
        (np.ones((10, 2)), DecisionTreeClassifier(max_depth=-1), "max_depth"),
    ):
        with pytest.raises(ValueError, match=message):
            BiasVariance(tree, random_state=0).fit(X, y)
        with pytest.raises(ValueError, match=message):
            AdaBoost(tree, random_state=0).fit(X, y)


def test_the_parameters_of_copies_are_checked_after_one_that_fits_a_constant() -> None:
    rows, labels = SharedRows(np.ones((4, 1))), np.array([0, 1, 0, 1])
    copies = SeededCopies(DecisionTreeClassifier(max_depth=-1), np.random.RandomState(0))
    copies.fit(DummyClassifier(), rows, labels)
    with pytest.raises(ValueError, match="max_depth"):
        copies.fit(copies.new(), rows, labels)
