"""Ensembles of SVMs as scikit-learn classifiers, and a runner that reproduces papers."""

from importlib import import_module
from importlib.metadata import version
from typing import Any

from ensvm.classifiers import CLASSIFIERS

__version__ = version("ensvm")

# Functions for notebooks: name -> its module.
STUDIES = {"load_results": "ensvm.notebook.results", "run": "ensvm.notebook.running"}

__all__ = [*CLASSIFIERS, *STUDIES, "__version__"]


def __getattr__(name: str) -> Any:
    # All are imported on first use: scikit-learn would triple the start-up time of the command
    # line.
    module = CLASSIFIERS.get(name) or STUDIES.get(name)
    if module is not None:
        globals()[name] = getattr(import_module(module), name)
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
