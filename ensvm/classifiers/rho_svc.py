"""The rho-SVM of Tsang & Kwok (IJCAI-07), with a soft or hard margin, by entropy projections."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_memory

from ensvm.classifiers.base import Ending, Solution
from ensvm.classifiers.kernel_expansion import KernelExpansionClassifier
from ensvm.classifiers.rho_problem import Operator, RhoProblem
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import HasMethods, Interval, StrOptions
from ensvm.kernels import gram
from ensvm.kernels.gram_matrix import distinct_rows
from ensvm.kernels.packed_gram import GramDtype, PackedGram, narrow_error
from ensvm.memory import gibibytes, require_memory
from ensvm.solvers.entropy_projection.accelerated import accelerated_descent
from ensvm.solvers.entropy_projection.simplex import EntropyProjectionResult, merge_identical
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection

# Distinct rows up to which the whole Gram matrix is kept; beyond, one triangle of it in tiles.
WHOLE_ROWS = 4096
# The largest proved error of a product, of kernel values up to 1, with which the Gram matrix is
# float32: wide rows, or rows far from the others for their kernel's width, are kept in float64.
TRUSTED_ERROR = 1e-3
# The rank of a low-rank factor that is suggested, and taken by low_rank='auto'
AUTO_RANK = 1000
# What nu='auto' tries: the next if so many steps pass no machine with a soft margin above 0
AUTO_NU, AUTO_STEPS = (0.3, 0.5, 0.7), 200
ANY_MARGIN = 1e300  # the `tol` that stops at the first machine with a positive margin


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class RhoSVC(KernelExpansionClassifier):
    """Soft-margin support vector classifier without intercept, trained by multiplicative updates.

    The decision function is f(x) = sum_i y_i a_i k(x_i, x) with labels y_i in {-1, +1}. The weights
    a are not negative, have the sum 1 (they lie on the simplex), and none is above 1 / (nu
    n_samples). They minimise a'K~a with K~_ij = y_i y_j k(x_i, x_j). The least value is rho*, the
    square of the largest soft margin that a plane through the origin of the feature space has: the
    mean margin of the share nu of rows of least margin.

    The paper's machine has a hard margin: `RhoSVC(solver="algorithm-1", nu=None)`. Its weights have
    no upper bound, and its margin is the least of all rows. If the same input occurs with both
    labels, no plane separates the classes: then rho* = 0, f = 0 at the optimum, and rounding
    decides the predicted classes, so that another order of the training rows or another processor
    gives others. If rho* is 0, or if training ends without a proof that it is not (`lower_bound_`),
    `fit` gives a `ConvergenceWarning` that says so. A soft margin can be 0 as well, if nu is small
    and the classes overlap.

    Training starts at equal weights 1 / m, which are the Parzen window, and every step multiplies
    the weights by exponentials at a rate eta and divides them by their sum. Both solvers set the
    rate of each step from the values of the step, so that no rate has to be tuned. Each run also
    proves a lower bound of rho*, so that the distance from the optimum is known at the end.

    Parameters
    ----------
    tol : float, default 0.005
        Where training stops, a positive number. The accelerated solver stops when the objective is
        proved to be within a factor 1 + tol of rho*, 'algorithm-1' when its accuracy epsilon falls
        below tol.
    initial_tol : float, default 0.1
        The first epsilon, at least tol. Only 'algorithm-1' reads it.
    max_iter : int, default 10000
        The largest number of steps, at least 1; reaching it gives a `ConvergenceWarning`. The
        accelerated solver also counts steps that turn out too long and are tried again shorter,
        about one in seven.
    solver : {'accelerated', 'algorithm-1'}, default 'accelerated'
        Accelerated entropic descent, or the paper's Algorithm 1. Both make multiplicative updates
        to the same optimum. The accelerated solver has momentum and restarts, proves in a fraction
        of the steps how near the optimum is, and has the soft margin.
    nu : float, 'auto' or None, default 'auto'
        The soft margin, for solver='accelerated': the share of rows whose mean margin is as large
        as can be, in (0, 1]. None, and nu = 1 / n_samples, are the hard margin; nu = 1 is the
        Parzen window. 'auto' is 0.3, or 0.5 or 0.7 if the classes overlap so much that 200 steps
        lead to no machine with a positive margin. Algorithm 1 has a hard margin also with 'auto'.
    memory : None, str or object with a `cache` method, default None
        Where trainings are kept, and from where later fits on the same Gram matrix and labels with
        the same settings, of this class or of `PartiallyTrainedEnsemble`, take them: a folder, as
        for `joblib.Memory`, or an object with the `cache` method of that class. A Gram matrix in
        tiles, of many rows, is trained on anew. The fitted machine is the same with it or without.

    Attributes
    ----------
    weights_ : ndarray of shape (n_samples,)
        The weights a, at least 0 and of sum 1.
    objective_ : float
        The objective a'K~a reached, an upper bound of rho*.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each step.
    lower_bound_ : float
        A proved lower bound of rho*, at least 0.
    certificate_ : float
        How far the objective can at most lie above rho*: objective_ - lower_bound_.
    nu_ : float or None
        The nu of the soft margin; None with a hard margin.
    n_iter_ : int
        The number of steps, without those of the accelerated solver that were too long.
    converged_ : bool
        Whether a stopping rule of the method ended the training. How near rho* is, only
        `certificate_` says.
    stop_reason_ : str
        Why training ended: by a rule of the method, 'gap_below_tol' (accelerated),
        'epsilon_below_tol' ('algorithm-1') or 'zero_objective' (the objective is 0 to rounding,
        hence optimal); otherwise 'max_iter' or 'not_positive_semidefinite' (the objective is
        negative).
    gram_dtype_ : str
        How the Gram matrix was kept. 'float32' is chosen for kernel='rbf' with more than 4,096
        distinct rows if it is proved to move no y_i f(x_i) by more than 0.001 (`gram_error_`), else
        'float64'. A matrix that is given keeps its precision.
    gram_error_ : float or None
        What narrow entries can change at most, a proved bound d: for any weights a, each y_i f(x_i)
        of a training row, and the objective, are within d of those with exact kernel values. So
        rho* is at least lower_bound_ - 3 d and at most objective_ + d. 0.0 with 'float64'; None if
        no bound is known, as for a matrix that was given.

    References
    ----------
    Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative Updates, IJCAI-07,
    sections 2 (Algorithm 1) and 3.3 (low rank).

    Examples
    --------
    The certificate proves how near the objective is to its optimum:

    >>> from sklearn.datasets import make_moons
    >>> from ensvm import RhoSVC
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> machine = RhoSVC(gamma=2.0).fit(X, y)
    >>> machine.stop_reason_
    'gap_below_tol'
    >>> bool(machine.certificate_ <= 0.005 * machine.lower_bound_)
    True
    >>> bool(machine.objective_path_[-1] < machine.objective_path_[0])
    True
    >>> machine.score(X, y)
    1.0
    """

    tol: float = 0.005
    initial_tol: float = 0.1
    max_iter: int = 10_000
    solver: Literal["accelerated", "algorithm-1"] = "accelerated"
    nu: float | Literal["auto"] | None = "auto"
    memory: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelExpansionClassifier._parameter_constraints,
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "initial_tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "solver": [StrOptions({"accelerated", "algorithm-1"})],
        "nu": [Interval(Real, 0.0, 1.0, closed="right"), StrOptions({"auto"}), None],
        "memory": [None, str, HasMethods(["cache"])],
    }

    def _refusals(self) -> Iterator[str]:
        yield from super()._refusals()
        if self.solver == "accelerated":
            return
        if self.nu not in (None, "auto"):
            yield "nu needs solver='accelerated': Algorithm 1 has a hard margin"
        if self.tol > self.initial_tol:
            yield f"initial_tol must be at least tol = {self.tol!r}, got {self.initial_tol!r}"

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        problem = self._problem(X, signs)
        result, attributes = self._train(problem, keep_members=False)
        ending = self._ending(result, doubt=problem.doubt(result, attributes["nu_"]))
        return Solution(problem.coefficients(result.weights), attributes=attributes, ending=ending)

    def _train(
        self, problem: RhoProblem, *, keep_members: bool
    ) -> tuple[EntropyProjectionResult, dict[str, Any]]:
        """Run the solver, and return its result and the fitted attributes about the rho-SVM."""
        merged = problem.merged
        settings: dict[str, Any] = {
            "tol": self.tol,
            "max_iter": self.max_iter,
            "keep_members": keep_members,
            "start": None if merged is None else merged.start,
        }
        nu = None
        if self.solver == "accelerated":
            nu = self._least_nu(problem) if self.nu == "auto" else self.nu
            settings["upper"] = None if nu is None else problem.start / nu
        else:
            settings["initial_tol"] = self.initial_tol
        training = _trained
        if self.memory is not None and isinstance(problem.operator, np.ndarray):
            settings["keep_members"] = True  # so that it serves both classes
            training = check_memory(self.memory).cache(_trained)
        result = training(self.solver, problem.operator, problem.labels, settings)
        if not keep_members:
            result = replace(result, members=None)
        if merged is not None:
            result = result.spread(merged)
        return result, {
            "nu_": nu,
            "weights_": result.weights,
            "objective_": result.objective,
            "objective_path_": result.objectives,
            "lower_bound_": result.lower_bound,
            "certificate_": result.certificate,
            "gram_dtype_": problem.gram_dtype,
            "gram_error_": problem.gram_error,
        }

    def _ending(self, result: EntropyProjectionResult, doubt: str = "") -> Ending:
        """Return how training ended; if `max_iter` ended it, the message counts all steps tried."""
        message = doubt
        if not doubt and result.stop_reason == "max_iter" and self.solver == "accelerated":
            message = (
                f"{type(self).__name__} stopped after {self.max_iter} steps (max_iter), "
                f"{self.max_iter - result.n_iter} of which were too long and were not taken"
            )
        return Ending(result.n_iter, result.stop_reason, result.converged, message)

    def _least_nu(self, problem: RhoProblem) -> float:
        """Return the least nu of 'auto' at which a few steps lead to a positive soft margin."""
        *others, last = AUTO_NU
        steps = min(AUTO_STEPS, self.max_iter)
        for nu in others:
            tried = accelerated_descent(
                problem.operator,
                problem.labels,
                upper=problem.start / nu,
                start=problem.start,
                tol=ANY_MARGIN,
                max_iter=steps,
            )
            if tried.separated:
                return nu
        return last

    def _problem(self, X: Any, signs: NDArray[np.float64]) -> RhoProblem:
        """Return the problem for the solver; training starts from equal weights."""
        if self.kernel == "precomputed":
            given = self._training_gram(X)
            return RhoProblem(given, signs, gram_dtype=given.dtype.name, gram_error=None)
        merged = merge_identical(distinct_rows(X), signs)
        several = merged.labels.size < signs.size
        if several:
            X = X[merged.first]
        m = X.shape[0]
        packed = m > WHOLE_ROWS and not callable(self.kernel)
        dtype, error = self._precision(X, packed)
        require = partial(
            require_memory,
            what=f"{type(self).__name__}: the Gram matrix of {m} distinct rows",
            instead=f"PartiallyTrainedEnsemble(low_rank={AUTO_RANK}) takes "
            f"{gibibytes(8.0 * AUTO_RANK * m)}",
        )
        parameters = self._kernel_parameters() | {"dtype": dtype}
        operator: Operator
        if packed:
            operator = PackedGram(X, before_allocation=require, **parameters)
        else:
            require(m**2 * np.dtype(dtype).itemsize)
            operator = gram(X, **parameters)
        return RhoProblem(
            operator,
            signs,
            merged=merged if several else None,
            gram_dtype=dtype,
            gram_error=error,
        )

    def _precision(self, X: Any, packed: bool) -> tuple[GramDtype, float | None]:
        """Return how the entries of distinct rows are kept, and a bound of what it changes."""
        error = self._narrow_error(X, packed) if packed else None
        trusted = error is not None and error <= TRUSTED_ERROR
        return ("float32", error) if trusted else ("float64", 0.0)

    def _narrow_error(self, X: Any, packed: bool) -> float | None:
        """Return how far float32 entries can move a product; None without a bound."""
        if callable(self.kernel):
            return None
        return narrow_error(X, packed=packed, **self._kernel_parameters())


def _trained(
    solver: str, operator: Any, labels: NDArray[np.float64], settings: dict[str, Any]
) -> EntropyProjectionResult:
    """Train; this is a function of its own so that `memory` keeps its results."""
    minimise = accelerated_descent if solver == "accelerated" else entropy_projection
    return minimise(operator, labels, **settings)
