"""What the blocks of a study may name in each other, and what they ask of the records."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from pydantic import BaseModel

from ensvm.errors import did_you_mean
from ensvm.study.block import ConfigBlock, NameOf, Sweeps, is_copy_name, mark_of
from ensvm.study.metrics import (
    MEASURED,
    RATES,
    SEARCH,
    STAGED,
    TRAIN_ERROR,
    is_predicted,
    is_setting,
    left_by_fit,
    unknown,
)
from ensvm.study.source import Location, YamlSource, listed

_SCALARS = frozenset((str, int, float, bool, type(None)))  # they hold no blocks
# the end of a message
FITTED = ", a number that the fit leaves, such as n_iter_, or a parameter, such as params.C"


@dataclass(frozen=True)
class AskedMetric:
    """What a table, a figure or a claim asks of the records of an algorithm."""

    location: Location  # where the config asks it
    metric: str  # a metric, seconds, or a curve
    algorithms: tuple[str, ...]  # the algorithms that must have it
    curve: bool = False  # whether it is a curve that `record:` keeps, or an entry of one


class _Key(NamedTuple):
    """A key of a block: its name, how YAML writes it, and its mark if its value names things."""

    name: str
    written: str
    mark: NameOf | None


@cache
def _keys_of(model: type[BaseModel]) -> tuple[_Key, ...]:
    """Return the keys of a kind of block."""
    return tuple(
        _Key(name, field.alias or name, mark_of(field))
        for name, field in model.model_fields.items()
    )


def _an(noun: str) -> str:
    """Return a noun behind its article."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _refuse_repeated(what: str, names: Any, location: Location, source: YamlSource) -> None:
    """Refuse a list of names that has one twice: what it names would count twice."""
    if isinstance(names, dict):
        for key, inner in names.items():
            _refuse_repeated(what, inner, (*location, key), source)
    elif isinstance(names, tuple) and len(set(names)) < len(names):
        twice = next(name for name, times in Counter(names).items() if times > 1)
        source.refuse(location, f"the {what} {twice!r} is given twice", is_sure=True)


