"""AdaBoost: its theorem, scikit-learn's SAMME, the notes' toy example, and how it ends."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.ensemble import AdaBoostClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from ensvm.classifiers.adaboost import AdaBoost

STUMP = DecisionTreeClassifier(max_depth=1)


ROUNDING = 1e-12


TOY_X = np.column_stack([np.arange(1, 11), [10, 1, 4, 2, 7, 3, 5, 8, 9, 6]])


TOY_Y = np.array([1, 1, -1, -1, 1, -1, 1, 1, -1, -1])


def noisy(seed: int, m: int = 60, d: int = 3) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    generator = np.random.default_rng(seed)
    X = generator.normal(size=(m, d))
    y = np.where(X[:, 0] + X[:, -1] ** 2 + 0.5 * generator.normal(size=m) > 0.5, 1, -1)
    y[:2] = -1, 1
    return X, y


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(5, 60), depth=st.integers(1, 3))
def test_the_theorem_holds_in_every_round(seed: int, m: int, depth: int) -> None:
    X, y = noisy(seed, m)
    fitted = AdaBoost(
        DecisionTreeClassifier(max_depth=depth), n_estimators=12, random_state=seed
    ).fit(X, y)
    gamma = 0.5 - fitted.errors_
    assert (gamma > 0.0).all()
    assert (fitted.train_errors_ <= fitted.error_bound_ + ROUNDING).all()
    assert (fitted.error_bound_ <= fitted.exp_bound_ + ROUNDING).all()
    rounds = np.arange(1, fitted.n_iter_ + 1)
    weakest = np.minimum.accumulate(gamma)
    assert (fitted.exp_bound_ <= np.exp(-2.0 * weakest**2 * rounds) + ROUNDING).all()
    assert fitted.certificate_ >= -ROUNDING
    np.testing.assert_allclose(fitted.error_bound_, np.cumprod(fitted.normalizers_))
    if fitted.stop_reason_ != "perfect":
        # D_{T+1}(x_i) = exp(-y_i f(x_i)) / (N prod Z_t), the line of the proof; so that the last
        # hypothesis is no better than chance
        unrolled = np.exp(-y * fitted.decision_function(X)) / (y.size * fitted.error_bound_[-1])
        np.testing.assert_allclose(fitted.distribution_, unrolled, rtol=1e-9)
        wrong = fitted.estimators_[-1].predict(X) != y
        assert fitted.distribution_[wrong].sum() == pytest.approx(0.5, abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_scikit_learns_samme_with_half_its_alphas(seed: int) -> None:
    X, y = noisy(seed, m=150)
    ours = AdaBoost(n_estimators=30, random_state=seed).fit(X, y)
    theirs = AdaBoostClassifier(STUMP, n_estimators=30, random_state=seed).fit(X, y)
    np.testing.assert_allclose(2.0 * ours.alphas_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.errors_, theirs.estimator_errors_, rtol=1e-9)
    new = np.random.default_rng(seed).normal(size=(200, 3))
    for one, other in zip(ours.staged_predict(new), theirs.staged_predict(new), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(4))
def test_the_toy_example(criterion: str, seed: int) -> None:
    stump = DecisionTreeClassifier(max_depth=1, criterion=criterion)
    fitted = AdaBoost(stump, n_estimators=3, random_state=seed).fit(TOY_X, TOY_Y)
    np.testing.assert_allclose(fitted.errors_, [0.3, 3.0 / 14.0, 3.0 / 22.0])
    assert fitted.alphas_.round(2).tolist() == [0.42, 0.65, 0.92]
    # As drawn: two upright lines, then a level one; each of the first two alone is wrong on three,
    # all together on none.
    lines = [
        (int(weak.tree_.feature[0]), float(weak.tree_.threshold[0])) for weak in fitted.estimators_
    ]
    assert lines == [(0, 2.5), (0, 8.5), (1, 4.5)]
    assert fitted.train_errors_.tolist() == [0.3, 0.3, 0.0]


def test_margins_are_normalised_and_their_distribution_is_kept() -> None:
    X, y = noisy(1)
    fitted = AdaBoost(n_estimators=15, random_state=0).fit(X, y)
    values = list(fitted.staged_decision_function(X))
    assert len(values) == 15
    staged = y * np.array(values) / np.cumsum(fitted.alphas_)[:, None]
    np.testing.assert_allclose([margins.min() for margins in staged], fitted.min_margins_)
    np.testing.assert_allclose(np.sort(staged[-1]), fitted.margins_)
    np.testing.assert_allclose(staged[-1], y * fitted.decision_function(X) / fitted.alphas_.sum())
    assert np.abs(fitted.margins_).max() <= 1.0
    assert fitted.min_margin_ == fitted.margins_[0]
    np.testing.assert_allclose(
        [(margins <= 0.0).mean() for margins in staged], fitted.train_errors_
    )


def test_an_error_of_zero_ends_it_and_decides_alone() -> None:
    X, y = noisy(3)
    first = AdaBoost(DecisionTreeClassifier(), n_estimators=9).fit(X, y)
    assert (first.n_iter_, first.stop_reason_, first.errors_[0], first.alphas_[0]) == (
        1,
        "perfect",
        0.0,
        1.0,
    )
    assert (first.error_bound_[0], first.train_errors_[0]) == (0.0, 0.0)

    class Late(DecisionTreeClassifier):
        def fit(self, X: Any, y: Any, sample_weight: Any) -> "Late":
            # A stump first, everything later: the weights are no longer equal then.
            self.max_depth = 1 if np.ptp(sample_weight) < 1e-9 else None
            return super().fit(X, y, sample_weight=sample_weight)

    late = AdaBoost(Late(), n_estimators=9).fit(X, y)
    assert (late.n_iter_, late.stop_reason_) == (2, "perfect")
    assert late.alphas_[1] == late.alphas_[0] + 1.0
    np.testing.assert_array_equal(late.predict(X), late.estimators_[1].predict(X))


def test_a_round_that_is_no_better_than_chance_is_left_out() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    fitted = AdaBoost(SVC(C=1e-9, kernel="linear"), n_estimators=20).fit(X, [0, 1, 1, 1])
    assert fitted.stop_reason_ == "no_better_than_random"
    assert fitted.n_iter_ == len(fitted.estimators_) < 20
    assert (fitted.errors_ < 0.5).all()


def test_a_first_round_no_better_than_chance_is_refused() -> None:
    with pytest.raises(
        ValueError, match="DecisionTreeClassifier is wrong on half of the training rows or more"
    ):
        AdaBoost().fit([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])


def test_a_base_estimator_without_weights_is_refused() -> None:
    with pytest.raises(
        ValueError, match="fit takes sample_weight, and KNeighborsClassifier has none"
    ):
        AdaBoost(KNeighborsClassifier()).fit(*noisy(0))
