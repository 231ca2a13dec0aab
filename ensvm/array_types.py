"""Types of arrays, which many modules name, and views of arrays that are only read."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
"""Real numbers: a vector or a matrix."""

Indices: TypeAlias = NDArray[np.intp]
"""Numbers of rows or columns."""


def for_reading(array: NDArray[Any]) -> NDArray[Any]:
    """Return a view that cannot be written.

    For numba, arrays that can be written and others differ in type. All kernel values are handed
    over as what they are at times, mapped files: one machine code is enough.
    """
    view = array.view()
    view.flags.writeable = False
    return view
