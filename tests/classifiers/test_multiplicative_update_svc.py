"""The multiplicative update at a fixed rate: what a fit says of itself; runs that end badly."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from small_problems import noisy_rows

from ensvm import MultiplicativeUpdateSVC, RhoSVC
from ensvm.kernels import gram
from ensvm.solvers.multiplicative_update import multiplicative_update


def test_fit_is_the_solver_on_the_simplex() -> None:
    X, y = noisy_rows(d=4, noise=0.0)
    with pytest.warns(
        ConvergenceWarning, match=r"MultiplicativeUpdateSVC stopped after 30 steps \(max_iter\)"
    ):
        fitted = MultiplicativeUpdateSVC(gamma=0.3, learning_rate=0.05, max_iter=30).fit(X, y)
    K = gram(X, kernel="rbf", gamma=0.3)
    result = multiplicative_update(K, y, learning_rate=0.05, max_iter=30)
    np.testing.assert_allclose(fitted.weights_, result.weights / result.weights.sum(), rtol=1e-14)
    assert fitted.objective_ == result.simplex_objectives[-1]
    assert fitted.objective_ == pytest.approx(
        (y * fitted.weights_) @ K @ (y * fitted.weights_), rel=1e-12
    )
    assert fitted.dual_objective_ == result.objective
    assert fitted.certificate_ == result.certificate
    assert (fitted.n_iter_, fitted.overshoot_, fitted.converged_) == (30, 0, False)
    np.testing.assert_allclose(
        fitted.decision_function(X), K @ (y * fitted.weights_), rtol=1e-10, atol=1e-14
    )


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "make", [RhoSVC(max_iter=25), MultiplicativeUpdateSVC(max_iter=25), RhoSVC(max_iter=10_000)]
)
def test_path_runs_from_the_centre_of_the_simplex_to_the_objective(make: Any) -> None:
    X, y = noisy_rows(d=4, noise=0.0)
    fitted = make.fit(X, y)
    K = gram(X, kernel="rbf", gamma=fitted.gamma_)
    assert fitted.objective_path_.shape == (fitted.n_iter_ + 1,)
    assert fitted.objective_path_[0] == pytest.approx(y @ K @ y / y.size**2, rel=1e-12)
    assert fitted.objective_path_[-1] == fitted.objective_
    assert all(after <= before for before, after in pairwise(fitted.objective_path_))


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_too_large_a_rate_says_when_it_overshot_and_leaves_a_usable_machine(kind: type) -> None:
    X, y = noisy_rows(d=4, noise=0.0)
    with pytest.warns(ConvergenceWarning, match="diverged"):
        fitted = MultiplicativeUpdateSVC(learning_rate=2.0).fit(X.astype(kind), y)
    assert 0 < fitted.overshoot_ <= fitted.n_iter_
    assert fitted.objective_ == np.nanmin(fitted.objective_path_) < fitted.objective_path_[-1]
    assert fitted.weights_.sum() == pytest.approx(1.0)
    assert np.isfinite(fitted.decision_function(X.astype(kind))).all()


def test_weights_that_all_underflow_are_not_kept() -> None:
    # Every (K~b)_i is about a million, so the first step takes all of b to exp(-10000) = 0.
    X, y = np.array([[1e3], [-1e3], [2e3], [-2e3]]), [1, -1, 1, -1]
    with pytest.warns(ConvergenceWarning):
        fitted = MultiplicativeUpdateSVC(kernel="linear", max_iter=5).fit(X, y)
    assert np.isnan(fitted.objective_path_[1:]).all()
    assert fitted.objective_ == fitted.objective_path_[0]
    assert np.array_equal(fitted.weights_, np.full(4, 0.25))
    assert fitted.predict(X).tolist() == y
