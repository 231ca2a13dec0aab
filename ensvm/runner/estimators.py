"""Estimators of a config: from the names, blocks and parameters in YAML to scikit-learn objects.

A block is resolved once, when the plan is made: each name in it becomes an import path, so that
any process makes the same estimator of it. `construct` then makes the estimator, for checks and
fits alike.
"""

import importlib
import inspect
import os
import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from numbers import Number
from pathlib import Path
from typing import Any

from ensvm.classifiers import ESTIMATORS
from ensvm.errors import did_you_mean
from ensvm.runner.class_parameters import BY_CLASS, BY_LABEL
from ensvm.runner.estimator_output import error_text
from ensvm.runner.grams import shares_gram
from ensvm.runner.own_code import hidden_file
from ensvm.seeds import part_seed
from ensvm.study.algorithms import KINDS, AlgorithmConfig, is_spec
from ensvm.study.csv_lines import slip_in_number
from ensvm.yaml_block import FLAGS

LONGEST_REASON = 300  # characters of an exception's text
# Parameters that hold an estimator, or pairs of a name and an estimator.
OF_ONE, OF_SEVERAL = "estimator", ("estimators", "steps", "transformers", "transformer_list")
CURLY_QUOTES = "“”„‘’‚"
GRIDS = ("param_grid", "param_distributions")  # of searches over parameters of `estimator`
# Texts that scikit-learn takes in place of an estimator.
NO_NAMES = ("drop", "passthrough", "prefit", "deprecated")
# Constraints of scikit-learn's parameters that may be true or false
OF_FLAGS = ("boolean", "verbose", bool, object)
MEAN_DISTANCE = "mean-distance"  # a width `gamma` that the runner computes for any estimator
METHODS = ("fit", "predict", "get_params", "set_params")
NUMBER = re.compile(r"[-+]?[\d.,]*\d[\d.,]*(?:[eE][-+]?\d+)?")  # a text that is meant as one


class EstimatorError(ValueError):
    """An estimator's name, or parameters in a config, that cannot be used.

    Each of the `messages` is about one mistake. `unknown` is the name, if nobody has it.
    """

    def __init__(self, *messages: str, unknown: str = "") -> None:
        super().__init__("; ".join(messages))
        self.messages = list(dict.fromkeys(messages))
        self.unknown = unknown


@contextmanager
def blamed_on(name: str) -> Iterator[None]:
    """Turn any error that the class `name` raises in the body into an EstimatorError."""
    try:
        yield
    except EstimatorError:
        raise
    except (Exception, SystemExit) as error:
        raise EstimatorError(
            f"{name}: cannot be made with these parameters: {error_line(error)}"
        ) from error


def error_line(error: BaseException) -> str:
    """Return an error in one short line, after its kind."""
    return " ".join(error_text(error, kind=True).split())[:LONGEST_REASON]


# Names


@cache
def scikit_learns() -> dict[str, str]:
    """Return the import path of each estimator in scikit-learn's own list, by its name."""
    from sklearn.utils import all_estimators

    # The public part of a module's name ends before the first part with an underscore.
    return {name: f"{each.__module__.partition('._')[0]}:{name}" for name, each in all_estimators()}


def import_path(name: str) -> str:
    """Return the import path of an estimator's name; any process can import it.

    A name is one of ours, one of scikit-learn's own list, or an import path `package.module:Class`
    or `package.module.Class`. One of ours is returned as it is.

    Raises EstimatorError if a name without a module is neither ours nor scikit-learn's.
    """
    if name in ESTIMATORS or ":" in name:
        return name
    module, _, last = name.rpartition(".")
    if module:
        return f"{module}:{last}"
    others = scikit_learns()
    if name not in others:
        if "(" in name:
            raise EstimatorError(
                f"{name!r} is a call; write {{estimator: {name.partition('(')[0]}, "
                "params: {PARAMETER: VALUE}}"
            )
        near = [*ESTIMATORS, *others]
        raise EstimatorError(
            f"unknown estimator {name!r}; accepted: {', '.join(ESTIMATORS)}, the name of any"
            " estimator of scikit-learn's, or an import path package.module:Class"
            f"{did_you_mean(name, [one for one in near if not one.endswith('Regressor')])}",
            unknown=name,
        )
    return others[name]


