"""Laws of the estimated time: cells like those that were measured, and nothing for the others."""

from dataclasses import replace

import pytest
from made_up_records import Silent

from ensvm.records.store import read_records
from ensvm.runner.estimate import PHASES, REACH, estimate, measured, total_seconds
from ensvm.runner.execute import run_plan
from ensvm.runner.plan import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

TWO = """
svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}
random: {estimator: "troublesome:Random"}
"""
ONE = "svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}"


def run(config, results, **choice):
    run_plan(make_plan(config, **choice), results, Silent(), jobs=1)
    return read_records(results / "trial")


def to_do(plan, records):
    return [cell for cell, _ in plan.missing(records)]


def seconds(*arguments):
    """Return what the cells alone take, without what a run takes before the first."""
    return sum(estimate(*arguments).by_dataset.values())


@pytest.fixture
def partly_run(study, tmp_path):
    """Return a plan, its records of two realizations out of four, and the missing cells."""
    config = study(TWO)
    records = run(config, tmp_path / "results", realizations=2)
    plan = make_plan(config)
    return plan, records, to_do(plan, records)


@pytest.fixture
def one(study, tmp_path):
    """Return a plan of one algorithm, its cells, and one line of measurements of it."""
    config = study(ONE)
    plan = make_plan(config)
    cells = [cell for cell in plan.cells if cell.method is not None]
    (line,) = measured(run(config, tmp_path / "results"))
    return plan, cells, line


def test_measured_cells_cost_the_mean_of_their_records(partly_run):
    plan, records, missing = partly_run
    (cell, *_) = [cell for cell in missing if cell.algorithm == "random"]
    others = {who: record for who, record in records.items() if who[2] != "random"}
    own = {who: record for who, record in records.items() if who[2] == "random"}
    singles = [seconds(plan, [cell], {**others, who: own[who]}, [], 1) for who in own]
    assert len(singles) == 2
    assert seconds(plan, [cell], records, [], 1) == pytest.approx(sum(singles) / 2)
    assert estimate(plan, [cell], records, [], 1).here == 1


def test_an_algorithm_that_was_never_measured_gets_no_estimate(partly_run):
    plan, records, missing = partly_run
    cells = [cell for cell in missing if cell.algorithm == "svc"]
    others = {who: record for who, record in records.items() if who[2] != "svc"}
    cost = estimate(plan, cells, others, [], 1)
    assert (cost.seconds, cost.here, cost.elsewhere, cost.unknown) == (0, 0, 0, len(cells))


def test_own_records_come_before_shipped_measurements(partly_run):
    plan, records, missing = partly_run
    slower = [replace(line, fit_seconds=1e3 + line.fit_seconds) for line in measured(records)]
    own = estimate(plan, missing, records, slower, 1)
    assert own == estimate(plan, missing, records, [], 1)
    assert own.here == len(missing)
    assert own.machines == ()
    shipped = estimate(plan, missing, {}, slower, 1)
    assert shipped.seconds > 1e3 * len(missing)
    assert shipped.elsewhere == len(missing)
    assert shipped.machines == (slower[0].machine,)


def test_other_parameters_are_another_algorithm(study, one):
    _, _, line = one
    plan = make_plan(study("svc: {estimator: SVC, params: {C: 2.0}}"))
    assert estimate(plan, plan.cells, {}, [line], 1).unknown == len(plan.cells) - 1


def test_the_name_of_a_study_a_data_set_or_an_algorithm_does_not_matter(one):
    plan, cells, line = one
    renamed = replace(line, study="another", dataset="other", algorithm="machine")
    same = seconds(plan, cells, {}, [renamed], 1)
    assert same == pytest.approx(seconds(plan, cells, {}, [line], 1))


def sized(line, factor, growth):
    """Return a measurement of `factor` times as many rows, whose fits grow by a power law."""
    return replace(
        line,
        dataset=f"times {factor}",
        n_train=int(factor * line.n_train),
        n_test=int(factor * line.n_test),
        fit_seconds=line.fit_seconds * factor**growth,
        kernel_seconds=line.kernel_seconds * factor**2,
        predict_seconds=line.predict_seconds * factor**2,
        test_kernel_seconds=line.test_kernel_seconds * factor**2,
    )


