"""The values of an estimator's parameters, checked before anything is fitted."""

import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from ensvm.kernels import gram, parameters_of, resolve_gamma
from ensvm.runner.estimators.names import EstimatorError
from ensvm.runner.inputs import for_gram, shares_gram
from ensvm.study.algorithms import MAX_DEGREE

NUMBERS = ("degree", "coef0")  # the parameters of kernels whose values have no names
# Those of machines too, whoever wrote them: what they accept beside finite numbers.
FINITE = ("gamma", *NUMBERS)


def check_values(estimator: Any, *, share_gram: bool = True) -> None:
    """Have an estimator that declares its parameters' constraints check their values.

    Where it is given a Gram matrix, the kernel's parameters are checked by the kernel instead: they
    need not be ones that the estimator knows.
    """
    from sklearn.base import clone

    checked = clone(estimator)
    try:
        _check_finite(checked.get_params())
        if share_gram and shares_gram(checked):
            _check_kernel(checked.get_params(deep=False))
            for_gram(checked)
        elif checked.get_params(deep=False).get("gamma") == "mean-distance":
            checked.set_params(gamma=1.0)  # a width that the runner computes for any estimator
        if hasattr(checked, "_parameter_constraints"):
            checked._validate_params()
    except ValueError as error:
        raise EstimatorError(str(error)) from error


def _check_finite(params: Mapping[str, Any]) -> None:
    """Raise ValueError for a kernel's parameter or a price C that no machine can compute with."""
    for key, value in params.items():
        name = key.rpartition("__")[2]
        if not isinstance(value, Real) or name not in (*FINITE, "C"):
            continue
        if math.isnan(value) or (math.isinf(value) and name != "C"):
            raise ValueError(f"{key} must be a finite number, got {value!r}")
        if name == "degree" and float(value) > MAX_DEGREE:
            raise ValueError(f"{key} must be at most {MAX_DEGREE}, got {value!r}")


def _check_kernel(params: dict[str, Any]) -> None:
    """Raise ValueError for values of a kernel's parameters that it cannot be computed with."""
    read = {name: params[name] for name in parameters_of(params["kernel"]) if name in params}
    for name, value in read.items():
        if (
            not isinstance(value, str | Real)
            or isinstance(value, bool)
            or (isinstance(value, str) and name in NUMBERS)
        ):
            raise ValueError(f"{name} must be a number, got {value!r}")
    row = np.ones((1, 1))
    if "gamma" in read:
        read["gamma"] = resolve_gamma(read["gamma"], row)
    with np.errstate(all="ignore"):
        gram(row, **read)
