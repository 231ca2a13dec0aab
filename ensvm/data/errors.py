"""Errors that a user can mend, worded for a reader: what is wrong, where, and what would be accepted."""

import difflib
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

_TAGGED = (
    "split",
    "format",
    "generator",
)  # pydantic adds the chosen tag after these keys; readers do not write it


class DataError(ValueError):
    """Something about a data set, a card or a split that the user can mend."""


class DataUnavailable(DataError):
    """A data set that no provider could serve.

    `name` of the data set; `reasons`, one line a provider tried; `how_to_get`, one line for a table
    row.
    """

    def __init__(self, name: str, reasons: list[str], how_to_get: str) -> None:
        """Keep the three parts; the message lists them all."""
        self.name = name
        self.reasons = reasons
        self.how_to_get = how_to_get
        tried = "".join(f"\n  - {reason}" for reason in reasons)
        super().__init__(f"data set {name!r} could not be had.{tried}\n  To get it: {how_to_get}")

    def __reduce__(self) -> tuple[type, tuple[str, list[str], str]]:
        """Let the error travel between processes."""
        return type(self), (self.name, self.reasons, self.how_to_get)


def near_miss(word: str, accepted: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" for the accepted word nearest to `word`, or an empty string."""
    near = difflib.get_close_matches(str(word), [str(other) for other in accepted], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def explain(error: ValidationError, where: str) -> DataError:
    """Turn a pydantic error into one readable message that names the key, the value and what is accepted."""
    lines = [f"{where}: {_one(detail)}" for detail in error.errors(include_url=False)]
    return DataError("\n".join(dict.fromkeys(lines)))


def _one(detail: Any) -> str:
    loc = detail["loc"]
    key = ".".join(str(part) for i, part in enumerate(loc) if i == 0 or loc[i - 1] not in _TAGGED)
    context = detail.get("ctx", {})
    value, message = detail["input"], detail["msg"].removeprefix("Value error, ")
    if detail["type"] == "union_tag_invalid":
        # pydantic quotes the tags: 'random', 'kfold'
        accepted = str(context["expected_tags"]).replace("'", "").split(", ")
        message = f"{context['tag']!r} is not accepted; accepted: {', '.join(accepted)}"
        message += near_miss(context["tag"], accepted)
    elif detail["type"] == "literal_error":
        accepted = str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
        message = f"{value!r} is not accepted; accepted: {', '.join(accepted)}{near_miss(value, accepted)}"
    elif detail["type"] == "missing":
        message = "is missing"
    elif detail["type"] == "union_tag_not_found":
        message = f"{value!r} does not say which {context['discriminator']}"
    elif detail["type"] not in ("value_error", "unknown_key"):
        message = f"{value!r} is not accepted: {message[:1].lower()}{message[1:]}"
    return f"{key}: {message}" if key else message
