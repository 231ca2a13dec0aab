"""What a config calls an estimator: names of ours, scikit-learn's own list, import paths."""

import importlib
import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from ensvm.classifiers import ESTIMATORS
from ensvm.data.errors import near_miss
from ensvm.study.algorithms import KINDS, AlgorithmConfig, is_spec

LONGEST_REASON = 300  # characters of an exception's text
# Parameters whose texts are names of estimators: of one, or of each after its own name.
OF_ONE, OF_SEVERAL = "estimator", ("estimators", "steps", "transformers", "transformer_list")
NO_NAMES = ("drop", "passthrough", "prefit", "deprecated")


class EstimatorError(ValueError):
    """An estimator's name or parameter in a config that cannot be used; says what would be."""


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


@cache
def scikit_learns() -> dict[str, str]:
    """Return scikit-learn's own list of estimators: the name of each, and its import path."""
    from sklearn.utils import all_estimators

    return {name: f"{_public(found.__module__)}:{name}" for name, found in all_estimators()}


def _public(module: str) -> str:
    """Return the part of a module's name before the first that begins with an underscore."""
    return module.partition("._")[0]


def import_path(name: str) -> str:
    """Return what a name of a config stands for in any process.

    Parameters
    ----------
    name : str
        A name of `ensvm.classifiers.ESTIMATORS`, one of scikit-learn's own list, or an import path
        `package.module:Class` or `package.module.Class`.

    Returns
    -------
    str
        A name of ours as it is, else `package.module:Class`.

    Raises
    ------
    EstimatorError
        If a name without a module is neither ours nor scikit-learn's.
    """
    if name in ESTIMATORS or ":" in name:
        return name
    module, _, last = name.rpartition(".")
    if module:
        return f"{module}:{last}"
    known = scikit_learns()
    if name not in known:
        raise EstimatorError(
            f"unknown estimator {name!r}; accepted: {', '.join(ESTIMATORS)}, the name of any"
            " estimator of scikit-learn's, or an import path package.module:Class"
            f"{near_miss(name, [*ESTIMATORS, *known])}"
        )
    return known[name]


def _full_path(name: str) -> str:
    """Return the import path of a name, a name of ours too."""
    return ESTIMATORS.get(name) or import_path(name)


def estimator_class(name: str) -> type:
    """Return the class that a name or an import path of a config stands for.

    Parameters
    ----------
    name : str
        As for `import_path`.

    Returns
    -------
    type
        The class.

    Raises
    ------
    EstimatorError
        If the name is unknown, or the module cannot be imported or has no such class.
    """
    found, module, last = _found(name)
    if not inspect.isclass(found):
        classes = (key for key, thing in vars(module).items() if inspect.isclass(thing))
        raise _lacks(name, module, f"class {last}", near_miss(last, classes))
    return found


def _found(name: str) -> tuple[Any, Any, str]:
    """Return what an import path leads to (None for nothing), its module, and its last part."""
    module_name, _, last = _full_path(name).partition(":")
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # whatever the module's own lines do
        told = str(error) if isinstance(error, ImportError | SyntaxError) else _told(error)
        if isinstance(error, ModuleNotFoundError) and error.name == module_name.partition(".")[0]:
            told += " (it is neither installed nor beside the config)"
        raise EstimatorError(
            f"{name!r}: the module {module_name!r} cannot be imported: {told}"
        ) from error
    return getattr(module, last, None), module, last


def _lacks(name: str, module: Any, what: str, hint: str) -> EstimatorError:
    place = getattr(module, "__file__", None)
    where = f" ({place})" if place else ""
    return EstimatorError(f"{name!r}: {module.__name__}{where} has no {what}{hint}")


def resolved(spec: Any) -> Any:
    """Return an estimator of a config with every name in it as `import_path` returns it.

    Parameters
    ----------
    spec : str or dict
        A name, or one of the blocks `{estimator: ..., params: ...}` and `{pipeline: [...]}`.

    Returns
    -------
    str or dict
        The same, to be made in any process.

    Raises
    ------
    EstimatorError
        If a name is unknown.
    """
    if isinstance(spec, str):
        return import_path(spec)
    if not is_spec(spec):
        kinds = ", ".join(f"{{{kind}: ...}}" for kind in KINDS)
        raise EstimatorError(f"{spec!r:.80} is no estimator; accepted: a name, {kinds}")
    given = dict(spec)
    if "estimator" in given:
        given["estimator"] = resolved(given["estimator"])
    elif "pipeline" in given:
        given["pipeline"] = [_resolved_step(step) for step in given["pipeline"]]
    if "params" in given:
        given["params"] = resolved_values(given["params"])
    return given


def _resolved_step(step: Any) -> Any:
    return step if isinstance(step, str) and step in NO_NAMES else resolved(step)


def resolved_values(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with the estimators among their values as `resolved` returns them."""
    return {key: resolved_value(key, value) for key, value in params.items()}


def resolved_value(key: Any, value: Any) -> Any:
    """Return the value of a parameter called `key` with estimators as `resolved` returns them."""
    name = str(key).rpartition("__")[2]
    if is_spec(value):
        return resolved(value)
    if isinstance(value, str) and (name == OF_ONE or name.endswith(f"_{OF_ONE}")):
        return value if value in NO_NAMES else {"estimator": resolved(value)}
    if isinstance(value, Mapping):
        return resolved_values(value)
    if isinstance(value, list) and name in OF_SEVERAL:
        return [_resolved_part(part) for part in value]
    return [resolved_value("", part) for part in value] if isinstance(value, list) else value


def _resolved_part(part: Any) -> Any:
    """Return an estimator with a name of its own, `[name, estimator, ...]`."""
    if not isinstance(part, list | tuple) or len(part) < 2:
        return resolved_value("", part)
    name, given, *rest = part
    if isinstance(given, str) and given not in NO_NAMES:
        given = {"estimator": given}
    return [name, resolved_value("", given), *rest]


@dataclass(frozen=True)
class Resolved:
    """The estimator, the parameters and the grid of an algorithm, names as import paths."""

    spec: Any
    params: dict[str, Any]
    grid: dict[str, list[Any]] | None

    @property
    def names(self) -> set[str]:
        """The import paths `package.module:name` of all classes."""
        spec = {"estimator": self.spec} if isinstance(self.spec, str) else self.spec
        return {_full_path(name) for name in _names_in([spec, self.params, self.grid])}


def resolved_block(block: AlgorithmConfig) -> Resolved:
    """Return what an algorithm's block says; raises EstimatorError if a name is unknown."""
    grid = block.grid and {
        parameter: [resolved_value(parameter, value) for value in values]
        for parameter, values in block.grid.items()
    }
    return Resolved(resolved(block.spec), resolved_values(block.params), grid)


def _names_in(value: Any) -> Iterator[str]:
    """Yield the names of classes in a resolved estimator or in parameters."""
    if is_spec(value):
        named = value.get("pipeline") or [value["estimator"]]
        yield from (part for part in named if isinstance(part, str) and part not in NO_NAMES)
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for part in value:
            yield from _names_in(part)
