"""What the blocks of a config share: names, and unknown keys refused with a suggestion."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ensvm.data.strict import Strict

Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$")]


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _several(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


Id = Annotated[Name, BeforeValidator(_text)]
"""A name that may be written as a number, such as a figure's."""

Names = Annotated[tuple[str, ...], BeforeValidator(_several)]
"""One name or a list of names."""


class Block(Strict):
    """A block of a config."""


class SweepConfig(Block):
    """What a member of a sweep is part `of`, the `key` that is swept, and its `value`."""

    of: Name
    key: str
    value: int | float | str
