"""From a config's words to a scikit-learn classifier: names, import paths, parameters, the revision of its code."""

import ast
import hashlib
import importlib
import importlib.util
import inspect
from functools import lru_cache
from pathlib import Path
from typing import Any

from ensvm.data.errors import near_miss
from ensvm.kernels import KERNEL_PARAMETERS, KERNELS


class EstimatorError(ValueError):
    """An estimator's name or parameter in a config that cannot be used; says what would be."""


def estimator_class(name: str) -> type:
    """Return the class for one of our names (see `ensvm.classifiers.ESTIMATORS`) or an import path `package.module:Class`.

    Raises EstimatorError for an unknown name, a module that cannot be imported, or a class without
    fit and predict.
    """
    from ensvm.classifiers import ESTIMATORS

    path = ESTIMATORS.get(name, name)
    module_name, colon, class_name = path.partition(":")
    if not colon:
        known = ", ".join(ESTIMATORS)
        raise EstimatorError(
            f"unknown estimator {name!r}; accepted: {known}, or an import path package.module:Class{near_miss(name, ESTIMATORS)}"
        )
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise EstimatorError(
            f"{name!r}: the module {module_name} cannot be imported: {error}"
        ) from error
    found = getattr(module, class_name, None)
    if not inspect.isclass(found):
        classes = [word for word, thing in vars(module).items() if inspect.isclass(thing)]
        raise EstimatorError(
            f"{name!r}: {module_name} has no class {class_name}{near_miss(class_name, classes)}"
        )
    if not all(hasattr(found, method) for method in ("fit", "predict", "get_params", "set_params")):
        raise EstimatorError(
            f"{name!r} is not a scikit-learn classifier (fit, predict, get_params, set_params)"
        )
    return found


def build(name: str, params: dict[str, Any]) -> Any:
    """Return the estimator with its parameters set and, where it can tell, their values checked.

    Raises EstimatorError naming the parameter and what is accepted.
    """
    found = estimator_class(name)
    try:
        estimator = found()
    except TypeError as error:
        raise EstimatorError(
            f"{name}: cannot be made without arguments ({error}), as scikit-learn's contract asks"
        ) from error
    accepted = estimator.get_params()
    for word in params:
        if word not in accepted:
            hint = near_miss(word, accepted)
            raise EstimatorError(
                f"{name} has no parameter {word!r}; accepted: {', '.join(sorted(accepted))}{hint}"
            )
    estimator.set_params(**with_estimators(params))
    check_values(estimator)
    return estimator


def with_estimators(params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters with each value `{estimator: Name, params: {...}}` made into that estimator.

    So a config writes the base estimator of a meta-estimator. Raises EstimatorError as `build`
    does.
    """
    return {
        word: build(value["estimator"], value.get("params", {})) if _is_estimator(value) else value
        for word, value in params.items()
    }


def _is_estimator(value: Any) -> bool:
    return (
        isinstance(value, dict) and "estimator" in value and set(value) <= {"estimator", "params"}
    )


def check_values(estimator: Any) -> None:
    """Ask an estimator that declares its parameters' constraints (as scikit-learn's do) whether their values hold."""
    from sklearn.base import clone

    if not hasattr(estimator, "_parameter_constraints"):
        return
    # The runner turns the kernel's words into a Gram matrix, so their values need not be ones the
    # estimator knows.
    checked = for_gram(clone(estimator)) if shares_gram(estimator) else estimator
    try:
        checked._validate_params()
    except ValueError as error:
        raise EstimatorError(str(error)) from error


def for_gram(estimator: Any) -> Any:
    """Set an estimator to be fitted on a Gram matrix, the kernel's other words back at their defaults, and return it."""
    defaults = type(estimator)().get_params(deep=False)
    unused = {word: defaults[word] for word in KERNEL_PARAMETERS if word in defaults}
    return estimator.set_params(**{**unused, "kernel": "precomputed"})


def shares_gram(estimator: Any) -> bool:
    """Return whether the estimator can be given a Gram matrix in place of X (scikit-learn's pairwise tag)."""
    from sklearn.base import clone
    from sklearn.utils import get_tags

    params = estimator.get_params(deep=False)
    kernel = params.get("kernel")
    if not (isinstance(kernel, str) and kernel in KERNELS):
        return False
    return bool(get_tags(clone(estimator).set_params(kernel="precomputed")).input_tags.pairwise)


def code_revision(estimator: Any) -> str:
    """Return what identifies the code of an estimator, and of those among its parameters.

    For ours the hash of the modules it is made of, so a comment or docstring changes nothing and a
    formula does; for a package's the version; for a loose module the hash of its source.
    """
    inner = {
        type(value) for value in estimator.get_params().values() if hasattr(value, "get_params")
    }
    return " + ".join([_class_revision(type(estimator)), *sorted(map(_class_revision, inner))])


def _class_revision(found: type) -> str:
    top = found.__module__.partition(".")[0]
    if top == "ensvm":
        return _hash_of_modules(found.__module__)
    package_version = getattr(importlib.import_module(top), "__version__", None)
    return f"{top} {package_version}" if package_version else _hash_of_modules(found.__module__)


@lru_cache
def _hash_of_modules(module: str) -> str:
    seen: dict[str, str] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name not in seen and (path := _source_of(name)) is not None:
            tree = _without_docstrings(ast.parse(path.read_text(encoding="utf-8")))
            seen[name] = ast.dump(tree)
            waiting += [word for word in _imports(tree) if word.startswith("ensvm.")]
    text = "\n".join(f"{name}\n{seen[name]}" for name in sorted(seen))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _source_of(module: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return None
    return Path(spec.origin) if spec and spec.origin and spec.origin.endswith(".py") else None


def _without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node, clean=False) is not None
        ):
            node.body = node.body[1:]
    return tree


def _imports(tree: ast.Module) -> list[str]:
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names
