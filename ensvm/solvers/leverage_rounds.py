"""The rounds of the leveraging algorithm on one block: choose, step, update. Compiled.

A loss l(v) of the margin v has the negative derivative p(v) ("pull") and the second derivative w(v)
("weight"): exponential, eq. (3): l = exp(-v), p = w = exp(-v), the distribution D of eq. (1) before
it is normalised; logistic, eq. (4): l = log(1 + exp(-2v)), p = 2 (1 - P), w = 4 P (1 - P), with P =
1 / (1 + exp(-2v)) of eq. (2). Exponential losses are multiplied by exp(shift), with the least
margin as the shift, so that the largest is 1; a round looks at ratios only. The logistic loss has
shift 0.

A candidate is a row of kernel values K_j = k(x_j, .); its hypothesis phi_j = y_j K_j differs by a
sign, which goes into alpha. Rows are centred, which changes beta alone, so that a constant in the
kernel costs no digits. With W = sum w, G = sum g over the pulls g, and beta eliminated, eqs. (6)
and (7) are

    alpha = slope / curvature,  beta = G / W - alpha mean,  where
    mean = sum w phi / W,  slope = sum g phi - G mean,  curvature = sum w phi^2 - W mean^2.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.array_types import Vector
from ensvm.compiled import REASSOCIATED, compiled

Sums: TypeAlias = tuple[float, float, float]  # SQUARES, FIRSTS, PULLED of a candidate

EXPONENTIAL, LOGISTIC = 0, 1
NO_PENALTY, L1, L2 = 0, 1, 2  # the power of |alpha|
QUADRATIC, TRUE_LOSS = 0, 1  # rankings
NOBODY = -1

LARGEST_VALUE = 1e150  # of a kernel: its squares can still be summed
# A variance below this part of the mean square has few digits left of its difference.
FLAT = 1e-10
# Times the largest kernel value's rounding: deviations that may be nothing but rounding.
ROUNDINGS = 8.0
# The largest change of a margin for which `loss_near` holds, and its relative error at most.
LARGE = 32.0
NEARLY = 1e-7
# The sums over the sample that a candidate has, by their columns.
SQUARES, FIRSTS, PULLED = 0, 1, 2
RELATIVE, ABSOLUTE = 0, 1  # scales of the least gain
TESTED, GRANTED = 0, 1  # first rounds on a block
PAUSED, NO_GAIN, ZERO_LOSS = 0, 1, 2

# Of what the model promises; a step that keeps less has left the model's range.
SUFFICIENT_DECREASE = 0.1
# 2^-50 of a step is its rounding.
MOST_HALVINGS = 50
# Two or three suffice, except on separable data, whose optimum is infinitely far.
MOST_SEARCH_STEPS = 30
# A search ends where a further step promises less than this part of the objective.
SEARCH_TOL = 1e-14
# Mean loss at which derivatives come near the end of the range of floats.
VANISHED_LOSS = 1e-250


@compiled(inline=True)
def shift_of(loss: int, margins: Vector) -> float:
    """Return the shift at these margins."""
    if loss != EXPONENTIAL:
        return 0.0
    least = margins[0]
    for i in range(1, margins.size):
        least = min(least, margins[i])
    return least


@compiled(at_once=True)
def weigh(
    loss: int,
    margins: Vector,
    labels: Vector,
    costs: Vector,
    shift: float,
    weights: Vector,
    pulls: Vector,
) -> float:
    """Write w_i and y_i p_i, the derivatives by f(x_i), and return the sum of the losses."""
    total = 0.0
    if loss == EXPONENTIAL:
        for i in range(margins.size):
            weights[i] = costs[i] * math.exp(shift - margins[i])
            pulls[i] = labels[i] * weights[i]
            total += weights[i]
        return total
    for i in range(margins.size):
        e = math.exp(-2.0 * abs(margins[i]))  # of the absolute value, lest it overflow
        less_likely = e / (1.0 + e)
        weights[i] = costs[i] * (4.0 * less_likely / (1.0 + e))
        towards = less_likely if margins[i] >= 0.0 else 1.0 / (1.0 + e)
        pulls[i] = costs[i] * (2.0 * labels[i] * towards)
        total += costs[i] * (math.log1p(e) + 2.0 * max(-margins[i], 0.0))
    return total


@compiled(at_once=True)
def loss_after(
    loss: int, margins: Vector, costs: Vector, direction: Vector, length: float, shift: float
) -> float:
    """Return the sum of the losses at margins + length * direction; infinite if it overflows."""
    total = 0.0
    if loss == EXPONENTIAL:
        for i in range(margins.size):
            total += costs[i] * math.exp(shift - (margins[i] + length * direction[i]))
    else:
        for i in range(margins.size):
            margin = margins[i] + length * direction[i]
            loss_of_row = math.log1p(math.exp(-2.0 * abs(margin))) + 2.0 * max(-margin, 0.0)
            total += costs[i] * loss_of_row
    return total if total < math.inf else math.inf  # so is one that is not a number


@compiled(inline=True, at_once=True)
def exp(x: float) -> float:
    """Return e^x, infinite where it overflows; Python raises an error there."""
    return math.exp(x)


@compiled(inline=True, at_once=True)
def mean_loss(loss: int, total: float, shift: float, m: int) -> float:
    """Return the mean loss that a sum of (shifted) losses stands for."""
    return math.exp(math.log(total / m) - shift) if loss == EXPONENTIAL else total / m


@compiled(inline=True, at_once=True)
def penalty_growth(power: int, alpha: float) -> float:
    """Return exp(|alpha|^p), by which a round's weight multiplies the penalty of eq. (8)."""
    if power == NO_PENALTY:
        return 1.0
    return math.exp(abs(alpha) if power == L1 else alpha * alpha)


