"""Reading LIBSVM text, numpy archives and Parquet."""

import io

import numpy as np
import pytest

from ensvm.data.files.binary_arrays import NpzFormat
from ensvm.data.files.file_content import FileContent
from ensvm.data.files.libsvm_text import LibsvmFormat
from ensvm.errors import UserError

LIBSVM, NPZ = LibsvmFormat(type="libsvm"), NpzFormat(type="npz")


def npz(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


def test_label_only_line_is_a_row_of_zeros_and_width_is_the_cards() -> None:
    raw = LIBSVM.read(FileContent(b"+1 2:1 3:0.5 \n-1\n-1 1:2\n", "file", features=5))
    expected = [[0, 1, 0.5, 0, 0], [0, 0, 0, 0, 0], [2, 0, 0, 0, 0]]
    np.testing.assert_array_equal(raw.X.toarray(), expected)
    assert raw.labels.tolist() == ["1", "-1", "-1"]


def test_archive_gives_arrays_and_row_numbers() -> None:
    content = npz(
        X=np.arange(6).reshape(3, 2), y=np.array([1, -1, 1], np.int8), train=[[0, 1]], test=[[2]]
    )
    raw = NPZ.read(FileContent(content, "file"))
    np.testing.assert_array_equal(raw.X, [[0, 1], [2, 3], [4, 5]])
    assert raw.labels.tolist() == ["1", "-1", "1"]
    assert raw.splits is not None
    assert [part.tolist() for part in raw.splits] == [[[0, 1]], [[2]]]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.ones((2, 2))}, "no array 'y'"),
        ({"X": np.ones((2, 2)), "y": np.ones(3)}, r"shapes \(n, d\)"),
        ({"X": np.array([[np.nan], [1]]), "y": np.ones(2)}, "finite"),
        ({"X": np.array([["a"], ["b"]]), "y": np.ones(2)}, "finite"),
        ({"X": np.ones((2, 1)), "y": np.ones(2), "train": [[0]]}, "belong together"),
        ({"X": np.ones((2, 1)), "y": np.ones(2), "train": [[0.5]], "test": [[1]]}, "row numbers"),
    ],
)
def test_wrong_archive_is_refused(arrays: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        NPZ.read(FileContent(npz(**arrays), "file"))
