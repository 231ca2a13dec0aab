"""The C-SVM of all C at once: SVM(LOO) and SVM(BEST) of Tsang & Kwok (IJCAI-07)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import (
    Ending,
    Solution,
    StagedClassifier,
    relative_weights,
    require_finite_prices,
)
from ensvm.classifiers.one_against_one import OneAgainstOneClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, StrOptions
from ensvm.solvers.regularization_path.approximate_path import (
    ApproximatePath,
    approximate_regularization_path,
)
from ensvm.solvers.regularization_path.leave_one_out import (
    least_leave_one_out,
    leave_one_out_bound,
)
from ensvm.solvers.regularization_path.path import RegularizationPath, regularization_path

ABOUT_CHOICE = ("loo_score_", "loo_decision_function_", "loo_bound_", "best_loo_bound_")


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class SVMPathClassifier(OneAgainstOneClassifier, StagedClassifier):
    """Soft-margin support vector classifier that knows its solution for every value of C.

    The decision function is f(x) = sum_i y_i alpha_i k(x_i, x) + intercept, with labels y_i in {-1,
    +1}. C is the price of a training error, and the multipliers alpha_i are piecewise linear
    functions of C. This classifier follows them exactly from breakpoint to breakpoint, so that one
    fit gives the machines of all C up to `C_max`.

    C itself is given or chosen. By default it is the one with the least leave-one-out error by the
    span rule, which is exact as long as removing a row changes no other row's set (at its bound, on
    its margin, or beyond); among equals the smaller logistic loss decides. 'bound' is the choice of
    Tsang & Kwok (2007): the least leave-one-out bound (1/m) #{i: alpha_i K_ii - y_i f(x_i) > 0},
    and the smallest C among equals. For the machine without an intercept it is proved that the
    leave-one-out error is not larger; with an intercept the bound is a heuristic.

    A weight of a row or of its class multiplies C for this row, and its part in the error by which
    C is chosen. If C is chosen, sample weights are divided by their mean first, so that only their
    proportions matter; `C_` and `C_max` are then prices for the mean weight.

    With `tol` > 0 the path is approximate: about 25 machines (tol=0.1) serve all C, each unchanged
    for an interval of C. It is proved that nowhere its duality gap exceeds `tol` times the primal
    objective. Beyond about 2,000 rows this is faster than the exact path, and faster than a grid of
    20 values of C. The span rule then tries the machines by rising C, up to 30 times the best C.

    Parameters
    ----------
    select : {'span', 'bound', 'end'} or float, default 'span'
        How C is chosen: 'span' takes the one with the least leave-one-out error by the span rule,
        of four values a decade, 'bound' the one with the least leave-one-out bound, 'end' takes
        `C_max`, and a positive number, at most `C_max`, is C itself.
    C_max : float, default 1e4
        The C at which the path ends, a positive number.
    C_min : float or None, default None
        The C at which the search for the least bound begins, a positive number; None for the first
        breakpoint of the path. Below it the multipliers only grow with C, and the intercept takes
        all rows to the larger class in the end. Only with select='bound'.
    fit_intercept : bool, default True
        Whether the machine has an intercept.
    decide_with_intercept : bool, default True
        Whether f has the intercept, too. Without it the machine is trained with an intercept and
        decides by the sum of the kernels alone. False needs fit_intercept=True, tol=0 and another
        `select` than 'span'.
    max_events : int or None, default None
        The number of events after which the path ends even if it has not reached `C_max`, at least
        1; those on the way to its start do not count. None for no such end.
    tol : float, default 0.0
        The largest duality gap at any C, as a part of the primal objective, in [0, 1); 0 is the
        exact path. A positive `tol` needs fit_intercept=True, max_events=None and another `select`
        than 'bound'.
    keep_path : bool, default True
        Whether the path and all training rows are kept; without them there is no `path_`, no
        `X_path_`, and no prediction by stages.

    Attributes
    ----------
    path_ : RegularizationPath or ApproximatePath, or None
        The breakpoints, as `path_.lambdas` = 1 / C, and the solution at any C up to `C_max`, as
        `path_.coef_at(C)` (the alpha_i) and `path_.intercept_at(C)`. With `tol` > 0 the breakpoints
        are the C that machines were trained for. None with keep_path=False.
    C_ : float
        The C of this machine.
    loo_score_ : float or None
        The leave-one-out accuracy at `C_` by the span rule; None unless select='span'.
    loo_decision_function_ : ndarray of shape (n_samples,), or None
        The value of f without a training row at that row, by the span rule; None unless
        select='span'.
    loo_bound_ : ndarray of shape (n_breakpoints,), or None
        The leave-one-out bound at every breakpoint; None unless select='bound'.
    best_loo_bound_ : float or None
        The bound at `C_`, which may lie between two breakpoints; None unless select='bound'.
    certificate_ : float
        The largest violation of the optimality conditions seen along the path, in units of y f(x).
        With `tol` > 0 the largest duality gap of the path, as a part of the primal objective.
    n_iter_ : int
        The number of events of the path, those on the way to its start included. With `tol` > 0 the
        steps of all machines.
    converged_ : bool
        Whether the path reached `C_max` or made `max_events` events; otherwise `fit` gives a
        `ConvergenceWarning`.
    stop_reason_ : str
        Why the path ended: 'C_max', 'max_events', or 'max_iter' if `tol` > 0 and the steps of a
        machine did not reach it.
    X_path_ : ndarray or sparse matrix of shape (n_samples, n_features), or None
        All training rows, which the staged methods need; None with kernel='precomputed' or
        keep_path=False.

    See Also
    --------
    TunedSVC : Chooses the width, too, and takes tables as they are.

    References
    ----------
    Hastie, Rosset, Tibshirani & Zhu, The Entire Regularization Path for the Support Vector Machine,
    JMLR 5, 2004. The span rule: Chapelle & Vapnik, Model selection for support vector machines,
    NIPS 12, 2000. The bound: Tsang & Kwok, Ensembles of Partially Trained SVMs with Multiplicative
    Updates, IJCAI-07, section 4.1. The approximate path: Giesen, Jaggi & Laue, Approximating
    parameterized convex optimization problems, ACM Transactions on Algorithms 9, 2012.

    Examples
    --------
    One fit gives the training error at all breakpoints, and the machine of any C between them:

    >>> import numpy as np
    >>> from sklearn.datasets import make_moons
    >>> from ensvm import SVMPathClassifier
    >>> X, y = make_moons(40, noise=0.2, random_state=0)
    >>> machine = SVMPathClassifier(gamma=1.0, C_max=100.0).fit(X, y)
    >>> errors = [np.mean(labels != y) for labels in machine.staged_predict(X)]
    >>> len(errors) == machine.path_.lambdas.size
    True
    >>> bool(errors[-1] < errors[0])
    True
    >>> machine.path_.coef_at(1.0).shape
    (40,)

    The accuracy that leaving one row out would find comes with it, without another fit:

    >>> machine.loo_score_
    0.9
    >>> machine.loo_decision_function_.shape
    (40,)

    The approximate path has fewer machines, whose relative duality gap is proved for every C:

    >>> rough = SVMPathClassifier(gamma=1.0, C_max=100.0, tol=0.1).fit(X, y)
    >>> rough.path_.lambdas.size < machine.path_.lambdas.size
    True
    >>> bool(rough.certificate_ < 0.101)
    True
    """

    select: float | str = "span"
    C_max: float = 1e4
    C_min: float | None = None
    fit_intercept: bool = True
    decide_with_intercept: bool = True
    max_events: int | None = None
    tol: float = 0.0
    keep_path: bool = True

    # The parameter that chooses a stage, and its value that leaves all of them to another choice
    stage_choice: ClassVar[tuple[str, str]] = ("select", "end")

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **OneAgainstOneClassifier._parameter_constraints,
        "select": [
            StrOptions({"span", "bound", "end"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "C_max": [Interval(Real, 0.0, None, closed="neither")],
        "C_min": [None, Interval(Real, 0.0, None, closed="neither")],
        "fit_intercept": ["boolean"],
        "decide_with_intercept": ["boolean"],
        "max_events": [None, Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, 1.0, closed="left")],
        "keep_path": ["boolean"],
    }

    def _refusals(self) -> Iterator[str]:
        yield from super()._refusals()
        if not isinstance(self.select, str) and self.select > self.C_max:
            yield (
                f"select = {self.select!r} lies beyond the end of the path, C_max = {self.C_max!r}"
            )
        if self.C_min is not None and self.select != "bound":
            yield f"C_min = {self.C_min!r} needs select='bound', got {self.select!r}"
        if self.C_min is not None and self.C_min >= self.C_max:
            yield f"C_min = {self.C_min!r} must be less than C_max = {self.C_max!r}"
        if not self.decide_with_intercept and (
            not self.fit_intercept or self.tol > 0.0 or self.select == "span"
        ):
            yield (
                "decide_with_intercept=False needs fit_intercept=True, tol=0 and another select "
                "than 'span'"
            )
        is_exact = self.select == "bound" or not self.fit_intercept or self.max_events is not None
        if self.tol > 0.0 and is_exact:
            yield (
                f"tol = {self.tol!r} follows an approximate path: select='bound', "
                "fit_intercept=False and max_events need the exact path, tol=0"
            )

    def staged_decision_function(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield f(x) of each row at every breakpoint, in ascending order of C = 1 / path_.lambdas.

        The kernel values between the rows and all training rows are held in memory, beside the
        values of f at a block of breakpoints, whose size does not depend on their number.

        Raises
        ------
        AttributeError
            If the path was not kept.
        """
        check_is_fitted(self)
        self._require_two_classes()
        if self.path_ is None:
            raise AttributeError("prediction by stages needs keep_path=True")
        X = self._validated(X)
        cross = X if self.kernel == "precomputed" else self._gram(X, self.X_path_)
        if self.decide_with_intercept:
            yield from self.path_.staged_decision_function(cross)
        else:
            assert isinstance(self.path_, RegularizationPath)  # tol is 0
            yield from self.path_.staged_decision_function(cross, with_intercept=False)

    def _expansion(
        self, X: Any, targets: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        if sample_weight is not None and isinstance(self.select, str):
            sample_weight = relative_weights(sample_weight)
        return super()._expansion(X, targets, sample_weight)

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        if sample_weight is not None:
            require_finite_prices(self.C_max, sample_weight, "SVMPathClassifier")
        gram = self._training_gram(X)
        path = self._path(gram, signs, sample_weight)
        C, about_choice = self._chosen_C(path, gram)
        attributes = {
            "X_path_": X if self.keep_path and self.kernel != "precomputed" else None,
            "path_": path if self.keep_path else None,
            "certificate_": path.certificate,
            "C_": C,
            **dict.fromkeys(ABOUT_CHOICE),
            **about_choice,
        }
        coefficients = signs * path.coef_at(C)
        intercept = path.intercept_at(C) if self.decide_with_intercept else 0.0
        return Solution(coefficients, intercept, attributes, self._ending(path))

    def _path(
        self,
        gram: NDArray[np.float64],
        signs: NDArray[np.float64],
        sample_weight: NDArray[np.float64] | None,
    ) -> RegularizationPath | ApproximatePath:
        if self.tol == 0.0:
            return regularization_path(
                gram,
                signs,
                sample_weight=sample_weight,
                fit_intercept=self.fit_intercept,
                C_max=self.C_max,
                max_events=self.max_events,
            )
        return approximate_regularization_path(
            gram, signs, tol=self.tol, sample_weight=sample_weight, C_max=self.C_max
        )

    def _chosen_C(
        self, path: RegularizationPath | ApproximatePath, gram: NDArray[np.float64]
    ) -> tuple[float, dict[str, Any]]:
        """Return C, and the fitted attributes about how it was chosen."""
        if not isinstance(self.select, str):
            return float(self.select), {}
        if self.select == "end":
            return float(self.C_max) if path.converged else float(1.0 / path.lambdas[-1]), {}
        if self.select == "span" or isinstance(path, ApproximatePath):
            best = least_leave_one_out(path, gram)
            return best.C, {"loo_score_": 1.0 - best.error, "loo_decision_function_": best.values}
        bound = leave_one_out_bound(path, gram, C_min=self.C_min)
        return bound.best_C, {"loo_bound_": bound.bounds, "best_loo_bound_": bound.best_bound}

    def _ending(self, path: RegularizationPath | ApproximatePath) -> Ending:
        if isinstance(path, ApproximatePath):
            if path.converged:
                return Ending(path.n_iter, "C_max", converged=True)
            message = (
                f"SVMPathClassifier stopped with a relative duality gap of {path.certificate:.2g}, "
                f"above tol = {self.tol!r}"
            )
            return Ending(path.n_iter, "max_iter", converged=False, message=message)
        n_events = path.n_start_events + path.n_events
        if path.converged:
            return Ending(n_events, "C_max", converged=True)
        if self.max_events is not None:
            return Ending(n_events, "max_events", converged=True)
        message = (
            f"SVMPathClassifier stopped after {n_events} events, before C_max = {self.C_max!r}"
        )
        return Ending(n_events, "max_events", converged=False, message=message)
