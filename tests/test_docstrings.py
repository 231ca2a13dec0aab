"""Every docstring of a public class is complete in numpydoc's form, and its examples run."""

import doctest
import inspect
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from numpydoc.validate import validate

import ensvm

CLASSES = [name for name in ensvm.__all__ if inspect.isclass(getattr(ensvm, name))]
SETTINGS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["tool"][
    "numpydoc_validation"
]
EXCLUDED = set(SETTINGS["checks"]) - {"all"}


def places(name: str) -> list[str]:
    """Return the import paths of a public class and of its public methods that are ours."""
    found = getattr(ensvm, name)
    path = f"{found.__module__}.{name}"
    methods = [
        method
        for method, value in inspect.getmembers(found, inspect.isfunction)
        if not method.startswith("_") and value.__module__.startswith("ensvm.")
    ]
    return [path, *(f"{path}.{method}" for method in methods)]


@pytest.mark.parametrize("place", [place for name in CLASSES for place in places(name)])
def test_docstrings_are_complete(place: str) -> None:
    errors = validate(place)["errors"]
    assert [error for error in errors if error[0] not in EXCLUDED] == []


@pytest.mark.parametrize("name", CLASSES)
def test_examples_run(name: str) -> None:
    found: Any = getattr(ensvm, name)
    module = sys.modules[found.__module__]
    tests = list(doctest.DocTestFinder(recurse=False).find(found, name, module=module))
    assert sum(len(test.examples) for test in tests) > 0
    runner = doctest.DocTestRunner()
    for test in tests:
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
