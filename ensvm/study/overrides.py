"""The one engine of changes: `key: value`, applied to the blocks of a config.

A key is a path of steps with dots, `algorithms.svc.params.C`; a step into a list is the name or the
id of an entry. Members of sweeps, variants of readings, configs with a `base:` and `--set` are
lists of such changes.
"""

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from ensvm.errors import UserError, did_you_mean
from ensvm.name_lists import first_names
from ensvm.study.source import Location, YamlSource


@dataclass(frozen=True)
class Change:
    """One key, its new value, and what makes the errors about the value or a part of it."""

    steps: tuple[str, ...]
    value: Any
    error: Callable[[Location, str], UserError]

    @property
    def key(self) -> str:
        """The key as it is written."""
        return ".".join(self.steps)


class Target(NamedTuple):
    """Where a change sets its value: `block[at]`, which was `before`."""

    block: Any  # a block of keys or a list
    at: Any
    location: Location
    before: Any


def with_keys(
    source: YamlSource, location: Location, block: Mapping[str, Any], keys: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a copy of a block in which the `keys` have their values.

    The keys stand at `location` of the source. Raises UserError if a step of a key leads into what
    is not a block.
    """
    copy = deepcopy(dict(block))
    for key, value in keys.items():

        def error(rest: Location, message: str, key: str = key) -> UserError:
            """Return an error about a key that is set."""
            return source.error((*location, key, *rest), message)

        inner, at, *_ = target_of(Change(tuple(str(key).split(".")), value, error), copy)
        inner[at] = value
    return copy


def target_of(change: Change, content: dict[str, Any]) -> Target:
    """Return where a change sets its value in a content; blocks that are missing are added.

    Raises UserError if a step leads into a value, or names an entry that a list does not have.
    """
    node: Any = content
    location: Location = ()
    steps = change.steps
    while True:
        entries = entries_of(node)
        if not isinstance(node, dict) and not is_named(node):
            message = f"{location[-1]!r} is a value, not a block of keys: {node!r:.60}"
            raise change.error((), message)
        # Names may have dots: the longest one that begins the rest of the key is meant.
        n = next((n for n in range(len(steps), 0, -1) if ".".join(steps[:n]) in entries), 0)
        name, steps = (".".join(steps[:n]), steps[n:]) if n else (steps[0], steps[1:])
        whole_block = not steps and isinstance(change.value, dict)
        if not n and not whole_block and (isinstance(node, list) or location == ("algorithms",)):
            raise change.error((), unknown_entry(location, name, entries))
        at = _place(node, name, n > 0)
        location = (*location, at)
        if not steps:
            return Target(node, at, location, entries.get(name))
        if isinstance(node[at], str) and isinstance(node, list):
            node[at] = {"name": node[at]}
        node = node[at]


def name_of_entry(entry: Any) -> str | None:
    """Return the name or the id of an entry of a list; None if it has neither."""
    if not isinstance(entry, dict):
        return str(entry) if isinstance(entry, str | int) else None
    name = next((entry[key] for key in ("name", "id", "card") if key in entry), None)
    return None if name is None else str(name)


def entries_of(node: Any) -> dict[str, Any]:
    """Return the entries of a block by their keys, or of a list by their names."""
    if isinstance(node, list):
        return {name: entry for entry in node if (name := name_of_entry(entry)) is not None}
    return {str(key): value for key, value in node.items()} if isinstance(node, dict) else {}


def is_named(node: Any) -> bool:
    """Return whether a value is a list of blocks or names."""
    return isinstance(node, list) and bool(node) and len(entries_of(node)) == len(node)


def unknown_entry(location: Location, name: str, entries: Iterable[str]) -> str:
    """Return the message about a name that is not among the entries of a block or a list."""
    entries = list(entries)
    accepted = f"accepted: {first_names(entries)}{did_you_mean(name, entries)}"
    return f"{location[-1]} has no entry {name!r}; {accepted}"


def _place(node: Any, name: str, exists: bool) -> Any:
    """Return the key or the index of an entry of a block or a list; a missing one is added."""
    if isinstance(node, dict):
        at = next((key for key in node if str(key) == name), name)
        if not exists:
            node[at] = {}
        return at
    if not exists:
        node.append({"name": name})
    return next(index for index, entry in enumerate(node) if name_of_entry(entry) == name)
