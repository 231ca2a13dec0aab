"""Laws of reading text in any dress: the same table, however written, is the same rows."""

import itertools

import numpy as np
import pytest
from pydantic import ValidationError

from ensvm.data.files.delimited_text import Dialect, TableFormat
from ensvm.data.files.encode import Numerals
from ensvm.data.files.file_content import FileContent, Raw
from ensvm.errors import UserError

NUMBERS = np.round(np.random.default_rng(0).normal(scale=3e6, size=(30, 2)), 2)
TEXTS = ["plain", "größe", 'of "two"', "a;b,c", "über\nzwei Zeilen", "# none", "-"]


def read(content: bytes, inputs: object = None, **written: object) -> Raw:
    file = FileContent(content, "file", inputs)  # type: ignore[arg-type]
    dialect = Dialect.model_validate(written)
    return TableFormat.of_own_file(".csv", dialect, {"target": "class"}, file).read(file)


def number(value: float, decimal: str, thousands: str) -> str:
    text = f"{value:,.2f}" if thousands else f"{value:.2f}"
    return text.translate(str.maketrans({",": thousands, ".": decimal}))


@pytest.mark.parametrize(
    ("delimiter", "decimal", "thousands", "encoding", "quote"),
    [
        dress
        for dress in itertools.product(
            [",", ";", "\t", "|", "^", "§"],
            ".,",
            ["", ".", ",", "'", " "],
            ["utf-8", "utf-16", "cp1252"],
            "\"'",
        )
        if dress[1] != dress[2] and dress[4] not in dress[:3]
    ][::5],
)
def test_a_table_in_any_dress_holds_the_same_rows(
    delimiter: str, decimal: str, thousands: str, encoding: str, quote: str
) -> None:
    def field(text: str) -> str:
        return quote + text.replace(quote, 2 * quote) + quote

    lines = [delimiter.join(["a", "t", "b", "class"])]
    for i, (first, second) in enumerate(NUMBERS.tolist()):
        numbers = (number(first, decimal, thousands), number(second, decimal, thousands))
        texts = TEXTS[i % len(TEXTS)], "+-"[i % 2]
        row = numbers[0], texts[0], numbers[1], texts[1]
        lines.append(delimiter.join(map(field, row)))
    raw = read(
        "\r\n".join(lines).encode(encoding),
        {"a": "number", "t": list(map(" ".join, map(str.split, TEXTS))), "b": "number"},
        delimiter=delimiter,
        decimal=decimal,
        encoding=encoding,
        quote=quote,
        missing=[],
        **({"thousands": thousands} if thousands else {}),
    )
    np.testing.assert_array_equal(raw.X[:, [0, 2]], NUMBERS)
    assert raw.X[:, 1].tolist() == [i % len(TEXTS) + 1 for i in range(len(NUMBERS))]
    assert raw.labels.tolist() == ["+-"[i % 2] for i in range(len(NUMBERS))]


def test_lines_before_the_table_are_passed_over_and_counted() -> None:
    text = b"sep=;\nabout this file\na;class\n1;x\nz;y\n"
    with pytest.raises(UserError, match="file, line 5, column 'a': 'z' is not a number"):
        read(text, delimiter=";", skip=2)
    assert read(text.replace(b"z", b"2"), delimiter=";", skip=2).labels.tolist() == ["x", "y"]


def test_blank_lines_and_comments_count_within_quotes_alone() -> None:
    form = TableFormat(type="table", target="class", header=1, comment="#")
    text = b'#\na,class\n\n1,"x\n\n# y"\n#2,z\n3,u\n'
    raw = form.read(FileContent(text, "file"))
    assert raw.labels.tolist() == ["x\n\n# y", "u"]


def test_a_missing_value_is_what_the_file_says() -> None:
    text = b"a,class\n-999,x\nNA,y\n1,x\n"
    options = {"target": "class", "incomplete": "keep"}
    file = FileContent(text, "file")
    form = TableFormat.of_own_file(".csv", Dialect(missing=["-999", "NA"]), options, file)
    np.testing.assert_array_equal(form.read(file).X[:, 0], [np.nan, np.nan, 1.0])


@pytest.mark.parametrize(
    "text", ["1.5", "1,2,3", "12.34", "1.2345", "1 000", "", "1.000.00", "x", "1,5e", "0x1", "1_0"]
)
def test_a_number_in_another_writing_is_refused(text: str) -> None:
    numerals = Numerals(",", ".")
    assert np.isnan(numerals.read(["1,5", text])).tolist() == [False, True]
    assert "is not a number; the decimal mark is ','; the mark of" in numerals.problem(text)


@pytest.mark.parametrize(
    "written",
    [
        {"encoding": "klingon"},
        {"encoding": "base64"},
        {"delimiter": ";;"},
        {"delimiter": ""},
        {"delimiter": "\n"},
        {"decimal": "·"},
        {"decimal": ",", "thousands": ","},
        {"thousands": "0"},
        {"quote": "x"},
        {"quote": "'", "delimiter": "'"},
        {"skip": -1},
        {"seperator": ";"},
    ],
)
def test_a_dialect_that_cannot_be_is_refused(written: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Dialect.model_validate(written)
