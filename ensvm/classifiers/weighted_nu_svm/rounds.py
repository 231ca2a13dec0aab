"""What the rounds of `BoostedSVM` leave: its fitted attributes about them, and how they ended."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base.ending import Ending
from ensvm.solvers.boosting import BoostingResult
from ensvm.solvers.weighted_nu_svm.weakened import renumbered


def about_rounds(boosting: BoostingResult, order: NDArray[np.intp], bound: float) -> dict[str, Any]:
    """Return the fitted attributes about the rounds, whose rows were in this order.

    `bound` is what a member's error is at most.
    """
    rounds = [renumbered(member.weakened, order) for member in boosting.learners]
    excesses = [
        error - bound
        for error, weak in zip(boosting.errors, rounds, strict=True)
        if weak.machine.rho > 0.0 and weak.machine.stop_reason != "gap_below_rounding"
    ]
    left_out = np.array([weak.rejected.size + weak.edited.size for weak in rounds])
    n_kept = boosting.sample_weight.size - left_out
    return {
        "n_rounds_": boosting.n_iter,
        "alphas_": boosting.weights,
        "errors_": boosting.errors,
        "normalizers_": boosting.normalizers,
        "train_errors_": boosting.train_errors,
        "rounds_": rounds,
        "n_kept_": n_kept,
        "n_updates_": np.cumsum(n_kept * [weak.machine.n_iter for weak in rounds]),
        "bound_excess_": float(max(excesses, default=-1.0)),
        "certificate_": max(weak.machine.certificate for weak in rounds),
    }


def about_seconds(gram_seconds: float, round_seconds: NDArray[np.float64]) -> dict[str, Any]:
    """Return the fitted attributes about the wall time of the Gram matrix and of each round."""
    return {
        "gram_seconds_": gram_seconds,
        "round_seconds_": round_seconds,
        "solve_seconds_": np.cumsum(round_seconds),
        "elapsed_seconds_": gram_seconds + np.cumsum(round_seconds),
    }


def ending_of(boosting: BoostingResult) -> Ending:
    """Return how boosting ended, with a message for rounds cut short or a worthless first one."""
    machines = [member.weakened.machine for member in boosting.learners]
    short = sum(not machine.converged for machine in machines)
    complaints = []
    if short:
        complaints.append(f"{short} of {len(machines)} machines stopped before their gap closed")
    if machines[0].stop_reason == "gap_below_rounding" or boosting.normalizers[0] >= 1.0:
        complaints.append(
            f"the first machine is worth nothing ({boosting.stop_reason}), and the only one"
        )
    return Ending(
        n_iter=sum(machine.n_iter for machine in machines),
        stop_reason=boosting.stop_reason,
        converged=not short,
        message=f"BoostedSVM: {'; '.join(complaints)}" if complaints else "",
    )
