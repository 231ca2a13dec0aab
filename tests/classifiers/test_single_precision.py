"""float32 rows make the machine of the same rows in float64; a float32 Gram matrix nearly so."""

import inspect
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

import ensvm
from ensvm import WeightedNuSVC
from ensvm.classifiers import CLASSIFIERS
from ensvm.kernels import gram

SINGLE_ROUNDING = float(np.finfo(np.float32).eps) / 2.0  # of one kernel value, at most


def made(name: str, **parameters: Any) -> Any:
    """Return an estimator with a fixed seed, and those of the parameters that it knows."""
    make = getattr(ensvm, name)
    known = inspect.signature(make).parameters
    return make(**{k: v for k, v in {"random_state": 0, **parameters}.items() if k in known})


def takes_gram(name: str) -> bool:
    return bool(get_tags(made(name, kernel="precomputed")).input_tags.pairwise)


def rows(noise: float, m: int = 150) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    X, y = make_moons(m, noise=noise, random_state=0)
    return X.astype(np.float32), y


# Methods that count their rounds or steps say so where they end, in either precision.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("noise", [0.1, 0.3])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_rows_of_either_precision_make_the_same_machine(
    name: str, container: Any, noise: float
) -> None:
    if container is not np.asarray and not get_tags(made(name)).input_tags.sparse:
        pytest.skip("takes no sparse rows")
    X, y = rows(noise)
    single, double = (made(name).fit(container(X.astype(t)), y) for t in ("f4", "f8"))
    np.testing.assert_array_equal(single.predict(container(X)), double.predict(container(X)))
    for attribute in ("converged_", "stop_reason_", "n_iter_", "objective_", "certificate_"):
        assert getattr(single, attribute, None) == getattr(double, attribute, None)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", [name for name in CLASSIFIERS if takes_gram(name)])
def test_a_gram_matrix_of_either_precision_predicts_the_same_where_classes_are_apart(
    name: str,
) -> None:
    X, y = rows(0.1)
    K = gram(X, kernel="rbf", gamma=2.0)
    double, single = (made(name, kernel="precomputed").fit(K.astype(t), y) for t in ("f8", "f4"))
    np.testing.assert_array_equal(single.predict(K), double.predict(K))
    assert getattr(single, "converged_", True) == getattr(double, "converged_", True)


@pytest.mark.parametrize("m", [100, 150, 300])
@pytest.mark.parametrize("noise", [0.2, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_a_float32_gram_matrix_costs_the_nu_svm_no_more_than_its_rounding(
    m: int, noise: float, seed: int
) -> None:
    X, y = make_moons(m, noise=noise, random_state=seed)
    double = WeightedNuSVC(nu=0.1).fit(X, y)
    K = gram(X, kernel="rbf", gamma=double.gamma_)
    single = WeightedNuSVC("precomputed", nu=0.1).fit(K.astype(np.float32), y)
    assert single.converged_
    sizes = [machine.weights_.sum() for machine in (single, double)]
    squares = max(machine.weights_ @ machine.weights_ for machine in (single, double))
    # |a'(K' - K)a| / 2 for K' rounded and with the ridge
    change = 0.5 * SINGLE_ROUNDING * (max(sizes) ** 2 + 2.0 * np.sqrt(m) * squares)
    assert single.objective_ - single.certificate_ <= double.objective_ + change
    assert double.objective_ - double.certificate_ <= single.objective_ + change
    assert single.score(K, y) >= double.score(X, y) - 0.05


def test_a_float32_gram_matrix_that_separates_nothing_says_so() -> None:
    K, y = np.ones((6, 6), np.float32), [0, 0, 0, 1, 1, 1]
    with pytest.warns(ConvergenceWarning, match="rho = 0"):
        machine = WeightedNuSVC("precomputed", nu=0.3).fit(K, y)
    assert machine.stop_reason_ == "gap_below_rounding"
