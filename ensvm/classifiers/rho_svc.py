"""The hard-margin rho-SVM of Tsang & Kwok (IJCAI-07), trained by entropy projections."""

from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from ensvm.classifiers.base.kernel_expansion import Ending, Expansion, KernelExpansionClassifier
from ensvm.kernels import KernelFunction
from ensvm.kernels.low_rank import (
    DiagonalCorrectedGram,
    LowRankGram,
    incomplete_cholesky,
    kernel_columns,
    randomly_pivoted_cholesky,
)
from ensvm.solvers.entropy_projection import EntropyProjectionResult, entropy_projection


class RhoSVC(KernelExpansionClassifier):
    """Hard-margin support vector classifier without bias, f(x) = sum_i y_i a_i k(x_i, x).

    The weights a lie on the simplex and minimise a'K~a, K~_ij = y_i y_j k(x_i, x_j), whose least
    value rho* is the squared margin. Identical inputs with opposite labels make rho* = 0 and f = 0
    at the optimum: then the classes predicted are arbitrary.

    Parameters
    ----------
    kernel : {'linear', 'poly', 'rbf', 'precomputed'} or callable, default 'rbf'
        The kernel; a callable takes two arrays of rows and returns their kernel values.
    gamma : float or {'scale', 'auto', 'mean-distance'}, default 'mean-distance'
        The width of 'rbf' and 'poly', positive. 'mean-distance' is 1 over the mean squared distance
        of the training rows to their mean.
    degree : int, default 3
        The degree of 'poly', at least 0.
    coef0 : float, default 0.0
        The constant of 'poly'.
    tol : float, default 0.005
        The adaptive rate stops when epsilon falls below it, a fixed one when the objective is
        proved to be within a factor 1 + tol of rho*.
    initial_tol : float, default 0.1
        The first epsilon of the adaptive rate; at least tol.
    learning_rate : 'adaptive' or float, default 'adaptive'
        How the rate of each step is set; a positive number is a fixed rate.
    max_iter : int, default 10000
        Reaching it gives a `ConvergenceWarning`; at least 1.
    low_rank : int, float or None, default None
        Trains on a factor LL' of K, of at most that rank or leaving at most that share of its
        trace, in O(m r^2) time and O(m r) memory; K is never formed. The weights still expand the
        exact kernel in all rows. Not with kernel='precomputed'.
    low_rank_method : {'random', 'greedy'}, default 'random'
        How the pivots of the factor are chosen, see `ensvm.kernels.low_rank`.
    low_rank_diagonal : bool, default True
        Trains on LL' + diag(K - LL'), whose diagonal is exact; False: on LL' alone, where points
        are rarely separable (rho* = 0) unless the rank is near m.
    random_state : int, RandomState instance or None, default None
        Read by the random pivots.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two classes, sorted.
    weights_ : ndarray of shape (n_samples,)
        A on the simplex.
    objective_ : float
        The value of a'K~a.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        The value of a'K~a from the start on.
    lower_bound_ : float
        A proved lower bound of rho*.
    certificate_ : float
        The value of objective_ - lower_bound_.
    n_iter_ : int
        Steps taken.
    converged_ : bool
        Whether a stopping rule of the method ended the training; only `certificate_` says how near
        rho* is.
    stop_reason_ : str
        Why training ended: that rule, see `EntropyProjectionResult`.
    support_ : ndarray of shape (n_support,)
        The training rows of the expansion, whose weight is not 0.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients, the weights times the labels -1 and +1.
    X_fit_ : ndarray or sparse matrix of shape (n_support, n_features)
        Their inputs; None with kernel='precomputed'.
    intercept_ : float
        Always 0.0.
    gamma_ : float
        The width used; None for kernels without one.
    rank_ : int
        The columns of the factor L; None without low_rank. With it, objective_, lower_bound_ and
        certificate_ are of the problem trained on, not of K's.
    trace_residual_ : float
        The share trace(K - LL') / trace(K) in [0, 1]; None without low_rank.
    n_features_in_ : int
        The number of features seen in `fit`.

    References
    ----------
    Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative Updates, IJCAI-07, section
    2, Algorithm 1; section 3.3 for low rank.

    Examples
    --------
    >>> from ensvm import RhoSVC
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> RhoSVC().fit(X, y).score(X, y)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelExpansionClassifier._parameter_constraints,
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "initial_tol": [Interval(Real, 0.0, None, closed="neither")],
        "learning_rate": [StrOptions({"adaptive"}), Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "low_rank": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="neither"),
        ],
        "low_rank_method": [StrOptions({"random", "greedy"})],
        "low_rank_diagonal": ["boolean"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        *,
        gamma: float | str = "mean-distance",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 0.005,
        initial_tol: float = 0.1,
        learning_rate: float | Literal["adaptive"] = "adaptive",
        max_iter: int = 10_000,
        low_rank: int | float | None = None,
        low_rank_method: Literal["random", "greedy"] = "random",
        low_rank_diagonal: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.initial_tol = initial_tol
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.low_rank = low_rank
        self.low_rank_method = low_rank_method
        self.low_rank_diagonal = low_rank_diagonal
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags; a low-rank factor is made from inputs, not a Gram matrix."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.pairwise and self.low_rank is None
        return tags

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        result, attributes = self._train(X, signs, keep_members=False)
        ending = Ending(result.n_iter, result.stop_reason, result.converged)
        return Expansion(signs * result.weights, attributes=attributes, ending=ending)

    def _train(
        self, X: Any, signs: NDArray[np.float64], *, keep_members: bool
    ) -> tuple[EntropyProjectionResult, dict[str, Any]]:
        """Run the solver, and return its result and the fitted attributes about the rho-SVM."""
        path: list[float] = []
        operator, factor = self._operator(X)
        result = entropy_projection(
            operator,
            signs,
            tol=self.tol,
            initial_tol=self.initial_tol,
            learning_rate=self.learning_rate,
            max_iter=self.max_iter,
            callback=lambda state: path.append(state.objective),
            keep_members=keep_members,
        )
        return result, {
            "weights_": result.weights,
            "objective_": result.objective,
            "objective_path_": np.array(path),
            "lower_bound_": result.lower_bound,
            "certificate_": result.certificate,
            "rank_": None if factor is None else factor.rank,
            "trace_residual_": None if factor is None else factor.relative_residual,
        }

    def _operator(
        self, X: Any
    ) -> tuple[NDArray[Any] | LowRankGram | DiagonalCorrectedGram, LowRankGram | None]:
        """Return what the solver multiplies by, and the low-rank factor below it, if any."""
        if self.low_rank is None:
            return self._training_gram(X), None
        if self.kernel == "precomputed":
            raise ValueError(
                "low_rank needs the inputs and a kernel: with kernel='precomputed' set "
                "low_rank=None"
            )
        limit: dict[str, Any] = {
            "rank" if isinstance(self.low_rank, Integral) else "tol": self.low_rank
        }
        columns, diagonal = kernel_columns(X, **self._kernel_parameters(X))
        if self.low_rank_method == "greedy":
            factor = incomplete_cholesky(columns, diagonal, **limit)
        else:
            seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
            factor = randomly_pivoted_cholesky(columns, diagonal, **limit, rng=seed)
        return (DiagonalCorrectedGram(factor) if self.low_rank_diagonal else factor), factor
