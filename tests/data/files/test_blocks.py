"""Tables that are read in blocks: the same rows as at once, and little memory beside them."""

import tracemalloc
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ensvm.data import inline_card
from ensvm.data.files import delimited_text, typed_tables
from ensvm.data.files.delimited_text import TableFormat
from ensvm.data.files.file_content import FileContent, Raw
from ensvm.data.files.typed_tables import ParquetFormat
from ensvm.errors import UserError

N = 47
CSV = {"type": "table", "header": 1, "target": "class"}
SPLIT = {"protocol": "random", "n_train": 30}


def frame() -> pd.DataFrame:
    """Return columns that look different from block to block: gaps and texts in some of them."""
    rng = np.random.default_rng(0)
    rows = np.arange(N)
    return pd.DataFrame(
        {
            "float": rng.normal(size=N),
            "gaps": pd.Series(rng.normal(size=N)).where(rows != 40),
            "whole": pd.Series(rows, dtype="Int64").where(rows % 20 != 3),
            "truth": pd.Series(rows % 2 == 0, dtype=object).where(rows != 33, None),
            "text": ["ab"[int(row > 30)] if row != 7 else None for row in rows],
            "kind": pd.Categorical(["xyz"[row // 20] for row in rows]),
            "group": [f"g{row // 5}" for row in rows],
            "class": (rows % 3 > 0).astype(int),
        }
    )


def same(one: Raw, other: Raw) -> None:
    np.testing.assert_array_equal(one.X, other.X)
    np.testing.assert_array_equal(one.labels, other.labels)
    assert (one.groups is None) == (other.groups is None)
    if one.groups is not None and other.groups is not None:
        np.testing.assert_array_equal(one.groups, other.groups)


INPUTS = {
    "gaps": "number",
    "text": {"one-hot": ["a", "b"]},
    "float": "number",
    "truth": {"False": 0, "True": 1},
}
TEXT = frame().to_csv(index=False)
QUOTED = TEXT.replace("g3", '"g3\nand more"').replace(",b,", ', "b" ,')


@pytest.mark.parametrize("text", [TEXT, QUOTED], ids=["plain", "quotes over lines"])
@pytest.mark.parametrize("incomplete", ["keep", "drop"])
@pytest.mark.parametrize("keep", [None, ["1"]])
def test_text_in_blocks_is_the_same(monkeypatch, text, incomplete, keep):
    form = TableFormat.model_validate({**CSV, "incomplete": incomplete, "keep": keep})
    file = FileContent(text.encode(), "file", INPUTS, groups="group")
    whole = form.read(file)
    for rows in (1, 5, 46):
        monkeypatch.setattr(delimited_text, "ROWS_AT_ONCE", rows)
        same(form.read(file), whole)


@pytest.mark.parametrize("rows", [1, 8, N])
def test_row_groups_are_the_same_as_one_and_as_text(tmp_path: Path, monkeypatch, rows: int) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(typed_tables, "ROWS_OF_GROUP", rows)
    keys = {"target": "class", "incomplete": "keep", "missing": "training-mean", "split": SPLIT}
    frame().to_parquet(tmp_path / "own.parquet", row_group_size=rows)
    frame().to_csv(tmp_path / "own.csv", index=False)
    own = inline_card({**keys, "path": "own.parquet", "drop": ["group"]}, tmp_path)
    kinds = {"one-hot": ["x", "y", "z"]}
    inputs = {"float": "number", "gaps": "number", "whole": "number"}
    inputs |= {name: INPUTS[name] for name in ("truth", "text")} | {"kind": kinds}
    text = {**keys, "path": "own.csv", "inputs": inputs, "drop": ["group"]}
    assert own.checksum == inline_card(text, tmp_path).checksum


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_wrong_in_a_later_block_is_told_by_its_row(monkeypatch, ending):
    wrong = frame()[["float", "gaps", "class"]]
    if ending == "csv":
        monkeypatch.setattr(delimited_text, "ROWS_AT_ONCE", 10)
        form, content = TableFormat.model_validate(CSV), wrong.to_csv(index=False).encode()
        message = "file, line 42, column 'gaps': the value is missing"  # the header is line 1
    else:
        pytest.importorskip("pyarrow")
        monkeypatch.setattr(typed_tables, "ROWS_OF_GROUP", 10)
        form = ParquetFormat.model_validate({"type": "parquet", "target": "class"})
        content, message = wrong.to_parquet(), "file, row 41, column 'gaps': the value is missing"
    with pytest.raises(UserError, match=message):
        form.read(FileContent(content, "file"))


def test_a_table_of_no_complete_row_is_refused(monkeypatch):
    monkeypatch.setattr(delimited_text, "ROWS_AT_ONCE", 2)
    form = TableFormat.model_validate({**CSV, "incomplete": "drop"})
    with pytest.raises(UserError, match="file: no row is complete"):
        form.read(FileContent(b"x,class\n" + b",1\n" * 5, "file"))
    assert len(form.read(FileContent(b"x,class\n" + b",1\n" * 5 + b"1,1\n", "file")).X) == 1


def test_a_large_table_takes_little_memory_beside_its_numbers():
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(200_000, 10)), columns=[f"x{k}" for k in range(10)])
    table["class"] = np.where(rng.random(200_000) < 0.5, "yes", "no")
    content = table.to_parquet(row_group_size=20_000)
    form = ParquetFormat.model_validate({"type": "parquet", "target": "class"})
    tracemalloc.start()
    try:
        raw = form.read(FileContent(content, "file"))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    np.testing.assert_array_equal(raw.X, table.drop(columns="class").to_numpy())
    assert peak < 2 * raw.X.nbytes + 4 * raw.labels.nbytes + len(content)
