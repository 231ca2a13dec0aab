"""Seeds hashed from what a thing is, never from loop order: same identity, same seed."""

import hashlib
import json

SEED_BITS = 32  # the widest that scikit-learn's `random_state` accepts


def seed_of(*identity: object) -> int:
    """Return a seed in [0, 2**32) for an identity made of JSON-serialisable parts.

    Example: `seed_of("realization", "german", {"protocol": "random", "n_train": 700}, 7)`.
    """
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - SEED_BITS)
