"""What holds for every classifier that is one kernel expansion."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.multiclass import OneVsRestClassifier
from small_problems import noisy_rows

from ensvm import (
    MultiplicativeUpdateSVC,
    PartiallyTrainedEnsemble,
    ParzenWindowClassifier,
    RhoSVC,
    WeightedNuSVC,
)
from ensvm.kernels import gram, resolve_gamma

OURS = pytest.mark.parametrize("make", [ParzenWindowClassifier, RhoSVC, PartiallyTrainedEnsemble])
KERNELS = pytest.mark.parametrize(
    "params",
    [
        {"kernel": "rbf"},
        {"kernel": "rbf", "gamma": 0.3},
        {"kernel": "poly", "gamma": "scale", "degree": 2, "coef0": 1.0},
        {"kernel": "linear"},
        {"kernel": lambda X, Y: np.exp(-np.abs(X[:, None] - Y[None]).sum(axis=2))},
    ],
    ids=["rbf", "width", "poly", "linear", "callable"],
)


def blobs(seed: int = 0, m: int = 50) -> tuple[NDArray[np.float64], NDArray[np.str_]]:
    """Return two overlapping clouds on either side of the origin, with labels 'no' and 'yes'."""
    generator = np.random.default_rng(seed)
    y = generator.permutation(np.arange(m) % 2)
    return generator.normal(size=(m, 4)) + 3.0 * (2 * y[:, None] - 1), np.array(["no", "yes"])[y]


@OURS
@KERNELS
def test_decision_function_is_the_expansion(make: Any, params: dict[str, Any]) -> None:
    (X, y), (new, _) = blobs(), blobs(1, 70)
    fitted = make(**params).fit(X, y)
    used = {name: value for name, value in params.items() if name not in ("kernel", "gamma")}
    if fitted.gamma_ is not None:
        used["gamma"] = fitted.gamma_
    if isinstance(params["kernel"], str):
        values = pairwise_kernels(new, X[fitted.support_], metric=params["kernel"], **used)
    else:
        values = params["kernel"](new, X[fitted.support_])
    expected = values @ fitted.dual_coef_
    np.testing.assert_allclose(fitted.decision_function(new), expected, rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(fitted.predict(new), np.where(expected > 0.0, "yes", "no"))
    signs = np.where(y == "yes", 1.0, -1.0)
    assert np.array_equal(np.sign(fitted.dual_coef_), signs[fitted.support_])
    assert np.abs(fitted.dual_coef_).sum() == pytest.approx(1.0, abs=1e-12)
    assert fitted.weights_.sum() == pytest.approx(1.0, abs=1e-12)
    assert fitted.certificate_ >= 0.0
    assert fitted.intercept_ == 0.0


@OURS
def test_a_tie_is_negative(make: Any) -> None:
    fitted = make(kernel="linear").fit([[1.0], [-1.0]], ["yes", "no"])
    assert fitted.decision_function([[0.0]]) == 0.0
    assert fitted.predict([[0.0]]) == "no"


@pytest.mark.parametrize("make", [ParzenWindowClassifier, RhoSVC])
def test_more_classes_are_refused_and_left_to_one_against_the_rest(make: Any) -> None:
    X, _ = blobs()
    y = np.arange(50) % 3
    X = X + 8.0 * np.eye(4)[y]
    with pytest.raises(ValueError, match=r"Only binary.*OneVsRestClassifier"):
        make().fit(X, y)
    assert OneVsRestClassifier(make()).fit(X - X.mean(axis=0), y).score(X - X.mean(axis=0), y) > 0.8


@OURS
def test_width_is_resolved_on_the_training_rows_and_absent_where_unused(make: Any) -> None:
    X, y = blobs()
    for gamma in ("mean-distance", "scale", "auto", 0.25):
        assert make(gamma=gamma).fit(X, y).gamma_ == resolve_gamma(gamma, X)
    estimator = make().fit(X, y)
    assert clone(estimator).set_params(kernel="linear").fit(X, y).gamma_ is None


def test_decision_is_the_mean_signed_kernel() -> None:
    generator = np.random.default_rng(0)
    X, new = generator.normal(size=(40, 3)), generator.normal(size=(9, 3))
    y = np.where(X[:, 0] > 0.0, 1, -1)
    fitted = ParzenWindowClassifier(gamma=0.5).fit(X, y)
    expected = np.mean(y * gram(new, X, kernel="rbf", gamma=0.5), axis=1)
    np.testing.assert_allclose(fitted.decision_function(new), expected, rtol=1e-12)
    assert np.array_equal(fitted.weights_, np.full(40, 1 / 40))
    assert fitted.certificate_ == 0.0


@pytest.mark.parametrize(
    "machine",
    [
        RhoSVC(max_iter=2, solver="algorithm-1", nu=None),
        WeightedNuSVC(max_iter=2),
        MultiplicativeUpdateSVC(max_iter=2),
    ],
)
def test_a_run_cut_short_warns_and_says_so(machine: Any) -> None:
    X, y = noisy_rows(d=4, noise=0.0)
    message = rf"{type(machine).__name__} stopped after 2 steps \(max_iter\)"
    with pytest.warns(ConvergenceWarning, match=message):
        machine.fit(X, y)
    assert (machine.converged_, machine.n_iter_) == (False, 2)
