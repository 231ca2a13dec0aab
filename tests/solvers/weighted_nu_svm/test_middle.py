"""Where the weights leave rho and b open, both are the middle, whatever rounding and order are."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from ensvm.kernels import gram
from ensvm.solvers.weighted_nu_svm.solver import nu_max, weighted_nu_svm

KINDS = ("one class free", "none free", "unequal weights, none free", "largest nu", "unique")
EVERY_KIND = pytest.mark.parametrize("kind", KINDS)


def problem(kind: str) -> tuple[Any, Any, Any, float]:
    """Return K, signs, a distribution and a nu with which the optimum has the kind named."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=80) > 0.0, 1.0, -1.0)
    D = np.full(80, 1.0 / 80)
    if kind == "one class free":
        return gram(X, kernel="linear"), y, D, 0.5
    if kind == "unique":
        return gram(X, kernel="rbf", gamma=0.3), y, rng.exponential(size=80), 10.0
    # Half of either class lies near the other and bears all weight; rho lies between the halves
    near = np.arange(80) % 2 == 0
    y = np.repeat([1.0, -1.0], 40)
    X = (y * (rng.uniform(1.0, 1.5, size=80) + 8.0 * ~near))[:, None]
    K = gram(X, kernel="linear")
    if kind == "unequal weights, none free":
        D = np.tile([3.0, 3.5, 4.0, 4.5], 20) / 300.0
        return K, y, D, float(D[near].sum())
    return K, y, D, 0.5 if kind == "none free" else nu_max(y[:60], D[:60])


def solved(K: Any, y: Any, D: Any, nu: float, **options: Any) -> Any:
    members = np.arange(60) if nu == nu_max(y[:60], D[:60]) else None
    return weighted_nu_svm(K, y, D, nu, tol=1e-12, members=members, **options)


def optimal_range(K: Any, y: Any, D: Any, weights: Any, objective: Any, rho: Any = None) -> Any:
    """Return the ends of a linear form in (b, rho) over those with no gap, up to 1e-9."""
    values = K @ (y * weights)
    scale, rows, right = np.abs(values).max(), [], []
    for sign, where in ((1.0, weights > 1e-8), (-1.0, weights < 1.0 - 1e-8)):
        rows.append(sign * np.column_stack([y, -D])[where])
        right.append(-sign * (y * values)[where] + 1e-9 * scale)
    bounds = [(None, None), (0.0, None) if rho is None else (rho, rho)]
    ends = []
    for sign in (1.0, -1.0):
        found = linprog(
            sign * np.asarray(objective), np.vstack(rows), np.concatenate(right), bounds=bounds
        )
        ends.append(sign * found.fun if found.status == 0 else -sign * np.inf)
    return ends


@EVERY_KIND
def test_both_are_the_middle_of_their_intervals(kind: str) -> None:
    K, y, D, nu = problem(kind)
    result = solved(K, y, D, nu)
    rows = np.arange(60) if kind == "largest nu" else np.arange(80)
    part = K[np.ix_(rows, rows)], y[rows], D[rows], result.weights[rows]
    least, largest = optimal_range(*part, [0.0, 1.0])
    assert (largest - least > 0.001 * least) == (kind != "unique")
    expected = least if kind == "largest nu" else 0.5 * (least + largest)
    assert result.rho == pytest.approx(expected, rel=1e-6)
    low, high = optimal_range(*part, [1.0, 0.0], rho=result.rho)
    assert result.intercept == pytest.approx(0.5 * (low + high), abs=1e-6 * result.rho * D.max())


@EVERY_KIND
def test_the_gap_is_certified_there(kind: str) -> None:
    K, y, D, nu = problem(kind)
    result = solved(K, y, D, nu)
    kept = slice(60 if kind == "largest nu" else 80)
    values = K @ (y * result.weights)
    shortfall = np.maximum(D * result.rho - y * (values + result.intercept), 0.0)[kept].sum()
    gap = 2.0 * result.objective - nu * result.rho + shortfall
    assert result.converged
    assert result.certificate <= 1e-12 * result.objective
    assert gap == pytest.approx(result.certificate, abs=1e-12 * nu * result.rho)


@EVERY_KIND
@pytest.mark.parametrize("seed", range(5))
def test_neither_rounding_nor_the_order_of_rows_decides(kind: str, seed: int) -> None:
    K, y, D, nu = problem(kind)
    rng = np.random.default_rng(seed)
    noise = 1.0 + 4e-16 * rng.normal(size=K.shape)
    first = solved(K, y, D, nu)
    last = np.arange(60, 80)
    order = np.concatenate([rng.permutation(60), last])
    for other in (
        solved(K * np.tril(noise) + K * np.tril(noise, -1).T, y, D, nu),
        solved(K[np.ix_(order, order)], y[order], D[order], nu),
    ):
        assert other.rho == pytest.approx(first.rho, rel=1e-6)
        assert other.intercept == pytest.approx(first.intercept, abs=1e-6 * first.rho * D.max())


@EVERY_KIND
def test_exchanging_the_labels_turns_the_plane_round(kind: str) -> None:
    K, y, D, nu = problem(kind)
    result, flipped = solved(K, y, D, nu), solved(K, -y, D, nu)
    assert flipped.rho == pytest.approx(result.rho, rel=1e-6)
    assert flipped.intercept == pytest.approx(-result.intercept, abs=1e-6 * result.rho * D.max())
