"""Seeds drawn from what scikit-learn calls `random_state`."""

from typing import Any

import numpy as np
from sklearn.utils import check_random_state


def drawn_seed(random_state: Any) -> int:
    """Return a seed drawn from an int, a RandomState, which goes on, or None for a fresh one."""
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
