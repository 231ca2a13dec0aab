"""Laws of the canonical arrays: one checksum for any representation, another for any change."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from ensvm.data.arrays import canonical_inputs, checksum_of
from ensvm.data.files.file_content import Raw, joined

X = np.array([[0.0, 1.0, -0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
Y = np.array([1, -1, 1], dtype=np.int8)


def messy_csr() -> csr_array:
    """The same rows with unsorted columns, an explicit zero, a sum of duplicates and a -0.0."""
    data, columns = [-0.0, 0.25, 0.75, 2.0, 0.0], [2, 1, 1, 0, 1]
    return csr_array((data, columns, [0, 3, 4, 5]), shape=(3, 3))


@pytest.mark.parametrize("sparse", [False, True])
def test_representation_does_not_matter(sparse: bool) -> None:
    ways = [
        [X.copy()],
        [X[:1], X[1:]],
        [messy_csr()],
        [np.asfortranarray(X)],
        [X[:2], messy_csr()[2:]],
    ]
    wholes = [joined([Raw(block, Y[:0]) for block in blocks]).X for blocks in ways]
    sums = {checksum_of(canonical_inputs(whole, sparse), Y, None) for whole in wholes}
    assert len(sums) == 1


def test_any_change_is_seen() -> None:
    splits = (np.array([[0, 1]]), np.array([[2]]))
    other = X.copy()
    other[0, 1] = np.nextafter(1, 2)
    sums = [
        checksum_of(canonical_inputs(X, False), Y, None),
        checksum_of(canonical_inputs(X, True), Y, None),
        checksum_of(canonical_inputs(other, False), Y, None),
        checksum_of(canonical_inputs(X, False), -Y, None),
        checksum_of(canonical_inputs(X, False), Y, splits),
        checksum_of(canonical_inputs(X, False), Y, splits[::-1]),
        checksum_of(canonical_inputs(X.reshape(1, 9), False), Y, None),
    ]
    assert len(set(sums)) == len(sums)


def test_every_nan_is_one_bit_pattern() -> None:
    patterns = np.array(
        [0x7FF8000000000000, 0xFFF8000000000000, 0x7FF8000000000001], dtype=np.uint64
    )
    X = canonical_inputs(patterns.view(np.float64)[:, None], sparse=False)
    assert set(X.view(np.uint64).ravel()) == {0x7FF8000000000000}
