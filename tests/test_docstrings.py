"""Docstrings of what packages export are complete (numpydoc) and true, and their examples run."""

import ast
import dataclasses
import doctest
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpydoc.docscrape import NumpyDocString
from numpydoc.validate import validate
from sklearn.base import BaseEstimator
from sklearn.datasets import make_moons

import ensvm
import ensvm.data
from ensvm.classifiers import CLASSIFIERS
from ensvm.classifiers.shared_docs import documented

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["numpydoc_validation"]
EXCLUDED = set(SETTINGS["checks"]) - {"all"}
# What these name in `__all__`, or else what they define without a leading underscore.
EXPORTING = [
    "ensvm",
    "ensvm.experiments",
    "ensvm.notebook.results",
    "ensvm.notebook.running",
    "ensvm.solvers.boosted_expansions",
    "ensvm.solvers.boosting",
    "ensvm.solvers.entropy_projection.accelerated",
    "ensvm.solvers.entropy_projection.tsang_kwok",
    "ensvm.solvers.leverage",
    "ensvm.solvers.multiplicative_update",
    "ensvm.solvers.perceptron_rule",
    "ensvm.solvers.regularization_path.approximate_path",
    "ensvm.solvers.regularization_path.leave_one_out",
    "ensvm.solvers.regularization_path.path",
    "ensvm.solvers.separability",
    "ensvm.solvers.weighted_nu_svm.solver",
    "ensvm.solvers.weighted_nu_svm.weakened",
]


def exported(name: str) -> Iterator[Any]:
    """Yield the functions, compiled ones among them, and the classes that a module exports."""
    module = import_module(name)
    own = [
        key
        for key, value in vars(module).items()
        if not key.startswith("_") and getattr(value, "__module__", None) == name
    ]
    for key in getattr(module, "__all__", own):
        value = getattr(module, key)
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


def entries(thing: Any, *sections: str) -> dict[str, str]:
    """Return the names documented in sections of a docstring, and the types beside them."""
    parsed = NumpyDocString(inspect.getdoc(thing) or "")
    return {
        name: entry.type
        for section in sections
        for entry in parsed[section]
        for name in entry.name.split(", ")
    }


def run_examples(examples: list[doctest.DocTest]) -> None:
    runner = doctest.DocTestRunner()
    for example in examples:
        runner.run(example)
    results = runner.summarize(verbose=False)
    assert results.attempted > 0
    assert results.failed == 0


# What `load_data` and messages bring to users.
SEEN = (ensvm.data.DatasetCard, ensvm.data.Realization, ensvm.data.DataUnavailable)
THINGS = {
    f"{thing.__module__}.{thing.__qualname__}": thing
    for thing in [*SEEN, *(thing for module in EXPORTING for thing in exported(module))]
}
METHODS = [
    f"{path}.{name}"
    for path, thing in THINGS.items()
    if inspect.isclass(thing) and thing not in SEEN
    for name, value in vars(thing).items()
    if not name.startswith("_") and inspect.isfunction(value)
]
ESTIMATORS = {
    thing.__name__: thing
    for thing in THINGS.values()
    if inspect.isclass(thing) and issubclass(thing, BaseEstimator)
}
EVERY_ESTIMATOR = pytest.mark.parametrize("name", ESTIMATORS)


@pytest.mark.parametrize("path", [*THINGS, *METHODS])
def test_docstrings_are_complete(path: str) -> None:
    # Fields of a dataclass are documented as attributes: see the next test.
    excluded = EXCLUDED | ({"PR01"} if fields_of(THINGS.get(path)) else set())
    assert [error for error in validate(path)["errors"] if error[0] not in excluded] == []


@pytest.mark.parametrize("path", [path for path in THINGS if fields_of(THINGS[path])])
def test_every_field_is_documented(path: str) -> None:
    thing = THINGS[path]
    assert fields_of(thing) <= {*entries(thing, "Parameters", "Attributes")}


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize(
    "path",
    [path for path, thing in THINGS.items() if ">>>" in (inspect.getdoc(thing) or "")],
)
def test_examples_run(path: str) -> None:
    thing = THINGS[path]
    finder = doctest.DocTestFinder(recurse=False)
    run_examples(finder.find(thing, path, module=sys.modules[thing.__module__]))


