"""Following the regularization path in stretches between two checks, and what is kept of each."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.regularization_path.events import (
    LOST,
    NOTHING,
    PAUSED,
    REACHED_END,
    PathState,
    Record,
    follow_for_a_while,
    note,
)
from ensvm.solvers.regularization_path.state import refresh

REFRESH_EVENTS = (
    64  # margins are recomputed and checked this often, so that rounding does not add up
)


class PathJournal:
    """The breakpoints so far, and the largest violation of optimality at the checks."""

    def __init__(self) -> None:
        self._stretches: list[Record] = []
        self.n_events = 0
        self.largest_violation = 0.0
        self.final_violation = 0.0

    def follow(self, state: PathState, end: float, limit: int) -> bool:
        """Follow the solution down to `end`; return whether it took no more than `limit` events.

        Raises ValueError if the direction overflows, which takes a Gram matrix that is indefinite
        far beyond its rounding.
        """
        status = PAUSED
        while status == PAUSED and self.n_events < limit:
            record = _new_record(min(REFRESH_EVENTS, limit - self.n_events), state.labels.size)
            step_coef, speed = np.zeros((2, state.labels.size))
            status = follow_for_a_while(state, record, end, step_coef, speed)
            if status == LOST:
                raise ValueError(
                    "the Gram matrix is not positive semidefinite: its path cannot be followed"
                )
            self.n_events += int(record.n_breakpoints[0])
            self._stretches.append(_trimmed(record))
            self.check(state)
        return bool(status == REACHED_END)

    def check(self, state: PathState) -> None:
        """Recompute the state's margins and note the largest violation."""
        self.final_violation = refresh(state)
        self.largest_violation = max(self.largest_violation, self.final_violation)

    def mark(self, state: PathState) -> None:
        """Write the present solution down as a breakpoint at which no point changes its set."""
        record = _new_record(1, state.labels.size)
        note(state, record, NOTHING)
        self._stretches.append(_trimmed(record))

    def column(self, name: str) -> NDArray[Any]:
        """Return a field of `Record` over all breakpoints."""
        return np.concatenate([getattr(record, name) for record in self._stretches])


def _new_record(breakpoints: int, m: int) -> Record:
    return Record(
        theta=np.empty(breakpoints),
        intercept=np.empty(breakpoints),
        objective=np.empty(breakpoints),
        index=np.empty(breakpoints, dtype=np.int64),
        origin=np.empty(breakpoints, dtype=np.int8),
        destination=np.empty(breakpoints, dtype=np.int8),
        n_free=np.empty(breakpoints, dtype=np.int64),
        extremes=np.empty((breakpoints, 4)),
        free_alpha=np.empty(breakpoints * m),
        n_breakpoints=np.zeros(1, dtype=np.int64),
        n_free_alphas=np.zeros(1, dtype=np.int64),
    )


def _trimmed(record: Record) -> Record:
    """Return a copy without what was left empty."""
    breakpoints, free_alphas = int(record.n_breakpoints[0]), int(record.n_free_alphas[0])
    columns = {name: column[:breakpoints].copy() for name, column in record._asdict().items()}
    kept = {
        "free_alpha": record.free_alpha[:free_alphas].copy(),
        "n_breakpoints": record.n_breakpoints,
        "n_free_alphas": record.n_free_alphas,
    }
    return Record(**columns | kept)
