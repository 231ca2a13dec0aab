"""The same values at any number of jobs, in any order, after any interruption."""

import json
import random

import numpy as np
import pytest
import sklearn
import troublesome
from made_up_records import cells_run_here, run_quietly
from threadpoolctl import threadpool_info

from ensvm.records.store import CELLS_FILE, read_records
from ensvm.report.query import Query, ask
from ensvm.report.study_folder import read_study
from ensvm.report.tables import build_table
from ensvm.runner.cell import surroundings
from ensvm.runner.plan import make_plan

PLAIN = """
svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}
random: {estimator: "troublesome:Random"}
"""


# The worker processes are started by the tests of those alone.
in_this_process = pytest.mark.usefixtures("in_this_process")


def run(config, results, jobs=1, timeout=None, **choice):
    return run_quietly(make_plan(config, **choice), results, jobs=jobs, timeout=timeout)


def values(results):
    """What must be identical between runs: everything but seconds, times and provenance."""
    same = ("status", "key", "metrics", "reason", "curves")
    records = read_records(results / "trial")
    return {
        identity: {name: getattr(record, name) for name in same}
        for identity, record in records.items()
    }


@pytest.fixture
def results(tmp_path):
    return tmp_path / "results"


def by_realization(config, results, names):
    """Run a config, and return the records of these algorithms for each realization in turn."""
    run(config, results)
    records = read_records(results / "trial")
    return [[records["own", number, name, "error"] for name in names] for number in (1, 2, 3, 4)]


@in_this_process
def test_each_algorithm_and_realization_has_its_own_random_state(study, results):
    config = study("\n".join(f'{name}: {{estimator: "troublesome:Random"}}' for name in "ab"))
    errors = [
        [record.metrics["error"] for record in pair]
        for pair in by_realization(config, results, "ab")
    ]
    of_a, of_b = zip(*errors, strict=True)
    assert of_a != of_b
    assert len(set(of_a)) > 1


@in_this_process
def test_resume_does_only_what_is_missing(study, results):
    config = study(PLAIN)
    run(config, results)
    whole = values(results)
    path = results / "trial" / CELLS_FILE
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:5]) + lines[5][:40])
    n_kept = sum(b'"kind": "cell"' in line for line in lines[:5])
    outcome = run(config, results)
    assert outcome.already_done == n_kept > 0
    assert sum(outcome.statuses.values()) == len(whole) - n_kept
    assert values(results) == whole
    assert run(config, results).already_done == len(whole)


@in_this_process
def test_order_and_choice_do_not_change_the_values(study, tmp_path):
    config = study(PLAIN)
    run(config, tmp_path / "whole")
    run(config, tmp_path / "parts", algorithms=("random",))
    run(config, tmp_path / "parts", realizations=2)
    run(config, tmp_path / "parts")
    assert values(tmp_path / "whole") == values(tmp_path / "parts")


@in_this_process
def test_a_changed_parameter_is_done_again_and_says_why(study, results):
    run(study("svc: {estimator: SVC, params: {C: 1.0}}"), results)
    outcome = run(study("svc: {estimator: SVC, params: {C: 2.0}}"), results)
    assert outcome.reasons == {"changed: C 1.0, asked 2.0": 4}
    assert outcome.already_done == 1


@in_this_process
def test_what_raises_costs_its_cell_alone_and_is_tried_again(study, results):
    bad = "".join(
        f'bad_{how}: {{estimator: "troublesome:Raises", params: {{how: {how}}}}}\n'
        for how in troublesome.RAISED
    )
    config, n_bad = study(PLAIN + bad), 4 * len(troublesome.RAISED)
    outcome = run(config, results)
    assert outcome.statuses == {"ok": 9, "failed": n_bad}
    assert "RuntimeError: no luck today" in {record.reason for record in outcome.failures}
    assert all(0 < len(record.reason) < 10_000 for record in outcome.failures)
    assert run(config, results).statuses == {"failed": n_bad}


def test_random_numbers_are_those_of_the_seed_and_options_are_restored():
    options, drawn = (np.geterr(), sklearn.get_config()), []
    for _ in range(2):
        with surroundings(5):
            drawn.append((random.random(), np.random.random()))
            np.seterr(all="raise")
            sklearn.set_config(assume_finite=True)
        assert (np.geterr(), sklearn.get_config()) == options
    assert drawn[0] == drawn[1]


@pytest.mark.slow
def test_cells_that_end_their_process_or_take_too_long_cost_themselves(
    study, results, tmp_path, monkeypatch, capfd
):
    ends = {how: f"how: {how}" for how in ("killed", "crashes", "exits", "sleeps")}
    ends["once"] = f"marker: {tmp_path / 'marker'}"
    algorithms = "".join(
        f'{name}: {{estimator: "troublesome:Ends", params: {{{params}}}}}\n'
        for name, params in ends.items()
    )
    outcome = run(study(algorithms + PLAIN, realizations=1), results, jobs=2, timeout=4.0)
    assert outcome.statuses == {"ok": 4, "failed": 3, "timeout": 1}
    assert outcome.done == 4
    by_name = {record.algorithm: record for record in outcome.failures}
    assert by_name["sleeps"].reason == "took longer than 4 s"
    assert "killed (SIGKILL" in by_name["killed"].reason
    assert "a crash in compiled code" in by_name["crashes"].reason
    assert "EXIT(0)" in by_name["exits"].reason
    assert "Segmentation fault" in by_name["crashes"].traceback
    assert "troublesome.py" in by_name["crashes"].traceback
    assert "Segmentation fault" not in capfd.readouterr().err
    text = (results / "trial" / CELLS_FILE).read_text()
    assert text.count('"kind": "cell"') == 8, "each cell has one line"
    with monkeypatch.context() as here:
        cells_run_here(here)
        run(study(PLAIN, realizations=1), results.parent / "calm")
    assert values(results.parent / "calm").items() <= values(results).items()


