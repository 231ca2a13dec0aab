"""Seeds hashed from what a thing is, never from loop order: same identity, same seed.

Each recipe of a study's seeds is a function here. A change of one changes results.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

SEED_BITS = 32  # the widest that scikit-learn's `random_state` accepts


def seed_of(*identity: object) -> int:
    """Return a seed in [0, 2**32) for an identity made of JSON-serialisable parts."""
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)


def realization_seed(data_set: str, split: Mapping[str, Any], number: int) -> int:
    """Return the seed by which the rows of a realization are drawn.

    `split` is the part of the split that decides which rows are drawn, and `number` that of the
    realization, or of the repetition of a cross-validation.
    """
    return seed_of("realization", data_set, split, number)


def order_seed(data: str, realization: int, number: int) -> int:
    """Return the seed of one more order of the training rows, the same for all algorithms."""
    return seed_of("order", data, realization, number)


def algorithm_seed(data: str, realization: int, name: str) -> int:
    """Return the seed of an algorithm on a realization; `data` is a hash of the data."""
    return seed_of("algorithm", data, realization, name)


def part_seed(algorithm_seed: int, parameter: str) -> int:
    """Return the seed of a part of an estimator, by the name of its random state."""
    return seed_of("part", algorithm_seed, parameter)


def another_seed(seed: int) -> int:
    """Return another seed, by which a run finds out whether an algorithm draws."""
    return seed_of("another seed", seed)


def held_out_seed(algorithm_seed: int) -> int:
    """Return the seed by which training rows are held out to choose among grid points."""
    return seed_of("validation", algorithm_seed)
