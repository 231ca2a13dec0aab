"""Leveraged vector machines: what a fit says of itself, stages, probabilities, memory of blocks."""

import tracemalloc
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from ensvm.classifiers.leveraged_vector_machine import LeveragedVectorMachine
from ensvm.kernels import gram
from ensvm.solvers.leverage import leverage

BOOSTED = {"loss": "exponential"}
MACHINES = [
    BOOSTED,
    {"loss": "logistic"},
    {**BOOSTED, "penalty": "l1", "gamma0_scale": "sample"},
    {**BOOSTED, "penalty": "l2"},
    {**BOOSTED, "tol_scale": "absolute", "first_round": "granted", "n_passes": 2, "step": 2},
]
EVERY_MACHINE = pytest.mark.parametrize("machine", MACHINES)


def circle(seed: int = 0, m: int = 120) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return the paper's clean data, section 4: half of the points lie within R^2 = 2 ln 2."""
    X = np.random.default_rng(seed).normal(size=(m, 2))
    return X, np.where((X**2).sum(axis=1) <= 2.0 * np.log(2.0), 1, -1)


def noisy(seed: int = 0, m: int = 120) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X, y = circle(seed, m)
    return X, np.where(np.random.default_rng(seed + 1).random(m) < 0.1, -y, y)


@EVERY_MACHINE
def test_fit_is_the_solver(machine: dict[str, Any]) -> None:
    X, y = noisy()
    fitted = LeveragedVectorMachine(
        "poly", gamma=1.0, degree=2, coef0=1.0, n_estimators=40, tol=0.0, **machine
    ).fit(X, y)
    K = gram(X, kernel="poly", gamma=1.0, degree=2, coef0=1.0)
    parameters = {name: value for name, value in machine.items() if name != "gamma0_scale"}
    weight = 0.01 / y.size if "gamma0_scale" in machine else 0.01
    result = leverage(K, y, n_rounds=40, tol=0.0, initial_penalty=weight, **parameters)
    for name, value in vars(result).items():
        ours = {"losses": "train_loss"}.get(name, name)
        assert np.array_equal(getattr(fitted, f"{ours}_"), value), name
    assert np.array_equal(fitted.l1_norms_, np.append(0.0, np.abs(result.alphas).cumsum()))
    assert fitted.n_support_ == len(fitted.support_) == len(np.unique(fitted.rounds_))
    assert isinstance(fitted.certificate_, float)
    assert isinstance(fitted.intercept_, float)
    np.testing.assert_allclose(
        fitted.decision_function(X),
        K @ (y * result.weights) + result.intercept,
        rtol=1e-9,
        atol=1e-12,
    )
    np.testing.assert_array_equal(fitted.dual_coef_, (y * result.weights)[fitted.support_])


@EVERY_MACHINE
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_blocks", [1, 5])
def test_stages_add_one_round_each_and_end_at_the_decision_function(
    machine: dict[str, Any], container: Any, n_blocks: int
) -> None:
    X, y = noisy()
    new = container(np.random.default_rng(5).normal(size=(30, 2)))
    fitted = LeveragedVectorMachine(
        n_estimators=25, n_blocks=n_blocks, random_state=0, **machine
    ).fit(container(X), y)
    values = gram(new, X, kernel="rbf", gamma=fitted.gamma_)
    f, stages = np.zeros(30), list(fitted.staged_decision_function(new))
    assert len(stages) == fitted.n_iter_ > 0
    for j, alpha, beta, stage in zip(
        fitted.rounds_, fitted.alphas_, fitted.betas_, stages, strict=True
    ):
        f += alpha * y[j] * values[:, j] + beta
        np.testing.assert_allclose(stage, f, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(stages[-1], fitted.decision_function(new), rtol=1e-9, atol=1e-10)
    classes = list(fitted.staged_predict(new))
    assert np.array_equal(classes[-1], fitted.predict(new))
    assert all(
        np.array_equal(c, np.where(s > 0.0, 1, -1)) for c, s in zip(classes, stages, strict=True)
    )


def test_probabilities_are_eq_2_and_of_the_logistic_loss_only() -> None:
    X, y = noisy()
    fitted = LeveragedVectorMachine().fit(X, y)
    probabilities = fitted.predict_proba(X)
    f = fitted.decision_function(X)
    np.testing.assert_allclose(
        probabilities[:, 1], np.exp(f) / (np.exp(f) + np.exp(-f)), rtol=1e-12
    )
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-14)
    assert np.array_equal(fitted.classes_[probabilities.argmax(axis=1)], fitted.predict(X))
    assert fitted.train_loss_[-1] == pytest.approx(
        -np.log(probabilities[np.arange(120), (y + 1) // 2]).mean(), rel=1e-9
    )
    assert not hasattr(LeveragedVectorMachine(loss="exponential").fit(X, y), "predict_proba")


def test_blocks_divide_the_peak_of_memory() -> None:
    X, y = noisy(m=1000)
    peaks = []
    for n_blocks in (1, 10):
        classifier = LeveragedVectorMachine(n_estimators=20, n_blocks=n_blocks, random_state=0)
        tracemalloc.start()
        classifier.fit(X, y)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[0] / peaks[1] > 7.0


def test_parameters_that_do_not_go_together() -> None:
    with pytest.raises(
        ValueError, match="penalty='l1' needs loss='exponential', got loss='logistic'"
    ):
        LeveragedVectorMachine(loss="logistic", penalty="l1").fit(*circle())
    with pytest.raises(
        ValueError, match="n_blocks must be at most the number of training rows, 120, got 121"
    ):
        LeveragedVectorMachine(n_blocks=121).fit(*circle())


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
def test_a_least_gain_in_the_sum_is_that_of_the_mean_times_the_rows(loss: Any) -> None:
    X, y = noisy()
    machine: dict[str, Any] = {"kernel": "rbf", "gamma": 1.0, "loss": loss, "n_blocks": 4}
    of_the_sum = LeveragedVectorMachine(tol=0.6, tol_scale="sum", random_state=0, **machine)
    of_the_mean = LeveragedVectorMachine(
        tol=0.6 / y.size, tol_scale="absolute", random_state=0, **machine
    )
    np.testing.assert_array_equal(of_the_sum.fit(X, y).rounds_, of_the_mean.fit(X, y).rounds_)
    assert np.all(-np.diff(of_the_sum.train_loss_) * y.size > 0.6 * (1.0 - 1e-9))


def test_a_gaussian_gram_matrix_of_many_rows_is_float32(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy(m=300)
    double = LeveragedVectorMachine(n_estimators=40).fit(X, y)
    monkeypatch.setattr("ensvm.classifiers.leveraged_vector_machine.SINGLE_PRECISION_ROWS", 300)
    single = LeveragedVectorMachine(n_estimators=40).fit(X, y)
    assert np.array_equal(single.rounds_, double.rounds_)
    assert not np.array_equal(single.alphas_, double.alphas_)
    np.testing.assert_allclose(single.train_loss_, double.train_loss_, rtol=1e-5)
    polynomial = LeveragedVectorMachine("poly", coef0=1.0, n_estimators=3).fit(1e8 * X, y)
    assert np.isfinite(polynomial.train_loss_).all()  # float32 ends at 3e38
