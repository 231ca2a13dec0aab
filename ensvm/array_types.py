"""Types of arrays, which many modules name."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]
"""Real numbers: a vector or a matrix."""

Indices: TypeAlias = NDArray[np.intp]
"""Numbers of rows or columns."""
