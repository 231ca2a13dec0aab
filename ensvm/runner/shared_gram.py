"""The Gram matrices of one realization, each computed once for all algorithms that share it."""

import time
from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from ensvm.data import Realization
from ensvm.kernels import gram, parameters_of, resolve_gamma
from ensvm.runner.estimators import shares_gram
from ensvm.runner.memory import FitMemory

# Test rows go through the kernel in blocks of about this size; blocks are kept for the next
# algorithm up to the second.
BLOCK_BYTES = 2**28
KEPT_BYTES = 2**30


class SharedGram:
    """Kernel values of one realization for one kernel: among training rows, and of test rows.

    `seconds` is the wall time spent on kernel values so far, each counted once: `kernel_seconds`
    among training rows, `test_kernel_seconds` against test rows.
    """

    def __init__(
        self, realization: Realization, kernel: dict[str, Any], dtype: str = "float64"
    ) -> None:
        self._data = realization
        self._dtype = dtype
        self._kernel = (
            {**kernel, "gamma": resolve_gamma(kernel["gamma"], realization.X_train)}
            if "gamma" in kernel
            else kernel
        )
        self._train: NDArray[Any] | None = None
        self._blocks: dict[int, NDArray[Any]] = {}
        self.seconds = {"kernel_seconds": 0.0, "test_kernel_seconds": 0.0}

    @property
    def gamma(self) -> float | None:
        """The width that was resolved from the training inputs; None for a kernel without one."""
        return self._kernel.get("gamma")

    def train(self) -> NDArray[Any]:
        """Return the Gram matrix of the training rows, shape (n_train, n_train)."""
        if self._train is None:
            self._train = self._timed("kernel_seconds", self._data.X_train)
        return self._train

    def test_blocks(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield blocks of test rows with their kernel values, shape (n_block, n_train)."""
        n_test, n_train = self._data.X_test.shape[0], self._data.X_train.shape[0]
        keep = n_test * n_train * 8 <= KEPT_BYTES
        for rows in row_blocks(n_test, n_train):
            block = self._blocks.get(rows.start)
            if block is None:
                block = self._timed(
                    "test_kernel_seconds", self._data.X_test[rows], self._data.X_train
                )
                if keep:
                    self._blocks[rows.start] = block
            yield rows, block

    def _timed(self, part: str, *inputs: Any) -> NDArray[Any]:
        start = time.perf_counter()
        values: NDArray[Any] = gram(*inputs, **self._kernel, dtype=self._dtype)
        self.seconds[part] += time.perf_counter() - start
        return values


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield slices of rows whose values against `n_columns` points take about `BLOCK_BYTES`."""
    step = max(1, BLOCK_BYTES // (8 * max(1, n_columns)))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


class GramPool:
    """The shared Gram matrices of one realization by kernel, and what its fits share beside them.

    `memory` is given to every estimator with a parameter of that name; None where nothing but the
    Gram matrices may be shared, as in timings.
    """

    def __init__(self, realization: Realization, memory: FitMemory | None = None) -> None:
        self.memory = memory
        self._realization = realization
        self._grams: dict[str, SharedGram] = {}

    def for_estimator(self, estimator: Any, dtype: str) -> SharedGram | None:
        """Return the Gram matrix that an estimator can be fitted on, None where it wants X."""
        if not shares_gram(estimator):
            return None
        params = estimator.get_params(deep=False)
        # Parameters that the kernel does not read do not keep algorithms from sharing it.
        kernel = {name: params[name] for name in parameters_of(params["kernel"]) if name in params}
        key = repr((sorted(kernel.items()), dtype))
        if key not in self._grams:
            self._grams[key] = SharedGram(self._realization, kernel, dtype)
        return self._grams[key]