def estimator_class(name: str) -> type:
    """Return the class that a name or an import path of a config stands for.

    Raises EstimatorError if its module cannot be imported or does not have it.
    """
    path = ESTIMATORS.get(name) or import_path(name)
    module_name, _, last = path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # whatever the module's own lines do
        reason = (
            error_text(error) if isinstance(error, ImportError | SyntaxError) else error_line(error)
        )
        reason += _line_of(error)
        if isinstance(error, ModuleNotFoundError) and error.name == module_name.partition(".")[0]:
            reason += " (it is neither installed nor beside the config)"
        if module_name.endswith(".py"):
            reason += f"; write {module_name.removesuffix('.py')}:{last}"
        if name[0] in CURLY_QUOTES:
            reason += "; quotes in YAML are \" and '"
        raise EstimatorError(
            f"{name!r}: the module {module_name!r} cannot be imported: {reason}"
            f"{_hidden(module_name)}"
        ) from error
    value = getattr(module, last, None)
    if not isinstance(value, type):
        classes = (key for key, value in vars(module).items() if inspect.isclass(value))
        file = getattr(module, "__file__", None)
        location = f" ({file})" if file else ""
        raise EstimatorError(
            f"{name!r}: {module.__name__}{location} has no class {last}"
            f"{did_you_mean(last, classes)}{_hidden(module_name)}"
        )
    return value


def _line_of(error: BaseException) -> str:
    """Return the file and the line of a module that raised while it was imported, in brackets."""
    own = Path(importlib.__file__).parent, Path(__file__)
    lines = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<")
        and Path(frame.filename) != own[1]
        and own[0] not in Path(frame.filename).parents
    ]
    return f" ({lines[-1].filename}, line {lines[-1].lineno})" if lines else ""


def _hidden(module: str) -> str:
    file, taken = hidden_file(module)
    other = taken if os.path.exists(taken) else "a module of Python"
    reason = f"because {other} has this name, too"
    return f"; {file} is not imported, {reason}: rename it" if file else ""


def estimator_name(spec: Any) -> str:
    """Return the name of an estimator of a config for messages."""
    if isinstance(spec, str):
        return spec
    return "the pipeline" if "pipeline" in spec else estimator_name(spec["estimator"])


# Blocks with every name resolved


def resolved_block(
    spec: Any, params: Mapping[str, Any], grid: Mapping[str, list[Any]] | None
) -> tuple[Any, dict[str, Any], Mapping[str, list[Any]] | None]:
    """Return an algorithm's estimator, parameters and grid with import paths as names.

    The estimator becomes a name or `{pipeline: [...]}`; parameters of blocks around it join the
    other parameters.

    Raises EstimatorError if a name is unknown.
    """
    spec, params = resolved(spec), resolved_values(params)
    while isinstance(spec, Mapping) and {"estimator", "params"} & set(spec):
        params = {**spec.get("params", {}), **params}
        spec = spec.get("estimator") or {key: spec[key] for key in spec if key != "params"}
    points = grid and {
        parameter: [resolved_value(parameter, value) for value in values]
        for parameter, values in grid.items()
    }
    return spec, params, points


def names_in(value: Any) -> set[str]:
    """Return the import paths `package.module:name` of all classes in a resolved value."""
    names = set[str]()
    if isinstance(value, Mapping):
        if is_spec(value):
            named = value.get("pipeline") or [value["estimator"]]
            names = {part for part in named if isinstance(part, str) and part not in NO_NAMES}
        value = list(value.values())
    inner = map(names_in, value) if isinstance(value, list | tuple) else ()
    return {ESTIMATORS.get(name) or import_path(name) for name in names}.union(*inner)


def resolved(spec: Any) -> Any:
    """Return an estimator of a config with every name in it as `import_path` returns it.

    An estimator is a name or one of the blocks `{estimator: ..., params: ...}` and
    `{pipeline: [...]}`.

    Raises EstimatorError if a name is unknown.
    """
    if isinstance(spec, str):
        return import_path(spec)
    if not is_spec(spec):
        kinds = ", ".join(f"{{{kind}: ...}}" for kind in KINDS)
        raise EstimatorError(f"{spec!r:.80} is not an estimator; accepted: a name, {kinds}")
    block = dict(spec)
    if "estimator" in block:
        block["estimator"] = resolved(block["estimator"])
    elif "pipeline" in block:
        block["pipeline"] = [
            step if isinstance(step, str) and step in NO_NAMES else resolved(step)
            for step in block["pipeline"]
        ]
    if "params" in block:
        block["params"] = resolved_values(block["params"])
    return block


