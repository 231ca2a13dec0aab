"""What classifiers are fitted on: inputs of a realization, or a Gram matrix computed once for all.

All cells of a realization share these arrays, so the arrays are read-only.
"""

import inspect
import pickle
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from time import perf_counter  # here: own code may replace the clocks of `time`
from typing import Any

import joblib
import numpy as np
from numpy.typing import NDArray

from ensvm.data import Realization
from ensvm.data.arrays import sparse_matrix
from ensvm.kernels import KERNEL_PARAMETERS, KERNELS, gram, parameters_of, resolve_gamma
from ensvm.memory import require_memory
from ensvm.seeds import held_out_seed

# Test rows go through the kernel in blocks of about this size. Blocks are kept for the next
# algorithm if all of them together take at most KEPT_BYTES.
BLOCK_BYTES = 2**28
KEPT_BYTES = 2**30
GATHERED_BYTES = 2**22  # of the columns that are put in another order at a time
GROUP = 64  # rows; a multiple of how many rows a BLAS library takes at once

# How many results are kept: enough for the members of a few joined ensembles of 150 on one
# training set, which take about 10 MiB.
CAPACITY = 512
VALIDATION_SHARE = 1 / 3
WARM_UP_ROWS = 20


class CellInputs:
    """The inputs of one realization, on which a classifier is fitted and predicts.

    `seconds` is the wall time spent on kernel values and `gamma` the width of the kernel; both are
    empty unless the inputs are kernel values.
    """

    gamma: float | None = None

    def __init__(self, realization: Realization) -> None:
        self.realization = realization
        self.seconds: dict[str, float] = {}

    def train(self) -> Any:
        """Return the inputs of the training rows."""
        return self.realization.X_train

    def test(self) -> Any:
        """Return the inputs of all test rows at once."""
        return self.realization.X_test

    def blocks(self, *, train: bool = False) -> Iterator[tuple[slice, Any]]:
        """Yield blocks of test rows, or of training rows, with their inputs."""
        X = self.realization.X_train if train else self.realization.X_test
        for rows in row_blocks(*X.shape):
            yield rows, X[rows]


