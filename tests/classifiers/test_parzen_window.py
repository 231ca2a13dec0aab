"""The Parzen window: every training row votes with the same weight."""

import numpy as np
from sklearn.neighbors import KernelDensity

from ensvm import ParzenWindowClassifier
from ensvm.kernels import gram


def test_decision_is_the_mean_signed_kernel() -> None:
    generator = np.random.default_rng(0)
    X, new = generator.normal(size=(40, 3)), generator.normal(size=(9, 3))
    y = np.where(X[:, 0] > 0.0, 1, -1)
    fitted = ParzenWindowClassifier(gamma=0.5).fit(X, y)
    expected = np.mean(y * gram(new, X, kernel="rbf", gamma=0.5), axis=1)
    np.testing.assert_allclose(fitted.decision_function(new), expected, rtol=1e-12)
    assert np.array_equal(fitted.weights_, np.full(40, 1 / 40))
    assert fitted.certificate_ == 0.0


def test_probabilities_are_those_of_the_estimated_densities() -> None:
    generator = np.random.default_rng(0)
    X, new = generator.normal(size=(60, 2)), generator.normal(size=(9, 2))
    y = np.where(X[:, 0] > 0.4, "yes", "no")
    fitted = ParzenWindowClassifier(gamma=2.0).fit(X, y)
    # exp(-gamma d^2) is the density of the normal distribution of variance 1 / (2 gamma)
    joint = [
        np.exp(KernelDensity(bandwidth=0.5).fit(X[y == label]).score_samples(new))
        * np.mean(y == label)
        for label in fitted.classes_
    ]
    found = fitted.predict_proba(new)
    np.testing.assert_allclose(found[:, 1], joint[1] / np.sum(joint, axis=0), rtol=1e-9)
    np.testing.assert_array_equal(fitted.classes_[found.argmax(axis=1)], fitted.predict(new))
    np.testing.assert_array_equal(fitted.predict_proba([[1e3, 1e3]]), [[0.5, 0.5]])
    assert not hasattr(ParzenWindowClassifier(kernel="linear"), "predict_proba")
