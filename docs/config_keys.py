"""The keys of configs and cards, as the page *Keys* shows them.

Each block of a config is a pydantic model, whose docstring says under `Attributes` what its keys
mean. For that page, types are written in the words of YAML, and each key gets its default and its
limits, which the model knows.
"""

import re
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ensvm.data.card import DatasetCard
from ensvm.data.own_file import OwnFile
from ensvm.study.config import StudyConfig

KEY = re.compile(r"(?P<name>[a-z]\w*) : (?P<type>.+)")
WORDS = (
    (r"\btuples?\b", "list"),
    (r"\b(?:mapping|dict) of str to\b", "names, each with"),
    (r"\b(?:mapping|dict)\b", "block"),
    (r",? or None\b", ""),
    (r"\bstr\b", "text"),
    (r"\bint\b", "whole number"),
    (r"\bfloat\b", "number"),
    (r"\bbool\b", "true or false"),
)
MARK = "<!-- all blocks -->"
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


ROOTS = {
    "A study": ("", StudyConfig),
    "A data set of your own files": ("datasets", OwnFile),
    "A card": ("", DatasetCard),
}
MODELS = {model.__name__: model for root in ROOTS.values() for _, model in blocks_of(*root)}
LINKED = re.compile(rf"\b({'|'.join(MODELS)})\b")


def write_blocks(app: object, page: str, source: list[str]) -> None:
    """Write all blocks into their page, in Markdown; one in several places comes once."""
    if MARK not in source[0]:
        return
    sections, shown = [], set()
    for title, root in ROOTS.items():
        sections.append(f"## {title}")
        for place, model in blocks_of(*root):
            if model in shown:
                continue
            shown.add(model)
            if place and f"### {place}" not in sections:
                sections.append(f"### {place}")
            sections.append(f"```{{eval-rst}}\n.. autoclass:: {_path(model)}\n```")
    source[0] = source[0].replace(MARK, "\n\n".join(sections))


def write_keys(
    app: object, what: str, name: str, item: Any, options: object, lines: list[str]
) -> None:
    """Write the keys in the docstring of a block in words, with defaults and limits."""
    if item not in MODELS.values():
        return
    for number, line in enumerate(lines):
        if (match := KEY.fullmatch(line)) and (field := item.model_fields.get(match["name"])):
            key = field.alias or match["name"]
            lines[number] = f"{key} : {_facts(match['type'], field)}"


def _facts(type_name: str, field: FieldInfo) -> str:
    for pattern, word in WORDS:
        type_name = re.sub(pattern, word, type_name)
    linked = LINKED.sub(lambda name: f":class:`{name[1]} <{_path(MODELS[name[1]])}>`", type_name)
    limits = [
        f"{word} {getattr(limit, name):g}"
        for limit in field.metadata
        for name, word in LIMITS.items()
        if hasattr(limit, name)
    ]
    default = field.default if not field.default_factory else None
    shown = not (default is None or default in ("", ()) or isinstance(default, BaseModel))
    written = str(default).lower() if isinstance(default, bool) else default
    needed = "required" if field.is_required() else f"default {written}" if shown else ""
    return "; ".join(filter(None, [linked, *limits, needed]))


def _path(model: type[BaseModel]) -> str:
    return f"{model.__module__}.{model.__name__}"


def without_signature(
    app: object, what: str, name: str, item: Any, *rest: object
) -> tuple[str, str] | None:
    """Return an empty signature for a block or a record, whose keys stand below."""
    is_listed = item in MODELS.values() or name.startswith("ensvm.records.")
    return ("", "") if what == "class" and is_listed else None
