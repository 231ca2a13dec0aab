"""Laws of cells that a timing answers too: the same record as of their own, and no second fit."""

from contextlib import contextmanager

import pytest
from made_up_records import record, run_quietly

from ensvm.records.store import read_records
from ensvm.runner.cell import LONG, is_disturbed
from ensvm.runner.estimate import estimate
from ensvm.runner.plan import make_plan
from ensvm.study.passes import DISTURBED

pytestmark = pytest.mark.usefixtures("in_this_process")

# Kernel values shared and not, stages, a grid, random numbers of its own and of NumPy's
ALGORITHMS = """
parzen: {estimator: ParzenWindowClassifier}
ensemble: {estimator: PartiallyTrainedEnsemble, record: [staged_test_error]}
svc: {estimator: SVC, params: {gamma: scale}, share_gram: false, record: [train_error]}
chosen: {estimator: SVC, grid: {C: [0.1, 1.0, 10.0]}, stage: best-on-validation}
best: {estimator: SVC, grid: {C: [0.1, 1.0, 10.0]}, stage: best-on-test}
boosted: {estimator: AdaBoost, params: {n_estimators: 5}}
random: {estimator: "troublesome:Random"}
"""
TIMED = "timing: {realizations: 2}\n"


def run(config, results):
    outcome = run_quietly(make_plan(config), results, jobs=1)
    return outcome, read_records(results / "trial")


def errors(records):
    """Return what must be the same in the error pass, however it came about."""
    names = ("key", "settings_key", "settings", "status", "metrics", "curves", "stage", "n_stages",
             "validation_error", "warnings", "conditions", "by_order")  # fmt: skip
    return {
        identity: {name: getattr(record, name) for name in names}
        for identity, record in records.items()
        if record.run_pass == "error"
    }


def test_a_record_taken_from_a_timing_is_that_of_the_error_pass(study, tmp_path):
    _, alone = run(study(ALGORITHMS, realizations=3), tmp_path / "alone")
    config = study(ALGORITHMS, realizations=3, more=TIMED)
    outcome, timed = run(config, tmp_path / "timed")
    assert errors(timed) == errors(alone)
    assert outcome.statuses == {"ok": 1 + 7 * 3 + 7 * 2}
    taken = [
        timed[who].time == timed[(*who[:3], "timing")].time for who in make_plan(config).timings
    ]
    assert taken == [True] * 7 * 2


@pytest.mark.parametrize(
    ("algorithm", "more"),
    [
        # Several threads may add in another order.
        ("svc: {estimator: SVC}", "timing: {blas_threads: 2}\n"),
        # A timing is of one order of the rows.
        ("svc: {estimator: SVC, orders: 2}", "timing: {}\n"),
    ],
    ids=["threads", "orders"],
)
def test_a_timing_of_another_computation_answers_nothing(study, algorithm, more):
    assert not make_plan(study(algorithm, more=more)).timings


def test_one_split_is_timed_as_often_as_the_config_says(study, tmp_path):
    config = study("svc: {estimator: SVC}", more="timing: {realizations: 3}\n")
    one_split = "protocol: disjoint"  # 40 and 20 of the 60 rows
    config.write_text(config.read_text().replace("protocol: random", one_split))
    outcome, records = run(config, tmp_path)
    assert outcome.statuses == {"ok": 1 + 1 + 3}
    timed = [record for record in records.values() if record.run_pass == "timing"]
    assert {record.realization for record in timed} == {1, 2, 3}
    assert len({record.metrics["error"] for record in timed}) == 1


def timing_of(seconds):
    return record("own", 1, "svc", run_pass="timing", seconds=seconds)


@pytest.mark.parametrize(
    ("seconds", "earlier", "disturbed"),
    [
        (LONG / 2, [], True),  # the first one loads code
        (LONG * 2, [], False),
        (0.9 * DISTURBED, [1.0, 0.5, 1.0], False),
        (1.1 * DISTURBED, [1.0, 0.5, 1.0], True),
    ],
)
def test_the_first_timing_and_one_far_too_long_are_run_again(seconds, earlier, disturbed):
    assert is_disturbed(timing_of(seconds), [timing_of(each) for each in earlier]) == disturbed


def test_the_second_run_of_a_timing_counts(study, tmp_path, monkeypatch):
    asked = []

    def once_disturbed(record, earlier):
        asked.append(record)
        return len(asked) == 1

    monkeypatch.setattr("ensvm.runner.cell.is_disturbed", once_disturbed)
    _, records = run(study("svc: {estimator: SVC}", realizations=2, more=TIMED), tmp_path)
    first, second = (records["own", number, "svc", "timing"].seconds for number in (1, 2))
    assert first != asked[0].seconds
    assert second == asked[1].seconds


def test_a_timing_that_waited_for_the_compiler_is_run_again(study, tmp_path, monkeypatch):
    names = iter([["a function"], [], []])
    asked = []

    @contextmanager
    def counted():
        yield next(names)

    def never_disturbed(record, earlier):
        asked.append(record)
        return False

    monkeypatch.setattr("ensvm.runner.cell.compiling_counted", counted)
    monkeypatch.setattr("ensvm.runner.cell.is_disturbed", never_disturbed)
    config = study("svc: {estimator: SVC}", realizations=2, more=TIMED)
    _, records = run(config, tmp_path)
    assert {record.realization for record in asked} == {2}  # the first one was not asked about
    assert not list(names)  # three timings of two cells
    assert records["own", 2, "svc", "timing"].seconds == asked[0].seconds


def test_a_failure_of_the_timing_is_that_of_both(study, tmp_path):
    more = "timing: {realizations: 1}\n"
    config = study("bad: {estimator: 'troublesome:Raises'}", realizations=1, more=more)
    outcome, records = run(config, tmp_path)
    assert outcome.statuses == {"ok": 1, "failed": 2}
    assert {record.reason for record in records.values() if not record.ok} == {
        "RuntimeError: no luck today"
    }
    assert run(config, tmp_path)[0].statuses == {"failed": 2}


def test_a_cell_that_a_timing_answers_takes_no_seconds(study, tmp_path):
    config = study("svc: {estimator: SVC}", realizations=2, more=TIMED)
    _, records = run(config, tmp_path)
    plan = make_plan(config)
    timings = [cell for cell in plan.cells if cell.run_pass == "timing"]
    both, one = (estimate(plan, cells, records, 1) for cells in (plan.cells, timings))
    assert both.seconds == one.seconds
    assert both.n_known == 2 * one.n_known
