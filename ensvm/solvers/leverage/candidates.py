"""The candidates of a leveraging round: their sums, quadratic steps and ranking. Compiled.

A candidate is a row of kernel values K_j = k(x_j, .); its hypothesis phi_j = y_j K_j differs by a
sign, which goes into alpha. Rows are centred, which changes beta alone, so that a constant in the
kernel costs no digits. With the weights w and pulls g of `losses`, W = sum w, G = sum g,
and beta eliminated, eqs. (6) and (7) are

    alpha = slope / curvature,  beta = G / W - alpha mean,  where
    mean = sum w phi / W,  slope = sum g phi - G mean,  curvature = sum w phi^2 - W mean^2.
"""

from typing import Any, NamedTuple

import numpy as np

from ensvm.compiled import inlined, njit
from ensvm.solvers.leverage.losses import loss_after, newton_increment, penalty_growth

QUADRATIC, TRUE_LOSS = 0, 1  # rankings
NOBODY = -1

LARGEST_VALUE = 1e150  # of a kernel: its squares can still be summed
# A variance below this part of the mean square has few digits left of its difference.
FLAT = 1e-10
# Times the largest kernel value's rounding: deviations that may be nothing but rounding.
ROUNDINGS = 8.0
# Lets sums run in vector registers; assumes nothing of nan and infinity.
REASSOCIATED = {"reassoc", "contract"}
# The sums over the sample that a candidate has, by their columns.
SQUARES, FIRSTS, PULLED = 0, 1, 2


class Block(NamedTuple):
    """The k candidates of one block."""

    rows: Any  # (k, m) kernel values
    indices: Any  # (k,) the instances they belong to
    centres: Any  # (k,) means of the rows
    floors: Any  # (k,) variances that rounding of the kernel values alone can make
    sums: Any  # (k, 3) those of a round, changed in place


class Settings(NamedTuple):
    """What stays the same; the integers are constants of `losses`, this file and `rounds`."""

    labels: Any  # (m,)
    loss: int
    penalty: int
    ranking: int
    n_steps: int
    tol: float
    tol_scale: int
    first_round: int


class State(NamedTuple):
    """Where the rounds are; the arrays are changed in place."""

    margins: Any  # (m,) y f
    trial: Any  # (m,) margins in the midst of a round
    direction: Any  # (m,) what a step adds to them
    weights: Any  # (m,) second derivatives of the loss
    pulls: Any  # (m,) its negative first derivatives by f
    last_chosen: Any  # (1,) the instance of the last round


@njit
def find_centres_and_floors(rows, eps, centres, floors):  # type: ignore[no-untyped-def]
    """Write each row's mean and the variance that rounding to precision eps can make.

    A row with values out of range has the mean nan.
    """
    n, m = rows.shape
    for j in range(n):
        total, largest = 0.0, 0.0
        for i in range(m):
            size = abs(rows[j, i])
            total += rows[j, i]
            largest = size if size > largest else largest
        # False for nan too.
        centres[j] = total / m if largest < LARGEST_VALUE and abs(total) < np.inf else np.nan
        floors[j] = (ROUNDINGS * eps * largest) ** 2


@inlined
def _add(phi, weight, pull, squares, firsts, pulled):  # type: ignore[no-untyped-def]
    weighted = weight * phi
    return squares + weighted * phi, firsts + weighted, pulled + pull * phi


@njit(fastmath=REASSOCIATED)
def sums_of(row, centre, weights, pulls):  # type: ignore[no-untyped-def]
    """Return sum w phi^2, sum w phi and sum g phi of one row."""
    squares = firsts = pulled = 0.0
    for i in range(weights.size):
        squares, firsts, pulled = _add(
            row[i] - centre, weights[i], pulls[i], squares, firsts, pulled
        )
    return squares, firsts, pulled


