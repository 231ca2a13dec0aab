"""Every docstring that the lower rooms export is complete and true, and its examples run."""

import dataclasses
import doctest
import inspect
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate

# What these name in `__all__`, or else what they define without a leading underscore.
EXPORTING = [
    "ensvm.data",
    "ensvm.data.generators.draws",
    "ensvm.data.scaling",
    "ensvm.data.splits",
    "ensvm.kernels",
    "ensvm.kernels.low_rank",
    "ensvm.notebook.results",
    "ensvm.notebook.running",
    "ensvm.notebook.shown",
    "ensvm.solvers.signed_gram",
    "ensvm.solvers.boosted_expansions",
    "ensvm.solvers.boosting",
    "ensvm.solvers.entropy_projection",
    "ensvm.solvers.leverage",
    "ensvm.solvers.linear_smo",
    "ensvm.solvers.multiplicative_update",
    "ensvm.solvers.one_vs_one",
    "ensvm.solvers.perceptron",
    "ensvm.solvers.platt_scaling",
    "ensvm.solvers.regularization_path",
    "ensvm.solvers.separability",
    "ensvm.solvers.weighted_nu_svm",
]
SETTINGS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["tool"][
    "numpydoc_validation"
]


def exported(module: str) -> Iterator[Any]:
    """Yield the functions, compiled ones among them, and the classes that a module exports."""
    found = import_module(module)
    own = [
        name
        for name, value in vars(found).items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module
    ]
    for name in getattr(found, "__all__", own):
        value = getattr(found, name)
        # An alias of a type, as of `str`, is documented where the type is.
        if hasattr(value, "__qualname__") and value.__module__.startswith("ensvm."):
            yield value


def fields_of(thing: Any) -> set[str]:
    """Return the public fields of a dataclass, a named tuple or a block of YAML, if it is one."""
    if dataclasses.is_dataclass(thing):
        names = {field.name for field in dataclasses.fields(thing)}
    else:
        names = {*getattr(thing, "_fields", ()), *getattr(thing, "model_fields", ())}
    return {name for name in names if not name.startswith("_")}


THINGS = {
    f"{thing.__module__}.{thing.__qualname__}": thing
    for module in EXPORTING
    for thing in exported(module)
}
METHODS = [
    f"{place}.{name}"
    for place, thing in THINGS.items()
    if inspect.isclass(thing)
    for name, value in vars(thing).items()
    if not name.startswith("_") and inspect.isfunction(value)
]


@pytest.mark.parametrize("place", [*THINGS, *METHODS])
def test_docstrings_are_complete(place: str) -> None:
    excluded = set(SETTINGS["checks"]) - {"all"}
    if fields_of(THINGS.get(place)):
        excluded.add("PR01")  # its fields are attributes: see the next test
    errors = validate(place)["errors"]
    assert [error for error in errors if error[0] not in excluded] == []


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    "place", [place for place in THINGS if ">>>" in (inspect.getdoc(THINGS[place]) or "")]
)
def test_examples_run(place: str) -> None:
    thing = THINGS[place]
    finder = doctest.DocTestFinder(recurse=False)
    runner = doctest.DocTestRunner()
    for test in finder.find(thing, place, module=sys.modules[thing.__module__]):
        runner.run(test)
    assert runner.summarize(verbose=False).attempted > 0
    assert runner.summarize(verbose=False).failed == 0


@pytest.mark.parametrize("place", [place for place in THINGS if fields_of(THINGS[place])])
def test_every_field_is_documented(place: str) -> None:
    parsed = NumpyDocString(inspect.getdoc(THINGS[place]) or "")
    documented = {
        name
        for section in ("Parameters", "Attributes")
        for entry in parsed[section]
        for name in entry.name.split(", ")
    }
    assert fields_of(THINGS[place]) - documented == set()


@pytest.mark.parametrize("place", [place for place in THINGS if not inspect.isclass(THINGS[place])])
def test_the_defaults_documented_are_those_of_the_signature(place: str) -> None:
    signature = inspect.signature(THINGS[place]).parameters
    parsed = NumpyDocString(inspect.getdoc(THINGS[place]) or "")
    documented = {
        entry.name: eval(entry.type.rpartition(", default ")[2], {"np": np, "sqrt": np.sqrt})
        for entry in parsed["Parameters"]
        if ", default " in entry.type
    }
    assert documented == {
        name: parameter.default
        for name, parameter in signature.items()
        if parameter.default is not parameter.empty
    }
