"""Minimising over a face: no rise, both equalities kept, the gradient in their span at the end."""

from typing import Any

import numpy as np
import pytest

from ensvm.array_types import for_reading
from ensvm.kernels import gram
from ensvm.solvers.weighted_nu_svm import faces, solver
from ensvm.solvers.weighted_nu_svm.descent import descend
from ensvm.solvers.weighted_nu_svm.faces import minimise_over_face, new_face, update_face

RIDGE = 1e-14


def state_after(steps: int, seed: int, gamma: float = 0.3, m: int = 60) -> Any:
    rng = np.random.default_rng(seed)
    X, D = rng.normal(size=(m, 3)), rng.exponential(size=m)
    y = np.where(X[:, 0] + rng.normal(size=m) > 0.0, 1.0, -1.0)
    D /= D.mean()
    K = gram(X, kernel="rbf", gamma=gamma)
    weights = solver.heaviest_first(y, D, 0.4 * solver.nu_max(y, D))
    state = solver._new_state(K, np.arange(m), y, D, weights)
    assert descend(state, 1e-12, 0.0, steps) == steps
    return state


def free(state: Any) -> Any:
    return np.flatnonzero((state.no_growth == 0.0) & (state.no_shrinking == 0.0))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("gamma", [0.003, 0.3, 10.0])
def test_descent_within_the_equalities_to_the_minimum_of_the_face_left(
    seed: int, gamma: float
) -> None:
    state = state_after(60, seed, gamma)
    before, fixed = state.coef.copy(), np.setdiff1d(np.arange(60), free(state))
    value, sums = before @ state.gram @ before, (before.sum(), state.targets @ before)
    minimise_over_face(state, new_face(60), RIDGE)
    assert state.coef @ state.gram @ state.coef <= value * (1.0 + 1e-12)
    np.testing.assert_allclose((state.coef.sum(), state.targets @ state.coef), sums, atol=1e-11)
    np.testing.assert_array_equal(state.coef[fixed], before[fixed])
    np.testing.assert_allclose(state.values, state.gram @ state.coef, atol=1e-11)
    assert np.all((state.labels * state.coef >= 0.0) & (state.labels * state.coef <= 1.0))
    rows = free(state)
    plane = np.column_stack([np.ones(rows.size), state.targets[rows]])
    residual = state.values[rows] - plane @ np.linalg.lstsq(plane, state.values[rows])[0]
    assert np.abs(residual).max() <= 1e-7 * np.abs(state.values).max()


@pytest.mark.parametrize("bound", [0, 1, 4, 30], ids="{} bound in between".format)
@pytest.mark.parametrize("blocked_from", [2, faces.BLOCKED_FACE])
def test_the_factor_kept_is_that_of_the_faces_gram_matrix(
    bound: int, blocked_from: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faces, "BLOCKED_FACE", blocked_from)
    monkeypatch.setattr(faces, "BLOCKED_ROWS", 1)
    state, face = state_after(60, 0), new_face(60)
    every = free(state)
    for fixed in (
        every[::2],
        every[1 : 1 + bound],
        every[:0],
    ):  # grows, loses some for others, grows
        state.no_growth[every], state.no_shrinking[fixed] = 0.0, np.inf
        state.no_shrinking[np.setdiff1d(every, fixed)] = 0.0
        n = update_face(state, face, RIDGE)
        points = face.points[:n]
        np.testing.assert_array_equal(np.sort(points), free(state))
        expected = np.linalg.cholesky(state.gram[np.ix_(points, points)])
        np.testing.assert_allclose(np.tril(face.lower[:n, :n]), expected, atol=1e-9)
        right = np.array([np.ones(n), state.targets[points], state.values[points]])
        np.testing.assert_allclose(
            face.rotated[:, :n], np.linalg.solve(expected, right.T).T, rtol=1e-6, atol=1e-9
        )


def test_a_matrix_without_a_minimum_changes_nothing_for_the_worse() -> None:
    state = state_after(60, 0)
    wild = np.random.default_rng(1).normal(size=(60, 60))
    state = state._replace(rows=for_reading(wild))
    state.values[:] = wild @ state.coef
    value = state.coef @ state.values
    minimise_over_face(state, new_face(60), RIDGE)
    assert np.isfinite(state.coef).all()
    assert state.coef @ state.values <= value