@pytest.mark.parametrize("growth", [0.5, 1.0, 2.5])
def test_seconds_follow_the_power_law_of_the_sizes_measured(one, growth):
    plan, cells, line = one
    others = [sized(line, factor, growth) for factor in (0.5, 2, 3)]
    exact = seconds(plan, cells, {}, [line], 1)
    assert seconds(plan, cells, {}, others, 1) == pytest.approx(exact, rel=1e-6)


def test_nothing_is_said_of_sizes_out_of_reach(one):
    plan, cells, line = one
    for factor in (2 * REACH, 1 / (2 * REACH)):
        assert estimate(plan, cells, {}, [sized(line, factor, 1)], 1).unknown == len(cells)


def test_cells_add_up_and_jobs_divide(partly_run):
    plan, records, missing = partly_run
    whole = seconds(plan, missing, records, [], 1)
    parts = [
        seconds(plan, [cell for cell in missing if cell.realization == number], records, [], 1)
        for number in (3, 4)
    ]
    assert whole > 0
    assert whole == pytest.approx(sum(parts))
    assert seconds(plan, missing, records, [], 2) == pytest.approx(whole / 2)


def test_no_number_of_jobs_makes_a_realization_shorter(one):
    plan, cells, line = one
    slow = [replace(line, fit_seconds=1e3)]
    single = estimate(plan, cells[:1], {}, slow, 1).seconds
    assert estimate(plan, cells, {}, slow, 50).seconds == pytest.approx(single)


def test_timings_are_done_one_by_one(study, one):
    _, _, line = one
    plan = make_plan(study(ONE, more="timing: {realizations: 4}"))
    timings = [cell for cell in plan.cells if cell.run_pass == "timing"]
    assert len(timings) == 4
    parallel = estimate(plan, timings, {}, [line], 4).seconds
    assert parallel == estimate(plan, timings, {}, [line], 1).seconds


def test_algorithms_with_one_kernel_pay_for_its_values_once(study, tmp_path):
    plan = make_plan(
        study("""
            svc: {estimator: SVC, params: {C: 1.0, kernel: rbf, gamma: mean-distance}}
            other: {estimator: SVC, params: {C: 2.0, kernel: rbf, gamma: mean-distance}}
            linear: {estimator: SVC, params: {C: 1.0, kernel: linear}}
        """)
    )
    lines = [
        replace(line, fit_seconds=0.0, predict_seconds=0.0, test_kernel_seconds=0.0)
        for line in measured(run(plan.path, tmp_path / "results"))
    ]
    lines = [replace(line, kernel_seconds=1.0) for line in lines]
    first = [cell for cell in plan.cells if cell.realization == 1]
    assert seconds(plan, first, {}, lines, 1) == pytest.approx(2.0)


def test_failed_cells_do_not_count_as_measured(study, tmp_path):
    config = study('bad: {estimator: "troublesome:Raises"}', realizations=2)
    records = run(config, tmp_path / "results")
    plan = make_plan(config)
    missing = to_do(plan, records)
    assert estimate(plan, missing, records, [], 1).unknown == len(missing)


def test_what_is_done_costs_nothing(study, tmp_path):
    config = study(TWO, realizations=1)
    records = run(config, tmp_path / "results")
    plan = make_plan(config)
    assert estimate(plan, to_do(plan, records), records, [], 1).seconds == 0


def test_the_phases_are_what_the_seconds_are_spent_on(study, tmp_path):
    both = f"{TWO}\npoly: {{estimator: SVC, params: {{kernel: rbf, gamma: mean-distance, C: 9}}}}"
    config = study(both, more="timing: {realizations: 2}")
    records = run(config, tmp_path / "results")
    plan = make_plan(config)
    cost = estimate(plan, plan.cells, records, [], 1)
    assert sum(cost.by_phase.values()) == pytest.approx(sum(cost.by_dataset.values()))
    assert {phase for _, phase in cost.by_phase} == set(PHASES)
    # two machines of one kernel share its values
    assert {name for name, phase in cost.by_phase if phase == "kernel values"} == {""}


def test_the_total_of_a_study_is_that_of_its_cells(study, tmp_path):
    config = study(TWO, more="timing: {realizations: 2}")
    records = run(config, tmp_path / "results")
    plan = make_plan(config)
    whole = seconds(plan, plan.cells, records, [], 1)
    assert total_seconds(measured(records), {}) == pytest.approx(whole)
