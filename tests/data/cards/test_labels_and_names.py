"""Laws of users' labels and names: what differs stays apart, what is missing is no class."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensvm.data import inline_card, load
from ensvm.errors import UserError

KFOLD = {"protocol": "kfold", "n_splits": 2}


def own(folder: Path, text: str, name: str = "own.csv", **keys: Any) -> Any:
    (folder / name).write_text(text)
    return inline_card({"path": name, "target": "y", "split": KFOLD, **keys}, folder)


@pytest.mark.parametrize("keys", [{}, {"inputs": {"u": "number"}}, {"drop": ["u"]}])
@pytest.mark.parametrize("header", ["u,y,y", "u,u,y", "u, y,y", "u,,"])
def test_columns_of_one_name_are_refused(tmp_path: Path, header: str, keys: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"own\.csv: several columns are called"):
        own(tmp_path, f"{header}\n1,0,0\n2,1,1\n3,0,0\n4,1,1\n", **keys)


@pytest.mark.parametrize("missing", ["nan", "NaN", "NAN", "-nan", "+NaN", "", "?"])
@pytest.mark.parametrize("others", ["01", "ab"])
def test_missing_label_is_no_class(tmp_path: Path, missing: str, others: str) -> None:
    a, b = others
    text = f"u,y\n1,{a}\n2,{b}\n3,{missing}\n4,{a}\n5,{b}\n"
    with pytest.raises(UserError, match=r"own\.csv, line 4, column 'y': .*missing.*`incomplete:"):
        own(tmp_path, text)
    card = own(tmp_path, text, incomplete="drop")
    assert card.classes == {a: 2, b: 2}
    np.testing.assert_array_equal(load(card).X.ravel(), [1, 2, 4, 5])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "001"),
        ("0.1", "0.10000000000000001"),
        ("12345678901234567890", "12345678901234567891"),
        ("1e23", "99999999999999991611392"),
        ("0", "00"),
    ],
)
def test_labels_that_differ_stay_apart(tmp_path: Path, one: str, other: str) -> None:
    rows = [one, other, one, other, "7", "7"]
    card = own(tmp_path, "u,y\n" + "".join(f"{k},{label}\n" for k, label in enumerate(rows)))
    assert set(card.classes) == {one, other, "7"}
    assert len(set(load(card).y[:2])) == 2


@pytest.mark.parametrize("count", [128, 129, 300])
@pytest.mark.parametrize("sparse", [True, False])
def test_any_number_of_classes_keeps_its_codes(tmp_path: Path, count: int, sparse: bool) -> None:
    labels = np.arange(2 * count) % count
    if sparse:
        text = "".join(f"{label} 1:{k + 1}\n" for k, label in enumerate(labels))
        (tmp_path / "own.svm").write_text(text)
        card = inline_card({"path": "own.svm", "split": KFOLD}, tmp_path)
    else:
        text = "u,y\n" + "".join(f"{k},{label}\n" for k, label in enumerate(labels))
        card = own(tmp_path, text)
    found = load(card)
    assert [found.classes[code] for code in found.y] == labels.astype(str).tolist()
    assert (found.y.dtype == np.int8) == (count <= 128)


@pytest.mark.parametrize("value", ["1e308", "-1e308", "1e400", "1e101", "inf", "1_000"])
def test_number_too_large_to_compute_with_is_named(tmp_path: Path, value: str) -> None:
    text = f"u,v,y\n1,2,1\n3,{value},0\n4,5,1\n6,7,0\n"
    with pytest.raises(UserError, match=r"own\.csv, line 3, column 'v': "):
        own(tmp_path, text)
    with pytest.raises(UserError, match=r"own\.csv, line 3, column 'v': "):
        own(tmp_path, text, inputs={"v": "number"})


@pytest.mark.parametrize("kind", [np.longdouble, np.float64])
def test_number_too_large_in_an_archive_is_named(tmp_path: Path, kind: type) -> None:
    X = np.ones((4, 3), dtype=kind)
    X[2, 1] = np.finfo(kind).max / 10
    np.savez(tmp_path / "own.npz", X=X, y=[0, 1, 0, 1])
    with pytest.raises(UserError, match="row 3, column 2 of X"):
        inline_card({"path": "own.npz", "split": KFOLD}, tmp_path)


def test_column_that_scaling_makes_infinite_is_named(tmp_path: Path) -> None:
    text = "u,v,y\n1,1e-300,0\n2,3e-300,1\n"
    split = {"protocol": "official"}
    (tmp_path / "test.csv").write_text("u,v,y\n3,1e50,0\n")
    card = own(tmp_path, text, split=split, test="test.csv", scaling="minmax")
    with pytest.raises(UserError, match="'minmax' of column 'v'"):
        load(card).realization(1)
