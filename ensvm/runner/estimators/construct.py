"""Estimators made from what a config says: the one place that makes them, for checks and fits."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ensvm.data.errors import near_miss
from ensvm.runner.estimators.names import EstimatorError, blamed_on, estimator_class
from ensvm.runner.estimators.values import check_values
from ensvm.seeds import seed_of
from ensvm.study.algorithms import is_spec

METHODS = ("fit", "predict", "get_params", "set_params")


def construct(spec: Any, params: Mapping[str, Any]) -> Any:
    """Return any estimator of a config, not fitted.

    Parameters
    ----------
    spec : str or dict
        A name, an import path, or a block `{estimator: ..., params: ...}` or `{pipeline: [...]}`;
        see `ensvm.runner.estimators.names.resolved`.
    params : dict
        Parameters of the estimator; `step__name` is that of a part.
        Such blocks among them, in lists and mappings too, are made estimators.

    Returns
    -------
    object
        The estimator.

    Raises
    ------
    EstimatorError
        If a parameter is unknown or one that it needs is missing, or a part is not accepted.
    """
    if isinstance(spec, str):
        return _called(estimator_class(spec), spec, params)
    given = {**spec.get("params", {}), **params}
    if "estimator" in spec:
        return construct(spec["estimator"], given)
    from sklearn.pipeline import make_pipeline

    return _with(make_pipeline(*map(_part, spec["pipeline"])), "the pipeline", given)


def _part(given: Any) -> Any:
    """Return a part of another estimator, its values checked; texts such as `drop` as they are."""
    if isinstance(given, str) and given in ("drop", "passthrough"):
        return given
    with blamed_on(name_of(given)):
        part = construct(given, {})
        if hasattr(part, "get_params"):
            check_values(part, share_gram=False)
        return part


def name_of(spec: Any) -> str:
    """Return what messages call an estimator of a config."""
    if isinstance(spec, str):
        return spec
    return "the pipeline" if "pipeline" in spec else name_of(spec["estimator"])


def _value(value: Any) -> Any:
    """Return a parameter's value with the estimators in it made."""
    if is_spec(value):
        return _part(value)
    if isinstance(value, Mapping):
        return {key: _value(part) for key, part in value.items()}
    if isinstance(value, list):
        parts = [_value(part) for part in value]
        # A part with its name, of which scikit-learn wants tuples
        return tuple(parts) if any(map(is_spec, value)) and isinstance(value[0], str) else parts
    return value


def _called(maker: Callable[..., Any], name: str, params: Mapping[str, Any]) -> Any:
    """Return an instance of a class with parameters, those that it does not take set."""
    values = {key: _value(value) for key, value in params.items()}
    accepted, needed = _arguments(maker)
    own = {key: values.pop(key) for key in list(values) if key in accepted}
    if missing := [key for key in needed if key not in own]:
        for key in values:
            if key.partition("__")[0] not in accepted:
                raise _unknown(name, key, accepted)
        raise EstimatorError(f"{name} needs `params:` with {', '.join(missing)}")
    try:
        made = maker(**own)
    except TypeError as error:
        if own or params:
            raise
        raise EstimatorError(
            f"{name}: cannot be made without arguments ({error}), as scikit-learn's contract asks"
        ) from error
    return _with(made, name, values)


def _arguments(maker: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """Return the names of the arguments that a class takes, and of those it needs."""
    try:
        parameters = inspect.signature(maker).parameters.values()
    except (TypeError, ValueError):  # a class of compiled code may not tell
        return [], []
    by_name = [
        each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
    ]
    needed = [each.name for each in by_name if each.default is each.empty]
    return [each.name for each in by_name], needed


def _with(estimator: Any, name: str, params: Mapping[str, Any]) -> Any:
    """Return an estimator with parameters set, having checked that it has them."""
    if params:
        accepted = estimator.get_params()
        for key in params:
            if key not in accepted:
                raise _unknown(name, key, accepted)
        estimator.set_params(**params)
        parts = estimator.get_params()
        for key in params:
            part = parts.get(key.rpartition("__")[0])
            if hasattr(part, "get_params"):
                check_values(part, share_gram=False)
    return estimator


def _unknown(name: str, key: str, accepted: Any) -> EstimatorError:
    hint = near_miss(key, accepted)
    listed = ", ".join(sorted(accepted))
    return EstimatorError(f"{name} has no parameter {key!r}; accepted: {listed}{hint}")


def build(spec: Any, params: Mapping[str, Any], *, share_gram: bool = True) -> Any:
    """Return a classifier with its parameters set and, where it can tell, their values checked.

    Parameters
    ----------
    spec, params : str or dict, and dict
        As for `construct`.
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
    if isinstance(spec, str):
        _check_methods(estimator_class(spec), name_of(spec))
    estimator = construct(spec, params)
    _check_methods(estimator, name_of(spec))
    check_values(estimator, share_gram=share_gram)
    kind = _kind(estimator)
    if kind != "classifier":
        raise EstimatorError(
            f"{name_of(spec)!r} is not a scikit-learn classifier but of the type {kind}; "
            "accepted: a class that predicts labels, such as sklearn.svm:SVC"
        )
    return estimator


def _check_methods(thing: Any, name: str) -> None:
    if not all(hasattr(thing, method) for method in METHODS):
        raise EstimatorError(f"{name!r} is not a scikit-learn classifier ({', '.join(METHODS)})")


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


def takes_many(estimator: Any) -> bool:
    """Return whether a classifier takes more than two classes; one that does not say does."""
    from sklearn.utils import get_tags

    try:
        tags = get_tags(estimator).classifier_tags
    except Exception:  # a class of somebody's own, without scikit-learn's base
        return True
    return tags is None or bool(tags.multi_class)


def made(spec: Any, params: Mapping[str, Any], seed: int) -> Any:
    """Return an estimator to be fitted, seeded where it draws and has no seed.

    Parameters
    ----------
    spec, params : str or dict, and dict
        As for `construct`.
    seed : int
        Becomes its `random_state`; where it has none, those of its parts get seeds hashed from it.

    Returns
    -------
    object
        The estimator.
    """
    estimator = construct(spec, params)
    own = estimator.get_params(deep=False)
    if "random_state" in own:
        if own["random_state"] is None:
            estimator.set_params(random_state=seed)
        return estimator
    inner = {
        key: seed_of("part", seed, key)
        for key, value in estimator.get_params().items()
        if key.endswith("__random_state") and value is None
    }
    return estimator.set_params(**inner) if inner else estimator


def parts_of(estimator: Any) -> set[Any]:
    """Return the class of an estimator, those of its parts, and the functions among its values."""
    found: set[Any] = {type(estimator)}
    waiting = list(estimator.get_params(deep=False).values())
    while waiting:
        value = waiting.pop()
        if inspect.isclass(value) or inspect.isfunction(value):
            found.add(value)
        elif hasattr(value, "get_params"):
            found.add(type(value))
            waiting += value.get_params(deep=False).values()
        elif isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
    return found
