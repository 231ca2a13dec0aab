"""`orders:` of a study: the same orders for all, the same values anyhow, timings of one fit."""

import pytest
from made_up_records import run_quietly

from ensvm.errors import UserError
from ensvm.records.store import read_records
from ensvm.runner.plan import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

ORDERED = """
one: {estimator: "troublesome:LastRow", orders: 4}
two: {estimator: "troublesome:LastRow", orders: 3}
"""


def run(config, results, jobs=1):
    outcome = run_quietly(make_plan(config), results, jobs=jobs)
    assert not outcome.failures
    return read_records(results / "trial")


def test_the_orders_are_the_same_for_all_algorithms(study, tmp_path):
    records = run(study(ORDERED), tmp_path)
    drawn = set()
    for realization in (1, 2, 3, 4):
        one, two = (records["own", realization, name, "error"].by_order for name in ("one", "two"))
        assert one.keys() == two.keys()
        assert [one[name][:3] for name in one] == [two[name] for name in two]
        assert len(one["error"]) == 4
        drawn.add(tuple(one["error"]))
    assert len(drawn) > 1


def test_one_order_is_none(study, tmp_path):
    plain = 'one: {estimator: "troublesome:LastRow"}'
    one = study(plain.replace("}", ", orders: 1}"))
    records = run(one, tmp_path)
    assert make_plan(one).cells == make_plan(study(plain)).cells
    keys = [cell.key for cell in make_plan(study(plain)).cells]
    assert sorted(record.key for record in records.values()) == sorted(keys)
    assert not any(record.by_order for record in records.values())


def test_more_orders_make_another_cell_and_no_other_timing(study):
    def keys(text):
        cells = make_plan(study(text, more="timing: {}\n")).cells
        return {(cell.algorithm, cell.run_pass): cell.key for cell in cells}

    before, after = keys(ORDERED), keys(ORDERED.replace("orders: 4", "orders: 5"))
    assert {cell for cell in before if before[cell] != after[cell]} == {("one", "error")}


def test_a_timing_is_of_one_fit(study, tmp_path):
    config = study('one: {estimator: "troublesome:LastRow", orders: 4}', more="timing: {}\n")
    records = run(config, tmp_path)
    timed, scored = (records["own", 1, "one", name] for name in ("timing", "error"))
    assert not timed.by_order
    assert timed.metrics["error"] == scored.by_order["error"][0]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("{estimator: SVC, orders: 0}", "orders"),
        ("{estimator: SVC, orders: many}", "orders"),
        (
            "{estimator: SVC, orders: 2, grid: {C: [1.0, 2.0]}, stage: best-on-validation}",
            "would hold out other rows",
        ),
    ],
)
def test_what_cannot_be_is_refused(study, block, message):
    with pytest.raises(UserError, match=message):
        make_plan(study(f"svc: {block}"))