@compiled(at_once=True)
def newton_increment(
    curvature: float, slope: float, power: int, penalty: float, alpha: float
) -> tuple[float, float]:
    """Return the d that minimises the model of loss and penalty at alpha, and its curvature.

    The loss is modelled by -slope d + curvature d^2 / 2. The penalty, penalty * exp(|alpha|^p), has
    its own quadratic model for p = 2; for p = 1 the model is quadratic in |alpha + d|, hence a soft
    threshold. Where nothing curves, d = 0.
    """
    if power == L1:
        pressure = penalty * math.exp(abs(alpha))
        curvature += pressure
        if not curvature > 0.0:
            return 0.0, 0.0
        target = alpha + slope / curvature
        size = max(abs(target) - pressure / curvature, 0.0)
        return (size if target > 0.0 else -size) - alpha, curvature
    if power == L2:
        pressure = penalty * math.exp(alpha * alpha)
        slope -= 2.0 * alpha * pressure
        curvature += pressure * (2.0 + 4.0 * alpha * alpha)
    return (slope / curvature, curvature) if curvature > 0.0 else (0.0, 0.0)


@compiled(inline=True)
def within_sign(increment: float, alpha: float, label: float) -> float:
    """Return the increment, but one that takes alpha to 0 if the sum has not the label's sign."""
    return increment if label * (alpha + increment) >= 0.0 else -alpha


class CandidateBlock(NamedTuple):
    """The k candidates of one block."""

    rows: NDArray[Any]  # (k, m) kernel values
    indices: NDArray[np.intp]  # (k,) the instances they belong to
    centres: Vector  # (k,) means of the rows
    floors: Vector  # (k,) variances that rounding of the kernel values alone can make
    sums: Vector  # (k, 3) those of a round, changed in place


class Settings(NamedTuple):
    """What stays the same; the integers are constants of this file."""

    labels: Vector  # (m,)
    costs: Vector  # (m,) what multiplies each row's loss, of mean 1
    loss: int
    penalty: int
    ranking: int
    n_steps: int
    tol: float
    tol_scale: int
    first_round: int
    positive: bool


class State(NamedTuple):
    """Where the rounds are; the arrays are changed in place."""

    margins: Vector  # (m,) y f
    trial: Vector  # (m,) margins in the midst of a round
    direction: Vector  # (m,) what a step adds to them
    weights: Vector  # (m,) second derivatives of the loss
    pulls: Vector  # (m,) its negative first derivatives by f
    last_chosen: NDArray[np.intp]  # (1,) the instance of the last round


@compiled
def find_centres_and_floors(
    rows: NDArray[Any], eps: float, centres: Vector, floors: Vector
) -> None:
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
        rounding = ROUNDINGS * eps * largest
        floors[j] = rounding * rounding


