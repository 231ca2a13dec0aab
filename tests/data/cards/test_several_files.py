"""A user's own data in several files: the same data set as in one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import inline_card, load, locate
from ensvm.errors import UserError

ROWS = [f"{i}.5,{'uv'[i % 2]},{'pq'[i % 3 // 2]}" for i in range(30)]
RANDOM = {"protocol": "random", "n_train": 20}
KEYS: dict[str, Any] = {"target": "y", "inputs": {"t": ["u", "v"]}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    parts = {"all": ROWS, "first": ROWS[:7], "second": ROWS[7:20], "third": ROWS[20:]}
    for name, rows in parts.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(["x,t,y", *rows]) + "\n")
    lines = [f"{i % 2} 1:{i} {i % 5 + 2}:1" for i in range(30)]
    for name, rows in {"all": lines, "first": lines[:9], "second": lines[9:]}.items():
        (tmp_path / f"{name}.svm").write_text("\n".join(rows) + "\n")
    return tmp_path


def test_files_of_all_rows_follow_each_other(folder: Path) -> None:
    one = inline_card({**KEYS, "path": "all.csv", "split": RANDOM}, folder)
    paths = ["first.csv", "second.csv", "third.csv"]
    several = inline_card({**KEYS, "path": paths, "split": RANDOM}, folder)
    assert several.fingerprint() == one.fingerprint()
    np.testing.assert_array_equal(load(several).X, load(one).X)
    assert [path.name for path in locate(several).files["all"]] == paths
    assert several.name == "first"


def test_files_of_training_and_test_rows(folder: Path) -> None:
    pair = {**KEYS, "train": ["first.csv", "second.csv"], "test": "third.csv"}
    card = inline_card(pair, folder)
    assert card.split_protocol() == {"protocol": "official", "n_train": 20, "n_test": 10}
    realization = load(card).realization(1)
    assert len(realization.y_test) == 10
    assert inline_card({**pair, "split": {"protocol": "official"}}, folder) == card
    (folder / "both.csv").write_text("\n".join(["x,t,y", *ROWS[:20]]) + "\n")
    one = {**KEYS, "path": "both.csv", "test": ["third.csv"], "split": {"protocol": "official"}}
    assert inline_card(one, folder).checksum == card.checksum


def test_sparse_files_stay_sparse(folder: Path) -> None:
    one = inline_card({"path": "all.svm", "split": RANDOM, "scaling": "maxabs"}, folder)
    several = inline_card(
        {"path": ["first.svm", "second.svm"], "split": RANDOM, "scaling": "maxabs"}, folder
    )
    assert several.sparse
    assert several.fingerprint() == one.fingerprint()
    part = load(several).realization(1)
    assert abs(part.X_train).max() == 1
    assert part.X_train.nnz < part.X_train.shape[0] * 3


def test_a_table_of_any_ending_is_read_as_its_format_says(folder: Path) -> None:
    text = "\n".join(["x;t;y", *(row.replace(",", ";").replace(".", ",") for row in ROWS)])
    (folder / "own.dat").write_text(text)
    keys = {**KEYS, "path": "own.dat", "split": RANDOM}
    with pytest.raises(UserError, match=r"format: \{delimiter"):
        inline_card(keys, folder)
    card = inline_card({**keys, "format": {"delimiter": ";", "decimal": ","}}, folder)
    plain = inline_card({**KEYS, "path": "all.csv", "split": RANDOM}, folder)
    assert card.checksum == plain.checksum
