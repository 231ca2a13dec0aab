"""Reading tables: every value in its column; a wrong one named by file, line and column."""

import numpy as np
import pytest

from ensvm.data.files.delimited_text import TableFormat
from ensvm.data.files.encode import Inputs, encoded_columns
from ensvm.data.files.file_content import FileContent, Raw
from ensvm.errors import UserError

INPUTS = {
    "age": "number",
    "size": ["small", "large"],
    "code": "integer-after-letter",
    "sex": {"f": 0, "m": 1},
}


def form(**settings: object) -> TableFormat:
    return TableFormat.model_validate({"type": "table", "target": "class", **settings})


def read_table(content: bytes, form: TableFormat, inputs: Inputs | None, where: str) -> Raw:
    return form.read(FileContent(content, where, inputs))


@pytest.mark.parametrize(("delimiter", "mark"), [("bar", "|"), ("whitespace", " ")])
def test_columns_are_taken_by_name_in_the_order_of_the_card(delimiter: str, mark: str) -> None:
    lines = ["sex,class,code,size,extra,age", "m,good,A410,large,9,30", "f,bad,A40,small,9,-2.5"]
    text = "\n".join(lines).replace(",", mark)
    raw = read_table(text.encode(), form(delimiter=delimiter, header=1), INPUTS, "file")
    np.testing.assert_array_equal(raw.X, [[30, 2, 410, 1], [-2.5, 1, 40, 0]])
    assert raw.labels.tolist() == ["good", "bad"]


@pytest.mark.parametrize(("delimiter", "mark"), [("comma", ","), ("whitespace", " ")])
def test_two_quotes_within_quotes_stand_for_one(delimiter: str, mark: str) -> None:
    text = f'1{mark}"say ""a b"""\n2{mark}plain\n'
    raw = read_table(text.encode(), form(target=1, delimiter=delimiter), None, "file")
    assert raw.labels.tolist() == ['say "a b"', "plain"]


@pytest.mark.parametrize("label", ["1", "+1", "1.0", "1.000000e+00"])
@pytest.mark.parametrize("other", ["2", "1.5", "7F", "word"])
def test_numbers_are_one_label_however_written_unless_a_label_is_a_text(
    label: str, other: str
) -> None:
    text = f"{label},2\n1,2\n{other},3\n"
    raw = read_table(text.encode(), form(target=0), None, "file")
    texts = other in ("7F", "word")
    assert raw.labels.tolist() == [label if texts else "1", "1", other]


def test_comments_blank_lines_crlf_and_byte_order_mark_are_passed_over() -> None:
    text = "\ufeff@relation x\r\n@data\r\n\r\n1,2,a\r\n3,4,b\r\n\r\n"
    raw = read_table(text.encode(), form(comment="@", columns=["u", "v", "class"]), None, "file")
    np.testing.assert_array_equal(raw.X, [[1, 2], [3, 4]])


def test_labels_of_a_source_are_renamed_to_those_of_the_card() -> None:
    settings = form(target=1, labels={"positive": "1", "negative": "0"})
    raw = read_table(b"5,positive\n6,negative\n", settings, None, "file")
    assert raw.labels.tolist() == ["1", "0"]


def test_incomplete_rows_are_dropped_only_when_asked() -> None:
    text = b"u,v,class\n1,?,a\n2,5,b\n?,6,a\n"
    dropped = read_table(text, form(header=1, missing=["?"], incomplete="drop"), None, "file")
    np.testing.assert_array_equal(dropped.X, [[2, 5]])
    with pytest.raises(UserError, match=r"file, line 2, column 'v'.*missing"):
        read_table(text, form(header=1, missing=["?"]), None, "file")


def test_one_hot_gives_a_column_for_each_value_in_the_order_of_the_card() -> None:
    inputs = {"size": {"one-hot": ["1", "0", "2"]}, "age": "number"}
    raw = read_table(b"age,size,class\n7,0,a\n8,2.0,b\n9,1,a\n", form(header=1), inputs, "file")
    np.testing.assert_array_equal(raw.X, [[0, 1, 0, 7], [0, 0, 1, 8], [1, 0, 0, 9]])
    assert encoded_columns(inputs) == ["size=1", "size=0", "size=2", "age"]


def test_word_named_under_none_has_no_column() -> None:
    inputs = {"size": {"one-hot": ["s", "m"], "none": ["?", "-"]}}
    raw = read_table(b"size,class\nm,a\n?,b\n-,a\ns,b\n", form(header=1), inputs, "file")
    np.testing.assert_array_equal(raw.X, [[0, 1], [0, 0], [0, 0], [1, 0]])
    with pytest.raises(UserError, match=r"line 2, column 'size': 'x' is unknown"):
        read_table(b"size,class\nx,a\n", form(header=1), inputs, "file")


def test_intervals_give_a_column_each_and_an_end_belongs_to_the_lower_one() -> None:
    inputs = {"age": {"intervals": [25, 32.5]}}
    numbers = [-1e9, 25, 25.001, 32.5, 33, 1e9]
    text = "age,class\n" + "".join(f"{number},a\n" for number in numbers)
    raw = read_table(text.encode(), form(header=1), inputs, "file")
    assert raw.X.argmax(axis=1).tolist() == [0, 0, 1, 1, 2, 2]
    np.testing.assert_array_equal(raw.X.sum(axis=1), 1)
    assert encoded_columns(inputs) == ["age=..25", "age=25..32.5", "age=32.5.."]
    with pytest.raises(UserError, match=r"line 2, column 'age': 'old' is not a number"):
        read_table(b"age,class\nold,a\n", form(header=1), inputs, "file")


