"""A user's own file written inline in a config: read, counted and checked before any run."""

import gzip
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import inline_card, load
from ensvm.errors import UserError

RANDOM = {"protocol": "random", "n_train": 3}
CSV = "x,colour,label\n1,red,yes\n2,blue,no\n3,red,no\n5,red,yes\n"
COLOURS = {"x": "number", "colour": ["red", "blue"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.csv").write_text(CSV)
    (tmp_path / "own.libsvm").write_text("+1 1:2 3:1\n-1\n+1 2:1\n-1 1:1\n")
    (tmp_path / "wide.libsvm").write_text("+1 1:2 4:1\n-1 1:1\n")
    return tmp_path


def own(**given: Any) -> dict[str, Any]:
    return {"path": "own.csv", "target": "label", "split": RANDOM, "inputs": COLOURS, **given}


def test_counts_come_from_the_file_and_paths_are_relative_to_the_config(folder: Path) -> None:
    card = inline_card(own(), folder)
    assert (card.name, card.rows, card.features, card.classes) == ("own", 4, 2, {"no": 2, "yes": 2})
    assert (card.positive, card.scaling) == ("yes", "standard")
    assert card.split_protocol() == {"protocol": "random", "n_train": 3, "n_test": 1}
    found = load(card)
    np.testing.assert_array_equal(found.X, [[1, 1], [2, 2], [3, 1], [5, 1]])
    assert (found.provider, found.y.tolist()) == ("file", [1, -1, -1, 1])


def test_positive_label_and_order_of_rows_change_the_fingerprint_but_packing_does_not(
    folder: Path,
) -> None:
    with gzip.open(folder / "packed.csv.gz", "wt") as file:
        file.write(CSV)
    plain = inline_card(own(), folder).fingerprint()
    assert inline_card(own(path="packed.csv.gz"), folder).fingerprint() == plain
    assert inline_card(own(positive="no"), folder).fingerprint() != plain
    assert inline_card(own(scaling="minmax"), folder).fingerprint() != plain
    (folder / "own.csv").write_text(CSV.replace("5,red", "6,red"))
    assert inline_card(own(), folder).fingerprint() != plain


def test_file_changed_after_the_check_is_refused(folder: Path) -> None:
    card = inline_card(own(scaling="minmax"), folder)
    (folder / "own.csv").write_text(CSV.replace("5,red", "6,red"))
    with pytest.raises(UserError, match="wrong sha256"):
        load(card)


def test_libsvm_text_stays_sparse_unless_it_is_to_be_scaled(folder: Path) -> None:
    text = {"path": "own.libsvm", "split": RANDOM}
    sparse, dense = inline_card(text, folder), inline_card(text | {"scaling": "minmax"}, folder)
    assert (sparse.sparse, sparse.scaling, sparse.features) == (True, "none", 3)
    assert load(sparse).realization(1).X_train.shape == (3, 3)
    # scikit-learn's LIBSVM refuses 64-bit row numbers
    assert load(sparse).realization(1).X_train.indices.dtype == np.int32
    assert isinstance(load(dense).X, np.ndarray)


def test_official_split_takes_a_test_file(folder: Path) -> None:
    text = {"path": "own.libsvm", "test": "wide.libsvm", "split": {"protocol": "official"}}
    with pytest.raises(UserError, match=r"differ in columns.*features: 4"):
        inline_card(text, folder)
    card = inline_card(text | {"features": 4}, folder)
    assert card.sizes() == (4, 4, 2)
    assert load(card).realization(1).X_test.shape == (2, 4)


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_what_is_read_by_pyarrow_is_refused_readably_without_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ending: str
) -> None:
    for module in ("pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    (folder / f"own.{ending}").write_bytes(b"ARROW1" if ending == "feather" else b"PAR1")
    with pytest.raises(UserError, match="needs pyarrow; pip install"):
        inline_card(own(path=f"own.{ending}"), folder)
