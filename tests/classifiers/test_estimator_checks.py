"""Every estimator of ours keeps scikit-learn's contract; every name in `ESTIMATORS` is found."""

import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
from sklearn.utils.estimator_checks import check_param_validation, parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

import ensvm
from ensvm import LeveragedVectorMachine, RhoSVC, WeightedNuSVC
from ensvm.classifiers import CLASSIFIERS, ESTIMATORS, EXPERIMENTS

OURS = [*CLASSIFIERS, *EXPERIMENTS]
FEW: dict[str, dict[str, Any]] = {
    "AdaBoost": {"n_estimators": 3},
    "BiasVariance": {"n_replicates": 4},
    "BoostedSVM": {"n_rounds": 4},
    "DecisionMap": {"n_grid": 3},
    "LowRankRidgeClassifier": {"low_rank": 12},
    "MixedKernelAdaBoost": {"n_estimators": 2, "max_samples": 40, "random_state": 0},
    "MixedKernelBagging": {"n_estimators": 2, "max_samples": 25, "scale": "machine"},
    "VarianceComponents": {"n_replicates": 3},
}
WEIGHTS: dict[str, str] = {
    "LinearSMO": "the optimum is found to tol, so weights are repeated rows to tol",
    **dict.fromkeys(
        ("BoostedSVM", "EditingSVC", "WeakenedSVC", "WeightedNuSVC"),
        "weights are margins asked for: weight 0 still acts, weight 2 is not a repetition",
    ),
}


def made(name: str) -> Any:
    module, _, attribute = ESTIMATORS[name].partition(":")
    return getattr(import_module(module), attribute)(**FEW.get(name, {}))


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that ask for what the method does not promise, each with the reason."""
    reason = WEIGHTS.get(type(estimator).__name__)
    kinds = ("dense", "sparse") if reason else ()
    return {f"check_sample_weight_equivalence_on_{kind}_data": str(reason) for kind in kinds}


# Checks that allow few steps, or rows that no machine of a method separates, make it warn.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        *map(made, OURS),
        # What changes how the input is handled: a Gram matrix, a low-rank factor.
        RhoSVC(low_rank=12),
        LeveragedVectorMachine("precomputed", n_rounds=20),
        WeightedNuSVC("precomputed", max_iter=20_000),
    ],
    expected_failed_checks=expected_failures,
)
def test_estimator_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", OURS)
def test_parameters_out_of_range_are_refused_by_name(name: str) -> None:
    check_param_validation(name, made(name))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_name_leads_to_its_class(name: str) -> None:
    found = made(name)
    assert type(found).__name__ == name
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(found)


def test_the_package_exports_its_classifiers() -> None:
    namespace: dict[str, Any] = {}
    exec("from ensvm import *", namespace)
    assert {*CLASSIFIERS} <= {*ensvm.__all__} <= {*namespace}
    for name in CLASSIFIERS:
        assert getattr(ensvm, name).__name__ == name
        assert name in dir(ensvm)
    with pytest.raises(AttributeError, match="no attribute 'Boosting'"):
        ensvm.Boosting  # noqa: B018


def test_importing_the_package_imports_no_numerics() -> None:
    code = (
        "import sys, ensvm; "
        "sys.exit(any(name in sys.modules for name in ('numpy', 'scipy', 'sklearn')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
