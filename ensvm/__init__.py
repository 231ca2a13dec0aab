"""Ensembles of SVMs as scikit-learn classifiers, and a runner that reproduces papers."""

from importlib import import_module
from importlib.metadata import version
from typing import Any

from ensvm.classifiers import CLASSIFIERS

__version__ = version("ensvm")

__all__ = [*CLASSIFIERS, "__version__"]


def __getattr__(name: str) -> Any:
    # Classifiers are imported on first use: scikit-learn would triple the start-up time of the
    # command line.
    if name in CLASSIFIERS:
        globals()[name] = getattr(import_module(CLASSIFIERS[name]), name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
