"""Content that a reader refuses: one line that names the file, the place and what is wrong."""

import io
from typing import Any

import numpy as np
import pytest

from ensvm.data.files.arff_text import ArffFormat
from ensvm.data.files.binary_arrays import IdxFormat, NpzFormat
from ensvm.data.files.delimited_text import Dialect, TableFormat
from ensvm.data.files.file_content import FileContent, FileFormat
from ensvm.data.files.libsvm_text import LibsvmFormat
from ensvm.errors import UserError

INPUTS = {
    "age": "number",
    "size": ["small", "large"],
    "code": "integer-after-letter",
    "sex": {"f": 0, "m": 1},
}
ONE, IMAGES_OF_ONE = np.ones((2, 1)), np.arange(6, dtype=np.uint8).reshape(1, 2, 3)


def table(**settings: object) -> TableFormat:
    return TableFormat.model_validate({"type": "table", "target": "class", "header": 1} | settings)


def own_table(**written: object) -> TableFormat:
    dialect = Dialect.model_validate(written)
    return TableFormat.of_own_file(".csv", dialect, {"target": "class"}, FileContent(b"", "file"))


def npz(**arrays: object) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def idx(values: np.ndarray[Any, Any]) -> bytes:
    header = bytes([0, 0, 8, values.ndim]) + np.array(values.shape, ">u4").tobytes()
    return header + values.tobytes()


PIXELS, DIGIT = idx(IMAGES_OF_ONE), idx(np.array([3], np.uint8))
NO_PIXELS, NO_DIGITS = idx(IMAGES_OF_ONE[:0]), idx(np.array([], np.uint8))

