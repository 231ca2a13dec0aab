"""Whatever an estimator raises or does to its process costs its own cell alone."""

import random

import hostile
import numpy as np
import pytest
import sklearn
from made_up_records import Silent

from ensvm.records.store import read_records
from ensvm.runner.execute import run_plan
from ensvm.runner.plan import make_plan
from ensvm.runner.surroundings import surroundings

pytestmark = pytest.mark.usefixtures("in_this_process")


def run(study, results, algorithms, jobs=1, **more):
    text = "".join(f'{name}: {{estimator: "hostile:{what}"}}\n' for name, what in algorithms)
    return run_plan(make_plan(study(text, **more)), results, Silent(), jobs=jobs)


@pytest.mark.parametrize("jobs", [1, 2])
def test_whatever_is_raised_costs_its_cell(study, tmp_path, jobs):
    whole = "".join(
        f'a{number}: {{estimator: "hostile:{name}", params: {{how: "{how}"}}}}\n'
        for number, (name, how) in enumerate(
            [
                *(("Raises", how) for how in hostile.RAISED),
                *(("Raises", f"predict {how}") for how in hostile.RAISED),
                *(("Leaves", how) for how in hostile.LEFT),
            ]
        )
    )
    calm = 'draws: {estimator: "hostile:Draws"}\nwarns: {estimator: "hostile:WarnsSilently"}\n'
    config = study(whole + calm, realizations=2)
    outcome = run_plan(make_plan(config), tmp_path / "results", Silent(), jobs=jobs)
    n_bad = len(whole.splitlines())
    assert outcome.statuses == {"ok": 1 + 2 * 2, "failed": 2 * n_bad}
    records = read_records(tmp_path / "results" / "trial")
    assert all(record.reason for record in records.values() if not record.ok)
    assert all(len(record.reason) < 10_000 for record in records.values())
    assert len(records["own", 1, "warns", "error"].warnings) == 1
    again = run_plan(make_plan(config), tmp_path / "results", Silent(), jobs=jobs)
    assert again.statuses == {"failed": 2 * n_bad}


def seen(results):
    return {
        identity: record.metrics
        for identity, record in read_records(results / "trial").items()
        if identity[2].startswith("draws")
    }


def test_a_cell_does_not_see_what_the_one_before_did(study, tmp_path):
    calm = [("draws", "Draws"), ("draws2", "Draws")]
    run(study, tmp_path / "calm", calm, jobs=2, realizations=2)
    names = [("bad", "Disturbs"), ("draws2", "Draws"), ("bad2", "Disturbs"), ("draws", "Draws")]
    outcome = run(study, tmp_path / "bad", names, jobs=2, realizations=2)
    assert not outcome.failures
    assert seen(tmp_path / "bad") == seen(tmp_path / "calm")
    drawn = {metrics["drawn_"] for metrics in seen(tmp_path / "calm").values()}
    assert len(drawn) == 4


def test_random_numbers_and_options_are_restored():
    def state():
        numbers = random.getstate(), repr(np.random.get_state())
        return (*numbers, np.geterr(), sklearn.get_config())

    before = state()
    with surroundings(5):
        np.random.seed(1)
        random.seed(1)
        np.seterr(all="raise")
        sklearn.set_config(assume_finite=True)
        assert state() != before
    assert state() == before
