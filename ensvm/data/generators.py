"""Synthetic data sets, drawn from a fixed seed so that everyone gets the same rows."""

import numpy as np
from numpy.typing import NDArray

REVISION = 1  # raised when a generator's rows change, so that finished cells are not taken for current ones

_PEAKS = np.array([7, 11, 15])  # centres of the three triangles, height 6, on the 21 positions 1..21
_PAIRS = np.array([[0, 2], [0, 1], [1, 2]])  # the two triangles that class 0, 1, 2 mixes


def waveform(rows: int, seed: int) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    """Return `rows` noisy waveforms X of shape (rows, 21) and their classes, 0, 1 or 2, equally likely.

    A row is u h + (1-u) h' + noise: h, h' the two triangles of its class, u uniform in [0, 1], noise of
    variance 1. Rounded to two decimals like the UCI file, which also makes the rows independent of the last
    bit of a machine's logarithm. Reference: Breiman, Friedman, Olshen & Stone (1984), CART, section 2.6.2.
    """
    # Only `random` is used: the streams of numpy's other distributions may change between its versions.
    draw = np.random.Generator(np.random.PCG64(seed)).random
    classes = (3 * draw(rows)).astype(int)
    u = draw((rows, 1))
    radius = np.sqrt(-2 * np.log1p(-draw((rows, 21))))  # Box and Muller's normal deviates
    noise = radius * np.cos(2 * np.pi * draw((rows, 21)))
    triangles = np.maximum(6 - np.abs(np.arange(1, 22) - _PEAKS[:, None]), 0)
    first, second = triangles[_PAIRS[classes, 0]], triangles[_PAIRS[classes, 1]]
    X = np.round(u * first + (1 - u) * second + noise, 2)
    return X, classes
