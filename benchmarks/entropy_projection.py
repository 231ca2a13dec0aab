"""Microseconds a step of Algorithm 1 against the bare product with the Gram matrix.

The product is a lower bound; one BLAS thread.
"""

import numpy as np
from _stopwatch import best_of
from scipy.linalg import blas
from tabulate import tabulate
from threadpoolctl import threadpool_limits

from ensvm.data import find_card, load
from ensvm.kernels import gram, resolve_gamma
from ensvm.solvers.entropy_projection.tsang_kwok import entropy_projection

REPEATS = 7
SETS = {"titanic": 150, "waveform": 400, "german": 700}
PRODUCTS = {np.float64: blas.dsymv, np.float32: blas.ssymv}


def measure(name: str, dtype: type) -> list[object]:
    """Return one row of the table."""
    data = load(find_card(name)).realization(1)
    K = gram(
        data.X_train, kernel="rbf", gamma=resolve_gamma("mean-distance", data.X_train), dtype=dtype
    )
    y = data.y_train
    vector = np.full(len(y), 1 / len(y), dtype=dtype)
    product = PRODUCTS[dtype]
    matvec = best_of(REPEATS, lambda: [product(1.0, K.T, vector) for _ in range(100)])[0] / 100
    result = entropy_projection(K, y)
    step = best_of(REPEATS, lambda: entropy_projection(K, y))[0] / result.n_matvec
    return [
        name,
        len(y),
        np.dtype(dtype).name,
        result.n_iter,
        1e6 * step,
        1e6 * matvec,
        step / matvec,
    ]


if __name__ == "__main__":
    with threadpool_limits(1):
        rows = [measure(name, dtype) for name in SETS for dtype in (np.float64, np.float32)]
    headers = ["data set", "m", "Gram matrix", "steps", "us a product", "us bare", "ratio"]
    print(
        "Entropy projection: microseconds per product with K~ (a step, line search included) "
        "against the bare product"
    )
    print(tabulate(rows, headers=headers, floatfmt=".1f"))
