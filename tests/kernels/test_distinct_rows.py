"""Rows that are the same, dense and sparse."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import sparse

from ensvm.kernels.gram_matrix import distinct_rows

SMALL = arrays(
    np.float64,
    st.tuples(st.integers(1, 30), st.integers(1, 3)),
    elements=st.sampled_from([-1.0, -0.0, 0.0, 0.5, 1e300]),
)


@given(SMALL)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
def test_each_row_is_its_distinct_one_and_these_differ(form: Any, X: NDArray[np.float64]) -> None:
    distinct = distinct_rows(form(X))
    kept = X[distinct.first]
    np.testing.assert_array_equal(kept[distinct.index], X)
    assert len(np.unique(kept + 0.0, axis=0)) == len(kept)
    assert np.all(np.diff(distinct.first) > 0)


@given(SMALL)
def test_sums_over_equal_rows(X: NDArray[np.float64]) -> None:
    distinct = distinct_rows(X)
    values = np.arange(2.0 * len(X)).reshape(len(X), 2)
    sums = distinct.summed(values)
    for number, row in enumerate(sums):
        np.testing.assert_array_equal(row, values[distinct.index == number].sum(axis=0))
    np.testing.assert_array_equal(distinct.summed(values[:, 0]), sums[:, 0])


def test_sparse_rows_need_not_be_in_order() -> None:
    X = sparse.csr_array(([1.0, 2.0, 2.0, 1.0, 0.5, 0.5], [0, 2, 2, 0, 1, 1], [0, 2, 4, 6]))
    assert distinct_rows(X).index.tolist() == [0, 0, 1]
    assert X.nnz == 6  # left as it was
