"""The lists of keys on the pages of docs/reference/keys.

A page is written by hand, with examples. Below a heading, `<!-- keys: MODEL -->` begins the list of
the keys of a model: what is accepted, the default and the meaning come from the model, an example
from the pages or a shipped config or card.
"""

import inspect
import re
import textwrap
import typing
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from numpydoc.docscrape import NumpyDocString
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ensvm.data.card import DatasetCard
from ensvm.data.generators import Circle, Fournorm, Squares
from ensvm.data.own_file import OwnFile
from ensvm.data.splits import Split
from ensvm.kernels.named_kernels import KERNELS
from ensvm.shipped import shipped_configs, shipped_datasets
from ensvm.study.config import StudyConfig
from ensvm.study.source import YamlSource

Model = type[BaseModel]
ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference"
FOLDER = REFERENCE / "keys"
PAGES = sorted(FOLDER.glob("*.md"))
YAML_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
WIDTH = 118
A_BLOCK = "block: "
# What keys accept that a model takes as they are, and checks later.
ACCEPTED = {
    "inputs": "columns, each with an encoding",
    "estimator": "name or block",
    "pipeline": "list of names or blocks",
    "keep": "`predictions`",
}
CHECKED_LATER = {"split": Split, "options": Circle | Fournorm | Squares}
NOT_REQUIRED = ("DatasetConfig", "name")  # it may follow from another key
SPACE = "\ue000"  # stands for a space at which no line is broken
LONGEST_EXAMPLE = 64


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


# A config writes a sweep in a form of its own, which its page explains.
MODELS = {**models_of(StudyConfig), **models_of(OwnFile), **models_of(DatasetCard)}
del MODELS["SweepConfig"]


def list_of_keys(name: str) -> str:
    """Return the keys of a model, one entry each."""
    model = MODELS[name]
    properties = properties_of(model)
    meanings = meanings_of(model)
    entries = []
    for key, field in keys_of(model).items():
        accepted = in_words(properties[key])
        if name in ("AlgorithmConfig", "StudyConfig") or key == "inputs":
            accepted = ACCEPTED.get(key, accepted)
        required = "required" * (field.is_required() and (name, key) != NOT_REQUIRED)
        default = (
            "" if field.is_required() else _default(field.get_default(call_default_factory=True))
        )
        facts = "; ".join(filter(None, [accepted, required, default]))
        example = examples().get((name, key))
        text = f"**`{key}`** ({facts}). {meanings[key]}"
        text += f" Example: `{example}`" if example else ""
        entries.append(_item(text))
    return "\n".join(entries)


def list_of_kernels(_: str) -> str:
    """Return the kernels that a config may name, with their formulas."""
    return "\n".join(
        _item(f"`{name}`: `{row.formula}`; reads {', '.join(map('`{}`'.format, row.parameters))}.")
        if row.parameters
        else _item(f"`{name}`: `{row.formula}`.")
        for name, row in KERNELS.items()
    )


def list_of_blocks(name: str) -> str:
    """Return the keys of a model with their pages, and the keys inside them."""
    properties = properties_of(MODELS[name])
    lines = []
    for key in keys_of(MODELS[name]):
        inside = list(dict.fromkeys(re.findall(r"\$defs/(\w+)", str(properties[key]))))
        inside = [each for each in inside if each != "SweepConfig"]
        page = headings()[inside[0]][0] if inside else address_of(name)
        first_sentence = meanings_of(MODELS[name])[key].partition(". ")[0].rstrip(".")
        lines.append(_item(f"[`{key}:`]({page}) {first_sentence}."))
        keys = dict.fromkeys(inner for each in inside for inner in keys_of(MODELS[each]))
        if keys:
            lines.append(textwrap.indent(_item(", ".join(f"`{inner}`" for inner in keys)), "  "))
    return "\n".join(lines)


def properties_of(model: Model) -> dict[str, Any]:
    """Return the JSON schemas of the keys of a model."""
    schema = model.model_json_schema()
    if "properties" not in schema:  # a model that leads to itself
        schema = schema["$defs"][model.__name__]
    properties: dict[str, Any] = schema["properties"]
    return properties


def _item(text: str) -> str:
    """Return an entry of a list, wrapped, with code on one line."""
    whole = re.sub(r"`[^`]+`", lambda match: match[0].replace(" ", SPACE), f"- {text}")
    lines = textwrap.wrap(
        whole, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines).replace(SPACE, " ")


def _default(value: Any) -> str:
    """Return a default as text, empty if a key without a value is just not given."""
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(value, BaseModel) or "Panel" in repr(value) or value in (None, "", [], {}):
        return ""
    return f"default `{flow(value)}`"


