"""Sweeps: an entry of a config that stands for several, one for each value of one of its keys."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ensvm.study.data_defaults import with_defaults
from ensvm.study.overrides import with_keys
from ensvm.study.powers import with_powers
from ensvm.study.source import Location, YamlSource

if TYPE_CHECKING:
    from ensvm.study.algorithms import AlgorithmConfig
    from ensvm.study.dataset import DatasetConfig
    from ensvm.study.table_layout import ColumnConfig

_SIZES = ("n_train", "train_size", "n_test", "test_size")
# `{value}` in a label, or with a format of Python's such as `{value:.0%}`
_VALUE = re.compile(r"\{value(?::([^{}]*))?\}")


def label_of(block: "AlgorithmConfig | DatasetConfig", name: str, *, add_value: bool = True) -> str:
    """Return the label of a data set or an algorithm; its name if it has no label.

    The value of a sweep replaces `{value}` in the label, or with `add_value` follows it.
    """
    if block.label is None or block.sweep is None:
        return block.label or name
    label = with_value(block.label, block.sweep.value)
    if label != block.label or not add_value:
        return label
    return f"{label}, {block.sweep.key} = {block.sweep.value}"


def label_of_sweep(block: "AlgorithmConfig | DatasetConfig | ColumnConfig") -> str:
    """Return the label of a whole sweep, without its values; empty if it has none."""
    return _VALUE.sub("", block.label or "").strip(" =,:;()")


def has_value(label: str) -> bool:
    """Return whether a label has a place for the value of a sweep."""
    return _VALUE.search(label) is not None


def with_value(label: str, value: float | str) -> str:
    """Return a label in which the value of a sweep replaces `{value}`."""
    return _VALUE.sub(lambda found: format(value, found[1] or ""), label)


def expand_sweeps(source: YamlSource) -> dict[str, Any]:
    """Return the content of a config with each entry that has a `sweep:` replaced by its members.

    `sweep: {split.n_train: [50, 100]}` in the data set `circle` makes `circle-50` and `circle-100`,
    which differ in that key; a member's `sweep` then says what it is part `of`, the `key` and its
    `value`. A data set's members stand for the card of the sweep's name, unless the entry has a
    `card:` or `path:`. Each data set has the keys of `defaults:` that it lacks. Messages about a
    member name the line of the entry. Refuses a sweep that is not one key with values.
    """
    content = with_powers(source, source.content)
    datasets, algorithms = content.get("datasets"), content.get("algorithms")
    if isinstance(datasets, list):
        defaults = content.get("defaults")
        content["datasets"] = list(_swept_datasets(source, datasets, defaults))
    if isinstance(algorithms, dict):
        content["algorithms"] = dict(_swept_algorithms(source, algorithms))
    return content


def _swept_datasets(source: YamlSource, datasets: list[Any], defaults: Any) -> Iterator[Any]:
    count = 0
    for index, entry in enumerate(datasets):
        location: Location = ("datasets", index)
        if not _is_sweep(entry):
            expanded = [entry]
        elif "name" not in entry:
            raise source.error((*location, "sweep"), "a data set with a sweep needs a `name:`")
        else:
            pairs = _members_or_rest(source, location, str(entry["name"]), entry)
            card = {} if "path" in entry else {"card": str(entry["name"])}
            expanded = [{**card, **member, "name": name} for name, member in pairs]
        for member in expanded:
            source.moved["datasets", count] = location
            yield with_defaults(source, defaults, member, ("datasets", count))
            count += 1


def _swept_algorithms(source: YamlSource, algorithms: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, entry in algorithms.items():
        if not _is_sweep(entry):
            yield name, entry
            continue
        pairs = _members_or_rest(source, ("algorithms", name), name, entry)
        keys = entry["sweep"] if isinstance(entry["sweep"], dict) else {}
        for member, block in pairs:
            source.moved["algorithms", member] = ("algorithms", name)
            for key in map(str, keys):
                at = ("algorithms", name, "sweep", key)
                source.moved["algorithms", member, *key.split(".")] = at
            yield member, block


def members_of(name: str, entry: Any) -> list[str]:
    """Return the names of the members of an entry with a `sweep:`; of another, an empty list."""
    sweep = entry.get("sweep") if isinstance(entry, dict) else None
    lists = sweep.values() if isinstance(sweep, dict) else ()
    return [member_name(name, value) for each in lists if isinstance(each, list) for value in each]


def _is_sweep(entry: Any) -> bool:
    return isinstance(entry, dict) and "sweep" in entry


def _members_or_rest(
    source: YamlSource, location: Location, name: str, entry: dict[str, Any]
) -> list[tuple[str, dict[str, Any]]]:
    """Return the members of a sweep; if it is wrong, which is noted, the entry without it."""
    with source.noting():
        return list(_members(source, location, name, entry))
    return [(name, {key: block for key, block in entry.items() if key != "sweep"})]


def _members(
    source: YamlSource, location: Location, name: str, entry: dict[str, Any]
) -> Iterator[tuple[str, dict[str, Any]]]:
    location = (*location, "sweep")
    sweep = entry["sweep"]
    if not isinstance(sweep, dict) or len(sweep) != 1:
        raise source.error(
            location,
            f"expected one key with its values, such as {{params.degree: [2, 3]}}, got {sweep!r}",
        )
    [(key, values)] = sweep.items()
    if str(key).endswith(_SIZES) and isinstance(values, list):
        numbers = [value for value in values if isinstance(value, int | float)]
        if len({number <= 1 for number in numbers}) > 1:
            message = f"{values!r} has shares and numbers of rows; accepted: one kind (1.0 is all)"
            raise source.error((*location, key), message)
    if (
        not isinstance(values, list)
        or not values
        or not all(isinstance(value, int | float | str) for value in values)
        or any(isinstance(value, bool) for value in values)
    ):
        raise source.error((*location, key), f"expected a list of numbers or names, got {values!r}")
    if len(set(map(_text, values))) < len(values):
        raise source.error((*location, key), f"a value is given twice: {values!r}")
    rest = {key: block for key, block in entry.items() if key != "sweep"}
    for value in values:
        try:
            with_value(str(rest.get("label")), value)
        except ValueError as error:
            message = f"the format does not fit the value {value!r}: {error}"
            raise source.error((*location[:-1], "label"), message) from error
        part = {"of": name, "key": str(key).rpartition(".")[2], "value": value}
        member = with_keys(source, location, rest, {key: value})
        yield member_name(name, value), {**member, "sweep": part}


def member_name(name: str, value: Any) -> str:
    """Return the name of a member of a sweep."""
    return f"{name}-{_text(value)}"


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
