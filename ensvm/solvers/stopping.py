"""Where a solver stops: the two settings that most of them have."""

import numpy as np


def check_stopping(tol: float, max_iter: int) -> None:
    """Raise ValueError unless `tol` is a positive number and `max_iter` at least 0."""
    if not 0.0 < tol < np.inf:
        raise ValueError(f"tol must be a positive number, got {tol!r}")
    if max_iter < 0:
        raise ValueError(f"max_iter must be at least 0, got {max_iter!r}")
