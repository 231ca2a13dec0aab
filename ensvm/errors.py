"""Errors that a user can mend, and the base of all YAML blocks, which reports them."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

# pydantic adds the chosen tag after these keys; readers do not write it
_TAGGED = ("split", "format", "generator")
FLAGS = " (YAML reads yes, no, on, off as true or false: put names in quotes)"


class Refused(Exception):
    """Why one place does not serve a file, in one line."""


class UserError(ValueError):
    """An error that the user can correct: wrong input, a busy folder, a damaged file.

    The message names the file or the data set, the key, the value and what is accepted. The
    command prints it alone, without a traceback, and ends with exit status 2.

    Examples
    --------
    >>> from ensvm.errors import UserError
    >>> from ensvm.data import find_card
    >>> try:
    ...     find_card("germann")
    ... except UserError as error:
    ...     print(str(error)[:58])
    data set 'germann' is unknown; did you mean 'german'? (nea
    """


class DataUnavailable(UserError):
    """A data set that no provider could serve.

    Parameters
    ----------
    name : str
        The name of the data set.
    reasons : list of str
        Why each provider that was asked does not serve it, a line each.
    how_to_get : str
        What a user can do to get the data set, in one line.

    Examples
    --------
    >>> from ensvm.data import DataUnavailable
    >>> print(DataUnavailable("w2a", ["url: offline"], "download w2a"))
    data set 'w2a' could not be loaded.
      - url: offline
      To get it: download w2a
    """

    def __init__(self, name: str, reasons: list[str], how_to_get: str) -> None:
        self.name = name
        self.reasons = reasons
        self.how_to_get = how_to_get
        tried = "".join(f"\n  - {reason}" for reason in reasons)
        message = f"data set {name!r} could not be loaded.{tried}\n  To get it: {how_to_get}"
        super().__init__(message)

    def __reduce__(self) -> tuple[type, tuple[str, list[str], str]]:
        """Let the error travel between processes."""
        return type(self), (self.name, self.reasons, self.how_to_get)


def near_miss(name: str, accepted: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" for the accepted name nearest to `name`, or an empty string."""
    near = difflib.get_close_matches(str(name), [str(other) for other in accepted], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def explain(error: ValidationError, subject: str) -> UserError:
    """Return a pydantic error as one readable message: key, value and what is accepted."""
    lines = [f"{subject}: {_one(detail)}" for detail in error.errors(include_url=False)]
    return UserError("\n".join(dict.fromkeys(lines)))


def _one(detail: Any) -> str:
    loc = (*detail["loc"], *([detail["ctx"]["key"]] if detail["type"] == "flag" else []))
    key = ".".join(str(part) for i, part in enumerate(loc) if i == 0 or loc[i - 1] not in _TAGGED)
    message = message_of(detail)
    return f"{key}: {message}" if key else message


def message_of(detail: Any) -> str:
    """Return one of pydantic's errors as a message: the value, and what is accepted."""
    context, value = detail.get("ctx", {}), detail["input"]
    match detail["type"]:
        case "union_tag_invalid":
            # pydantic quotes the tags: 'random', 'kfold'
            return _accepted(context["tag"], context["expected_tags"])
        case "literal_error":
            return _accepted(value, context["expected"].replace(" or ", ", "))
        case "missing":
            return "is missing"
        case "union_tag_not_found":
            return f"{value!r} does not say which {context['discriminator']}"
    message = str(detail["msg"]).removeprefix("Value error, ")
    if detail["type"] in ("value_error", "unknown_key", "flag"):
        return message
    message = f"{message[:1].lower()}{message[1:]}"
    if isinstance(value, dict | list):
        return message
    if isinstance(value, bool) and detail["type"] in ("string_type", "model_type"):
        message += FLAGS
    return f"{value!r:.60} is not accepted: {message}"


def _accepted(value: Any, quoted: str) -> str:
    accepted = quoted.replace("'", "").split(", ")
    hint = near_miss(value, accepted)
    return f"{value!r} is not accepted; accepted: {', '.join(accepted)}{hint}"


def _takes_flags(annotation: Any) -> bool:
    """Return whether a type, or a part of it, accepts true and false."""
    inner = (_takes_flags(part) for part in get_args(annotation))
    return annotation is bool or annotation is Any or any(inner)


class Strict(BaseModel):
    """A frozen block of keys; an unknown key, `key` in the error's context, is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    former: ClassVar[
        Mapping[str, str]
    ] = {}  # keys of earlier versions, and how they are written now

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, block: Any) -> Any:
        accepted = cls._known_keys(block) if isinstance(block, dict) else None
        if accepted is None:
            return block
        for key in block:
            if key not in accepted:
                if key in cls.former:
                    message = f"the key {key!r} is no longer accepted: {cls.former[key]}"
                    raise PydanticCustomError("unknown_key", message, {"key": str(key)})
                hint = f"{near_miss(key, accepted)} (accepted: {', '.join(accepted)})"
                message = f"unknown key {key!r}{hint}"
                raise PydanticCustomError("unknown_key", message, {"key": str(key)})
        return block

    @model_validator(mode="before")
    @classmethod
    def _no_flags_for_numbers(cls, block: Any) -> Any:
        """Refuse true and false for a key that does not take them: pydantic reads 1 and 0."""
        for key, value in block.items() if isinstance(block, dict) else ():
            field = cls.model_fields.get(key)
            if isinstance(value, bool) and field and not _takes_flags(field.annotation):
                raise PydanticCustomError("flag", f"{value} is not accepted{FLAGS}", {"key": key})
        return block

    @classmethod
    def _known_keys(cls, block: dict[str, Any]) -> list[str] | None:
        """Return the keys a block may have; None leaves them to who reads the rest of it."""
        return [field.alias or name for name, field in cls.model_fields.items()]
