"""How far a study is: what each cell of its plan has come to."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ensvm.records.record import Identity, Record
from ensvm.runner.plan import Cell, Plan

State: TypeAlias = Literal["done", "shipped", "failed", "timeout", "missing", "stale", "no data"]
# What a run would do, or try again; `no data` is tried, too, where the data have come since.
LEFT: tuple[State, ...] = ("failed", "timeout", "missing", "stale", "no data")
OF_STATUS: Mapping[str, State] = {
    "ok": "done",
    "failed": "failed",
    "timeout": "timeout",
    "unavailable": "no data",
}


@dataclass(frozen=True)
class Group:
    """Cells of one state and one reason.

    Attributes
    ----------
    state : str
        Their state.
    why : str
        Why they are not done.
    cells : int
        How many there are.
    datasets, algorithms : tuple of str
        Of which data sets and algorithms they are, in the order of the config.
    """

    state: State
    why: str
    cells: int
    datasets: tuple[str, ...]
    algorithms: tuple[str, ...]


def states_of(
    plan: Plan, own: Mapping[Identity, Record], shipped: Iterable[Identity] = ()
) -> dict[Cell, tuple[State, str]]:
    """Return what each cell of a plan has come to, and why it is not done.

    Parameters
    ----------
    plan : Plan
        The cells.
    own : dict of Identity to Record
        The records made here.
    shipped : iterable of Identity, default ()
        The cells for which a shipped record stands in.

    Returns
    -------
    dict of Cell to pair of str
        `done`; `shipped` where nothing was run here; `failed` or `timeout`; `missing` where
        nothing is known, or no predictions are that the config asks for; `stale` where a record is
        of other settings or other code; `no data`.
        The reason is empty for what is done or shipped.
    """
    stands_in = set(shipped)
    before = {cell.identity: why for cell, why in plan.missing(own)}
    found: dict[Cell, tuple[State, str]] = {}
    for cell in plan.cells:
        record = own.get(cell.identity)
        if cell.identity in stands_in:
            found[cell] = "shipped", ""
        elif record is None:
            found[cell] = "missing", before[cell.identity]
        elif record.key != cell.key:
            found[cell] = "stale", before[cell.identity]
        elif record.ok and cell.identity in before:  # without predictions that the config asks for
            found[cell] = "missing", before[cell.identity]
        else:
            found[cell] = OF_STATUS[record.status], record.reason
    return found


def groups_of(states: Mapping[Cell, tuple[State, str]]) -> list[Group]:
    """Return the cells that are left, grouped by state and reason, in the order of `LEFT`."""
    found: dict[tuple[State, str], list[Cell]] = {}
    for cell, told in states.items():
        if told[0] in LEFT:
            found.setdefault(told, []).append(cell)
    groups = [
        Group(
            state,
            why,
            len(cells),
            tuple(dict.fromkeys(cell.dataset for cell in cells)),
            tuple(dict.fromkeys(cell.algorithm for cell in cells)),
        )
        for (state, why), cells in found.items()
    ]
    return sorted(groups, key=lambda group: LEFT.index(group.state))


def counts_of(states: Mapping[Cell, tuple[State, str]]) -> Counter[State]:
    """Return how many cells have come to each state."""
    return Counter(state for state, _ in states.values())
