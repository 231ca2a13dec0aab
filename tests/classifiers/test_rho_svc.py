"""The rho-SVM: what the fit says of itself, when it warns, low-rank factors, soft margins."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC
from sklearn.utils import get_tags
from small_problems import noisy_rows

from ensvm import PartiallyTrainedEnsemble, ParzenWindowClassifier, RhoSVC, memory
from ensvm.classifiers import partially_trained_ensemble, rho_svc
from ensvm.kernels import gram
from ensvm.kernels.low_rank import LowRankGram, kernel_columns, partial_cholesky
from ensvm.runner.grams import shares_gram
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection

HARD: dict[str, Any] = {"solver": "algorithm-1", "nu": None}  # the paper's


def separable(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return noisy_rows(seed, d=4, noise=0.0)


def test_fit_is_algorithm_1_and_keeps_what_it_proved() -> None:
    X, y = separable()
    fitted = RhoSVC(gamma=0.3, tol=0.01, initial_tol=0.2, **HARD).fit(X, y)
    result = entropy_projection(gram(X, kernel="rbf", gamma=0.3), y, tol=0.01, initial_tol=0.2)
    assert np.array_equal(fitted.weights_, result.weights)
    assert fitted.objective_ == result.objective
    assert fitted.lower_bound_ == result.lower_bound
    assert fitted.certificate_ == fitted.objective_ - fitted.lower_bound_
    assert isinstance(fitted.certificate_, float)
    assert fitted.n_iter_ == result.n_iter
    assert (fitted.converged_, fitted.stop_reason_) == (True, "epsilon_below_tol")


@pytest.mark.parametrize("max_iter", [2, 100])
@pytest.mark.parametrize("machine", [RhoSVC(), PartiallyTrainedEnsemble(solver="accelerated")])
def test_the_warning_counts_all_steps_and_those_not_taken(machine: RhoSVC, max_iter: int) -> None:
    X, y = noisy_rows(d=4, noise=0.3)
    machine.set_params(max_iter=max_iter, tol=1e-9)
    with pytest.warns(ConvergenceWarning) as caught:
        machine.fit(X, y)
    name = type(machine).__name__
    [counts] = re.findall(rf"{name} stopped after (\d+) steps .*, (\d+) of", str(caught[0].message))
    steps, refused = map(int, counts)
    assert (steps, machine.n_iter_) == (max_iter, max_iter - refused)
    assert refused > 0


@pytest.mark.parametrize("seed", range(3))
def test_margin_is_that_of_a_hard_margin_machine(seed: int) -> None:
    # Mirrored data make the hyperplane of the machine with a bias pass through the origin.
    X, y = separable(seed)
    X, y = np.vstack([X, -X]), np.hstack([y, -y])
    fitted = RhoSVC(kernel="linear", tol=1e-6, **HARD).fit(X, y)
    machine = SVC(kernel="linear", C=1e6, tol=1e-6).fit(X, y)
    margin = 1.0 / np.linalg.norm(machine.coef_)
    assert fitted.lower_bound_ <= margin**2 * (1.0 + 1e-4)
    assert fitted.objective_ == pytest.approx(margin**2, rel=0.01)


def test_negligible_weights_leave_the_expansion_but_not_the_simplex() -> None:
    X = np.array([[1.0], [-1.0], [4000.0], [-4000.0]])
    fitted = RhoSVC(kernel="linear", tol=1e-14, **HARD).fit(X, [1, -1, 1, -1])
    assert fitted.support_.tolist() == [0, 1]
    assert fitted.weights_.shape == (4,)
    assert fitted.weights_.min() > 0.0
    assert fitted.X_fit_.shape == (2, 1)


def overlapping(seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return two moons without any input twice; what margin separates them is next to nothing."""
    return make_moons(150, noise=0.3, random_state=seed)


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_an_input_with_both_labels_is_named_wherever_it_stands(kernel: str, container: Any) -> None:
    X, y = separable()
    X[7], y[7] = X[3], -y[3]
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(y.size)
        twins = sorted(np.flatnonzero(np.isin(order, [3, 7])), key=lambda row: y[order[row]])
        with pytest.warns(ConvergenceWarning, match="training rows {} and {} apart".format(*twins)):
            fitted = RhoSVC(kernel, **HARD).fit(container(X[order]), y[order])
        K = gram(X[order], kernel=kernel, gamma=fitted.gamma_)
        with pytest.warns(ConvergenceWarning, match="training rows {} and {} apart".format(*twins)):
            RhoSVC("precomputed", **HARD).fit(K, y[order])


