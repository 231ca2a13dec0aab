"""What the blocks of a config share: types of names, errors, and what other blocks may name."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ensvm.errors import did_you_mean
from ensvm.study.metrics import (
    MEASURED,
    SEARCH,
    STAGED,
    TRAIN_ERROR,
    is_predicted,
    left_by_fit,
    unknown,
)
from ensvm.study.source import Location, YamlSource
from ensvm.yaml_block import Strict, readable

# Names become names of files, which most systems end at 255 bytes, endings and all.
LONGEST_NAME = 100
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$", max_length=LONGEST_NAME)]


def _text(value: Any) -> Any:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


def as_tuple(value: Any) -> Any:
    """Return one name as a tuple of one."""
    return (value,) if isinstance(value, str) else value


FITTED = ", or a number that the fit leaves, such as n_iter_"  # the end of a message

# In the names of data sets and algorithms that are derived for a reading, between the name and the
# variant; no name of a config has it. Derived ones are run, but shown only if they are named:
# defaults such as all rows skip them.
DERIVED = "~"


def is_derived(*names: str) -> bool:
    """Return whether one of the names is that of a copy which is run for a reading."""
    return any(DERIVED in name for name in names)


Id = Annotated[Name, BeforeValidator(_text, json_schema_input_type=Name | int)]
"""A name that may be written as a number, such as a figure's."""

Names = Annotated[
    tuple[str, ...], BeforeValidator(as_tuple, json_schema_input_type=str | tuple[str, ...])
]
"""One name or a list of names."""


@dataclass(frozen=True)
class NameOf:
    """Marks a key whose value names things of the study: `StudyNames.check` refuses other names.

    Of a mapping, the keys are the names.
    """

    what: str  # "data set", "algorithm" or another kind that `StudyNames.of` knows


DataSets = Annotated[Names, NameOf("data set")]
Algorithms = Annotated[Names, NameOf("algorithm")]


def refusal(error: ValidationError) -> tuple[Location, str]:
    """Return the location of the first error, from the block on, and its message."""
    (location, message, key), *others = readable(error)
    # A list whose only entry is wrong counts as too short, too.
    others = [one for one in others if one.location != location[: len(one.location)]]
    # Members of a sweep repeat the mistake of their entry.
    others = [one for one in others if (one.message, one.location[-1:]) != (message, location[-1:])]
    location = location if key is None else (*location, key)
    more = "another mistake" if len(others) == 1 else f"{len(others)} more mistakes"
    return location, f"{message} (and {more})" if others else message


class ConfigBlock(Strict):
    """A block of a config; its numbers are finite."""

    model_config = ConfigDict(allow_inf_nan=False)


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


@dataclass(frozen=True)
class Asked:
    """What a table, a figure or a claim asks of the records of an algorithm."""

    location: Location  # where the config asks it
    metric: str  # a metric, seconds, or a curve
    algorithms: tuple[str, ...]  # the algorithms that must have it
    curve: bool = False  # whether it is a curve that `record:` keeps, or an entry of one


@dataclass(frozen=True)
class StudyNames:
    """What a block of a study may name in the other blocks."""

    datasets: tuple[str, ...]  # the names of the data sets
    algorithms: Mapping[str, tuple[str, ...]]  # what the `record:` of each algorithm keeps
    # the members of each sweep, with their values
    dataset_sweeps: Mapping[str, Mapping[str, int | float | str]]
    algorithm_sweeps: Mapping[str, Mapping[str, int | float | str]]
    # the ids of its tables, figures, claims, readings and assumptions, by kind
    ids: Mapping[str, tuple[str, ...]]
    timing: bool  # whether the study has a timing pass

    def of(self, what: str) -> Collection[str]:
        """Return the names of one kind, such as "data set" or "table"."""
        return {
            "data set": self.datasets,
            "algorithm": self.algorithms,
            "sweep of data sets": self.dataset_sweeps,
            "sweep of algorithms": self.algorithm_sweeps,
            **self.ids,
        }[what]

    def check(self, value: Any, location: Location, source: YamlSource) -> None:
        """Raise UserError if a block in `value` has a key with a name that the study lacks."""
        if isinstance(value, BaseModel):
            for key, field in type(value).model_fields.items():
                inner = getattr(value, key)
                for mark in field.metadata:
                    if isinstance(mark, NameOf):
                        accepted = self.of(mark.what)
                        source.must_be_one_of((*location, key), mark.what, inner or (), accepted)
                self.check(inner, (*location, key), source)
        elif isinstance(value, dict | tuple):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for part, inner in items:
                self.check(inner, (*location, part), source)

    def must_be_measured(self, source: YamlSource, asked: Asked) -> None:
        """Raise UserError for a metric that records cannot have.

        Names of fitted attributes are accepted: only a fit shows whether they exist.
        """
        metric, location = asked.metric, asked.location
        if asked.curve or metric == TRAIN_ERROR:
            for name in asked.algorithms:
                kept = self.algorithms[name]
                if metric not in kept:
                    hint = f"; write `record: {SEARCH}`" if metric == SEARCH else ""
                    raise source.error(
                        location,
                        f"{metric!r} is not in the `record:` of {name}, which keeps "
                        f"{', '.join(kept) or 'nothing'}{hint or did_you_mean(metric, kept)}",
                    )
        elif metric in STAGED:
            raise source.error(location, f"{metric!r} is a curve; which `stage:` of it is meant?")
        elif not (metric in MEASURED or left_by_fit(metric) or is_predicted(metric)):
            raise source.error(location, unknown(metric, MEASURED, FITTED))
