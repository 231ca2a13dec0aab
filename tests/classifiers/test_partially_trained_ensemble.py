"""Partially trained SVMs: the members, the one expansion, the stages."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import Memory
from small_problems import noisy_rows

from ensvm import PartiallyTrainedEnsemble, ParzenWindowClassifier, RhoSVC
from ensvm.classifiers import rho_svc


@pytest.mark.parametrize("kernel", ["rbf", "precomputed"])
@pytest.mark.parametrize("seed", range(3))
def test_stages_run_from_the_parzen_window_to_the_ensemble(seed: int, kernel: str) -> None:
    X, y = noisy_rows(seed, d=4)
    X = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2)) if kernel == "precomputed" else X
    ensemble = PartiallyTrainedEnsemble(kernel=kernel).fit(X, y)
    stages = list(ensemble.staged_decision_function(X))
    parzen = ParzenWindowClassifier(kernel=kernel).fit(X, y)
    assert (
        len(stages) == ensemble.n_estimators_ == ensemble.n_iter_ == len(ensemble.learning_rates_)
    )
    np.testing.assert_allclose(stages[0], parzen.decision_function(X), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(stages[-1], ensemble.decision_function(X), rtol=1e-9, atol=1e-14)
    votes = list(ensemble.staged_predict(X))
    assert all(
        np.array_equal(vote, np.where(stage > 0.0, 1, -1))
        for vote, stage in zip(votes, stages, strict=True)
    )
    assert np.array_equal(votes[-1], ensemble.predict(X))


def test_one_expansion_is_the_mean_of_the_members() -> None:
    X, y = noisy_rows(d=4)
    ensemble = PartiallyTrainedEnsemble().fit(X, y)
    mean = np.average(ensemble.member_weights_, axis=0, weights=ensemble.learning_rates_)
    np.testing.assert_allclose(ensemble.ensemble_weights_, mean, rtol=1e-12)
    assert ensemble.ensemble_weights_.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(
        np.abs(ensemble.dual_coef_), ensemble.ensemble_weights_[ensemble.support_]
    )


# Whether a margin so small is proved, rounding decides: then the rho-SVM alone warns.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_it_says_of_the_optimum_is_the_rho_svms() -> None:
    X, y = noisy_rows(d=4)
    hard = RhoSVC(solver="algorithm-1", nu=None)
    ensemble, machine = PartiallyTrainedEnsemble().fit(X, y), hard.fit(X, y)
    assert np.array_equal(ensemble.weights_, machine.weights_)
    for name in (
        "objective_",
        "lower_bound_",
        "certificate_",
        "n_iter_",
        "converged_",
        "stop_reason_",
    ):
        assert getattr(ensemble, name) == getattr(machine, name)


def test_without_an_accepted_step_it_is_the_parzen_window() -> None:
    X, y = np.eye(4), np.array([1, -1, 1, -1])
    ensemble = PartiallyTrainedEnsemble(kernel="linear").fit(X, y)
    assert (ensemble.n_iter_, ensemble.n_estimators_, ensemble.learning_rates_.size) == (0, 1, 0)
    expected = ParzenWindowClassifier(kernel="linear").fit(X, y).decision_function(X)
    np.testing.assert_array_equal(ensemble.decision_function(X), expected)
    np.testing.assert_array_equal(list(ensemble.staged_decision_function(X)), [expected])


@pytest.mark.filterwarnings("ignore:RhoSVC")
@pytest.mark.parametrize("solver", ["algorithm-1", "accelerated"])
def test_a_remembered_training_serves_both_classes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, solver: Any
) -> None:
    X, y = noisy_rows(d=4)
    trained: list[str] = []
    for name in ("entropy_projection", "accelerated_descent"):
        train = getattr(rho_svc, name)

        def watched(*args: Any, train: Any = train, name: str = name, **settings: Any) -> Any:
            trained.append(name)
            return train(*args, **settings)

        monkeypatch.setattr(rho_svc, name, watched)
    memory = Memory(tmp_path, verbose=0)
    made = [
        cls(solver=solver, nu=None, memory=memory) for cls in (RhoSVC, PartiallyTrainedEnsemble)
    ]
    for machine in made:
        machine.fit(X, y)
    assert len(trained) == 1
    for machine in made:
        fresh = type(machine)(solver=solver, nu=None).fit(X, y)
        for name in ("dual_coef_", "objective_path_", "n_iter_", "certificate_", "stop_reason_"):
            np.testing.assert_array_equal(getattr(machine, name), getattr(fresh, name))
    np.testing.assert_array_equal(made[1].member_weights_, fresh.member_weights_)
    trained.clear()
    RhoSVC(solver=solver, nu=None, tol=0.01, memory=memory).fit(X, y)
    RhoSVC(solver=solver, nu=None, memory=memory).fit(X, -y)
    RhoSVC(solver=solver, nu=None, memory=memory).fit(X + 1e-9 * X**2, y)
    assert len(trained) == 3
