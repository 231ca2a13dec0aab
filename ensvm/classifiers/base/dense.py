"""Sparse rows for classifiers that compute with dense ones."""

from typing import Any

from numpy.typing import NDArray
from scipy.sparse import issparse

from ensvm.kernels.input_rows import dense_rows
from ensvm.memory import require_memory


def dense(X: Any, copies: float, classifier: str) -> NDArray[Any]:
    """Return validated rows as an array, made dense where they are sparse and there is memory.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n, n_features)
        The rows, float64.
    copies : float
        How many arrays of their size the classifier will hold.
    classifier : str
        The name of the classifier, for the message.

    Returns
    -------
    ndarray of shape (n, n_features)
        The rows; X itself where it is an array.

    Raises
    ------
    MemoryError
        If the arrays take more memory than is free.
    """
    if issparse(X):
        rows, inputs = X.shape
        what = f"{classifier}: what is made dense of {rows} sparse rows of {inputs} inputs"
        require_memory(8.0 * copies * rows * inputs, what)
    return dense_rows(X)
