"""The values of a fit that must come out the same again: all numbers of a record but seconds."""

import json
import re
from functools import cache
from typing import Any

from ensvm.records.record import Record

SECONDS = re.compile("_seconds(_| by order)$")  # names of seconds among the values


def values_of_fit(record: Record) -> dict[str, Any]:
    """Return what came out of a fit but seconds."""
    by_order = {f"{name} by order": values for name, values in record.by_order.items()}
    chosen = {name: getattr(record, name) for name in ("stage", "n_stages", "validation_error")}
    values = {**record.metrics, **record.scores, **record.curves, **by_order, **chosen}
    return {name: value for name, value in values.items() if not _is_of_seconds(name)}


@cache
def _is_of_seconds(name: str) -> bool:
    return SECONDS.search(name) is not None


def are_equal(one: Any, other: Any) -> bool:
    """Return whether two values of fits are equal; NaN is equal to itself."""
    return bool(one == other) or json.dumps(one) == json.dumps(other)


def differing_values(one: Record, other: Record) -> list[str]:
    """Return the names of the values in which two good records of a cell differ.

    Metrics that one record alone was asked for do not count.
    """
    first, second = values_of_fit(one), values_of_fit(other)
    one_sided, both = one.scores.keys() ^ other.scores.keys(), first.keys() & second.keys()
    return [
        name
        for name in {**first, **second}
        if name not in one_sided and not (name in both and are_equal(first[name], second[name]))
    ]
