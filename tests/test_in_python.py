"""What runs in Python until it is compiled computes what machine code computes, to the last bit."""

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import has_fit_parameter

import ensvm
from ensvm import compiled
from ensvm_cli.warm_up import FITS

COMPILED_FILES = sorted(
    path for path in compiled.PACKAGE.rglob("*.py") if compiled.MARK in path.read_bytes()
)
# LinearSMO calls only what is compiled at once.
COMPILING = sorted(
    {name for fits in FITS for name, _ in fits} - {"LinearSMO"} | {"SVMEnsembleClassifier"}
)
# Functions of `math` do not raise an error for the numbers that these call them with.
IN_RANGE = {"finish_row", "fit_sigmoid", "losses"}


def tasks() -> Iterator[tuple[str, NDArray[np.float64], NDArray[np.int64]]]:
    """Yield tasks of the kinds on which solvers branch, small enough for Python."""
    generator = np.random.default_rng(0)
    X = generator.normal(size=(40, 3))
    yield "noisy", X, (X[:, 0] + 0.5 * generator.normal(size=40) > 0.2).astype(int)
    yield "separable", X[:20], (X[:20, 0] > 0.0).astype(int)
    yield "overlapping", X, np.arange(40) % 2
    repeated = np.vstack([X[:15], X[:15]])
    repeated[:, 2] = 1.0
    yield "repeated", repeated, np.arange(30) % 7 // 3 % 2
    yield "one column", np.round(X[:, :1]), (X[:, 0] + generator.normal(size=40) > 0.0).astype(int)
    yield "three classes", X, np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.4, 0.4])
    yield "five classes", X[:25], np.arange(25) % 5


def said_by(classifier: Any, X: NDArray[Any], y: NDArray[Any]) -> dict[str, Any]:
    """Return what a classifier says of its own rows after a fit."""
    weights = np.linspace(1.0, 2.0, len(y))
    more = {"sample_weight": weights} if has_fit_parameter(classifier, "sample_weight") else {}
    fitted = clone(classifier).fit(X, y, **more)
    return {
        method: getattr(fitted, method)(X).tobytes()
        for method in ("predict", "decision_function", "predict_proba")
        if hasattr(fitted, method)
    }


@pytest.mark.slow
@pytest.mark.parametrize("task", list(tasks()), ids=lambda task: task[0])
@pytest.mark.parametrize("name", COMPILING)
def test_a_fit_in_python_equals_one_in_machine_code(
    name: str,
    task: tuple[str, NDArray[np.float64], NDArray[np.int64]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, X, y = task
    classifier = getattr(ensvm, name)()
    if y.max() > 1 and not get_tags(classifier).classifier_tags.multi_class:
        pytest.skip("for two classes")
    fixed = {"random_state": 0, "n_estimators": 3}
    classifier.set_params(**{key: fixed[key] for key in fixed if key in classifier.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with compiled.compiling_at_once():
            expected = said_by(classifier, X, y)
        calls: list[str] = []

        def in_python_always(self: compiled.CompiledFunction, args: tuple[Any, ...]) -> bool:
            calls.append(self.__name__)
            return True

        monkeypatch.setattr(compiled.CompiledFunction, "_runs_in_python", in_python_always)
        assert said_by(classifier, X, y) == expected
    assert calls


def decorated(path: Path) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Yield each compiled function of a file and its decorator."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef):
            decorators = [ast.unparse(each) for each in node.decorator_list]
            if decorators and decorators[0].startswith("compiled"):
                yield node, decorators[0]


@pytest.mark.parametrize("path", COMPILED_FILES, ids=lambda path: path.name)
def test_what_python_would_compute_otherwise_is_compiled_at_once(path: Path) -> None:
    for function, decorator in decorated(path):
        text = ast.unparse(ast.Module(function.body[1:], []))  # without the docstring
        differs = [
            what
            for what in ("math.", "np.linalg", " @ ", ".sum(", ".mean(", " ** ", "np.exp", "np.log")
            if what in text and function.name not in IN_RANGE
        ]
        options = [what for what in ("fastmath", "error_model") if what in decorator]
        if differs or options:
            assert "at_once=True" in decorator, (function.name, differs, options)
