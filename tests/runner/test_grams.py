"""Cells of a realization share arrays that nobody can change, and members that are trained once."""

import numpy as np
import pytest
from made_up_records import run_quietly
from scipy.sparse import csr_array

from ensvm.classifiers import mixed_kernel_ensemble as ensembles
from ensvm.data import Realization
from ensvm.kernels import gram
from ensvm.records.settings import AlgorithmSettings
from ensvm.records.store import read_records
from ensvm.runner import grams
from ensvm.runner.estimators import made
from ensvm.runner.evaluate import evaluate
from ensvm.runner.grams import FitMemory, GramPool
from ensvm.runner.plan import make_plan


@pytest.mark.usefixtures("in_this_process")
def test_a_classifier_that_changes_its_inputs_fails_alone(study, tmp_path):
    config = study('bad: {estimator: "troublesome:Writes"}\nsvc: {estimator: SVC}', realizations=1)
    outcome = run_quietly(make_plan(config), tmp_path, jobs=1)
    assert outcome.statuses == {"ok": 2, "failed": 1}
    assert "read-only" in outcome.failures[0].reason
    assert "change only copies" in outcome.failures[0].reason
    assert read_records(tmp_path / "trial")["own", 1, "svc", "error"].ok


def test_rows_and_kernel_values_are_read_only(realization):
    pool = GramPool(realization)
    svc = made("SVC", {"kernel": "rbf", "gamma": 0.5}, 0)
    inputs = pool.inputs_of(svc, share_gram=True, dtype="float64")
    blocks = [block for _, block in inputs.blocks()]
    for array in (inputs.train(), *blocks, *list(vars(pool.realization).values())[:4]):
        assert not array.flags.writeable


def test_sparse_rows_are_read_only(realization):
    sparse = csr_array(np.maximum(realization.X_train, 0.0))
    GramPool(Realization(sparse, realization.y_train, sparse, realization.y_train))
    assert not any(part.flags.writeable for part in (sparse.data, sparse.indices, sparse.indptr))


def test_the_results_asked_for_last_are_kept():
    memory, made = FitMemory(capacity=2), []
    upper = memory.cache(lambda name: made.append(name) or name.upper())
    assert [upper(name) for name in "abacab"] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]


def test_results_are_kept_by_the_arguments_that_decide():
    memory, made = FitMemory(), []

    def total(values, scale=1.0, note=""):
        made.append(note)
        return float(scale * np.sum(values))

    summed = memory.cache(total, ignore=["note"])
    values = np.arange(4.0)
    assert summed(values, note="one") == summed(values.copy(), 1.0, note="two") == 6.0
    assert made == ["one"]
    assert summed(values, scale=2.0) == 12.0
    assert summed(values + 1e-12) > 6.0


def test_cells_of_a_realization_share_members_and_timings_do_not(realization, monkeypatch):
    trained = []
    train = ensembles.train_machine

    def watched(*args, **kwargs):
        trained.append(args[4].name)
        return train(*args, **kwargs)

    monkeypatch.setattr(ensembles, "train_machine", watched)

    def errors(pool):
        small = {"n_estimators": 3, "max_samples": 20}
        return [
            evaluate(
                AlgorithmSettings("MixedKernelBagging", {**small, "kernels": kernels}), 7, pool
            ).metrics["n_errors"]
            for kernels in (["rbf"], ["rbf", "poly"])
        ]

    alone = errors(GramPool(realization))
    assert trained.count("rbf") == 6
    trained.clear()
    assert errors(GramPool(realization, FitMemory())) == alone
    assert (trained.count("rbf"), trained.count("poly")) == (3, 3)


def test_orders_of_the_training_rows_share_the_kernel_values_of_test_rows(realization, monkeypatch):
    shapes = []

    def watched(*rows, **kernel):
        shapes.append([each.shape[0] for each in rows])
        return gram(*rows, **kernel)

    monkeypatch.setattr(grams, "gram", watched)
    settings = AlgorithmSettings("SVC", {"kernel": "rbf", "gamma": 0.5})
    apart = evaluate(settings, 0, GramPool(realization), (1, 2))
    n_train, n_test = realization.X_train.shape[0], realization.X_test.shape[0]
    assert shapes == [[n_train], [n_test, n_train]] * 3
    shapes.clear()
    shared = evaluate(settings, 0, GramPool(realization, FitMemory()), (1, 2))
    assert shapes == [[n_train], [n_test, n_train], [n_train], [n_train]]
    assert shared.metrics == apart.metrics


@pytest.mark.parametrize("n_bytes", [1, 20_000, 2**22])
@pytest.mark.parametrize("block_bytes", [2**15, 2**28])
def test_kernel_values_in_another_order_are_those_of_the_permuted_rows(
    n_bytes, block_bytes, monkeypatch
):
    monkeypatch.setattr(grams, "GATHERED_BYTES", n_bytes)
    monkeypatch.setattr(grams, "BLOCK_BYTES", block_bytes)
    rng = np.random.default_rng(0)
    y = np.where(rng.random(230) < 0.5, -1, 1).astype(np.int8)
    rows = Realization(rng.normal(size=(30, 4)), y[:30], rng.normal(size=(200, 4)), y[30:])
    pool = GramPool(rows, FitMemory()).in_order(3)
    svc = made("SVC", {"kernel": "rbf", "gamma": 0.5}, 0)
    inputs, permuted = pool.inputs_of(svc, share_gram=True, dtype="float64"), pool.realization
    expected = gram(permuted.X_test, permuted.X_train, kernel="rbf", gamma=0.5)
    covered = 0
    for of_block, values in inputs.blocks():
        assert of_block.start == covered
        np.testing.assert_allclose(values, expected[of_block])
        covered = of_block.stop
    assert covered == 200


@pytest.mark.parametrize("n_groups", [2, 3, 12])
def test_groups_are_kept_whole_where_parameters_are_chosen(n_groups):
    rng = np.random.default_rng(n_groups)
    groups = np.sort(rng.integers(n_groups, size=120)).astype(str)
    y = np.where(rng.random(120) < 0.4, -1, 1).astype(np.int8)
    X = np.arange(120.0)[:, None]  # each row is its own number
    pool = GramPool(Realization(X, y, X[:1], y[:1], groups)).in_order(3)
    parts = [pool.held_out(seed) for seed in range(5)]
    for part in parts:
        fitted = groups[part.realization.X_train.ravel().astype(int)]
        chosen = groups[part.realization.X_test.ravel().astype(int)]
        assert not set(fitted) & set(chosen)
        assert len(fitted) + len(chosen) == 120
        assert set(part.realization.y_test) == set(part.realization.y_train) == {-1, 1}
