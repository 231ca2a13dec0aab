"""Laws of the estimated time: cells like those that were measured, and nothing for the others."""

from dataclasses import replace

import pytest
from made_up_records import invoke, run_quietly

import ensvm.runner.estimate as estimate_module
from ensvm.records.store import Store, read_records
from ensvm.runner.estimate import (
    REACH,
    estimate,
    measured,
    memory_refusals,
    read_measured,
    total_seconds,
    write_measured,
)
from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config
from ensvm.study.config import read_config, reproduced

pytestmark = pytest.mark.usefixtures("in_this_process")

TWO = """
svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}
random: {estimator: "troublesome:Random"}
"""
ONE = "svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}"


def run(config, results, **choice):
    run_quietly(make_plan(config, **choice), results, jobs=1)
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
    slower = [replace(line, seconds=1e3 + line.seconds) for line in measured(records)]
    own = estimate(plan, missing, records, slower, 1)
    assert own == estimate(plan, missing, records, [], 1)
    assert own.here == len(missing)
    assert own.machines == ()
    shipped = estimate(plan, missing, {}, slower, 1)
    assert shipped.seconds > 1e3 * len(missing)
    assert shipped.elsewhere == len(missing)
    assert shipped.machines == (slower[0].machine,)


def sized(line, factor):
    """Return a measurement of `factor` times as many rows, whose fits grow as kernel values do."""
    n_train, n_test = int(factor * line.n_train), int(factor * line.n_test)
    other = {"dataset": f"times {factor}", "n_train": n_train, "n_test": n_test}
    return replace(line, **other, seconds=line.seconds * factor**2)


def test_another_size_is_scaled_as_kernel_values_grow(one):
    plan, cells, line = one
    exact = seconds(plan, cells, {}, [line], 1)
    for factor in (0.5, 2, 3):
        other = seconds(plan, cells, {}, [sized(line, factor)], 1)
        assert other == pytest.approx(exact, rel=1e-6)


def test_nothing_is_said_of_sizes_out_of_reach(one):
    plan, cells, line = one
    for factor in (2 * REACH, 1 / (2 * REACH)):
        assert estimate(plan, cells, {}, [sized(line, factor)], 1).unknown == len(cells)


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
    slow = [replace(line, seconds=1e3)]
    single = estimate(plan, cells[:1], {}, slow, 1).seconds
    assert estimate(plan, cells, {}, slow, 50).seconds == pytest.approx(single)


def test_timings_are_done_one_by_one(study, one):
    _, _, line = one
    plan = make_plan(study(ONE, more="timing: {realizations: 4}"))
    timings = [cell for cell in plan.cells if cell.run_pass == "timing"]
    assert len(timings) == 4
    parallel = estimate(plan, timings, {}, [line], 4).seconds
    assert parallel == estimate(plan, timings, {}, [line], 1).seconds


def test_the_total_of_a_study_is_that_of_its_cells(study, tmp_path):
    config = study(TWO, more="timing: {realizations: 2}")
    records = run(config, tmp_path / "results")
    plan = make_plan(config)
    whole = seconds(plan, plan.cells, records, [], 1)
    assert total_seconds(measured(records), plan.config) == pytest.approx(whole)


KERNELS = """
one: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance, C: 1.0}}
two: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance, C: 10.0}}
"""


@pytest.fixture
def measured_records(study, tmp_path):
    return run(study(KERNELS, realizations=2), tmp_path / "results")


def test_waiting_for_a_processor_is_not_counted(measured_records):
    for busy in ((5.0, 2.0), (2.0, 9.0)):
        wall, cpu = busy
        records = {
            who: replace(record, seconds={"fit_seconds": wall, "fit_cpu_seconds": cpu})
            for who, record in measured_records.items()
        }
        assert {line.seconds for line in measured(records)} == {2.0}


