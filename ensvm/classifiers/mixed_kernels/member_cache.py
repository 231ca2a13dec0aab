"""Members already trained in this process, for ensembles that join the members of others."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

# Members or runs kept: those of a few joined ensembles of 150 on one training set, some 10 MiB
CAPACITY = 512


class MemberCache:
    """What was made under a key, as long as it is among the `capacity` keys asked for last."""

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._made: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what was made under the key, or make it now; what is kept must not be changed."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        made = make()  # outside the lock: two threads may make the same thing, and both are right
        with self._lock:
            self._made[key] = made
            while len(self._made) > self._capacity:
                self._made.popitem(last=False)
        return made


def digest(*arrays: NDArray[Any]) -> bytes:
    """Return a hash of the arrays' types, shapes and contents."""
    state = hashlib.blake2b(digest_size=16)
    for array in arrays:
        state.update(f"{array.dtype.str}{array.shape}".encode())
        state.update(np.ascontiguousarray(array).tobytes())
    return state.digest()


MEMBERS = MemberCache()
