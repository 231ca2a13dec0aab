"""The ensemble of partially trained SVMs of Tsang & Kwok (IJCAI-07, section 3.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import Solution, StagedClassifier
from ensvm.classifiers.one_against_one import OneAgainstOneClassifier
from ensvm.classifiers.rho_svc import RhoSVC
from ensvm.classifiers.shared_docs import documented


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
        Where training stops, a positive number. The adaptive rate stops when its accuracy epsilon
        falls below it, a fixed rate and the accelerated solver when the objective is proved to be
        within a factor 1 + tol of its optimum rho*.
    solver : {'algorithm-1', 'accelerated'}, default 'algorithm-1'
        The paper's Algorithm 1, or accelerated entropic descent to the same rho-SVM: the members
        are then the machines at which its gradients are taken, with the rates of these.
        `learning_rate` and `initial_tol` are of 'algorithm-1' alone.
    nu : float, 'auto' or None, default None
        A soft margin, for solver='accelerated', as in `RhoSVC`: no member's weight of a row is
        above 1 / (nu n_samples). None is the hard margin.
    keep_members : bool, default True
        Whether the weights of all members are kept, n_estimators_ times n_samples numbers; without
        them there is no `member_weights_`, and no prediction by stages.

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
    support_ : ndarray of int, shape (n_support,)
        The row numbers of the training rows whose ensemble weight is not 0.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients in the expansion, the ensemble weight times the label -1 or +1.

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
    keep_members: bool = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **RhoSVC._parameter_constraints,
        **OneAgainstOneClassifier._parameter_constraints,
        "keep_members": ["boolean"],
    }

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        problem = self._problem(X, signs)
        if sample_weight is not None:
            problem = problem.weighted(sample_weight)
        result, attributes = self._train(problem, keep_members=self.keep_members)
        attributes |= {
            "ensemble_weights_": result.average_weights,
            "learning_rates_": result.learning_rates,
            "n_estimators_": max(result.n_iter, 1),
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
        self._require_two_classes("prediction by stages")
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
