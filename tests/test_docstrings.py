"""Docstrings of the public classes are complete and true, and their examples run."""

import ast
import doctest
import inspect
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import validate
from sklearn.datasets import make_moons

import ensvm
from ensvm.classifiers import CLASSIFIERS

CLASSES = [name for name in ensvm.__all__ if inspect.isclass(getattr(ensvm, name))]
ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["numpydoc_validation"]
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


def test_the_examples_of_the_page_run() -> None:
    text = (ROOT / "docs" / "classifiers.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    example = doctest.DocTestParser().get_doctest("".join(blocks), {}, "classifiers.md", None, 0)
    assert example.examples
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def test_type_checkers_see_every_public_name() -> None:
    """`ensvm` imports its names on first use, which tells an editor nothing of them."""
    tree = ast.parse((ROOT / "ensvm" / "__init__.py").read_text(encoding="utf-8"))
    (told,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.asname: node.module
        for node in told.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {**CLASSIFIERS, **ensvm.STUDIES}


@pytest.mark.parametrize("name", CLASSES)
def test_a_notebook_shows_what_its_parameters_mean(name: str) -> None:
    """scikit-learn reads the docstring for it, and warns of sections that it does not know."""
    found = getattr(ensvm, name)
    html = found()._repr_html_()
    assert all(parameter in html for parameter in inspect.signature(found).parameters)


@pytest.mark.parametrize("name", CLASSES)
def test_a_wrong_keyword_names_the_class_that_was_called(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name}\."):
        getattr(ensvm, name)(no_such_parameter=1)


@pytest.mark.parametrize("name", CLASSES)
def test_the_defaults_documented_are_those_of_the_signature(name: str) -> None:
    found = getattr(ensvm, name)
    signature = inspect.signature(found).parameters
    documented = {
        parameter.name: ast.literal_eval(parameter.type.rpartition(", default ")[2])
        for parameter in ClassDoc(found)["Parameters"]
    }
    assert documented == {name: parameter.default for name, parameter in signature.items()}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", CLASSES)
def test_the_attributes_documented_are_those_of_a_fitted_classifier(name: str) -> None:
    found = getattr(ensvm, name)
    classifier = found()
    sizes = {"n_estimators", "n_replicates", "n_rounds"} & set(classifier.get_params())
    classifier.set_params(**dict.fromkeys(sizes, 3))  # few members, for speed
    X, y = make_moons(40, noise=0.1, random_state=0)
    classifier.fit(pd.DataFrame(X, columns=["one", "two"]), y)
    fitted = {name for name in vars(classifier) if name.endswith("_") and name[0] != "_"}
    assert {attribute.name for attribute in ClassDoc(found)["Attributes"]} == fitted
