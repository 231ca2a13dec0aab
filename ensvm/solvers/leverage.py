"""The leveraging algorithm: vector machines built greedily, one kernel a round.

Singer, Leveraged vector machines, NIPS 1999.

Names: a candidate hypothesis phi_j(x) = y_j K(x_j, x); a round adds alpha phi_j + beta to f; D, eq.
(1), are the normalised losses; gamma is the penalty of eq. (8), "penalty" here since gamma is a
kernel's width. A block is a chunk of section 3. The compiled part is `leverage_rounds`.

Where we read the print otherwise: eq. (7) has a factor 1/2 and sums instead of averages over D, as
Newton's step has; the recursion of gamma divides by the normaliser of D alone, without the penalty
that eq. (8) counts in Z_t, because only then is each round's problem to minimise sum_i exp(-y_i
f(x_i)) + gamma' exp(sum_t |alpha_t|^p) with one gamma'.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.array_types import Indices, Vector, for_reading
from ensvm.solvers.leverage_rounds import (
    ABSOLUTE,
    EXPONENTIAL,
    GRANTED,
    L1,
    L2,
    LARGEST_VALUE,
    LOGISTIC,
    MOST_SEARCH_STEPS,
    NO_GAIN,
    NO_PENALTY,
    NOBODY,
    QUADRATIC,
    RELATIVE,
    TESTED,
    TRUE_LOSS,
    ZERO_LOSS,
    CandidateBlock,
    RoundHistory,
    Settings,
    State,
    find_centres_and_floors,
    largest_slope,
    play,
    weigh,
)

__all__ = ["leverage"]

GramRows = Callable[[Indices], NDArray[Any]]
LeverageStop = Literal["no_gain", "zero_loss", "n_rounds", "n_passes"]

CHOICES: dict[str, dict[str | None, int]] = {
    "loss": {"exponential": EXPONENTIAL, "logistic": LOGISTIC},
    "penalty": {None: NO_PENALTY, "l1": L1, "l2": L2},
    "ranking": {"quadratic": QUADRATIC, "loss": TRUE_LOSS},
    "tol_scale": {"relative": RELATIVE, "absolute": ABSOLUTE},
    "first_round": {"tested": TESTED, "granted": GRANTED},
}
STEPS = {"newton": 1, "search": MOST_SEARCH_STEPS}


@dataclass(frozen=True)
class LeverageResult:
    """The machine f(x) = sum_i weights_i y_i K(x_i, x) + intercept and the rounds that made it."""

    weights: Vector  # (m,) the sum of each instance's alphas, of either sign
    intercept: float  # the sum of the betas
    rounds: Indices  # (n_iter,) the instance chosen in each round
    alphas: Vector  # (n_iter,) the coefficients of each round
    betas: Vector
    # (n_iter + 1,) the mean loss per instance before the first round and after each: of eq. (3)
    # exp(-y f), of eq. (4) log(1 + exp(-2 y f)), in nats
    losses: Vector
    # (n_iter + 1,) the gamma of eq. (8) for each round and the one that would follow; all 0 without
    # a penalty
    penalties: Vector
    objective: float  # the mean loss, plus the penalty (as a mean per instance) if there is one
    # At least 0: the largest absolute derivative of the mean loss by beta or the alpha of any
    # instance, less what the penalty holds against the latter; 0 exactly at the optimum. If alphas
    # must be positive, only derivatives by which an alpha would grow count.
    certificate: float
    n_iter: int
    converged: bool  # whether the rounds ended because nothing was left to gain
    # 'zero_loss': every margin is so large that the loss leaves the range of floats
    stop_reason: LeverageStop


class BlockSource:
    """The blocks of candidates of m instances; only one block is in memory at a time.

    `gram` is the symmetric Gram matrix, or a function of k instance numbers that returns these
    rows, shape (k, m); `blocks` are the instance numbers of each block.
    """

    def __init__(self, gram: NDArray[Any] | GramRows, m: int, blocks: Sequence[Indices]) -> None:
        self._blocks = [np.asarray(block, dtype=np.intp) for block in blocks]
        self._m = m
        self.n_blocks = len(self._blocks)
        self._gram = gram if callable(gram) else np.asarray(gram)
        self._current: int | None = None
        self._block: CandidateBlock | None = None

    def block(self, k: int) -> CandidateBlock:
        """Return block k; compute its kernel values unless it is the current one."""
        if self._block is None or k != self._current:
            self._block = None
            self._block, self._current = self._made(self._blocks[k]), k
        return self._block

    def largest_slope(self, settings: Settings, state: State, held: float) -> float:
        """Return the largest |sum g K_j| of all candidates, less what holds against it."""
        current_first = sorted(range(self.n_blocks), key=lambda k: k != self._current)
        return max(
            largest_slope(self.block(k), settings, state.weights, state.pulls, held)
            for k in current_first
        )

    def _made(self, indices: Indices) -> CandidateBlock:
        rows = self._rows(indices)
        centres, floors = np.empty((2, indices.size))
        find_centres_and_floors(rows, float(np.finfo(rows.dtype).eps), centres, floors)
        bad = ~np.isfinite(centres)
        if bad.any():
            raise ValueError(
                f"kernel values must be finite and smaller than {LARGEST_VALUE:g}, "
                f"but not all are with instance {indices[bad][0]}"
            )
        return CandidateBlock(rows, indices, centres, floors, sums=np.empty((indices.size, 3)))

    def _rows(self, indices: Indices) -> NDArray[Any]:
        if callable(self._gram):
            rows = np.asarray(self._gram(indices))
        elif self.n_blocks == 1 and np.array_equal(indices, np.arange(self._m)):
            rows = self._gram.T if self._gram.flags.f_contiguous else self._gram  # symmetric
        else:
            rows = self._gram[indices]
        dtype = rows.dtype if rows.dtype == np.float32 else np.float64
        return for_reading(np.ascontiguousarray(rows, dtype=dtype))


def leverage(
    gram: NDArray[Any] | GramRows,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    loss: Literal["exponential", "logistic"] = "exponential",
    penalty: Literal["l1", "l2"] | None = None,
    initial_penalty: float = 0.01,
    blocks: Sequence[Indices] | None = None,
    n_rounds: int = 500,
    rounds_per_block: int | None = None,
    step: Literal["newton", "search"] | int = "newton",
    ranking: Literal["quadratic", "loss"] = "quadratic",
    tol: float = 1e-5,
    tol_scale: Literal["relative", "absolute"] = "relative",
    first_round: Literal["tested", "granted"] = "tested",
    n_passes: int | None = None,
    positive: bool = False,
) -> LeverageResult:
    """Build a vector machine by rounds that each add the kernel that reduces the loss most.

    The instance of a round is not chosen in the next. A round must gain more than `tol`: when none
    in the block does the next block is taken, when none in any block does the machine is done.

    Parameters
    ----------
    gram : array of shape (m, m) or callable
        The symmetric Gram matrix K, float32 or float64 (others become float64); or a function that
        maps k instance numbers to these rows of K, shape (k, m): only one block's rows exist at a
        time.
    y : array of shape (m,)
        The labels, -1 and +1.
    sample_weight : array of shape (m,), default None
        What multiplies the loss of each instance, positive; divided by its mean. None for 1 each.
    loss : 'exponential' or 'logistic', default 'exponential'
        Eq. (3), which makes a BVM, or eq. (4), an LVM.
    penalty : 'l1', 'l2' or None, default None
        The power p = 1 or 2 in eq. (8), a PBVM; with the exponential loss only, whose product form
        it rests on.
    initial_penalty : float, default 0.01
        The gamma of the first round, positive.
    blocks : sequence of arrays, default None
        Instance numbers that together name each instance once; None for one block of all.
    n_rounds : int, default 500
        The most rounds, at least 1.
    rounds_per_block : int, default None
        Rounds before the next block is taken, cyclically, at least 1; None for n_rounds / number of
        blocks, rounded up.
    step : 'newton', 'search' or int, default 'newton'
        One quadratic step, eq. (6) or (7), such steps up to the minimum, or at most so many of
        them; each is halved where it would not reduce the objective by a fair part of what it
        promises.
    ranking : 'quadratic' or 'loss', default 'quadratic'
        Whether candidates rank by what the quadratic model gains or by the objective at each
        candidate's quadratic step.
    tol : float, default 1e-5
        The least gain of a round, at least 0.
    tol_scale : 'relative' or 'absolute', default 'relative'
        Whether `tol` is a part of the objective, or of the mean loss as it is, which is at most 1
        before the first round.
    first_round : 'tested' or 'granted', default 'tested'
        Whether the first round on a block, each time it is taken, has to gain `tol` as well, or
        anything at all.
    n_passes : int, default None
        The most times that the blocks are gone through, at least 1; None for no limit.
    positive : bool, default False
        Whether no alpha may be negative, so that each hypothesis predicts the label of its own
        instance with the sign of the kernel.

    Returns
    -------
    LeverageResult
        The machine and the rounds that made it.

    Raises
    ------
    ValueError
        If a kernel value is not finite or beyond 1e150.
    """
    labels = np.asarray(y, dtype=np.float64)
    m = labels.size
    chosen = {
        "loss": loss,
        "penalty": penalty,
        "ranking": ranking,
        "tol_scale": tol_scale,
        "first_round": first_round,
    }
    costs = np.ones(m) if sample_weight is None else np.array(sample_weight, dtype=np.float64)
    settings = Settings(
        labels=labels,
        costs=costs / costs.mean(),
        n_steps=STEPS[step] if isinstance(step, str) else step,
        tol=float(tol),
        positive=positive,
        **{name: CHOICES[name][choice] for name, choice in chosen.items()},
    )
    margins, trial, direction, weights, pulls = np.zeros((5, m))
    state = State(margins, trial, direction, weights, pulls, last_chosen=np.full(1, NOBODY))
    record = _empty_record(n_rounds, settings, initial_penalty)
    source = BlockSource(gram, m, [np.arange(m)] if blocks is None else blocks)
    per_block = rounds_per_block or -(-n_rounds // source.n_blocks)
    visits = None if n_passes is None else n_passes * source.n_blocks
    stop_reason = _play_blocks(source, settings, state, record, n_rounds, per_block, visits)
    return _result(record, labels, stop_reason, _certificate(source, settings, state, record))


def _play_blocks(
    source: BlockSource,
    settings: Settings,
    state: State,
    record: RoundHistory,
    n_rounds: int,
    per_block: int,
    visits: int | None,
) -> LeverageStop:
    """Go through the blocks, cyclically, until rounds or visits are over or no block gains."""
    idle = 0
    for visit in count() if visits is None else range(visits):
        before = int(record.n_rounds[0])
        end = min(before + per_block, n_rounds)
        reason = play(source.block(visit % source.n_blocks), settings, state, record, end)
        if reason == ZERO_LOSS:
            return "zero_loss"
        if reason == NO_GAIN:
            idle = idle + 1 if record.n_rounds[0] == before else 1
            if idle == source.n_blocks:
                return "no_gain"
        elif record.n_rounds[0] == n_rounds:
            return "n_rounds"
        else:
            idle = 0
    return "n_passes"


def _result(
    record: RoundHistory, labels: Vector, stop_reason: LeverageStop, certificate: float
) -> LeverageResult:
    """Return the machine that the recorded rounds made."""
    n_iter = int(record.n_rounds[0])
    rounds = record.chosen[:n_iter]
    alphas = labels[rounds] * record.alpha[:n_iter]
    weights = np.zeros(labels.size)
    np.add.at(weights, rounds, alphas)
    return LeverageResult(
        weights=weights,
        intercept=float(record.beta[:n_iter].sum()),
        rounds=rounds,
        alphas=alphas,
        betas=record.beta[:n_iter],
        losses=record.loss[: n_iter + 1],
        penalties=record.penalty[: n_iter + 1],
        objective=float(record.loss[n_iter] * (1.0 + record.penalty[n_iter])),
        certificate=certificate,
        n_iter=n_iter,
        converged=stop_reason in ("no_gain", "zero_loss"),
        stop_reason=stop_reason,
    )


def _certificate(
    source: BlockSource, settings: Settings, state: State, record: RoundHistory
) -> float:
    """Return the largest derivative of the mean loss, see `LeverageResult`; reads all blocks."""
    shift = float(state.margins.min()) if settings.loss == EXPONENTIAL else 0.0
    labels, costs = settings.labels, settings.costs
    total = weigh(settings.loss, state.margins, labels, costs, shift, state.weights, state.pulls)
    n_iter = record.n_rounds[0]
    held = record.penalty[n_iter] * total if settings.penalty == L1 else 0.0
    slope = source.largest_slope(settings, state, held)
    return float(max(abs(state.pulls.sum()), slope) / total * record.loss[n_iter])


def _empty_record(n_rounds: int, settings: Settings, initial_penalty: float) -> RoundHistory:
    alpha, beta, loss, penalty = np.zeros((4, n_rounds + 1))
    loss[0] = 1.0 if settings.loss == EXPONENTIAL else np.log(2.0)
    penalty[0] = 0.0 if settings.penalty == NO_PENALTY else initial_penalty
    index, none_yet = np.zeros(n_rounds, dtype=np.intp), np.zeros(1, dtype=np.intp)
    return RoundHistory(index, alpha, beta, loss, penalty, n_rounds=none_yet)
