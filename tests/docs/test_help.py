"""What `help()` and error messages say of every public name."""

import inspect
import re

import pytest

import ensvm
import ensvm.experiments


def public_functions():
    for module in (ensvm, ensvm.experiments):
        for name in module.__all__:
            item = getattr(module, name)
            if callable(item):
                yield name, item
            if inspect.isclass(item):
                for key, method in inspect.getmembers(item, inspect.isroutine):
                    if not (
                        key.startswith("_") or re.fullmatch("set_.*_request", key)
                    ):  # sklearn's
                        yield f"{name}.{key}", method


@pytest.mark.parametrize("item", [pytest.param(item, id=name) for name, item in public_functions()])
def test_a_signature_can_be_read_in_help(item):
    signature = inspect.signature(item)
    assert "numpy._" not in str(signature)
    assert "typing." not in str(signature)
    assert all(len(str(parameter)) <= 90 for parameter in signature.parameters.values())
    assert len(str(signature.replace(parameters=()))) <= 60


@pytest.mark.parametrize("name", [name for name in ensvm.__all__ if name[0].isupper()])
def test_errors_name_the_class_that_was_called(name):
    kind = getattr(ensvm, name)
    X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
    with pytest.raises(ValueError, match=name):
        kind().predict(X)  # scikit-learn's NotFittedError is a ValueError
    for parameter in kind._parameter_constraints:
        with pytest.raises(ValueError, match=name):
            kind(**{parameter: object()}).fit(X, y)


def test_help_of_the_package_names_all_that_it_offers():
    assert [name for name in ensvm.__all__ if name not in ensvm.__doc__] == ["__version__"]
    assert [
        name for name in ensvm.experiments.__all__ if name not in ensvm.experiments.__doc__
    ] == []
