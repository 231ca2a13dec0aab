"""What does not fit is told of a plan, before anything is run."""

import pytest
from made_up_records import invoke

from ensvm.runner.outlook import memory_needs
from ensvm.runner.estimate import memory_refusals
from ensvm.runner.plan import make_plan

ALGORITHMS = """parzen: {estimator: ParzenWindowClassifier}
ensemble: {estimator: PartiallyTrainedEnsemble}
svc: {estimator: SVC, share_gram: false}
rank_10: {estimator: PartiallyTrainedEnsemble, params: {low_rank: 10}}
of_the_trace: {estimator: PartiallyTrainedEnsemble, params: {low_rank: 0.1}}
own: {estimator: PartiallyTrainedEnsemble, share_gram: false}"""


@pytest.fixture
def path(study):
    return study(ALGORITHMS, realizations=3)


def rows_of(plan):
    return next(iter(plan.cards.values())).sizes()[1]


def told(plan, monkeypatch, free):
    monkeypatch.setattr(memory_needs, "free_bytes", lambda: free)
    return memory_refusals(plan, plan.cells)


def test_a_gram_matrix_that_fits_is_let_through(path, monkeypatch):
    plan = make_plan(path)
    assert told(plan, monkeypatch, 8.0 * rows_of(plan) ** 2) == []


def test_one_that_does_not_is_told_once_for_all_algorithms_that_share_it(path, monkeypatch):
    plan = make_plan(path)
    rows = rows_of(plan)
    lines = told(plan, monkeypatch, 8.0 * rows**2 - 1.0)
    assert len(lines) == 2  # the ensemble can be told of a smaller rank
    assert all(f"the Gram matrix of {rows} rows takes" in line for line in lines)
    name = next(iter(plan.cards))
    assert lines[0].startswith(f"{name}, parzen: ")
    assert lines[1].startswith(f"{name}, ensemble: ")
    assert "low_rank=1000 takes" in lines[1]
    assert "low_rank" not in lines[0]


def test_a_factor_is_told_where_its_size_is_known(path, monkeypatch):
    plan = make_plan(path)
    rows = rows_of(plan)
    assert not any("factor" in line for line in told(plan, monkeypatch, 8.0 * rows * 10))
    lines = told(plan, monkeypatch, 8.0 * rows * 10 - 1.0)
    (line,) = [line for line in lines if "factor" in line]
    assert f", rank_10: the low-rank factor of {rows} rows takes" in line


@pytest.mark.parametrize("command", [["check", "--no-fit"], ["run", "--dry-run"]])
def test_the_commands_say_so_and_end_with_2(command, path, monkeypatch):
    monkeypatch.setattr(memory_needs, "free_bytes", lambda: 100.0)
    done = invoke(*command, path)
    assert done.exit_code == 2
    assert "error: " in done.stderr
    assert "parzen: the Gram matrix of " in done.stderr
    assert "Traceback" not in done.output
