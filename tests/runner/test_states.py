"""What each cell of a plan has come to; what is left is what a run would do."""

from collections import Counter

import pytest
from made_up_records import record_of

from ensvm.records.settings import CellSettings
from ensvm.runner.plan import LEFT, make_plan

TWO = "svc: {estimator: SVC}\nparzen: {estimator: ParzenWindowClassifier}"


@pytest.fixture
def plan(study):
    return make_plan(study(TWO, realizations=3))


def records_of(plan, **of_first):
    """Return records that answer all cells, that of the first SVC with changes."""
    first = next(cell for cell in plan.cells if cell.algorithm == "svc")
    return {
        cell.identity: record_of(cell, **(of_first if cell is first else {})) for cell in plan.cells
    }


def states(plan, records):
    return Counter(state for state, _ in plan.states(records).values())


def test_all_is_done_if_all_have_records(plan):
    assert states(plan, records_of(plan)) == {"done": len(plan.cells)}


@pytest.mark.parametrize(
    ("changed", "state"),
    [
        ({"status": "failed", "reason": "no memory"}, "failed"),
        ({"status": "timeout", "reason": "too long"}, "timeout"),
        ({"status": "unavailable", "reason": "no file"}, "no data"),
        ({"key": "another", "settings": CellSettings(code="old")}, "stale"),
    ],
)
def test_a_cell_that_did_not_end_well_is_left_with_the_reason(plan, changed, state):
    records = records_of(plan, **changed)
    [(cell, why)] = [
        (cell, why) for cell, (found, why) in plan.states(records).items() if found == state
    ]
    assert cell.algorithm == "svc"
    assert changed.get("reason", "changed: ") in why
    assert len(plan.missing(records)) == 1


def test_what_is_left_is_what_a_run_does(plan):
    every = records_of(plan, status="failed")
    some = {who: record for who, record in every.items() if who[1] != 2}
    left = {cell for cell, (state, _) in plan.states(some).items() if state in LEFT}
    assert left == {cell for cell, _ in plan.missing(some)}
