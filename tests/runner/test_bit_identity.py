"""Every classifier of ours gives the same values at any number of jobs and in any order."""

import json

import pytest
from made_up_records import cells_run_here, run_quietly

from ensvm.classifiers import ESTIMATORS
from ensvm.records.store import read_records
from ensvm.runner.estimators import estimator_class
from ensvm.runner.plan import make_plan

OURS = [name for name, place in ESTIMATORS.items() if place.startswith("ensvm.")]
# Small ensembles, so that the test takes seconds.
SMALL = {"n_estimators": 3, "n_rounds": 3, "max_iter": 200}


def block(name):
    """Return an algorithm's lines: few members, and the curve of its stages where it has them."""
    found = estimator_class(name)
    params = {key: value for key, value in SMALL.items() if key in found().get_params()}
    staged = "staged_test_error" if hasattr(found, "staged_predict") else "train_error"
    return f"{name}: {{estimator: {name}, params: {params}, record: [{staged}]}}\n"


def without_seconds(metrics):
    return {name: value for name, value in metrics.items() if not name.endswith("_seconds_")}


@pytest.fixture(scope="module")
def values(tmp_path_factory):
    """Return a function that runs all of them and returns what must not change, by cell."""
    folder = tmp_path_factory.mktemp("identity")
    rows = "".join(
        f"{(7 * number) % 11 / 11},{(5 * number) % 13 / 13 + (number % 2) / 2},{number % 2}\n"
        for number in range(60)
    )
    (folder / "own.csv").write_text("a,b,label\n" + rows)
    head = (
        "study: trial\nrealizations: 2\n"
        "datasets:\n  - {name: own, path: own.csv, target: label, positive: 1,"
        " split: {protocol: random, n_train: 40, n_test: 20}}\n"
        "algorithms:\n"
    )

    def run(names, jobs):
        config = folder / "trial.yaml"
        config.write_text(head + "".join("  " + block(name) for name in names))
        results = tmp_path_factory.mktemp("results")
        with pytest.MonkeyPatch.context() as patch:
            cells_run_here(patch)
            outcome = run_quietly(make_plan(config), results, jobs=jobs)
        assert not outcome.failures, [record.reason for record in outcome.failures]
        return {
            identity: json.dumps([record.key, without_seconds(record.metrics), record.curves])
            for identity, record in read_records(results / "trial").items()
        }

    return run


@pytest.fixture(scope="module")
def alone(values):
    return values(OURS, 1)


def test_jobs_change_nothing(values, alone):
    assert values(OURS, 2) == alone


def test_the_order_of_the_algorithms_changes_nothing(values, alone):
    assert values(OURS[::-1], 1) == alone
    assert len(alone) == 1 + 2 * len(OURS)
