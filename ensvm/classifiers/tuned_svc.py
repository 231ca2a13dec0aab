"""A support vector classifier that chooses C and gamma by leave-one-out values."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, replace
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.svm import SVC
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ensvm.classifiers.base import dense, require_square, warn_caller
from ensvm.classifiers.repeated_rows import COPIES
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import StrOptions, fit_context
from ensvm.classifiers.table_classifier import (
    PRICES,
    SLOW,
    TableClassifier,
    deviations_to_divide_by,
)
from ensvm.kernels.gram_matrix import dense_rows
from ensvm.kernels.named_kernels import TRIED_WIDTHS, Kernel, resolve_gamma
from ensvm.kernels.sums import KernelSums
from ensvm.memory import gibibytes, require_memory
from ensvm.solvers.leave_one_out_search import (
    Candidate,
    SortedRows,
    candidates,
)
from ensvm.solvers.one_vs_one import PairMachines
from ensvm.solvers.platt_scaling import class_probabilities

# Distinct rows up to which the whole Gram matrix is made: with a copy it takes 6 GB.
MANY_ROWS = 16_384
CACHE = 1000  # megabytes of kernel values that LIBSVM keeps


@documented
@dataclass(eq=False, repr=False)
class TunedSVC(TableClassifier):
    """Gaussian support vector classifier that chooses C and gamma itself, with probabilities.

    One `fit` replaces a grid search with cross-validation. For each of four widths and seven C the
    machine is trained once. Its leave-one-out values, for each row the value f(x) of the machine
    without that row, follow from the machine's own equations (the span rule of Chapelle & Vapnik)
    and cost less than the fit. In pairs of classes of at most 300 rows together, rows that would be
    errors by this rule alone have the exact value of the machine trained without them. C and gamma
    have the least leave-one-out error plus log loss. Platt's sigmoid on the same values gives
    `predict_proba` without another fit.

    More than two classes are separated one against one; all pairs share C and gamma, chosen by the
    leave-one-out vote. Columns are divided by their standard deviations, so that inputs need not be
    scaled; in a pipeline after a scaler that changes nothing. Identical rows of one class are taken
    as one row that counts several times, of which leave-one-out leaves out one. The order of the
    rows does not matter.

    From `search_rows` rows on, C and gamma are chosen on a sample. Beyond 16,384 distinct rows,
    scikit-learn's `SVC` trains the machine on all rows, which needs no whole Gram matrix; sigmoids
    and leave-one-out values are then those of the machine of the sample. The time grows with the
    square of the rows, and `fit` warns if it takes more than some seconds. A precomputed kernel has
    no such limit.

    Parameters
    ----------
    kernel : {'rbf', 'precomputed'}, default 'rbf'
        The kernel: exp(-gamma |x - z|^2), or X is the Gram matrix itself, so that only C is chosen.
    scale : bool, default True
        Whether columns are divided by their standard deviations; not read if
        kernel='precomputed'.
    class_weight : {'balanced'} or dict, default None
        The price of an error on the rows of each class, as a multiple of C; 'balanced' is
        n_samples / (n_classes * rows of the class). None is 1 for each.
    search_rows : int, default 2000
        The largest number of rows on which C and gamma are chosen, at least 10; if there are more,
        a random sample of them with the shares of the classes.
    random_state : int, RandomState or None, default None
        Draws the sample of rows; not read if all rows are searched.

    Attributes
    ----------
    C_ : float
        The chosen price of an error at a row of mean weight.
    gamma_ : float or None
        The chosen width, for columns divided by `scale_`; None if kernel='precomputed'.
    scale_ : ndarray of shape (n_features,), or None
        What columns are divided by; None if nothing is scaled.
    loo_score_ : float
        The leave-one-out accuracy of the machine by these values. C, gamma and the sigmoids were
        chosen on the same values, so that it is a little higher than the accuracy at new rows.
    loo_decision_function_ : ndarray of shape (n_samples,) or (n_samples, n_pairs)
        For two classes the decision function of each row without that row. For more the values of
        all pairs' machines, 0 in pairs that the row's class is not part of. NaN for rows of weight
        0 and, beyond 16,384 distinct rows, for those outside of the sample.
    search_results_ : dict of ndarrays
        The grid: 'param_C', 'param_gamma', 'loo_score' (accuracy), 'loo_loss' (log loss),
        'criterion' (error plus loss) and 'rank', one entry a machine.
    support_ : ndarray of int, shape (n_support,)
        The support vectors: the row numbers of the training rows whose coefficient is not 0 in some
        pair; of identical rows the first.
    support_vectors_ : ndarray of shape (n_support, n_features), or None
        The support vectors, divided by `scale_`; None if kernel='precomputed'.
    dual_coef_ : ndarray of shape (n_support, n_pairs)
        The coefficients of each pair's machine; pairs in the order (0, 1), (0, 2), ..., (1, 2), ...
        A positive value of a pair is for its first class.
    intercept_ : ndarray of shape (n_pairs,)
        The intercepts.
    sigmoids_ : ndarray of shape (n_pairs, 2)
        A and B of each pair's probability 1 / (1 + exp(A f + B)) of its first class.
    certificate_ : float
        The largest violation of the optimality conditions of a pair, in units of f. Of machines
        that `SVC` trained its bound is known, `tol`; infinite if they took `max_iter` steps.
    n_iter_ : int
        The number of steps of all pairs' machines with `C_` and `gamma_`.
    converged_ : bool
        Whether all pairs reached `tol`.

    See Also
    --------
    SVMEnsembleClassifier : An average of such machines, with a smaller error.
    KernelRidgeClassifierCV : Least squares on kernels; low_rank= takes many rows.
    SVMPathClassifier : The machines of all C, one after the other.

    References
    ----------
    Chapelle & Vapnik, Model selection for support vector machines, NIPS 12, 2000. Lin, Lin & Weng,
    A note on Platt's probabilistic outputs for support vector machines, Machine Learning 68, 2007.
    Wu, Lin & Weng, Probability estimates for multi-class classification by pairwise coupling, JMLR
    5, 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from ensvm import TunedSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = TunedSVC().fit(X, y)
    >>> round(machine.loo_score_, 2)
    0.99
    >>> machine.predict(X[::50])
    array([0, 1, 2])
    >>> machine.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    """

    kernel: str = "rbf"
    _: KW_ONLY
    scale: bool = True
    search_rows: int = 2000

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **TableClassifier._parameter_constraints,
        "kernel": [StrOptions({"rbf", "precomputed"})],
        "scale": ["boolean"],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose C and gamma, and train the machines of all pairs of classes.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The training rows, or their Gram matrix of shape (n_samples, n_samples) with
            `kernel='precomputed'`. Sparse rows are made dense. A DataFrame may have texts,
            categories and missing values.

        Raises
        ------
        ValueError
            If there is only one class, the Gram matrix is not square, or a parameter is out of its
            range.
        MemoryError
            If the Gram matrix takes more memory than is free; raised before it is allocated.
        """
        X, y = self._training_numbers(X, y)
        given = self.kernel == "precomputed"
        if given:
            require_square(X)
        merged, starts, costs = self._distinct_rows(X, y, sample_weight, precomputed=given)
        first, counts = merged.first, merged.counts
        many = self.kernel == "rbf" and first.size > max(MANY_ROWS, self.search_rows)
        self._require_memory(self.search_rows if many else first.size)
        self.scale_: NDArray[np.float64] | None = None
        inputs: NDArray[np.float64] | None = None
        gammas: list[float] = []
        if given:
            values = _shifted_gram(dense_rows(X)[np.ix_(first, first)])
        else:
            inputs, centre = self._scaled(X, first, counts)
            base = resolve_gamma("mean-distance", inputs, counts)
            gammas = [factor * base for factor in TRIED_WIDTHS]
            values = inputs - centre
        kernel = None if given else "rbf"
        rows = SortedRows(values, starts, costs, counts, merged.kept, kernel)
        chosen = self._searched(rows, gammas, many=many)
        # Without rows repeated by hand, these are the values that were tried.
        self.C_ *= merged.count
        self.search_results_["param_C"] *= merged.count
        self._keep(chosen, inputs, first)
        self.loo_score_ = 1.0 - chosen.error
        values = merged.at_rows(chosen.values)
        self.loo_decision_function_ = self._log_odds(values) if len(values) == 1 else values.T
        return self

    def _require_memory(self, m: int) -> None:
        """Raise MemoryError if the Gram matrix of m rows takes more than is free."""
        what = f"TunedSVC: the Gram matrix of {m} rows"
        require_memory(16.0 * m**2, what, "fit a sample of the rows")
        if m > MANY_ROWS:  # a precomputed kernel: of others such a matrix is not made
            size = gibibytes(16.0 * m**2)
            instead = "fit a sample of the rows, or the inputs with kernel='rbf', without a matrix"
            warn_caller(f"{what} takes {size}, and a fit many minutes; {instead}", UserWarning)

    def _scaled(
        self, X: Any, first: NDArray[np.intp], counts: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the inputs of the groups, divided by `scale_`, and their mean."""
        inputs = dense_rows(X[first]) + 0.0
        centre = counts @ inputs / counts.sum()
        if self.scale:
            deviation = np.sqrt(counts @ (inputs - centre) ** 2.0 / counts.sum())
            scale = deviations_to_divide_by(deviation, inputs)
            inputs, centre, self.scale_ = inputs / scale, centre / scale, scale
        return inputs, centre

    def _searched(self, rows: SortedRows, gammas: list[float], *, many: bool) -> Candidate:
        """Choose C and gamma, set what the search found, and return the machines on all rows.

        Without widths the rows are a Gram matrix, and C is relative to its diagonal.
        """
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        size = 1.0 if gammas else float(rows.values.diagonal().mean())
        Cs = [C / (size if size > 0.0 else 1.0) for C in PRICES]
        sample, searched, _ = self._sample(rows)
        found = candidates(sample, gammas or [None], Cs, n_jobs=self.n_jobs, **limits)
        errors = np.array([candidate.error for candidate in found])
        losses = np.array([candidate.loss for candidate in found])
        table = {
            "param_C": np.array([candidate.C for candidate in found]),
            "param_gamma": np.array([candidate.gamma for candidate in found]),
            "loo_score": 1.0 - errors,
            "loo_loss": losses,
            "criterion": errors + losses,
        }
        criterion = table["criterion"]
        best = found[int(criterion.argmin())]
        self.C_, self.gamma_ = best.C, best.gamma
        # Equal entries share a rank.
        table["rank"] = 1 + np.searchsorted(np.sort(criterion), criterion)
        self.search_results_ = table
        if many:
            return self._on_many_rows(rows, searched, best)
        if sample is rows:
            return best
        [on_all_rows] = candidates(rows, [best.gamma], [best.C], n_jobs=1, **limits)
        return on_all_rows

    def _on_many_rows(
        self, rows: SortedRows, searched: NDArray[np.intp], best: Candidate
    ) -> Candidate:
        """Return the machines that LIBSVM trains on all rows, with the sigmoids of the sample."""
        svc = SVC(C=best.C, gamma=best.gamma, tol=self.tol, max_iter=self.max_iter)
        svc.set_params(cache_size=CACHE)
        m, weights = rows.costs.size, rows.costs * rows.counts
        start = perf_counter()
        svc.fit(rows.values[searched], rows.codes[searched], weights[searched])
        expected = (perf_counter() - start) * (m / searched.size) ** 2
        if expected > SLOW:
            warn_caller(
                f"TunedSVC trains SVC on {m} distinct rows: about {expected / 60.0:.1f} minutes. "
                "KernelRidgeClassifierCV(low_rank=1000) takes a small part of that",
                UserWarning,
            )
        svc.fit(rows.values, rows.codes, weights)
        values = np.full((len(best.values), m), np.nan)
        values[:, searched] = best.values
        return replace(best, machines=_machines_of(svc, rows.starts, self.tol), values=values)

    def _keep(
        self, chosen: Candidate, inputs: NDArray[np.float64] | None, first: NDArray[np.intp]
    ) -> None:
        """Set the attributes of the machines, and warn if they did not converge."""
        machines = chosen.machines
        support = np.flatnonzero(machines.coefficients.any(axis=0))
        self.support_ = first[support]
        self.support_vectors_ = None if inputs is None else inputs[support]
        self.dual_coef_ = machines.coefficients[:, support].T.copy()
        self.intercept_ = machines.intercepts
        self.sigmoids_ = chosen.sigmoids
        self._set_convergence(float(machines.violations.max()), int(machines.steps.sum()))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, the first in order among equals.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.
        """
        check_is_fitted(self)
        if self.classes_.size == 2:
            return self.classes_[(self.decision_function(X) > 0.0).astype(int)]
        return super().predict(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class at each row: the pairs' sigmoids, coupled."""
        return class_probabilities(self._pair_values(X), self.sigmoids_).T

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of the odds of `classes_[1]`, or of each class's probability.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            For two classes log(p / (1 - p)), positive for `classes_[1]`: the machine's value,
            scaled and shifted. For more classes the logarithms of their probabilities.
        """
        values = self._pair_values(X)
        if self.classes_.size == 2:
            return self._log_odds(values)
        probabilities = class_probabilities(values, self.sigmoids_).T
        return np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: pairwise with a precomputed kernel."""
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def _log_odds(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logarithm of the odds of the second of two classes, shape (n,)."""
        slope, offset = self.sigmoids_[0]
        return slope * values[0] + offset

    def _pair_values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of all pairs' machines, shape (pairs, n)."""
        check_is_fitted(self)
        X = self._new_numbers(X)
        if self.support_vectors_ is None:
            values = dense_rows(X[:, self.support_]) @ self.dual_coef_
        elif self.support_.size:
            X = dense(X, COPIES, type(self).__name__)
            scaled = X if self.scale_ is None else X / self.scale_
            kernel = Kernel("rbf", float(self.gamma_ or 0.0))
            values = KernelSums(self.support_vectors_, self.dual_coef_, kernel).values(scaled)
        else:
            values = np.zeros((X.shape[0], self.intercept_.size))
        return np.ascontiguousarray((values + self.intercept_).T)


def _machines_of(svc: SVC, starts: NDArray[np.intp], tol: float) -> PairMachines:
    """Return scikit-learn's machines, trained on rows sorted by class, to `tol`.

    A row of class a has its coefficient in the machine of the pair (a, b), a < b, in line b - 1 of
    `dual_coef_`, one of class b in line a.
    """
    first, second = np.triu_indices(starts.size - 1, 1)
    sign = -1.0 if first.size == 1 else 1.0  # scikit-learn turns the machine of two classes round
    coefficients = np.zeros((first.size, starts[-1]))
    for pair, (a, b) in enumerate(zip(first, second, strict=True)):
        for of_class, line in ((a, b - 1), (b, a)):
            own = (svc.support_ >= starts[of_class]) & (svc.support_ < starts[of_class + 1])
            coefficients[pair, svc.support_[own]] = sign * svc.dual_coef_[line, own]
    violation = tol if svc.fit_status_ == 0 else np.inf
    return PairMachines(
        coefficients, sign * svc.intercept_, np.full(first.size, violation), svc.n_iter_
    )


def _shifted_gram(gram: NDArray[Any]) -> NDArray[np.float64]:
    """Return a given Gram matrix, shifted to be positive definite; refuse any other matrix."""
    gram = np.ascontiguousarray(gram, dtype=np.float64)
    if np.abs(gram).max() > 1.001 * gram.diagonal().max():
        raise ValueError(
            "the Gram matrix is not positive semidefinite: its largest entry is not on the diagonal"
        )
    # The coefficients of a machine sum to 0, so that a constant added to all kernel values changes
    # none of its values. A kernel may be positive definite for such coefficients only: the constant
    # makes it so for all.
    return gram - min(gram.min(), 0.0)
