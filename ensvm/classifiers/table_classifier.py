"""The base of the classifiers of tables, which choose among machines by leave-one-out values."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_X_y
from sklearn.utils.validation import check_is_fitted

from ensvm.array_types import Indices, Vector
from ensvm.classifiers.base import (
    CLASS_WEIGHT,
    N_JOBS,
    Classifier,
    checked_weights,
    class_costs,
    coded_labels,
    drawn_seed,
    relative_weights,
    rows_that_count,
    validated,
    warn_caller,
)
from ensvm.classifiers.refused_values import is_table
from ensvm.classifiers.repeated_rows import MergedRows, merged_rows
from ensvm.classifiers.sklearn_private import Interval, StrOptions
from ensvm.classifiers.table_columns import TableColumns, categorical_columns, learned_columns
from ensvm.solvers.leave_one_out_search import SortedRows
from ensvm.solvers.sequential_minimal_optimization import MAX_ITER

PRICES = (0.1, 0.32, 1.0, 3.2, 10.0, 32.0, 100.0)  # the C that are tried; more gain nothing
SLOW = 10.0  # seconds: if the machines of all rows are expected to take more, the user is warned


@dataclass(eq=False, repr=False)
class TableClassifier(Classifier):
    """Base of the classifiers that take tables as they are, and tune themselves by leave-one-out.

    A DataFrame may have texts, categories and missing values. Identical training rows are merged.
    Machines are compared on at most `search_rows` rows.

    Parameters
    ----------
    categorical_features : 'from_dtype', array-like or None, default 'from_dtype'
        The columns whose values have no order, each of which becomes a column of 0 and 1: by their
        names or positions; 'from_dtype' for the columns of text and of pandas' type `category` of a
        DataFrame, None for none. Values in fewer than five training rows, and all beyond thirty,
        share a column, which is also that of values that no training row has. If it has no rare
        values, these are 0 in all columns, and a warning names them. A missing value is a value.
        Missing numbers of a DataFrame become the median, with a column that marks them.
    tol : float, default 1e-3
        The violation of the optimality conditions to stop at, in units of f, a positive number.
    max_iter : int, default 10000000
        The largest number of steps of one machine, at least 1; reaching it gives a
        `ConvergenceWarning`.
    n_jobs : int or None, default None
        The number of processes that try widths side by side; -1 is one for each processor, and None
        is 1 outside of `joblib.parallel_config`. The result does not depend on it. Starting
        processes takes some seconds.
    """

    _: KW_ONLY
    categorical_features: Any = "from_dtype"
    class_weight: Any = None
    search_rows: int  # each classifier has a default of its own
    tol: float = 1e-3
    max_iter: int = MAX_ITER
    n_jobs: int | None = None
    random_state: int | np.random.RandomState | None = None

    _reads_tables: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "class_weight": CLASS_WEIGHT,
        "search_rows": [Interval(Integral, 10, None, closed="left")],
        "tol": [Interval(Real, 0.0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": N_JOBS,
        "random_state": ["random_state"],
    }

    @abstractmethod
    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose among the machines and train.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n_samples, n_features)
            The training rows. Sparse rows are made dense. A DataFrame may have texts, categories
            and missing values.
        y : array-like of shape (n_samples,)
            The labels, of at least two distinct values.
        sample_weight : array-like of shape (n_samples,), default None
            The weights of the rows, at least 0, which are divided by their mean and multiply C:
            only their proportions matter. Leave-one-out leaves out a row with all of its weight;
            rows of weight 0 are left out of the training. None for equal weights.

        Returns
        -------
        self : classifier
            The fitted classifier.
        """

    @abstractmethod
    def predict_proba(self, X: Any) -> Vector:
        """Return the probability of each class at each row.

        Returns
        -------
        ndarray of shape (n, n_classes)
            The probabilities of the classes in `classes_`; each row sums to 1.
        """

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, the first in order among equals.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n, n_features)
            The rows to predict.

        Returns
        -------
        ndarray of shape (n,)
            The class of each row.
        """
        check_is_fitted(self)
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _training_numbers(self, X: Any, y: ArrayLike) -> tuple[Any, Any]:
        """Return validated training rows, as an array or sparse, and their labels.

        Learns the columns of a table.
        """
        self._columns: TableColumns | None = None
        categorical = categorical_columns(X, self.categorical_features)
        if not (is_table(X) or categorical):
            return validated(self, X, y, accept_sparse="csr", dtype=np.float64)
        _, y = validated(self, X, y, skip_check_array=True)
        X = X if is_table(X) else check_array(X, dtype=None, ensure_all_finite="allow-nan")
        self._columns = learned_columns(X, categorical)
        for doubt in self._columns.doubts(X):
            warn_caller(doubt, UserWarning)
        return check_X_y(self._columns.encoded(X), y, dtype=np.float64)

    def _new_numbers(self, X: Any) -> Any:
        """Return validated rows to predict, as an array or sparse."""
        if self._columns is None:
            return validated(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        validated(self, X, skip_check_array=True, reset=False)
        X = X if is_table(X) else check_array(X, dtype=None, ensure_all_finite="allow-nan")
        for warning in self._columns.unseen(X):
            warn_caller(warning, UserWarning)
        return check_array(self._columns.encoded(X), dtype=np.float64)

    def _distinct_rows(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, precomputed: bool = False
    ) -> tuple[MergedRows, Indices, Vector]:
        """Return the distinct training rows, and of these the first of each class and the costs.

        X and y are as `_training_numbers` returns them; X may be a `precomputed` Gram matrix. The
        first rows have shape (n_classes + 1,), their last entry is m; the costs by `class_weight`
        have shape (m,). Sets `classes_`.
        """
        name = type(self).__name__
        self.classes_, codes = coded_labels(y, name)
        weight = checked_weights(sample_weight, X)
        weight = np.ones(X.shape[0]) if weight is None else relative_weights(weight)
        rows_that_count(weight, self.classes_, codes, name)
        merged = merged_rows(X, codes, weight, name, precomputed=precomputed)
        codes = codes[merged.first]
        starts = np.searchsorted(codes, np.arange(self.classes_.size + 1))
        costs = class_costs(self.class_weight, self.classes_, codes, merged.counts)
        return merged, starts, costs[codes]

    def _sample(self, rows: SortedRows) -> tuple[SortedRows, Indices, int]:
        """Return the rows on which machines are compared, their numbers, and the seed drawn.

        These are all `rows`, and the seed is 0, if there are at most `search_rows`.
        """
        if rows.costs.size <= self.search_rows:
            return rows, np.arange(rows.costs.size), 0
        seed = drawn_seed(self.random_state)
        numbers = rows.sample(self.search_rows, seed)
        return rows.take(numbers), numbers, seed

    def _set_convergence(self, certificate: float, n_iter: int) -> None:
        """Set the attributes of how the machines ended, and warn if one did not converge."""
        self.certificate_ = certificate
        self.n_iter_ = n_iter
        self.converged_ = certificate <= self.tol
        if not self.converged_:
            warn_caller(
                f"{type(self).__name__} stopped after max_iter = {self.max_iter} steps of a "
                f"machine, with violation {certificate:.2g}",
                ConvergenceWarning,
            )


def deviations_to_divide_by(deviations: Vector, values: Vector) -> Vector:
    """Return the standard deviations of the columns of `values`; 1 for constant columns."""
    tiny = 1e-12 * np.abs(values).max(axis=0)  # rounding may move a constant column from 0
    return np.where(deviations > tiny, deviations, 1.0)
