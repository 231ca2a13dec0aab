"""Kernel ridge regression of labels: scikit-learn's on the same features, and its choices."""

from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_wine, make_moons
from sklearn.linear_model import Ridge, RidgeClassifierCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import StandardScaler

from ensvm import KernelRidgeClassifierCV, PartiallyTrainedEnsemble
from ensvm.classifiers import kernel_ridge_classifier
from ensvm.kernels import gram, resolve_gamma
from ensvm.kernels.low_rank import PivotChoice, low_rank_gram
from ensvm.kernels.named_kernels import TRIED_WIDTHS
from ensvm.runner.grams import shares_gram


def moons(m: int = 60) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return make_moons(m, noise=0.3, random_state=0)


def wine(rows: int = 178) -> tuple[NDArray[np.float64], NDArray[Any]]:
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))[:rows]
    return StandardScaler().fit_transform(X)[order], np.array(["a", "b", "c"])[y[order]]


@pytest.mark.parametrize("data", [moons, lambda: wine(50)])
def test_leave_one_out_values_are_those_of_refits(data: Any) -> None:
    X, y = data()
    machine = KernelRidgeClassifierCV().fit(X, y)
    peer = clone(machine).set_params(gamma=machine.gamma_, alpha=machine.alpha_)
    refits = cross_val_predict(peer, X, y, cv=LeaveOneOut(), method="decision_function")
    np.testing.assert_allclose(machine.loo_decision_function_, refits, atol=1e-8)
    predicted = cross_val_predict(peer, X, y, cv=LeaveOneOut())
    assert machine.loo_score_ == pytest.approx(np.mean(predicted == y))


@pytest.mark.parametrize("data", [moons, wine])
def test_it_is_scikit_learns_ridge_on_features_of_the_kernel(data: Any) -> None:
    X, y = data()
    alphas = [0.01, 0.1, 1.0, 10.0]
    features = np.linalg.cholesky(gram(X, kernel="rbf", gamma=0.1) + 1e-10 * np.eye(len(y)))
    peer = RidgeClassifierCV(alphas, store_cv_results=True).fit(features, y)
    for position, alpha in enumerate(alphas):
        machine = KernelRidgeClassifierCV(gamma=0.1, alpha=alpha).fit(X, y)
        signs = np.where(y[:, None] == machine.classes_, 1.0, -1.0)
        values = machine.loo_decision_function_.reshape(len(y), -1)
        errors = np.square(values - signs[:, -values.shape[1] :])
        np.testing.assert_allclose(errors, peer.cv_results_[..., position], atol=1e-5)
        if alpha == peer.alpha_:
            expected = peer.decision_function(features)
            np.testing.assert_allclose(machine.decision_function(X), expected, atol=1e-6)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_no_width_or_penalty_tried_has_a_smaller_loss(kernel: str) -> None:
    X, y = moons()
    signs = 2.0 * y - 1.0

    def loss(machine: KernelRidgeClassifierCV) -> float:
        return float(np.mean(np.square(machine.loo_decision_function_ - signs)))

    chosen = KernelRidgeClassifierCV(kernel, coef0=1.0).fit(X, y)
    base = resolve_gamma("mean-distance", X)
    assert chosen.gamma_ in [factor * base for factor in TRIED_WIDTHS]
    for factor in TRIED_WIDTHS:
        for alpha in (chosen.alpha_, 10.0 * chosen.alpha_, 0.1 * chosen.alpha_, 1.0):
            other = KernelRidgeClassifierCV(kernel, coef0=1.0, gamma=factor * base, alpha=alpha)
            # the grid of penalties has gaps
            assert loss(chosen) <= 1.02 * loss(other.fit(X, y))


def test_a_row_is_left_out_with_all_of_its_weight() -> None:
    X, y = wine(60)
    weight = (np.arange(60) % 3).astype(float)
    used = weight > 0.0
    machine = KernelRidgeClassifierCV().fit(X, y, sample_weight=weight)
    # The weights are divided by their mean, and so is what alpha stands beside.
    relative = weight / weight[used].mean()
    for row in np.flatnonzero(used)[:6]:
        others = relative * (np.arange(60) != row)
        mean = others[others > 0.0].mean()
        peer = KernelRidgeClassifierCV(gamma=machine.gamma_, alpha=machine.alpha_ / mean)
        value = peer.fit(X, y, sample_weight=others).decision_function(X[[row]])[0]
        np.testing.assert_allclose(machine.loo_decision_function_[row], value, atol=1e-8)
    # At a row of weight 0, which no fit has seen, the value is the machine's own.
    values = machine.loo_decision_function_[~used]
    np.testing.assert_allclose(values, machine.decision_function(X)[~used], atol=1e-8)
    labels = machine.classes_[machine.loo_decision_function_.argmax(axis=1)]
    assert machine.loo_score_ == pytest.approx(np.average(labels == y, weights=weight))


