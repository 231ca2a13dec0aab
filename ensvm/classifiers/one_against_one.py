"""Kernel expansions of any number of classes, one against one, with prices of rows and classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags

from ensvm.classifiers.base import (
    CLASS_WEIGHT,
    Ending,
    Solution,
    class_costs,
    coded_labels,
    rows_that_count,
)
from ensvm.classifiers.kernel_expansion import KernelExpansionClassifier
from ensvm.classifiers.shared_docs import documented
from ensvm.classifiers.sklearn_private import ovr_decision_function


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class OneAgainstOneClassifier(KernelExpansionClassifier):
    """Base of the kernel expansions of two or more classes.

    More than two classes are separated one against one, as in scikit-learn's `SVC`: each pair of
    classes has a machine of its own, trained on the rows of the two, and all share `gamma_`. The
    class with most votes is predicted; among equals, the one with the largest sum of values.

    Parameters
    ----------
    class_weight : {'balanced'} or dict, default None
        The price of an error on the rows of each class, which multiplies `sample_weight`;
        'balanced' is n_samples / (n_classes * rows of the class). None is 1 for each.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes in sorted order. Of two, the second is predicted where f(x) > 0. With more,
        attributes of a machine are arrays or lists with an entry a pair, in the order (0, 1), (0,
        2), ..., (1, 2), ..., unless their description says otherwise.
    dual_coef_ : ndarray of shape (n_support,) or (n_support, n_pairs)
        The coefficients of the support vectors. A positive one is for the second class of its pair.
    intercept_ : float or ndarray of shape (n_pairs,)
        The constant term of f; 0.0 for a machine without an intercept.
    """

    class_weight: Any = None

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **KernelExpansionClassifier._parameter_constraints,
        "class_weight": CLASS_WEIGHT,
    }

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the classifier to training rows and their labels.

        Parameters
        ----------
        y : array-like of shape (n_samples,)
            The labels, of at least two distinct values.
        sample_weight : array-like of shape (n_samples,), default None
            How much each row counts, at least 0; None for 1 each. Rows of weight 0 are left out.

        Raises
        ------
        ValueError
            If there is only one class, a class has no row of positive weight, the Gram matrix is
            not square, or a weight or a parameter is out of its range.
        """
        return self._fit(X, y, sample_weight)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return f(x) of each row, or for more than two classes the votes of each class.

        Returns
        -------
        ndarray of shape (n,) or (n, n_classes)
            The values of f. For more than two classes the votes of each class, plus less than half
            a vote for the sum of its values, as in scikit-learn's `SVC`.
        """
        values = self._pair_values(X)
        if values.ndim == 1:
            return values
        return ovr_decision_function(values > 0.0, values, self.classes_.size)

    def __sklearn_tags__(self) -> Tags:
        """Return scikit-learn's tags: any number of classes."""
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = True
        return tags

    def _pair_values(self, X: Any) -> NDArray[np.float64]:
        """Return the values of f, shape (n,), or of the pairs' machines, shape (n, n_pairs)."""
        return super().decision_function(X)

    def _classes_of(self, decision: NDArray[np.float64]) -> NDArray[Any]:
        if decision.ndim == 1:
            return super()._classes_of(decision)
        return self.classes_[decision.argmax(axis=1)]

    def _is_one_sum(self) -> bool:
        return self.classes_.size == 2

    def _targets(self, y: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Return the classes in sorted order and the label of each row as its place among them."""
        classes, codes = coded_labels(y, type(self).__name__)
        return classes, codes.astype(np.float64)

    def _expansion(
        self, X: Any, targets: NDArray[np.float64], sample_weight: NDArray[np.float64] | None
    ) -> Solution:
        codes = targets.astype(np.intp)
        rows = np.arange(codes.size)
        if sample_weight is not None:
            rows = rows_that_count(sample_weight, self.classes_, codes, type(self).__name__)
        weight = sample_weight
        if self.class_weight is not None:
            counts = None if weight is None else weight[rows]
            costs = class_costs(self.class_weight, self.classes_, codes[rows], counts)[codes]
            weight = costs if weight is None else weight * costs
        if self.classes_.size == 2:
            return self._of_rows(X, 2.0 * targets - 1.0, weight, rows)
        pairs = []
        for first, second in combinations(range(self.classes_.size), 2):
            signs = np.where(codes == second, 1.0, -1.0)
            of_pair = (codes[rows] == first) | (codes[rows] == second)
            pairs.append(self._of_rows(X, signs, weight, rows[of_pair]))
        return _together(pairs)

    def _of_rows(
        self,
        X: Any,
        signs: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        rows: NDArray[np.intp],
    ) -> Solution:
        """Return the machine of some of the training rows, as an expansion in all of them."""
        if rows.size == signs.size:
            return self._solve(X, signs, weight)
        part = X[rows][:, rows] if self.kernel == "precomputed" else X[rows]
        machine = self._solve(part, signs[rows], None if weight is None else weight[rows])
        coefficients = np.zeros(signs.size)
        coefficients[rows] = machine.coefficients
        return Solution(coefficients, machine.intercept, machine.attributes, machine.ending)

    def _require_two_classes(self) -> None:
        """Raise AttributeError if the fit had more than two classes: stages need two."""
        if self.classes_.size > 2:
            raise AttributeError(
                f"prediction by stages needs two classes, and {type(self).__name__} was fitted to "
                f"{self.classes_.size}: wrap it in sklearn.multiclass.OneVsOneClassifier and ask "
                "its estimators_"
            )


def _together(pairs: Sequence[Solution]) -> Solution:
    """Return the machines of all pairs as one expansion with k sums."""
    attributes: dict[str, Any] = {}
    for name in pairs[0].attributes:
        values = [pair.attributes[name] for pair in pairs]
        single = all(np.isscalar(value) for value in values)
        attributes[name] = np.array(values) if single else values
    endings = [pair.ending for pair in pairs if pair.ending is not None]
    ending = Ending(
        sum(ending.n_iter for ending in endings),
        ", ".join(dict.fromkeys(ending.stop_reason for ending in endings)),
        all(ending.converged for ending in endings),
        message=next((ending.message for ending in endings if ending.message), ""),
        planned=all(ending.planned for ending in endings),
    )
    return Solution(
        np.column_stack([pair.coefficients for pair in pairs]),
        np.array([pair.intercept for pair in pairs]),
        attributes,
        ending,
    )
