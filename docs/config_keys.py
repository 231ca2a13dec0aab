"""The keys of configs and cards as the lists on the pages of keys: `make generated` writes them.

Each block of a config is a pydantic model, whose docstring says under `Attributes` what its keys
mean. Types are written in the words of YAML, and each key gets its default and its limits, which
the model knows.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import cleandoc
from textwrap import fill
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ensvm.data.card import DatasetCard
from ensvm.study.config import StudyConfig

# The first block of each page of keys, and the keys of a study whose blocks have another page
CARD, STUDY = "cards", "study"
ROOTS: dict[str, tuple[str, type[BaseModel]]] = {
    STUDY: ("", StudyConfig),
    CARD: ("", DatasetCard),
}
PAGE_OF = {
    "datasets": "data",
    "algorithms": "algorithms",
    "tables": "tables",
    "figures": "figures",
    "claims": "papers",
    "assumptions": "papers",
    "readings": "papers",
    "findings": "papers",
    "abstract": "papers",
}
PAGES = {
    STUDY: "the study itself, its kernel and timing, and what all its data sets share",
    "data": "data sets, by a card's name or of your own files",
    "algorithms": "algorithms and their parameters",
    "tables": "tables, their columns, and the rows that sum them up",
    "figures": "figures, kind by kind",
    "papers": "what a paper claims and leaves open, and what came out",
    CARD: "cards of data sets: files and their formats, splits, generators",
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


@dataclass(frozen=True)
class Place:
    """Where a block of a config is explained.

    Attributes
    ----------
    page : str
        The name of the page of keys.
    name : str
        Where the block stands in a config, such as `tables.columns`; empty for a whole file.
    heading : str
        The heading above its keys: the name, and what tells the block from others there.
    """

    page: str
    name: str
    heading: str

    @property
    def link(self) -> str:
        """The link to the block from the page of all keys."""
        label = self.heading or {STUDY: "a study", CARD: "a card"}[self.page]
        anchor = re.sub(r"[^\w\- ]", "", self.heading.lower()).replace(" ", "-")
        return f"[{label}](keys/{self.page}.md{f'#{anchor}' if anchor else ''})"


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


def places() -> dict[type[BaseModel], Place]:
    """Return where each block is explained: at the first place where it stands."""
    found: dict[type[BaseModel], Place] = {}
    for root_page, root in ROOTS.items():
        for name, models in blocks_of(*root):
            kinds = list(filter(None, map(_kind, reversed(models))))
            heading = name + (kinds[0] if name and kinds else "")
            page = PAGE_OF.get(name.split(".")[0], STUDY) if root_page == STUDY else root_page
            found.setdefault(models[-1], Place(page, name, heading))
    return found


def list_of_keys(page: str) -> str:
    """Return the blocks of a page with their keys in Markdown; without a page, all keys by name."""
    if not page:
        return f"{_list_of_pages()}\n\n## Every key by name\n\n{_index()}"
    blocks, lines = places(), list[str]()
    for model, place in blocks.items():
        if place.page == page:
            lines += [f"## {place.heading}"] if place.heading else []
            lines += [about(model), *_lines_of(model, blocks)]
    return "\n\n".join(lines)


def _list_of_pages() -> str:
    """Return the pages of keys with what each is about."""
    return "\n".join(
        _wrapped(f"- [{page.capitalize()}](keys/{page}.md): {what}.", "  ")
        for page, what in PAGES.items()
    )


def _index() -> str:
    """Return all keys by name as a table, each with links to the blocks that have it."""
    links = dict[str, list[str]]()
    for model, place in places().items():
        for name, field in model.model_fields.items():
            links.setdefault(field.alias or name, []).append(place.link)
    lines = [f"| `{key}` | {', '.join(links[key])} |" for key in sorted(links)]
    return "\n".join(["| key | blocks that have it |", "|:--|:--|", *lines])


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


def _lines_of(model: type[BaseModel], blocks: dict[type[BaseModel], Place]) -> Iterator[str]:
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


def _facts(type_name: str, field: FieldInfo, blocks: dict[type[BaseModel], Place]) -> str:
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


def _wrapped(text: str, indent: str = "") -> str:
    return fill(
        " ".join(text.split()),
        118,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