@compiled(inline=True)
def plus_products(sums: Sums, phi: float, weight: float, pull: float) -> Sums:
    """Return SQUARES, FIRSTS and PULLED of a row with the products of one entry added."""
    weighted = weight * phi
    return sums[0] + weighted * phi, sums[1] + weighted, sums[2] + pull * phi


@compiled(at_once=True, fastmath=REASSOCIATED)
def sums_of(row: NDArray[Any], centre: float, weights: Vector, pulls: Vector) -> Sums:
    """Return sum w phi^2, sum w phi and sum g phi of one row."""
    sums = (0.0, 0.0, 0.0)
    for i in range(weights.size):
        sums = plus_products(sums, row[i] - centre, weights[i], pulls[i])
    return sums


@compiled(at_once=True, fastmath=REASSOCIATED)
def sums_of_four(
    rows: NDArray[Any], centres: Vector, weights: Vector, pulls: Vector
) -> tuple[Sums, Sums, Sums, Sums]:
    """Return `sums_of` of each of four rows, whose weights and pulls are read once."""
    first = second = third = fourth = (0.0, 0.0, 0.0)
    for i in range(weights.size):
        weight, pull = weights[i], pulls[i]
        first = plus_products(first, rows[0, i] - centres[0], weight, pull)
        second = plus_products(second, rows[1, i] - centres[1], weight, pull)
        third = plus_products(third, rows[2, i] - centres[2], weight, pull)
        fourth = plus_products(fourth, rows[3, i] - centres[3], weight, pull)
    return first, second, third, fourth


@compiled(inline=True)
def find_sums(block: CandidateBlock, weights: Vector, pulls: Vector) -> None:
    """Write `sums_of` every row, four rows at a time: weights and pulls are read less often."""
    k, rows, centres = block.indices.size, block.rows, block.centres
    for j in range(0, k - k % 4, 4):
        four = sums_of_four(rows[j : j + 4], centres[j : j + 4], weights, pulls)
        for of_four in range(4):
            for kind in range(3):
                block.sums[j + of_four, kind] = four[of_four][kind]
    for j in range(k - k % 4, k):
        one = sums_of(rows[j], centres[j], weights, pulls)
        for kind in range(3):
            block.sums[j, kind] = one[kind]


@compiled(inline=True)
def total_of(values: Vector) -> float:
    """Return the sum; a loop compiles in less time than `values.sum()`."""
    total = 0.0
    for i in range(values.size):
        total += values[i]
    return total


@compiled(inline=True)
def quadratic_model(
    sums: Any, floor: float, weight: float, pull: float
) -> tuple[float, float, float]:
    """Return mean, slope and curvature of a candidate from its sums, W and G.

    A flat candidate has slope and curvature 0.
    """
    mean, mean_square = sums[FIRSTS] / weight, sums[SQUARES] / weight
    variance = mean_square - mean * mean
    if not variance > max(floor, FLAT * mean_square):
        return mean, 0.0, 0.0
    return mean, sums[PULLED] - pull * mean, weight * variance


@compiled(inline=True)
def best_candidate(
    block: CandidateBlock, settings: Settings, state: State, penalty: float, shift: float
) -> int:
    """Return the row that ranks first, of equals the first one; NOBODY if there is none.

    The instance of the last round is left out. Ranked is what each candidate's quadratic step from
    (0, 0) gains: by the quadratic model, or in truth.
    """
    best, best_gain = NOBODY, -np.inf
    weight, pull = total_of(state.weights), total_of(state.pulls)
    in_truth = settings.ranking == TRUE_LOSS
    near = in_truth and settings.loss == EXPONENTIAL
    tops = upper_gains(block, settings, state, penalty, weight, pull) if near else np.empty(0)
    for j in range(block.indices.size):
        if block.indices[j] == state.last_chosen[0] or (near and tops[j] == -np.inf):
            continue
        alpha, beta, curvature = first_step(block, j, settings, penalty, weight, pull)
        if in_truth:
            point(block, j, settings.labels, alpha, beta, state.direction)
            gain = -loss_after(
                settings.loss, state.margins, settings.costs, state.direction, 1.0, shift
            )
            gain -= penalty * penalty_growth(settings.penalty, alpha)
        else:
            # Twice that of the model, up to what beta gains, which is equal for all.
            gain = curvature * alpha * alpha
        if best == NOBODY or gain > best_gain:
            best, best_gain = j, gain
    return best


