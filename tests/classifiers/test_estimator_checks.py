"""Every classifier of ours keeps scikit-learn's contract; every name in `ESTIMATORS` is found."""

import subprocess
import sys
from importlib import import_module
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

import ensvm
from ensvm import PartiallyTrainedEnsemble, ParzenWindowClassifier, RhoSVC
from ensvm.classifiers import CLASSIFIERS, ESTIMATORS

OURS = [ParzenWindowClassifier, RhoSVC, PartiallyTrainedEnsemble]


def undetermined(estimator: Any) -> dict[str, str]:
    """Return the checks that ask for what rounding decides, each with the reason."""
    if not isinstance(estimator, RhoSVC) or estimator.kernel != "precomputed":
        return {}
    why = "no plane through the origin separates the rows: at rho* = 0 rounding decides the classes"
    return {"check_classifiers_train": why}


# One check hands over an indefinite "Gram matrix", where no more can be asked than the warning.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        *(make(kernel=kernel) for make in OURS for kernel in ("rbf", "precomputed")),
        *(
            make(low_rank=rank)
            for make in (RhoSVC, PartiallyTrainedEnsemble)
            for rank in (12, 0.05)
        ),
        PartiallyTrainedEnsemble(low_rank=12, low_rank_method="greedy"),
    ],
    expected_failed_checks=undetermined,
)
def test_estimator_check(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_name_leads_to_its_classifier(name: str) -> None:
    module, _, attribute = ESTIMATORS[name].partition(":")
    found = getattr(import_module(module), attribute)
    assert found.__name__ == name
    with pytest.raises(ValueError, match="not fitted"):
        check_is_fitted(found())


def test_the_package_exports_its_classifiers() -> None:
    namespace: dict[str, Any] = {}
    exec("from ensvm import *", namespace)
    assert set(ensvm.__all__) <= set(namespace)
    assert set(CLASSIFIERS) <= set(ESTIMATORS)
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
