"""Copies of a base estimator: their seeds, and what they do not pass on."""

import numpy as np
import pytest
import sklearn
from sklearn.ensemble import BaggingClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from ensvm import AdaBoost
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


def test_requests_of_the_base_estimator_are_refused_as_scikit_learn_does() -> None:
    rows, labels = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    with sklearn.config_context(enable_metadata_routing=True):
        base = DecisionTreeClassifier(max_depth=1).set_fit_request(sample_weight=True)
        boosted = AdaBoost(base, n_estimators=2)
        assert boosted.fit(rows, labels, sample_weight=np.ones(8)).score(rows, labels) == 1.0
        with pytest.raises(NotImplementedError, match="AdaBoost has not implemented metadata"):
            boosted.get_metadata_routing()
