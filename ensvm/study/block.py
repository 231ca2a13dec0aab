"""What the blocks of a config share: types of names, the mark of keys that name, and errors."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args, get_origin

from annotated_types import MinLen
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo

from ensvm.study.source import Location
from ensvm.yaml_block import Strict, readable

# Keys that say which of several kinds a block is, and so which other keys it has
KIND_KEYS = ("kind", "protocol", "type")
# Names become names of files, which most systems end at 255 bytes, endings and all.
LONGEST_NAME = 100
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$", max_length=LONGEST_NAME)]


# Windows keeps these names for devices, with any ending, and drops a point at the end. Results and
# pages have files of the other names beside the studies' own.
_RESERVED = re.compile(r"(con|prn|aux|nul|(com|lpt)\d)(\..*)?|.*\.|index|shipped", re.IGNORECASE)


def is_reserved(name: str) -> bool:
    """Return whether a folder of results, or a page, must not have a name on some system."""
    return _RESERVED.fullmatch(name) is not None


def _for_files(name: str) -> str:
    if is_reserved(name):
        raise ValueError(
            f"{name!r} cannot be the name of a folder of results on all systems; choose another"
        )
    return name


StudyName = Annotated[Name, AfterValidator(_for_files)]
"""The name of a study, which its folder of results and its page have, too."""


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def as_tuple(value: Any) -> Any:
    """Return one name as a tuple of one."""
    return (value,) if isinstance(value, str) else value


def copy_name(name: str, variant: str) -> str:
    """Return the name of the copy of a data set or an algorithm that a variant runs.

    No name of a config has a "~". Whether something is a copy is said by its `copy_of`.
    """
    return f"{name}~{variant}"


def is_copy_name(name: str) -> bool:
    """Return whether a name can only be that of a copy, which a variant runs."""
    return "~" in name


Id = Annotated[Name, BeforeValidator(_text)]
"""A name that may be written as a number, such as a figure's."""

Names = Annotated[tuple[str, ...], BeforeValidator(as_tuple)]
"""One name or a list of names."""


GoneNames: TypeAlias = Mapping[str, Collection[str]]
"""Names that a study does not have any more, by their kind."""


Sweeps: TypeAlias = Mapping[str, Mapping[str, int | float | str]]
"""The members of each sweep with their values."""


@dataclass(frozen=True)
class NameOf:
    """Marks a key whose value names things of the study: a name, a list, or a mapping by names.

    The mark is the only place that says so. By it, `ensvm.study.names` refuses names that the study
    lacks, lets a sweep stand for its members, and drops names that a study built on another lacks.
    """

    what: str  # "data set", "algorithm" or another kind that `StudyNames.of` knows
    values: str = ""  # of a mapping, the kind of the names in its values
    checked: bool = True  # else the block's own check refuses unknown names
    # Whether the block is repeated for each member of a sweep that is named here; else only lists
    # and mappings take the name of a sweep, and a single name is that of one thing.
    repeats: bool = False
    unless: str = ""  # a key or property: if it is not None, a sweep does not stand for its members
    # What goes if nothing of a name or a list is left: the block or the key; or it is left empty.
    if_gone: Literal["block", "key", "empty"] = "block"

    def left(self, value: Any, gone: GoneNames) -> Any:
        """Return a name, list or mapping without the names that are gone; None if none is left."""
        names = gone.get(self.what, ())
        if isinstance(value, list):
            return [name for name in value if str(name) not in names] or (None if value else value)
        if not isinstance(value, dict):
            return None if str(value) in names else value
        inner = NameOf(self.values) if self.values else None
        left = {
            name: kept
            for name, each in value.items()
            if str(name) not in names
            and (kept := inner.left(each, gone) if inner else each) is not None
        }
        return left if left or not value else None


def mark_of(field: FieldInfo) -> NameOf | None:
    """Return the mark of a key that names things of the study."""
    return next((mark for mark in field.metadata if isinstance(mark, NameOf)), None)


DataSets = Annotated[Names, NameOf("data set")]
Algorithms = Annotated[Names, NameOf("algorithm")]


