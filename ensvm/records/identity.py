"""The one answer to "is this the same cell?".

A cell's *settings* say what it is: data, split, algorithm, code, and the user's own files. Its
*key* hashes them with the realization and the seed: a record with the same key answers the cell.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from ensvm.records.record import Identity, Record
from ensvm.study.passes import ValueOf

# Settings that the code decides, not the config.
OF_THE_CODE = ("code", "defaults", "own")


def hash_of(thing: Any) -> str:
    """Return a hash of a JSON value, of 20 digits; the order of keys does not matter."""
    text = json.dumps(thing, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def key_of(identity: Identity, seed: int, settings: Mapping[str, Any]) -> str:
    """Return the key of a cell; a record with this key answers it."""
    return hash_of([*identity, seed, settings])


def asked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a cell's settings that a config asks for, as JSON: all but its code."""
    kept = {key: value for key, value in settings.items() if key not in OF_THE_CODE}
    if kept.get("algorithm"):
        method = kept["algorithm"]
        kept["algorithm"] = {key: method[key] for key in method if key not in OF_THE_CODE}
    plain: dict[str, Any] = json.loads(json.dumps(kept))
    return plain


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return which settings of a cell have changed: names of keys, files and packages."""
    own, own_before = now.get("own", {}), before.get("own", {})
    changed = [key for key in now if key != "own" and hash_of(before.get(key)) != hash_of(now[key])]
    if "code" in changed:
        (code, *versions), (code_before, *versions_before) = (
            str(settings.get("code")).split(" + ") for settings in (now, before)
        )
        if code == code_before:
            changed.remove("code")
            changed += [version for version in versions if version not in versions_before]
    files = [name for name in {**own, **own_before} if own.get(name) != own_before.get(name)]
    # Edited files may have other defaults, which is not a change of the config.
    same_config = asked(now).get("algorithm") == asked(before).get("algorithm")
    if files and "algorithm" in changed and same_config:
        changed.remove("algorithm")
    return changed + files


def by_value(records: Iterable[Record]) -> dict[ValueOf, list[Record]]:
    """Return the records behind each value of a report."""
    groups: dict[ValueOf, list[Record]] = defaultdict(list)
    for record in records:
        groups[record.dataset, record.algorithm, record.run_pass].append(record)
    return groups
