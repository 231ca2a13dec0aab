"""How an iterative solver ended: what a fitted classifier keeps of it, and when it warns."""

import sys
import warnings
from dataclasses import dataclass
from typing import Any

from sklearn.exceptions import ConvergenceWarning

INNER_MODULES = ("ensvm.classifiers.", "sklearn.")  # a warning points at the line that called these


@dataclass(frozen=True)
class Ending:
    """How a solver ended."""

    n_iter: int
    stop_reason: str
    converged: bool
    message: str = ""
    """Text of the ConvergenceWarning; "" for the default text."""
    planned: bool = False
    """Whether the number of steps is a parameter of the method: using them all up is no failure."""


def keep_ending(estimator: Any, ending: Ending) -> None:
    """Set `n_iter_`, `stop_reason_` and `converged_`, and warn if the solver was cut short.

    An ending with a message of its own always warns.
    """
    estimator.n_iter_ = ending.n_iter
    estimator.stop_reason_ = ending.stop_reason
    estimator.converged_ = ending.converged
    if ending.message or not (ending.converged or ending.planned):
        name = type(estimator).__name__
        default = f"{name} stopped after {ending.n_iter} steps ({ending.stop_reason})"
        warnings.warn(ending.message or default, ConvergenceWarning, _callers_level())


def _callers_level() -> int:
    """Return the `stacklevel` of the first frame outside `INNER_MODULES`, for my caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and f"{frame.f_globals.get('__name__', '')}.".startswith(INNER_MODULES):
        level, frame = level + 1, frame.f_back
    return level
