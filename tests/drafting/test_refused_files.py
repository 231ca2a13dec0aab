"""Files that `ensvm init` refuses: one line that names the file, the place and what is wrong."""

import io
from pathlib import Path

import numpy as np
import pytest

from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError

N = 40
X, Y = np.random.default_rng(0).normal(size=(N, 3)), np.arange(N) % 2


def csv(names: str, row: str) -> str:
    """Return a table of N rows: `row` with its number i, i squared, and one of two classes."""
    rows = (row.format(i=i, square=i * i, label="ab"[i % 2], rare="ab"[i == 5]) for i in range(N))
    return "\n".join([names, *rows]) + "\n"


def npz(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    return buffer.getvalue()


GOOD = csv("x,label", "{i}.5,{label}")
ROWS = GOOD.removeprefix("x,label\n")
CHOICE = csv("x,c,label", "{i}.5,1,{label}")
ARFF = "@relation r\n@attribute x real\n@attribute label {a,b}\n@data\n" + ROWS
LABELS_ALONE = "@relation r\n@attribute label {a,b}\n@data\n" + "a\nb\n" * 20
REFUSED = [
    ("labels.libsvm", "1\n-1\n" * 20, {}, "has no inputs: every row is a label alone"),
    # tables of text
    ("odd.csv", "," * 9 + "\n" + "," * 9, {}, "holds no values"),
    ("odd.csv", "", {}, "is empty"),
    ("odd.csv", "x,label\n", {}, "no rows"),
    ("odd.csv", "x,label\n1,a\n2,b\n", {}, "2 rows; accepted: 10 or more"),
    ("odd.csv", "x,label\n" + "1,a\n2,a\n" * 9, {}, "'label' holds 'a' alone"),
    ("odd.csv", "label\n" + "a\nb\n" * 9, {}, "no delimiter"),
    ("odd.csv", f'x,label\n1,"a\n{ROWS}', {}, 'line 2: a quote " is not closed'),
    ("odd.csv", f'x,y,label\n1,"2,a\n{ROWS}3,4",a,b\n', {}, "line 2: 4 fields; expected 3"),
    ("odd.csv", f"x,y,label\n1,2,a\n1,2\n{ROWS}", {}, "line 3: 2 fields; expected 3"),
    ("odd.csv", f"{GOOD}1,2,3\n", {}, f"line {N + 2}: 3 fields; expected 2"),
    ("odd.csv", f"x,y,label\n{ROWS}1,2,a\n", {}, "line 2: 2 fields; expected 3"),
    ("odd.csv", GOOD, {"written": {"delimiter": "ab"}}, "'ab' is not a delimiter"),
    ("odd.csv", GOOD, {"groups": "nowhere"}, "--groups: there is no column 'nowhere'"),
    ("odd.csv", "1,a\n" * 600, {}, "more than 1,000 fields (2 columns)"),
    ("odd.csv", csv("x,y", "{i}.5,{square}.25"), {"target": "y"}, "numbers to be predicted"),
    ("odd.csv", csv("x,label", "t{i},{label}"), {}, "no column is left as an input"),
    ("odd.csv", csv("x,label", "{i}.5,{rare}"), {}, "need two or more"),
    ("odd.csv", CHOICE, {"target": "lable"}, "did you mean 'label'"),
    ("odd.csv", CHOICE, {"target": "7"}, "--target: 7 is not a column; there are 3"),
    ("odd.csv", CHOICE, {"target": "x"}, "numbers to be predicted"),
    ("odd.csv", CHOICE, {"target": "c"}, "only the class '1'"),
    # other files that are called a table
    ("odd.csv", bytes(range(256)) * 9, {}, "is not text but a binary file"),
    ("odd.csv", b"PK\x03\x04" + b"x" * 99, {}, "a damaged zip archive"),
    ("odd.csv", '[{"a": 1}]', {}, "JSON"),
    ("odd.csv", "1 1:2 3:4\n-1 2:1\n" * 9, {}, "LIBSVM"),
    ("odd.data", "PAR1...", {}, "rename it to end in .parquet"),
    ("odd.data", "ARROW1..", {}, "rename it to end in .feather"),
    # tables whose columns have types
    ("odd.parquet", "x,label\n", {}, "is not a Parquet table"),
    ("odd.feather", "", {}, "is empty"),
    ("odd.arff", "@relation r\n@attribute x real\n@data\n1,2\n", {}, "is not ARFF"),
    ("odd.arff", "@relation r\n@attribute x real\n@data\n", {}, "holds no rows"),
    ("odd.arff", LABELS_ALONE, {}, "has one column"),
    ("odd.arff", ARFF, {"header": True}, "--header"),
    ("odd.arff", ARFF, {"target": "lable"}, "did you mean 'label'"),
    # archives
    ("odd.npz", npz(X_train=X, y_train=Y), {}, "found: X_train, y_train; save it again with X"),
    ("odd.npz", npz(X=X[:, :, None], y=Y), {}, "not of shapes"),
    ("odd.npz", npz(X=X, y=X[:, 0]), {}, "numbers to be predicted"),
    ("odd.npz", npz(X=X, y=np.zeros(N)), {}, "only the class '0'"),
    ("odd.npz", npz(X=X[:, :0], y=Y), {}, "has no inputs"),
    ("odd.npz", npz(X=X[:4], y=Y[:4]), {}, "4 rows have a label; accepted: 10 or more"),
    ("odd.npz", npz(X=X, y=Y, train=np.arange(9), test=np.array([N])), {}, "odd.npz"),
    ("odd.npz", npz(X=X, y=Y), {"target": "y"}, "--target"),
    ("odd.npz", npz(X=X, y=Y), {"header": True}, "--header"),
    ("odd.npz", npz(X=X, y=Y), {"config": Path("odd.npz")}, "would be written over"),
]


@pytest.mark.parametrize(
    ("name", "content", "options", "message"), REFUSED, ids=[message for *_, message in REFUSED]
)
def test_an_odd_file_is_refused_by_name_and_place(
    name, content, options, message, tmp_path, monkeypatch
):
    if name.endswith((".parquet", ".feather")):
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ensvm.drafting.table_guess.MAX_FIELDS", 1_000)
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(UserError) as refusal:
        draft_study(Path(name), **options)
    assert name in str(refusal.value)
    assert message in str(refusal.value)
    assert len(str(refusal.value).splitlines()) == 1
