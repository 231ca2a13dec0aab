"""Parts of a plan: together they are the plan, whatever is done, and none costs far more."""

from collections import Counter

import pytest

from ensvm.runner.plan import _costs, of_pass, part_of, shard_named, shard_of
from ensvm.runner.plan import make_plan
from ensvm.study.reading import find_config
from ensvm.study.source import ConfigError


@pytest.fixture(scope="module")
def plan():
    return make_plan(find_config("ijcai07"), realizations=20)


@pytest.mark.parametrize("of", [1, 3, 16])
def test_the_parts_are_the_plan(plan, of):
    parts = [shard_of(plan, number, of) for number in range(1, of + 1)]
    assert Counter(cell for part in parts for cell in part.cells) == Counter(plan.cells)
    assert all(part.cells for part in parts)


def test_what_shares_kernel_values_stays_together(plan):
    where = Counter(
        (cell.dataset, cell.realization)
        for number in range(1, 9)
        for cell in {
            (c.dataset, c.realization): c for c in shard_of(plan, number, 8).cells
        }.values()
    )
    assert set(where.values()) == {1}


@pytest.mark.parametrize("of", [2, 5, 8])
def test_no_part_costs_much_more_than_its_share(plan, of):
    """The greedy rule's bound: the mean, and at most the longest realization above it."""
    costs = _costs(plan)
    parts = []
    for number in range(1, of + 1):
        units = {(cell.dataset, cell.realization) for cell in shard_of(plan, number, of).cells}
        parts.append(sum(costs[unit] for unit in units))
    assert max(parts) <= sum(costs.values()) / of + max(costs.values())


def test_the_passes_are_the_plan(plan):
    both = [of_pass(plan, name).cells for name in ("error", "timing")]
    assert sorted(map(hash, (*both[0], *both[1]))) == sorted(map(hash, plan.cells))
    assert {cell.run_pass for cell in both[0]} == {"error"}
    assert of_pass(plan, "all").cells == plan.cells
    assert not of_pass(plan, "error").timings, "no cell waits for a timing that is not run"


def test_more_parts_than_realizations_are_refused(study):
    plan = make_plan(study("svc: {estimator: SVC}", realizations=4))
    shard_of(plan, 4, 4)
    with pytest.raises(ConfigError, match=r"shard 1/5.* 4 realizations"):
        shard_of(plan, 1, 5)


@pytest.mark.parametrize(
    ("run_pass", "shard", "elsewhere", "is_left_out"),
    [
        (None, None, False, False),
        (None, None, True, True),
        (None, (1, 2), False, True),
        ("error", None, False, True),
        ("timing", (1, 2), True, False),
        ("all", None, True, False),
    ],
)
def test_what_is_not_run_on_one_machine_leaves_its_timings_out(
    plan, run_pass, shard, elsewhere, is_left_out
):
    timings = len(of_pass(plan, "timing").cells)
    part, left = part_of(plan, run_pass, shard, elsewhere=elsewhere)
    assert left == (timings if is_left_out else 0)
    has = {cell.run_pass for cell in part.cells}
    assert ("timing" in has) is not is_left_out


@pytest.mark.parametrize("given", ["2/8", (2, 8)])
def test_a_shard_is_a_text_or_a_pair(given):
    assert shard_named(given) == (2, 8)