class SharedGram(CellInputs):
    """Kernel values of one realization for one kernel: among training rows, and of test rows.

    `seconds` is the wall time spent on kernel values so far, each counted once: `kernel_seconds`
    among training rows, `test_kernel_seconds` against test rows.
    """

    def __init__(
        self,
        realization: Realization,
        kernel: dict[str, Any],
        dtype: str = "float64",
    ) -> None:
        super().__init__(realization)
        self._dtype = dtype
        self._kernel = dict(kernel)
        if "gamma" in kernel:
            self.gamma = resolve_gamma(
                kernel["gamma"], realization.X_train, kernel=kernel["kernel"]
            )
            self._kernel["gamma"] = self.gamma
        self._gram: NDArray[Any] | None = None
        self._blocks: dict[int, NDArray[Any]] = {}
        self.seconds |= {"kernel_seconds": 0.0, "test_kernel_seconds": 0.0}

    def train(self) -> NDArray[Any]:
        """Return the Gram matrix of the training rows, shape (n_train, n_train)."""
        if self._gram is None:
            rows = self.realization.X_train.shape[0]
            require_memory(gram_bytes(rows, self._dtype), f"the Gram matrix of {rows} rows")
            self._gram = self._timed("kernel_seconds", self.realization.X_train)
        return self._gram

    def blocks(self, *, train: bool = False) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield blocks of test rows with their kernel values, shape (n_block, n_train).

        Training rows come as one block.
        """
        if train:
            yield slice(None), self.train()
            return
        n_test, n_train = self.realization.X_test.shape[0], self.realization.X_train.shape[0]
        keep = n_test * n_train * 8 <= KEPT_BYTES
        for rows in row_blocks(n_test, n_train):
            block = self._blocks.get(rows.start)
            if block is None:
                X_test = self.realization.X_test[rows]
                block = self._timed("test_kernel_seconds", X_test, self.realization.X_train)
                if keep:
                    self._blocks[rows.start] = block
            yield rows, block

    def test(self) -> NDArray[Any]:
        """Return the kernel values of all test rows at once, shape (n_test, n_train)."""
        return np.concatenate([block for _, block in self.blocks()])

    def _timed(self, part: str, *inputs: Any) -> NDArray[Any]:
        start = perf_counter()
        values: NDArray[Any] = gram(*inputs, **self._kernel, dtype=self._dtype)
        self.seconds[part] += perf_counter() - start
        values.flags.writeable = False
        return values


class PermutedGram(SharedGram):
    """Kernel values with the training rows in another order.

    Those among training rows are computed anew, because their last digits depend on the order, and
    the order is tried for what they decide. Those of test rows are the same in all orders.
    """

    def __init__(
        self,
        permuted: Realization,
        unpermuted: SharedGram,
        order: NDArray[np.intp],
        kernel: dict[str, Any],
        dtype: str,
    ) -> None:
        super().__init__(permuted, kernel, dtype)
        self._unpermuted = unpermuted
        self._order = order

    def blocks(self, *, train: bool = False) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Yield blocks of test rows with their kernel values; training rows come as one block."""
        if train:
            yield from super().blocks(train=True)
            return
        for rows, block in self._unpermuted.blocks():
            # Few rows at a time stay in the processor's cache; products of whole groups of rows
            # have the same bits as those of the whole block.
            step = max(GROUP, GATHERED_BYTES // block[:1].nbytes // GROUP * GROUP)
            for start in range(0, block.shape[0], step):
                values = np.take(block[start : start + step], self._order, axis=1)
                values.flags.writeable = False
                first = rows.start + start
                yield slice(first, first + values.shape[0]), values


def gram_bytes(n_rows: int, dtype: str) -> float:
    """Return the bytes of the Gram matrix of so many rows."""
    return float(n_rows) ** 2 * np.dtype(dtype).itemsize


def row_blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Yield slices of rows whose values against `n_columns` points take about `BLOCK_BYTES`."""
    step = max(1, BLOCK_BYTES // (8 * max(1, n_columns)))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


class FitMemory:
    """Keeps the latest results of functions, by their arguments, in this process.

    It serves as the `memory` of an estimator, where scikit-learn takes a `joblib.Memory`, and is
    dropped with its realization. If it is full, the least recently used result is dropped.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def __deepcopy__(self, memo: dict[int, Any]) -> "FitMemory":
        """Return itself: clones of an estimator share its memory, as they share a folder."""
        return self

    def cache(self, function: Callable[..., Any], ignore: Sequence[str] = ()) -> Callable[..., Any]:
        """Return a function with the same results, which computes only those that are not kept yet.

        Arguments named in `ignore` do not decide the result. Every call returns a new object, so
        that no caller can change the result of another. A result that cannot be pickled is not
        kept.
        """
        signature = inspect.signature(function)
        name = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def remembered(*args: Any, **kwargs: Any) -> Any:
            """Return the kept result for these arguments, or compute and keep it."""
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            deciding = {key: value for key, value in bound.arguments.items() if key not in ignore}
            key = joblib.hash((name, deciding), hash_name="sha1")  # faster than md5
            if key not in self._kept:
                result = function(*args, **kwargs)
                try:
                    self._kept[key] = pickle.dumps(result, protocol=pickle.HIGHEST_PROTOCOL)
                except Exception:  # pickling raises whatever a class's methods for it do
                    return result
                if len(self._kept) > self._capacity:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return pickle.loads(self._kept[key])

        return remembered


class GramPool:
    """A realization, whose arrays become read-only, and what its fits share.

    Each of our estimators with a parameter `memory` gets the `memory`; it is None in timings, in
    which fits share nothing.
    """

    def __init__(
        self,
        realization: Realization,
        memory: FitMemory | None = None,
    ) -> None:
        self.realization = realization
        for values in filter(lambda values: values is not None, vars(realization).values()):
            parts = [values.data, values.indices, values.indptr] if sparse_matrix(values) else []
            for array in parts or [values]:
                array.flags.writeable = False
        self._memory = memory
        self._grams: dict[str, SharedGram] = {}
        self._unpermuted: tuple[GramPool, NDArray[np.intp]] | None = None

    def inputs_of(self, estimator: Any, *, share_gram: bool, dtype: str) -> CellInputs:
        """Return what an estimator is fitted on: a shared Gram matrix if it can take one.

        The parameters of the estimator are set accordingly.
        """
        params = estimator.get_params(deep=False)
        ours = type(estimator).__module__.partition(".")[0] == __name__.partition(".")[0]
        if self._memory is not None and ours and params.get("memory", "") is None:
            estimator.set_params(memory=self._memory)
        if share_gram and shares_gram(estimator):
            for_gram(estimator)
            # Algorithms share a matrix if they agree in the parameters that the kernel reads.
            read = parameters_of(params["kernel"])
            kernel = {name: params[name] for name in read if name in params}
            return self._shared(kernel, dtype)
        if params.get("gamma") == "mean-distance":
            # Other people's estimators do not know this rule for a width.
            width = resolve_gamma("mean-distance", self.realization.X_train)
            estimator.set_params(gamma=width)
        return CellInputs(self.realization)

    def _shared(self, kernel: dict[str, Any], dtype: str) -> SharedGram:
        key = repr((sorted(kernel.items()), dtype))
        if key not in self._grams:
            if self._unpermuted is None:
                values = SharedGram(self.realization, kernel, dtype)
            else:
                pool, order = self._unpermuted
                unpermuted = pool._shared(kernel, dtype)
                values = PermutedGram(self.realization, unpermuted, order, kernel, dtype)
            self._grams[key] = values
        return self._grams[key]

    def in_order(self, seed: int) -> "GramPool":
        """Return the same problem with its training rows in an order drawn by a seed."""
        whole = self.realization
        order = np.random.default_rng(seed).permutation(whole.y_train.shape[0])
        groups = None if whole.groups_train is None else whole.groups_train[order]
        permuted = Realization(
            whole.X_train[order], whole.y_train[order], whole.X_test, whole.y_test, groups
        )
        pool = GramPool(permuted, self._memory)
        if self._memory is not None:  # a timing computes its own kernel values
            pool._unpermuted = self, order
        return pool

    def held_out(self, seed: int) -> "GramPool":
        """Return the training rows split in two; `VALIDATION_SHARE` of them is held out.

        If the rows have groups, a group is on one side only, and so the share is met roughly.
        """
        y, groups = self.realization.y_train, self.realization.groups_train
        drawn_by = held_out_seed(seed)
        if groups is not None:
            from sklearn.model_selection import StratifiedGroupKFold

            n_parts = min(round(1 / VALIDATION_SHARE), len(np.unique(groups)))
            cut = StratifiedGroupKFold(max(n_parts, 2), shuffle=True, random_state=drawn_by)
            return self._part(*next(cut.split(y, y, groups)))
        order = np.random.default_rng(drawn_by).permutation(y.shape[0])
        held = max(1, round(VALIDATION_SHARE * y.shape[0]))
        return self._part(order[held:], order[:held])

    def _part(self, fitted: NDArray[np.intp], chosen: NDArray[np.intp]) -> "GramPool":
        """Return training rows to fit on and others to choose by, without the test rows."""
        X, y = self.realization.X_train, self.realization.y_train
        return GramPool(Realization(X[fitted], y[fitted], X[chosen], y[chosen]))

    def for_warm_up(self) -> "GramPool":
        """Return a few training rows of each class and a few test rows."""
        whole, y = self.realization, self.realization.y_train
        rows = [np.flatnonzero(y == label)[:WARM_UP_ROWS] for label in np.unique(y)]
        few, test = np.sort(np.concatenate(rows)), slice(0, WARM_UP_ROWS)
        return GramPool(
            Realization(whole.X_train[few], y[few], whole.X_test[test], whole.y_test[test])
        )


def for_gram(estimator: Any) -> Any:
    """Set the kernel of an estimator to `precomputed`, and return the estimator.

    The other parameters of the kernel get their defaults back.
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
    if "gamma" in parameters_of(kernel) and params.get("gamma", "loo") == "loo":
        return False  # the estimator chooses the width in `fit`
    return bool(get_tags(clone(estimator).set_params(kernel="precomputed")).input_tags.pairwise)
