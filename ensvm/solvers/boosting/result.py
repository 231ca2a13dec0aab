"""What boosting leaves behind, whichever rule weighs its learners."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
StopReason: TypeAlias = Literal[
    "n_rounds", "no_better_than_random", "perfect", "vanishing_margin", "one_class_left"
]


@dataclass(frozen=True, eq=False)
class BoostingResult:
    """The T learners that boosting kept, their weights in the vote, and what each round left.

    Every rule of this package returns this one shape. A run whose first learner was refused has
    T = 0 and no vote.

    Attributes
    ----------
    learners : list of length T
        The learners in the order of their rounds, as `learn` made them.
    weights : ndarray of shape (T,)
        The weight alpha of each learner in the vote.
    errors : ndarray of shape (T,)
        The training error of each learner under the weights it was trained with, in [0, 1].
    normalizers : ndarray of shape (T,)
        Z, the sum of the row weights of each round before they are divided by it.
    train_errors : ndarray of shape (T,)
        The share of training rows that the vote of the first t learners gets wrong, by the weights
        that the first round starts from.
    margins : ndarray of shape (m,)
        The margin of each training row after the last round, in [-1, 1]: the share of the vote
        for its class less the largest share for another class.
    min_margins : ndarray of shape (T,)
        The smallest margin after each round.
    sample_weight : ndarray of shape (m,)
        The row weights that the next round would train with; their sum is 1.
    stop_reason : str
        'n_rounds': all rounds were made; 'no_better_than_random': no learner was better than
        random; 'perfect': a learner without error ends the formula; 'vanishing_margin': the margin
        of a machine is 0 up to rounding; 'one_class_left': the weak learner rejected all rows of
        a class.
    certificate : float or None
        The least slack in the rule's bounds on `train_errors`; not negative, rounding aside. None
        for a rule without a bound.
    """

    learners: list[Any]
    weights: Vector
    errors: Vector
    normalizers: Vector
    train_errors: Vector
    margins: Vector
    min_margins: Vector
    sample_weight: Vector
    stop_reason: StopReason
    certificate: float | None = None

    @property
    def n_iter(self) -> int:
        """The number T of learners kept."""
        return len(self.learners)

    @property
    def converged(self) -> bool:
        """Whether all rounds were made, or none was needed any more."""
        return self.stop_reason in ("n_rounds", "perfect")

    @property
    def error_bound(self) -> Vector:
        """The product of the first t normalizers, shape (T,): where y f <= 0 costs at least 1."""
        return np.cumprod(self.normalizers, dtype=np.float64)
