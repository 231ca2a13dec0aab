"""The hard-margin machine trained by multiplicative updates (Cristianini et al., 1999)."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval

from ensvm.classifiers.base.kernel_expansion import Ending, Expansion, KernelExpansionClassifier
from ensvm.kernels import KernelFunction
from ensvm.solvers.multiplicative_update import MultiplicativeUpdateState, multiplicative_update


class MultiplicativeUpdateSVC(KernelExpansionClassifier):
    """Hard-margin support vector classifier trained by multiplicative updates at a fixed rate.

    The update b_i <- b_i exp(eta (1 - (K~b)_i)), from b_i = 1 / m, climbs the dual
    W(b) = sum_i b_i - b'K~b / 2 over b >= 0, with K~_ij = y_i y_j k(x_i, x_j); there is no bias. It
    is the method that the adaptive rate of `RhoSVC` is compared with: too large a rate
    overshoots and never comes back, too small a one is slow. The machine is a = b / sum b, on the
    simplex, so that weights, objective and decision function have the scale of `RhoSVC`, whose
    problem it solves; and it is the best iterate, since after an overshoot the last is worth
    nothing.

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
    learning_rate : float, default 0.005
        Eta; the one of the rates in IJCAI-07 that does not overshoot within 1000 steps on its data.
    max_iter : int, default 1000
        Reaching it, or leaving the range of floats, gives a `ConvergenceWarning`; at least 1.
    tol : float, default 0.001
        The duality gap to stop at, relative to W(b).

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        The two classes, sorted.
    weights_ : ndarray of shape (n_samples,)
        A of the iterate with the least a'K~a.
    objective_ : float
        That a'K~a.
    objective_path_ : ndarray of shape (n_iter_ + 1,)
        The value of a'K~a of every iterate from the start on; nan where all of b underflowed to 0.
    dual_objective_ : float
        W(b) after the last step.
    certificate_ : float
        The duality gap of W; infinite unless some plane separated on the way.
    n_iter_ : int
        Steps taken.
    overshoot_ : int
        The first step after which W was lower than before; 0 if it never fell.
    converged_ : bool
        Whether the gap came down to `tol`.
    stop_reason_ : str
        Why training ended: 'gap_below_tol' | 'diverged' | 'max_iter'.
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
    n_features_in_ : int
        The number of features seen in `fit`.

    References
    ----------
    Cristianini, Campbell & Shawe-Taylor, Multiplicative updatings for support vector machines,
    ESANN 1999; as compared with in Tsang & Kwok, IJCAI-07, section 4.1.

    Examples
    --------
    >>> from ensvm import MultiplicativeUpdateSVC
    >>> X, y = [[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]
    >>> MultiplicativeUpdateSVC(learning_rate=0.5).fit(X, y).score(X, y)
    1.0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelExpansionClassifier._parameter_constraints,
        "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
    }

    def __init__(
        self,
        kernel: str | KernelFunction = "rbf",
        *,
        gamma: float | str = "mean-distance",
        degree: int = 3,
        coef0: float = 0.0,
        learning_rate: float = 0.005,
        max_iter: int = 1000,
        tol: float = 1e-3,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.learning_rate = learning_rate
        self.max_iter = max_iter
        self.tol = tol

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Expansion:
        path: list[float] = []
        best: list[MultiplicativeUpdateState] = []

        def watch(state: MultiplicativeUpdateState) -> None:
            path.append(state.simplex_objective)
            if not best or state.simplex_objective < best[0].simplex_objective:
                best[:] = [state]

        result = multiplicative_update(
            # b may grow beyond float32, in which products with a float32 matrix would run.
            np.asarray(self._training_gram(X), dtype=np.float64),
            signs,
            learning_rate=self.learning_rate,
            tol=self.tol,
            max_iter=self.max_iter,
            callback=watch,
        )
        weights = best[0].weights / best[0].weights.sum()
        attributes = {
            "weights_": weights,
            "objective_": best[0].simplex_objective,
            "objective_path_": np.array(path),
            "dual_objective_": result.objective,
            "certificate_": result.certificate,
            "overshoot_": result.overshoot_iteration or 0,
        }
        ending = Ending(result.n_iter, result.stop_reason, result.converged)
        return Expansion(signs * weights, attributes=attributes, ending=ending)
