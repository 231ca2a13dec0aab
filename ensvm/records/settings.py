"""What a cell is: its data, split, algorithm and code, typed from the plan to the report.

The runner makes the settings of each cell, a record holds them, and reports read them. They are a
JSON object only in a file of records and in the hash of a cell's key.
"""

import json
from ast import literal_eval
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from ensvm.data.splits import SPLITS, Split, identity

NOT_SET = object()  # the value of a key that settings do not have


def text_of(thing: Any) -> str:
    """Return a JSON value as text; the order of keys does not matter."""
    return json.dumps(thing, sort_keys=True, default=str)


@dataclass(frozen=True)
class AlgorithmSettings:
    """An algorithm of a study on one data set, every value resolved."""

    estimator: str | Mapping[str, Any]
    """A name of ours, an import path, or the block of a pipeline."""
    params: Mapping[str, Any] = field(default_factory=dict)
    """The parameters that the config gives, with those of the shared kernel."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """Every parameter of the estimator as text, so that a changed default makes another cell."""
    grid: Mapping[str, list[Any]] | None = None
    """The values to choose from, by parameter."""
    stage: str = "last"
    """Which fit is scored: `last`, `best-on-test` or `best-on-validation`."""
    search_on: int | None = None
    """The number of first realizations, on which alone a search is made."""
    record: tuple[str, ...] = ()
    """What is kept besides the test error and the fitted scalars."""
    share_gram: bool = True
    """Whether it may be fitted on a Gram matrix that other algorithms use too."""
    gram_dtype: str = "float64"
    """The type of the values of that Gram matrix."""
    seed: str | None = None
    """The name that seeds are computed from; None for the algorithm's."""
    orders: int = 1
    """The number of orders of the training rows, over which it is fitted."""
    wrapped: str | None = None
    """`one-vs-rest` around a classifier of two classes."""

    def parameter(self, path: str) -> Any:
        """Return a parameter, such as `C`, `svc__C` or `estimator.params.C`; NOT_SET without it.

        Parameters that the config does not set have their defaults.
        """
        if path in self.params:
            return self.params[path]
        node: Any = self.params
        for step in path.split("."):
            if not isinstance(node, Mapping) or step not in node:
                break
            node = node[step]
        else:
            return node
        if path not in self.defaults:
            return NOT_SET
        try:
            return literal_eval(self.defaults[path])
        except (ValueError, SyntaxError):  # not a number, a text or None
            return self.defaults[path]

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a JSON object."""
        line = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        line["record"] = list(self.record)
        for name in ("seed", "wrapped", "search_on"):  # left out if None
            if line[name] is None:
                del line[name]
        if self.orders == 1:
            del line["orders"]
        return line


@dataclass(frozen=True)
class TimingSettings:
    """What a timing allows a cell."""

    blas_threads: int
    """The most threads of the numerical libraries."""


def _without_unknown_keys(split: Any) -> Any:
    """Return a split without keys that its protocol does not have; other versions wrote them."""
    model = SPLITS.get(str(split.get("protocol"))) if isinstance(split, Mapping) else None
    if model is None:
        return split
    return {key: value for key, value in split.items() if key in model.model_fields}


@dataclass(frozen=True)
class CellSettings:
    """What a cell is, without its realization; a record of another version may lack a part."""

    data: str = ""
    """A hash of the arrays and their scaling."""
    split: Annotated[Split | None, BeforeValidator(_without_unknown_keys)] = None
    """The protocol by which rows become training and test parts."""
    method: Annotated[AlgorithmSettings | None, Field(alias="algorithm")] = None
    """The algorithm; None for the cell that states the facts of the data."""
    code: str = ""
    """The identity of our code that the cell runs through, and the versions of packages."""
    own: Mapping[str, str] = field(default_factory=dict)
    """Hashes of the user's own modules and files."""
    timing: TimingSettings | None = None
    """What a timing allows; None in the error pass."""

    def __hash__(self) -> int:
        """Return the hash of the text, since dictionaries have none."""
        return hash(self.text)

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a JSON object, without parts that the cell does not have."""
        return self._line

    @cached_property
    def text(self) -> str:
        """The JSON object as text; made once, since it is part of the key of every realization."""
        return text_of(self._line)

    @cached_property
    def _line(self) -> dict[str, Any]:
        line: dict[str, Any] = {
            "data": self.data,
            "split": self.split and identity(self.split),
            "algorithm": self.method and self.method.to_json(),
            "code": self.code,
        }
        if self.own:
            line["own"] = dict(self.own)
        if self.timing is not None:
            line["timing"] = vars(self.timing)
        return line


NO_SETTINGS = CellSettings()
"""The settings of a record, or of a value that is asked for, until those of its key are known."""
