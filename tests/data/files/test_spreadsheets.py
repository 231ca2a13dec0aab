"""Workbooks: a sheet is read as the same table written as CSV."""

import sys
from datetime import date
from pathlib import Path

import pytest
from workbooks import ods, xlsx, zipped

from ensvm.data import inline_card, load
from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError

HEAD = ["size", "count", "colour", "flag", "day", "label"]
ROWS = [
    [
        k * 37 % 41 / 8,
        k * 17 % 23,
        ["dark blue", "red, or so"][k % 5 % 2],
        k % 3 == 0,
        date(2024, 1, 1 + k % 28),
        "ab"[k * k % 3 % 2],
    ]
    for k in range(1, 41)
]
TABLE = [HEAD, *ROWS]
SPLIT = {"protocol": "kfold", "n_splits": 5}
WRITERS = pytest.mark.parametrize(("ending", "write"), [("xlsx", xlsx), ("ods", ods)])


@pytest.fixture
def calamine():
    pytest.importorskip("python_calamine")


def csv(rows):
    quoted = ('"' + str(field) + '"' for row in rows for field in row)
    return "\n".join(",".join(next(quoted) for _ in row) for row in rows) + "\n"


def drafted(folder: Path, name: str, content: bytes, **options):
    (folder / name).write_bytes(content)
    return draft_study(folder / name, folder / f"{name}.yaml", **options)


@pytest.mark.usefixtures("calamine")
@WRITERS
@pytest.mark.parametrize("first", [[], [[]] * 3, [["A title"], []]], ids=["", "blank", "title"])
@pytest.mark.parametrize("last", [[], [[]] * 2, [[], ["a note"]]], ids=["", "blank", "note"])
def test_a_sheet_is_read_as_the_same_table_of_text(tmp_path, ending, write, first, last):
    sheet = [[None, *row] for row in (*first, *TABLE, *last)]  # the table begins in column B
    of_sheet = drafted(tmp_path, f"own.{ending}", write({"Data": sheet, "Empty": []}))
    of_text = drafted(tmp_path, "own.csv", csv(TABLE).encode())
    assert [column.kind for column in of_sheet.columns] == [c.kind for c in of_text.columns]
    cards = [inline_card(each.block, tmp_path) for each in (of_sheet, of_text)]
    assert cards[0].checksum == cards[1].checksum
    assert load(cards[0]).X.shape == (40, 5)
    assert of_sheet.options == "--sheet, --header"
    assert of_text.options == "--encoding, --delimiter, --header"


@pytest.mark.usefixtures("calamine")
def test_of_several_sheets_one_is_named(tmp_path):
    others = [HEAD, *([row[0] + 1, *row[1:]] for row in ROWS)]
    book = {"2023": TABLE, "2024": others}
    with pytest.raises(UserError, match=r"own.xlsx: several sheets .*'2023', '2024'.*--sheet NAME"):
        drafted(tmp_path, "own.xlsx", xlsx(book))
    checksums = set()
    for sheet in book:
        draft = drafted(tmp_path, "own.xlsx", xlsx(book), written={"sheet": sheet})
        assert draft.block["format"] == {"sheet": sheet}
        written = draft.block | {"format": {"sheet": int(sheet)}}  # as YAML reads 2023
        assert (
            inline_card(written, tmp_path).checksum == inline_card(draft.block, tmp_path).checksum
        )
        checksums.add(inline_card(draft.block, tmp_path).checksum)
    assert len(checksums) == 2
    with pytest.raises(UserError, match=r"no sheet '2022'; did you mean '202.*sheets: 2023, 2024"):
        drafted(tmp_path, "own.xlsx", xlsx(book), written={"sheet": "2022"})
    assert drafted(tmp_path, "own.xlsx", xlsx(book, hidden=["2023"])).rows == 40


@pytest.mark.usefixtures("calamine")
@pytest.mark.parametrize("cell", [None, "=A1*2", "#DIV/0!"])
def test_a_cell_without_a_value_is_missing(tmp_path, cell):
    rows = [HEAD, [cell, *ROWS[0][1:]], *ROWS[1:]]
    (tmp_path / "own.xlsx").write_bytes(xlsx({"Data": rows}))
    block = {"path": "own.xlsx", "target": "label", "drop": ["day", "colour", "flag"]}
    with pytest.raises(UserError, match=r"own.xlsx, line 2, column 'size': the value is missing"):
        inline_card({**block, "split": SPLIT}, tmp_path)


@pytest.mark.usefixtures("calamine")
@pytest.mark.parametrize(
    ("content", "written", "message"),
    [
        (xlsx({"Data": TABLE}, merged="C2:C5"), {}, "'Data', rows 2 to 5, column 3: merged cells"),
        (xlsx({"Data": []}), {}, "no sheet has values"),
        (xlsx({"Data": TABLE})[:-99], {}, "a damaged zip archive"),
        (zipped({"xl/workbook.xml": "<workbook>"}), {}, "is not a whole workbook"),
        (xlsx({"Data": TABLE}), {"encoding": "cp1252"}, "encoding: is for tables of text; remove"),
        (xlsx({"Data": TABLE}), {"delimiter": ";"}, "delimiter: is for tables of text; remove"),
        (csv(TABLE).encode(), {"sheet": "Data"}, "sheet: is for workbooks; remove it"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, content, written, message):
    (tmp_path / "own.xlsx").write_bytes(content)
    block = {"path": "own.xlsx", "target": "label", "format": written or None, "split": SPLIT}
    with pytest.raises(UserError, match=f"own.xlsx.*{message}"):
        drafted(tmp_path, "own.xlsx", content, written=written)
    with pytest.raises(UserError, match=f"own.xlsx.*{message}"):
        inline_card({key: value for key, value in block.items() if value}, tmp_path)


@WRITERS
@pytest.mark.parametrize("name", ["own", "own.csv", "own.parquet"])
def test_without_the_library_the_remedy_is_named(tmp_path, monkeypatch, ending, write, name):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(UserError, match=r"pip install 'ensvm\[excel\]', or save .* as CSV"):
        drafted(tmp_path, name, write({ending: TABLE}))


def test_a_merged_title_is_no_hindrance(tmp_path, calamine):
    sheet = [["A title"], *TABLE]
    assert drafted(tmp_path, "own.xlsx", xlsx({"Data": sheet}, merged="A1:F1")).rows == 40


@pytest.mark.parametrize("rows", [[["A title", *[""] * 5], *TABLE], [*TABLE, ["note", *[""] * 5]]])
def test_a_title_of_text_may_have_the_delimiters_of_a_row(tmp_path, rows):
    draft = drafted(tmp_path, "own.csv", csv(rows).replace('""', "").encode())
    assert (draft.rows, draft.target_title) == (40, "label")
