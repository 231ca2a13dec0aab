"""Boosted weakened support vector machines (ICMLA-05) as one kernel expansion."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import Ending, Solution, StagedClassifier, as_distribution
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, StrOptions
from ensvm.classifiers.weighted_nu_svc import WeightedNuClassifier
from ensvm.solvers.boosted_expansions import Member, WeakLearner, boosted_expansions, reduce_members
from ensvm.solvers.boosting import BoostingResult
from ensvm.solvers.weighted_nu_svm.weakened import weakened_nu_svm, with_row_numbers


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class BoostedSVM(WeightedNuClassifier, StagedClassifier):
    """AdaBoost over weakened support vector machines that share one Gram matrix.

    Boosting trains members in rounds: round t trains a machine f_t on a distribution D_t over the
    training rows, the examples, equal at first unless sample weights say otherwise; afterwards the
    examples that f_t gets wrong weigh more. The members vote, F(x) = sum_t alpha_t h_t(x), with
    weights alpha_t that grow as the weighted errors fall. A member is a `WeightedNuSVC` that leaves
    out the lightest examples of its round, and with `sigma` above 0 the heaviest too, so that it is
    weak and fast to train.

    With the hypotheses h_t = f_t / max |f_t|, the maximum over the training rows, F is a single sum
    of kernels, the reduced model, and costs as much as one machine. With h_t = sign f_t it is not:
    `reduce` chooses between the vote itself and the paper's reduced model, which drops the sign and
    only resembles the vote.

    Parameters
    ----------
    nu : float, default 0.2
        The weighted training error allowed on the examples that a member keeps, in (0, 1]. A larger
        value than is feasible is lowered to the largest feasible one, in the first round with a
        `UserWarning`.
    mu : float, default 0.2
        The largest total weight of the light examples that a member leaves out, in [0, 1), as a
        share of the weight that the heavy ones leave.
    n_estimators : int, default 10
        The largest number of members, at least 1.
    hypothesis : {'normalized', 'sign'}, default 'normalized'
        The hypotheses h_t: f_t / max |f_t| or sign f_t. A vote of signs can stall, and ends with a
        machine that is right everywhere.
    reject_by : {'weight', 'count'}, default 'weight'
        What `mu` bounds: the total weight of the light examples, as in the paper's pseudocode, or
        their number, as a share of the examples that are not too heavy. Once the weights differ,
        the lightest examples of a total weight mu are more than a share mu of them.
    alpha : {'optimal', 'closed-form'}, default 'optimal'
        How the weights alpha_t are found, which the paper leaves open: 'optimal' minimises Z_t,
        'closed-form' is ln((1 + r) / (1 - r)) / 2 with r = sum_i D_t,i y_i h_t(x_i), which
        minimises a bound on Z_t. For signs both are the same.
    reduce : {'none', 'sum', 'independent'}, default 'none'
        What predicts: 'none', the vote; 'sum', the reduced model sum_t alpha_t f_t / max |f_t|,
        which is the vote for normalized hypotheses; 'independent', the reduced model without the
        support vectors that depend linearly on others, up to `reduce_tol`.
    reduce_tol : float, default 1e-6
        By how much leaving support vectors out may change F, relative to the largest |F| of the
        training rows, a positive number; read with reduce='independent'. It holds for every x whose
        k(x, x) is not larger than those of the training rows.
    max_iter : int, default 1000000
        The largest number of steps in each round, at least 1; reaching it gives a
        `ConvergenceWarning`.

    Attributes
    ----------
    n_estimators_ : int
        The number T of members.
    stop_reason_ : str
        Why boosting ended: 'n_rounds', 'no_better_than_random' or 'vanishing_margin' (the last
        machine was no better than random, or has a margin of 0 up to rounding; it is left out
        unless it is the first), 'perfect' (a sign hypothesis without error) or 'one_class_left'
        (the weak learner left out all examples of a class).
    alphas_ : ndarray of shape (T,)
        The weights alpha_t of the members in the vote.
    errors_ : ndarray of shape (T,)
        The D_t-weighted training error of each member; nu + mu + sigma at most, as
        `bound_excess_` says.
    normalizers_ : ndarray of shape (T,)
        The sum Z_t of the weights after round t, before they are divided by it.
    train_errors_ : ndarray of shape (T,)
        The D_1-weighted training error of the vote of the first t members, at most the product of
        Z_1, ..., Z_t.
    rounds_ : list of WeakenedResult
        The machines, each with the examples left out and whether nu was lowered.
    n_kept_ : ndarray of int, shape (T,)
        The number of examples that each member was trained on.
    n_updates_ : ndarray of int, shape (T,)
        How many values f(x_i) the steps of the first t members updated, from two to four kernel
        values each: steps times examples kept, a cost that is the same on every processor.
    n_supports_ : ndarray of int, shape (T,)
        The number of support vectors of the first t members together, before `reduce`.
    n_support_ : int
        The number of support vectors of F.
    reduction_error_ : float
        By how much reduce='independent' changed F, relative to the largest |F|; 0.0 without.
    bound_excess_ : float
        The most by which a member's error exceeds the bound nu + mu + sigma of Lemma 1, over the
        rounds with rho > 0 beyond rounding. At most 0 if the bound holds; -1.0 without such rounds.
    solve_seconds_ : ndarray of shape (T,)
        The wall time in seconds until the end of each round, without the Gram matrix.
    elapsed_seconds_ : ndarray of shape (T,)
        The same with the Gram matrix, which is computed once.
    member_coefs_ : ndarray of shape (T, n_samples)
        The coefficients of each f_t / max |f_t| in the kernels at the training rows.
    member_intercepts_ : ndarray of shape (T,)
        The intercepts of the f_t / max |f_t|.
    support_ : ndarray of int, shape (n_support,)
        The row numbers of the training rows in the reduced model.
    dual_coef_ : ndarray of shape (n_support,)
        Their coefficients.
    intercept_ : float
        The intercept of the reduced model.
    certificate_ : float
        The largest duality gap of a member.
    n_iter_ : int
        The number of steps of all rounds together.
    converged_ : bool
        Whether in every round the gap came down to the tolerance or to rounding.

    References
    ----------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005.

    Examples
    --------
    The vote of the first members, round by round, is bounded by the product of the normalizers:

    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from ensvm import BoostedSVM
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> boosted = BoostedSVM(gamma=2.0, nu=0.2, mu=0.3, n_estimators=3, random_state=0).fit(X, y)
    >>> [labels.shape for labels in boosted.staged_predict(X)]
    [(100,), (100,), (100,)]
    >>> bool((boosted.train_errors_ <= np.cumprod(boosted.normalizers_)).all())
    True
    >>> bool(boosted.score(X, y) > 0.9)
    True
    """

    nu: float = 0.2
    mu: float = 0.2
    n_estimators: int = 10
    hypothesis: Literal["normalized", "sign"] = "normalized"
    reject_by: Literal["weight", "count"] = "weight"
    alpha: Literal["optimal", "closed-form"] = "optimal"
    reduce: Literal["none", "sum", "independent"] = "none"
    reduce_tol: float = 1e-6

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightedNuClassifier._parameter_constraints,
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "hypothesis": [StrOptions({"normalized", "sign"})],
        "reject_by": [StrOptions({"weight", "count"})],
        "alpha": [StrOptions({"optimal", "closed-form"})],
        "reduce": [StrOptions({"none", "sum", "independent"})],
        "reduce_tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return F(x) of each row: the vote with reduce='none', otherwise the reduced model."""
        check_is_fitted(self)
        if self._votes_by_sign():
            *_, last = self.staged_decision_function(X)
            return last
        return super().decision_function(X)

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield F(x) of each row by the first t members, for t = 1, ..., n_estimators_."""
        check_is_fitted(self)
        members = self._expand(X, self.member_coefs_.T[self.support_]) + self.member_intercepts_
        if self._votes_by_sign():
            members = np.where(members > 0.0, 1.0, -1.0)
        total = np.zeros(members.shape[0])
        for alpha, member in zip(self.alphas_, members.T, strict=True):
            total = total + alpha * member
            yield total

    def _is_one_sum(self) -> bool:
        return not self._votes_by_sign()

    def _votes_by_sign(self) -> bool:
        return self.hypothesis == "sign" and self.reduce == "none"

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        start = time.perf_counter()
        order, ties = self._order(signs.size)
        first = None if sample_weight is None else as_distribution(sample_weight, signs.size)[order]
        if ties is None:
            X, signs = X[order], signs[order]
        gram = np.ascontiguousarray(self._training_gram(X))
        marks = [time.perf_counter()]
        boosting = boosted_expansions(
            gram,
            signs,
            self._weak_learner(gram, signs, ties),
            self.n_estimators,
            use_sign=self.hypothesis == "sign",
            closed_form=self.alpha == "closed-form",
            start=first,
            after_round=lambda: marks.append(time.perf_counter()),
        )
        if not boosting.learners:
            raise ValueError(
                "the weak learner rejects all examples of a class in the first round; a smaller mu "
                "or sigma keeps more"
            )
        members: list[Member] = boosting.learners
        # Later rounds have weights of their own, for which a smaller nu may be the largest.
        self._warn_if_lowered(members[0].weakened)
        member_coefs = np.array([member.coef for member in members])
        intercepts = np.array([member.intercept for member in members])
        supports = np.logical_or.accumulate(member_coefs != 0.0, axis=0)
        coefs, reduction_error = boosting.weights @ member_coefs, 0.0
        if self.reduce == "independent":
            coefs, member_coefs, reduction_error = reduce_members(
                gram, boosting.weights, member_coefs, intercepts, self.reduce_tol
            )
        back = np.argsort(order)
        coefs, member_coefs = coefs[back], member_coefs[:, back]
        attributes = {
            **_about_rounds(boosting, order, self.nu + self.mu + self.sigma),
            "solve_seconds_": np.array(marks[1:]) - marks[0],
            "elapsed_seconds_": np.array(marks[1:]) - start,
            "n_supports_": np.count_nonzero(supports, axis=1),
            "n_support_": int(np.count_nonzero(coefs)),
            "reduction_error_": reduction_error,
            "member_coefs_": member_coefs,
            "member_intercepts_": intercepts,
        }
        intercept = float(boosting.weights @ intercepts)
        return Solution(coefs, intercept, attributes, _ending_of(boosting))

    def _order(self, m: int) -> tuple[NDArray[np.intp], np.random.RandomState | None]:
        """Return the order to take the rows in, and what breaks ties; None for the last ones.

        In a random order the first round keeps the first rows, whose kernel values need no copy.
        """
        random = check_random_state(self.random_state)
        if self.kernel == "precomputed" or self.mu == self.sigma == 0.0:
            return np.arange(m), random
        return np.argsort(random.permutation(m))[::-1], None

    def _weak_learner(
        self, gram: NDArray[Any], signs: NDArray[np.float64], ties: np.random.RandomState | None
    ) -> WeakLearner:
        settings: dict[str, Any] = {
            "sigma": self.sigma,
            "normalize": self.normalize,
            "by_count": self.reject_by == "count",
            "random": ties,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }
        return lambda distribution, last: weakened_nu_svm(
            gram, signs, distribution, self.nu, self.mu, start=last, **settings
        )


def _about_rounds(
    boosting: BoostingResult, order: NDArray[np.intp], bound: float
) -> dict[str, Any]:
    """Return the fitted attributes about the rounds.

    Their rows were in the given order; `bound` is that of Lemma 1 on a member's error.
    """
    rounds = [with_row_numbers(member.weakened, order) for member in boosting.learners]
    excesses = [
        error - bound
        for error, weak in zip(boosting.errors, rounds, strict=True)
        if weak.machine.rho > 0.0 and weak.machine.stop_reason != "gap_below_rounding"
    ]
    left_out = np.array([weak.rejected.size + weak.edited.size for weak in rounds])
    n_kept = boosting.sample_weight.size - left_out
    return {
        "n_estimators_": boosting.n_iter,
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


def _ending_of(boosting: BoostingResult) -> Ending:
    """Return how boosting ended, with a message for rounds cut short or a worthless first one."""
    machines = [member.weakened.machine for member in boosting.learners]
    short = sum(not machine.converged for machine in machines)
    problems = []
    if short:
        problems.append(f"{short} of {len(machines)} machines stopped before their gap closed")
    if machines[0].stop_reason == "gap_below_rounding" or boosting.normalizers[0] >= 1.0:
        problems.append(
            f"the first machine is worth nothing ({boosting.stop_reason}), and the only one"
        )
    return Ending(
        n_iter=sum(machine.n_iter for machine in machines),
        stop_reason=boosting.stop_reason,
        converged=not short,
        message=f"BoostedSVM: {'; '.join(problems)}" if problems else "",
    )
