"""The ensemble of partially trained SVMs of Tsang & Kwok (IJCAI-07, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import Solution, StagedClassifier, drawn_seed
from ensvm.classifiers.one_against_one import OneAgainstOneClassifier
from ensvm.classifiers.rho_problem import RhoProblem, warn_of_pivots
from ensvm.classifiers.rho_svc import AUTO_RANK, RhoSVC
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, RealNotInt, StrOptions
from ensvm.kernels.low_rank import PivotChoice, low_rank_gram
from ensvm.kernels.packed_gram import GramDtype
from ensvm.memory import require_memory

AUTO_EXACT_ROWS = 16_384  # rows up to which low_rank='auto' is the exact matrix


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class PartiallyTrainedEnsemble(OneAgainstOneClassifier, StagedClassifier, RhoSVC):
    """Ensemble of all the machines that the training of one support vector machine passes through.

    Multiplicative updates train a hard-margin support vector machine, the rho-SVM of
    `RhoSVC(nu=None)`, in steps: each step t turns the machine f_t into the next, at a learning rate
    eta_t. Usually only the last machine is kept. Here all the machines on the way vote: F(x) =
    sum_t eta_t f_t(x) / sum_t eta_t. The average costs nothing, since these machines are made
    anyhow.

    The first member f_1 is the Parzen window, in which all rows have the same weight; the last is
    the machine before the final step, whose result is the rho-SVM and is not a member itself. All
    members are sums of kernels at the training rows, hence F is one too, and it predicts at the
    cost of a single machine. If no step was made the ensemble is the Parzen window alone.

    Weights of rows and classes are the weights that training starts from, and so those of the first
    member: a row of weight 2 is two rows. The hard-margin machine at the end does not depend on
    them, but the members on the way do.

    If rho* = 0, rounding decides the classes that the rho-SVM predicts, and `RhoSVC` warns. The
    average of many members changes for a few rows at most, so this class does not warn.

    Parameters
    ----------
    tol : float, default 0.005
        Where training stops, a positive number. 'algorithm-1' stops when its accuracy epsilon falls
        below it, the accelerated solver when the objective is proved to be within a factor 1 + tol
        of its optimum rho*.
    solver : {'algorithm-1', 'accelerated'}, default 'algorithm-1'
        The paper's Algorithm 1, or accelerated entropic descent to the same rho-SVM: the members
        are then the machines at which its gradients are taken, with the rates of these.
    nu : float, 'auto' or None, default None
        A soft margin, for solver='accelerated', as in `RhoSVC`: no member's weight of a row is
        above 1 / (nu n_samples). None is the hard margin.
    low_rank : int, float, 'auto' or None, default None
        Trains on a factor LL' in place of the Gram matrix K, in O(m r^2) time and O(m r) memory for
        r columns; K is never formed. An int is the largest number of columns, at least 1; a float
        in (0, 1) is the share of the trace of K that the factor may leave out. 'auto' is None up to
        16,384 training rows, and beyond 1000 with predict_with='pivots'. The decision function
        still has the exact kernel, unless `predict_with` says otherwise. Not with
        kernel='precomputed', where 'auto' is None.
    low_rank_diagonal : bool, default True
        Whether the diagonal of LL' is corrected to that of K. On LL' alone points are rarely
        separable (rho* = 0) unless the rank is near m.
    low_rank_method : {'random', 'greedy'}, default 'random'
        How the pivots, the rows behind the columns of L, are chosen: drawn with chances in
        proportion to what is left of the diagonal of K, or always the row with the most left. They
        are chosen among at most 100,000 rows, a random sample if there are more.
    gram_dtype : {'auto', 'float64', 'float32'}, default 'auto'
        How the Gram matrix, or the low-rank factor, is kept; 'float32' halves its memory and the
        time of a step. 'auto' chooses as `gram_dtype_` says; 'float64' with `low_rank`. Not read
        with kernel='precomputed', where it is that of the matrix.
    predict_with : {'rows', 'pivots'}, default 'rows'
        What the decision function is a sum over. With 'rows' it is over the training rows of
        positive weight. With 'pivots', which needs `low_rank`, the kernel is replaced by its
        low-rank approximation in prediction too, f(x) = sum_j c_j k(p_j, x) over the rows p_j
        behind the columns of L: as many terms as the factor has columns. Where the factor leaves
        out much of the trace the classes predicted are others for some rows: a warning says so
        above 30 %.
    keep_members : bool, default True
        Whether the weights of all members are kept, n_estimators_ times n_samples numbers; without
        them there is no `member_weights_`, and no prediction by stages.
    random_state : int, RandomState or None, default None
        Draws the sample and the pivots.

    Attributes
    ----------
    ensemble_weights_ : ndarray of shape (n_samples,)
        The weight of each training row in F, at least 0 and of sum 1: the average of the members'
        weights, weighted by the learning rates.
    n_estimators_ : int
        The number of members: max(n_iter_, 1).
    learning_rates_ : ndarray of shape (n_iter_,)
        The rates eta_t of the steps, which are the weights of the members in the vote.
    member_weights_ : ndarray of shape (n_estimators_, n_samples)
        The weights of the training rows in each member, each line of sum 1; only with
        `keep_members`.
    weights_ : ndarray of shape (n_samples,)
        The weights of the rho-SVM that the members lead to.
    objective_ : float
        The objective of the rho-SVM, an upper bound of its optimum rho*. With `low_rank`, this
        value, `lower_bound_` and `certificate_` belong to the problem with the factor.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each step: of each member and, at the end, of the
        rho-SVM; with solver='accelerated' that of the rho-SVM so far.
    rank_ : int or None
        The number of columns of L; None without `low_rank`.
    trace_residual_ : float or None
        The share trace(K - LL') / trace(K) that the factor leaves out, in [0, 1]; None without
        `low_rank`.

    References
    ----------
    Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative Updates, IJCAI-07, section
    3.2.

    Examples
    --------
    The ensemble after each of its members; the first is the Parzen window:

    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from ensvm import ParzenWindowClassifier, PartiallyTrainedEnsemble
    >>> X, y = make_moons(60, noise=0.1, random_state=0)
    >>> ensemble = PartiallyTrainedEnsemble(gamma=2.0).fit(X, y)
    >>> shares_right = [float(np.mean(labels == y)) for labels in ensemble.staged_predict(X)]
    >>> len(shares_right) == ensemble.n_estimators_
    True
    >>> shares_right[0] == ParzenWindowClassifier(gamma=2.0).fit(X, y).score(X, y)
    True
    >>> shares_right[0] < shares_right[-1]
    True
    """

    solver: Literal["algorithm-1", "accelerated"] = "algorithm-1"
    nu: float | Literal["auto"] | None = None
    low_rank: int | float | Literal["auto"] | None = None
    low_rank_diagonal: bool = True
    low_rank_method: Literal["random", "greedy"] = "random"
    gram_dtype: Literal["auto", "float64", "float32"] = "auto"
    predict_with: Literal["rows", "pivots"] = "rows"
    keep_members: bool = True
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RhoSVC._parameter_constraints,
        "low_rank": [
            None,
            StrOptions({"auto"}),
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="neither"),
        ],
        "low_rank_diagonal": ["boolean"],
        "low_rank_method": [StrOptions({"random", "greedy"})],
        "gram_dtype": [StrOptions({"auto", "float64", "float32"})],
        "predict_with": [StrOptions({"rows", "pivots"})],
        **OneAgainstOneClassifier._parameter_constraints,
        "keep_members": ["boolean"],
        "random_state": ["random_state"],
    }

    def _refusals(self) -> Iterator[str]:
        yield from super()._refusals()
        if self.low_rank is None and self.predict_with == "pivots":
            yield "predict_with='pivots' needs pivots: set low_rank"
        if self.low_rank not in (None, "auto") and self.kernel == "precomputed":
            yield (
                "low_rank needs the inputs and a kernel: with kernel='precomputed' set "
                "low_rank=None"
            )

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        problem = self._problem(X, signs)
        factor = problem.factor
        if sample_weight is not None:
            problem = problem.weighted(sample_weight)
        result, attributes = self._train(problem, keep_members=self.keep_members)
        attributes |= {
            "ensemble_weights_": result.average_weights,
            "learning_rates_": result.learning_rates,
            "n_estimators_": max(result.n_iter, 1),
            "rank_": None if factor is None else factor.rank,
            "trace_residual_": None if factor is None else factor.relative_residual,
        }
        if result.members is not None:
            attributes["member_weights_"] = result.members
            at_pivots = (
                problem.members_at_pivots(result.members) if problem.through_pivots else None
            )
            attributes["_members_at_pivots"] = at_pivots
        coefficients = problem.coefficients(result.average_weights)
        return Solution(coefficients, attributes=attributes, ending=self._ending(result))

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield F(x) of each row by the first t members, for t = 1, ..., n_estimators_.

        The first array is that of the Parzen window, and the last equals that of
        `decision_function`. All members' values are held in memory, n * n_estimators_ numbers.

        Raises
        ------
        AttributeError
            If the members were not kept.
        """
        check_is_fitted(self)
        self._require_two_classes()
        members = self._expand(X, self._member_coefficients())
        rates = self.learning_rates_ if self.n_iter_ else np.ones(1)
        weighted_sum, total = np.zeros(members.shape[0]), 0.0
        for rate, member in zip(rates, members.T, strict=True):
            weighted_sum += rate * member
            total += rate
            yield weighted_sum / total

    def _member_coefficients(self) -> NDArray[np.float64]:
        """Return each member's coefficients of the rows of `support_`, shape (n_support, t)."""
        if not self.keep_members:
            raise AttributeError("prediction by stages needs keep_members=True")
        if self._members_at_pivots is not None:
            pivots, coefficients = self._members_at_pivots
            return coefficients.T[np.searchsorted(pivots, self.support_)]
        return np.sign(self.dual_coef_)[:, None] * self.member_weights_.T[self.support_]

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags; a low-rank factor is made from inputs, not a Gram matrix."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.pairwise and self.low_rank is None
        return tags

    def _problem(self, X: Any, signs: NDArray[np.float64]) -> RhoProblem:
        m, rank = X.shape[0], self.low_rank
        if rank == "auto":
            # by m alone, never by the memory free: values do not differ between machines
            few = m <= AUTO_EXACT_ROWS or self.kernel == "precomputed"
            rank = None if few else AUTO_RANK
        if rank is None:
            return super()._problem(X, signs)
        dtype = "float64" if self.gram_dtype == "auto" else self.gram_dtype
        if rank >= 1:  # the rank of a share of the trace depends on the data
            require_memory(
                min(rank, m) * m * np.dtype(dtype).itemsize,
                f"{type(self).__name__}: the low-rank factor of {m} rows",
                "a lower low_rank takes less, and gram_dtype='float32' half",
            )
        choice = PivotChoice(rank, self.low_rank_method, seed=drawn_seed(self.random_state))
        factor = low_rank_gram(X, self._kernel_parameters() | {"dtype": dtype}, choice)
        through_pivots = self.predict_with == "pivots" or self.low_rank == "auto"
        if through_pivots:
            warn_of_pivots(type(self).__name__, factor.relative_residual)
        return RhoProblem(
            replace(factor, own_diagonal=self.low_rank_diagonal),
            signs,
            gram_dtype=dtype,
            gram_error=None,
            through_pivots=through_pivots,
        )

    def _precision(self, X: Any, packed: bool) -> tuple[GramDtype, float | None]:
        if self.gram_dtype == "auto":
            return super()._precision(X, packed)
        narrow = self.gram_dtype == "float32"
        return self.gram_dtype, self._narrow_error(X, packed) if narrow else 0.0
