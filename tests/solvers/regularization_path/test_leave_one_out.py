"""Leave-one-out values are those of machines trained without the row; the bound bounds them."""

import numpy as np
import pytest
from numba import njit
from small_problems import DIFFICULTIES, clouds, difficult, left_out_values, rbf

from ensvm.kernels import gram
from ensvm.solvers.regularization_path import leave_one_out
from ensvm.solvers.regularization_path.leave_one_out import (
    inverted,
    least_leave_one_out,
    leave_one_out_bound,
    leave_one_out_values,
    values_without_rows,
)
from ensvm.solvers.regularization_path.path import regularization_path
from ensvm.solvers.regularization_path.row_removal import followed_values
from ensvm.solvers.sequential_minimal_optimization import minimise


def problem(m=40, seed=0, n_positive=None):
    X, y = clouds(m, seed, n_positive)
    return rbf(X), y


def without(i, K, y, weights, C, fit_intercept):
    """Return the path of all rows but one."""
    others = np.delete(np.arange(y.size), i)
    return regularization_path(
        K[np.ix_(others, others)],
        y[others],
        sample_weight=weights[others],
        fit_intercept=fit_intercept,
        C_max=2.0 * C,
    )


def refitted(K, y, C, fit_intercept, weights=None):
    """Return the values of machines trained by the path without each row.

    They are NaN where the path has no machine: one class is left, and there is no intercept.
    """
    weights, values = np.ones(y.size) if weights is None else weights, np.empty(y.size)
    for i in range(y.size):
        others = np.delete(np.arange(y.size), i)
        if np.unique(y[others]).size == 1:
            values[i] = y[others[0]] if fit_intercept else np.nan
            continue
        path = without(i, K, y, weights, C, fit_intercept)
        values[i] = K[i, others] @ (y[others] * path.coef_at(C)) + path.intercept_at(C)
    return values


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_followed_to_the_end_they_are_those_of_refits(seed, fit_intercept):
    K, y = problem(seed=seed, n_positive=(5, 13, 20)[seed])
    weights = np.random.default_rng(seed).uniform(0.3, 3.0, y.size) if seed else np.ones(y.size)
    path = regularization_path(K, y, sample_weight=weights, fit_intercept=fit_intercept, C_max=1e3)
    for C in (1e-3, 0.1, 1.0, 10.0, 300.0):
        exact = leave_one_out_values(path, K, C, exact=True)
        expected = refitted(K, y, C, fit_intercept, weights)
        np.testing.assert_allclose(exact, expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
def test_the_span_rule_is_exact_where_no_other_row_changes_its_set(C, fit_intercept):
    K, y = problem(80)
    path = regularization_path(K, y, fit_intercept=fit_intercept, C_max=1e3)
    exact = leave_one_out_values(path, K, C, exact=True)
    span = leave_one_out_values(path, K, C)

    def sets(alpha):
        return np.digitize(alpha, [1e-9 * C, (1.0 - 1e-9) * C])

    alone = []
    for i in range(y.size):
        after = without(i, K, y, np.ones(y.size), C, fit_intercept).coef_at(C)
        before = np.delete(path.coef_at(C), i)
        alone.append(np.array_equal(sets(before), sets(after)))
    assert sum(alone) >= 10
    np.testing.assert_allclose(span[alone], exact[alone], rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("name", DIFFICULTIES)
def test_difficult_data_have_the_values_of_refits(name, fit_intercept):
    K, y = difficult(name)
    if not K.any() or y.size == 2:
        pytest.skip("every machine is its intercept alone, or one class is left")
    scale = K.diagonal().max()
    path = regularization_path(K, y, fit_intercept=fit_intercept, C_max=1e3 / scale)
    for C in np.array([1e-3, 0.1, 1.0, 30.0]) / scale:
        exact = leave_one_out_values(path, K, C, exact=True)
        expected = refitted(K, y, C, fit_intercept)
        known = np.isfinite(expected)
        np.testing.assert_allclose(exact[known], expected[known], rtol=1e-5, atol=1e-5)
        assert np.isfinite(leave_one_out_values(path, K, C)).all()


def test_rows_that_the_free_rows_cannot_take_over_are_followed():
    """The machine of balanced classes and a small C: a row left out turns the majority round."""
    K, y = problem(60, n_positive=30)
    path = regularization_path(K, y, C_max=1e3)
    C = 0.5 / path.lambdas[0]
    values = leave_one_out_values(path, K, C)
    assert path.coef_at(C).min() == pytest.approx(C)  # no free row
    np.testing.assert_allclose(values, refitted(K, y, C, True), atol=1e-8)
    assert np.mean(y * values <= 0.0) == 1.0
    assert np.mean(y * (K @ (y * path.coef_at(C)) + path.intercept_at(C)) <= 0.0) < 0.5


def test_a_row_may_lose_one_of_several_equal_ones():
    K, y = problem(30)
    counts = 1.0 + np.arange(30) % 3
    repeated = np.repeat(np.arange(30), counts.astype(int))
    C = 2.0
    path = regularization_path(K, y, sample_weight=counts, C_max=10.0)
    exact = left_out_values(
        K, y, path.coef_at(C), path.intercept_at(C), C * counts, kept=C * (counts - 1), exact=True
    )
    expected = refitted(K[np.ix_(repeated, repeated)], y[repeated], C, True)
    np.testing.assert_allclose(exact[repeated], expected, rtol=1e-6, atol=1e-6)


def test_any_solver_s_machine_will_do():
    K, y = problem(60)
    upper = np.full(60, 3.0)
    signed, intercept, *_ = minimise(K, y, upper, 1e-9, 10**6)
    path = regularization_path(K, y, C_max=10.0)
    for exact in (False, True):
        ours = left_out_values(K, y, y * signed, intercept, upper, exact=exact)
        theirs = leave_one_out_values(path, K, 3.0, exact=exact)
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("C", [10.0, 1000.0])
@pytest.mark.parametrize("gamma", [0.1, 3.0, 10.0])
def test_rows_that_nearly_depend_on_each_other_are_followed_to_a_number(gamma, C):
    """Many rows of one column: the direction may overflow."""
    rng = np.random.default_rng(2)
    y = np.where(np.arange(150) < 108, 1.0, -1.0)
    K = gram(rng.normal(size=(150, 1)), kernel="rbf", gamma=gamma)
    upper = np.full(150, C)
    signed, intercept, *_ = minimise(K, y, upper, 1e-3, 10**6)
    fitted, rows = K @ signed + intercept, np.flatnonzero(signed)
    values = followed_values(K, y, signed, intercept, upper, signed, fitted, rows, True)
    assert np.isfinite(values).all()


def noisy_problem(seed, m=30):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 2))
    y = np.where(X[:, 0] + rng.normal(size=m) > 0.3, 1.0, -1.0)
    return gram(X, kernel="rbf", gamma=0.5), y


