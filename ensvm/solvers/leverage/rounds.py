"""The rounds of the leveraging algorithm on one block: choose, step, update. Compiled."""

import math
from typing import Any, NamedTuple

from ensvm.compiled import inlined, njit
from ensvm.solvers.leverage.candidates import (
    NOBODY,
    best_candidate,
    find_sums,
    point,
    quadratic_model,
    sums_of,
    total_of,
)
from ensvm.solvers.leverage.losses import (
    loss_after,
    mean_loss,
    newton_increment,
    penalty_growth,
    shift_of,
    weigh,
)

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


class Record(NamedTuple):
    """What the rounds did; changed in place.

    Round t is entry t of `index`, `alpha` (of K_j) and `beta`, and leads to entry t + 1 of `loss`
    and `penalty`.
    """

    index: Any
    alpha: Any
    beta: Any
    loss: Any  # mean loss
    penalty: Any  # gamma of eq. (8)
    n_rounds: Any  # (1,) those so far


@njit
def play(block, settings, state, record, end):  # type: ignore[no-untyped-def]
    """Do rounds on a block until `end` are done, or none gains, or the loss has vanished."""
    labels, begin = settings.labels, record.n_rounds[0]
    while record.n_rounds[0] < end:
        t = record.n_rounds[0]
        if record.loss[t] < VANISHED_LOSS:
            return ZERO_LOSS
        shift = shift_of(settings.loss, state.margins)
        total = weigh(settings.loss, state.margins, labels, shift, state.weights, state.pulls)
        penalty = record.penalty[t] * total
        find_sums(block, state.weights, state.pulls)
        j = best_candidate(block, settings, state, penalty, shift)
        if j == NOBODY:
            return NO_GAIN
        alpha, beta, after = descend(block, j, settings, state, total, penalty, shift)
        growth = penalty_growth(settings.penalty, alpha)
        gain = total - after - penalty * (growth - 1.0)
        least = settings.tol if settings.first_round == TESTED or t > begin else 0.0
        # In the unit of the sums, which are multiplied by exp(shift).
        least *= (
            total + penalty if settings.tol_scale == RELATIVE else labels.size * math.exp(shift)
        )
        if not gain > least:
            return NO_GAIN
        for i in range(labels.size):
            state.margins[i] = state.trial[i]
        state.last_chosen[0] = record.index[t] = block.indices[j]
        record.alpha[t], record.beta[t] = alpha, beta - alpha * block.centres[j]
        record.loss[t + 1] = mean_loss(settings.loss, after, shift, state.margins.size)
        record.penalty[t + 1] = record.penalty[t] * growth * (total / after)
        record.n_rounds[0] = t + 1
    return PAUSED


@inlined
def descend(block, j, settings, state, total, penalty, shift):  # type: ignore[no-untyped-def]
    """Return alpha and beta of candidate j and the sum of the losses there.

    The margins there go into `state.trial`. Each step is eq. (6) or (7), halved until it gains a
    fair part of what it promises.
    """
    alpha, beta = 0.0, 0.0
    for i in range(state.trial.size):
        state.trial[i] = state.margins[i]
    for step in range(settings.n_steps):
        if step > 0:
            weigh(settings.loss, state.trial, settings.labels, shift, state.weights, state.pulls)
        weight, pull = total_of(state.weights), total_of(state.pulls)
        sums = sums_of(block.rows[j], block.centres[j], state.weights, state.pulls)
        mean, slope, curvature = quadratic_model(sums, block.floors[j], weight, pull)
        to_alpha, curvature = newton_increment(curvature, slope, settings.penalty, penalty, alpha)
        to_beta = pull / weight - to_alpha * mean
        promised = 0.5 * (curvature * to_alpha * to_alpha + pull * (pull / weight))
        objective = total + penalty * penalty_growth(settings.penalty, alpha)
        if promised <= SEARCH_TOL * objective:
            break
        point(block, j, settings.labels, to_alpha, to_beta, state.direction)
        length, after = _halve(
            settings, state, objective, promised, penalty, alpha, to_alpha, shift
        )
        if length == 0.0:
            break
        alpha, beta, total = alpha + length * to_alpha, beta + length * to_beta, after
        for i in range(state.trial.size):
            state.trial[i] += length * state.direction[i]
    return alpha, beta, total


@inlined
def _halve(  # type: ignore[no-untyped-def]
    settings, state, objective, promised, penalty, alpha, to_alpha, shift
):
    """Return how much of a step gains, 1, 1/2, 1/4, ... or 0, and the sum of the losses there."""
    length = 1.0
    for _ in range(MOST_HALVINGS):
        after = loss_after(settings.loss, state.trial, state.direction, length, shift)
        growth = penalty_growth(settings.penalty, alpha + length * to_alpha)
        if objective - after - penalty * growth >= SUFFICIENT_DECREASE * length * promised:
            return length, after
        length *= 0.5
    return 0.0, objective