def test_the_machine_of_no_margin_says_that_rounding_decides_its_classes() -> None:
    X, y = overlapping()
    for kernel, cause in (("rbf", "and may be 0"), ("linear", "rho\\* = 0 to rounding")):
        for container in (np.asarray, sparse.csr_array):
            with pytest.warns(ConvergenceWarning, match=f"RhoSVC: .*{cause}.* rounding"):
                fitted = RhoSVC(kernel, **HARD).fit(container(X), y)
            assert fitted.converged_
            assert fitted.lower_bound_ == 0.0


METHODS = pytest.mark.parametrize("method", ["random", "greedy"])
DIAGONALS = pytest.mark.parametrize("diagonal", [True, False])
MACHINES = pytest.mark.parametrize("make", [RhoSVC, PartiallyTrainedEnsemble])


def low_rank(rank: int, method: str, diagonal: bool = False) -> dict[str, Any]:
    """Return the parameters of a machine on a low-rank factor."""
    return {
        "low_rank": rank,
        "low_rank_method": method,
        "low_rank_diagonal": diagonal,
        "random_state": 0,
    }


def factor_of(X: NDArray[np.float64], gamma: float, rank: int, method: Any) -> LowRankGram:
    """Return the factor that such a machine trains on."""
    columns, entries = kernel_columns(X, kernel="rbf", gamma=gamma)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    return partial_cholesky(columns, entries, method=method, rank=rank, rng=seed)


@METHODS
@DIAGONALS
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_full_rank_is_the_exact_machine(method: str, diagonal: bool, container: Any) -> None:
    X, y = separable()
    X = np.where(np.abs(X) > 0.2, X, 0.0)
    exact = PartiallyTrainedEnsemble(gamma=2.0, tol=0.05).fit(X, y)
    full = PartiallyTrainedEnsemble(gamma=2.0, tol=0.05, **low_rank(60, method, diagonal)).fit(
        container(X), y
    )
    assert full.trace_residual_ <= 1e-10
    assert full.n_iter_ == exact.n_iter_
    np.testing.assert_allclose(full.weights_, exact.weights_, rtol=1e-9)
    np.testing.assert_allclose(
        full.decision_function(X), exact.decision_function(X), rtol=1e-9, atol=1e-12
    )
    assert (exact.rank_, exact.trace_residual_) == (None, None)


@METHODS
@DIAGONALS
def test_low_rank_trains_on_the_factor_and_expands_the_exact_kernel(
    method: Any, diagonal: bool
) -> None:
    X, y = separable()
    fitted = PartiallyTrainedEnsemble(gamma=0.3, **low_rank(20, method, diagonal), **HARD).fit(X, y)
    factor = factor_of(X, 0.3, 20, method)
    assert (fitted.rank_, fitted.trace_residual_) == (20, factor.relative_residual)
    operator = replace(factor, own_diagonal=diagonal)
    assert np.array_equal(fitted.weights_, entropy_projection(operator, y).weights)
    expected = gram(X, X[fitted.support_], kernel="rbf", gamma=0.3) @ fitted.dual_coef_
    np.testing.assert_allclose(fitted.decision_function(X), expected, rtol=1e-12, atol=1e-14)


def test_low_rank_wants_the_inputs() -> None:
    assert get_tags(PartiallyTrainedEnsemble(kernel="precomputed")).input_tags.pairwise
    assert not get_tags(
        PartiallyTrainedEnsemble(kernel="precomputed", low_rank=5)
    ).input_tags.pairwise
    assert (
        shares_gram(PartiallyTrainedEnsemble()),
        shares_gram(PartiallyTrainedEnsemble(low_rank=5)),
    ) == (True, False)


