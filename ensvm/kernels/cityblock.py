"""The distances |x - z|_1 of rows, several times faster than SciPy's. Compiled."""

from typing import Any

import numpy as np

from ensvm.array_types import Vector
from ensvm.compiled import compiled


def cityblock_distances(left: Any, right: Any) -> Vector:
    """Return |x - z|_1 of the rows x of `left` and z of `right`, shape (n, k), in float64."""
    points = np.ascontiguousarray(left, dtype=np.float64)
    columns = np.ascontiguousarray(np.asarray(right).T, dtype=np.float64)
    apart = np.zeros((len(points), columns.shape[1]))
    add_cityblock(points, columns, apart)
    return apart


@compiled(at_once=True)
def add_cityblock(points: Vector, columns: Vector, apart: Vector) -> None:
    """Add the distances of points, shape (n, d), to the rows whose columns are given, (d, k).

    The inner loop runs over rows, so that it becomes vector instructions without changing the order
    of a sum.
    """
    for i in range(points.shape[0]):
        point, target = points[i], apart[i]
        for j in range(point.size):
            value, column = point[j], columns[j]
            for t in range(target.size):
                target[t] += abs(value - column[t])
