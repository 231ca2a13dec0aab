"""Boosted weakened support vector machines, of Rangel, Lozano & Garcia (ICMLA-05), as one kernel expansion."""

import time
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base.kernel_expansion import Ending, Expansion, KernelExpansionClassifier
from ensvm.classifiers.weighted_nu_svm.editing_svc import EditingSVC
from ensvm.classifiers.weighted_nu_svm.weakened_svc import resolve_shares
from ensvm.kernels import KernelFunction
from ensvm.solvers.boosting.kernel_expansions import BoostingResult, WeakLearner, adaboost
from ensvm.solvers.expansion_reduction import reduce_expansion
from ensvm.solvers.weighted_nu_svm.weakened import weakened_nu_svm


class BoostedSVM(KernelExpansionClassifier):
    """AdaBoost over weakened SVMs, F(x) = sum_t alpha_t h_t(x), on one Gram matrix.

    Round t trains `WeakenedSVC` or `EditingSVC` on the distribution D_t, equal at first. With h_t =
    f_t / max |f_t| over the training rows, the vote is one expansion, the reduced model, and costs
    what one machine does. With h_t = sign f_t it is not: `reduce` chooses between the vote and the
    paper's reduced model, which drops the sign and only resembles the vote.

    Parameters
    ----------
    kernel, gamma, degree, coef0 : as of `WeightedNuSVC`
    weak : 'weakened' (default) | 'editing', the weak learner
    n_rounds : int >= 1, default 10, the most members
    hypothesis : 'normalized' (default) | 'sign'; a vote of signs can stall, and ends with a machine
        that is right everywhere
    nu, mu, gamma_weak, lam, normalize : as of `WeakenedSVC`, in every round; nu is lowered where it
        is infeasible
    sigma : float in [0, 1), default 0.1, as of `EditingSVC`; read by weak='editing'
    reduce : 'none' (default), the vote | 'sum', the reduced model sum_t alpha_t f_t / max |f_t|,
        the same for normalized hypotheses | 'independent', the reduced model without support
        vectors that depend linearly on others, up to `reduce_tol`
    reduce_tol : positive float, default 1e-6, the largest change of F that leaving support vectors
        out may make where k(x, x) is at most that of the training rows, relative to the largest |F|
        of these
    tol, max_iter : as of `WeightedNuSVC`, for every round
    random_state : int | RandomState | None, default None; breaks ties between equal weights

    Attributes
    ----------
    classes_ : array of shape (2,), sorted
    n_rounds_ : int, T, the members
    stop_reason_ : 'n_rounds' | 'no_better_than_random' | 'vanishing_margin' | 'perfect' |
        'one_class_left', see `BoostingResult`
    alphas_ : array of shape (T,), the votes
    errors_ : array of shape (T,), the D_t-weighted training errors of the members; where rho > 0 at
        most nu + mu with weak='weakened'
    normalizers_ : array of shape (T,), Z_t
    train_errors_ : array of shape (T,), the training error of the vote of the first t members, at
        most prod Z_t
    rounds_ : list of T `WeakenedResult`: machines, rows left out, whether nu was lowered
    n_kept_ : array of shape (T,), the rows trained on
    n_supports_ : array of shape (T,), the support vectors of the first t members together, before
        any are left out
    n_support_ : int, those of F
    reduction_error_ : float, what `reduce` = 'independent' changed at most, relative to the largest
        |F|; else 0.0
    bound_excess_ : float, the most by which an error exceeds the bound nu + mu (and sigma, with
        weak='editing') of Lemma 1, over the rounds with rho > 0 (beyond rounding); at most 0 if the
        bound holds; -1.0 if there is no such round
    round_seconds_ : array of shape (T,), wall time of each round, the Gram matrix excluded
    solve_seconds_, elapsed_seconds_ : arrays of shape (T,), wall time until the end of each round,
        without and with the Gram matrix
    gram_seconds_ : float, wall time of the Gram matrix, computed once
    member_coefs_, member_intercepts_ : arrays of shapes (T, n_samples) and (T,), f_t / max |f_t| as
        expansions in all training rows
    support_, dual_coef_, X_fit_, intercept_ : the reduced model
    certificate_ : float, the largest duality gap of a round
    n_iter_ : int, the steps of all rounds
    converged_ : bool, whether the gap came down to the tolerance or to rounding in all rounds
    gamma_ : float, the width used; None for kernels without one
    n_features_in_ : int

    Reference
    ---------
    Rangel, Lozano & Garcia, Boosting of Support Vector Machines with application to editing, ICMLA
    2005.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EditingSVC._parameter_constraints,
        "weak": [StrOptions({"weakened", "editing"})],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "hypothesis": [StrOptions({"normalized", "sign"})],
        "reduce": [StrOptions({"none", "sum", "independent"})],
        "reduce_tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        *,
        gamma: float | str = "mean-distance",
        degree: int = 3,
        coef0: float = 0.0,
        weak: Literal["weakened", "editing"] = "weakened",
        n_rounds: int = 10,
        hypothesis: Literal["normalized", "sign"] = "normalized",
        nu: float | None = None,
        mu: float | None = None,
        gamma_weak: float | None = None,
        lam: float | None = None,
        sigma: float = 0.1,
        normalize: bool = True,
        reduce: Literal["none", "sum", "independent"] = "none",
        reduce_tol: float = 1e-6,
        tol: float = 1e-3,
        max_iter: int = 1_000_000,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.weak = weak
        self.n_rounds = n_rounds
        self.hypothesis = hypothesis
        self.nu = nu
        self.mu = mu
        self.gamma_weak = gamma_weak
        self.lam = lam
        self.sigma = sigma
        self.normalize = normalize
        self.reduce = reduce
        self.reduce_tol = reduce_tol
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return F(x) for each row of X, shape (n,); a sum of signs where the vote is one.

        X as in `KernelExpansionClassifier.decision_function`.
        """
        check_is_fitted(self)
        if self._votes_by_sign():
            *_, last = self.staged_decision_function(X)
            return last
        return super().decision_function(X)

    def staged_decision_function(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Yield F of the first t members at each row of X, shape (n,), for t = 1, ..., n_rounds_; the last is `decision_function`'s."""
        check_is_fitted(self)
        members = self._expand(X, self.member_coefs_.T[self.support_]) + self.member_intercepts_
        if self._votes_by_sign():
            members = np.where(members > 0.0, 1.0, -1.0)
        total = np.zeros(members.shape[0])
        for alpha, member in zip(self.alphas_, members.T, strict=True):
            total = total + alpha * member
            yield total

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Yield the classes that the first t members predict, shape (n,), for t = 1, ..., n_rounds_."""
        for decision in self.staged_decision_function(X):
            yield self._classes_of(decision)

    def _votes_by_sign(self) -> bool:
        return self.hypothesis == "sign" and self.reduce == "none"

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        start = time.perf_counter()
        gram = np.ascontiguousarray(self._training_gram(X))
        self.gram_seconds_ = time.perf_counter() - start
        boosting = adaboost(
            gram,
            signs,
            np.full(signs.size, 1.0 / signs.size),
            self._weak_learner(gram, signs),
            self.n_rounds,
            use_sign=self.hypothesis == "sign",
        )
        ending = self._keep(boosting)
        coefs = (
            self._reduced(gram)
            if self.reduce == "independent"
            else self.alphas_ @ self.member_coefs_
        )
        intercept = float(self.alphas_ @ self.member_intercepts_)
        self.n_support_ = int(np.count_nonzero(coefs))
        return Expansion(coefs, intercept, ending=ending)

    def _weak_learner(self, gram: NDArray[Any], signs: NDArray[np.float64]) -> WeakLearner:
        nu, mu = resolve_shares(self.nu, self.mu, self.gamma_weak, self.lam)
        random = check_random_state(self.random_state)
        words: dict[str, Any] = {
            "sigma": self.sigma if self.weak == "editing" else 0.0,
            "normalize": self.normalize,
            "random": random,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }
        return lambda distribution, last: weakened_nu_svm(
            gram, signs, distribution, nu, mu, start=last, **words
        )

    def _keep(self, boosting: BoostingResult) -> Ending:
        """Keep what boosting found, and return how it ended."""
        machines = [weak.machine for weak in boosting.machines]
        self.n_rounds_ = len(machines)
        self.alphas_ = boosting.alphas
        self.errors_ = boosting.errors
        self.normalizers_ = boosting.normalizers
        self.train_errors_ = boosting.train_errors
        self.round_seconds_ = boosting.round_seconds
        self.solve_seconds_ = np.cumsum(boosting.round_seconds)
        self.elapsed_seconds_ = self.gram_seconds_ + self.solve_seconds_
        bound = sum(resolve_shares(self.nu, self.mu, self.gamma_weak, self.lam))
        bound += self.sigma if self.weak == "editing" else 0.0
        excesses = [
            error - bound
            for error, made in zip(boosting.errors, machines, strict=True)
            if made.rho > 0.0 and made.stop_reason != "gap_below_rounding"
        ]
        self.bound_excess_ = float(max(excesses, default=-1.0))
        self.rounds_ = boosting.machines
        self.member_coefs_, self.member_intercepts_ = boosting.coefs, boosting.intercepts
        left_out = np.array([weak.rejected.size + weak.edited.size for weak in boosting.machines])
        self.n_kept_ = boosting.distribution.size - left_out
        self.n_supports_ = np.count_nonzero(
            np.logical_or.accumulate(boosting.coefs != 0.0, axis=0), axis=1
        )
        self.reduction_error_ = 0.0
        self.certificate_ = max(machine.certificate for machine in machines)
        n_iter = sum(machine.n_iter for machine in machines)
        short = sum(not machine.converged for machine in machines)
        complaints = []
        if short:
            complaints.append(
                f"{short} of {len(machines)} machines stopped before their gap closed"
            )
        if (
            boosting.machines[0].machine.stop_reason == "gap_below_rounding"
            or self.normalizers_[0] >= 1.0
        ):
            complaints.append(
                f"the first machine is worth nothing ({boosting.stop_reason}), and the only one"
            )
        message = f"BoostedSVM: {'; '.join(complaints)}" if complaints else ""
        return Ending(n_iter, boosting.stop_reason, not short, message)

    def _reduced(self, gram: NDArray[Any]) -> NDArray[np.float64]:
        """Rewrite the members in linearly independent rows, and return the coefficients of their sum in these."""
        rows = np.flatnonzero(self.member_coefs_.any(axis=0))
        members = self.member_coefs_[:, rows].T
        among = gram[np.ix_(rows, rows)]
        vote = members @ self.alphas_
        values = gram[:, rows] @ vote + self.alphas_ @ self.member_intercepts_
        largest = float(np.abs(values).max())
        reduced = reduce_expansion(
            among, np.column_stack([vote, members]), self.reduce_tol * largest
        )
        self.reduction_error_ = reduced.error / largest if largest > 0.0 else 0.0
        coefs = np.zeros((gram.shape[0], self.n_rounds_ + 1))
        coefs[rows[reduced.points]] = reduced.coefs
        self.member_coefs_ = coefs[:, 1:].T
        return coefs[:, 0]