TABLES = [
    (table(), b"", "no header line"),
    (table(header=0, target=0), b"", "holds no rows"),
    (table(), b"u,class\n", "holds no rows"),
    (table(), b"u,klass\n1,2\n", "no column 'class'; did you mean 'klass'"),
    (table(header=0, target=2), b"1,2\n", "target: 2 is not a column"),
    (table(missing=["?"], incomplete="drop"), b"u,class\n?,1\n", "no row is complete"),
    (own_table(), b"a,class\n1,\xe9\n", r"line 2: is not UTF-8 text.*encoding: cp1252"),
    (own_table(encoding="utf-16"), b"a,class\n1,x", "is not utf-16 text"),
    (own_table(encoding="latin-1"), b"a,class\n1,x\n\0", "line 3: is not latin-1.*zero byte"),
    (own_table(), b'a,class\n1,"x\n' + b"1,x\n" * 50_000, "a field has more .* is a quote not"),
    (own_table(), b"a,class\n2020-01-31,x\n", "line 2, column 'a'.*days since the first"),
    (
        own_table(delimiter=";", decimal=","),
        b"a;class\n1.5;x\n",
        "line 2, column 'a': '1.5' is",
    ),
    (own_table(), b'u,v,class\n1,"2,a\n3,4,b\n5,6,a\n', 'line 2: a quote " is not closed'),
    (own_table(), b'u,v,class\n1,2,a\n3,4,"b\n', 'line 3: a quote " is not closed'),
    (own_table(), b'u,v,class\n1,2,1\n3,"4\n5",0\n5,6,1\n', "line 3[:,] "),
    (
        own_table(delimiter="whitespace"),
        b'u v class\n1 "2 a\n3 4" b\n5 6 a\n',
        'line 2: a quote " is not closed',
    ),
]
FIELDS = [
    (b"x,small,A1,m,a", "line 3, column 'age': 'x' is not a number"),
    (b"inf,small,A1,m,a", "line 3, column 'age': 'inf' is not a finite number"),
    (
        b"1,smal,A1,m,a",
        r"line 3, column 'size': 'smal' is unknown; did you mean 'small'\?.*small, large",
    ),
    (b"1,small,41,m,a", "line 3, column 'code': '41' is not a letter and an integer"),
    (b"1,small,A1,x,a", "line 3, column 'sex': 'x' is unknown.*f, m"),
    (b"1,small,A1,m", "line 3: 4 fields; expected 5"),
    (b"1,small,A1,m,", "line 3, column 'class'.*missing"),
]
LIBSVM = [
    (b"1 1:1\n-1 4000000000:1\n1 1:2\n", "line 2: "),
    (b"1 1:1\n-1 1:1\n1 99999999999999999999999:2\n", "line 3: "),
    ("1 1:1\n-1 1:1\n".encode("utf-16"), "is text in UTF-16; save it in UTF-8"),
    (b"1 1:1\n-1 1:x\n1 1:2\n", "line 2: "),
    (b"one 1:1\n-1 1:1\n", "line 1: "),
    (b"1 1:1\n-1 -1:1\n", "line 2: "),
    (b"1 1:1\n-1 2:1 1:1\n", "line 2: "),
    (b"1 1:1\n-1 1:1e400\n", "row 2, column 1"),
    (b"1 1:1 7:nan\n-1 1:1\n", "row 1, column 7"),
    (b"1 1:1\n\n# none\n-1 1:1 3:1e308\n", "row 2, column 3"),
    (b"1 1:1\nnan 1:1\n", "row 2: the label"),
    (b"9007199254740993 1:1\n-1 1:1\n", "row 1: the label"),
    (b"1 1:1\n-1 2000000000:1\n", "columns; accepted"),
    (b"1 1:1\n-1 qid:3 1:1\n", "line 2: has a qid, .*; accepted: "),
]
NOMINAL = b"@relation r\n@attribute a real\n@attribute b real\n@attribute class {u,v}\n@data\n"
ARFFS = [
    (NOMINAL + b"1,2,u\n1,2\n", "line 7: is not ARFF: 2 values; expected 3"),
    (NOMINAL + b"1,2,u\n1\n", "line 7: is not ARFF: 1 value; expected 3"),
    (NOMINAL + b"1,2,w\n", r"line 6, column 'class': 'w' is not one .* \(accepted: u, v\)"),
    (NOMINAL + b"{0 1, 0 2, 2 v}\n", "line 6: is not ARFF: attribute 0 stands twice"),
    (NOMINAL + b"{3 1}\n", "line 6: is not ARFF: there is no attribute 3"),
    (NOMINAL.replace(b"b real", b"b relational"), "line 3: .*'relational' is unknown; accepted: "),
    (NOMINAL.replace(b"b real", b"a real"), "line 3: is not ARFF: several attributes are called"),
]
ARCHIVES: list[tuple[dict[str, object], str]] = [
    ({"X": ONE}, "no array 'y'"),
    ({"X": ONE, "y": np.ones(3)}, r"shapes \(n, d\)"),
    ({"X": np.array([[np.nan], [1]]), "y": np.ones(2)}, "finite"),
    ({"X": np.array([["a"], ["b"]]), "y": np.ones(2)}, "finite"),
    ({"X": ONE, "y": [0, np.nan]}, "row 2 of y: the label is missing"),
    ({"X": ONE, "y": ["a", "nan"]}, "row 2 of y: the label is missing"),
    ({"X": ONE, "y": np.ones(2), "train": [[0]]}, "belong together"),
    ({"X": ONE, "y": np.ones(2), "train": [[0.5]], "test": [[1]]}, "row numbers"),
]
IMAGES = [
    (["7"], PIXELS, DIGIT, "no image has the label '7'"),
    (None, PIXELS, NO_DIGITS, "1 images, but 0 labels"),
    (None, PIXELS[:-1], DIGIT, "images are 5 bytes; the header says 1 x 2 x 3"),
    (None, DIGIT, DIGIT, "images are not idx"),
    (None, PIXELS, PIXELS, "labels are not idx"),
    (None, b"", DIGIT, "images are not idx"),
    (None, PIXELS[:9], DIGIT, "images are not idx"),
    (None, NO_PIXELS, NO_DIGITS, "holds no rows"),
]
HEAD = b"age,size,code,sex,class\n1,small,A1,f,b\n"
REFUSED = [
    *((form, FileContent(text, "file"), message) for form, text, message in TABLES),
    *((table(), FileContent(HEAD + row, "file", INPUTS), message) for row, message in FIELDS),
    *((LibsvmFormat(type="libsvm"), FileContent(text, "file"), place) for text, place in LIBSVM),
    *((ArffFormat(type="arff", target="class"), FileContent(*c, "file"), m) for *c, m in ARFFS),
    *((NpzFormat(type="npz"), FileContent(npz(**a), "file"), message) for a, message in ARCHIVES),
    *(
        (IdxFormat(type="idx", keep=keep), FileContent(pixels, "file", labels=labels), message)
        for keep, pixels, labels, message in IMAGES
    ),
]


@pytest.mark.parametrize(("form", "content", "message"), REFUSED)
def test_wrong_content_is_refused_by_its_place(
    form: FileFormat, content: FileContent, message: str
) -> None:
    with pytest.raises(UserError, match=f"^file.*{message}") as refusal:
        form.read(content)
    assert len(str(refusal.value).splitlines()) == 1
