"""How far a study is: the state of each cell of its plan."""

from collections.abc import Iterable, Mapping
from typing import Literal, TypeAlias

from ensvm.records.record import Identity, Record
from ensvm.runner.plan import Cell, Plan

State: TypeAlias = Literal["done", "shipped", "failed", "timeout", "missing", "stale", "no data"]
# What a run would do or try again; cells without data are tried too, if their data are here now.
LEFT: tuple[State, ...] = ("failed", "timeout", "missing", "stale", "no data")
OF_STATUS: Mapping[str, State] = {
    "ok": "done",
    "failed": "failed",
    "timeout": "timeout",
    "unavailable": "no data",
}


def states_of(
    plan: Plan, own: Mapping[Identity, Record], shipped: Iterable[Identity] = ()
) -> dict[Cell, tuple[State, str]]:
    """Return the state of each cell of a plan, and why it is not done.

    A cell is `done`; `shipped` if nothing was run here and a shipped record stands in; `failed` or
    `timeout`; `missing` if there is no record, or no predictions although the config asks for them;
    `stale` if the record has other settings or other code; or has `no data`. The reason is empty
    for what is done or shipped.
    """
    stands_in = set(shipped)
    missing = {cell.identity: why for cell, why in plan.missing(own)}
    states: dict[Cell, tuple[State, str]] = {}
    for cell in plan.cells:
        record, why = own.get(cell.identity), missing.get(cell.identity, "")
        if cell.identity in stands_in:
            states[cell] = "shipped", ""
        elif record is None or (record.ok and record.key == cell.key and why):
            states[cell] = "missing", why
        elif record.key != cell.key:
            states[cell] = "stale", why
        else:
            states[cell] = OF_STATUS[record.status], record.reason
    return states
