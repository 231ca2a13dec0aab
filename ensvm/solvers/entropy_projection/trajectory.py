"""What an entropy projection leaves behind: its result, and each iterate as a callback sees it."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.solvers.entropy_projection.merged import MergedRows

Vector = NDArray[np.float64]
StopReason = Literal[
    "epsilon_below_tol",
    "gap_below_tol",
    "zero_objective",
    "not_positive_semidefinite",
    "max_iter",
]

METHOD_RULES: tuple[StopReason, ...] = ("epsilon_below_tol", "gap_below_tol", "zero_objective")


@dataclass(frozen=True)
class EntropyProjectionState:
    """One iterate of an entropy projection, as a callback sees it.

    Attributes
    ----------
    iteration : int
        The number of accepted steps before it; 0 is the start.
    weights : ndarray of shape (m,)
        The weights alpha, on the simplex; never written to again, so that they may be kept.
    objective : float
        The value rho_bar = weights'K~weights.
    lower_bound : float
        The best lower bound of rho* so far, in [0, objective].
    learning_rate : float
        The rate eta of the step that led here; 0 at the start.
    epsilon : float
        The epsilon of that step; nan at the start and for a fixed rate.
    """

    iteration: int
    weights: Vector
    objective: float
    lower_bound: float
    learning_rate: float
    epsilon: float


@dataclass(frozen=True)
class EntropyProjectionResult:
    """The weights found, what is proved about them, and the ensemble they passed through.

    Attributes
    ----------
    weights : ndarray of shape (m,)
        The last weights alpha_{T+1}, on the simplex.
    objective : float
        The value rho_bar = weights'K~weights, an upper bound of rho*.
    lower_bound : float
        The best lower bound of rho* seen on the way, in [0, objective].
    separated : bool
        Whether any weights seen on the way separate the classes by more than rounding: a proof of
        rho* > 0.
    n_iter : int
        The number T of accepted steps.
    n_matvec : int
        The number of products with the Gram matrix.
    converged : bool
        Whether a rule of the method stopped it; how near rho* is, only `certificate` says.
    stop_reason : str
        What stopped it. Rules of the method: 'epsilon_below_tol' (Algorithm 1), 'gap_below_tol'
        (for a fixed rate: the objective is within a factor 1 + tol of the lower bound),
        'zero_objective' (to rounding, hence optimal). Otherwise: 'max_iter',
        'not_positive_semidefinite' (the objective is clearly negative).
    learning_rates, epsilons : ndarray of shape (T,)
        The eta_t and epsilon_t of the accepted steps.
    average_weights : ndarray of shape (m,)
        The mean sum_t eta_t alpha_t / sum_t eta_t over t = 1..T: the ensemble of section 3.2 as one
        expansion on the simplex; the start alpha_1 when T = 0.
    members : ndarray of shape (max(T, 1), m), or None
        The weights alpha_1..alpha_T; None unless asked for.
    """

    weights: Vector
    objective: float
    lower_bound: float
    separated: bool
    n_iter: int
    n_matvec: int
    converged: bool
    stop_reason: StopReason
    learning_rates: Vector
    epsilons: Vector
    average_weights: Vector
    members: Vector | None

    @property
    def certificate(self) -> float:
        """What `objective` can at most lie above rho*: objective - lower_bound."""
        return self.objective - self.lower_bound

    def spread(self, merged: MergedRows) -> "EntropyProjectionResult":
        """Return the result with the weights of the training rows, in place of the unknowns'.

        Parameters
        ----------
        merged : MergedRows
            The unknowns that the problem had.

        Returns
        -------
        EntropyProjectionResult
            The same machine and ensemble.
        """
        members = None if self.members is None else merged.spread(self.members)
        return replace(
            self,
            weights=merged.spread(self.weights),
            average_weights=merged.spread(self.average_weights),
            members=members,
        )


class ProjectionPath:
    """The accepted iterates, shown to the callback as they come; `keep_members` keeps them."""

    def __init__(
        self, callback: Callable[[EntropyProjectionState], None] | None, keep_members: bool
    ) -> None:
        self._callback = callback
        self._members: list[Vector] | None = [] if keep_members else None
        self._learning_rates: list[float] = []
        self._epsilons: list[float] = []
        self._weighted_sum: Vector | float = 0.0

    @property
    def n_iter(self) -> int:
        """The number of accepted steps."""
        return len(self._learning_rates)

    def show(self, weights: Vector, objective: float, lower_bound: float) -> None:
        """Hand the newest iterate to the callback."""
        if self._callback is not None:
            rate = self._learning_rates[-1] if self._learning_rates else 0.0
            epsilon = self._epsilons[-1] if self._epsilons else np.nan
            self._callback(
                EntropyProjectionState(self.n_iter, weights, objective, lower_bound, rate, epsilon)
            )

    def leave(self, weights: Vector, learning_rate: float, epsilon: float) -> None:
        """Count alpha_t = `weights` in the ensemble, with eta_t of the step away from it."""
        self._weighted_sum = self._weighted_sum + learning_rate * weights
        self._learning_rates.append(learning_rate)
        self._epsilons.append(epsilon)
        if self._members is not None:
            self._members.append(weights)

    def result(
        self,
        weights: Vector,
        objective: float,
        lower_bound: float,
        separated: bool,
        n_matvec: int,
        reason: StopReason,
    ) -> EntropyProjectionResult:
        """Return the result of a run that ends at `weights`."""
        rates = np.array(self._learning_rates)
        average = np.asarray(self._weighted_sum / rates.sum()) if self.n_iter else weights
        members = None if self._members is None else np.array(self._members or [weights])
        return EntropyProjectionResult(
            weights=weights,
            objective=objective,
            lower_bound=lower_bound,
            separated=separated,
            n_iter=self.n_iter,
            n_matvec=n_matvec,
            converged=reason in METHOD_RULES,
            stop_reason=reason,
            learning_rates=rates,
            epsilons=np.array(self._epsilons),
            average_weights=average,
            members=members,
        )