def refusals(error: ValidationError) -> list[tuple[Location, str]]:
    """Return the location of each error, from the block on, and its message."""
    errors = readable(error)

    def has_one_inside(location: Location) -> bool:
        """Return whether an error follows from another: a list of wrong entries is too short."""
        n = len(location)
        return any(len(one.location) > n and one.location[:n] == location for one in errors)

    return [
        (one.location if one.unknown_key is None else (*one.location, one.unknown_key), one.message)
        for one in errors
        if one.unknown_key is not None or not has_one_inside(one.location)
    ]


def refusal(error: ValidationError) -> tuple[Location, str]:
    """Return the location of the first error, from the block on, and its message."""
    return refusals(error)[0]


class ConfigBlock(Strict):
    """A block of a config."""

    called: ClassVar[str] = ""  # in messages about a key that stands in another block

    @classmethod
    def _elsewhere(cls, key: str) -> str:
        blocks = [
            block.called
            for block in _blocks_below(ConfigBlock)
            if "called" in vars(block) and block is not cls and key in block._known_keys({})
        ]
        return f"; it is a key of {', '.join(dict.fromkeys(blocks))}" if blocks else ""

    @classmethod
    def long_form(cls, block: Any) -> Any:
        """Return a block as written in YAML with its short forms written out."""
        return block

    @classmethod
    def without(cls, block: Any, gone: GoneNames) -> Any:
        """Return a block as written in YAML without the names that are `gone`.

        Returns None if the block says nothing without them.
        """
        block = cls.long_form(block)
        if not isinstance(block, dict):
            return block
        fields = {field.alias or name: field for name, field in cls.model_fields.items()}
        kept: dict[str, Any] = {}
        for key, value in block.items():
            field = fields.get(str(key))
            mark = None if field is None else mark_of(field)
            if field is None or value is None or (mark and mark.unless in block):
                kept[key] = value
                continue
            rest = _without_blocks(field, value, gone) if mark is None else mark.left(value, gone)
            if rest is not None:
                kept[key] = rest
            elif mark.if_gone == "block" if mark else _is_needed(field):
                return None
            elif mark and mark.if_gone == "empty":
                kept[key] = type(value)()
        return kept

    def for_members(self, sweeps: Sweeps) -> list[Self]:
        """Return the block once for each member of the sweeps of algorithms that it is made of."""
        return [self]

    @model_validator(mode="before")
    @classmethod
    def _written_out(cls, block: Any) -> Any:
        return cls.long_form(block)


def _blocks_below(block: type[ConfigBlock]) -> Iterator[type[ConfigBlock]]:
    """Yield the blocks that are derived from a block."""
    for derived in block.__subclasses__():
        yield derived
        yield from _blocks_below(derived)


class SweepConfig(ConfigBlock):
    """What a member of a sweep is part `of`, the `key` that is swept, and its `value`.

    A config writes `sweep: {KEY: [VALUE, ...]}`; each member then has such a block.

    Attributes
    ----------
    of : str
        The name of the sweep.
    key : str
        The last step of the key that differs between the members.
    value : int, float or str
        The value of this member.
    """

    of: Name
    key: str
    value: int | float | str


def _models(
    annotation: Any, tag: str | None = None
) -> Iterator[tuple[str | None, type[ConfigBlock]]]:
    """Yield the blocks of a type, each with its tag in a union."""
    if isinstance(annotation, type) and issubclass(annotation, ConfigBlock):
        yield tag, annotation
    for part in get_args(annotation):
        tags = (mark.tag for mark in get_args(annotation)[1:] if isinstance(mark, Tag))
        yield from _models(part, next(tags, tag))


def _without_blocks(field: FieldInfo, value: Any, gone: GoneNames) -> Any:
    """Return a block, or a list or mapping of blocks, without names; None if nothing is left."""
    models = list(_models(field.annotation))
    if not models:
        return value

    def without(block: Any) -> Any:
        """Return a block without the names; its kind decides which keys have names."""
        of_kind = block.get("kind", "curves") if isinstance(block, dict) else None
        model = next((model for tag, model in models if tag == of_kind), models[0][1])
        return model.without(block, gone)

    if isinstance(value, list):
        blocks = [kept for block in value if (kept := without(block)) is not None]
        return blocks if blocks or not value else None
    if isinstance(value, dict) and get_origin(field.annotation) is dict:
        return {name: kept for name, each in value.items() if (kept := without(each)) is not None}
    return without(value)


def _is_needed(field: FieldInfo) -> bool:
    return field.is_required() or any(isinstance(limit, MinLen) for limit in field.metadata)
