"""Labels of binary problems as the solvers take them."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def checked_signs(y: ArrayLike) -> NDArray[np.float64]:
    """Return the labels -1 and +1 of a binary problem as floats.

    Parameters
    ----------
    y : array of shape (m,)
        The labels, m >= 1.

    Returns
    -------
    float64 array of shape (m,)
        The same labels.

    Raises
    ------
    ValueError
        If y is no vector, has no entry, or holds anything but -1 and +1.
    """
    labels = np.asarray(y, dtype=np.float64)
    if labels.ndim != 1 or labels.size == 0:
        raise ValueError(
            f"labels must be a vector with at least one entry, got shape {labels.shape}"
        )
    if not np.all(np.abs(labels) == 1.0):
        raise ValueError("labels must be -1 or +1")
    return labels
