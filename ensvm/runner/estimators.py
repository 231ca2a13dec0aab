"""From a config's keys to a scikit-learn classifier: names, import paths, parameters."""

import importlib
import inspect
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Real
from typing import Any

import numpy as np

from ensvm.data.errors import near_miss
from ensvm.kernels import gram, parameters_of, resolve_gamma
from ensvm.runner.inputs import for_gram, shares_gram
from ensvm.study.algorithm import MAX_DEGREE

NUMBERS = ("degree", "coef0")  # the parameters of kernels whose values have no names
# Those of machines too, whoever wrote them: what they accept beside finite numbers.
FINITE = ("gamma", *NUMBERS)
LONGEST_REASON = 300  # characters of an exception's text


class EstimatorError(ValueError):
    """An estimator's name or parameter in a config that cannot be used; says what would be."""


def estimator_class(name: str) -> type:
    """Return the class for one of our names or an import path `package.module:Class`.

    Parameters
    ----------
    name : str
        A name of `ensvm.classifiers.ESTIMATORS`, or `package.module:Class`.

    Returns
    -------
    type
        The class.

    Raises
    ------
    EstimatorError
        If the name is unknown, the module cannot be imported, or the class is no classifier.
    """
    from ensvm.classifiers import ESTIMATORS

    path = ESTIMATORS.get(name, name)
    module_name, colon, class_name = path.partition(":")
    if not colon:
        known = ", ".join(ESTIMATORS)
        raise EstimatorError(
            f"unknown estimator {name!r}; accepted: {known},"
            f" or an import path package.module:Class{near_miss(name, ESTIMATORS)}"
        )
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # whatever the module's own lines do
        told = error if isinstance(error, ImportError | SyntaxError) else _told(error)
        raise EstimatorError(
            f"{name!r}: the module {module_name!r} cannot be imported: {told}"
        ) from error
    found = getattr(module, class_name, None)
    if not inspect.isclass(found):
        classes = [key for key, thing in vars(module).items() if inspect.isclass(thing)]
        raise EstimatorError(
            f"{name!r}: {module_name} has no class {class_name}{near_miss(class_name, classes)}"
        )
    if not all(hasattr(found, method) for method in ("fit", "predict", "get_params", "set_params")):
        raise EstimatorError(
            f"{name!r} is not a scikit-learn classifier (fit, predict, get_params, set_params)"
        )
    return found


@contextmanager
def blamed_on(name: str) -> Iterator[None]:
    """Turn whatever the class `name` raises while it is made and asked into an EstimatorError."""
    try:
        yield
    except EstimatorError:
        raise
    except (Exception, SystemExit) as error:
        raise EstimatorError(
            f"{name}: cannot be made with these parameters: {_told(error)}"
        ) from error


def _told(error: BaseException) -> str:
    """Return an exception in one line, whatever its text is."""
    try:
        return f"{type(error).__name__}: {' '.join(str(error).split())[:LONGEST_REASON]}"
    except Exception:
        return f"{type(error).__name__} without a readable text"


def build(name: str, params: dict[str, Any], *, share_gram: bool = True) -> Any:
    """Return the estimator with its parameters set and, where it can tell, their values checked.

    Parameters
    ----------
    name : str
        As for `estimator_class`.
    params : dict
        The parameters to set; a value `{estimator: Name, params: {...}}` is made that estimator.
    share_gram : bool, default True
        Whether it is given a Gram matrix where it can take one.

    Returns
    -------
    object
        The estimator, not fitted.

    Raises
    ------
    EstimatorError
        If it is no classifier, or a parameter or its value is not accepted; the message names it
        and what is.
    """
    estimator = _built(name, params, share_gram=share_gram)
    kind = _kind(estimator)
    if kind != "classifier":
        raise EstimatorError(
            f"{name!r} is not a scikit-learn classifier but of the type {kind}; "
            "accepted: a class that predicts labels, such as sklearn.svm:SVC"
        )
    return estimator


def _kind(estimator: Any) -> str:
    """Return what scikit-learn says an estimator is; one that does not say may be a classifier."""
    from sklearn.utils import get_tags

    try:
        kind = get_tags(estimator).estimator_type
    except AttributeError:  # a class of somebody's own, without scikit-learn's base
        kind = getattr(estimator, "_estimator_type", "classifier")
    if kind is None:
        return "transformer" if hasattr(estimator, "transform") else "classifier"
    return str(kind)


def _built(name: str, params: dict[str, Any], *, share_gram: bool) -> Any:
    """Return an estimator of any kind, as `build` does."""
    found = estimator_class(name)
    try:
        estimator = found()
    except TypeError as error:
        raise EstimatorError(
            f"{name}: cannot be made without arguments ({error}), as scikit-learn's contract asks"
        ) from error
    accepted = estimator.get_params()
    for key in params:
        if key not in accepted:
            hint = near_miss(key, accepted)
            raise EstimatorError(
                f"{name} has no parameter {key!r}; accepted: {', '.join(sorted(accepted))}{hint}"
            )
    estimator.set_params(**with_estimators(params))
    check_values(estimator, share_gram=share_gram)
    return estimator


def made(name: str, params: Mapping[str, Any], seed: int) -> Any:
    """Return the estimator with its parameters set, and seeded where it draws and has no seed."""
    estimator = estimator_class(name)()
    estimator.set_params(**with_estimators(params))
    if estimator.get_params(deep=False).get("random_state", seed) is None:
        estimator.set_params(random_state=seed)
    return estimator


def with_estimators(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters, each value `{estimator: Name, params: {...}}` made that estimator.

    So a config writes the base estimator of a meta-estimator. Raises EstimatorError as `build`
    does.
    """
    return {
        key: (
            _built(value["estimator"], value.get("params", {}), share_gram=False)
            if _is_estimator(value)
            else value
        )
        for key, value in params.items()
    }


def _is_estimator(value: Any) -> bool:
    return (
        isinstance(value, dict) and "estimator" in value and set(value) <= {"estimator", "params"}
    )


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


def classes_of(estimator: Any) -> set[type]:
    """Return the class of an estimator, and those of the estimators among its parameters."""
    inner = [value for value in estimator.get_params().values() if hasattr(value, "get_params")]
    return {type(estimator), *map(type, inner)}
