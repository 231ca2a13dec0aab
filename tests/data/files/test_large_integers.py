"""Whole numbers beyond 2^53: no file type makes different ones equal without a word."""

import io
from pathlib import Path

import numpy as np
import pytest

from ensvm.data import inline_card, load
from ensvm.errors import UserError

N = 20
SPLIT = {"protocol": "kfold", "n_splits": 5}
PAIRS = [(2**53, 2**53 + 1), (2**63 - 2, 2**63 - 1), (2**64 - 2, 2**64 - 1)]
LONG = (10**19 + 10**21, 10**19 + 10**21 + 1)  # no integer type of NumPy holds them
EVERY_PAIR = pytest.mark.parametrize("pair", [*PAIRS, LONG], ids=str)
TEXT = ["csv", "semicolon.csv", "arff", "svm"]
TYPED = ["npz", "parquet", "gaps.parquet", "feather"]


def write(folder: Path, kind: str, pair: tuple[int, int]) -> dict[str, object]:
    """Write N rows whose input is one of the pair, of two classes; return the data set's block."""
    numbers, labels = [pair[k % 2] for k in range(N)], [(-1) ** k for k in range(N)]
    rows = list(zip(numbers, labels, strict=True))
    path, keys = folder / f"own.{kind}", {"target": "y"}
    if kind.endswith("csv"):
        text = "x,y\n" + "".join(f"{x},{y}\n" for x, y in rows)
        if kind != "csv":  # a decimal comma, and points between thousands
            text = "x;y\n" + "".join(f"{x:,}".replace(",", ".") + f";{y}\n" for x, y in rows)
            keys |= {"format": {"delimiter": ";", "decimal": ",", "thousands": "."}}
        path.write_text(text)
    elif kind == "arff":
        head = "@relation r\n@attribute x integer\n@attribute y {-1,1}\n@data\n"
        path.write_text(head + "".join(f"{x},{y}\n" for x, y in rows))
    elif kind == "svm":
        path.write_text("".join(f"{y} 1:{x}\n" for x, y in rows))
        keys = {}
    elif kind == "npz":
        buffer = io.BytesIO()
        np.savez(buffer, X=np.array(numbers)[:, None], y=np.array(labels))
        path.write_bytes(buffer.getvalue())
        keys = {}
    else:
        write_arrow(path, numbers, labels)
        keys |= {"incomplete": "drop"} if "gaps" in kind else {}
    return {"name": "own", "path": path.name, "split": SPLIT, **keys}


def write_arrow(path: Path, numbers: list[int], labels: list[int]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    gap = [None] if "gaps" in path.name else []
    columns = {"x": pyarrow.array(numbers + gap, pyarrow.uint64()), "y": labels + [1] * len(gap)}
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), path)
    else:
        pytest.importorskip("pyarrow.feather").write_feather(pyarrow.table(columns), path)


@pytest.mark.parametrize("kind", [*TEXT, *TYPED])
@EVERY_PAIR
def test_different_numbers_do_not_become_equal(tmp_path, kind, pair):
    if pair == LONG and kind in TYPED:
        pytest.skip("the file holds no such numbers")
    block = write(tmp_path, kind, pair)
    with pytest.raises(UserError, match=rf"own\.{kind}.*{pair[0]} and {pair[1]} are equal"):
        inline_card(block, tmp_path)


@pytest.mark.parametrize("kind", [*TEXT, *TYPED])
def test_large_numbers_that_stay_different_are_read(tmp_path, kind):
    pair = (2**60, 2**60 + 2**10)
    found = load(inline_card(write(tmp_path, kind, pair), tmp_path))
    X = found.X.toarray() if hasattr(found.X, "toarray") else found.X
    assert X[:, 0].tolist() == [float(pair[k % 2]) for k in range(N)]


@pytest.mark.parametrize("kind", ["csv", "semicolon.csv", "parquet", "gaps.parquet", "feather"])
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_names_of_digits_stay_different(tmp_path, kind, pair):
    block = write(tmp_path, kind, pair)
    inputs = load(inline_card({**block, "inputs": {"x": "one-hot"}}, tmp_path)).X
    np.testing.assert_array_equal(inputs, np.eye(2)[np.arange(N) % 2])
    if kind != "semicolon.csv":
        labels = {**block, "target": "x"}
        assert set(inline_card(labels, tmp_path).classes) == set(map(str, pair))


def test_a_dropped_column_of_identifiers_is_not_looked_at(tmp_path):
    rows = "".join(f"{10**20 + k},{k % 7},{k % 2}\n" for k in range(N))
    (tmp_path / "own.csv").write_text(f"id,x,y\n{rows}")
    block = {"path": "own.csv", "target": "y", "drop": ["id"], "split": SPLIT}
    assert inline_card(block, tmp_path).features == 1


@pytest.mark.parametrize("line", ["1 1:1_000", "1_0 1:2", "1 1_0:2"])
def test_libsvm_text_has_no_underscores(tmp_path, line):
    (tmp_path / "own.svm").write_text(f"1 1:1\n-1 1:2 # a_b\n{line}\n")
    with pytest.raises(UserError, match=r"own\.svm, line 3.*underscore"):
        inline_card({"path": "own.svm", "split": SPLIT}, tmp_path)
