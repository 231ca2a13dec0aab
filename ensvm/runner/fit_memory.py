"""What fits of one realization keep for each other, so that no ensemble trains a member twice."""

import inspect
import pickle
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

import joblib

# Results kept: the members of a few joined ensembles of 150 on one training set, some 10 MiB
CAPACITY = 512


class FitMemory:
    """The results of functions by their arguments, in this process, the last ones asked for.

    It stands where scikit-learn takes a `joblib.Memory`, as the `memory` of an estimator, and is
    dropped with the realization it belongs to.

    Parameters
    ----------
    capacity : int, default 512
        The results kept; beyond it the one not asked for longest is dropped.

    Examples
    --------
    >>> from ensvm.runner.fit_memory import FitMemory
    >>> square = FitMemory().cache(lambda n: print("computed") or n * n)
    >>> square(3), square(3)
    computed
    (9, 9)
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def __deepcopy__(self, memo: dict[int, Any]) -> "FitMemory":
        """Return itself: clones of an estimator share its memory, as they share a folder."""
        return self

    def cache(self, function: Callable[..., Any], ignore: Sequence[str] = ()) -> Callable[..., Any]:
        """Return the function, which computes what is not kept yet.

        Every call returns an object of its own, so that nobody changes what others get. A result
        that cannot be pickled is not kept.

        Parameters
        ----------
        function : callable
            A function of arguments that can be hashed by `joblib.hash`.
        ignore : sequence of str, default ()
            Names of arguments that do not decide the result.

        Returns
        -------
        callable
            A function of the same arguments.
        """
        signature = inspect.signature(function)
        name = f"{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def remembered(*args: Any, **kwargs: Any) -> Any:
            bound = signature.bind(*args, **kwargs)
            bound.apply_defaults()
            deciding = {key: value for key, value in bound.arguments.items() if key not in ignore}
            key = joblib.hash((name, deciding))
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