@pytest.mark.parametrize("dtype", ["auto", "float32"])
def test_what_narrow_entries_change_is_bounded(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = separable()
    exact = PartiallyTrainedEnsemble(gamma=0.3, gram_dtype="float64").fit(X, y)
    assert (exact.gram_dtype_, exact.gram_error_) == ("float64", 0.0)
    monkeypatch.setattr(rho_svc, "WHOLE_ROWS", 10)
    narrow = PartiallyTrainedEnsemble(gamma=0.3, gram_dtype=dtype).fit(X, y)
    assert narrow.gram_dtype_ == ("float32" if dtype == "auto" else dtype)
    d, signed = narrow.gram_error_, y * narrow.weights_
    assert 0.0 < d < 1e-4
    assert narrow.objective_ != exact.objective_
    assert abs(narrow.objective_ - signed @ gram(X, kernel="rbf", gamma=0.3) @ signed) <= d
    assert narrow.lower_bound_ - 3.0 * d <= exact.objective_
    assert exact.lower_bound_ <= narrow.objective_ + d


def test_entries_are_narrow_by_themselves_only_where_that_is_proved_to_be_enough(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = separable()
    assert PartiallyTrainedEnsemble(gamma=0.3).fit(X, y).gram_dtype_ == "float64"  # few rows
    monkeypatch.setattr(rho_svc, "WHOLE_ROWS", 59)
    assert PartiallyTrainedEnsemble(gamma=0.3).fit(X, y).gram_dtype_ == "float32"
    once = np.append(np.arange(60), 0)[:60] % 50  # ten rows occur twice
    assert PartiallyTrainedEnsemble(gamma=0.3).fit(X[once], y[once]).gram_dtype_ == "float64"
    far = X.copy()
    far[0] *= 1e3  # in float32, distances between the others keep fewer digits
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rho_svc, "TRUSTED_ERROR", np.inf)
        assert PartiallyTrainedEnsemble(gamma=0.3).fit(far, y).gram_error_ > 1e-3
    assert PartiallyTrainedEnsemble(gamma=0.3).fit(far, y).gram_dtype_ == "float64"
    assert PartiallyTrainedEnsemble(kernel="linear", tol=0.1).fit(X, y).gram_dtype_ == "float64"
    factored = PartiallyTrainedEnsemble(gamma=0.3, low_rank=20, random_state=0).fit(X, y)
    assert (factored.gram_dtype_, factored.gram_error_) == ("float64", None)
    given = PartiallyTrainedEnsemble(kernel="precomputed").fit(
        gram(X, kernel="rbf", gamma=0.3, dtype="float32"), y
    )
    assert (given.gram_dtype_, given.gram_error_) == ("float32", None)


def test_many_rows_are_packed_and_train_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = separable()
    whole = PartiallyTrainedEnsemble(gamma=0.3, gram_dtype="float64").fit(X, y)
    monkeypatch.setattr(rho_svc, "WHOLE_ROWS", 10)
    packed = PartiallyTrainedEnsemble(gamma=0.3, gram_dtype="float64").fit(X, y)
    np.testing.assert_allclose(packed.objective_path_, whole.objective_path_, rtol=1e-9)
    np.testing.assert_allclose(
        packed.decision_function(X), whole.decision_function(X), rtol=1e-6, atol=1e-9
    )


@METHODS
def test_few_pivots_predict_by_the_factors_kernel(method: Any) -> None:
    X, y = separable()
    fitted = PartiallyTrainedEnsemble(
        gamma=0.05, low_rank=12, low_rank_method=method, random_state=0, predict_with="pivots"
    ).fit(X, y)
    assert fitted.support_.size <= 12
    factor = factor_of(X, 0.05, 12, method)
    weights = getattr(fitted, "ensemble_weights_", fitted.weights_)
    expected = factor.matvec(np.where(y == 1, weights, -weights))  # K ~ LL' at the training rows
    np.testing.assert_allclose(fitted.decision_function(X), expected, rtol=1e-6, atol=1e-9)


def test_pivots_that_leave_much_out_are_warned_of() -> None:
    X, y = separable()
    with pytest.warns(UserWarning, match=r"leaves out \d+% of the kernel's trace"):
        PartiallyTrainedEnsemble(gamma=2.0, low_rank=5, random_state=0, predict_with="pivots").fit(
            X, y
        )


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"solver": "algorithm-1", "nu": 0.5}, "nu needs solver='accelerated'"),
        ({"predict_with": "pivots"}, "needs pivots: set low_rank"),
        ({"kernel": "precomputed", "low_rank": 5}, "low_rank needs the inputs"),
    ],
)
def test_parameters_that_exclude_each_other(parameters: dict[str, Any], message: str) -> None:
    X, y = separable()
    inputs = X @ X.T if "precomputed" in parameters.values() else X
    with pytest.raises(ValueError, match=message):
        PartiallyTrainedEnsemble(**parameters).fit(inputs, y)


def test_auto_is_exact_up_to_its_rows_and_a_factor_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = separable()
    exact, auto = (
        PartiallyTrainedEnsemble(gamma=0.3).fit(X, y),
        PartiallyTrainedEnsemble(gamma=0.3, low_rank="auto").fit(X, y),
    )
    np.testing.assert_array_equal(auto.dual_coef_, exact.dual_coef_)
    assert auto.rank_ is None
    monkeypatch.setattr(partially_trained_ensemble, "AUTO_EXACT_ROWS", 59)
    monkeypatch.setattr(partially_trained_ensemble, "AUTO_RANK", 12)
    beyond = PartiallyTrainedEnsemble(gamma=0.05, low_rank="auto", random_state=0).fit(X, y)
    assert beyond.rank_ == 12
    assert beyond.support_.size <= 12
    given = PartiallyTrainedEnsemble(gamma=0.3, kernel="precomputed", low_rank="auto")
    assert given.fit(gram(X, kernel="rbf", gamma=0.3), y).rank_ is None