def test_rows_of_other_labels_than_those_kept_are_left_out() -> None:
    text = b"class,u\n3,1\n5,2\n8.0,3\n7,4\n"
    raw = read_table(text, form(header=1, keep=["8", "3"]), None, "file")
    np.testing.assert_array_equal(raw.X, [[1], [3]])
    assert raw.labels.tolist() == ["3", "8"]


def test_file_encoded_one_hot_names_its_columns_by_value() -> None:
    inputs = {"size": {"one-hot": ["s", "m"]}, "age": "number"}
    text = b"age,size=s,size=m,class\n7,0,1,a\n8,?,?,b\n"
    raw = read_table(
        text, form(header=1, encoded=True, missing=["?"], incomplete="keep"), inputs, "file"
    )
    np.testing.assert_array_equal(raw.X, [[0, 1, 7], [np.nan, np.nan, 8]])


def test_missing_inputs_are_kept_as_nan_in_every_column_they_become() -> None:
    inputs = {
        "age": "number",
        "size": ["s", "m"],
        "hue": {"one-hot": ["r", "b"]},
        "code": "integer-after-letter",
    }
    text = b"age,size,hue,code,class\n?,m,b,A4,a\n5,?,r,,b\n6,s,?,A7,a\n"
    nan = np.nan
    raw = read_table(text, form(header=1, missing=["?"], incomplete="keep"), inputs, "file")
    np.testing.assert_array_equal(
        raw.X, [[nan, 2, 0, 1, 4], [5, nan, 1, 0, nan], [6, 1, nan, nan, 7]]
    )
    assert raw.labels.tolist() == ["a", "b", "a"]


def test_rows_without_a_class_are_dropped_only_when_asked() -> None:
    text = b"u,class\n1,?\n?,b\n3,a\n"
    keys = {"header": 1, "missing": ["?"]}
    kept = read_table(text, form(**keys, incomplete="keep", unlabelled="drop"), None, "file")
    np.testing.assert_array_equal(kept.X, [[np.nan], [3]])
    dropped = read_table(text, form(**keys, incomplete="drop"), None, "file")
    np.testing.assert_array_equal(dropped.X, [[3]])
    with pytest.raises(UserError, match=r"line 2, column 'class'.*`unlabelled: drop`"):
        read_table(text, form(**keys, incomplete="keep"), None, "file")
    with pytest.raises(UserError, match=r"line 3, column 'u'.*`incomplete: drop`"):
        read_table(text, form(**keys, unlabelled="drop"), None, "file")


def test_several_comments_other_quotes_and_letter_case() -> None:
    text = b"% about\n@data\n1,'No, never',YES\n2,'often','no'\n"
    keys = {"columns": ["u", "v", "class"], "comment": ["%", "@"], "quote": "'", "lowercase": True}
    raw = read_table(text, form(**keys), {"v": ["no, never", "often"]}, "file")
    np.testing.assert_array_equal(raw.X, [[1], [2]])
    assert raw.labels.tolist() == ["yes", "no"]


def test_corrections_mend_what_is_there_exactly_once() -> None:
    broken = b"1,2,\na\n,3,4,b\n"
    raw = read_table(
        broken, form(target=2, corrections={"2,\na": "2,a", "\n,3": "\n3"}), None, "file"
    )
    np.testing.assert_array_equal(raw.X, [[1, 2], [3, 4]])
    for absent in ("5,6", ","):
        with pytest.raises(UserError, match=f"corrections: '{absent}' is there . times"):
            read_table(broken, form(target=2, corrections={absent: ""}), None, "file")


def test_numbers_are_read_to_the_last_bit_whatever_stands_beside_them() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4)) * 10.0 ** rng.integers(-300, 90, (30, 4))
    lines = [",".join(map(repr, map(float, row))) + ",a" for row in X]
    text = "\n".join([*lines, "?,1,2,3,b", ""])  # a column with a gap is read field by field
    raw = read_table(text.encode(), form(target=-1, missing=["?"], incomplete="keep"), None, "file")
    np.testing.assert_array_equal(raw.X, [*X, [np.nan, 1, 2, 3]])


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("u,class", ["1,5,a", "2,5,b", "3,5,a"]),  # a decimal comma, not names of rows
        ("u,class", ["1,2,a", "1,3,b"]),
        ("u,class", ["1,2,a", "1,3"]),
        ("u;v,class", ["1,2,a", "2,3,b"]),
    ],
)
def test_a_header_of_another_width_is_refused_unless_rows_have_names(
    header: str, rows: list[str]
) -> None:
    with pytest.raises(UserError, match=r"file, line 2: 3 fields; expected 2"):
        read_table("\n".join([header, *rows]).encode(), form(header=1), None, "file")


@pytest.mark.parametrize("first", ['"1"', "car1"])
def test_names_of_rows_that_r_writes_are_left_out(first: str) -> None:
    text = f'"u","class"\n{first},5,"a"\n{first.replace("1", "2")},6,"b"\n'
    raw = read_table(text.encode(), form(header=1), None, "file")
    np.testing.assert_array_equal(raw.X, [[5], [6]])