def resolved_values(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with all estimators in their values resolved."""
    return {key: resolved_value(key, value) for key, value in params.items()}


def resolved_value(key: Any, value: Any) -> Any:
    """Return the value of the parameter `key` with all estimators in it resolved."""
    name = str(key).rpartition("__")[2]
    if isinstance(value, Mapping):
        return resolved(value) if is_spec(value) else resolved_values(value)
    if isinstance(value, str) and (name == OF_ONE or name.endswith(f"_{OF_ONE}")):
        return value if value in NO_NAMES else {"estimator": resolved(value)}
    if not isinstance(value, list):
        return value
    parts = []
    for part in value:
        if name in OF_SEVERAL and isinstance(part, list | tuple) and len(part) > 1:
            label, estimator, *rest = part  # a pair, or a triple of ColumnTransformer
            parts.append([label, resolved_value(OF_ONE, estimator), *rest])
        else:
            parts.append(resolved_value("", part))
    return parts


# Estimators made of blocks


def made(spec: Any, params: Mapping[str, Any], seed: int) -> Any:
    """Return an estimator to be fitted, seeded if it draws and has no seed.

    If it has no `random_state`, those of its parts get seeds hashed from `seed`.
    """
    estimator = construct(spec, params)
    own = estimator.get_params(deep=False)
    if "random_state" in own:
        return (
            estimator
            if own["random_state"] is not None
            else estimator.set_params(random_state=seed)
        )
    seeds = {
        key: part_seed(seed, key)
        for key, value in estimator.get_params().items()
        if key.endswith("__random_state") and value is None
    }
    return estimator.set_params(**seeds) if seeds else estimator


def random_states(estimator: Any) -> list[str]:
    """Return the names of the parameters that seed an estimator and its parts."""
    return [key for key in estimator.get_params() if key.endswith("random_state")]


def build(spec: Any, params: Mapping[str, Any], *, share_gram: bool = True) -> Any:
    """Return a classifier with its parameters set and, if it has constraints, checked.

    Raises EstimatorError if it is not a classifier, or parameters or their values are not accepted;
    the messages say what is accepted.
    """
    from sklearn.utils import get_tags

    name = estimator_name(spec)
    thing = estimator_class(spec) if isinstance(spec, str) else construct(spec, {})
    if not all(hasattr(thing, method) for method in METHODS):
        raise EstimatorError(f"{name!r} is not a scikit-learn classifier ({', '.join(METHODS)})")
    estimator = _checked(spec, params, share_gram=share_gram)
    try:
        kind = get_tags(estimator).estimator_type or "classifier"
    except AttributeError:  # somebody's own class, without scikit-learn's base
        return estimator
    if kind != "classifier":
        raise EstimatorError(
            f"{name!r} is not a scikit-learn classifier but of the type {kind}; "
            "accepted: a class that predicts labels, such as sklearn.svm:SVC"
        )
    return estimator


def construct(spec: Any, params: Mapping[str, Any]) -> Any:
    """Return any estimator of a config, not fitted.

    `spec` is a name, an import path or a block; see `resolved`. Blocks among the parameters, in
    lists and mappings too, become estimators; `step__name` is the parameter of a part.

    Raises EstimatorError if a parameter is unknown or one that it needs is missing, or a part is
    not accepted.
    """
    if isinstance(spec, str):
        return _called(estimator_class(spec), spec, params)
    params = {**spec.get("params", {}), **params}
    if "estimator" in spec:
        return construct(spec["estimator"], params)
    from sklearn.pipeline import make_pipeline

    return _with(make_pipeline(*map(_part, spec["pipeline"])), "the pipeline", params)


def _part(spec: Any) -> Any:
    """Return a part of another estimator, with checked values; `drop` and the like stay texts."""
    if isinstance(spec, str) and spec in NO_NAMES:
        return spec
    with blamed_on(estimator_name(spec)):
        params = spec.get("params", {}) if isinstance(spec, Mapping) else {}
        bare = {key: spec[key] for key in spec if key != "params"} if params else spec
        part = _checked(bare, params, share_gram=False)
        if lost := lost_in_copies(part, params):
            raise EstimatorError(f"{estimator_name(spec)}{lost}")
        return part


def _checked(spec: Any, params: Mapping[str, Any], *, share_gram: bool) -> Any:
    """Return an estimator of a config with checked values.

    Raises EstimatorError with a message for each parameter that is wrong by itself, else for those
    that do not go together.
    """
    try:
        estimator = construct(spec, params)
        if hasattr(estimator, "get_params"):
            _check_values(estimator, share_gram=share_gram)
    except EstimatorError:
        if wrong := _wrong_parameters(spec, params, share_gram=share_gram):
            raise EstimatorError(*wrong) from None
        raise
    return estimator


def _wrong_parameters(spec: Any, params: Mapping[str, Any], *, share_gram: bool) -> list[str]:
    """Return a message for each parameter of an estimator that is wrong whatever the others are."""
    name = estimator_name(spec)
    needed = _needed(estimator_class(spec)) if isinstance(spec, str) else []
    if not set(needed) <= set(params):
        return []
    parts = {key.partition("__")[0] for key in params if "__" in key}
    first = {key: params[key] for key in params if key in needed or key in parts}

    def check_alone(key: str) -> None:
        """Refuse one parameter."""
        estimator = construct(spec, first)
        accepted = estimator.get_params() if hasattr(estimator, "get_params") else {}
        owner = owner_of(accepted, key, estimator)
        if key in accepted:
            value = _like(key, accepted[key], _value(params[key]))
            estimator.set_params(**{key: value})
            _check_values(owner, share_gram=share_gram, only=key.rpartition("__")[2])
        elif accepted and not takes_keywords(type(owner)):
            raise _unknown(name, key, accepted)

    with blamed_on(name):
        return [message for key in params for message in _messages(check_alone, key)]


def _messages(function: Callable[[Any], Any], argument: Any) -> list[str]:
    """Return the messages of the EstimatorError that a call raises; an empty list without one."""
    try:
        function(argument)
    except EstimatorError as error:
        return error.messages
    return []


def _value(value: Any) -> Any:
    """Return a parameter's value with the estimators in it made."""
    if isinstance(value, Mapping):
        is_part = is_spec(value)
        return _part(value) if is_part else {key: _value(part) for key, part in value.items()}
    if isinstance(value, list):
        parts = [_value(part) for part in value]
        # scikit-learn wants tuples for pairs of a name and an estimator
        return tuple(parts) if any(map(is_spec, value)) and isinstance(value[0], str) else parts
    return value


def _called(maker: type, name: str, params: Mapping[str, Any]) -> Any:
    """Return an instance of a class with parameters; those of parts are set afterwards."""
    values = {key: _value(value) for key, value in params.items()}
    named = _named_arguments(maker)
    accepted = [each.name for each in named]
    own = {
        each.name: _like(each.name, each.default, values.pop(each.name))
        for each in named
        if each.name in values
    }
    if missing := [each for each in _needed(maker) if each not in own]:
        for key in values:
            if key.partition("__")[0] not in accepted:
                raise _unknown(name, key, accepted)
        raise EstimatorError(f"{name} needs `params:` with {', '.join(missing)}")
    if takes_keywords(maker):  # whatever is not a parameter of one of its parts
        for key in list(values):
            if not hasattr(own.get(key.partition("__")[0]), "get_params"):
                own[key] = values.pop(key)
    return _with(maker(**own), name, values)


def _named_arguments(maker: type) -> list[inspect.Parameter]:
    """Return the arguments with names that a class takes."""
    variable = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return [each for each in _arguments(maker) if each.kind not in variable]


@cache
def _arguments(maker: type) -> tuple[inspect.Parameter, ...]:
    """Return the arguments that a class takes; none if it does not say."""
    try:
        return tuple(inspect.signature(maker).parameters.values())
    except (TypeError, ValueError):  # classes of compiled code may have no signature
        return ()


def _needed(maker: type) -> list[str]:
    """Return the parameters without which a class cannot be called."""
    return [each.name for each in _named_arguments(maker) if each.default is each.empty]


def takes_keywords(maker: type) -> bool:
    """Return whether a class takes parameters by `**kwargs`, as those of LightGBM do."""
    return any(each.kind is each.VAR_KEYWORD for each in _arguments(maker))


def lost_in_copies(estimator: Any, params: Iterable[str]) -> str:
    """Return which parameters copies of an estimator, as searches make them, would lose; else "".

    Its class takes them by `**kwargs`, and `get_params` does not return them.
    """
    told = estimator.get_params() if takes_keywords(type(estimator)) else params
    lost = ", ".join(sorted(set(params) - set(told)))
    return f": its get_params() does not return {lost}, so copies of it lose it" * bool(lost)


def _with(estimator: Any, name: str, params: Mapping[str, Any]) -> Any:
    """Return an estimator with parameters set, having checked that it has them."""
    if params:
        accepted = estimator.get_params()
        for key in params:
            if key not in accepted and not takes_keywords(type(owner_of(accepted, key))):
                raise _unknown(name, key, accepted)
        estimator.set_params(**{key: _like(key, accepted.get(key), params[key]) for key in params})
        parts = estimator.get_params()
        for key in params:
            part = owner_of(parts, key)
            if hasattr(part, "get_params"):
                _check_values(part, share_gram=False)
    return estimator


def owner_of(accepted: Mapping[str, Any], key: str, whole: Any = None) -> Any:
    """Return the part that `step__name` is a parameter of; None without such a part.

    A parameter of no part is one of the `whole` estimator.
    """
    if "__" not in key:
        return whole
    while "__" in key:
        key = key.rpartition("__")[0]
        if key in accepted:
            return accepted[key]
    return None


def _like(key: str, default: Any, value: Any) -> Any:
    """Return a value as a tuple if the default is one, for which YAML has lists alone.

    Raises EstimatorError for a text that is meant as a number, and for true or false in the place
    of one, which Python takes for 1 and 0: in place of a default that is a number (0 and 1 may be
    those of a flag), beside numbers in a list, or as the number of a class.
    """
    is_number = isinstance(default, int | float) and not isinstance(default, bool)
    if isinstance(value, bool) and is_number and (default not in (0, 1) or type(default) is float):
        raise _no_number(key, value)
    parts = value if isinstance(value, list) else []
    if isinstance(value, Mapping) and key.rpartition("__")[2] in (*BY_LABEL, *BY_CLASS):
        parts = [0, *value.values()]
    flags = [part for part in parts if isinstance(part, bool)]
    if flags and any(isinstance(part, Number) and not isinstance(part, bool) for part in parts):
        raise _no_number(key, flags[0])
    if is_number and isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        hint = slip_in_number(value.strip()) or "write a number, without quotes"
        raise EstimatorError(f"{key} has the text {value!r:.60}; {hint}")
    return tuple(value) if isinstance(default, tuple) and isinstance(value, list) else value


def _no_number(key: str, value: Any) -> EstimatorError:
    return EstimatorError(f"{key}: {value} is not accepted{FLAGS}; accepted: a number")


def _unknown(name: str, key: str, accepted: Any) -> EstimatorError:
    hint = did_you_mean(key, accepted)
    if key in AlgorithmConfig.model_fields:
        hint = f"; `{key}:` of an algorithm stands beside its `params:`"
    listed = ", ".join(sorted(accepted))
    return EstimatorError(f"{name} has no parameter {key!r}; accepted: {listed}{hint}")


# Checks


def last_step(estimator: Any) -> Any:
    """Return the last step of a pipeline, or any other estimator as it is."""
    steps = getattr(estimator, "steps", None)
    return last_step(steps[-1][1]) if isinstance(steps, list) and steps else estimator


def search_grids(estimator: Any) -> list[Mapping[str, Any]] | None:
    """Return the grids of a search of scikit-learn; None for another classifier.

    It may be the last step of a pipeline: what stands before it is fitted once, on all training
    rows.

    Raises EstimatorError if a grid names a parameter that its estimator does not have, or has a
    value that this does not accept.
    """
    from sklearn.base import clone
    from sklearn.model_selection._search import BaseSearchCV

    search = last_step(estimator)
    if not isinstance(search, BaseSearchCV):
        return None
    grids = grids_among(search.get_params(deep=False))
    accepted = search.estimator.get_params()

    def check_values(pair: tuple[str, Any]) -> None:
        """Refuse a parameter, or any of its values in a grid."""
        name, values = pair
        part = owner_of(accepted, name, search.estimator)
        refuse_equal_values(name, values)
        if name not in accepted and not takes_keywords(type(part)):
            names = ", ".join(sorted(key for key in accepted if "__" not in key or "__" in name))
            hint = did_you_mean(name, accepted)
            raise EstimatorError(
                f"the grid of {type(search).__name__} has {name!r}, which its estimator does not "
                f"have; accepted: {names}{hint}"
            )
        for value in values if isinstance(values, list) else ():
            _like(name, accepted.get(name), value)
            changed = clone(search.estimator).set_params(**{name: value})
            owner = owner_of(changed.get_params(), name, changed)
            _check_values(owner, share_gram=False, only=name.rpartition("__")[2])

    pairs = [pair for grid in grids for pair in grid.items()]
    if wrong := [message for pair in pairs for message in _messages(check_values, pair)]:
        raise EstimatorError(*wrong)
    return grids


def grid_points(grid: Mapping[str, list[Any]] | None) -> list[dict[str, Any]]:
    """Return the points of a grid as parameters; without a grid, one point without parameters."""
    from sklearn.model_selection import ParameterGrid

    return list(ParameterGrid(dict(grid or {})))


def refuse_equal_values(parameter: str, values: Any) -> None:
    """Raise EstimatorError if a grid has a value of a parameter twice; 1 is not 1.0 here.

    A whole number where only real ones are meant was made one before.
    """
    texts = [repr(value) for value in values] if isinstance(values, list) else []
    if twice := [text for text, times in Counter(texts).items() if times > 1]:
        raise EstimatorError(f"the grid has {parameter} = {twice[0]:.60} twice")


def grids_among(parameters: Mapping[str, Any]) -> list[Any]:
    """Return the grids among the parameters of a search; an empty list without one."""
    grids = next((parameters[name] for name in GRIDS if name in parameters), None) or []
    return [grids] if isinstance(grids, Mapping) else list(grids)


def part_classes(estimator: Any) -> set[Any]:
    """Return the class of an estimator, those of its parts, and the functions among its values."""
    parts: set[Any] = {type(estimator)}
    for value in estimator.get_params().values():
        if inspect.isclass(value) or inspect.isfunction(value):
            parts.add(value)
        elif hasattr(value, "get_params"):
            parts.add(type(value))
    return parts


def _check_flag(owner: Any, key: str, value: Any) -> None:
    """Raise EstimatorError for true or false if a parameter declares what it takes, and no flags.

    scikit-learn takes them for 1 and 0 wherever it takes whole numbers.
    """
    constraints = getattr(owner, "_parameter_constraints", {}).get(key.rpartition("__")[2])
    if not isinstance(value, bool) or not isinstance(constraints, list):
        return
    inner = [getattr(each, "constraint", each) for each in constraints]
    if not any(getattr(each, "type", each) in OF_FLAGS for each in inner):
        raise _no_number(key, value)


def _check_values(estimator: Any, *, share_gram: bool, only: str | None = None) -> None:
    """Raise EstimatorError if a value breaks the constraints that the estimator declares.

    With `only`, the value of one parameter is checked, whatever the others are.
    """
    from sklearn.base import clone
    from sklearn.utils._param_validation import validate_parameter_constraints

    if not hasattr(estimator, "_parameter_constraints"):
        return
    checked = clone(estimator)
    if share_gram and shares_gram(checked):
        checked.set_params(kernel="precomputed")  # the runner has more kernels than scikit-learn
    for name, value in checked.get_params(deep=False).items():
        _check_flag(estimator, name, value)
        if name in BY_CLASS and isinstance(value, Mapping):  # by labels, until the data are known
            checked.set_params(**{name: list(value.values())})
    if checked.get_params(deep=False).get("gamma") == MEAN_DISTANCE:
        checked.set_params(gamma=1.0)
    try:
        if only is None:
            checked._validate_params()
        elif only in checked._parameter_constraints:
            validate_parameter_constraints(
                {only: checked._parameter_constraints[only]},
                {only: checked.get_params(deep=False)[only]},
                type(checked).__name__,
            )
    except ValueError as error:
        raise EstimatorError(str(error)) from error
