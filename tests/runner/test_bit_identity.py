"""Every classifier of ours gives the same values at any number of jobs and in any order."""

import json

import pytest
from made_up_records import run_quietly

from ensvm.classifiers import ESTIMATORS
from ensvm.records.store import read_records
from ensvm.runner.estimators import estimator_class
from ensvm.runner.plan import make_plan

OURS = [name for name, place in ESTIMATORS.items() if place.startswith("ensvm.")]
# Small ensembles, so that the test takes seconds.
SMALL = {"n_estimators": 3, "max_iter": 200}


def block(name):
    """Return an algorithm's lines: few members, and the curve of its stages where it has them."""
    found = estimator_class(name)
    params = {key: value for key, value in SMALL.items() if key in found().get_params()}
    staged = "staged_test_error" if hasattr(found, "staged_predict") else "train_error"
    return f"{name}: {{estimator: {name}, params: {params}, record: [{staged}]}}\n"


def without_seconds(metrics):
    return {name: value for name, value in metrics.items() if not name.endswith("_seconds_")}


@pytest.mark.usefixtures("in_this_process")  # with one job
def test_neither_jobs_nor_the_order_of_the_algorithms_change_a_value(study, tmp_path):
    def values(names, jobs):
        """Return what must not change, by cell."""
        config = study("".join(map(block, names)), realizations=2)
        results = tmp_path / f"jobs-{jobs}"
        outcome = run_quietly(make_plan(config), results, jobs=jobs)
        assert not outcome.failures, [record.reason for record in outcome.failures]
        return {
            identity: json.dumps([record.key, without_seconds(record.metrics), record.curves])
            for identity, record in read_records(results / "trial").items()
        }

    alone = values(OURS, 1)
    assert values(OURS[::-1], 2) == alone
    assert len(alone) == 1 + 2 * len(OURS)
