"""The JSON schemas of configs and cards for editors.

They are made from the models that validate both. What the schema of configs refuses, `ensvm`
refuses too; it accepts more, since only `ensvm` knows which names a study has and which keys go
together.
"""

import inspect
from typing import Any, TypeAlias

from key_blocks import meanings_of, models_of
from pydantic import BaseModel

from ensvm.data.card import DatasetCard
from ensvm.data.own_file import OwnFile
from ensvm.study.config import StudyConfig
from ensvm.study.figures import KINDS
from ensvm.study.source import PARTS

Schema: TypeAlias = dict[str, Any]

# pydantic reads numbers and truth values from texts, and numbers from truth values; YAML 1.2, which
# editors read, takes `yes` for a text where ensvm reads `true`.
NUMBER_TEXT = "[0-9]|[iI][nN][fF]|[nN][aA][nN]"
TRUTH_TEXT = (
    "^([01tTfFyYnN]|[oO][nN]|[oO][fF][fF]|[yY][eE][sS]|[nN][oO]|[tT][rR][uU][eE]"
    "|[fF][aA][lL][sS][eE])$"
)
SWEEP: Schema = {
    "type": "object",
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": {"type": "array", "minItems": 1},
}
BASE = "The study that this one is built on: a shipped study's name, or a file beside the config."


def schema_of_cards() -> Schema:
    """Return the schema of cards."""
    schema = lenient(described(DatasetCard))
    blocks = schema.pop("$defs")
    head = {"$schema": "http://json-schema.org/draft-07/schema#", "title": "A card of a data set"}
    return {**head, **schema, "definitions": blocks}


def described(model: type[BaseModel]) -> Schema:
    """Return the schema of a model and of the blocks in it, with what their keys mean."""
    schema = model.model_json_schema(ref_template="#/definitions/{model}")
    for name, inner in models_of(model).items():
        block = schema if inner is model else schema["$defs"][name]
        block["description"] = inspect.getdoc(inner).partition("\n")[0]
        for key, meaning in meanings_of(inner).items():
            block["properties"][key]["description"] = meaning
    return schema


def schema_of_configs() -> Schema:
    """Return the schema: of a study, of changes to one that `base:` names, or of a part."""
    study = study_schema()
    blocks = study.pop("$defs")
    described = {
        key: {"description": value["description"]} for key, value in study["properties"].items()
    }
    of_changes = {
        "properties": {
            "study": study["properties"]["study"],
            "base": {"type": "string"},
            **{key: value for key, value in described.items() if key != "study"},
        },
        "required": ["study"],
    }
    of_changes["properties"]["base"]["description"] = BASE
    of_part = {"properties": {key: study["properties"][key] for key in PARTS}}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A config of ensvm",
        "type": "object",
        # a file of the config's folder, such as mine/claims.yaml
        "if": {"propertyNames": {"enum": list(PARTS)}},
        "then": of_part,
        "else": {
            "if": {"required": ["base"]},
            "then": of_changes,
            "else": {"$ref": "#/definitions/Study"},
        },
        "definitions": {"Study": study, **blocks},
    }


def study_schema() -> Schema:
    """Return the schema of a whole study, with those of its blocks under `$defs`."""
    schema = described(StudyConfig)
    blocks = schema["$defs"]
    _short_panels(blocks)
    schema["properties"]["figures"]["items"] = _by_kind()
    blocks["Dataset"] = _data_set(blocks.pop("DatasetConfig"))
    schema["properties"]["datasets"]["items"] = {
        "anyOf": [{"type": "string"}, {"$ref": "#/definitions/Dataset"}]
    }
    blocks["AlgorithmConfig"] = _swept(blocks["AlgorithmConfig"])
    del blocks["SweepConfig"]
    blocks["ClaimConfig"] = _single_test(blocks["ClaimConfig"], blocks["ClaimTest"])
    schema["properties"]["findings"]["items"] = {
        "anyOf": [{"type": ["string", "integer"]}, {"$ref": "#/definitions/FindingConfig"}]
    }
    return lenient(schema)


def _single_test(claim: Schema, test: Schema) -> Schema:
    """Return the schema of a claim, beside whose id the keys of a single test may stand."""
    own = {key: value for key, value in claim["properties"].items() if key != "tests"}
    flat = {
        **claim,
        "properties": {**test["properties"], **own},
        "required": ["id", *test["required"]],
    }
    return {"if": {"required": ["tests"]}, "then": claim, "else": flat}


def _short_panels(blocks: dict[str, Schema]) -> None:
    """Accept a name as a panel of figures of lines."""
    for name in ("CurvesConfig", "SweepFigureConfig"):
        panels = blocks[name]["properties"]["panels"]
        panels["items"] = {"anyOf": [{"type": "string"}, panels["items"]]}


def _by_kind() -> Schema:
    """Return the schema of a figure, whose keys depend on its `kind:`."""
    names = {"sweep": "SweepFigure"}
    return {
        "type": "object",
        "properties": {"kind": {"enum": list(KINDS)}},
        "allOf": [
            {
                "if": {
                    "properties": {"kind": {"const": kind}},
                    # without a kind, a figure is one of curves
                    **({} if kind == "curves" else {"required": ["kind"]}),
                },
                "then": {"$ref": f"#/definitions/{names.get(kind, kind.title())}Config"},
            }
            for kind in KINDS
        ],
    }


def _data_set(block: Schema) -> Schema:
    """Return the schema of a data set; one with files of the user's own has more keys."""
    del block["required"]  # the name may be taken from the card or the file
    card_keys = list(block["properties"])
    own = OwnFile.model_json_schema()["properties"]
    for key, meaning in meanings_of(OwnFile).items():
        if key not in block["properties"]:
            # Only the choices: the other values are checked when the file is read.
            choices = {"enum": [*own[key]["enum"], None]} if "enum" in own[key] else {}
            block["properties"][key] = {**choices, "description": meaning}
    block["additionalProperties"] = False
    swept = _swept(block)
    named = {"anyOf": [{"required": [key]} for key in ("path", "train", "openml")]}
    return {"if": {"not": named}, "then": {"propertyNames": {"enum": card_keys}}, **swept}


def _swept(block: Schema) -> Schema:
    """Return the schema of a block that may have a `sweep:`, which may set any of its keys."""
    block["properties"]["sweep"] |= SWEEP
    block["properties"]["sweep"].pop("anyOf")
    loose = {
        key: value if key == "sweep" else {"description": value["description"]}
        for key, value in block["properties"].items()
    }
    return {
        "allOf": [
            {
                "if": {"required": ["sweep"]},
                "then": {"properties": loose, "additionalProperties": False},
                "else": block,
            }
        ]
    }


def lenient(schema: Any) -> Any:
    """Return a schema that accepts what pydantic converts, without titles and defaults of null."""
    if isinstance(schema, list):
        return [lenient(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {
        key: {name: lenient(inner) for name, inner in value.items()}
        if key in ("properties", "$defs")
        else lenient(value)
        for key, value in schema.items()
        if key != "title" and not (key == "default" and value is None)
    }
    match schema.get("type"):
        case "integer" | "number" as kind:
            return {**rest, "type": [kind, "string", "boolean"], "pattern": NUMBER_TEXT}
        case "boolean":
            types = ["boolean", "number", "string"]
            return {**rest, "type": types, "minimum": 0, "maximum": 1, "pattern": TRUTH_TEXT}
    return rest
