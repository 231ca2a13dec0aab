"""The bagged ensembles: stratified samples, joined machines, probabilities and votes."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import Memory
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from small_problems import letters

from ensvm.classifiers import mixed_kernel_bagging
from ensvm.classifiers.kernel_machines import KernelMachine, MachineEvaluator
from ensvm.classifiers.mixed_kernel_adaboost import MixedKernelAdaBoost
from ensvm.classifiers.mixed_kernel_bagging import MixedKernelBagging, strata_sizes
from ensvm.kernels.augmented_rows import Rows
from ensvm.solvers.platt_scaling import class_probabilities

SMALL: dict[str, Any] = {"n_estimators": 5, "max_samples": 60, "random_state": 0}


VOTINGS = pytest.mark.parametrize("voting", ["probability", "majority", "probable"])


@given(st.lists(st.integers(1, 500), min_size=2, max_size=12), st.integers(1, 600))
def test_strata_are_the_classes_shares(counts: list[int], size: int) -> None:
    class_counts = np.array(counts)
    sizes = strata_sizes(class_counts, size)
    assert sizes.sum() == size
    quotas = size * class_counts / class_counts.sum()
    if size >= class_counts.size:
        assert sizes.min() >= 1
    if size >= class_counts.size and quotas.min() >= 1.0:
        assert (np.abs(sizes - quotas) < 1.0).all()


def test_strata_of_equal_classes_and_of_rare_ones() -> None:
    assert strata_sizes(np.array([50, 50]), 7).tolist() == [4, 3]
    assert strata_sizes(np.array([97, 1, 2]), 10).tolist() == [8, 1, 1]
    assert strata_sizes(np.array([5, 90, 5]), 2).tolist() == [0, 2, 0]


def test_samples_have_the_strata_and_their_rows_are_drawn_with_replacement(
    trained: list[Any],
) -> None:
    X, y = letters()
    MixedKernelBagging(**SMALL).fit(X, y)
    expected = strata_sizes(np.unique(y, return_counts=True)[1], 60)
    assert len(trained) == 10
    for _, codes, sample, counts, _ in trained:
        np.testing.assert_array_equal(np.bincount(codes[sample], counts), expected)
    assert max(counts.max() for _, _, _, counts, _ in trained) > 1
    assert len({tuple(sample) for _, _, sample, *_ in trained}) == 10


def test_the_only_machine_on_all_rows_without_replacement_is_libsvms() -> None:
    X, y = letters()
    settings: dict[str, Any] = {"C": 2.0, "gamma": 0.2, "tol": 1e-6}
    alone = MixedKernelBagging(
        ["rbf"], n_estimators=1, max_samples=None, bootstrap=False, voting="majority", **settings
    ).fit(X, y)
    peer = SVC(decision_function_shape="ovo", **settings).fit(X, y)
    decisions = peer.decision_function(X)
    clear = (np.abs(decisions) > 1e-3).all(axis=1)
    assert clear.sum() > 150
    np.testing.assert_array_equal(alone.predict(X)[clear], peer.predict(X)[clear])
    np.testing.assert_array_equal(np.sort(alone.support_), np.sort(peer.support_))


@pytest.mark.parametrize(
    "ensemble",
    [
        MixedKernelBagging(**SMALL),
        MixedKernelBagging(voting="majority", **SMALL),
        MixedKernelAdaBoost(**SMALL),
    ],
)
def test_the_joined_ensemble_holds_the_machines_of_the_pure_ones(ensemble: Any) -> None:
    X, y = letters()
    kernels = ["rbf", "poly", "linear"]
    joined = clone(ensemble).set_params(kernels=kernels).fit(X, y)
    assert joined.estimator_kernels_ == kernels * 5
    for p, name in enumerate(kernels):
        pure = clone(ensemble).set_params(kernels=[name], n_estimators=8).fit(X, y)
        for one, other in zip(joined.estimators_[p::3], pure.estimators_, strict=False):
            np.testing.assert_array_equal(one.dual_coef, other.dual_coef)
            np.testing.assert_array_equal(
                joined.support_[one.support], pure.support_[other.support]
            )
        if hasattr(joined, "estimator_weights_"):
            weights = pure.estimator_weights_[:5]
            np.testing.assert_array_equal(joined.estimator_weights_[p::3], weights)


@VOTINGS
@pytest.mark.parametrize("n_classes", [2, 3])
def test_stages_end_in_the_whole_ensemble(voting: str, n_classes: int) -> None:
    X, y = letters(n_classes, n=600)
    fitted = MixedKernelBagging(voting=voting, **SMALL).fit(X, y)
    stages = list(fitted.staged_predict(X))
    assert len(stages) == len(fitted.estimators_) == 10
    np.testing.assert_array_equal(stages[-1], fitted.predict(X))
    assert np.mean(stages[-1] == y) > 0.7
    first = MixedKernelBagging(["poly"], voting=voting, **{**SMALL, "n_estimators": 1}).fit(X, y)
    np.testing.assert_array_equal(stages[0], first.predict(X))


@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_are_the_machines_mean(n_classes: int) -> None:
    X, y = letters(n_classes)
    fitted = MixedKernelBagging(**SMALL).fit(X, y)
    rows, support = Rows(X, X.mean(axis=0)), Rows(X[fitted.support_], X.mean(axis=0))
    total = np.zeros((200, n_classes))
    for index, values in MachineEvaluator(fitted.estimators_, support).values(rows):
        total += class_probabilities(values, fitted.estimators_[index].sigmoids).T
    result = fitted.predict_proba(X)
    np.testing.assert_allclose(result, total / 10, rtol=1e-6)
    np.testing.assert_allclose(result.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_array_equal(fitted.predict(X), fitted.classes_[result.argmax(axis=1)])


def test_votes_are_counted() -> None:
    X, y = letters()
    fitted = MixedKernelBagging(voting="majority", **SMALL).fit(X, y)
    rows, support = Rows(X, X.mean(axis=0)), Rows(X[fitted.support_], X.mean(axis=0))
    codes = MachineEvaluator(fitted.estimators_, support).codes(rows)
    votes = np.array([(codes == c).sum(axis=0) for c in range(3)])
    np.testing.assert_array_equal(fitted.predict(X), fitted.classes_[votes.argmax(axis=0)])
    assert not hasattr(fitted, "predict_proba")
    assert fitted.estimators_[0].sigmoids is None


def test_machines_may_vote_for_their_most_probable_class() -> None:
    X, y = letters()
    fitted = MixedKernelBagging(voting="probable", **SMALL).fit(X, y)
    summed = MixedKernelBagging(**SMALL).fit(X, y)
    rows, support = Rows(X, X.mean(axis=0)), Rows(X[summed.support_], X.mean(axis=0))
    votes = np.zeros((3, 200))
    for index, values in MachineEvaluator(summed.estimators_, support).values(rows):
        probabilities = class_probabilities(values, summed.estimators_[index].sigmoids)
        votes[probabilities.argmax(axis=0), np.arange(200)] += 1.0
    np.testing.assert_array_equal(fitted.predict(X), fitted.classes_[votes.argmax(axis=0)])
    assert not hasattr(fitted, "predict_proba")


def test_remembered_machines_are_not_trained_again(trained: list[Any], tmp_path: Path) -> None:
    X, y = letters()
    memory = Memory(tmp_path, verbose=0)
    MixedKernelBagging(["rbf"], memory=memory, **SMALL).fit(X, y)
    trained.clear()
    larger = MixedKernelBagging(["rbf"], memory=memory, **{**SMALL, "n_estimators": 8}).fit(X, y)
    assert len(trained) == 3
    fresh = MixedKernelBagging(["rbf"], **{**SMALL, "n_estimators": 8}).fit(X, y)
    np.testing.assert_array_equal(larger.predict_proba(X), fresh.predict_proba(X))
    trained.clear()
    MixedKernelBagging(["rbf"], voting="majority", memory=memory, **SMALL).fit(X, y)
    assert len(trained) == 5


def test_the_number_of_jobs_does_not_change_the_machines() -> None:
    X, y = load_iris(return_X_y=True)
    alone, beside = (
        MixedKernelBagging(n_estimators=3, max_samples=40, random_state=0, n_jobs=n).fit(X, y)
        for n in (None, 2)
    )
    np.testing.assert_array_equal(beside.predict_proba(X), alone.predict_proba(X))


def test_the_first_machine_that_is_cut_short_warns_before_the_others_are_trained(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = load_iris(return_X_y=True)
    trained: list[int] = []
    make = mixed_kernel_bagging.bagged_machine

    def counted(*arguments: Any) -> KernelMachine:
        trained.append(arguments[-1])
        return make(*arguments)

    monkeypatch.setattr(mixed_kernel_bagging, "bagged_machine", counted)
    ensemble = MixedKernelBagging(["poly"], n_estimators=5, max_iter=3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning, match="StandardScaler"):
            ensemble.fit(X, y)
    assert len(trained) < 5