@compiled(inline=True)
def first_step(
    block: CandidateBlock, j: int, settings: Settings, penalty: float, weight: float, pull: float
) -> tuple[float, float, float]:
    """Return alpha, beta and the curvature of a candidate's quadratic step from (0, 0)."""
    mean, slope, curvature = quadratic_model(block.sums[j], block.floors[j], weight, pull)
    alpha, curvature = newton_increment(curvature, slope, settings.penalty, penalty, 0.0)
    if settings.positive:
        alpha = within_sign(alpha, 0.0, settings.labels[block.indices[j]])
    return alpha, pull / weight - alpha * mean, curvature


@compiled(inline=True)
def upper_gains(
    block: CandidateBlock,
    settings: Settings,
    state: State,
    penalty: float,
    weight: float,
    pull: float,
) -> Vector:
    """Return what each candidate gains at most, -inf where another one is sure to gain more.

    The losses are exponential, and nearly summed: an exact sum takes ten times as long.
    """
    tops, most = np.empty(block.indices.size), -np.inf
    for j in range(block.indices.size):
        tops[j] = np.inf
        if block.indices[j] == state.last_chosen[0]:
            continue
        alpha, beta, _ = first_step(block, j, settings, penalty, weight, pull)
        after, spread = loss_near(
            block.rows[j], block.centres[j], settings.labels, state.weights, alpha, beta
        )
        if spread <= 1.0:
            after += penalty * penalty_growth(settings.penalty, alpha)
            tops[j] = NEARLY * after - after
            most = max(most, -NEARLY * after - after)
    for j in range(block.indices.size):
        if tops[j] < most:
            tops[j] = -np.inf
    return tops


@compiled(at_once=True, fastmath=REASSOCIATED)
def loss_near(
    row: NDArray[Any], centre: float, labels: Vector, weights: Vector, alpha: float, beta: float
) -> tuple[float, float]:
    """Return sum w exp(-d), nearly, and sum (d / LARGE)^8: where it is at most 1, the former holds.

    d are the changes of the margins. Without calls of exp, sums run in vector registers.
    """
    total, spread = 0.0, 0.0
    for i in range(labels.size):
        change = labels[i] * (alpha * (row[i] - centre) + beta)
        t = change * (-0.5 / LARGE)  # at most 1/2: ten terms of the series are enough
        p = 1.0 / 5040 + t * (1.0 / 40320 + t * (1.0 / 362880 + t * (1.0 / 3628800)))
        p = 1.0 / 6 + t * (1.0 / 24 + t * (1.0 / 120 + t * (1.0 / 720 + t * p)))
        p = 1.0 + t * (1.0 + t * (0.5 + t * p))
        p *= p  # exp(2t), and so on to exp(-change) = exp(2 LARGE t)
        p *= p
        p *= p
        p *= p
        p *= p
        p *= p
        total += weights[i] * p
        square = 4.0 * t * t
        spread += (square * square) * (square * square)
    return total, spread


@compiled(inline=True)
def point(
    block: CandidateBlock, j: int, labels: Vector, alpha: float, beta: float, direction: Vector
) -> None:
    """Write what alpha (K_j - centre) + beta, added to f, adds to the margins."""
    row, centre = block.rows[j], block.centres[j]
    for i in range(labels.size):
        direction[i] = labels[i] * (alpha * (row[i] - centre) + beta)


@compiled
def largest_slope(
    block: CandidateBlock, settings: Settings, weights: Vector, pulls: Vector, penalty: float
) -> float:
    """Return the largest |sum g K_j| of the block, less the penalty it has to overcome.

    If alphas must be positive, only sums that have the sign of the label count.
    """
    largest = 0.0
    for j in range(block.indices.size):
        pulled = sums_of(block.rows[j], 0.0, weights, pulls)[PULLED]
        size = settings.labels[block.indices[j]] * pulled if settings.positive else abs(pulled)
        largest = max(largest, size - penalty)
    return largest


class RoundHistory(NamedTuple):
    """What the rounds did; changed in place.

    Round t is entry t of `chosen`, `alpha` (of K_j) and `beta`, and leads to entry t + 1 of `loss`
    and `penalty`.
    """

    chosen: NDArray[np.intp]
    alpha: Vector
    beta: Vector
    loss: Vector  # mean loss
    penalty: Vector  # gamma of eq. (8)
    n_rounds: NDArray[np.intp]  # (1,) those so far


