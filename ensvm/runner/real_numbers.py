"""Whole numbers where a parameter is a real number: `C: 1` and `C: 1.0` are the same value."""

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from ensvm.runner.estimators import GRIDS, owner_of
from ensvm.study.algorithms import is_spec


def with_real_numbers(estimator: Any, params: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters with whole numbers as floats where only a real number can be meant.

    `estimator` was made with these parameters. It says by scikit-learn's constraints what it
    accepts: a `max_features` of 1 is a number of columns, and one of 1.0 is a share, so they stay.
    """
    parts = estimator.get_params()
    return {
        key: _with_real_numbers(owner_of(parts, key, estimator), key, value, parts.get(key))
        for key, value in params.items()
    }


def grid_of_real_numbers(estimator: Any, grid: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a grid over parameters of an estimator in the same way."""
    if grid is None:
        return None
    parts = estimator.get_params()
    changed = dict(grid)
    for key, values in grid.items():
        if isinstance(values, list):  # and not a distribution
            owner = owner_of(parts, key, estimator)
            changed[key] = [_with_real_numbers(owner, key, value) for value in values]
    return changed


def _with_real_numbers(owner: Any, key: str, value: Any, made: Any = None) -> Any:
    """Return the value of a parameter of `owner`; `made` is what was made of it."""
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value) if _is_real(owner, key.rpartition("__")[2]) else value
    if isinstance(value, Mapping) and is_spec(value) and hasattr(made, "get_params"):
        return block_of_real_numbers(made, value)
    if key in GRIDS and hasattr(owner, "estimator"):
        grids = value if isinstance(value, list) else [value]
        changed = [grid_of_real_numbers(owner.estimator, grid) for grid in grids]
        return changed if isinstance(value, list) else changed[0]
    # such as named parts
    if (
        isinstance(made, list | tuple)
        and isinstance(value, list | tuple)
        and len(made) == len(value)
    ):
        return [_with_real_numbers(None, "", *each) for each in zip(value, made, strict=True)]
    return value


def block_of_real_numbers(made: Any, block: Any) -> Any:
    """Return the name or the block of an estimator with its parameters in the same way."""
    if isinstance(block, str):
        return block
    changed = dict(block)
    if "params" in block:
        changed["params"] = with_real_numbers(made, block["params"])
    if "pipeline" in block:
        changed["pipeline"] = [
            block_of_real_numbers(part, step)
            for step, (_, part) in zip(block["pipeline"], made.steps, strict=True)
        ]
    return changed


def _is_real(owner: Any, name: str) -> bool:
    """Return whether an estimator declares that a parameter takes real and no whole numbers."""
    constraints = getattr(owner, "_parameter_constraints", None) or {}
    kinds = {getattr(each, "type", each) for each in constraints.get(name) or ()}
    return Real in kinds and not kinds & {Integral, int}
