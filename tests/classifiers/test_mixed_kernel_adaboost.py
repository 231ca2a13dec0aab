"""The boosted ensembles: Algorithm 1 over drawn samples, runs joined as they are, their votes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import Memory
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from small_problems import letters

from ensvm.classifiers.mixed_kernel_adaboost import MixedKernelAdaBoost
from ensvm.solvers.boosting import learner_weight, updated

SMALL: dict[str, Any] = {"n_estimators": 6, "max_samples": 40, "random_state": 0}


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("gamma", ["sigest", "sigest-random"])
def test_errors_and_weights_are_those_of_algorithm_1(n_classes: int, gamma: str) -> None:
    X, y = letters(n_classes)
    fitted = MixedKernelAdaBoost(["rbf"], scheme="pure", gamma=gamma, **SMALL).fit(X, y)
    votes = np.zeros((200, n_classes))
    sample_weight = np.full(200, 1.0 / 200)
    staged = fitted.staged_predict(X)
    for t in range(6):
        # The machine's own classes, from the shares that it adds to.
        before = votes.copy()
        votes = (
            shares_of(list(fitted.staged_decision_function(X))[t], n_classes)
            * fitted.estimator_weights_[: t + 1].sum()
        )
        wrong = fitted.classes_[(votes - before).argmax(axis=1)] != y
        error = sample_weight[wrong].sum()
        assert fitted.estimator_errors_[t] == pytest.approx(error, abs=1e-12)
        assert fitted.estimator_weights_[t] == pytest.approx(
            learner_weight(error, n_classes), abs=1e-10
        )
        sample_weight, _ = updated(sample_weight, wrong, fitted.estimator_weights_[t])
        np.testing.assert_array_equal(next(staged), fitted.classes_[votes.argmax(axis=1)])
    assert fitted.stop_reasons_ == ["n_rounds"]


def shares_of(decision: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    return np.column_stack([1.0 - decision, 1.0 + decision]) / 2.0 if n_classes == 2 else decision


def test_mixed_draws_a_kernel_for_every_round() -> None:
    X, y = letters()
    fitted = MixedKernelAdaBoost(
        ["rbf", "poly"], scheme="mixed", n_estimators=30, max_samples=40, random_state=0
    )
    names = fitted.fit(X, y).estimator_kernels_
    assert len(names) == 30
    assert 5 < names.count("rbf") < 25


def test_widths() -> None:
    X, y = letters()
    low, middle, high = MixedKernelAdaBoost(["rbf"], **SMALL).fit(X, y).gamma_ranges_["rbf"]
    assert low < middle < high
    fixed = MixedKernelAdaBoost(["rbf"], **SMALL).fit(X, y)
    assert {machine.kernel.gamma for machine in fixed.estimators_} == {middle}
    drawn = MixedKernelAdaBoost(["rbf"], gamma="sigest-random", **SMALL).fit(X, y)
    widths = [machine.kernel.gamma for machine in drawn.estimators_]
    assert len(set(widths)) == 6
    assert all(low <= width <= high for width in widths)
    given = MixedKernelAdaBoost(gamma=0.7, poly_gamma=0.3, **SMALL).fit(X, y)
    assert {(machine.kernel.name, machine.kernel.gamma) for machine in given.estimators_} == {
        ("rbf", 0.7),
        ("poly", 0.3),
    }
    pair = MixedKernelAdaBoost(["rbf"], gamma=[0.1, 0.4], **SMALL).fit(X, y)
    widths = [machine.kernel.gamma for machine in pair.estimators_]
    assert len(set(widths)) == 6
    assert all(0.1 <= width <= 0.4 for width in widths)
    e1071 = MixedKernelAdaBoost(["poly"], **SMALL).fit(X, y)
    assert e1071.estimators_[0].kernel == ("poly", 1.0 / 6.0, 3, 1.0)
    assert e1071.gamma_ranges_ == {}


def test_uniform_logarithms_and_inverses_of_widths_are_smaller_than_uniform_widths() -> None:
    X, y = letters()
    many = {**SMALL, "n_estimators": 40}
    fits = [
        MixedKernelAdaBoost(["rbf"], gamma=name, **many).fit(X, y)
        for name in ("sigest-random", "sigest-log-random", "sigest-inverse-random")
    ]
    low, _, high = fits[0].gamma_ranges_["rbf"]
    widths = [[machine.kernel.gamma for machine in fitted.estimators_] for fitted in fits]
    assert all(low <= width <= high for drawn in widths for width in drawn)
    # The same places in the range, of the width and of its logarithm.
    places = (np.array(widths[0]) - low) / (high - low)
    logarithms = (np.log(widths[1]) - np.log(low)) / (np.log(high) - np.log(low))
    assert logarithms[0] == pytest.approx(places[0])
    inverses = (1.0 / np.array(widths[2]) - 1.0 / high) / (1.0 / low - 1.0 / high)
    assert inverses[0] == pytest.approx(places[0])
    assert np.mean(widths[2]) < np.mean(widths[1]) < np.mean(widths[0])


@pytest.mark.parametrize("pair", [[0.1], [0.4, 0.1], [0.0, 1.0], ["low", "high"], []])
def test_a_pair_of_widths_that_is_none(pair: list[Any]) -> None:
    with pytest.raises(ValueError, match="gamma as a pair must be the lowest and the highest"):
        MixedKernelAdaBoost(["rbf"], gamma=pair, **SMALL).fit(*letters())


def test_the_certificate_is_the_worst_machines_and_a_shortfall_warns() -> None:
    X, y = letters()
    fitted = MixedKernelAdaBoost(tol=1e-4, **SMALL).fit(X, y)
    assert fitted.certificate_ == max(machine.certificate for machine in fitted.estimators_) <= 1e-4
    assert fitted.n_iter_ == sum(machine.n_iter for machine in fitted.estimators_)
    with pytest.warns(
        ConvergenceWarning, match="a machine stopped at a violation of .*StandardScaler"
    ):
        MixedKernelAdaBoost(max_iter=3, **SMALL).fit(X, y)


def test_remembered_runs_are_not_trained_again(trained: list[Any], tmp_path: Path) -> None:
    X, y = letters()
    memory = Memory(tmp_path, verbose=0)
    pure = MixedKernelAdaBoost(["rbf"], memory=memory, **SMALL).fit(X, y)
    trained.clear()
    joined = MixedKernelAdaBoost(["rbf", "poly"], memory=memory, **SMALL).fit(X, y)
    assert {kernel.name for *_, kernel in trained} == {"poly"}
    np.testing.assert_array_equal(joined.estimator_weights_[::2], pure.estimator_weights_)
    fresh = MixedKernelAdaBoost(["rbf", "poly"], **SMALL).fit(X, y)
    np.testing.assert_array_equal(joined.decision_function(X), fresh.decision_function(X))
    trained.clear()
    MixedKernelAdaBoost(["rbf"], memory=memory, **{**SMALL, "random_state": 1}).fit(X, y)
    MixedKernelAdaBoost(["rbf"], memory=memory, C=5.0, **SMALL).fit(X, y)
    MixedKernelAdaBoost(["rbf"], memory=memory, **SMALL).fit(X + 1.0, y)
    assert len(trained) >= 18


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernels": []}, "kernels must name one or more of linear, poly"),
        ({"kernels": ["rbf", "none"]}, r"got \['rbf', 'none'\]"),
        ({"kernels": ["rbf", "rbf"]}, "each at most once"),
        ({"scheme": "pure"}, "scheme 'pure' takes one kernel"),
    ],
)
def test_kernels_that_cannot_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MixedKernelAdaBoost(**settings).fit(*letters())


def test_inputs_beyond_float32_are_refused() -> None:
    X, y = letters()
    with pytest.raises(ValueError, match="overflow float32"):
        MixedKernelAdaBoost(**SMALL).fit(X * 1e20, y)


def test_class_weights_are_where_the_distribution_starts() -> None:
    X, y = letters()
    weight = {"a": 3.0, "b": 1.0, "c": 0.5}
    fitted = MixedKernelAdaBoost(["rbf"], scheme="pure", class_weight=weight, **SMALL).fit(X, y)
    costs = np.array([weight[label] for label in y])
    first = next(fitted.staged_predict(X))
    assert fitted.estimator_errors_[0] == pytest.approx(costs[first != y].sum() / costs.sum())
    heavy = MixedKernelAdaBoost(class_weight={"a": 50.0}, **SMALL).fit(X, y).predict(X)
    plain = MixedKernelAdaBoost(**SMALL).fit(X, y).predict(X)
    assert (heavy[y == "a"] == "a").mean() > (plain[y == "a"] == "a").mean()