@dataclass(frozen=True)
class StudyNames:
    """What a block of a study may name in the other blocks."""

    datasets: tuple[str, ...]  # the names of the data sets
    algorithms: Mapping[str, tuple[str, ...]]  # what the `record:` of each algorithm keeps
    dataset_sweeps: Sweeps
    algorithm_sweeps: Sweeps
    # the ids of its tables, figures, claims, readings and assumptions, by kind
    ids: Mapping[str, tuple[str, ...]]
    timing: bool  # whether the study has a timing pass
    has_copies: bool = True  # whether the copies that readings make are among the names

    def of(self, what: str) -> Collection[str]:
        """Return the names of one kind, such as "data set" or "table"."""
        return {**self._of_rows_and_columns, **self.ids}[what]

    @property
    def _of_rows_and_columns(self) -> dict[str, Collection[str]]:
        return {
            "data set": self.datasets,
            "algorithm": self.algorithms,
            "sweep of data sets": self.dataset_sweeps,
            "sweep of algorithms": self.algorithm_sweeps,
        }

    def values_of(self, sweep: str) -> list[str]:
        """Return the values of a sweep of algorithms, as texts."""
        return [str(value) for value in self.algorithm_sweeps[sweep].values()]

    def must_have(
        self,
        what: str,
        names: str | Iterable[str],
        location: Location,
        source: YamlSource,
        hint: str = "",
    ) -> None:
        """Refuse each of the names that is not of this kind; say what else it names.

        Names of copies are accepted as long as readings, which make the copies, have errors.
        """
        accepted = self.of(what)
        for name in [names] if isinstance(names, str) else names:
            if name in accepted or (is_copy_name(name) and not self.has_copies):
                continue
            kinds = [kind for kind, known in self._of_rows_and_columns.items() if name in known]
            if not kinds:
                # the copies are many, and a name without their mark means none of them
                own = [each for each in accepted if not is_copy_name(each)]
                meant = accepted if is_copy_name(name) else own
                if f"{what}s" not in source.incomplete:
                    source.must_be_one_of(location, what, name, meant, hint)
                continue
            is_other = f"{name!r} is the name of {_an(kinds[0])}, not of {_an(what)}"
            remedy = hint
            if (what, kinds[0]) == ("sweep of data sets", "data set"):
                remedy = f"; along a sweep of algorithms, write `{{dataset: {name}}}`"
            message = f"{is_other}; accepted: {listed(accepted)}{remedy}"
            source.refuse(location, message, is_sure=True)

    def check(self, value: Any, location: Location, source: YamlSource) -> None:
        """Raise UserError if a block in `value` has a key with a name that the study lacks."""
        if isinstance(value, dict | tuple):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for part, inner in items:
                if type(inner) in _SCALARS:
                    continue
                base = getattr(inner, "copy_of", None)
                if base is None or not source.has_error_in((*location, base)):  # told at the base
                    self.check(inner, (*location, part), source)
        elif isinstance(value, BaseModel):
            for key in _keys_of(type(value)):
                inner, at = getattr(value, key.name), (*location, key.written)
                if key.mark is not None:
                    _refuse_repeated(key.mark.values or key.mark.what, inner, at, source)
                    if key.mark.checked:
                        self.must_have(key.mark.what, inner or (), at, source)
                if type(inner) not in _SCALARS:
                    self.check(inner, at, source)

    def with_members(self, value: Any, source: YamlSource, at: Location = ()) -> Any:
        """Return blocks in which the name of a sweep stands for all of its members.

        `at` is the location of the blocks. The source is told which of their places have changed.
        """
        if isinstance(value, tuple):
            blocks: list[Any] = []
            places = [source.place_of((*at, index)) for index in range(len(value))]
            for index, (each, place) in enumerate(zip(value, places, strict=True)):
                for block in self._repeated(each, source, (*at, index)):
                    here = (*at, len(blocks))
                    if here != place or here in source.moved:
                        source.moved[here] = place
                    blocks.append(block)
            return tuple(blocks)
        if isinstance(value, dict):
            return {
                name: self.with_members(each, source, (*at, name)) for name, each in value.items()
            }
        if not isinstance(value, BaseModel):
            return value
        changed = {}
        for name, written, mark in _keys_of(type(value)):
            before = getattr(value, name)
            if type(before) in _SCALARS:
                continue  # a single name, or none, stands for itself
            if mark is None:
                after = self.with_members(before, source, (*at, written))
            elif mark.unless and getattr(value, mark.unless) is not None:
                continue
            else:
                after = self._members_named(before, mark)
            if after is not before and after != before:
                changed[name] = after
        return value.model_copy(update=changed) if changed else value

    def _members_named(self, value: Any, mark: NameOf) -> Any:
        """Return the value of a key with names, in which a sweep's name stands for its members."""
        if isinstance(value, tuple):
            return tuple(member for name in value for member in self.members(mark.what, name))
        if not isinstance(value, dict):
            return value
        # What is said of a member comes after what is said of its sweep, and replaces it.
        sweeps_first = sorted(value, key=lambda name: name in self.members(mark.what, name))
        return {
            member: tuple(one for n in value[sweep] for one in self.members(mark.values, n))
            if isinstance(value[sweep], tuple)
            else value[sweep]
            for sweep in sweeps_first
            for member in self.members(mark.what, sweep)
        }

    def members(self, what: str, name: str) -> Collection[str]:
        """Return the members of a sweep of data sets or algorithms; else the name alone."""
        sweeps = {
            "data set": self.dataset_sweeps,
            "algorithm": self.algorithm_sweeps,
            "column": self.algorithm_sweeps,
        }
        return sweeps.get(what, {}).get(name, (name,))

    def _repeated(self, value: Any, source: YamlSource, at: Location) -> list[Any]:
        """Return a block once for each member of the sweeps that it names by single names."""
        of_members = (
            value.for_members(self.algorithm_sweeps) if isinstance(value, ConfigBlock) else [value]
        )
        blocks = [self.with_members(block, source, at) for block in of_members]
        for name, _, mark in _keys_of(type(value)) if isinstance(value, BaseModel) else ():
            if mark is None or not mark.repeats or getattr(value, name) is None:
                continue
            if mark.unless and getattr(value, mark.unless) is not None:
                continue
            blocks = [
                block.model_copy(update={name: member})
                for block in blocks
                for member in self.members(mark.what, getattr(block, name))
            ]
        return blocks

    def must_be_timed(self, block: str, location: Location, source: YamlSource) -> None:
        """Refuse a block on the timing pass, such as "a table", in a study without this pass."""
        if not self.timing:
            message = f"{block} of the timing pass needs a `timing:` block in the study"
            source.refuse(location, message)

    def must_be_measured(self, source: YamlSource, asked: AskedMetric) -> None:
        """Raise UserError for a metric that records cannot have.

        Names of fitted attributes are accepted: only a fit shows whether they exist.
        """
        metric, location = asked.metric, asked.location
        if asked.curve or metric == TRAIN_ERROR:
            for name in asked.algorithms:
                kept = self.algorithms.get(name)
                if kept is not None and metric not in kept:  # an unknown name was refused before
                    hint = f"; write `record: {SEARCH}`" if metric == SEARCH else ""
                    if metric in RATES:
                        hint = (
                            f"; `stage:` is of a curve: write `metric: staged_test_{metric}`, and"
                        )
                        hint += f" `record: staged_test_{metric}` of the algorithm"
                    source.refuse(
                        location,
                        f"{metric!r} is not in the `record:` of {name}, which keeps "
                        f"{', '.join(kept) or 'nothing'}{hint or did_you_mean(metric, kept)}",
                        is_sure=not source.has_error_in(("algorithms", name)),
                    )
        elif metric in STAGED:
            source.refuse(location, f"{metric!r} is a curve; which `stage:` of it is meant?")
        elif not (
            metric in MEASURED or left_by_fit(metric) or is_setting(metric) or is_predicted(metric)
        ):
            source.refuse(location, unknown(metric, MEASURED, FITTED), is_sure=True)


def algorithms_named(value: Any, what: str = "") -> Iterator[str]:
    """Yield the names of algorithms, and of sweeps of them, in blocks.

    `what` is the kind of the names in a value that is no block; empty if it has none.
    """
    if isinstance(value, BaseModel):
        for name, _, mark in _keys_of(type(value)):
            inner = getattr(value, name)
            if mark is not None and isinstance(inner, dict):
                yield from algorithms_named(tuple(inner), mark.what)
                yield from algorithms_named(tuple(inner.values()), mark.values)
            else:
                yield from algorithms_named(inner, "" if mark is None else mark.what)
    elif isinstance(value, dict | tuple):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from algorithms_named(inner, what)
    elif isinstance(value, str) and "algorithm" in what:
        yield value
