"""The problem that the rho-SVM and its ensemble solve, and the warnings about its solution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base import warn_caller
from ensvm.kernels.low_rank import LowRankGram
from ensvm.kernels.packed_gram import PackedGram
from ensvm.solvers.entropy_projection.simplex import (
    EntropyProjectionResult,
    MergedExamples,
    identical_inputs,
)

Operator: TypeAlias = NDArray[Any] | PackedGram | LowRankGram

# Share of the trace left out above which prediction through the pivots is warned of
TRUSTED_RESIDUAL = 0.3


@dataclass(frozen=True, eq=False)
class RhoProblem:
    """The problem min a'K~a over the simplex, for m training rows."""

    operator: Operator
    """The Gram matrix or its substitute; of the unknowns if there are `merged` rows."""
    signs: NDArray[np.float64]
    """The labels of the training rows, -1 and +1."""
    merged: MergedExamples | None = None
    """The unknowns, if identical rows are taken as one."""
    gram_dtype: str = "float64"
    gram_error: float | None = 0.0
    """How far narrow entries can move a product with weights, at most; see `narrow_error`."""
    through_pivots: bool = False
    """Whether the decision function is a sum over the factor's pivots, not over all rows."""

    @property
    def factor(self) -> LowRankGram | None:
        """The low-rank factor that stands for the Gram matrix, if one does."""
        return self.operator if isinstance(self.operator, LowRankGram) else None

    @property
    def start(self) -> NDArray[np.float64]:
        """The weights of the unknowns where every training row has 1 / m."""
        m = self.signs.size
        return np.full(m, 1.0 / m) if self.merged is None else self.merged.start

    @property
    def labels(self) -> NDArray[np.float64]:
        """The labels of the unknowns."""
        return self.signs if self.merged is None else self.merged.labels

    def weighted(self, weights: NDArray[np.float64]) -> RhoProblem:
        """Return the problem that starts from weights of the training rows, positive."""
        m = self.signs.size
        merged = self.merged
        if merged is None:
            every = np.arange(m)
            merged = MergedExamples(self.signs, every, every, np.ones(m), every)
        return replace(self, merged=merged.weighted(weights))

    def coefficients(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coefficients of the expansion for weights of the training rows, shape (m,).

        Through the pivots, the coefficients of all other rows are 0.
        """
        signed = self.signs * weights
        if not self.through_pivots:
            return signed
        assert self.factor is not None
        coefficients = np.zeros(signed.size)
        coefficients[self.factor.pivots] = self.factor.at_pivots(signed)
        return coefficients

    def members_at_pivots(
        self, members: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the pivots, ascending, and each member's coefficients of them, shape (t, r).

        `members`, shape (t, m), are the weights of the training rows in each member.
        """
        assert self.factor is not None
        order = np.argsort(self.factor.pivots)
        return self.factor.pivots[order], self.factor.at_pivots(self.signs * members)[:, order]

    def doubt(self, result: EntropyProjectionResult, nu: float | None = None) -> str:
        """Return the warning if the classes predicted may be arbitrary, else "".

        If rho* = 0 no weights separate the classes, so that the warning comes on every processor;
        if rho* is positive but small, rounding decides whether some do. Training that was cut short
        says nothing about rho*: it has the usual warning.
        """
        if result.separated:
            return ""
        arbitrary = (
            "The hard-margin machine is then f = 0, and rounding decides the classes predicted"
        )
        if nu is not None:
            if not result.converged:
                return ""
            return (
                f"RhoSVC: at nu = {nu:g} the objective is 0 to rounding: no machine has a positive "
                "soft margin, f = 0, and rounding decides the classes predicted. Raise nu"
            )
        pair = self._identical_pair()
        if pair is not None:
            return (
                f"RhoSVC: rho* = 0, for the kernel does not tell training rows {pair[0]} and "
                f"{pair[1]} apart, and their labels differ. {arbitrary}"
            )
        if result.stop_reason == "zero_objective":
            return (
                "RhoSVC: rho* = 0 to rounding: no plane through the origin separates the classes. "
                f"{arbitrary}"
            )
        if not result.converged:
            return ""
        return (
            f"RhoSVC: rho* is at most {result.objective:.2g} and may be 0: no machine that "
            "training passed through separates the classes. The smaller rho* is, the more of the "
            "classes predicted rounding decides"
        )

    def _identical_pair(self) -> tuple[int, int] | None:
        """Return two training rows of opposite labels that the kernel does not tell apart."""
        if self.merged is not None:
            return self.merged.both_labels()
        if isinstance(self.operator, np.ndarray):
            return identical_inputs(self.operator, self.signs)
        return None


def warn_of_pivots(name: str, residual: float) -> None:
    """Warn if the classes predicted through the pivots may differ from those by all rows."""
    if residual > TRUSTED_RESIDUAL:
        warn_caller(
            f"{name}: the low-rank factor leaves out {residual:.0%} of the kernel's trace, and so "
            "does prediction through its pivots: for some rows it is another class than by all "
            "training rows; a higher low_rank brings them together",
            UserWarning,
        )
