"""The base of all YAML blocks, and what pydantic finds wrong in them as messages for users."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from ensvm.errors import UserError, did_you_mean
from ensvm.hints import VALUES

# pydantic adds the chosen tag after these keys; readers do not write it
_TAGGED = ("split", "format", "generator")
# What is accepted, in words, by the types of pydantic's errors, and by the forms of names.
_WHOLE, _NUMBER, _FLAG, _BLOCK = (
    "a whole number",
    "a number",
    "true or false",
    "a block of keys, as {{key: value}}",
)
_ACCEPTED = {
    "string_type": "text",
    "string_too_long": "text of at most {max_length} characters",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing"), _NUMBER),
    "finite_number": "a finite number",
    **dict.fromkeys(("bool_type", "bool_parsing"), _FLAG),
    **dict.fromkeys(("tuple_type", "list_type"), "a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), _BLOCK),
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "{ge:g} or more",
    "less_than": "less than {lt:g}",
    "less_than_equal": "{le:g} or less",
    "too_short": "{min_length} or more entries",
    "too_long": "at most {max_length} entries",
}
_FORMS = {
    r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$": (
        "a letter or digit, then letters, digits and _ . + -; `title:` and `label:` take any text"
    ),
    r"^[A-Za-z0-9][\w.+-]*$": "a letter or digit, then letters, digits and _ . + -",
    r"^[a-z0-9][a-z0-9-]*$": "a small letter or digit, then small letters, digits and -",
    "^[0-9a-f]{64}$": "64 hexadecimal digits",
}
# How pydantic names a type of a union, behind the location of the value.
_TYPE = re.compile(
    r"(str|int|float|bool)$|(constrained|function|is-instance)-|(literal|tuple|list|dict)\[|[A-Z]"
)
MOST_MISTAKES = 200  # of one file; finding what each means takes time, and nobody reads more
MISSING = "is missing"  # the message about a key that must be given
FLAGS = " (YAML reads yes, no, on, off as true or false: put names in quotes)"


def explain(error: ValidationError, subject: str) -> UserError:
    """Return a pydantic error as readable lines: subject, key, value and what is accepted."""
    lines, keys = list[str](), list[str]()
    for loc, message, unknown_key in readable(error):
        keys.append(str(loc[0] if loc else unknown_key or ""))
        key = ".".join(str(p) for i, p in enumerate(loc) if i == 0 or loc[i - 1] not in _TAGGED)
        lines.append(f"{subject}: {key}: {message}" if key else f"{subject}: {message}")
    return UserError("\n".join(dict.fromkeys(lines)), keys[0])


Location: TypeAlias = tuple[str | int, ...]


class Readable(NamedTuple):
    """An error in a block: where the value or the block stands, and the message for users."""

    location: Location
    message: str
    unknown_key: str | None  # in the block at this location


def readable(error: ValidationError) -> list[Readable]:
    """Return the errors that pydantic found, with messages for users.

    pydantic reports a value that fits no type of a union once for each type; this is one message.
    """
    found: list[Readable] = []
    rest = error.errors(include_url=False)[:MOST_MISTAKES]
    while rest:
        first, *others = rest
        if any(inner := [_is_of_another_type(first, other) for other in others]):
            # The value has one of the types, and an error inside: that error says more.
            n = len(first["loc"]) - 1
            rest = [
                {**each, "loc": each["loc"][:n] + each["loc"][n + 1 :]} if is_inner else each
                for each, is_inner in zip(others, inner, strict=True)
            ]
            continue
        union = [other for other in others if _are_of_one_union(first, other)]
        rest = [other for other in others if not any(other is each for each in union)]
        loc = first["loc"][:-1] if union else first["loc"]
        # `[key]` is how pydantic marks a mapping's key, which is not in the file.
        loc = tuple(part for part in loc if part != "[key]")
        if first["type"] == "flag":
            loc = (*loc, *first["ctx"]["place"])
        elif first["type"] == "union_tag_invalid" and first["ctx"]["discriminator"] == "_kind()":
            loc = (*loc, "kind")
        if union and (accepted := list(filter(None, map(_accepted, [first, *union])))):
            message = _refused(first["input"], " or ".join(dict.fromkeys(accepted)))
        else:
            message = _message(first)
        key = first["ctx"]["key"] if first["type"] == "unknown_key" else None
        found.append(Readable(loc, message, key))
    return found


def _are_of_one_union(one: Any, other: Any) -> bool:
    """Return whether two errors are about one value, which fits neither of two types."""
    alike = one["loc"][:-1] == other["loc"][:-1] and one["input"] is other["input"]
    return alike and all(_TYPE.match(str(each["loc"][-1])) for each in (one, other))


def _is_of_another_type(one: Any, other: Any) -> bool:
    """Return whether an error is inside a value that does not have the type of another one."""
    n = len(one["loc"]) - 1
    inside = len(other["loc"]) > n + 1 and other["loc"][:n] == one["loc"][:n]
    return inside and all(_TYPE.match(str(each["loc"][n])) for each in (one, other))


def _message(detail: Any) -> str:
    """Return one of pydantic's errors as a message."""
    context, value = detail.get("ctx", {}), detail["input"]
    match detail["type"]:
        case "union_tag_invalid":
            # pydantic quotes the tags: 'random', 'kfold'
            return _refused_name(context["tag"], context["expected_tags"])
        case "literal_error":
            return _refused_name(value, context["expected"].replace(" or ", ", "))
        case "missing":
            return MISSING
        case "union_tag_not_found":
            key = context["discriminator"].strip("'")
            return f"`{key}:` is missing: it says which one is meant"
    if accepted := _accepted(detail):
        message = _refused(value, accepted)
        if isinstance(value, bool):
            return message + FLAGS
        if isinstance(value, str) and detail["type"] in ("list_type", "tuple_type"):
            return f"{message}, [{value:.60}]"
        is_number = isinstance(value, int | float) and detail["type"] == "string_type"
        return f"{message}; write '{value}' in quotes" if is_number else message
    message = str(context["error"] if detail["type"] == "value_error" else detail["msg"])
    is_named = not isinstance(value, str | int | float) or str(value) in message
    return message if is_named else f"{value!r:.60} is not accepted; {message}"