@pytest.mark.parametrize(
    "path",
    [
        path
        for path, thing in THINGS.items()
        if not inspect.isclass(thing) or thing in ESTIMATORS.values()
    ],
)
def test_the_defaults_documented_are_those_of_the_signature(path: str) -> None:
    documented = {
        name: eval(kind.rpartition(", default ")[2], {"np": np, "sqrt": np.sqrt})
        for name, kind in entries(THINGS[path], "Parameters").items()
        if ", default " in kind
    }
    assert documented == {
        name: parameter.default
        for name, parameter in inspect.signature(THINGS[path]).parameters.items()
        if parameter.default is not parameter.empty
    }


@EVERY_ESTIMATOR
def test_every_estimator_has_an_example(name: str) -> None:
    assert ">>>" in ESTIMATORS[name].__doc__


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@EVERY_ESTIMATOR
def test_the_attributes_documented_are_those_of_a_fitted_estimator(name: str) -> None:
    estimator = ESTIMATORS[name]()
    sizes = {"n_estimators", "n_replicates"} & set(estimator.get_params())
    estimator.set_params(**dict.fromkeys(sizes, 3))  # few members, for speed
    X, y = make_moons(40, noise=0.1, random_state=0)
    estimator.fit(pd.DataFrame(X, columns=["one", "two"]), y)
    fitted = {key for key in vars(estimator) if key.endswith("_") and key[0] != "_"}
    assert {*entries(ESTIMATORS[name], "Attributes")} == fitted


@EVERY_ESTIMATOR
def test_a_notebook_shows_what_its_parameters_mean(name: str) -> None:
    """scikit-learn reads the docstring for it, and warns of sections that it does not know."""
    html = ESTIMATORS[name]()._repr_html_()
    assert all(parameter in html for parameter in inspect.signature(ESTIMATORS[name]).parameters)


@EVERY_ESTIMATOR
def test_a_wrong_keyword_names_the_class_that_was_called(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name}\."):
        ESTIMATORS[name](no_such_parameter=1)


def test_completing_a_docstring_drops_no_section_of_it() -> None:
    for path in sorted((ROOT / "ensvm" / "classifiers").glob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and node.name in ESTIMATORS:
                own = re.findall(r"^([A-Z].*)\n-{3,}$", ast.get_docstring(node) or "", re.MULTILINE)
                heads = re.findall(r"^(.*)\n-{3,}$", ESTIMATORS[node.name].__doc__, re.MULTILINE)
                assert {*own} <= {*heads}, node.name


@EVERY_ESTIMATOR
def test_see_also_names_estimators(name: str) -> None:
    named = NumpyDocString(inspect.getdoc(ESTIMATORS[name]) or "")["See Also"]
    assert {one for functions, _ in named for one, _ in functions} <= {*ESTIMATORS} - {name}


@EVERY_ESTIMATOR
def test_a_notebook_shows_no_link_to_the_pages_of_another_package(name: str) -> None:
    """Ours have no public address: see CONTRIBUTING.md."""
    assert "href=" not in ESTIMATORS[name]()._repr_html_()


def test_a_class_without_a_docstring_stays_as_it_is() -> None:
    """`python -OO` takes docstrings away."""

    class Bare(ensvm.WeightedNuSVC):
        pass

    assert documented(Bare).__doc__ is None


def test_the_examples_of_the_page_run() -> None:
    text = (ROOT / "docs" / "look-up" / "classifiers.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    parser = doctest.DocTestParser()
    run_examples([parser.get_doctest("".join(blocks), {}, "classifiers.md", None, 0)])


def test_type_checkers_see_every_public_name() -> None:
    """`ensvm` imports its names on first use, which editors cannot follow."""
    tree = ast.parse((ROOT / "ensvm" / "__init__.py").read_text(encoding="utf-8"))
    (for_type_checkers,) = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        alias.asname: node.module
        for node in for_type_checkers.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == {**CLASSIFIERS, **ensvm.STUDIES}


def test_every_function_inside_another_says_what_it_does() -> None:
    """A reader of the outer one meets it first. Those of modules and classes are linted."""
    sources = [*(ROOT / "ensvm").rglob("*.py"), *(ROOT / "cli").rglob("*.py")]
    functions = (
        (path, node)
        for path in sources
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    )
    silent = {
        f"{path.relative_to(ROOT)}: {outer.name}.{inner.name}"
        for path, outer in functions
        for inner in ast.walk(outer)
        if isinstance(inner, ast.FunctionDef) and ast.get_docstring(inner) is None
        if inner is not outer
    }
    assert silent == set()
