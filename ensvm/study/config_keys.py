"""Every key of a config and a card: where it stands, what it accepts, and what it means.

Each block of a config is a pydantic model, whose docstring says under `Attributes` what its keys
mean. Types are written in the words of YAML, and each key gets its default and its limits, which
the model knows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ensvm.data.card import DatasetCard
from ensvm.study.block import KIND_KEYS
from ensvm.study.config import StudyConfig

# What a file describes, and its outermost block
ROOTS: dict[str, type[BaseModel]] = {"a study": StudyConfig, "a card": DatasetCard}
KEY = re.compile(r"(?P<name>[a-z]\w*(?:, [a-z]\w*)*) : (?P<type>.+)")
SECTION = re.compile(r"\n\n(\w+)\n-{3,}\n")
WORDS = (
    (r"\btuples?\b", "list"),
    (r"\b(?:mapping|dict) of str to\b", "names, each with"),
    (r"\b(?:mapping|dict)\b", "block"),
    (r",? or None\b", ""),
    (r"\bstr\b", "text"),
    (r"\bint\b", "whole number"),
    (r"\bfloat\b", "number"),
    (r"\bbool\b", "true or false"),
    (r"\bFigureConfig\b", "`figures`"),
    (r"\bFormat\b", "block"),
)
LIMITS = {"ge": "at least", "gt": "above", "le": "at most", "lt": "below"}


@dataclass(frozen=True)
class BlockPlace:
    """Where a block stands.

    Attributes
    ----------
    root : str
        What the block is a part of: a name of `ROOTS`.
    name : str
        Where the block stands there, such as `tables.columns`; empty for a whole file.
    kind : str
        What tells the block from others at its place, such as `kind: map`; empty if it is alone.
    """

    root: str
    name: str
    kind: str

    @property
    def heading(self) -> str:
        """The name with the kind; for a whole file, what it is."""
        return ", ".join(filter(None, [self.name or self.root, self.kind]))


@dataclass(frozen=True)
class Key:
    """A key of a block: its name, what it accepts with limits and default, and its meaning."""

    name: str
    facts: str
    meaning: str


def blocks_of(place: str, *outer: type[BaseModel]) -> Iterator[tuple[str, list[type[BaseModel]]]]:
    """Yield a block and all blocks inside it, each with its place and the blocks around it."""
    yield place, [*outer]
    for name, field in outer[-1].model_fields.items():
        for model in _models_in(field.annotation):
            if model not in outer:
                yield from blocks_of(f"{place}.{field.alias or name}".lstrip("."), *outer, model)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def places() -> dict[type[BaseModel], BlockPlace]:
    """Return where each block stands, the first place if there are several."""
    found: dict[type[BaseModel], BlockPlace] = {}
    for root, outermost in ROOTS.items():
        for name, models in blocks_of("", outermost):
            kinds = filter(None, map(_kind, reversed(models)))
            found.setdefault(models[-1], BlockPlace(root, name, next(kinds, "") if name else ""))
    return found


def _kind(model: type[BaseModel]) -> str:
    """Return the key that tells a block from others at its place, such as `kind: map`."""
    for name in (*KIND_KEYS, "name"):  # generators have a name
        field = model.model_fields.get(name)
        values = get_args(field.annotation) if field else ()
        if values and all(isinstance(value, str) for value in values):
            return f"{name}: {' or '.join(values)}"
    return ""


def about(model: type[BaseModel]) -> str:
    """Return what the docstring of a block says before its sections."""
    return SECTION.split(cleandoc(model.__doc__ or ""))[0]


def keys_in(model: type[BaseModel], blocks: dict[type[BaseModel], BlockPlace]) -> Iterator[Key]:
    """Yield the keys of a block; required ones come first, those of a shared part among them."""
    explained = keys_of(model)
    for name, field in sorted(
        model.model_fields.items(), key=lambda each: not each[1].is_required()
    ):
        type_name, meaning = explained[name if name in explained else field.alias or name]
        yield Key(field.alias or name, _facts(type_name, field, blocks), meaning)


def keys_of(model: type[BaseModel]) -> dict[str, tuple[str, str]]:
    """Return the type and the meaning of each key that the docstrings of a block explain."""
    keys: dict[str, tuple[str, str]] = {}
    for base in model.__mro__:
        _, *sections = SECTION.split(cleandoc(base.__doc__ or ""))
        of_base = dict(zip(sections[::2], sections[1::2], strict=True)).get("Attributes", "")
        names: list[str] = []
        for line in of_base.splitlines():
            if match := KEY.fullmatch(line):
                names = [name for name in match["name"].split(", ") if name not in keys]
                keys |= dict.fromkeys(names, (match["type"], ""))
            for name in names if line.startswith("    ") else ():
                keys[name] = (keys[name][0], f"{keys[name][1]} {line.strip()}".strip())
    return keys


def _facts(type_name: str, field: FieldInfo, blocks: dict[type[BaseModel], BlockPlace]) -> str:
    """Return the type of a key in words, its limits, and its default."""
    for pattern, word in WORDS:
        type_name = re.sub(pattern, word, type_name)
    for model, place in blocks.items():
        word = f"`{place.name}`" if place.name else "block"
        type_name = re.sub(rf"\b{model.__name__}\b", word, type_name)
    limits = [
        f"{word} {getattr(limit, name):g}"
        for limit in field.metadata
        for name, word in LIMITS.items()
        if hasattr(limit, name)
    ]
    default = field.default if not field.default_factory else None
    shown = isinstance(default, str | int | float) and default != ""
    written = str(default).lower() if isinstance(default, bool) else default
    needed = "required" if field.is_required() else f"default {written}" if shown else ""
    return "; ".join(filter(None, [type_name, *limits, needed]))
