"""The base of every block of YAML, in cards and in configs."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from ensvm.data.errors import near_miss


class Strict(BaseModel):
    """A frozen block of keys; an unknown key is refused with a suggestion.

    The context of the error has the `key` and those `known`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, given: Any) -> Any:
        known = cls._known_keys(given) if isinstance(given, dict) else None
        if known is None:
            return given
        for key in given:
            if key not in known:
                message = (
                    f"unknown key {key!r}{near_miss(key, known)} (accepted: {', '.join(known)})"
                )
                raise PydanticCustomError("unknown_key", message, {"key": str(key), "known": known})
        return given

    @classmethod
    def _known_keys(cls, block: dict[str, Any]) -> list[str] | None:
        """Return the keys a block may have; None leaves them to who reads the rest of it."""
        return [field.alias or name for name, field in cls.model_fields.items()]
