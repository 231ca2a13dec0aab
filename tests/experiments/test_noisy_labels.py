"""Training labels turned at random: how many, which, and what is left alone."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from ensvm.classifiers.parzen_window import ParzenWindowClassifier
from ensvm.experiments.noisy_labels import NoisyLabels


def problem(m: int = 100) -> tuple[NDArray[np.float64], NDArray[Any]]:
    X = np.random.default_rng(0).normal(size=(m, 2))
    return X, np.where(X[:, 0] > 0.0, "up", "down")


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.25, 1.0])
def test_the_labels_turned_are_those_the_estimator_is_taught_wrong(noise: float) -> None:
    X, y = problem()
    before = y.copy()
    fitted = NoisyLabels(KNeighborsClassifier(1), noise=noise, random_state=3).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(fitted.predict(X) != y), fitted.turned_)
    assert fitted.turned_.size == round(noise * 100)
    np.testing.assert_array_equal(y, before)


def test_the_noise_is_the_same_for_every_estimator_and_grows_with_its_share() -> None:
    X, y = problem()
    turned = [
        set(NoisyLabels(base, noise=noise, random_state=7).fit(X, y).turned_)
        for base in (GaussianNB(), RandomForestClassifier(2))
        for noise in (0.1, 0.3)
    ]
    assert turned[:2] == turned[2:]
    assert turned[0] < turned[1]


def test_without_noise_it_is_the_estimator() -> None:
    X, y = problem()
    np.testing.assert_array_equal(
        NoisyLabels(GaussianNB()).fit(X, y).predict(X), GaussianNB().fit(X, y).predict(X)
    )


def test_noise_that_leaves_one_class_is_refused() -> None:
    with pytest.raises(
        ValueError, match=r"noise = 0.5 turns the labels of 2 rows so that one class is left"
    ):
        NoisyLabels(noise=0.5).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("base", [KNeighborsClassifier(1), SVC(C=1e6, gamma=100.0)])
@pytest.mark.parametrize("n_classes", [3, 5])
def test_labels_of_several_classes_are_flipped_once_and_to_each_other_class(
    base: Any, n_classes: int
) -> None:
    """A machine that repeats what it was taught repeats each wrong label."""
    X, _ = problem(300)
    y = np.random.default_rng(1).integers(0, n_classes, 300)
    fitted = NoisyLabels(base, noise=0.4, random_state=3).fit(X, y)
    taught = fitted.predict(X)
    np.testing.assert_array_equal(np.flatnonzero(taught != y), fitted.turned_)
    assert fitted.turned_.size == 120
    pairs = set(zip(y[fitted.turned_], taught[fitted.turned_], strict=True))
    assert len(pairs) == n_classes * (n_classes - 1)


def test_an_estimator_for_two_classes_learns_the_same_flipped_labels() -> None:
    X, _ = problem(300)
    y = np.random.default_rng(1).integers(0, 3, 300)
    machines = (ParzenWindowClassifier(gamma=1e6), KNeighborsClassifier(1))
    first, second = (NoisyLabels(one, noise=0.4, random_state=3).fit(X, y) for one in machines)
    np.testing.assert_array_equal(first.turned_, second.turned_)
    np.testing.assert_array_equal(np.flatnonzero(first.predict(X) != y), first.turned_)
