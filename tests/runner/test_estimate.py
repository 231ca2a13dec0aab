"""Laws of the estimated time: measured cells by the mean of their records, others by their size."""

import pytest

from ensvm.records.store import read_records
from ensvm.runner.estimate import estimate
from ensvm.runner.execute import run_plan
from ensvm.runner.plan import make_plan

TWO = """
svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}
random: {estimator: "troublesome:Random"}
"""


class Silent:
    def data(self, dataset):
        pass

    def start(self, cells, cost):
        pass

    def done(self, records, cost):
        pass


def run(config, results, **choice):
    run_plan(make_plan(config, **choice), results, Silent(), jobs=1)
    return read_records(results / "trial")


def to_do(plan, records):
    return [cell for cell, _ in plan.missing(records)]


@pytest.fixture
def measured(study, tmp_path):
    """Return a plan, its records of two realizations out of four, and the missing cells."""
    config = study(TWO)
    records = run(config, tmp_path / "results", realizations=2)
    plan = make_plan(config)
    return plan, records, to_do(plan, records)


def test_measured_cells_cost_the_mean_of_their_records(measured):
    plan, records, missing = measured
    (cell, *_) = [cell for cell in missing if cell.algorithm == "svc"]
    own = {who: record for who, record in records.items() if who[2] == "svc"}
    singles = [estimate(plan, [cell], {who: record}, 1).seconds for who, record in own.items()]
    assert len(singles) == 2
    both = estimate(plan, [cell], own, 1)
    assert both.seconds == pytest.approx(sum(singles) / 2)
    assert (both.measured, both.guessed) == (1, 0)


def test_the_cells_of_other_algorithms_say_nothing(measured):
    plan, records, missing = measured
    (cell, *_) = [cell for cell in missing if cell.algorithm == "svc"]
    others = {who: record for who, record in records.items() if who[2] != "svc"}
    assert estimate(plan, [cell], others, 1) == estimate(plan, [cell], {}, 1)
    assert estimate(plan, [cell], others, 1).guessed == 1


def test_cells_add_up_and_jobs_divide(measured):
    plan, records, missing = measured
    whole = estimate(plan, missing, records, 1)
    parts = [estimate(plan, [cell], records, 1).seconds for cell in missing]
    assert whole.seconds > 0
    assert whole.seconds == pytest.approx(sum(parts))
    assert estimate(plan, missing, records, 4).seconds == pytest.approx(whole.seconds / 4)
    assert whole.measured == len(missing)


def test_every_cell_without_a_record_is_a_guess_except_those_that_only_tell_of_the_data(study):
    plan = make_plan(study(TWO))
    cost = estimate(plan, plan.cells, {}, 1)
    to_run = [cell for cell in plan.cells if cell.settings["algorithm"] is not None]
    assert len(to_run) < len(plan.cells)
    assert (cost.measured, cost.guessed) == (0, len(to_run))
    assert cost == estimate(plan, to_run, {}, 1)


def test_a_guess_grows_with_the_points_of_the_grid(study):
    plan = make_plan(
        study("""
            one: {estimator: SVC}
            grid: {estimator: SVC, grid: {C: [0.1, 1.0, 10.0]}, stage: best-on-test}
        """)
    )
    one, grid = (
        estimate(plan, [cell for cell in plan.cells if cell.algorithm == name], {}, 1).seconds
        for name in ("one", "grid")
    )
    assert grid == pytest.approx(3 * one)


def test_failed_cells_do_not_count_as_measured(study, tmp_path):
    config = study('bad: {estimator: "troublesome:Raises"}', realizations=2)
    records = run(config, tmp_path / "results")
    plan = make_plan(config)
    missing = to_do(plan, records)
    cost = estimate(plan, missing, records, 1)
    assert (cost.measured, cost.guessed) == (0, len(missing))


def test_what_is_done_costs_nothing(study, tmp_path):
    config = study(TWO, realizations=1)
    records = run(config, tmp_path / "results")
    plan = make_plan(config)
    cost = estimate(plan, to_do(plan, records), records, 1)
    assert (cost.seconds, cost.measured, cost.guessed) == (0, 0, 0)
