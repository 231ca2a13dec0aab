"""What every block of a config's words shares: names, and unknown keys refused with a suggestion."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from ensvm.data.errors import near_miss

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")]


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Id = Annotated[Name, BeforeValidator(_text)]
"""A name that may be written as a number, such as a figure's."""

Names = Annotated[tuple[str, ...], BeforeValidator(_several)]
"""One name or a list of names."""


class Words(BaseModel):
    """A block of the config: unknown keys are refused with the accepted ones and a suggestion."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, block: Any) -> Any:
        if isinstance(block, dict) and cls.model_config.get("extra") == "forbid":
            known = [field.alias or name for name, field in cls.model_fields.items()]
            for key in block:
                if key not in known:
                    message = f"unknown key; accepted here: {', '.join(known)}{near_miss(str(key), known)}"
                    raise PydanticCustomError("unknown_key", message, {"key": str(key)})
        return block