@in_this_process
def test_the_best_stage_is_chosen_on_the_test_error(study, results):
    config = study("""
        last: {estimator: "troublesome:Staged"}
        best: {estimator: "troublesome:Staged", stage: best-on-test}
        plain: {estimator: "troublesome:Majority"}
    """)
    for last, best, plain in by_realization(config, results, ("last", "best", "plain")):
        n_errors = plain.metrics["n_errors"]
        assert best.metrics["n_errors"] == n_errors == 20 - last.metrics["n_errors"]
        assert best.stage == {"stage": 2}
        assert best.n_stages == 3


@in_this_process
def test_the_point_of_a_grid_is_chosen_on_the_test_rows_or_never_sees_them(study, results):
    values = {"a": 0.0001, "b": 1.0, "c": 100.0}
    grid = f"grid: {{C: {[*values.values()]}}}"
    lines = [f"{name}: {{estimator: SVC, params: {{C: {C}}}}}" for name, C in values.items()]
    lines.append(f"best: {{estimator: SVC, {grid}, stage: best-on-test}}")
    lines.append(f"chosen: {{estimator: SVC, {grid}, stage: best-on-validation}}")
    names = ("best", "chosen", *values)
    for best, chosen, *points in by_realization(study("\n".join(lines)), results, names):
        errors = {
            C: point.metrics["error"] for C, point in zip(values.values(), points, strict=True)
        }
        assert best.metrics["error"] == min(errors.values())
        assert best.stage == {"C": min(errors, key=errors.get)}
        assert chosen.metrics["error"] == errors[chosen.stage["C"]]
        assert chosen.seconds["selection_seconds"] > 0
        assert 0 <= chosen.validation_error <= 1


@in_this_process
def test_a_shared_gram_gives_what_the_estimator_gives_alone(study, results):
    config = study("""
        ours: {estimator: SVC, params: {kernel: rbf, gamma: 0.7, C: 3.0}}
        alone: {estimator: "troublesome:Alone"}
    """)
    for ours, alone in by_realization(config, results, ("ours", "alone")):
        assert "kernel_seconds" in ours.seconds
        assert "kernel_seconds" not in alone.seconds
        assert ours.metrics["error"] == alone.metrics["error"]


@in_this_process
def test_a_record_names_its_provenance(study, results):
    run(study(PLAIN), results)
    record = read_records(results / "trial")["own", 1, "svc", "error"]
    assert record.run.packages["scikit-learn"]
    assert record.run.processor
    assert {"fit_seconds", "fit_cpu_seconds", "predict_seconds", "kernel_seconds"} <= set(
        record.seconds
    )
    assert json.dumps(record.metrics)


TIMED = """
timing: {algorithms: [svc], realizations: 2}
tables:
  - {id: errors, caption: c, columns: [svc]}
  - {id: seconds, caption: c, of: timing, metric: train_seconds, columns: [svc]}
"""


def test_the_timing_pass_is_apart(study, results):
    config = study(PLAIN, more=TIMED)
    assert run(config, results, jobs=2).statuses == {"ok": 1 + 4 * 2 + 2}
    records = read_records(results / "trial")
    timed = records["own", 1, "svc", "timing"]
    assert timed.conditions.warm
    assert timed.conditions.blas_threads == 1
    assert timed.metrics == records["own", 1, "svc", "error"].metrics
    assert (
        timed.seconds["train_seconds"]
        == timed.seconds["fit_seconds"] + timed.seconds["kernel_seconds"]
    )
    trial = read_study(results / "trial")
    errors, seconds = (build_table(trial, table)[0] for table in trial.config.tables)
    assert errors.n == 4
    assert seconds.n == 2
    refused = ask(trial, Query("own", "svc", "train_seconds", "error"))
    assert not refused.values, "seconds of the error pass were taken for timings"


@in_this_process
def test_a_warm_up_that_fails_is_noted_and_costs_nothing(study, results):
    config = study(
        """
        few: {estimator: "troublesome:RaisesOnFew"}
        svc: {estimator: SVC}
        """,
        realizations=1,
        more="timing: {realizations: 1}\n",
    )
    assert set(run(config, results).statuses) == {"ok"}
    records = read_records(results / "trial")
    assert not records["own", 1, "few", "timing"].conditions.warm
    assert records["own", 1, "svc", "timing"].conditions.warm


@in_this_process
@pytest.mark.parametrize("threads", [1, 2])
def test_the_threads_of_a_timing_are_those_that_were_found(study, results, threads):
    most = max(pool["num_threads"] for pool in threadpool_info())
    config = study(
        'counts: {estimator: "troublesome:CountsThreads"}',
        realizations=1,
        more=f"timing: {{realizations: 1, blas_threads: {threads}}}\n",
    )
    run(config, results)
    record = read_records(results / "trial")["own", 1, "counts", "timing"]
    assert record.conditions.blas_threads == record.metrics["threads_"]
    assert record.conditions.host == record.run.host
    assert max(pool["num_threads"] for pool in threadpool_info()) == most


@pytest.mark.slow
def test_a_warm_up_is_never_taken_for_the_cell(study, results):
    more = "timing: {realizations: 1}\n"
    big = 'big: {estimator: "troublesome:Ends", params: {n_rows: 40}}'  # a warm-up has fewer
    config = study(big, realizations=1, more=more)
    outcome = run(config, results, timeout=60.0)
    assert outcome.statuses == {"ok": 1, "failed": 2}
    assert read_records(results / "trial")["own", 1, "big", "timing"].status == "failed"
