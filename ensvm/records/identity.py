"""The one answer to "is this the same cell?".

A cell's *settings* say what it is: data, split, algorithm, code, and the user's own files. Its
*key* hashes them with the realization and the seed: a record with the same key answers the cell.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from ensvm.records.record import Identity, Record
from ensvm.records.settings import NOT_SET, CellSettings, text_of
from ensvm.study.passes import ValueOf

MOST_PARTS = 3  # of a difference that are named
MOST_CHARACTERS = 40  # of a value that are shown


def hash_of(thing: Any) -> str:
    """Return a hash of a JSON value, of 20 digits; the order of keys does not matter."""
    return _digits(text_of(thing))


def settings_key_of(settings: CellSettings) -> str:
    """Return the hash of the JSON object of settings."""
    return _digits(settings.text)


def key_of(identity: Identity, seed: int, settings: CellSettings) -> str:
    """Return the key of a cell; a record with this key answers it."""
    # the hash of the list of all, [*identity, seed, settings]
    return _digits(f"{text_of([*identity, seed])[:-1]}, {settings.text}]")


def _digits(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def asked(settings: CellSettings) -> dict[str, Any]:
    """Return what a config asks for of a cell's settings, as JSON: all but its code."""
    method = settings.method and replace(settings.method, defaults={})
    line = replace(settings, method=method, code="", own={}).to_json()
    plain: dict[str, Any] = json.loads(json.dumps(line, default=str))
    return plain


@cache  # the realizations of a value have the same settings
def difference(recorded: CellSettings, wanted: CellSettings) -> str:
    """Return how the settings of a record differ from those asked for, in a few words; else "".

    Such as 'n_neighbors 1, asked 9; own.py': values of parameters and versions, names of files.
    """
    parts = list(dict.fromkeys(_differences(recorded, wanted)))
    more = f"; and {len(parts) - MOST_PARTS} more" if len(parts) > MOST_PARTS else ""
    return "; ".join(parts[:MOST_PARTS]) + more


def _differences(recorded: CellSettings, wanted: CellSettings) -> Iterator[str]:
    if recorded.data != wanted.data:
        yield "data"
    before, now = recorded.to_json(), wanted.to_json()
    for place, *values in unlike(before["split"], now["split"], ("split",)):
        yield _pair(" ".join(place), *values)
    files = [
        name
        for name in {**wanted.own, **recorded.own}
        if wanted.own.get(name) != recorded.own.get(name)
    ]
    yield from _differences_of_methods(before["algorithm"], now["algorithm"], has_files=bool(files))
    for (name,), *values in unlike(before.get("timing") or {}, now.get("timing") or {}):
        yield _pair(name, *values)
    (code, *versions), (code_before, *versions_before) = (
        settings.code.split(" + ") for settings in (wanted, recorded)
    )
    named, named_before = (
        dict(text.partition(" ")[::2] for text in texts) for texts in (versions, versions_before)
    )
    if code != code_before or (named == named_before and versions != versions_before):
        yield "code of ensvm"
    for (name,), *values in unlike(named_before, named):
        yield _pair(name, *values)
    yield from files


def _differences_of_methods(before: Any, now: Any, *, has_files: bool) -> Iterator[str]:
    """Yield how two algorithms differ; `has_files` says whether files of their code do."""
    changed = set[str]()  # parameters and other keys
    for place, *values in unlike(before, now):
        top, *keys = place or ("algorithm",)
        if top == "params":
            changed.add(keys[-1] if keys else top)
            yield _pair(" ".join(keys) or top, *values)
        elif top != "defaults":
            changed.add(top)
            yield _pair(" ".join(place) or top, *values)
        # A new value of a parameter, another class or an edited file change the defaults, too.
        elif not (has_files or changed & {"estimator", *keys}):
            yield _pair(" ".join(("default", *keys)), *values)


def unlike(
    before: Any, now: Any, place: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any, Any]]:
    """Yield where two JSON values differ, as keys from the outermost, with both values there.

    A key that an object does not have has the value NOT_SET.
    """
    if isinstance(before, dict) and isinstance(now, dict):
        for key in {**now, **before}:
            yield from unlike(before.get(key, NOT_SET), now.get(key, NOT_SET), (*place, key))
    elif before is NOT_SET or now is NOT_SET or hash_of(before) != hash_of(now):
        yield place, before, now


def _pair(name: str, before: Any, now: Any) -> str:
    texts = [
        "not set" if each is NOT_SET else str(each)[:MOST_CHARACTERS] for each in (before, now)
    ]
    return f"{name} {texts[0]}, asked {texts[1]}"


def by_value(records: Iterable[Record]) -> dict[ValueOf, list[Record]]:
    """Return the records behind each value of a report."""
    groups: dict[ValueOf, list[Record]] = defaultdict(list)
    for record in records:
        groups[record.value].append(record)
    return groups
