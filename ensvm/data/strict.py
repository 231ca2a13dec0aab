"""The base of every part of a card."""

from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator

from ensvm.data.errors import near_miss


class Strict(BaseModel):
    """A part of a card: frozen, unknown keys refused with a suggestion."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys_only(cls, given: Any) -> Any:
        if isinstance(given, dict):
            for key in given:
                if key not in cls.model_fields:
                    hint = near_miss(key, cls.model_fields)
                    raise ValueError(f"unknown key {key!r}{hint} (accepted: {', '.join(cls.model_fields)})")
        return given