def in_words(schema: dict[str, Any]) -> str:
    """Return what a schema accepts, in words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name == "SweepConfig":
            return "[a key with a list of values](sweeps.md)"
        return f"{A_BLOCK}[{title_of(name)}]({address_of(name)})"
    for union in ("anyOf", "oneOf"):
        if union in schema:
            members = [each for each in schema[union] if each.get("type") != "null"]
            return _joined(list(dict.fromkeys(map(in_words, members))))
    if "enum" in schema:
        return _joined([f"`{flow(value)}`" for value in schema["enum"]])
    if "const" in schema:
        return f"`{flow(schema['const'])}`"
    match schema.get("type"):
        case "integer" | "number" as kind:
            return ("whole " if kind == "integer" else "") + "number" + _bounds(schema)
        case "boolean":
            return "`true` or `false`"
        case "string":
            pattern = schema.get("pattern", "")
            return "64 hexadecimal digits" if "0-9a-f" in pattern else "name" if pattern else "text"
        case "array":
            of_entry = in_words(schema["items"]) if schema.get("items") else "values"
            of_entry = of_entry.replace(A_BLOCK, "blocks: ")
            return "list of " + re.sub(r"\b(text|name|number)\b", r"\1s", of_entry)
        case "object":
            inner = [
                schema.get("additionalProperties"),
                *schema.get("patternProperties", {}).values(),
            ]
            words = [in_words(each) for each in inner if isinstance(each, dict)]
            return f"names, each with {words[0]}" if words and words[0] != "value" else "block"
    return "value"


def _bounds(schema: dict[str, Any]) -> str:
    words = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most"}
    return "".join(f", {word} {schema[key]:g}" for key, word in words.items() if key in schema)


def _joined(words: list[str]) -> str:
    blocks = [word.removeprefix(A_BLOCK) for word in words if word.startswith(A_BLOCK)]
    if len(blocks) > 1:
        return _joined(
            [*(word for word in words if A_BLOCK not in word), A_BLOCK + _joined(blocks)]
        )
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    text = yaml.safe_dump(
        value, default_flow_style=True, width=10**9, allow_unicode=True, sort_keys=False
    )
    return text.strip().removesuffix("\n...").strip()


@cache
def headings() -> dict[str, tuple[str, str]]:
    """Return the name of the page and the heading of each model's keys."""
    found = {}
    for page in PAGES:
        heading = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                heading = line.lstrip("# ")
            elif match := re.match(r"<!-- keys: (\w+) -->", line):
                found[match[1]] = (page.name, heading)
    return found


def address_of(name: str) -> str:
    """Return the page and the heading of a model's keys, from the folder of these pages."""
    page, heading = headings()[name]
    anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    return f"{page}#{anchor}"


def title_of(name: str) -> str:
    """Return what the heading of a model's keys calls it."""
    _, heading = headings()[name]
    plain = re.match(r"[A-Z][a-z]*\b", heading)  # not NumPy, ARFF
    title = heading[0].lower() + heading[1:] if plain else heading
    return re.sub(r"^(keys of )?(a |an |the )?", "", title)


def yaml_blocks(page: Path) -> list[str]:
    """Return the blocks of YAML of a page."""
    return YAML_BLOCK.findall(page.read_text(encoding="utf-8"))


@cache
def examples() -> dict[tuple[str, str], str]:
    """Return an example of each key: the first on the pages, or the shortest that is shipped."""
    found: dict[tuple[str, str], str] = {}
    for place in _from_pages():
        for name, key, text in place:
            found.setdefault((name, key), text)
    shipped: dict[tuple[str, str], list[str]] = {}
    for path in sorted(shipped_configs().glob("*.yaml")):
        for name, key, text in _used(StudyConfig, YamlSource(path).content):
            shipped.setdefault((name, key), []).append(text)
    for path in sorted(shipped_datasets().glob("*.yaml")):
        for name, key, text in _used(DatasetCard, yaml.safe_load(path.read_text(encoding="utf-8"))):
            shipped.setdefault((name, key), []).append(text)
    for place_of, texts in shipped.items():
        found.setdefault(place_of, min(texts, key=len))
    return {place_of: text for place_of, text in found.items() if len(text) <= LONGEST_EXAMPLE}


def _from_pages() -> Iterator[Iterator[tuple[str, str, str]]]:
    for page in PAGES:
        for text in yaml_blocks(page):
            content = yaml.safe_load(text)
            yield _used(DatasetCard if "licence" in content else StudyConfig, content)


def _used(annotation: Any, value: Any) -> Iterator[tuple[str, str, str]]:
    """Yield the model, the key and `key: value` for each key in a content of a type."""
    models = _models_in(annotation)
    if isinstance(value, list):
        for each in value:
            yield from _used(annotation, each)
    elif isinstance(value, dict) and models:
        model = next((each for each in models if _fits(each, value)), None)
        if model is None:  # names, each with a block
            for each in value.values():
                yield from _used(annotation, each)
            return
        fields = keys_of(model)
        if model.__name__ == "DatasetConfig":
            fields = keys_of(OwnFile) | fields
        for key, inner in value.items():
            if key in fields:
                owner = model if key in keys_of(model) else OwnFile
                yield owner.__name__, key, f"{key}: {flow(inner)}"
                if key in keys_of(OwnFile) and {"path", "train", "openml"} & {*value}:
                    yield "OwnFile", key, f"{key}: {flow(inner)}"
                yield from _used(CHECKED_LATER.get(key) or fields[key].annotation, inner)


def _fits(model: Model, value: dict[str, Any]) -> bool:
    """Return whether a block has only keys of a model, and the kind that the model is of."""
    accepted = {*keys_of(model)}
    if model.__name__ == "DatasetConfig":
        accepted |= {*keys_of(OwnFile)}
    if not accepted.issuperset(value):
        return model is StudyConfig
    for key in ("kind", "protocol", "type", "name"):
        field = model.model_fields.get(key)
        if field is not None and typing.get_origin(field.annotation) is typing.Literal:
            kinds = typing.get_args(field.annotation)
            if value.get(key, field.default) not in kinds:
                return False
    return True


def _models_in(annotation: Any) -> list[Model]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in typing.get_args(annotation) for model in _models_in(part)]


MAKERS = {"keys": list_of_keys, "kernels": list_of_kernels, "tree": list_of_blocks}
