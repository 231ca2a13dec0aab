"""The values of a fit that must come out the same again: all numbers of a record but seconds."""

import json
import re

from ensvm.records.record import Record

SECONDS = re.compile("_seconds(_| by order)$")  # names of seconds among the values


def values_of_fit(record: Record) -> dict[str, str]:
    """Return what came out of a fit but seconds, each as JSON, in which NaN is equal to itself."""
    by_order = {f"{name} by order": values for name, values in record.by_order.items()}
    chosen = {name: getattr(record, name) for name in ("stage", "n_stages", "validation_error")}
    values = {**record.metrics, **record.scores, **record.curves, **by_order, **chosen}
    kept = {name: value for name, value in values.items() if not SECONDS.search(name)}
    return {name: json.dumps(value, sort_keys=True) for name, value in kept.items()}


def differing_values(one: Record, other: Record) -> list[str]:
    """Return the names of the values in which two good records of a cell differ.

    Metrics that one record alone was asked for do not count.
    """
    first, second = values_of_fit(one), values_of_fit(other)
    one_sided = one.scores.keys() ^ other.scores.keys()
    return [
        name
        for name in {**first, **second}
        if name not in one_sided and first.get(name) != second.get(name)
    ]
