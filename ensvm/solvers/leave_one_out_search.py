"""Choosing C and gamma of support vector machines by their leave-one-out values.

All pairs of classes share C and gamma. For each gamma of a list the Gram matrix is made, and for
each C the machines of all pairs are trained (`one_vs_one`). Their leave-one-out values cost less
than one more fit (`leave_one_out`), and Platt's sigmoids on these values make them probabilities. A
row is in error if another class wins more pairs, where the machines of the row's own class are
those without the row. The criterion is the error plus the sigmoids' log loss: errors alone are
tied, or decided by single rows, too often.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray

from ensvm.array_types import Indices, Vector, for_reading
from ensvm.compiled import compiled
from ensvm.kernels.gram_matrix import distances, gram_at
from ensvm.kernels.threads import one_blas_thread
from ensvm.solvers.one_vs_one import (
    PairMachines,
    are_few_pairs,
    pairwise_machines,
    rows_of_pair,
    submatrix,
    taken,
    weighted_sums,
    winners,
)
from ensvm.solvers.platt_scaling import class_probabilities, fit_sigmoids, losses
from ensvm.solvers.regularization_path.leave_one_out import values_by_rule, values_without_rows
from ensvm.solvers.regularization_path.row_removal import AT_BOUND

LEAST_SLOPE = 1e-3  # of a sigmoid that only keeps the sign of f
# Pairs of at most so many rows are mended: rows that are errors by the span rule alone are followed
# exactly. More would take much longer and lower no error.
MENDED_PAIR = 300


def rows_of_all_classes(codes: Indices, size: int, seed: int) -> Indices:
    """Return about `size` random row numbers, ascending, with the shares of the classes.

    `codes` are the classes of the rows as numbers from 0 on. There are at least two rows of each
    class, if it has two.
    """
    generator, taken = np.random.default_rng(seed), []
    for code in range(int(codes.max()) + 1):
        of_class = np.flatnonzero(codes == code)
        share = max(round(size * of_class.size / codes.size), 2)
        taken.append(generator.permutation(of_class)[:share])
    return np.sort(np.concatenate(taken))


@dataclass(frozen=True, eq=False)
class SortedRows:
    """The training rows sorted by class."""

    values: Vector  # (m, d) the inputs, or the Gram matrix, (m, m), if `kernel` is None
    starts: Indices  # (n_classes + 1,) the first row of each class, and m; no class is empty
    costs: Vector  # (m,) the price of an error of each row, as a multiple of C; positive
    counts: Vector  # (m,) the weight of each row, positive
    kept: Vector  # (m,) the part of it that stays when one of several identical rows is left out
    kernel: str | None = "rbf"  # one of distances

    @property
    def codes(self) -> Indices:
        """The class of each row, as a number, shape (m,)."""
        return np.repeat(np.arange(self.starts.size - 1), np.diff(self.starts))

    def grams(self, gammas: Sequence[float | None]) -> Iterator[Vector]:
        """Yield the Gram matrix of each gamma; the given matrix for None."""
        if self.kernel is None:
            yield from (self.values for _ in gammas)
            return
        apart = distances(self.values, kernel=self.kernel)
        for number, gamma in enumerate(gammas, 1):
            assert gamma is not None
            last = apart if number == len(gammas) else None  # saves the memory of a matrix
            yield gram_at(apart, kernel=self.kernel, gamma=gamma, out=last)

    def take(self, rows: Indices) -> "SortedRows":
        """Return some of the rows, given in ascending order."""
        of_gram = self.kernel is None
        return SortedRows(
            np.ascontiguousarray(self.values[np.ix_(rows, rows)]) if of_gram else self.values[rows],
            np.searchsorted(rows, self.starts),
            self.costs[rows],
            self.counts[rows],
            self.kept[rows],
            self.kernel,
        )

    def blocks(self, size: int, seed: int) -> list[Indices]:
        """Return the numbers of the rows of blocks of about `size` rows or fewer, ascending.

        Random rows of each class are dealt out evenly. A class with fewer than two rows for each
        block is in all of them.
        """
        n_blocks = -(-self.costs.size // size)
        generator = np.random.default_rng(seed)
        blocks: list[list[Indices]] = [[] for _ in range(n_blocks)]
        for first, end in pairwise(self.starts.tolist()):
            dealt = generator.permutation(np.arange(first, end))
            rare = dealt.size < 2 * n_blocks
            for number, block in enumerate(blocks):
                block.append(dealt if rare else dealt[number::n_blocks])
        return [np.sort(np.concatenate(block)) for block in blocks]

    def sample(self, size: int, seed: int) -> Indices:
        """Return the numbers of about `size` rows, at least two of each class, ascending.

        These are all rows if there are no more; else rows drawn with the shares of the classes.
        """
        m = self.costs.size
        return np.arange(m) if m <= size else rows_of_all_classes(self.codes, size, seed)


@dataclass(frozen=True, eq=False)
class Candidate:
    """The machines with one C and gamma, and their leave-one-out values."""

    C: float
    gamma: float | None  # None if the Gram matrix was given
    error: float  # the leave-one-out error, weighted by the rows' counts
    loss: float  # the mean log loss of the pairs' sigmoids at the leave-one-out values
    machines: PairMachines
    values: Vector  # (pairs, m) leave-one-out values; 0 for rows of other classes
    sigmoids: Vector  # (pairs, 2) A and B of each pair's sigmoid, fitted to these values
    # (n_classes, m) of each class at each row without it; None if nobody asked for them
    probabilities: Vector | None = None


def candidates(
    rows: SortedRows,
    gammas: Sequence[float | None],
    Cs: Sequence[float],
    *,
    tol: float,
    max_iter: int,
    n_jobs: int | None = None,
    probabilities: bool = False,
) -> list[Candidate]:
    """Return the machines of every gamma and C, gamma by gamma.

    `tol` is the violation of optimality to stop at, `max_iter` the most steps of a machine. The
    processes work on widths; the result does not depend on `n_jobs`. `probabilities` says whether
    candidates have theirs.
    """
    several = effective_n_jobs(n_jobs) > 1
    tasks: list[Sequence[float | None]] = [[gamma] for gamma in gammas] if several else [gammas]
    found = Parallel(n_jobs=n_jobs)(
        delayed(_of_widths)(rows, widths, Cs, tol, max_iter, probabilities) for widths in tasks
    )
    return [candidate for of_task in found for candidate in of_task]


def _of_widths(
    rows: SortedRows,
    gammas: Sequence[float | None],
    Cs: Sequence[float],
    tol: float,
    max_iter: int,
    probabilities: bool,
) -> list[Candidate]:
    """Return the machines of some gammas and every C."""
    found = []
    for gamma, matrix in zip(gammas, rows.grams(gammas), strict=True):
        unbounded: Candidate | None = None
        for C in Cs:
            if unbounded is not None and C > unbounded.C:
                found.append(replace(unbounded, C=C))
                continue
            found.append(_candidate(rows, matrix, gamma, C, tol, max_iter, probabilities))
            if _is_unbounded(rows, found[-1]):
                unbounded = found[-1]
    return found


def _is_unbounded(rows: SortedRows, candidate: Candidate) -> bool:
    """Return whether no multiplier is at its bound: a larger C then gives the same machine.

    Leave-one-out values are the same as well if no part of a row stays.
    """
    if rows.kept.any():
        return False
    alpha = np.abs(candidate.machines.coefficients)
    upper = candidate.C * rows.costs * rows.counts
    return bool((alpha < (1.0 - AT_BOUND) * upper).all())


def _candidate(
    rows: SortedRows,
    gram: Vector,
    gamma: float | None,
    C: float,
    tol: float,
    max_iter: int,
    probabilities: bool,
) -> Candidate:
    weights = rows.costs * rows.counts
    gram = for_reading(gram)
    machines = pairwise_machines(gram, rows.starts, C * weights, tol, max_iter)
    kept = C * rows.costs * rows.kept
    with one_blas_thread():
        values = leave_one_out_of_pairs(gram, rows.starts, machines, C * weights, kept, MENDED_PAIR)
    sigmoids = fit_sigmoids(values, rows.starts, weights)
    # If C is so small that f is all but constant, a row that is left out is in the minority: the
    # values contradict the labels. Nearly even odds keep the sign of f.
    sigmoids = np.where(sigmoids[:, :1] < 0.0, sigmoids, [[-LEAST_SLOPE, 0.0]])
    loss, lost = losses(values, sigmoids, rows.starts, rows.counts)
    # Rows whose class wins all of its pairs are right; the vote decides about the others.
    some = np.arange(lost.size) if probabilities else np.flatnonzero(lost)
    of_pairs = _left_out_values(rows, gram, machines, values, some)
    wrong = lost[some]
    if len(sigmoids) > 1:
        slopes, offsets = sigmoids.T[:, :, None]
        votes = winners(-(slopes * of_pairs + offsets), rows.starts.size - 1)
        wrong &= votes != rows.codes[some]
    error = float(rows.counts[some[wrong]].sum() / rows.counts.sum())
    of_classes = class_probabilities(of_pairs, sigmoids) if probabilities else None
    return Candidate(C, gamma, error, loss, machines, values, sigmoids, of_classes)


def leave_one_out_of_pairs(
    gram: NDArray[Any],
    starts: Indices,
    machines: PairMachines,
    upper: Vector,
    kept: Vector,
    most_mended: int,
) -> Vector:
    """Return the leave-one-out values of every pair's own rows, shape (pairs, m).

    `gram`, `starts` and `machines` are those of `one_vs_one.pairwise_machines`; `upper`, shape
    (m,), holds the bounds of the multipliers, `kept` those without the row. Pairs of at most
    `most_mended` rows are mended.
    """
    if are_few_pairs(starts):
        values = np.zeros(machines.coefficients.shape)
        unfinished = np.ones(len(values), np.bool_)
    else:
        values, unfinished = rule_of_pairs(gram, starts, machines, upper, kept, most_mended)
    for pair in np.flatnonzero(unfinished).tolist():
        rows, labels = rows_of_pair(starts, pair)
        values[pair, rows] = values_without_rows(
            submatrix(gram, rows),
            labels,
            machines.coefficients[pair, rows],
            machines.intercepts[pair],
            upper[rows],
            kept[rows],
            True,
            False,
            rows.size <= most_mended,
        )
    return values


@compiled
def rule_of_pairs(
    gram: NDArray[Any],
    starts: Indices,
    machines: PairMachines,
    upper: Vector,
    kept: Vector,
    most_mended: int,
) -> tuple[Vector, NDArray[np.bool_]]:
    """Return the values of all pairs by the span rule, and which pairs have rows to follow."""
    values = np.zeros(machines.coefficients.shape)
    unfinished = np.zeros(len(values), np.bool_)
    # for literals all that they are handed to would be compiled once more
    fit_intercept, exact = np.bool_(True), np.bool_(False)
    for pair in range(len(values)):
        rows, labels = rows_of_pair(starts, pair)
        own, _, _, followed = values_by_rule(
            submatrix(gram, rows),
            labels,
            taken(machines.coefficients[pair], rows),
            machines.intercepts[pair],
            taken(upper, rows),
            taken(kept, rows),
            fit_intercept,
            exact,
            rows.size <= most_mended,
        )
        for k in range(rows.size):
            values[pair, rows[k]] = own[k]
            unfinished[pair] |= followed[k]
    return values, unfinished


def _left_out_values(
    rows: SortedRows, gram: Vector, machines: PairMachines, values: Vector, some: Indices
) -> Vector:
    """Return all pairs' values at some rows, shape (pairs, n): without the row in its own pairs."""
    n_classes = rows.starts.size - 1
    if n_classes == 2:
        return values[:, some]
    if some.size < values.shape[1]:
        # `gram[:, some]` would lie in memory column by column
        gram, values = gram.take(some, axis=1), values[:, some]
    pairs, columns = map(np.ascontiguousarray, machines.coefficients.nonzero())
    starts = np.searchsorted(pairs, np.arange(len(values) + 1))
    support = machines.coefficients[pairs, columns]
    everywhere = weighted_sums(starts, columns, support, machines.intercepts, for_reading(gram))
    codes = rows.codes[some]
    first, second = (classes[:, None] for classes in np.triu_indices(n_classes, 1))
    own = (codes == first) | (codes == second)
    np.copyto(everywhere, values, where=own)
    return everywhere