def path_and_bound(K, y, fit_intercept):
    path = regularization_path(K, y, fit_intercept=fit_intercept, C_max=100.0)
    return path, leave_one_out_bound(path, K)


def count(path, K, y, C):
    alpha = path.coef_at(C)
    return np.count_nonzero(
        alpha * K.diagonal() - y * (K @ (y * alpha) + path.intercept_at(C)) > 0.0
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_count_at_every_breakpoint(seed, fit_intercept):
    K, y = noisy_problem(seed)
    path, bound = path_and_bound(K, y, fit_intercept)
    assert bound.bounds.shape == path.lambdas.shape
    for at in range(0, path.lambdas.size, 5):
        C = 1.0 / path.lambdas[at]
        nearby = {
            count(path, K, y, C * (1.0 + shift))
            for shift in (-1e-9, 0.0, 1e-9)
            if shift <= 0.0 or C < 100.0
        }
        assert round(bound.bounds[at] * y.size) in nearby


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_no_C_has_a_smaller_bound_and_no_smaller_C_the_same(seed, fit_intercept):
    K, y = noisy_problem(seed)
    path, best = path_and_bound(K, y, fit_intercept)
    least = round(best.best_bound * y.size)
    assert least == count(path, K, y, best.best_C * (1.0 + 1e-9))
    grid = np.geomspace(1.0 / path.lambdas[0], 99.0, 800)
    counts = np.array([count(path, K, y, C) for C in grid])
    assert counts.min() >= least
    assert np.all(counts[grid < best.best_C * (1.0 - 1e-9)] > least)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_no_C_below_the_first_breakpoint_has_a_smaller_bound(seed, fit_intercept):
    K, y = noisy_problem(seed, 40)
    path, whole = path_and_bound(K, y, fit_intercept)
    first = 1.0 / path.lambdas[0]
    best = leave_one_out_bound(path, K, C_min=1e-3 * first)
    least = round(best.best_bound * y.size)
    assert best.best_bound <= whole.best_bound
    assert least in {count(path, K, y, best.best_C * (1.0 + shift)) for shift in (-1e-9, 1e-9)}
    grid = np.geomspace(1e-3 * first, 99.0, 1500)
    counts = np.array([count(path, K, y, C) for C in grid])
    assert counts.min() >= least
    assert np.all(counts[grid < best.best_C * (1.0 - 1e-9)] > least)


def test_bounds_below_the_first_breakpoint_can_be_smaller():
    """Classes of unequal size, so that the intercept changes there."""
    problems = (noisy_problem(seed, 40) for seed in range(6))
    paths = [(path_and_bound(K, y, True), K) for K, y in problems]
    below = [
        leave_one_out_bound(path, K, C_min=1e-3 / path.lambdas[0]).best_bound
        for (path, _), K in paths
    ]
    assert any(new < bound.best_bound for new, ((_, bound), _) in zip(below, paths, strict=True))


@pytest.mark.parametrize(("seed", "fit_intercept"), [(17, True), (3, False)])
def test_the_least_bound_may_lie_between_breakpoints(seed, fit_intercept):
    K, y = noisy_problem(seed, 60)
    path, best = path_and_bound(K, y, fit_intercept)
    assert best.best_bound < best.bounds.min()
    assert round(best.best_bound * y.size) == count(path, K, y, best.best_C * (1.0 + 1e-9))


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_without_intercept_it_bounds_the_leave_one_out_errors(C):
    K, y = noisy_problem(7)
    path = regularization_path(K, y, fit_intercept=False, C_max=100.0)
    values = refitted(K, y, C, fit_intercept=False)
    assert 0 < np.count_nonzero(y * values <= 0.0) <= count(path, K, y, C)


@pytest.fixture(scope="module")
def compiled_inverted():
    return njit(lambda matrix, sides: inverted(matrix, sides))


@pytest.mark.parametrize("n", [1, 2, 7, 65, 150])
@pytest.mark.parametrize("n_sides", [0, 1, 2, 40])
def test_an_inverse_in_python_is_that_of_machine_code(compiled_inverted, n, n_sides):
    generator = np.random.default_rng(n)
    matrix = rbf(generator.normal(size=(n, 2))) + 1e-6 * np.eye(n)
    if n > 1:
        matrix[-1] = matrix[:, -1] = 1.0
        matrix[-1, -1] = 0.0
    sides = generator.normal(size=(n_sides, n))
    for ours, theirs in zip(inverted(matrix, sides), compiled_inverted(matrix, sides), strict=True):
        np.testing.assert_array_equal(ours, theirs)
        assert ours.flags.c_contiguous == theirs.flags.c_contiguous
    inverse, solved = inverted(matrix, sides)
    np.testing.assert_allclose(inverse @ matrix, np.eye(n), atol=1e-6)
    np.testing.assert_allclose(solved, sides @ inverse, rtol=1e-9)
    with pytest.raises(np.linalg.LinAlgError, match="singular"):
        inverted(np.zeros((n, n)), sides)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("C", [1.0, 10.0, 100.0])
def test_rounding_of_kernel_values_changes_no_value(seed, C):
    """Processors round otherwise; where all bounds are equal, rounding decided on rows to follow.

    The room of the free rows is then a multiple of the bound: just what a row at its bound needs.
    """
    X, y = clouds(24, seed)
    K, generator = rbf(X, 0.01), np.random.default_rng(seed)
    upper = np.full(y.size, C)
    none_kept, found = np.zeros(y.size), []
    for noise in (0.0, 1e-15, 1e-15):
        entries = noise * generator.normal(size=K.shape)
        rounded = K + entries + entries.T
        machine = minimise(rounded, y, upper, 1e-8, 100_000)
        solved = machine.signed, machine.intercept
        found.append(values_without_rows(rounded, y, *solved, upper, none_kept, True, False, True))
        np.testing.assert_allclose(found[-1], found[0], atol=1e-4)


@pytest.mark.parametrize("growth", [0.01, -(2.0**-50)])
def test_what_rounding_alone_makes_different_is_tied(monkeypatch, growth):
    """Errors are sums of weights, whose rounding depends on which rows are wrong."""
    X, y = clouds(90)
    path, generator, sizes = regularization_path(rbf(X), y), np.random.default_rng(0), []

    def some_wrong(path, gram, C):
        """Return values of 21 wrong rows, others for each C, that all grow a little each time."""
        sizes.append(1.0 + growth * len(sizes))
        wrong = generator.permutation(90) < 21
        return sizes[-1] * y * np.where(wrong, -2.0, 0.1)

    monkeypatch.setattr(leave_one_out, "leave_one_out_values", some_wrong)
    chosen = least_leave_one_out(path, rbf(X))
    assert len(sizes) > 5
    np.testing.assert_allclose(chosen.C, 1.0 / path.lambdas[0])  # the least loss, or the first
