"""How one study is built on another.

A config with `base: ijcai07` has the content of that study, and changes it by its own keys. A key
may be a path of steps, `algorithms.ensemble.params.tol`; a step into a list is the name or the id
of an entry. `ensvm run ijcai07 --set KEY=VALUE --as mine` does the same without a file.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ensvm.errors import UserError
from ensvm.shipped import find_config, shipped_config
from ensvm.study.block import copy_name
from ensvm.study.config import StudyConfig
from ensvm.study.overrides import (
    Change,
    entries_of,
    is_named,
    name_of_entry,
    target_of,
    unknown_entry,
)
from ensvm.study.row_params import with_params_read
from ensvm.study.source import Location, YamlSource
from ensvm.study.sweeps import members_of

# What the authors of a study say of its own values; a study that is built on it has other values.
OF_THE_BASE = ("abstract", "findings", "reproduce", "derived", "part_of")
# The blocks in whose new lists the name of an entry of the base stands for that entry.
LISTS = ("datasets", "algorithms", "tables", "figures", "claims", "readings", "assumptions")
FILES = ("path", "train", "test")  # keys of a data set that name files
LONGEST = 60  # characters of a value in the list of changes


def read_source(path: Path, text: str | None = None) -> YamlSource:
    """Return a config, with the content of its `base:` if it has one.

    A `text` is the content of the file, if it was read already. It is taken as it is: a copy of a
    config beside records is complete, and must not make anyone read other files. Raises UserError
    if a file cannot be read, or a change does not fit the base.
    """
    return YamlSource(path, text) if text is not None else _read(path, ())


def read_changed(path: Path, settings: Sequence[str], study: str) -> YamlSource:
    """Return the config of a base with some keys changed, as a study of another name.

    Each of the `settings` is 'KEY=VALUE'; the value is YAML. Paths in the config stay relative to
    its folder. Raises UserError if the name is that of the base or of a shipped study, or a change
    does not fit the base.
    """
    base = _read(path, ())
    changes = [_from_option(setting) for setting in settings]
    for change in changes:
        _must_not_be_parameter(change, base.content)
    built = _built(base, changes, study, lambda message: UserError(f"--as {study}: {message}"))
    for change in changes:
        if change.steps == ("study",):
            built.idle_changes.append(_idle(change, f"`--as {study}` names the study"))
    return with_params_read(built)


def _must_not_be_parameter(change: Change, content: dict[str, Any]) -> None:
    """Refuse a key that only names a parameter of algorithms; suggest its whole key."""
    if change.key in content or change.key in StudyConfig.model_fields:
        return
    algorithms = entries_of(content.get("algorithms"))
    keys = [
        f"algorithms.{name}.params.{change.key}"
        for name, block in algorithms.items()
        if isinstance(block, dict) and change.key in entries_of(block.get("params"))
    ]
    if keys:
        meant = " or ".join(map(repr, keys))
        raise change.error((), f"unknown key {change.key!r}; did you mean {meant}?")


def _from_option(setting: str) -> Change:
    key, equals, value = setting.partition("=")
    if not (equals and key.strip()):
        raise UserError(f"--set {setting}: give KEY=VALUE, as in algorithms.svc.params.C=10")
    source = YamlSource(Path(f"--set {setting}"), f"{json.dumps(key.strip())}: {value}")
    return Change(
        tuple(key.strip().split(".")),
        source.content[key.strip()],
        lambda location, message: UserError(f"--set {setting}: {message}"),
    )


def _read(path: Path, above: tuple[Path, ...]) -> YamlSource:
    """Read a config; `above` are those that are built on it."""
    own = with_params_read(YamlSource(path))
    if "base" not in own.content:
        return own
    name, here = own.content["base"], path.resolve()
    if here in above:
        circle = " -> ".join(file.name for file in (*above[above.index(here) :], here))
        raise own.error(("base",), f"the configs are built on each other in a circle: {circle}")
    if not isinstance(name, str):
        raise own.error(("base",), f"expected the name of a study or a file, got {name!r:.60}")
    beside = path.parent / name
    try:
        base_path = beside if beside.is_file() else find_config(name)
    except UserError as error:
        raise own.error(("base",), str(error)) from error
    base = _read(base_path, (*above, here))
    if base_path.parent.resolve() != path.parent.resolve():
        make_absolute(base.content, base_path.parent)
    if not isinstance(own.content.get("study"), str):
        raise own.error((), "the key `study:` is missing: the study needs a name of its own")
    changes = _from_file(own, base.content)
    source = _built(
        base, changes, own.content["study"], lambda message: own.error(("study",), message)
    )
    source.path = path
    return source


def make_absolute(content: dict[str, Any], folder: Path) -> None:
    """Make the paths in a config absolute, which are relative to its folder."""

    def moved(value: Any) -> Any:
        """Return a path, or a list of paths, as absolute ones."""
        if isinstance(value, list):
            return [moved(each) for each in value]
        return str((folder / value).absolute()) if isinstance(value, str) else value

    if "published" in content:
        content["published"] = moved(content["published"])
    datasets = content.get("datasets")
    for entry in datasets if isinstance(datasets, list) else ():
        if isinstance(entry, dict):
            entry.update({key: moved(entry[key]) for key in FILES if key in entry})


def _from_file(own: YamlSource, base: dict[str, Any]) -> Iterator[Change]:
    """Yield the changes in a config; blocks of keys that the base has too are united."""

    def changes(
        block: dict[str, Any], node: Any, at: Location, steps: tuple[str, ...]
    ) -> Iterator[Change]:
        """Yield the changes in a block of the file, which `node` is in the base."""
        for key, value in block.items():
            here: Location = (*at, key)
            name = str(key)
            inner = entries_of(node).get(name)
            if isinstance(value, dict) and (isinstance(inner, dict) or is_named(inner)):
                yield from changes(value, inner, here, (*steps, name))
            else:
                yield Change((*steps, *name.split(".")), value, partial(error, here))

    def error(here: Location, rest: Location, message: str) -> UserError:
        """Return an error about a key of the file."""
        return own.error((*here, *rest), message)

    block = {key: value for key, value in own.content.items() if key not in ("base", "study")}
    yield from changes(block, base, (), ())


def _built(
    source: YamlSource,
    changes: Iterable[Change],
    study: str,
    wrong_name: Callable[[str], UserError],
) -> YamlSource:
    """Return a source, that of the base, with the changes made in its content."""
    base_name = str(source.content.get("study"))
    if study == base_name or shipped_config(study) is not None:
        raise wrong_name(f"{study!r} is the name of another study; choose one of its own")
    try:
        before = _names_in(source.content)
    except (AttributeError, TypeError) as error:
        raise source.error((), "this base is not a valid config: `ensvm check` says why") from error
    content = _unshared(
        {key: value for key, value in source.content.items() if key not in OF_THE_BASE}
    )
    for table in content.get("tables") or ():
        if isinstance(table, dict) and isinstance(table.get("notes"), list):
            table["notes"] = [note for note in table["notes"] if not _explains(note)]
    # What the base changes in a base of its own is not the user's.
    source.written, source.idle_changes = set(), []
    # Lists of entries come first, since other changes step into them.
    ordered = sorted(changes, key=lambda change: len(change.steps) > 1)
    differs = [_apply(source, content, change) for change in ordered]
    content = _drop(content, before)
    content["study"] = study
    content.setdefault("reproduce", False)
    content["derived"] = {"base": base_name, "differs": differs}
    source.replace(content)
    return source


def _names_in(content: dict[str, Any]) -> dict[str, set[str]]:
    """Return the names in a config by kind, those of members of sweeps and of copies among them."""
    variants = [
        str(variant["name"])
        for reading in content.get("readings") or ()
        for variant in reading.get("variants", ())
        if "name" in variant
    ]

    def names_of(entries: dict[str, Any]) -> tuple[set[str], set[str]]:
        """Return the names of entries, their members and copies, and the names of sweeps."""
        members = {name: members_of(name, entry) for name, entry in entries.items()}
        own = {*entries, *(each for names in members.values() for each in names)}
        copies = {copy_name(name, variant) for name in own for variant in variants}
        return own | copies, {name for name in entries if members[name]}

    datasets, of_data = names_of(entries_of(content.get("datasets")))
    algorithms, of_algorithms = names_of(entries_of(content.get("algorithms")))
    tables = entries_of(content.get("tables"))
    columns = {name for each in tables.values() for name in entries_of(each.get("columns"))}
    return {
        "data set": datasets,
        "sweep of data sets": of_data,
        "algorithm": algorithms,
        "sweep of algorithms": of_algorithms,
        "row or algorithm": datasets | algorithms,
        "column": columns,
        "column or algorithm": columns | algorithms,
        "table": set(tables),
    }


def _drop(content: dict[str, Any], before: dict[str, set[str]]) -> dict[str, Any]:
    """Return a content without the names that it had before, and without blocks that need them."""
    gone: dict[str, set[str]] = {}
    while True:
        now = _names_in(content)
        more = {what: names - now[what] for what, names in before.items()}
        if more == gone or not any(more.values()):
            return content
        gone = more
        content = StudyConfig.without(content, gone) or content


def _unshared(value: Any) -> Any:
    """Return a copy of nested lists and mappings; aliases of YAML share them."""
    if isinstance(value, dict):
        return {key: _unshared(each) for key, each in value.items()}
    return [_unshared(each) for each in value] if isinstance(value, list) else value


def _explains(note: Any) -> bool:
    return isinstance(note, dict) and bool(note.get("explains"))


def _apply(source: YamlSource, content: dict[str, Any], change: Change) -> str:
    """Make a change in a content, and return it as text, `key: new value (not old value)`.

    Errors at the changed key are then reported at the place of the change, not at the base.
    """
    block, at, location, before = target_of(change, content)
    value = _chosen(change, location, before)
    if value == before and repr(value) == repr(before):
        source.idle_changes.append(_idle(change, f"it is {_shown(before)} already"))
    if isinstance(block, list) and isinstance(value, dict):
        key = "id" if isinstance(before, dict) and "id" in before else "name"
        value = {key: name_of_entry(block[at]), **value}
    block[at] = value
    n = len(location)
    later = f"`{change.key}: {_shown(change.value)}` comes later"
    for place in source.written.intersection(source.overridden):
        earlier = source.overridden[place]
        if place[:n] == location:
            source.idle_changes.append(earlier((), f"has no effect: {later}"))
        elif location[: len(place)] == place and before is not None:
            source.idle_changes.append(earlier(location[len(place) :], f"{later}, and counts"))
    kept = {key: error for key, error in source.overridden.items() if key[:n] != location}
    source.overridden = {**kept, location: change.error}
    source.written |= set(_written(change.value, location))
    text = f"{change.key}: {_shown(change.value)}"
    if isinstance(before, dict | list):
        return text
    return f"{text} ({'not given' if before is None else f'not {_shown(before)}'})"


def _idle(change: Change, reason: str) -> UserError:
    return change.error((), f"has no effect: {reason}")


def _written(value: Any, location: Location) -> Iterator[Location]:
    """Yield where the user's own values are; a list of names has the entries of the base."""
    if not isinstance(value, list) or location[0] not in LISTS or len(location) > 1:
        yield location
        return
    for index, entry in enumerate(value):
        if isinstance(entry, dict):
            yield (*location, index)


