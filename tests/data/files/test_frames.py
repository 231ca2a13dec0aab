"""Tables with typed columns: the same inputs as a table of text with its encodings written out."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from ensvm.data import inline_card, load
from ensvm.errors import UserError

N = 24
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=N).round(3)
KINDS = ["red", "dark blue", "x,y"]
SPLIT = {"protocol": "random", "n_train": 16}
KEEP = {"target": "class", "incomplete": "keep", "fill": "training-mean", "split": SPLIT}


def frame() -> pd.DataFrame:
    """Return a number, a boolean, a category and a text for each row, and a few gaps."""
    numbers = pd.Series(NUMBERS).where(np.arange(N) != 3)
    return pd.DataFrame(
        {
            "x": numbers,
            "b": np.arange(N) % 3 == 0,
            "kind": pd.Categorical([KINDS[i % 3] for i in range(N)], categories=KINDS),
            "text": [None if i == 5 else "uv"[i % 2] for i in range(N)],
            "class": ["+-"[i % 2] for i in range(N)],
        }
    )


def arff() -> str:
    rows = "\n".join(
        ",".join("?" if pd.isna(field) else f"'{field}'" for field in row)
        for row in frame().itertuples(index=False)
    )
    return (
        "% made up\n@RELATION t\n@attribute x real\n@attribute b {False, True}\n"
        "@attribute kind {red,'dark blue','x,y'}\n@attribute text string\n"
        f"@attribute class {{+,-}}\n\n@DATA\n{rows}\n"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    frame().to_csv(folder / "own.csv", index=False)
    (folder / "own.arff").write_text(arff())
    return folder


def card(folder: Path, **keys: Any) -> Any:
    return inline_card({**KEEP, **keys}, folder)


def of_text(folder: Path, **inputs: Any) -> Any:
    """Return the card of the same table as text."""
    one_hot = {"kind": {"one-hot": KINDS}, "text": {"one-hot": ["u", "v"]}}
    codes = {"b": {"False": 0, "True": 1}, **one_hot, **inputs}
    order = {"x": "number", **codes}
    return card(folder, path="own.csv", inputs=order)


@pytest.mark.parametrize("ending", ["parquet", "feather", "arrow"])
def test_typed_columns_are_encoded_by_themselves(folder: Path, ending: str) -> None:
    pytest.importorskip("pyarrow")
    path = folder / f"own.{ending}"
    (frame().to_parquet if ending == "parquet" else frame().to_feather)(path)
    found = card(folder, path=path.name)
    assert found.checksum == of_text(folder).checksum
    assert found.classes == {"+": N // 2, "-": N // 2}
    assert np.isfinite(load(found).realization(1).X_train).all()


def test_attributes_of_arff_are_encoded_by_themselves(folder: Path) -> None:
    plain = of_text(folder, b={"one-hot": ["False", "True"]})
    assert card(folder, path="own.arff").checksum == plain.checksum


def test_an_encoding_that_is_said_goes_before_that_of_the_type(folder: Path) -> None:
    found = card(folder, path="own.arff", inputs={"kind": KINDS}, drop=["text"])
    assert found.features == 1 + 1 + 2
    assert found.dropped == ("text",)


def test_sparse_arff_holds_the_same_rows(tmp_path: Path) -> None:
    head = "@relation t\n@attribute a numeric\n@attribute k {p,q}\n@attribute class {0,1}\n@data\n"
    rows = [(i % 3, "pq"[i % 2], i % 2) for i in range(N)]
    dense = "".join(f"{a},{k},{c}\n" for a, k, c in rows)
    sparse = "".join(
        "{" + ",".join(f"{at} {v}" for at, v in enumerate(row) if v not in (0, "p")) + "}\n"
        for row in rows
    )
    (tmp_path / "dense.arff").write_text(head + dense)
    (tmp_path / "sparse.arff").write_text(f"{head}\n% rows\n{sparse}")
    keys = {"target": "class", "split": SPLIT}
    checksums = {
        inline_card({**keys, "path": f"{name}.arff"}, tmp_path).checksum
        for name in ("dense", "sparse")
    }
    assert len(checksums) == 1


WEKA = """@relation t
@attribute age numeric
@attribute dose real
@attribute score INTEGER
@attribute outcome {sick,well}
@data
"""


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        ("numeric", "numeric % years", "{}"),
        ("real", "real [0.0, 99.0]", "{}"),
        ("INTEGER", "integer [0,99]", "{}"),
        ("{sick,well}", "{sick, well} % the class", "{} % a row"),
        ("@data", "@inputs age, dose, score\n@outputs outcome\n@data", "{}"),
        ("@data", "% it's here\n\n@DATA", "{},"),
        ("@data", "@data", "{},{{2}}"),
        ("@attribute age", '@ATTRIBUTE "age"', " {} "),
    ],
)
@pytest.mark.parametrize("name", ["own.arff", "keel.dat"])
def test_arff_is_read_as_weka_moa_and_keel_write_it(
    tmp_path: Path, old: str, new: str, row: str, name: str
) -> None:
    rows = [f"{i}.5,{i % 7},{i % 3},{['sick', 'well'][i % 2]}" for i in range(N)]
    text = WEKA.replace(old, new) + "\r\n".join(row.format(line) for line in rows)
    (tmp_path / name).write_bytes(text.encode("utf-8-sig") + b"\r\n\x1a")
    found = inline_card({"path": name, "target": "outcome", "split": SPLIT}, tmp_path)
    assert found.classes == {"sick": N // 2, "well": N // 2}
    expected = [[i + 0.5, i % 7, i % 3] for i in range(N)]
    np.testing.assert_array_equal(load(found).X, expected)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@DATA", "", "line 10: is not ARFF"),
        ("{+,-}", "{+}", "line 11, column 'class': '-' is not one of its values"),
        ("@attribute x real", "@attribute x complex", "line 3: is not ARFF: the type 'complex'"),
        ("@attribute x real", "@attribute b real", "is not ARFF"),
        ("text string", "text date 'yyyy'", None),
        (",'red',", ",'red,", "a quote is not closed"),
        ("'0.126'", "'0.126", "a quote is not closed"),
        ("@attribute", "@@", "ARFF"),
    ],
)
def test_wrong_arff_is_refused_by_file_and_place(
    tmp_path: Path, old: str, new: str, message: str | None
) -> None:
    (tmp_path / "own.arff").write_text(arff().replace(old, new))
    if message is None:  # what a date holds tells it, and these are texts
        card(tmp_path, path="own.arff")
        return
    with pytest.raises(UserError, match=message) as refusal:
        card(tmp_path, path="own.arff")
    assert "own.arff" in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1


def test_dates_and_many_texts_are_refused_with_what_to_do(tmp_path: Path) -> None:
    days = [f"'2020-01-{i % 28 + 1:02d}'" for i in range(40)]
    texts = [f"t{i}" for i in range(40)]
    for kind, fields in (("date 'yyyy-MM-dd'", days), ("string", days), ("string", texts)):
        rows = "\n".join(f"{i},{fields[i]},{i % 2}" for i in range(40))
        (tmp_path / "own.arff").write_text(
            f"@relation t\n@attribute a real\n@attribute d {kind}\n@attribute class {{0,1}}\n"
            f"@data\n{rows}\n"
        )
        keys = {"path": "own.arff", "target": "class", "split": SPLIT}
        what = "dates or times" if fields is days else "40 different texts"
        with pytest.raises(UserError, match=rf"column 'd': holds {what}.*drop: \[\"d\"\]"):
            inline_card(keys, tmp_path)
        assert inline_card({**keys, "drop": ["d"]}, tmp_path).features == 1


def test_rows_that_need_more_memory_than_allowed_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    pd.DataFrame({"a": np.zeros(500_000), "class": True}).to_parquet(tmp_path / "own.parquet")
    pd.DataFrame({"a": np.zeros(500_000), "class": True}).to_feather(tmp_path / "own.feather")
    monkeypatch.setenv("ENSVM_MAX_GIB", "0.003")
    for ending in ("parquet", "feather"):
        with pytest.raises(UserError, match="ENSVM_MAX_GIB"):
            card(tmp_path, path=f"own.{ending}")


@pytest.mark.parametrize("texts", [["1", "1.0", "x"], ["1", "2.0", "+3"], ["a b", "a", "1e5"]])
@pytest.mark.parametrize("kind", [str, "category"])
def test_every_text_of_a_column_is_read(tmp_path: Path, texts: list[str], kind: Any) -> None:
    pytest.importorskip("pyarrow")
    table = frame().assign(text=pd.Series([texts[i % 3] for i in range(N)]).astype(kind))
    table.to_parquet(tmp_path / "own.parquet")
    inputs = load(card(tmp_path, path="own.parquet", drop=["x", "b", "kind"])).X
    np.testing.assert_array_equal(inputs.sum(axis=1), 1)
    assert len(np.unique(inputs, axis=0)) == 3
