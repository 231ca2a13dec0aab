"""Kernel ridge regression of the labels; leave-one-out chooses the penalty and the width."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from ensvm.classifiers.base import (
    CLASS_WEIGHT,
    Solution,
    class_costs,
    coded_labels,
    drawn_seed,
    relative_weights,
    rows_that_count,
)
from ensvm.classifiers.kernel_expansion import WeightedExpansionClassifier
from ensvm.classifiers.repeated_rows import merged_rows
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import Interval, RealNotInt, StrOptions
from ensvm.kernels import gram, resolve_gamma
from ensvm.kernels.low_rank import PivotChoice, pivot_features
from ensvm.kernels.named_kernels import TRIED_WIDTHS
from ensvm.memory import require_memory
from ensvm.solvers.leave_one_out_search import rows_of_all_classes
from ensvm.solvers.ridge import KernelRidge, RidgeSums

MATRICES = 4.0  # as large as the Gram matrix that a fit holds at once
WIDTH_ROWS = 1000  # on which a width is chosen, at most
BLOCK_ROWS = 4096  # at most, so that the errors of all penalties take little memory


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class KernelRidgeClassifierCV(WeightedExpansionClassifier):
    """Kernel ridge regression of the labels that tunes itself by exact leave-one-out.

    For each class one function f(x) = sum_j c_j k(x_j, x) + b is fitted to +1 at the rows of the
    class and -1 at the others, with a penalty alpha c'Kc; two classes need one function. One
    eigendecomposition of the Gram matrix gives all functions, for every alpha, and the value of
    each without row i at row i, without a refit. The pair of alpha and gamma with the least mean
    squared error of these values is chosen. A fit takes O(n_samples^3) time for each width, and
    every training row is a support vector. Inputs should be scaled. From 1,000 rows on, gamma is
    chosen on a random sample of 1,000 with the shares of the classes, and alpha on all rows.

    With `low_rank` the rows are read in blocks, and the matrix of all kernel values is never made:
    f is a sum over some of the rows, the pivots, on the features that they give a row. These are
    the rows of L, from the factor LL' of the Gram matrix that
    `PartiallyTrainedEnsemble(low_rank=...)` trains on. Leave-one-out is exact as long as the pivots
    stay. Take it from some thousand rows on, and compare an ensemble on many rows with it.

    Parameters
    ----------
    gamma : float or {'loo', 'scale', 'auto', 'mean-distance'}, default 'loo'
        The factor in the kernel, a positive number; not read by 'linear'. 'loo' chooses among .05,
        .165, .5 and 1.65 times 'mean-distance', which is 1 over the mean squared distance of the
        training rows to their mean, for 'laplacian' over the mean of sum_j |x_j - mean_j|; 'scale'
        is 1 / (n_features Var(X)) and 'auto' 1 / n_features.
    alpha : float or 'loo', default 'loo'
        The factor of c'Kc beside the squared errors, a positive number; 'loo' chooses among a grid
        with two values in a decade.
    class_weight : dict, 'balanced' or None, default None
        The factor of the squared errors of the rows of each class; 'balanced' is n_samples /
        (n_classes * rows of the class), None is 1.
    low_rank : int, float or None, default None
        An int is the largest number of pivots, at least 1; a float in (0, 1) is the share of the
        trace of the Gram matrix that they may leave out. None: all rows. A number needs inputs, not
        kernel='precomputed'.
    gram_dtype : {'float64', 'float32'}, default 'float64'
        The precision of the features of `low_rank`; sums over blocks of rows are float64.
    random_state : int, RandomState or None, default None
        Draws the sample on which gamma is chosen, the pivots, and from more than 100,000 rows those
        among which they are drawn.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order.
    dual_coef_ : ndarray of shape (n_support,) or (n_support, n_classes)
        The coefficients c of f; of each class if there are more than two.
    intercept_ : float or ndarray of shape (n_classes,)
        The constants b.
    alpha_ : float
        The alpha used.
    loo_decision_function_ : ndarray of shape (n_samples,) or (n_samples, n_classes), or None
        The values of f fitted without each training row at that row, for the alpha and gamma used;
        None with `low_rank`.
    loo_score_ : float
        The share of the training rows that these values put into the right class, weighted with
        `sample_weight`; as alpha and gamma were chosen on them, a little more than at new rows.
    rank_ : int or None
        The number of pivots; None without `low_rank`.
    trace_residual_ : float or None
        The share of the trace that the pivots leave out, of the rows they were chosen among; None
        without `low_rank`.

    See Also
    --------
    SVMEnsembleClassifier : Probabilities, and a smaller error on small tables.
    TunedSVC : A support vector machine, whose predictions need fewer training rows.

    References
    ----------
    Wahba, Spline models for observational data, 1990, section 4.2; Rifkin, Yeo & Poggio,
    Regularized least-squares classification, 2003.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from ensvm import KernelRidgeClassifierCV
    >>> X, y = load_wine(return_X_y=True)
    >>> machine = make_pipeline(StandardScaler(), KernelRidgeClassifierCV()).fit(X, y)
    >>> bool(machine[-1].loo_score_ > 0.98)
    True
    """

    gamma: float | str = "loo"
    alpha: float | Literal["loo"] = "loo"
    class_weight: Any = None
    low_rank: int | float | None = None
    gram_dtype: Literal["float64", "float32"] = "float64"
    random_state: int | np.random.RandomState | None = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **WeightedExpansionClassifier._parameter_constraints,
        "gamma": [
            StrOptions({"loo", "scale", "auto", "mean-distance"}),
            Interval(Real, 0.0, None, closed="neither"),
        ],
        "alpha": [StrOptions({"loo"}), Interval(Real, 0.0, None, closed="neither")],
        "class_weight": CLASS_WEIGHT,
        "low_rank": [
            None,
            Interval(Integral, 1, None, closed="left"),
            Interval(RealNotInt, 0.0, 1.0, closed="neither"),
        ],
        "gram_dtype": [StrOptions({"float64", "float32"})],
        "random_state": ["random_state"],
    }

    def _refusals(self) -> Iterator[str]:
        yield from super()._refusals()
        if self.kernel == "precomputed" and self.low_rank is not None:
            yield (
                f"low_rank = {self.low_rank!r} chooses pivots among inputs, and "
                "kernel='precomputed' has none: give low_rank=None"
            )

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier to training rows, their labels and their weights.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The labels, of two or more distinct values.
        sample_weight : array-like of shape (n_samples,), default None
            The factors of the squared errors of the rows, at least 0, which are divided by their
            mean: only their proportions matter. Leave-one-out leaves out a row with all of its
            weight; rows of weight 0 are left out of the training. None for equal weights.

        Raises
        ------
        ValueError
            If there is one class only, the Gram matrix is not square, or a weight or a parameter is
            out of its range.
        """
        return self._fit(X, y, sample_weight)

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: any number of classes; pivots need inputs."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        tags.input_tags.pairwise &= self.low_rank is None
        return tags

    def _width(self, X: Any, sample_weight: NDArray[np.float64] | None) -> float:
        """Return the width; with 'loo' the base width, whose multiples are tried."""
        gamma = "mean-distance" if self.gamma == "loo" else self.gamma
        return resolve_gamma(gamma, X, sample_weight, kernel=self.kernel)

    def _targets(self, y: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the classes and the targets -1, +1, shape (m,), or (m, n_classes) if over two."""
        classes, codes = coded_labels(y, type(self).__name__)
        if classes.size == 2:
            return classes, np.where(codes == 1, 1.0, -1.0)
        return classes, np.where(codes[:, None] == np.arange(classes.size), 1.0, -1.0)

    def _classes_of(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        return self.classes_[_codes(decision.reshape(len(decision), -1))]

    def _is_one_sum(self) -> bool:
        return self.classes_.size == 2

    def _solve(
        self, X: Any, signs: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        m = len(signs)
        targets = signs.reshape(m, -1)
        codes = _codes(targets)
        counts = np.ones(m) if sample_weight is None else relative_weights(sample_weight)
        rows_that_count(counts, self.classes_, codes, type(self).__name__)
        first = np.arange(m)  # the row that each row is a copy of
        if self.kernel != "precomputed":
            merged = merged_rows(X, codes, counts, type(self).__name__)
            first, counts = merged.without_copies(counts)
        used = np.flatnonzero(counts)
        costs = class_costs(self.class_weight, self.classes_, codes, counts)[codes]
        rows = _Rows(used, targets[used], codes[used], counts[used], (counts * costs)[used])
        widths = [self.gamma_]
        if self.gamma == "loo" and self.gamma_ is not None:
            widths = [factor * self.gamma_ for factor in TRIED_WIDTHS]
        if len(widths) > 1 and used.size > WIDTH_ROWS and self.low_rank is None:
            widths = [self._width_of_sample(X, rows, widths)]
        fits = self._on_all_rows(X, rows, widths)
        if self.low_rank is not None:
            fits = self._on_pivots(X, rows, widths, self.low_rank)
        best, gamma = min(zip(fits, widths, strict=True), key=lambda pair: pair[0].loss)
        values = best.left_out
        attributes = {
            "alpha_": best.alpha,
            "gamma_": gamma,
            "loo_score_": 1.0 - best.error,
            "loo_decision_function_": None
            if values is None
            else values[first].reshape(signs.shape),
            "rank_": best.rank,
            "trace_residual_": best.trace_residual,
        }
        intercept = best.intercepts if signs.ndim == 2 else float(best.intercepts[0])
        return Solution(best.coefficients.reshape(signs.shape), intercept, attributes)

    def _width_of_sample(self, X: Any, rows: _Rows, widths: list[float | None]) -> float | None:
        """Return the best width for a sample of the rows; the penalty is chosen on all of them."""
        some = rows_of_all_classes(rows.codes, WIDTH_ROWS, drawn_seed(self.random_state))
        sample = _Rows(
            np.arange(some.size),
            rows.targets[some],
            rows.codes[some],
            rows.counts[some],
            rows.weights[some],
        )
        fits = self._on_all_rows(X[rows.numbers[some]], sample, widths)
        return min(zip(fits, widths, strict=True), key=lambda pair: pair[0].loss)[1]

    def _on_all_rows(self, X: Any, rows: _Rows, widths: list[float | None]) -> Iterator[_Fit]:
        """Yield the best machine of each width from the eigenvectors of its Gram matrix."""
        m, used = X.shape[0], rows.numbers
        what = f"{type(self).__name__}: the Gram matrix of {m} rows and its eigenvectors"
        instead = "low_rank=1000 needs no such matrix" if self.kernel != "precomputed" else ""
        require_memory(8.0 * MATRICES * m**2, what, instead)
        for gamma in widths:
            kernel = self._gram_of_width(X, gamma)
            among = kernel if used.size == m else kernel[np.ix_(used, used)]
            ridge = KernelRidge(among, rows.targets, rows.weights)
            alphas = self._alphas(ridge)
            left_out = ridge.leave_one_out(alphas)
            squares = np.square(left_out - rows.targets).mean(axis=2)
            losses = np.average(squares, axis=1, weights=rows.weights)
            best = int(losses.argmin())
            coefficients = np.zeros((m, rows.targets.shape[1]))
            coefficients[used], intercepts = ridge.solve(float(alphas[best]))
            values = left_out[best]
            error = float(np.average(_codes(values) != rows.codes, weights=rows.counts))
            if used.size < m:  # a row of weight 0 was never in
                values = kernel @ coefficients + intercepts
                values[used] = left_out[best]
            yield _Fit(
                float(losses[best]), float(alphas[best]), error, coefficients, intercepts, values
            )

    def _on_pivots(
        self, X: Any, rows: _Rows, widths: list[float | None], low_rank: float
    ) -> Iterator[_Fit]:
        """Yield the best machine of each width on the features that pivots give."""
        choice = PivotChoice(low_rank, seed=drawn_seed(self.random_state))
        m, used = X.shape[0], rows.numbers
        X = X if used.size == m else X[used]
        for gamma in widths:
            kernel = self._kernel_parameters() | {"gamma": gamma, "dtype": self.gram_dtype}
            features = pivot_features(X, kernel, choice)
            ridge = RidgeSums(features.pivots.size, rows.targets.shape[1])
            for part, block in features.blocks(X, BLOCK_ROWS):
                ridge.add(block, rows.targets[part], rows.weights[part])
            alphas = self._alphas(ridge)
            losses, errors = np.zeros((2, alphas.size))
            for part, block in features.blocks(X, BLOCK_ROWS):
                targets, weights = rows.targets[part], rows.weights[part]
                left_out = ridge.left_out_errors(block, targets, weights, alphas)
                losses += weights @ np.square(left_out).mean(axis=1)
                predicted = _codes(targets[..., None] - left_out)
                errors += rows.counts[part] @ (predicted != rows.codes[part, None])
            best = int(losses.argmin())
            of_features, intercepts = ridge.solve(float(alphas[best]))
            coefficients = np.zeros((m, rows.targets.shape[1]))
            coefficients[used[features.pivots]] = features.at_pivots(of_features)
            yield _Fit(
                float(losses[best] / rows.weights.sum()),
                float(alphas[best]),
                float(errors[best] / rows.counts.sum()),
                coefficients,
                intercepts,
                rank=features.pivots.size,
                trace_residual=features.residual,
            )

    def _alphas(self, ridge: KernelRidge | RidgeSums) -> NDArray[np.float64]:
        """Return the penalties to try."""
        return ridge.penalties() if self.alpha == "loo" else np.array([float(self.alpha)])

    def _gram_of_width(self, X: Any, gamma: float | None) -> NDArray[Any]:
        if self.kernel == "precomputed":
            return self._training_gram(X)
        return gram(X, **(self._kernel_parameters() | {"gamma": gamma}))


class _Rows(NamedTuple):
    """The n training rows of positive weight."""

    numbers: NDArray[np.intp]  # (n,) among all m rows
    targets: NDArray[np.float64]  # (n, k)
    codes: NDArray[np.intp]  # (n,) the positions of their classes
    counts: NDArray[np.float64]  # (n,) their sample weights, of mean 1
    weights: NDArray[np.float64]  # (n,) of the squared errors: the counts times the class's cost


class _Fit(NamedTuple):
    """The machine of one width with the penalty of least leave-one-out loss."""

    loss: float  # the mean squared leave-one-out error
    alpha: float
    error: float  # the share of wrong classes among the leave-one-out values
    coefficients: NDArray[np.float64]  # (m, k) of all rows
    intercepts: NDArray[np.float64]  # (k,)
    left_out: NDArray[np.float64] | None = None  # (m, k) leave-one-out values
    rank: int | None = None
    trace_residual: float | None = None


def _codes(values: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the positions of the classes that values of f stand for; their axis 1 goes."""
    if values.shape[1] == 1:
        return (values[:, 0] > 0.0).astype(np.intp)
    return values.argmax(axis=1)
