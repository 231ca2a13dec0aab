"""What was made is made once, until it is forgotten."""

import numpy as np

from ensvm.classifiers.mixed_kernels.member_cache import MemberCache, digest


def test_the_least_recently_used_is_forgotten() -> None:
    cache, made = MemberCache(capacity=2), []

    def make(name: str) -> str:
        return cache.get(name, lambda: made.append(name) or name.upper())

    assert [make(name) for name in "abacab"] == ["A", "B", "A", "C", "A", "B"]
    assert made == ["a", "b", "c", "b"]


def test_the_digest_sees_contents_types_and_shapes() -> None:
    X = np.arange(6.0).reshape(2, 3)
    assert digest(X) == digest(X.copy())
    assert digest(np.asfortranarray(X)) == digest(X)
    others = [X + 1e-12, X.reshape(3, 2), X.astype(np.float32), X.view(np.int64)]
    assert len({digest(other) for other in [X, *others]}) == 5
    assert digest(X, X[0]) != digest(X)
