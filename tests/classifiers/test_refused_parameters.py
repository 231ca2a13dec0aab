"""Parameters that no data could make acceptable: `fit` and `ensvm check` refuse the same ones."""

import random
from collections.abc import Iterator
from importlib import import_module
from itertools import combinations
from numbers import Integral
from typing import Any

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from ensvm.classifiers import CLASSIFIERS, ESTIMATORS, EXPERIMENTS
from ensvm.classifiers.sklearn_private import Interval, StrOptions
from ensvm.runner.estimators import EstimatorError, build

OF_OTHER_PACKAGES = {"CatBoost", "TunedLightGBM"}  # which may not be installed
OURS = [name for name in (*CLASSIFIERS, *EXPERIMENTS) if name not in OF_OTHER_PACKAGES]
SMALL = {
    "n_estimators": 3,
    "n_members": 2,
    "n_replicates": 8,
    "max_samples": 10,
    "max_iter": 300,
    "n_jobs": 1,
}
# What is refused because of the rows, of which other parameters would accept some.
OF_ROWS = (
    *("the number of training rows", "no plane separates", "of a class in the first round"),
    *("leave the examples of one class", "one class is left", "the path ends at"),
    "not positive semidefinite",
)
N_PAIRS = 60  # of a class, that are tried

rng = np.random.default_rng(0)
X = rng.normal(size=(24, 3))
Y = np.where(X[:, 0] + 0.3 * rng.normal(size=24) > 0.0, "a", "b")

REFUSED = [
    ("PartiallyTrainedEnsemble", {"tol": 0.2}, "initial_tol must be at least tol = 0.2, got 0.1"),
    ("PartiallyTrainedEnsemble", {"nu": 0.5}, "nu needs solver='accelerated'"),
    ("PartiallyTrainedEnsemble", {"nu": 0.5, "low_rank": 5}, "nu needs solver='accelerated'"),
    ("PartiallyTrainedEnsemble", {"predict_with": "pivots"}, "set low_rank"),
    ("PartiallyTrainedEnsemble", {"kernel": "precomputed", "low_rank": 5}, "low_rank=None"),
    ("RhoSVC", {"solver": "algorithm-1", "tol": 0.2, "nu": None}, "initial_tol must be"),
    ("KernelRidgeClassifierCV", {"kernel": "precomputed", "low_rank": 5}, "give low_rank=None"),
    ("LeveragedVectorMachine", {"loss": "logistic", "penalty": "l1"}, "needs loss='exponential'"),
    ("MixedKernelAdaBoost", {"scheme": "pure", "kernels": ["rbf", "poly"]}, "takes one kernel"),
    ("MixedKernelBagging", {"kernels": ["rbf"], "gamma": [2.0, 1.0]}, "gamma as a pair"),
    ("MixedKernelBagging", {"n_jobs": 0}, "'n_jobs' parameter"),
    ("SVMPathClassifier", {"select": 5.0, "C_max": 2.0}, "beyond the end of the path"),
    ("SVMPathClassifier", {"C_min": 0.5, "select": "span"}, "needs select='bound'"),
    ("SVMPathClassifier", {"C_min": 9.0, "C_max": 5.0, "select": "bound"}, "less than C_max"),
    ("SVMPathClassifier", {"decide_with_intercept": False, "tol": 0.1}, "needs fit_intercept="),
    ("SVMPathClassifier", {"tol": 0.1, "max_events": 4}, "need the exact path"),
    ("AdaBoost", {"estimator": {"estimator": "KNeighborsClassifier"}}, "takes sample_weight"),
    ("TunedSVC", {"n_jobs": 0}, "'n_jobs' parameter"),
    *(
        (name, {"class_weight": {"a": -1.0, "b": 1.0}}, "a positive number")
        for name in ("LinearSMO", "TunedSVC", "SVMPathClassifier", "MixedKernelBagging")
    ),
]


@pytest.mark.parametrize(("name", "parameters", "message"), REFUSED)
def test_what_a_fit_refuses_on_any_rows_check_refuses(
    name: str, parameters: dict[str, Any], message: str
) -> None:
    with pytest.raises(EstimatorError, match=message):
        build(name, parameters)
    given = {**parameters, "estimator": KNeighborsClassifier()}
    made = _class_of(name)(**(given if "estimator" in parameters else parameters))
    with pytest.raises(ValueError, match=message):
        made.fit(X @ X.T if parameters.get("kernel") == "precomputed" else X, Y)


@pytest.mark.filterwarnings("ignore")  # few steps end before the optimum
@pytest.mark.parametrize("name", OURS)
def test_what_check_accepts_a_fit_accepts(name: str) -> None:
    make = _class_of(name)
    defaults = make().get_params()
    small = {key: value for key, value in SMALL.items() if key in defaults}
    singles = [
        (key, value)
        for key, constraints in make._parameter_constraints.items()
        if key in defaults and key not in SMALL
        for constraint in constraints
        for value in _values_of(constraint)
    ]
    pairs = [(one, other) for one, other in combinations(singles, 2) if one[0] != other[0]]
    pairs = random.Random(0).sample(pairs, min(N_PAIRS, len(pairs)))
    for chosen in [*((single,) for single in singles), *pairs]:
        parameters = {**small, **dict(chosen)}
        try:
            build(name, parameters, share_gram=False)
        except EstimatorError:
            continue
        rows = X @ X.T if parameters.get("kernel") == "precomputed" else X
        message = _refusal(make(**parameters), rows)
        assert not message or any(words in message for words in OF_ROWS), (parameters, message)


def _refusal(estimator: Any, rows: Any) -> str:
    try:
        estimator.fit(rows, Y)
    except ValueError as error:
        return str(error)
    return ""


def _class_of(name: str) -> Any:
    module, _, attribute = ESTIMATORS[name].partition(":")
    return getattr(import_module(module), attribute)


def _values_of(constraint: Any) -> Iterator[Any]:
    """Yield values in the range of a parameter: each choice, and numbers near both ends."""
    if isinstance(constraint, StrOptions):
        yield from sorted(constraint.options)
    elif isinstance(constraint, Interval):
        low, high = constraint.left, constraint.right
        step = 1 if constraint.type is Integral else 1e-3
        if low is not None:
            yield low if constraint.closed in ("left", "both") else low + step
        yield (low or 0) + 4 if high is None else high - step
    elif constraint == "boolean":
        yield from (False, True)
    elif constraint is Integral:
        yield from (-1, 0, 1)
    elif constraint is dict:
        yield from ({"a": 2.0, "b": 1.0}, {"a": 0.0, "b": 1.0})
    elif constraint is list:
        yield from ([0.1, 1.0], [1.0, 0.1])
    elif constraint is None:
        yield None
