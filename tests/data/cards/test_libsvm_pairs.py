"""LIBSVM pairs: both files count their columns from the same number, and the card says which."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import DatasetCard, inline_card, load
from ensvm.errors import UserError

ROWS = np.array([[1.0, 0, 2, 3], [4, 5, 0, 6], [0, 7, 8, 0], [9, 1, 0, 2]])
OFFICIAL = {"protocol": "official"}


def text(rows: np.ndarray[Any, Any], base: int) -> str:
    lines = []
    for k, row in enumerate(rows):
        entries = " ".join(f"{j + base}:{row[j]:g}" for j in np.flatnonzero(row))
        lines.append(f"{k % 2} {entries}\n")
    return "".join(lines)


def pair(folder: Path, train: str, test: str, **keys: Any) -> DatasetCard:
    (folder / "train.svm").write_text(train)
    (folder / "test.svm").write_text(test)
    given = {"path": "train.svm", "test": "test.svm", "split": OFFICIAL, **keys}
    return inline_card(given, folder)


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("scaling", ["none", "minmax"])
def test_pair_of_one_base_gives_the_rows_and_the_card_tells_the_base(
    tmp_path: Path, base: int, scaling: str
) -> None:
    card = pair(tmp_path, text(ROWS, base), text(ROWS[:2], base), scaling=scaling)
    assert card.counted_from == base
    X = load(card).X
    X = X.toarray() if card.sparse else X
    np.testing.assert_array_equal(X, np.vstack([ROWS, ROWS[:2]]))


@pytest.mark.parametrize("bases", [(0, 1), (1, 0)])
@pytest.mark.parametrize("features", [None, 4, 5])
def test_pair_of_mixed_bases_is_refused_whatever_its_width(
    tmp_path: Path, bases: tuple[int, int], features: int | None
) -> None:
    texts = [text(ROWS, base) for base in bases]
    width = {} if features is None else {"features": features}
    with pytest.raises(UserError, match=r"(train|test)\.svm, line 1: has an index 0.*`zero_based"):
        pair(tmp_path, *texts, **width)


@pytest.mark.parametrize("without", ["0\n1\n", "0 2:1\n1 3:1\n"])
def test_file_that_lacks_the_first_column_is_read_as_told(tmp_path: Path, without: str) -> None:
    with pytest.raises(UserError, match="zero_based: true"):
        pair(tmp_path, text(ROWS, 0), without, features=4)
    card = pair(tmp_path, text(ROWS, 0), without, features=4, zero_based=True)
    expected = np.zeros((2, 4))
    if ":" in without:
        expected[[0, 1], [2, 3]] = 1
    np.testing.assert_array_equal(load(card).X.toarray(), np.vstack([ROWS, expected]))


def test_index_0_contradicts_counting_from_1(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"train\.svm, line 1: .*index 0"):
        pair(tmp_path, text(ROWS, 0), text(ROWS, 0), zero_based=False)


def test_parts_of_a_card_are_settled_together(tmp_path: Path) -> None:
    own = pair(tmp_path, text(ROWS, 1), text(ROWS, 1))
    shared = own.model_dump() | {"checksum": None}
    for part, base in (("train", 0), ("test", 1)):
        (tmp_path / part).write_text(text(ROWS, base))
        shared[part] = [{"mirror": part, "format": {"type": "libsvm"}}]
    with pytest.raises(UserError, match="has an index 0"):
        load(DatasetCard.model_validate(shared), data_dir=tmp_path, offline=True)
