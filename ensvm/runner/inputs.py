"""What classifiers are fitted on: inputs of a realization, or a Gram matrix made once for all."""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data import Realization
from ensvm.kernels import KERNEL_PARAMETERS, KERNELS, gram, parameters_of, resolve_gamma
from ensvm.memory import require_memory
from ensvm.runner.guard.answers import Misbehaves
from ensvm.runner.guard.shared_arrays import Shared, view_of
from ensvm.runner.memory import FitMemory
from ensvm.seeds import seed_of

# Test rows go through the kernel in blocks of about this size; blocks are kept for the next
# algorithm up to the second.
BLOCK_BYTES = 2**28
KEPT_BYTES = 2**30

VALIDATION_SHARE = 1 / 3
WARM_UP_ROWS = 20


class Inputs:
    """The inputs of one realization, as a classifier is fitted on them and predicts.

    `seconds` is the wall time spent on kernel values, `gamma` the width of a kernel that was made
    here; there are none, unless the inputs are kernel values.
    """

    def __init__(self, realization: Realization) -> None:
        self.realization = realization
        self.seconds: dict[str, float] = {}

    @property
    def gamma(self) -> float | None:
        """The width that was resolved from the training inputs; None where there is none."""
        return None

    def train(self) -> Any:
        """Return the inputs of the training rows."""
        return view_of(self.realization.X_train)

    def train_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield blocks of training rows with their inputs."""
        return _blocks_of(self.realization.X_train)

    def test_blocks(self) -> Iterator[tuple[slice, Any]]:
        """Yield blocks of test rows with their inputs."""
        return _blocks_of(self.realization.X_test)

    def test(self) -> Any:
        """Return the inputs of all test rows at once."""
        return view_of(self.realization.X_test)


def _blocks_of(X: Any) -> Iterator[tuple[slice, Any]]:
    for rows in row_blocks(*X.shape):
        yield rows, view_of(X)[rows]


class SharedGram(Inputs):
    """Kernel values of one realization for one kernel: among training rows, and of test rows.

    `seconds` is the wall time spent on kernel values so far, each counted once: `kernel_seconds`
    among training rows, `test_kernel_seconds` against test rows.
    """

    def __init__(
        self,
        realization: Realization,
        kernel: dict[str, Any],
        dtype: str = "float64",
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        super().__init__(realization)
        self._dtype = dtype
        self._kept_bytes = kept_bytes
        self._kernel = (
            {**kernel, "gamma": resolve_gamma(kernel["gamma"], realization.X_train)}
            if "gamma" in kernel
            else kernel
        )
        self._gram: Shared | None = None
        self._blocks: dict[int, Shared] = {}
        self.seconds |= {"kernel_seconds": 0.0, "test_kernel_seconds": 0.0}

    @property
    def gamma(self) -> float | None:
        """The width that was resolved from the training inputs; None for a kernel without one."""
        return self._kernel.get("gamma")

    def train(self) -> NDArray[Any]:
        """Return the Gram matrix of the training rows, shape (n_train, n_train)."""
        if self._gram is None:
            rows = self.realization.X_train.shape[0]
            require_memory(gram_bytes(rows, self._dtype), f"the Gram matrix of {rows} rows")
            values = self._timed("kernel_seconds", self.realization.X_train)
            self._gram = Shared("the Gram matrix", values)
        gram: NDArray[Any] = self._gram.view()
        return gram

    def train_blocks(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield all training rows with their kernel values at once: the Gram matrix is there."""
        yield slice(None), self.train()

    def test_blocks(self) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield blocks of test rows with their kernel values, shape (n_block, n_train)."""
        n_test, n_train = self.realization.X_test.shape[0], self.realization.X_train.shape[0]
        keep = n_test * n_train * 8 <= self._kept_bytes
        for rows in row_blocks(n_test, n_train):
            kept = self._blocks.get(rows.start)
            if kept is None:
                block = self._timed(
                    "test_kernel_seconds", self.realization.X_test[rows], self.realization.X_train
                )
                if not keep:
                    yield rows, block
                    continue
                kept = self._blocks[rows.start] = Shared("kernel values of test rows", block)
            yield rows, kept.view()

    def test(self) -> NDArray[Any]:
        """Return the kernel values of all test rows at once, shape (n_test, n_train)."""
        return np.concatenate([block for _, block in self.test_blocks()])

    def shared(self) -> list[Shared]:
        """Return the kernel values that are kept for the next algorithm."""
        return [*([] if self._gram is None else [self._gram]), *self._blocks.values()]

    def _timed(self, part: str, *inputs: Any) -> NDArray[Any]:
        start = time.perf_counter()
        values: NDArray[Any] = gram(*inputs, **self._kernel, dtype=self._dtype)
        self.seconds[part] += time.perf_counter() - start
        return values


def gram_bytes(n_rows: int, dtype: str) -> float:
    """Return what the Gram matrix of so many rows takes."""
    return float(n_rows) ** 2 * np.dtype(dtype).itemsize


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield slices of rows whose values against `n_columns` points take about `BLOCK_BYTES`."""
    step = max(1, BLOCK_BYTES // (8 * max(1, n_columns)))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


class GramPool:
    """A realization, and what the fits on it share: Gram matrices by kernel, and a memory.

    `memory` is given to every estimator with a parameter of that name; None where nothing but the
    Gram matrices may be shared, as in timings. `kept_bytes` is the most that the kernel values of
    the test rows may take to be kept for the next algorithm. The realization's arrays are made
    read-only; `spoiled` tells whether they were changed nevertheless, or what was made of them.
    """

    def __init__(
        self,
        realization: Realization,
        memory: FitMemory | None = None,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self._parts = [Shared(name, values) for name, values in vars(realization).items()]
        self.spoiled = False
        self._memory = memory
        self._kept_bytes = kept_bytes
        self._grams: dict[str, SharedGram] = {}

    @property
    def realization(self) -> Realization:
        """The realization, for reading."""
        return Realization(*(part.view() for part in self._parts))

    def changed(self) -> list[str]:
        """Return the names of what was handed out since the last call and is changed."""
        kernel_values = [shared for gram in self._grams.values() for shared in gram.shared()]
        names = [part.name for part in [*self._parts, *kernel_values] if part.changed()]
        self.spoiled = self.spoiled or bool(names)
        return list(dict.fromkeys(names))

    def refuse_changes(self) -> None:
        """Raise Misbehaves where something that was handed out is changed."""
        if names := self.changed():
            raise Misbehaves(f"changed its inputs: {', '.join(names)}")

    def inputs_of(self, estimator: Any, *, share_gram: bool, dtype: str) -> Inputs:
        """Return what an estimator is fitted on, and set it to be: a Gram matrix, or the inputs."""
        params = estimator.get_params(deep=False)
        ours = type(estimator).__module__.partition(".")[0] == __name__.partition(".")[0]
        if self._memory is not None and ours and params.get("memory", "") is None:
            estimator.set_params(memory=self._memory)
        if share_gram and shares_gram(estimator):
            for_gram(estimator)
            # What the kernel does not read does not keep algorithms from sharing it.
            read = parameters_of(params["kernel"])
            return self._shared({name: params[name] for name in read if name in params}, dtype)
        if params.get("gamma") == "mean-distance":
            # Estimators that are not ours do not know this rule for a width.
            width = resolve_gamma("mean-distance", self.realization.X_train)
            estimator.set_params(gamma=width)
        return Inputs(self.realization)

    def in_order(self, seed: int) -> "GramPool":
        """Return the same problem with the training rows in another order, which a seed draws."""
        whole = self.realization
        order = np.random.default_rng(seed).permutation(whole.y_train.shape[0])
        permuted = Realization(
            whole.X_train[order], whole.y_train[order], whole.X_test, whole.y_test
        )
        # One algorithm alone uses it, so that keeping test rows' values would double the memory.
        return GramPool(permuted, self._memory, kept_bytes=0)

    def held_out(self, seed: int) -> "GramPool":
        """Return the training part cut in two: rows to fit on, `VALIDATION_SHARE` to choose on."""
        X, y = self.realization.X_train, self.realization.y_train
        order = np.random.default_rng(seed_of("validation", seed)).permutation(y.shape[0])
        held = max(1, round(VALIDATION_SHARE * y.shape[0]))
        fitted, chosen = order[held:], order[:held]
        return GramPool(Realization(X[fitted], y[fitted], X[chosen], y[chosen]))

    def folds(self, n_splits: int, seed: int) -> Iterator["GramPool"]:
        """Yield the training part cut in folds, each the rows to choose on once, the others to fit.

        The classes are in proportion. Kernel values are made anew: a width is that of the rows
        that are fitted on.
        """
        from sklearn.model_selection import StratifiedKFold

        X, y = self.realization.X_train, self.realization.y_train
        cut = StratifiedKFold(n_splits, shuffle=True, random_state=seed_of("folds", seed))
        for fitted, chosen in cut.split(np.zeros(y.shape[0]), y):
            yield GramPool(Realization(X[fitted], y[fitted], X[chosen], y[chosen]))

    def for_warm_up(self, of_a_class: int = WARM_UP_ROWS) -> "GramPool":
        """Return what is fitted in no time: a few training rows of each class, a few test rows."""
        whole, y = self.realization, self.realization.y_train
        rows = [np.flatnonzero(y == label)[:of_a_class] for label in np.unique(y)]
        few, test = np.sort(np.concatenate(rows)), slice(0, WARM_UP_ROWS)
        return GramPool(
            Realization(whole.X_train[few], y[few], whole.X_test[test], whole.y_test[test])
        )

    def _shared(self, kernel: dict[str, Any], dtype: str) -> SharedGram:
        key = repr((sorted(kernel.items()), dtype))
        if key not in self._grams:
            self._grams[key] = SharedGram(self.realization, kernel, dtype, self._kept_bytes)
        return self._grams[key]


def for_gram(estimator: Any) -> Any:
    """Set an estimator to be fitted on a Gram matrix, and return it.

    The kernel's other parameters go back to their defaults.
    """
    defaults = type(estimator)().get_params(deep=False)
    unused = {key: defaults[key] for key in KERNEL_PARAMETERS if key in defaults}
    return estimator.set_params(**{**unused, "kernel": "precomputed"})


def shares_gram(estimator: Any) -> bool:
    """Return whether the estimator can be given a Gram matrix in place of X."""
    from sklearn.base import clone
    from sklearn.utils import get_tags

    params = estimator.get_params(deep=False)
    kernel = params.get("kernel")
    if not (isinstance(kernel, str) and kernel in KERNELS):
        return False
    return bool(get_tags(clone(estimator).set_params(kernel="precomputed")).input_tags.pairwise)
