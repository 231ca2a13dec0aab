"""Laws of the estimated time: the mean of finished cells like them, and nothing for the others."""

from dataclasses import replace

import pytest
from made_up_records import run_quietly

from ensvm.records.store import read_records
from ensvm.runner.estimate import estimate
from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config
from ensvm.study.read_config import read_config, reproduced

pytestmark = pytest.mark.usefixtures("in_this_process")

TWO = """
svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}
random: {estimator: "troublesome:Random"}
"""


@pytest.fixture
def partly_run(study, tmp_path):
    """Return a plan, its records of two realizations out of four, and the missing cells."""
    config = study(TWO)
    run_quietly(make_plan(config, realizations=2), tmp_path / "results", jobs=1)
    records = read_records(tmp_path / "results" / "trial")
    plan = make_plan(config)
    return plan, records, [cell for cell, _ in plan.missing(records)]


def timed(records, algorithm, **seconds):
    """Return records in which those of an algorithm have these seconds."""
    return {
        who: replace(record, seconds=seconds) if who[2] == algorithm else record
        for who, record in records.items()
    }


def test_a_cell_is_expected_to_take_the_mean_of_finished_ones(partly_run):
    plan, records, missing = partly_run
    cells = [cell for cell in missing if cell.algorithm == "random"]
    singles = []
    for number, seconds in ((1, 2.0), (2, 6.0)):
        who = "own", number, "random", "error"
        records[who] = replace(records[who], seconds={"fit_seconds": seconds})
        singles.append(estimate(plan, cells[:1], {who: records[who]}, 1).seconds)
    assert singles == [2.0, 6.0]
    assert estimate(plan, cells[:1], records, 1).seconds == 4.0
    assert estimate(plan, cells, records, 1).seconds == 8.0
    assert estimate(plan, cells, records, 2).seconds == 4.0


def test_an_algorithm_without_a_finished_cell_gets_no_estimate(partly_run):
    plan, records, missing = partly_run
    cells = [cell for cell in missing if cell.algorithm == "svc"]
    others = {who: record for who, record in records.items() if who[2] != "svc"}
    cost = estimate(plan, cells, others, 1)
    assert (cost.seconds, cost.n_known, cost.n_unknown) == (0, 0, len(cells))


def test_timings_are_done_one_by_one(study, tmp_path):
    config = study(TWO, realizations=2, more="timing: {}")
    plan = make_plan(config)
    run_quietly(plan, tmp_path / "results", jobs=1)
    records = read_records(tmp_path / "results" / "trial")
    timings = [cell for cell in plan.cells if cell.run_pass == "timing"]
    assert timings
    assert estimate(plan, timings, records, 4) == estimate(plan, timings, records, 1)


def test_waiting_for_a_processor_is_not_counted(partly_run):
    plan, records, missing = partly_run
    cells = [cell for cell in missing if cell.algorithm == "svc"]
    for wall, cpu in ((5.0, 2.0), (2.0, 9.0)):
        of_svc = timed(records, "svc", fit_seconds=wall, fit_cpu_seconds=cpu)
        assert estimate(plan, cells[:1], of_svc, 1).seconds == 2.0


def test_algorithms_share_the_seconds_of_kernel_values(partly_run):
    plan, records, missing = partly_run
    both = timed(timed(records, "svc", kernel_seconds=3.0), "random", kernel_seconds=3.0)
    of_data = [who for who in both if who[2] == "data"]
    both = {who: record for who, record in both.items() if who not in of_data}
    cells = [cell for cell in missing if cell.realization == 3]
    assert len(cells) == 2
    assert estimate(plan, cells, both, 1).seconds == 3.0


def test_the_studies_of_make_reproduce_say_what_they_take():
    configs = [read_config(find_config(name))[0] for name in reproduced()]
    assert configs
    assert [config.study for config in configs if not config.takes] == []
