"""The one answer to "is this the same cell?".

A cell's *settings* say what it is: data, split, algorithm, code, and the user's own files. Its
*key* hashes them with the realization and the seed: a record with the same key answers the cell.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ensvm.records.record import Identity, Record
from ensvm.records.settings import CellSettings
from ensvm.study.passes import ValueOf


def hash_of(thing: Any) -> str:
    """Return a hash of a JSON value, of 20 digits; the order of keys does not matter."""
    text = json.dumps(thing, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def key_of(identity: Identity, seed: int, settings: CellSettings) -> str:
    """Return the key of a cell; a record with this key answers it."""
    return hash_of([*identity, seed, settings.to_json()])


def asked(settings: CellSettings) -> dict[str, Any]:
    """Return what a config asks for of a cell's settings, as JSON: all but its code."""
    method = settings.method and replace(settings.method, defaults={})
    line = replace(settings, method=method, code="", own={}).to_json()
    plain: dict[str, Any] = json.loads(json.dumps(line, default=str))
    return plain


def changes(before: CellSettings, now: CellSettings) -> list[str]:
    """Return which settings of a cell have changed: names of keys, files and packages."""
    line, line_before = now.to_json(), before.to_json()
    changed = [
        key
        for key in {**line, **line_before}
        if key != "own" and hash_of(line.get(key)) != hash_of(line_before.get(key))
    ]
    if "code" in changed:
        (code, *versions), (code_before, *versions_before) = (
            settings.code.split(" + ") for settings in (now, before)
        )
        if code == code_before:
            changed.remove("code")
            changed += [version for version in versions if version not in versions_before]
    names = {**now.own, **before.own}
    files = [name for name in names if now.own.get(name) != before.own.get(name)]
    # Edited files may have other defaults, which is not a change of the config.
    same_config = asked(now)["algorithm"] == asked(before)["algorithm"]
    if files and "algorithm" in changed and same_config:
        changed.remove("algorithm")
    return changed + files


def by_value(records: Iterable[Record]) -> dict[ValueOf, list[Record]]:
    """Return the records behind each value of a report."""
    groups: dict[ValueOf, list[Record]] = defaultdict(list)
    for record in records:
        groups[record.dataset, record.algorithm, record.run_pass].append(record)
    return groups