def test_algorithms_with_one_kernel_share_the_seconds_of_its_values(measured_records):
    """The second algorithm's record has the running sum, the first's what was needed until then."""
    records = {
        who: replace(
            record,
            seconds={"kernel_seconds": 1.0, "test_kernel_seconds": 3.0 if who[2] == "two" else 1.0},
        )
        for who, record in measured_records.items()
    }
    assert {line.seconds for line in measured(records)} == {2.0}


def test_the_table_is_read_as_it_was_written(measured_records, tmp_path):
    path = tmp_path / "table.csv"
    write_measured(tmp_path / "results", path)
    for line, own in zip(read_measured(path), measured(measured_records), strict=True):
        assert line.seconds == pytest.approx(own.seconds, rel=0.01)
        assert replace(own, seconds=line.seconds) == line


def test_cells_without_records_keep_their_lines(measured_records, tmp_path):
    path = tmp_path / "table.csv"
    write_measured(tmp_path / "results", path)
    before = {(line.dataset, line.algorithm): line.cells for line in read_measured(path)}
    again = [r for r in measured_records.values() if r.algorithm in ("data", "one")]
    with Store(tmp_path / "elsewhere" / "trial") as store:
        store.append([record for record in again if record.realization == 1])
    write_measured(tmp_path / "elsewhere", path)
    after = {(line.dataset, line.algorithm): line.cells for line in read_measured(path)}
    assert after == {key: 1 if key[1] == "one" else n for key, n in before.items()} != before


@pytest.mark.parametrize("study", reproduced())
def test_studies_of_make_reproduce_were_measured(study):
    named = read_config(find_config(study))[0].study
    assert named in {line.study for line in read_measured()}


ALGORITHMS = """parzen: {estimator: ParzenWindowClassifier}
ensemble: {estimator: PartiallyTrainedEnsemble}
svc: {estimator: SVC, share_gram: false}
rank_10: {estimator: PartiallyTrainedEnsemble, params: {low_rank: 10}}
of_the_trace: {estimator: PartiallyTrainedEnsemble, params: {low_rank: 0.1}}
own: {estimator: PartiallyTrainedEnsemble, share_gram: false}"""


@pytest.fixture
def refusals(study, monkeypatch):
    """Return a function of the free memory that gives the refusals, and the training rows."""
    plan = make_plan(study(ALGORITHMS, realizations=3))

    def refused(free):
        monkeypatch.setattr(estimate_module, "free_bytes", lambda: free)
        return memory_refusals(plan, plan.cells)

    return refused, plan.cards["own"].sizes()[1]


def test_a_gram_matrix_that_does_not_fit_is_refused_once_for_all_that_share_it(refusals):
    refused, rows = refusals
    assert refused(8.0 * rows**2) == []
    lines = refused(8.0 * rows**2 - 1.0)
    assert len(lines) == 2  # the ensemble may use a low rank
    assert all(f"the Gram matrix of {rows} rows takes" in line for line in lines)
    assert lines[0].startswith("own, parzen: ")
    assert "low_rank" not in lines[0]
    assert lines[1].startswith("own, ensemble: ")
    assert "low_rank=1000 takes" in lines[1]


def test_a_factor_is_refused_if_its_size_is_known(refusals):
    refused, rows = refusals
    assert not any("factor" in line for line in refused(8.0 * rows * 10))
    (line,) = [line for line in refused(8.0 * rows * 10 - 1.0) if "factor" in line]
    assert f", rank_10: the low-rank factor of {rows} rows takes" in line


@pytest.mark.parametrize("command", [["check", "--no-fit"], ["run", "--dry-run"]])
def test_the_commands_say_so_and_end_with_2(command, study, monkeypatch):
    monkeypatch.setattr(estimate_module, "free_bytes", lambda: 100.0)
    done = invoke(*command, study(ALGORITHMS))
    assert done.exit_code == 2
    assert "error: " in done.stderr
    assert "parzen: the Gram matrix of " in done.stderr
    assert "Traceback" not in done.output
