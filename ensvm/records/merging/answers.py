"""Which of several records of a cell is kept, and where two of them are different answers."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from ensvm.records.record import Identity, Record, Status

# A record, and where it was found.
Found: TypeAlias = tuple[Path, Record]

# A failure is a result, for the cell was run; that data are not here is none.
RANKS: dict[Status, int] = {"ok": 2, "failed": 1, "timeout": 1, "unavailable": 0}
SHOWN = 60  # characters of a value that differs


@dataclass(frozen=True)
class Conflict:
    """A cell that two places answer differently, with the same settings.

    Attributes
    ----------
    study : str
        The study.
    cell : Identity
        The cell: data set, realization, algorithm, pass.
    what : str
        What differs: a metric, a curve, or the seconds of a cell that was timed twice.
    places : tuple of two Path
        Where the records are.
    values : tuple of two str
        The two values.
    more : int
        How many other numbers differ as well.
    """

    study: str
    cell: Identity
    what: str
    places: tuple[Path, Path]
    values: tuple[str, str]
    more: int = 0

    def __str__(self) -> str:
        dataset, realization, algorithm, run_pass = self.cell
        timed = ", timing pass" if run_pass == "timing" else ""
        both = " but ".join(
            f"{value} in {place}" for value, place in zip(self.values, self.places, strict=True)
        )
        more = f" (and {self.more} more that differ)" if self.more else ""
        cell = f"{dataset}, realization {realization}, {algorithm}{timed}"
        return f"{self.study}: {cell}: {self.what} is {both}{more}"


def choose(found: Sequence[Found], *, keep_first: bool = False) -> tuple[Record, list[Conflict]]:
    """Return the record of a cell that is kept, and the conflicts among those it is chosen from.

    The settings are those of the newest record of a cell that was run. Among the records with these
    settings, one that ended well comes before any other, then one with predictions, with more
    metrics of them, and the newest. The choice does not hang on the order of the
    places, except where `keep_first` decides a conflict.

    Parameters
    ----------
    found : sequence of (Path, Record)
        The records of one cell, in the order of the places.
    keep_first : bool, default False
        Whether in a conflict the record of the first place is kept.

    Returns
    -------
    record : Record
        The one that is kept.
    conflicts : list of Conflict
        One for each place whose answer is not that of the first place which has one.
    """
    run = [record for _, record in found if RANKS[record.status]]
    settings = max(run or [record for _, record in found], key=_age).settings_key
    same = [(place, record) for place, record in found if record.settings_key == settings]
    good = [(place, record) for place, record in same if record.ok]
    conflicts = [
        conflict for other in good[1:] for conflict in _conflict(good[0], other) if conflict
    ]
    if conflicts and keep_first:
        return good[0][1], conflicts
    return max((record for _, record in same), key=_preference), conflicts


def _age(record: Record) -> tuple[str, str]:
    return record.time, record.run_id


def _preference(record: Record) -> tuple[int, bool, int, str, str]:
    return RANKS[record.status], bool(record.predictions), len(record.scores), *_age(record)


def _conflict(one: Found, other: Found) -> list[Conflict]:
    """Return the conflict between two records of a cell with the same settings; none if equal."""
    first, second = _answer(one[1]), _answer(other[1])
    names = [name for name in {**first, **second} if first.get(name) != second.get(name)]
    if not names:
        return []
    names.sort(key=lambda name: name != "error")  # the error first, where it is among them
    values = _short(first.get(names[0])), _short(second.get(names[0]))
    places = one[0], other[0]
    record = one[1]
    return [Conflict(record.study, record.identity, names[0], places, values, len(names) - 1)]


def _answer(record: Record) -> dict[str, str]:
    """Return all that a cell answers, each as JSON, in which NaN is equal to itself.

    Seconds are no part of it but in the timing pass, where they are what it is run for; nor are
    metrics of predictions, of which one run may have been asked for others.
    """
    orders = {name: of for name, of in record.by_order.items() if name not in record.scores}
    told: dict[str, Any] = {
        **record.metrics,
        **record.curves,
        **{f"{name} of each order": values for name, values in orders.items()},
        "stage": record.stage,
        "number of stages": record.n_stages,
        "validation error": record.validation_error,
    }
    answer = {name: _json(value) for name, value in told.items() if not _is_seconds(name)}
    if record.run_pass == "timing":
        answer |= {name: _json(value) for name, value in record.seconds.items()}
    return answer


def _is_seconds(name: str) -> bool:
    return name.removesuffix(" of each order").rstrip("_").endswith("_seconds")


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _short(text: str | None) -> str:
    if text is None:
        return "nothing"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
