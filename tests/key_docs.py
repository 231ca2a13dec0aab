"""What the models of configs and cards say of their keys: types in words, defaults, meanings."""

import inspect
import typing
from typing import Any

from numpydoc.docscrape import NumpyDocString
from pydantic import BaseModel
from pydantic.fields import FieldInfo

Model = type[BaseModel]


def models_of(model: Model) -> dict[str, Model]:
    """Return a model and all models that its keys lead to, by their names."""
    found: dict[str, Model] = {}

    def walk(annotation: Any) -> None:
        if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
            if annotation.__name__ not in found:
                found[annotation.__name__] = annotation
                for field in annotation.model_fields.values():
                    walk(field.annotation)
            return
        for part in typing.get_args(annotation):
            walk(part)

    walk(model)
    return found


def summary_of(model: Model) -> str:
    """Return the first line of a model's docstring."""
    return (inspect.getdoc(model) or "").partition("\n")[0]


def meanings_of(model: Model) -> dict[str, str]:
    """Return what each key of a model means, from the docstrings of the model and its bases."""
    documented: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base.__doc__:
            for entry in NumpyDocString(inspect.cleandoc(base.__doc__))["Attributes"]:
                text = " ".join(" ".join(entry.desc).split())
                documented.update(dict.fromkeys(entry.name.split(", "), text))
    return {
        field.alias or name: documented[name]
        for name, field in model.model_fields.items()
        if name in documented
    }


def keys_of(model: Model) -> dict[str, FieldInfo]:
    """Return the keys of a model as a config writes them."""
    return {field.alias or name: field for name, field in model.model_fields.items()}
