"""The hard-margin rho-SVM: what the fit says of itself, and when it warns."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils._param_validation import InvalidParameterError

from ensvm import RhoSVC
from ensvm.kernels import gram
from ensvm.solvers.entropy_projection import entropy_projection


def separable(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    X = np.random.default_rng(seed).normal(size=(60, 4))
    return X, np.where(X[:, 0] > 0.0, 1, -1)


def test_fit_is_algorithm_1_and_keeps_what_it_proved() -> None:
    X, y = separable()
    fitted = RhoSVC(gamma=0.3, tol=0.01, initial_tol=0.2).fit(X, y)
    result = entropy_projection(gram(X, kernel="rbf", gamma=0.3), y, tol=0.01, initial_tol=0.2)
    assert np.array_equal(fitted.weights_, result.weights)
    assert fitted.objective_ == result.objective
    assert fitted.lower_bound_ == result.lower_bound
    assert fitted.certificate_ == fitted.objective_ - fitted.lower_bound_
    assert isinstance(fitted.certificate_, float)
    assert fitted.n_iter_ == result.n_iter
    assert (fitted.converged_, fitted.stop_reason_) == (True, "epsilon_below_tol")


@pytest.mark.parametrize("seed", range(3))
def test_margin_is_that_of_a_hard_margin_machine(seed: int) -> None:
    # Mirrored data make the hyperplane of the machine with a bias pass through the origin.
    X, y = separable(seed)
    X, y = np.vstack([X, -X]), np.hstack([y, -y])
    fitted = RhoSVC(kernel="linear", tol=1e-6).fit(X, y)
    machine = SVC(kernel="linear", C=1e6, tol=1e-6).fit(X, y)
    margin = 1.0 / np.linalg.norm(machine.coef_)
    assert fitted.lower_bound_ <= margin**2 * (1.0 + 1e-4)
    assert fitted.objective_ == pytest.approx(margin**2, rel=0.01)


def test_negligible_weights_leave_the_expansion_but_not_the_simplex() -> None:
    X = np.array([[1.0], [-1.0], [40.0], [-40.0]])
    fitted = RhoSVC(kernel="linear", learning_rate=0.1, tol=1e-13).fit(X, [1, -1, 1, -1])
    assert fitted.support_.tolist() == [0, 1]
    assert fitted.weights_.shape == (4,)
    assert fitted.weights_.min() > 0.0
    assert fitted.X_fit_.shape == (2, 1)


def test_a_run_cut_short_warns_and_says_so() -> None:
    X, y = separable()
    with pytest.warns(ConvergenceWarning, match=r"RhoSVC stopped after 2 steps \(max_iter\)"):
        fitted = RhoSVC(max_iter=2).fit(X, y)
    assert not fitted.converged_
    assert fitted.n_iter_ == 2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_fixed_rate_is_handed_on() -> None:
    X, y = separable()
    fitted = RhoSVC(gamma=0.3, learning_rate=0.5, max_iter=20).fit(X, y)
    K = gram(X, kernel="rbf", gamma=0.3)
    assert np.array_equal(fitted.weights_, entropy_projection(K, y, learning_rate=0.5, max_iter=20).weights)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tol", -0.1),
        ("tol", 0.0),
        ("initial_tol", 0.0),
        ("learning_rate", "fast"),
        ("learning_rate", 0.0),
        ("max_iter", 0),
        ("max_iter", 2.5),
    ],
)
def test_parameters_out_of_range(name: str, value: Any) -> None:
    with pytest.raises(InvalidParameterError, match=f"The '{name}' parameter of RhoSVC must be"):
        RhoSVC(**{name: value})._validate_params()


def test_tolerances_must_be_in_order() -> None:
    with pytest.raises(ValueError, match="initial_tol must be at least tol"):
        RhoSVC(tol=0.2).fit(*separable())