def test_a_run_shares_its_gram_matrix_only_if_the_width_is_given() -> None:
    assert not shares_gram(KernelRidgeClassifierCV())
    assert shares_gram(KernelRidgeClassifierCV(gamma="mean-distance"))
    assert not shares_gram(KernelRidgeClassifierCV(gamma="mean-distance", low_rank=20))


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
@pytest.mark.parametrize("most_rows", [100_000, 50])
def test_on_pivots_it_is_ridge_on_the_factors_rows(
    kernel: str, most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_ridge_classifier, "BLOCK_ROWS", 64)
    monkeypatch.setattr(
        kernel_ridge_classifier, "PivotChoice", partial(PivotChoice, most_rows=most_rows)
    )
    X, y = wine()
    parameters: dict[str, Any] = {"gamma": 0.1, "degree": 2, "coef0": 1.0}
    machine = KernelRidgeClassifierCV(
        kernel, alpha=0.1, low_rank=20, random_state=3, **parameters
    ).fit(X, y)
    seed = np.random.RandomState(3).randint(np.iinfo(np.int32).max)
    choice = PivotChoice(20, "random", most_rows, seed)
    factor = low_rank_gram(X, {"kernel": kernel, **parameters}, choice)
    signs = np.where(y[:, None] == machine.classes_, 1.0, -1.0)
    peer = Ridge(alpha=0.1).fit(factor.factor, signs)
    expected = factor.factor @ peer.coef_.T + peer.intercept_
    np.testing.assert_allclose(machine.decision_function(X), expected, rtol=1e-6, atol=1e-8)
    assert set(machine.support_) <= set(factor.pivots)
    assert machine.rank_ == factor.rank


@pytest.mark.parametrize("weighted", [False, True])
def test_all_pivots_are_all_rows(weighted: bool) -> None:
    X, y = wine(90)
    weight = np.arange(90) % 3 if weighted else None
    exact = KernelRidgeClassifierCV(class_weight="balanced").fit(X, y, weight)
    pivots = KernelRidgeClassifierCV(low_rank=90, class_weight="balanced").fit(X, y, weight)
    assert pivots.gamma_ == exact.gamma_
    assert pivots.alpha_ == pytest.approx(exact.alpha_)
    assert pivots.loo_score_ == pytest.approx(exact.loo_score_)
    np.testing.assert_allclose(
        pivots.decision_function(X), exact.decision_function(X), rtol=1e-5, atol=1e-6
    )
    assert exact.rank_ is exact.trace_residual_ is pivots.loo_decision_function_ is None
    assert pivots.rank_ == (60 if weighted else 90)


def test_its_pivots_are_the_ensembles() -> None:
    X, y = moons(400)
    settings: dict[str, Any] = {"gamma": 1.0, "low_rank": 15, "random_state": 7}
    ensemble = PartiallyTrainedEnsemble(predict_with="pivots", **settings).fit(X, y)
    machine = KernelRidgeClassifierCV(**settings).fit(X, y)
    np.testing.assert_array_equal(machine.support_, ensemble.support_)
    assert machine.trace_residual_ == pytest.approx(ensemble.trace_residual_)


def test_pivots_need_inputs() -> None:
    X, y = moons()
    with pytest.raises(ValueError, match="low_rank = 5 chooses pivots among inputs"):
        KernelRidgeClassifierCV("precomputed", low_rank=5).fit(X @ X.T, y)


def test_widths_are_chosen_on_a_sample_of_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = make_moons((150, 60), noise=0.3, random_state=0)
    whole = KernelRidgeClassifierCV().fit(X, y)
    monkeypatch.setattr(kernel_ridge_classifier, "WIDTH_ROWS", 100)
    chosen = KernelRidgeClassifierCV(random_state=0).fit(X, y)
    fixed = KernelRidgeClassifierCV(gamma=chosen.gamma_).fit(X, y)
    np.testing.assert_array_equal(chosen.decision_function(X), fixed.decision_function(X))
    assert chosen.alpha_ == fixed.alpha_
    assert chosen.score(X, y) > whole.score(X, y) - 0.05
    assert len(chosen.support_) == 210


def test_the_docstring_names_the_widths_that_are_tried() -> None:
    numbers = [f"{factor:g}".lstrip("0") for factor in TRIED_WIDTHS]
    listed = f"{', '.join(numbers[:-1])} and {numbers[-1]} times 'mean-distance'"
    assert listed in " ".join(str(KernelRidgeClassifierCV.__doc__).split())
