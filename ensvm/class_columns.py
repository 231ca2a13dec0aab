"""Scores of classes in the order of other classes: estimators name theirs in `classes_`.

A classifier may have its classes in any order, and lack one that its training rows lack.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

# Below every decision value: a class that the classifier does not know is its last choice.
LEAST = float(np.finfo(np.float64).min)


def aligned_probabilities(
    values: NDArray[Any], classes: NDArray[Any], labels: NDArray[Any]
) -> NDArray[Any]:
    """Return probabilities with a column for each of `labels`, 0 for labels not in `classes`.

    Parameters
    ----------
    values : ndarray of shape (n,) or (n, n_classes)
        The probabilities of `classes`; if there are two, those of the second one may stand alone.
    classes : ndarray of shape (n_classes,)
        The classes in the order of the columns.
    labels : ndarray
        The labels in the order that is asked for, all classes among them.

    Raises
    ------
    ValueError
        If there is not a column for each class.
    """
    if values.ndim == 1 and classes.size == 2:
        values = np.column_stack([1.0 - values, values])
    elif values.ndim == 1 and classes.size == 1:
        values = values[:, None]
    return _in_columns(values, classes, labels, 0.0)


def aligned_decisions(
    values: NDArray[Any], classes: NDArray[Any], labels: NDArray[Any]
) -> NDArray[Any]:
    """Return decision values of `labels`: shape (n,), for the second one, if there are two.

    Parameters
    ----------
    values : ndarray of shape (n,) or (n, n_classes)
        The decision values of `classes`. Of two classes those of the second one may stand alone.
    classes : ndarray of shape (n_classes,)
        The classes in the order of the columns.
    labels : ndarray
        The labels in the order that is asked for, all classes among them.

    Returns
    -------
    ndarray of shape (n,) or (n, n_labels)
        Labels that the classifier does not know have a value below all others.

    Raises
    ------
    ValueError
        If there is not a column for each class.
    """
    if labels.size > 2:
        if values.ndim == 1 and classes.size == 2:
            values = np.column_stack([-values, values])
        return _in_columns(values, classes, labels, LEAST)
    if values.ndim == 2 and classes.size == values.shape[1] == 2:
        values = values[:, 1] - values[:, 0]
    if values.ndim != 1 or classes.size != 2:
        raise _not_for_each(values, classes)
    return values if classes[0] == labels[0] else -values


def _in_columns(
    values: NDArray[Any], classes: NDArray[Any], labels: NDArray[Any], absent: float
) -> NDArray[Any]:
    """Return columns in the order of `labels`, with the value `absent` for other labels."""
    if values.ndim != 2 or values.shape[1] != classes.size:
        raise _not_for_each(values, classes)
    if np.array_equal(classes, labels):
        return values
    aligned = np.full((values.shape[0], labels.size), absent)
    position = {label: column for column, label in enumerate(labels.tolist())}
    aligned[:, [position[label] for label in classes.tolist()]] = values
    return aligned


def _not_for_each(values: NDArray[Any], classes: NDArray[Any]) -> ValueError:
    return ValueError(
        f"shape {values.shape}; a column for each of {classes.size} classes is expected"
    )
