"""Choosing the width and the penalty of ridge machines on a low-rank kernel, for many rows.

The features of a row are its row of L, from the factor LL' of the Gram matrix (`low_rank`).
Each class has a ridge regression of its indicator on them; all share one eigendecomposition, and
the machine of a pair is the difference of the regressions of its classes. The values of f without a
row at that row are those of a refit with the same pivots, for every penalty (`kernel_ridge` has the
formula), and width and penalty have the least squared error of these values.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from ensvm.kernels.gram_matrix import slices
from ensvm.kernels.low_rank import PivotChoice, pivot_features
from ensvm.solvers.leave_one_out_search import Candidate, SortedRows, rising_sigmoids
from ensvm.solvers.one_pass_ridge import RidgeSums
from ensvm.solvers.one_vs_one import PairMachines
from ensvm.solvers.platt_scaling import class_probabilities, losses

Vector = NDArray[np.float64]
Indices = NDArray[np.intp]

SEARCH_RANK = 500  # of the features on which the width is chosen
# The largest rank r of the machine, and the largest m r^2 for m rows: up to 60,000 rows the rank is
# the largest, and at a million it is SEARCH_RANK. On 20,000 made-up rows of three classes the test
# error falls with the rank: 28.2 % with 300 pivots, 25.3 with 1,000, 23.7 with 2,000.
LARGEST_RANK, PRODUCTS = 2000, 2.4e11
PIVOT_ROWS = 16_384  # among which pivots are drawn
BLOCK_ROWS = 4096  # at most, so that the errors of all penalties take little memory


class WidthScores(NamedTuple):
    """The leave-one-out scores of a width with p penalties."""

    gamma: float
    penalties: Vector  # (p,)
    losses: Vector  # (p,) the mean squared errors of the classes' regressions, weighted by costs
    errors: Vector  # (p,) the shares of rows at which another class's regression is the largest


def width_scores(
    rows: SortedRows, gammas: Sequence[float], seed: int, n_jobs: int | None = None
) -> list[WidthScores]:
    """Return the scores of every gamma, each with its own penalties, on `SEARCH_RANK` features.

    `seed` draws the pivots; `n_jobs` is the number of processes that work on widths.
    """

    def scores(gamma: float) -> WidthScores:
        return _Ridges(rows, gamma, SEARCH_RANK, seed).scores()

    return list(Parallel(n_jobs=n_jobs)(delayed(scores)(gamma) for gamma in gammas))


def fitted_ridge(rows: SortedRows, gamma: float, seed: int) -> tuple[float, Candidate]:
    """Return the best penalty of a width, and the machines with it on `machine_rank` features.

    The coefficients of the machines are 0 but for pivots. Parameters are those of `width_scores`.
    """
    ridges = _Ridges(rows, gamma, machine_rank(rows.counts.size), seed)
    scores = ridges.scores()
    alpha = float(scores.penalties[scores.losses.argmin()])
    return alpha, ridges.fitted(alpha)


def machine_rank(m: int) -> int:
    """Return the largest number of pivots of a machine that is trained on m rows."""
    return min(LARGEST_RANK, max(int((PRODUCTS / m) ** 0.5), SEARCH_RANK))


class _Ridges:
    """The ridge regressions of all classes' indicators with one width."""

    def __init__(self, rows: SortedRows, gamma: float, rank: int, seed: int) -> None:
        self._rows, self._gamma = rows, gamma
        kernel = {"kernel": "rbf", "gamma": gamma, "dtype": np.float64}
        choice = PivotChoice(rank, "random", PIVOT_ROWS, seed)
        self._features = pivot_features(rows.values, kernel, choice)
        self._targets = np.eye(rows.starts.size - 1)[rows.codes]
        self._weights = rows.costs * rows.counts
        self._left_out = rows.costs * (rows.counts - rows.kept)
        self._sums = RidgeSums(self._features.pivots.size, self._targets.shape[1])
        for part, features in self._blocks():
            self._sums.add(features, self._targets[part], self._weights[part])

    def scores(self) -> WidthScores:
        """Return the scores of all penalties."""
        penalties = self._sums.penalties()
        losses, errors = np.zeros((2, penalties.size))
        codes, counts = self._rows.codes, self._rows.counts
        for part, left_out in self._left_out_errors(penalties):
            losses += self._weights[part] @ np.square(left_out).mean(axis=1)
            values = self._targets[part][..., None] - left_out
            errors += counts[part] @ (values.argmax(axis=1) != codes[part, None])
        return WidthScores(
            self._gamma, penalties, losses / self._weights.sum(), errors / counts.sum()
        )

    def fitted(self, alpha: float) -> Candidate:
        """Return the machines of all pairs with one penalty."""
        rows, features = self._rows, self._features
        solution = self._sums.solve(alpha)
        of_class = np.empty_like(self._targets)
        for part, left_out in self._left_out_errors(np.array([alpha])):
            of_class[part] = self._targets[part] - left_out[..., 0]
        first, second = np.triu_indices(self._targets.shape[1], 1)
        own = features.at_pivots(solution.weights)
        coefficients = np.zeros((first.size, rows.codes.size))
        coefficients[:, features.pivots] = (own[:, first] - own[:, second]).T
        intercepts = solution.intercept[first] - solution.intercept[second]
        machines = PairMachines(
            coefficients, intercepts, np.zeros(first.size), np.ones(first.size, np.intp)
        )
        values = np.take(of_class.T, first, axis=0)
        values -= np.take(of_class.T, second, axis=0)
        sigmoids = rising_sigmoids(values, rows.starts, self._weights)
        loss, _ = losses(values, sigmoids, rows.starts, rows.counts)
        predicted = np.empty_like(rows.codes)
        for part in slices(predicted.size, BLOCK_ROWS):  # coupling takes n_classes^2 numbers a row
            predicted[part] = class_probabilities(values[:, part], sigmoids).argmax(axis=0)
        error = float(rows.counts @ (predicted != rows.codes) / rows.counts.sum())
        values[(rows.codes != first[:, None]) & (rows.codes != second[:, None])] = 0.0
        return Candidate(1.0 / alpha, self._gamma, error, loss, machines, values, sigmoids)

    def _left_out_errors(self, penalties: Vector) -> Iterator[tuple[slice, Vector]]:
        for part, features in self._blocks():
            yield (
                part,
                self._sums.left_out_errors(
                    features, self._targets[part], penalties, self._left_out[part]
                ),
            )

    def _blocks(self) -> Iterator[tuple[slice, Vector]]:
        return self._features.blocks(self._rows.values, BLOCK_ROWS)