def _chosen(change: Change, location: Location, before: Any) -> Any:
    """Return the new value of a key; in a list, names of entries of the base stand for them."""
    value = change.value
    if location[0] not in LISTS or len(location) > 1:
        return value
    if isinstance(value, str | int | float):
        raise change.error((), f"{value!r} is not accepted; accepted: a list, [{value}]")
    if not isinstance(value, list):
        return value
    _must_be_entries(change, value, only_names=isinstance(before, dict))
    entries = entries_of(before)
    named = () if location == ("datasets",) else value  # a new data set may be that of a card
    for name in [name_of_entry(each) for each in named if not isinstance(each, dict)]:
        if name not in entries:
            raise change.error((), unknown_entry(location, str(name), entries))
    if isinstance(before, dict):
        return {str(name): entries[str(name)] for name in value}
    return [each if isinstance(each, dict) else entries.get(str(each), each) for each in value]


def _must_be_entries(change: Change, values: list[Any], *, only_names: bool) -> None:
    """Refuse what is neither the name of an entry nor, without `only_names`, its block of keys."""
    for value in values:
        if isinstance(value, str | int | float) or (isinstance(value, dict) and not only_names):
            continue
        message = f"{_shown(value)} is not accepted in this list; accepted: names"
        if only_names:
            message += f" of the base, which it chooses; a mapping adds to them, {change.key}: "
            message += "{NAME: {KEY: VALUE}}"
        else:
            message += ", and blocks of keys"
        raise change.error((), message)


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
