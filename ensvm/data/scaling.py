"""Scaling of inputs, fitted on the training part alone except for `standard-benchmark`."""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Scaling = Literal["none", "standard", "minmax", "standard-benchmark", "e1071", "pixels", "maxabs"]
KEEPS_ZEROS = ("none", "maxabs")  # and so sparse inputs sparse

_WHITE = 255.0  # the largest grey value


def standardise_all(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return X with mean 0 and standard deviation 1 (ddof 1) over ALL rows; a constant column is 0.

    Rätsch's benchmark ships its inputs in this form.

    References
    ----------
    Rätsch, Onoda & Müller, Soft margins for AdaBoost, Machine Learning 42, 2001.
    """
    return _shift_and_divide(X, X.mean(axis=0), _spread_or_zero(X, X.std(axis=0, ddof=1)))


def scale(
    scaling: Scaling,
    X_train: Any,
    X_test: Any,
    nominal: NDArray[np.bool_] | None = None,
) -> tuple[Any, Any]:
    """Return both parts, scaled by what the training part shows.

    `standard`: mean 0, standard deviation 1 (ddof 0) on the training part. `minmax`: the training
    part fills [-1, 1]; the test part may leave it. With both, a column that is constant in training
    becomes 0 in both parts. `e1071`: as `svm` of the R package e1071 does, mean 0 and standard
    deviation 1 (ddof 1) on the training part, but nothing at all is scaled if any column is
    constant there; it neither scales nor looks at `nominal` columns, those of a one-hot code.
    `pixels`: bytes 0..255 become [0, 1]. `maxabs`: each column is divided by its largest absolute
    value in training, so that zeros stay; a column of zeros alone there becomes 0 in both parts.
    `none`, and `standard-benchmark`, which is done before: unchanged. With `none` and `maxabs`, the
    parts may be sparse.
    """
    if scaling == "maxabs":
        largest = _largest_absolute(X_train)
        return _divide(X_train, largest), _divide(X_test, largest)
    numbers = np.ones(X_train.shape[1], dtype=bool) if nominal is None else ~nominal
    if scaling == "standard":
        centre, spread = X_train.mean(axis=0), X_train.std(axis=0)
    elif scaling == "minmax":
        low, high = X_train.min(axis=0), X_train.max(axis=0)
        centre, spread = (low + high) / 2, (high - low) / 2
    elif scaling == "e1071" and np.ptp(X_train[:, numbers], axis=0).all():
        centre = np.where(numbers, X_train.mean(axis=0), 0.0)
        spread = np.where(numbers, X_train.std(axis=0, ddof=1), 1.0)
        return _shift_and_divide(X_train, centre, spread), _shift_and_divide(X_test, centre, spread)
    elif scaling == "pixels":
        return X_train / _WHITE, X_test / _WHITE
    else:
        return X_train, X_test
    spread = _spread_or_zero(X_train, spread)
    return _shift_and_divide(X_train, centre, spread), _shift_and_divide(X_test, centre, spread)


def _largest_absolute(X: Any) -> NDArray[np.float64]:
    """Return the largest absolute value of each column, infinity in a column of zeros alone."""
    largest = np.zeros(X.shape[1])
    if hasattr(X, "indptr"):
        np.maximum.at(largest, X.indices, np.abs(X.data))
    else:
        largest = np.abs(X).max(axis=0, initial=0.0)
    return np.where(largest == 0, np.inf, largest)


def _divide(X: Any, divisors: NDArray[np.float64]) -> Any:
    if not hasattr(X, "indptr"):
        return X / divisors
    scaled = X.copy()
    scaled.data = X.data / divisors[X.indices]
    scaled.eliminate_zeros()
    return scaled


def _spread_or_zero(X: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    # rounding gives a constant column a tiny standard deviation
    return np.where(np.ptp(X, axis=0) == 0, 0.0, spread)


def _shift_and_divide(
    X: NDArray[np.float64], centre: NDArray[np.float64], spread: NDArray[np.float64]
) -> NDArray[np.float64]:
    constant = spread == 0
    scaled: NDArray[np.float64] = X - centre
    scaled /= np.where(constant, 1.0, spread)
    scaled[:, constant] = 0.0
    return scaled
