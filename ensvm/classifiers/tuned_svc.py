"""A support vector classifier that chooses C and gamma by leave-one-out values."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from ensvm.classifiers.base import (
    CLASS_WEIGHT,
    Classifier,
    checked_weights,
    class_costs,
    coded_labels,
    dense,
    drawn_seed,
    relative_weights,
    require_square,
    warn_caller,
)
from ensvm.classifiers.shared_docs import documented
from ensvm.kernels.augmented_rows import Kernel
from ensvm.kernels.gram_matrix import dense_rows
from ensvm.kernels.named_kernels import (
    TRIED_WIDTHS,
    resolve_gamma,
)
from ensvm.kernels.sums import KernelSums
from ensvm.memory import gibibytes, require_memory
from ensvm.solvers.leave_one_out_search import (
    Candidate,
    SortedRows,
    best_candidate,
    candidates,
    fitted_candidate,
)
from ensvm.solvers.low_rank_search import fitted_ridge, width_scores
from ensvm.solvers.platt_scaling import class_probabilities
from ensvm.solvers.sequential_minimal_optimization import MAX_ITER

# Prices of an error: more gain nothing on the data sets of `benchmarks/tuned_svc.py`
PRICES = (0.1, 0.32, 1.0, 3.2, 10.0, 32.0, 100.0)
COPIES = 3.0  # of the rows that are held
# Distinct rows beyond which ridge machines on a low-rank kernel are trained: 6,000 rows of waveform
# take an SVM 4 seconds of CPU time, 20,000 took more than six minutes on a busy machine.
MANY_ROWS = 16_384


@documented
@dataclass(eq=False, repr=False)
class TunedSVC(Classifier):
    """Gaussian support vector classifier that chooses C and gamma itself, with probabilities.

    One `fit` replaces a grid search with cross-validation. For each of four widths and seven C the
    machine is trained once. Its leave-one-out values, for each row the value f(x) of the machine
    without that row, follow from the machine's own equations (the span rule of Chapelle & Vapnik)
    and cost less than the fit. In small pairs of classes, rows that would be errors by this rule
    alone are followed exactly. C and gamma have the least leave-one-out error plus log loss.
    Platt's sigmoid on the same values gives `predict_proba` without another fit.

    More than two classes are separated one against one; all pairs share C and gamma, chosen by the
    leave-one-out vote. Columns are divided by their standard deviations, so that inputs need not be
    scaled; in a pipeline after a scaler that changes nothing. Identical rows of one class are taken
    as one row that counts several times, of which leave-one-out leaves out one. The order of the
    rows does not matter.

    Beyond 16,384 distinct rows, `engine_` is 'ridge': memory and time then grow with the rows, not
    with their square. Each class gets a ridge regression of its indicator on the features of a
    low-rank kernel, and a pair's machine is the difference of those of its classes. Gamma (on 500
    pivots) and the penalty alpha have the least squared leave-one-out error, which is exact as long
    as the pivots stay. The machine has up to 2,000 pivots. `search_rows`, `tol` and `max_iter` are
    not read. A precomputed kernel always trains support vector machines, and `fit` warns that it
    takes long.

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
        a random sample of them with the shares of the classes. Not read with ridge, which chooses
        on all rows.
    tol : float, default 1e-3
        The violation of the optimality conditions to stop at, in units of f, a positive number.
    max_iter : int, default 10000000
        The largest number of steps of one machine, at least 1; reaching it gives a
        `ConvergenceWarning`.
    n_jobs : int or None, default None
        The number of processes that try widths side by side; -1 is one for each processor, and None
        is 1 outside of `joblib.parallel_config`. The result does not depend on it. Starting
        processes takes some seconds.
    random_state : int, RandomState or None, default 0
        Draws the sample of rows, or the pivots; not read where neither is drawn.

    Attributes
    ----------
    engine_ : {'svm', 'ridge'}
        What was trained: support vector machines, or ridge machines on a low-rank kernel.
    C_ : float or None
        The chosen price of an error at a row of mean weight; None if `engine_` is 'ridge'.
    alpha_ : float or None
        The chosen penalty: the factor of the squared length of the weights, which is added to the
        squared errors; None if `engine_` is 'svm'.
    gamma_ : float or None
        The chosen width, for columns divided by `scale_`; None if kernel='precomputed'.
    scale_ : ndarray of shape (n_features,), or None
        What columns are divided by; None if nothing is scaled.
    loo_score_ : float
        The leave-one-out accuracy of the machine on all rows: by the span rule, or exact with
        ridge. C or alpha, gamma and the sigmoids were chosen on the same values, so that it is a
        little higher than the accuracy at new rows.
    loo_decision_function_ : ndarray of shape (n_samples,) or (n_samples, n_pairs)
        For two classes the decision function of each row without that row. For more the values of
        all pairs' machines, 0 in pairs that the row's class is not part of. NaN for rows of weight
        0.
    search_results_ : dict of ndarrays
        The grid: 'param_C', 'param_gamma', 'loo_score' (accuracy), 'loo_loss' (log loss),
        'criterion' (error plus loss) and 'rank', one entry a machine. With ridge 'param_alpha'
        stands for 'param_C', and loss and criterion are the mean squared error; alpha is chosen
        again for the final pivots.
    support_ : ndarray of int, shape (n_support,)
        The support vectors: the row numbers of the training rows whose coefficient is not 0 in some
        pair; of identical rows the first. With ridge the pivots.
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
        The largest violation of the optimality conditions of a pair, in units of f; 0 with ridge,
        whose equations are solved directly.
    n_iter_ : int
        The number of steps of all pairs' machines with `C_` and `gamma_`; 1 for a pair of ridge.
    converged_ : bool
        Whether all pairs reached `tol`.

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
    0.98
    >>> machine.predict(X[::50])
    array([0, 1, 2])
    >>> machine.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    """

    kernel: str = "rbf"
    _: KW_ONLY
    scale: bool = True
    class_weight: Any = None
    search_rows: int = 2000
    tol: float = 1e-3
    max_iter: int = MAX_ITER
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = 0

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"rbf", "precomputed"})],
        "scale": ["boolean"],
        "class_weight": CLASS_WEIGHT,
        "search_rows": [Interval(Integral, 10, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [None, Integral],
        "random_state": ["random_state"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose C and gamma, and train the machines of all pairs of classes.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            The training rows, or their Gram matrix of shape (n_samples, n_samples) with
            `kernel='precomputed'`. Sparse rows are made dense.
        y : array-like of shape (n_samples,)
            The labels, of at least two distinct values.
        sample_weight : array-like of shape (n_samples,), default None
            The weights of the rows, at least 0, which are divided by their mean and multiply C:
            only their proportions matter. Leave-one-out leaves out a row with all of its weight;
            rows of weight 0 are left out of the training. None for equal weights.

        Returns
        -------
        self : TunedSVC
            The fitted classifier.

        Raises
        ------
        ValueError
            If there is only one class, the Gram matrix is not square, or a parameter is out of its
            range.
        MemoryError
            If the Gram matrix, or with ridge the leave-one-out values, take more memory than is
            free; said before they are allocated.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        self.classes_, codes = coded_labels(y, type(self).__name__)
        if self.kernel == "precomputed":
            require_square(X)
        weight = checked_weights(sample_weight, X)
        weight = np.ones(X.shape[0]) if weight is None else relative_weights(weight)
        counting = np.flatnonzero(weight)
        present = np.unique(codes[counting])
        if present.size == 1:
            raise ValueError(
                "TunedSVC needs rows of positive sample_weight in two classes, but only "
                f"{self.classes_.tolist()[present[0]]!r} has some"
            )
        if present.size < self.classes_.size:  # a class whose rows all weigh 0
            self.classes_, codes = self.classes_[present], np.searchsorted(present, codes)
        self.C_: float | None = None
        self.alpha_: float | None = None
        self.gamma_: float | None = None
        self.scale_: NDArray[np.float64] | None = None
        group, first = self._grouped(X, codes, counting)
        members = group[counting]
        counts = np.bincount(members, weight[counting]).astype(np.float64)
        kept = counts - counts / np.bincount(members)
        self.engine_ = "ridge" if self.kernel == "rbf" and first.size > MANY_ROWS else "svm"
        self._require_memory(first.size, X.shape[1])
        starts = np.searchsorted(codes[first], np.arange(self.classes_.size + 1))
        costs = class_costs(self.class_weight, self.classes_, codes[first], counts)[codes[first]]
        inputs: NDArray[np.float64] | None = None
        gammas: list[float] = []
        if self.kernel == "precomputed":
            values = _shifted_gram(dense_rows(X)[np.ix_(first, first)])
        else:
            inputs, centre = self._scaled(X, first, counts)
            base = resolve_gamma("mean-distance", inputs, counts)
            gammas = [factor * base for factor in TRIED_WIDTHS]
            values = inputs - centre
            if self.engine_ == "svm":
                values = squared_distances(values)
        search = self._search_ridges if self.engine_ == "ridge" else self._search_machines
        chosen = search(SortedRows(values, starts, costs, counts, kept), gammas)
        self._keep(chosen, inputs, first)
        self.loo_score_ = 1.0 - chosen.error
        values = np.where(group >= 0, chosen.values[:, group], np.nan)
        self.loo_decision_function_ = self._log_odds(values) if len(values) == 1 else values.T
        return self

    def _grouped(
        self, X: Any, codes: NDArray[np.intp], counting: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return each row's group (-1: it does not count), and each group's first row.

        Groups are the identical rows of a class, sorted by class and then in an order that does not
        depend on that of the rows. With a precomputed kernel every row is a group.
        """
        group = np.full(len(codes), -1)
        if self.kernel == "precomputed":
            keys: NDArray[Any] = counting
        else:
            dense_X = dense(X, COPIES, type(self).__name__)[counting] + 0.0  # -0.0 becomes 0.0
            dense_X = np.column_stack([codes[counting], dense_X])
            keys = np.ascontiguousarray(dense_X).view(f"V{8 * dense_X.shape[1]}").ravel()
        _, first, members = np.unique(keys, return_index=True, return_inverse=True)
        first = counting[first]
        order = np.argsort(codes[first], kind="stable")
        position = np.empty_like(order)
        position[order] = np.arange(order.size)
        group[counting] = position[members]
        return group, first[order]

    def _require_memory(self, m: int, width: int) -> None:
        """Raise MemoryError if a fit to m distinct rows takes more than is free."""
        if self.engine_ == "ridge":
            pairs = self.classes_.size * (self.classes_.size - 1) // 2
            what = f"TunedSVC: the leave-one-out values of {m} rows and {pairs} pairs of classes"
            require_memory(8.0 * m * (4.0 * pairs + COPIES * width), what)
            return
        what = f"TunedSVC: the Gram matrix of {m} rows"
        require_memory(24.0 * m**2, what, "fit a sample of the rows")
        if m > MANY_ROWS:  # a precomputed kernel: of others such a matrix is not made
            size = gibibytes(24.0 * m**2)
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
            tiny = 1e-12 * np.abs(inputs).max(axis=0)
            scale = np.where(deviation > tiny, deviation, 1.0)
            inputs, centre, self.scale_ = inputs / scale, centre / scale, scale
        return inputs, centre

    def _search_ridges(self, rows: SortedRows, gammas: list[float]) -> Candidate:
        """Choose gamma and alpha, set what the search found, and return the ridge machines."""
        seed = drawn_seed(self.random_state)
        found = width_scores(rows, gammas, seed, self.n_jobs)
        losses = np.concatenate([scores.losses for scores in found])
        table = {
            "param_alpha": np.concatenate([scores.penalties for scores in found]),
            "param_gamma": np.repeat(gammas, [scores.penalties.size for scores in found]),
            "loo_score": 1.0 - np.concatenate([scores.errors for scores in found]),
            "loo_loss": losses,
            "criterion": losses,
        }
        self.search_results_ = _ranked(table)
        self.gamma_ = float(table["param_gamma"][losses.argmin()])
        self.alpha_, chosen = fitted_ridge(rows, self.gamma_, seed)
        return chosen

    def _search_machines(self, rows: SortedRows, gammas: list[float]) -> Candidate:
        """Choose C and gamma, set what the search found, and return the machines on all rows.

        Without widths the rows are a Gram matrix, and C is relative to its diagonal.
        """
        limits: dict[str, Any] = {"tol": self.tol, "max_iter": self.max_iter}
        size = 1.0 if gammas else float(rows.values.diagonal().mean())
        Cs = [C / (size if size > 0.0 else 1.0) for C in PRICES]
        sample = self._sample(rows)
        found = candidates(sample, gammas or [None], Cs, n_jobs=self.n_jobs, **limits)
        best = found[best_candidate(found)]
        self.C_, self.gamma_ = best.C, best.gamma
        errors = np.array([candidate.error for candidate in found])
        losses = np.array([candidate.loss for candidate in found])
        table = {
            "param_C": np.array([candidate.C for candidate in found]),
            "param_gamma": np.array([candidate.gamma for candidate in found]),
            "loo_score": 1.0 - errors,
            "loo_loss": losses,
            "criterion": errors + losses,
        }
        self.search_results_ = _ranked(table)
        return best if sample is rows else fitted_candidate(rows, best.gamma, best.C, **limits)

    def _sample(self, rows: SortedRows) -> SortedRows:
        """Return at most `search_rows` of the rows, at least two of each class that has them."""
        m, n_classes = rows.costs.size, rows.starts.size - 1
        if m <= self.search_rows:
            return rows
        generator = np.random.default_rng(drawn_seed(self.random_state))
        taken = []
        for a in range(n_classes):
            of_class = np.arange(rows.starts[a], rows.starts[a + 1])
            share = max(round(self.search_rows * of_class.size / m), 2)
            taken.append(generator.permutation(of_class)[:share])
        return rows.take(np.sort(np.concatenate(taken)))

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
        self.certificate_ = float(machines.violations.max())
        self.n_iter_ = int(machines.steps.sum())
        self.converged_ = self.certificate_ <= self.tol
        if not self.converged_:
            warn_caller(
                f"TunedSVC stopped after max_iter = {self.max_iter} steps of a machine, "
                f"with violation {self.certificate_:.2g}",
                ConvergenceWarning,
            )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, the first in order among equals.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, n_features)
            The rows to predict, or their kernel values with the training rows, of shape
            (n, n_samples), with `kernel='precomputed'`.

        Returns
        -------
        ndarray of shape (n,)
            The class of each row.
        """
        check_is_fitted(self)
        if self.classes_.size == 2:
            return self.classes_[(self.decision_function(X) > 0.0).astype(int)]
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class at each row: the pairs' sigmoids, coupled.

        Returns
        -------
        ndarray of shape (n, n_classes)
            The probabilities of the classes in `classes_`; each row sums to 1.
        """
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
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
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


def _ranked(table: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the table of a search with the ranks of its entries; equal ones share a rank."""
    criterion = table["criterion"]
    return table | {"rank": 1 + np.searchsorted(np.sort(criterion), criterion)}


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


def squared_distances(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the squared distances between centred rows, shape (m, m), exactly symmetric."""
    norms = np.einsum("ij,ij->i", X, X)
    distances = X @ X.T
    distances *= -2.0
    distances += norms[:, None]
    distances += norms
    distances = np.maximum(distances, distances.T)
    np.maximum(distances, 0.0, out=distances)
    np.fill_diagonal(distances, 0.0)
    return distances
