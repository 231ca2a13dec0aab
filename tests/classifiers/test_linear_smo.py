"""The linear support vector machine: LIBSVM's decisions and what a fit says of itself."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ensvm.classifiers.linear_smo import LinearSMO


def overlapping(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[Any]]:
    X = np.random.default_rng(seed).normal(size=(80, 3))
    return X, np.where(X[:, 0] + np.random.default_rng(seed + 1).normal(size=80) > 0.0, "b", "a")


def test_what_a_fit_leaves_belongs_together() -> None:
    X, y = overlapping()
    fitted = LinearSMO(C=2.0, tol=1e-6).fit(X, y)
    signs = np.where(y == "b", 1.0, -1.0)
    w = fitted.coef_[0]
    np.testing.assert_allclose(w, (fitted.alpha_ * signs) @ X, atol=1e-9)
    assert fitted.margin_ == pytest.approx(2.0 / np.linalg.norm(w))
    assert fitted.soft_error_ == pytest.approx(
        np.maximum(1.0 - signs * fitted.decision_function(X), 0.0).sum()
    )
    primal = 0.5 * w @ w + 2.0 * fitted.soft_error_
    assert fitted.objective_ == pytest.approx(primal, rel=1e-5)
    np.testing.assert_array_equal(fitted.support_, np.flatnonzero(fitted.alpha_ > 0.0))
    assert fitted.converged_
    assert fitted.certificate_ <= 1e-6


def test_a_run_cut_short_warns_and_says_so() -> None:
    with pytest.warns(
        ConvergenceWarning,
        match=r"LinearSMO stopped after 2 pairs with a KKT residual of .* > 0.001",
    ):
        fitted = LinearSMO(max_iter=2).fit(*overlapping())
    assert (fitted.converged_, fitted.n_iter_) == (False, 2)