def _accepted(detail: Any) -> str:
    """Return what one of pydantic's errors says is accepted, in words; empty for other errors."""
    context = detail.get("ctx", {})
    if detail["type"] == "string_pattern_mismatch":
        return _FORMS.get(context["pattern"], f"text of the form {context['pattern']}")
    if detail["type"] == "literal_error":
        return str(context["expected"]).replace("'", "").replace(" or ", ", ")
    return _ACCEPTED.get(detail["type"], "").format(**context)


def _refused(value: Any, accepted: str) -> str:
    return f"{value!r:.60} is not accepted; accepted: {accepted}"


def _refused_name(value: Any, quoted: str) -> str:
    accepted = quoted.replace("'", "").split(", ")
    hint = VALUES.get(str(value), "")  # of any key: it must name a word that this key accepts
    fits = any(f"`{name}`" in hint for name in accepted)
    hint = f"; {hint}" if fits else did_you_mean(value, accepted)
    return _refused(value, ", ".join(accepted)) + hint


def _takes_flags(annotation: Any) -> bool:
    """Return whether a type, or a part of it, accepts true and false, or is a block of its own."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return True
    inner = (_takes_flags(part) for part in get_args(annotation))
    return annotation is bool or annotation is Any or any(inner)


def _flags_in(value: Any, place: Location) -> Iterator[tuple[Location, bool]]:
    """Yield the truth values in nested lists and mappings, each with its place."""
    if isinstance(value, bool):
        yield place, value
    elif isinstance(value, list | dict):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _flags_in(inner, (*place, key))


class Strict(BaseModel):
    """A frozen block of keys; its numbers are finite.

    An unknown key, `key` in the error's context, is refused.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    hints: ClassVar[Mapping[str, str]] = {}  # for keys that it does not have

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, block: Any) -> Any:
        if not isinstance(block, dict):
            return block
        accepted = cls._known_keys(block)
        for key in block:
            if key not in accepted:
                similar = cls._elsewhere(str(key)) or did_you_mean(key, accepted)
                similar += f" (accepted: {', '.join(accepted)})"
                hint = f"; {cls.hints[key]}" if key in cls.hints else similar
                message = f"unknown key {key!r}{hint}"
                raise PydanticCustomError("unknown_key", message, {"key": str(key)})
        return block

    @model_validator(mode="before")
    @classmethod
    def _no_flags_for_numbers(cls, block: Any) -> Any:
        """Refuse true and false for a key that does not take them: pydantic reads 1 and 0.

        Lists and mappings of such a key are looked through.
        """
        for key, value in block.items() if isinstance(block, dict) else ():
            field = cls.model_fields.get(key)
            if field is None or _takes_flags(field.annotation):
                continue
            for place, flag in _flags_in(value, (key,)):
                raise PydanticCustomError(
                    "flag", f"{flag} is not accepted{FLAGS}", {"place": place}
                )
        return block

    @classmethod
    def _elsewhere(cls, key: str) -> str:
        """Return a semicolon and the blocks that have a key; empty if no other block has it."""
        return ""

    @classmethod
    def _known_keys(cls, block: dict[str, Any]) -> list[str]:
        """Return the keys that a block may have."""
        return [field.alias or name for name, field in cls.model_fields.items()]
