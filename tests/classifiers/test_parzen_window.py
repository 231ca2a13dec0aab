"""The Parzen window: every training row votes with the same weight."""

import numpy as np

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
