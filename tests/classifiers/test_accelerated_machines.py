"""The rho-SVM and its ensemble by accelerated descent, with hard and soft margins."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from ensvm import PartiallyTrainedEnsemble, ParzenWindowClassifier, RhoSVC

MACHINES = pytest.mark.parametrize("make", [RhoSVC, PartiallyTrainedEnsemble])


def moons(noise: float = 0.1, m: int = 120) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return make_moons(m, noise=noise, random_state=0)


def test_its_machine_is_that_of_algorithm_1() -> None:
    X, y = moons()
    paper = RhoSVC(gamma=2.0, tol=1e-6, max_iter=100_000).fit(X, y)
    fast = RhoSVC(gamma=2.0, tol=1e-5, solver="accelerated").fit(X, y)
    assert fast.stop_reason_ == "gap_below_tol"
    assert fast.converged_
    assert fast.certificate_ <= 1e-5 * fast.lower_bound_
    assert fast.lower_bound_ <= paper.objective_
    assert paper.lower_bound_ <= fast.objective_
    np.testing.assert_allclose(
        fast.decision_function(X), paper.decision_function(X), atol=0.02 * paper.objective_
    )


@MACHINES
def test_nu_of_1_is_the_parzen_window(make: Any) -> None:
    X, y = moons()
    window = ParzenWindowClassifier(gamma=2.0).fit(X, y).decision_function(X)
    soft = make(gamma=2.0, solver="accelerated", nu=1.0).fit(X, y).decision_function(X)
    np.testing.assert_allclose(soft / np.abs(soft).max(), window / np.abs(window).max(), atol=1e-9)


@MACHINES
@pytest.mark.parametrize("copies", [1, 2])
def test_no_weight_is_above_the_bound_of_nu(make: Any, copies: int) -> None:
    X, y = moons(0.4)
    X, y = np.tile(X, (copies, 1)), np.tile(y, copies)
    fitted = make(gamma=2.0, solver="accelerated", nu=0.4).fit(X, y)
    bound = 1.0 / (0.4 * len(y))
    assert fitted.weights_.max() == pytest.approx(bound)
    assert fitted.weights_.sum() == pytest.approx(1.0)
    if make is PartiallyTrainedEnsemble:
        assert fitted.member_weights_.max() <= bound * (1.0 + 1e-9)


def test_the_soft_margin_is_the_mean_of_the_share_nu_of_the_least() -> None:
    X, y = moons(0.4)
    fitted = RhoSVC(gamma=2.0, solver="accelerated", nu=0.25, tol=1e-4).fit(X, y)
    margins = np.sort((2 * y - 1) * fitted.decision_function(X)) / np.sqrt(fitted.objective_)
    assert margins[:30].mean() ** 2 == pytest.approx(fitted.lower_bound_, rel=1e-3)


@MACHINES
@pytest.mark.parametrize("low_rank", [None, 25])
def test_what_it_says_of_its_steps(make: Any, low_rank: int | None) -> None:
    X, y = moons(0.3)
    settings: dict[str, Any] = {"gamma": 2.0, "solver": "accelerated", "nu": 0.1}
    fitted = make(low_rank=low_rank, random_state=0, **settings).fit(X, y)
    assert fitted.objective_path_.shape == (fitted.n_iter_ + 1,)
    assert np.all(np.diff(fitted.objective_path_) <= 0.0)
    if make is PartiallyTrainedEnsemble:
        stages = list(fitted.staged_decision_function(X))
        assert len(stages) == fitted.n_estimators_ == fitted.n_iter_
        np.testing.assert_allclose(stages[-1], fitted.decision_function(X), atol=1e-12)
        assert fitted.learning_rates_.min() > 0.0


def test_a_run_cut_short_warns() -> None:
    X, y = moons(0.3)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        RhoSVC(gamma=2.0, solver="accelerated", nu=0.2, max_iter=3).fit(X, y)


def test_a_soft_margin_needs_the_solver_that_has_one() -> None:
    X, y = moons()
    with pytest.raises(ValueError, match="nu needs solver='accelerated'"):
        RhoSVC(nu=0.5).fit(X, y)


def test_a_soft_margin_of_0_is_told() -> None:
    X = np.array([[0.0], [1.0]] * 2)
    with pytest.warns(ConvergenceWarning, match="at nu = 0.5 the objective is 0.*Raise nu"):
        RhoSVC(kernel="linear", solver="accelerated", nu=0.5).fit(X, [0, 0, 1, 1])
