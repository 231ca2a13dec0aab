"""The keys of configs and cards as the list on the page *Keys*: `make generated` writes it.

Each block of a config is a pydantic model, whose docstring says under `Attributes` what its keys
mean. Types are written in the words of YAML, and each key gets its default and its limits, which
the model knows.
"""

import re
from collections.abc import Iterator
from inspect import cleandoc
from textwrap import fill
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ensvm.data.card import DatasetCard
from ensvm.data.own_file import OwnFile
from ensvm.study.config import StudyConfig

ROOTS: dict[str, tuple[str, type[BaseModel]]] = {
    "A study": ("", StudyConfig),
    "A data set of your own files": ("datasets", OwnFile),
    "A card": ("", DatasetCard),
}
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


def blocks_of(place: str, *outer: type[BaseModel]) -> Iterator[tuple[str, type[BaseModel]]]:
    """Yield a block and all blocks inside it, each with its place such as `tables.columns`."""
    yield place, outer[-1]
    for name, field in outer[-1].model_fields.items():
        for model in _models_in(field.annotation):
            if model not in outer:
                yield from blocks_of(f"{place}.{field.alias or name}".lstrip("."), *outer, model)


def _models_in(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in get_args(annotation) for model in _models_in(part)]


def places() -> dict[type[BaseModel], tuple[str, str]]:
    """Return each block with the title of its part and its first place there."""
    found: dict[type[BaseModel], tuple[str, str]] = {}
    for title, root in ROOTS.items():
        for place, model in blocks_of(*root):
            found.setdefault(model, (title, place))
    return found


def list_of_keys(_: str = "") -> str:
    """Return all blocks with their keys, in Markdown."""
    blocks, lines = places(), list[str]()
    for model, (title, place) in blocks.items():
        if (part := f"## {title}") not in lines:
            lines.append(part)
        if place:
            lines.append(f"### {place}{_kind(model)}")
        lines += [about(model), *_lines_of(model, blocks)]
    return "\n\n".join(lines)


def _kind(model: type[BaseModel]) -> str:
    """Return the key that tells a block from others at its place, such as `, kind: map`."""
    for name in ("kind", "type", "protocol", "name"):
        field = model.model_fields.get(name)
        values = get_args(field.annotation) if field else ()
        if values and all(isinstance(value, str) for value in values):
            return f", {name}: {' or '.join(values)}"
    return ""


def about(model: type[BaseModel]) -> str:
    """Return what the docstring of a block says before its sections."""
    text = SECTION.split(cleandoc(model.__doc__ or ""))[0]
    return "\n\n".join(_wrapped(paragraph) for paragraph in text.split("\n\n"))


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


def _lines_of(
    model: type[BaseModel], blocks: dict[type[BaseModel], tuple[str, str]]
) -> Iterator[str]:
    """Yield the keys of a block as one list."""
    explained = keys_of(model)
    entries = []
    # Keys that must be given come first, also before those that the block shares with others.
    for name, field in sorted(
        model.model_fields.items(), key=lambda each: not each[1].is_required()
    ):
        type_name, meaning = explained[name if name in explained else field.alias or name]
        facts = _facts(type_name, field, blocks)
        entries.append(_wrapped(f"- **{field.alias or name}** ({facts}): {meaning}", "  "))
    yield "\n".join(entries)


def _facts(type_name: str, field: FieldInfo, blocks: dict[type[BaseModel], tuple[str, str]]) -> str:
    """Return the type of a key in words, its limits, and its default."""
    for pattern, word in WORDS:
        type_name = re.sub(pattern, word, type_name)
    for model, (_, place) in blocks.items():
        type_name = re.sub(rf"\b{model.__name__}\b", f"`{place}`" if place else "block", type_name)
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


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        " ".join(text.split()),
        118,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