def moons(noise: float = 0.1, m: int = 120) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    return make_moons(m, noise=noise, random_state=0)


@MACHINES
def test_nu_of_1_is_the_parzen_window(make: Any) -> None:
    X, y = moons()
    window = ParzenWindowClassifier(gamma=2.0).fit(X, y).decision_function(X)
    soft = make(gamma=2.0, solver="accelerated", nu=1.0).fit(X, y).decision_function(X)
    np.testing.assert_allclose(soft / np.abs(soft).max(), window / np.abs(window).max(), atol=1e-9)


@MACHINES
@pytest.mark.parametrize("copies", [1, 2])
def test_no_weight_is_above_the_bound_of_nu(make: Any, copies: int) -> None:
    X, y = moons(0.4)
    X, y = np.tile(X, (copies, 1)), np.tile(y, copies)
    fitted = make(gamma=2.0, solver="accelerated", nu=0.4).fit(X, y)
    bound = 1.0 / (0.4 * len(y))
    assert fitted.weights_.max() == pytest.approx(bound)
    assert fitted.weights_.sum() == pytest.approx(1.0)
    if make is PartiallyTrainedEnsemble:
        assert fitted.member_weights_.max() <= bound * (1.0 + 1e-9)


def test_the_soft_margin_is_the_mean_of_the_share_nu_of_the_least() -> None:
    X, y = moons(0.4)
    fitted = RhoSVC(gamma=2.0, nu=0.25, tol=1e-4).fit(X, y)
    margins = np.sort((2 * y - 1) * fitted.decision_function(X)) / np.sqrt(fitted.objective_)
    assert margins[:30].mean() ** 2 == pytest.approx(fitted.lower_bound_, rel=1e-3)


def test_algorithm_1_has_a_hard_margin_by_default() -> None:
    X, y = moons()
    same = RhoSVC(solver="algorithm-1").fit(X, y)
    assert np.array_equal(same.weights_, RhoSVC(**HARD).fit(X, y).weights_)
    assert same.nu_ is None


def with_other_labels(share: float) -> tuple[NDArray[np.float64], NDArray[np.int64], Any]:
    """Return rows that occur twenty times, their labels, and these with a share of others."""
    X, y = (np.repeat(part, 20, axis=0) for part in moons(m=20))
    return X, y, np.where(np.arange(y.size) % 20 < 20 * share, 1 - y, y)


# The rows of one input that have different labels cancel: a soft margin is positive if and only if
# nu is more than twice the share of the fewer.
@pytest.mark.parametrize("share", [0.0, 0.2, 0.3])
def test_the_default_is_the_least_nu_that_the_overlap_of_the_classes_leaves(share: float) -> None:
    X, y, noisy = with_other_labels(share)
    fitted = RhoSVC(gamma=2.0).fit(X, noisy)  # a warning would be an error
    assert fitted.nu_ == min(nu for nu in rho_svc.AUTO_NU if nu > 2.0 * share)
    assert fitted.lower_bound_ > 0.0
    assert np.array_equal(fitted.predict(X), y)
    same = RhoSVC(gamma=2.0, nu=fitted.nu_).fit(X, noisy)
    assert np.array_equal(same.weights_, fitted.weights_)


def test_the_default_warns_where_no_nu_that_it_tries_is_enough() -> None:
    X, _, noisy = with_other_labels(0.45)
    with pytest.warns(ConvergenceWarning, match="at nu = 0.7 the objective is 0.*Raise nu"):
        RhoSVC(gamma=2.0).fit(X, noisy)


def test_a_soft_margin_of_0_warns() -> None:
    X = np.array([[0.0], [1.0]] * 2)
    with pytest.warns(ConvergenceWarning, match="at nu = 0.5 the objective is 0.*Raise nu"):
        RhoSVC(kernel="linear", nu=0.5).fit(X, [0, 0, 1, 1])


def test_a_factor_that_does_not_fit_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = moons(m=100)
    monkeypatch.setattr(memory, "free_bytes", lambda: 8.0 * 100 * 10 - 1.0)
    PartiallyTrainedEnsemble(gamma=2.0, low_rank=9).fit(X, y)
    with pytest.raises(
        MemoryError, match="PartiallyTrainedEnsemble: the low-rank factor of 100 rows takes"
    ):
        PartiallyTrainedEnsemble(gamma=2.0, low_rank=10).fit(X, y)
