"""The states of cells, in the words of every verb, page and notebook."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from ensvm.counts import counted

CellState: TypeAlias = Literal["done", "failed", "timeout", "missing", "stale", "no data"]
# The state of a cell by the status of its record
OF_STATUS: Mapping[str, CellState] = {
    "ok": "done",
    "failed": "failed",
    "timeout": "timeout",
    "unavailable": "no data",
}


def counted_states(statuses: Iterable[str], noun: str = "") -> str:
    """Return how many records have each status, as states of cells: `3 done, 1 failed`.

    A `noun` follows each number.
    """
    counts = Counter(statuses)
    return ", ".join(
        f"{counted(counts[status], noun) if noun else f'{counts[status]:,}'} {state}"
        for status, state in OF_STATUS.items()
        if counts[status]
    )