@compiled
def play(
    block: CandidateBlock, settings: Settings, state: State, record: RoundHistory, end: int
) -> int:
    """Do rounds on a block until `end` are done, or none gains, or the loss has vanished."""
    labels, costs, begin = settings.labels, settings.costs, record.n_rounds[0]
    relative = settings.tol_scale == RELATIVE
    while record.n_rounds[0] < end:
        t = record.n_rounds[0]
        if record.loss[t] < VANISHED_LOSS:
            return ZERO_LOSS
        shift = shift_of(settings.loss, state.margins)
        total = weigh(
            settings.loss, state.margins, labels, costs, shift, state.weights, state.pulls
        )
        penalty = record.penalty[t] * total
        find_sums(block, state.weights, state.pulls)
        j = best_candidate(block, settings, state, penalty, shift)
        if j == NOBODY:
            return NO_GAIN
        alpha, beta, after = fit_candidate(block, j, settings, state, total, penalty, shift)
        growth = penalty_growth(settings.penalty, alpha)
        gain = total - after - penalty * (growth - 1.0)
        tol = settings.tol if settings.first_round == TESTED or t > begin else 0.0
        # In the unit of the sums, which are multiplied by exp(shift)
        if not gain > tol * (total + penalty if relative else labels.size * exp(shift)):
            return NO_GAIN
        for i in range(labels.size):
            state.margins[i] = state.trial[i]
        state.last_chosen[0] = record.chosen[t] = block.indices[j]
        record.alpha[t], record.beta[t] = alpha, beta - alpha * block.centres[j]
        record.loss[t + 1] = mean_loss(settings.loss, after, shift, state.margins.size)
        record.penalty[t + 1] = record.penalty[t] * growth * (total / after)
        record.n_rounds[0] = t + 1
    return PAUSED


@compiled(inline=True)
def fit_candidate(
    block: CandidateBlock,
    j: int,
    settings: Settings,
    state: State,
    total: float,
    penalty: float,
    shift: float,
) -> tuple[float, float, float]:
    """Return alpha and beta of candidate j and the sum of the losses there.

    The margins there go into `state.trial`. Each step is eq. (6) or (7), halved until it gains a
    fair part of what it promises.
    """
    alpha, beta = 0.0, 0.0
    for i in range(state.trial.size):
        state.trial[i] = state.margins[i]
    for step in range(settings.n_steps):
        if step > 0:
            labels, costs = settings.labels, settings.costs
            weigh(settings.loss, state.trial, labels, costs, shift, state.weights, state.pulls)
        weight, pull = total_of(state.weights), total_of(state.pulls)
        sums = sums_of(block.rows[j], block.centres[j], state.weights, state.pulls)
        mean, slope, curvature = quadratic_model(sums, block.floors[j], weight, pull)
        to_alpha, curvature = newton_increment(curvature, slope, settings.penalty, penalty, alpha)
        if settings.positive:
            to_alpha = within_sign(to_alpha, alpha, settings.labels[block.indices[j]])
        to_beta = pull / weight - to_alpha * mean
        promised = 0.5 * (curvature * to_alpha * to_alpha + pull * (pull / weight))
        objective = total + penalty * penalty_growth(settings.penalty, alpha)
        if promised <= SEARCH_TOL * objective:
            break
        point(block, j, settings.labels, to_alpha, to_beta, state.direction)
        length, after = halve(settings, state, objective, promised, penalty, alpha, to_alpha, shift)
        if length == 0.0:
            break
        alpha, beta, total = alpha + length * to_alpha, beta + length * to_beta, after
        for i in range(state.trial.size):
            state.trial[i] += length * state.direction[i]
    return alpha, beta, total


@compiled(inline=True)
def halve(
    settings: Settings,
    state: State,
    objective: float,
    promised: float,
    penalty: float,
    alpha: float,
    to_alpha: float,
    shift: float,
) -> tuple[float, float]:
    """Return how much of a step gains, 1, 1/2, 1/4, ... or 0, and the sum of the losses there."""
    length = 1.0
    for _ in range(MOST_HALVINGS):
        after = loss_after(
            settings.loss, state.trial, settings.costs, state.direction, length, shift
        )
        growth = penalty_growth(settings.penalty, alpha + length * to_alpha)
        if objective - after - penalty * growth >= SUFFICIENT_DECREASE * length * promised:
            return length, after
        length *= 0.5
    return 0.0, objective
