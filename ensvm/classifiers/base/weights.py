"""Weights of rows and of classes, as scikit-learn means them."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import _check_sample_weight

CLASS_WEIGHT: list[Any] = [StrOptions({"balanced"}), dict, None]
"""What the parameter `class_weight` may be."""


def checked_weights(sample_weight: ArrayLike | None, X: Any) -> NDArray[np.float64] | None:
    """Return the weights of the rows of X, shape (m,), or None where none are given.

    Raises ValueError for another number of weights, or one that is no finite number >= 0.
    """
    if sample_weight is None:
        return None
    weight: NDArray[np.float64] = _check_sample_weight(
        sample_weight, X, dtype=np.float64, ensure_non_negative=True
    )
    return weight


def class_costs(
    class_weight: Any, classes: NDArray[Any], codes: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Return by how much the rows of each class count more, shape (n_classes,).

    `codes` are the places in `classes` of the labels of all rows, shape (n,). A class that a dict
    does not name has the weight 1; 'balanced' is n / (n_classes * rows of the class).

    Raises ValueError for a weight that is not a positive number, or a name that is no class.
    """
    costs = compute_class_weight(class_weight, classes=classes, y=classes[codes])
    if not ((costs > 0.0) & np.isfinite(costs)).all():
        raise ValueError(
            f"class_weight must give every class a positive number, got {class_weight!r}"
        )
    return np.asarray(costs, dtype=np.float64)


def rows_that_count(
    sample_weight: NDArray[np.float64], signs: NDArray[np.float64], classifier: str
) -> NDArray[np.intp]:
    """Return the places of the rows of positive weight, in ascending order.

    `signs` are the labels as -1, +1. Raises ValueError where a class has no such row.
    """
    places = np.flatnonzero(sample_weight)
    if np.unique(signs[places]).size < 2:
        raise ValueError(f"{classifier} needs rows of positive sample_weight in both classes")
    return places


def as_distribution(sample_weight: NDArray[np.float64] | None, m: int) -> NDArray[np.float64]:
    """Return the sample weights in total 1, shape (m,); equal where none were given."""
    weight = np.ones(m) if sample_weight is None else sample_weight
    if weight.sum() == 0.0:
        raise ValueError("sample_weight must have a positive entry, got only zeros")
    return weight / weight.sum()