@njit(fastmath=REASSOCIATED)
def _sums_of_four(rows, centres, j, weights, pulls, sums):  # type: ignore[no-untyped-def]
    one, two, three, four = rows[j], rows[j + 1], rows[j + 2], rows[j + 3]
    p, q, r, s = centres[j], centres[j + 1], centres[j + 2], centres[j + 3]
    a = b = c = 0.0
    d = e = f = 0.0
    g = h = k = 0.0
    x = y = z = 0.0
    for i in range(weights.size):
        w, pull = weights[i], pulls[i]
        a, b, c = _add(one[i] - p, w, pull, a, b, c)
        d, e, f = _add(two[i] - q, w, pull, d, e, f)
        g, h, k = _add(three[i] - r, w, pull, g, h, k)
        x, y, z = _add(four[i] - s, w, pull, x, y, z)
    sums[j, 0], sums[j, 1], sums[j, 2] = a, b, c
    sums[j + 1, 0], sums[j + 1, 1], sums[j + 1, 2] = d, e, f
    sums[j + 2, 0], sums[j + 2, 1], sums[j + 2, 2] = g, h, k
    sums[j + 3, 0], sums[j + 3, 1], sums[j + 3, 2] = x, y, z


@inlined
def find_sums(block, weights, pulls):  # type: ignore[no-untyped-def]
    """Write `sums_of` every row, four rows at a time: weights and pulls are read less often."""
    k, sums = block.indices.size, block.sums
    for j in range(0, k - k % 4, 4):
        _sums_of_four(block.rows, block.centres, j, weights, pulls, sums)
    for j in range(k - k % 4, k):
        sums[j, 0], sums[j, 1], sums[j, 2] = sums_of(
            block.rows[j], block.centres[j], weights, pulls
        )


@inlined
def total_of(values):  # type: ignore[no-untyped-def]
    """Return the sum, added up one after the other."""
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total


@inlined
def quadratic_model(sums, floor, weight, pull):  # type: ignore[no-untyped-def]
    """Return mean, slope and curvature of a candidate from its sums, W and G.

    A flat candidate has slope and curvature 0.
    """
    mean, mean_square = sums[FIRSTS] / weight, sums[SQUARES] / weight
    variance = mean_square - mean * mean
    if not variance > max(floor, FLAT * mean_square):
        return mean, 0.0, 0.0
    return mean, sums[PULLED] - pull * mean, weight * variance


@inlined
def best_candidate(block, settings, state, penalty, shift):  # type: ignore[no-untyped-def]
    """Return the row that ranks first, of equals the first one; NOBODY if there is none.

    The instance of the last round is left out. Ranked is what each candidate's quadratic step from
    (0, 0) gains: by the quadratic model, or in truth.
    """
    best, best_gain = NOBODY, -np.inf
    weight, pull = total_of(state.weights), total_of(state.pulls)
    for j in range(block.indices.size):
        if block.indices[j] == state.last_chosen[0]:
            continue
        mean, slope, curvature = quadratic_model(block.sums[j], block.floors[j], weight, pull)
        alpha, curvature = newton_increment(curvature, slope, settings.penalty, penalty, 0.0)
        if settings.ranking == QUADRATIC:
            # Twice that of the model, up to what beta gains, which is equal for all.
            gain = curvature * alpha * alpha
        else:
            point(block, j, settings.labels, alpha, pull / weight - alpha * mean, state.direction)
            gain = -loss_after(settings.loss, state.margins, state.direction, 1.0, shift)
            gain -= penalty * penalty_growth(settings.penalty, alpha)
        if best == NOBODY or gain > best_gain:
            best, best_gain = j, gain
    return best


@inlined
def point(block, j, labels, alpha, beta, direction):  # type: ignore[no-untyped-def]
    """Write what alpha (K_j - centre) + beta, added to f, adds to the margins."""
    row, centre = block.rows[j], block.centres[j]
    for i in range(labels.size):
        direction[i] = labels[i] * (alpha * (row[i] - centre) + beta)


@njit
def largest_slope(block, weights, pulls, penalty):  # type: ignore[no-untyped-def]
    """Return the largest |sum g K_j| of the block, less the penalty it has to overcome."""
    largest = 0.0
    for j in range(block.indices.size):
        pulled = sums_of(block.rows[j], 0.0, weights, pulls)[PULLED]
        largest = max(largest, abs(pulled) - penalty)
    return largest
