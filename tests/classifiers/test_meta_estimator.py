"""Copies of a base estimator: their seeds."""

import numpy as np
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from ensvm.classifiers.meta_estimator import seeded_clone


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
