"""Header lines where an eye sees them: again between rows, behind a comment mark, with units."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ensvm.data import inline_card, load
from ensvm.drafting.draft import draft_study
from ensvm.errors import UserError

NAMES = ["age", "dose", "outcome"]
ROWS = [[f"{i * 37 % 61}.5", f"{i * i % 23}", ["sick", "well"][i % 2]] for i in range(40)]
MARKS = {"csv": ",", "tsv": "\t", "txt": " "}
SPLIT = {"protocol": "random", "n_train": 0.8}


def written(folder: Path, ending: str, *lines: list[str]) -> Path:
    path = folder / f"d.{ending}"
    path.write_text("".join(MARKS[ending].join(fields) + "\n" for fields in lines))
    return path


def labels(path: Path, **keys: object) -> dict[str, object]:
    """Return the classes that a config reads."""
    block = {"name": "d", "path": path.name, "target": "outcome", "split": SPLIT, **keys}
    if path.suffix == ".txt":
        block["format"] = {"delimiter": "whitespace", **block.get("format", {})}
    return dict(load(inline_card(block, path.parent)).card.classes)


BOTH = {"sick": 20, "well": 20}


@pytest.mark.parametrize("ending", MARKS)
@pytest.mark.parametrize("at", [0, 1, 20, 40])
def test_a_header_line_that_stands_again_between_rows_is_left_out(
    tmp_path: Path, ending: str, at: int
) -> None:
    path = written(tmp_path, ending, NAMES, *ROWS[:at], NAMES, *ROWS[at:])
    draft = draft_study(path, tmp_path / "c.yaml")
    assert draft.classes == BOTH
    assert f"the header again, left out: line {at + 2}" in draft.written_as
    assert labels(path) == BOTH


@pytest.mark.parametrize("again", [str.upper, str.title, " {} ".format, "\ufeff{}".format])
def test_a_header_again_may_be_written_in_another_way(
    tmp_path: Path, again: Callable[[str], str]
) -> None:
    other = [again(NAMES[0]), *(again(name).lstrip("\ufeff") for name in NAMES[1:])]
    path = written(tmp_path, "csv", NAMES, *ROWS[:9], other, *ROWS[9:])
    draft = draft_study(path, tmp_path / "c.yaml")
    assert draft.classes == BOTH
    assert "the header again, left out: line 11" in draft.written_as
    assert labels(path) == BOTH


@pytest.mark.parametrize("ending", MARKS)
@pytest.mark.parametrize(
    "lines",
    [
        [["Total", "", "40"]],
        [["Mean:", "3.5", ""], ["Std", "1", ""], ["TOTAL", "9", ""]],
        [["2.5", "3.5", "average"]],
    ],
)
def test_rows_at_the_end_that_sum_up_a_table_are_left_out(
    tmp_path: Path, ending: str, lines: list[list[str]]
) -> None:
    if ending == "txt":  # blanks cut no empty fields
        lines = [[text or "0" for text in line] for line in lines]
    path = written(tmp_path, ending, NAMES, *ROWS, *lines)
    draft = draft_study(path, tmp_path / "c.yaml", target="outcome")
    assert draft.classes == BOTH
    assert labels(path, format={"footer": draft.block["format"]["footer"]}) == BOTH


def test_a_class_called_as_a_sum_stays(tmp_path: Path) -> None:
    rows = [[*row[:-1], "total" if row[-1] == "sick" else "mean"] for row in ROWS]
    draft = draft_study(written(tmp_path, "csv", NAMES, *rows), tmp_path / "c.yaml")
    assert draft.classes == {"total": 20, "mean": 20}


def test_a_column_that_is_named_has_a_header(tmp_path: Path) -> None:
    path = written(tmp_path, "csv", ["2001", "2002", "outcome"], *ROWS)
    draft = draft_study(path, tmp_path / "c.yaml", target="outcome")
    assert list(draft.titles) == ["2001", "2002", "outcome"]
    assert draft.classes == BOTH


def test_a_line_like_a_header_of_numbers_is_refused_with_its_line(tmp_path: Path) -> None:
    names = ["2001", "2002", "3"]
    path = written(tmp_path, "csv", names, *ROWS[:9], names, *ROWS[9:])
    with pytest.raises(UserError, match="line 11: is equal to the header"):
        labels(path, target="3", format={"header": True})


@pytest.mark.parametrize("ending", MARKS)
@pytest.mark.parametrize("mark", ["# ", "% ", "## "])
@pytest.mark.parametrize("above", [[], [["# made by hand"]]])
def test_a_header_behind_a_comment_mark_names_the_columns(
    tmp_path: Path, ending: str, mark: str, above: list[list[str]]
) -> None:
    names = [mark + NAMES[0], *NAMES[1:]]
    if ending == "txt" and mark == "## ":
        pytest.skip("of blanks, only a mark of one character is one field")
    path = written(tmp_path, ending, *above, names, *ROWS)
    draft = draft_study(path, tmp_path / "c.yaml", target="outcome")
    assert list(draft.titles) == NAMES
    assert draft.classes == BOTH
    form = {"format": {"skip": len(above)}} if above else {}
    assert labels(path, **form) == BOTH


def test_a_column_may_be_called_by_a_comment_mark(tmp_path: Path) -> None:
    lines = [["#", *NAMES], *([str(at), *row] for at, row in enumerate(ROWS, 1))]
    draft = draft_study(written(tmp_path, "csv", *lines), tmp_path / "c.yaml", target="outcome")
    assert list(draft.titles) == ["#", *NAMES]
    assert draft.columns[0].kind == "row number"


def test_a_comment_with_as_many_fields_as_the_rows_is_no_header_above_one(tmp_path: Path) -> None:
    path = written(tmp_path, "csv", ["# Basel", " 3 May", " 2021"], NAMES, *ROWS)
    assert list(draft_study(path, tmp_path / "c.yaml").titles) == NAMES


@pytest.mark.parametrize("ending", ["csv", "tsv"])
@pytest.mark.parametrize(
    "lines", [[["(years)", "(mg)", "(text)"]], [["c", "c", "d"], ["meta", "", "class"]]]
)
def test_lines_of_units_below_the_names_are_headings(
    tmp_path: Path, ending: str, lines: list[list[str]]
) -> None:
    path = written(tmp_path, ending, NAMES, *lines, *ROWS)
    draft = draft_study(path, tmp_path / "c.yaml", target="outcome")
    assert draft.classes == BOTH
    assert draft.block["format"]["header"] == 1 + len(lines)
    assert [column.kind for column in draft.columns] == ["number", "number", "text"]


@pytest.mark.parametrize("names", [["0", "1", "2"], ["2019", "2020", "2021"]], ids=" ".join)
@pytest.mark.parametrize("index", [False, True], ids=["", "index"])
def test_names_that_are_numbers_are_names(tmp_path: Path, names: list[str], index: bool) -> None:
    rows = [[str(at), *row] if index else row for at, row in enumerate(ROWS)]
    path = written(tmp_path, "csv", [""] * index + names, *rows)
    is_pandas = names[0] == "0"
    draft = draft_study(path, tmp_path / "c.yaml", header=None if is_pandas else True)
    assert draft.classes == BOTH
    assert inline_card(draft.block, tmp_path).classes == BOTH
    if is_pandas:
        assert labels(path, target=-1, drop=[""] * index) == BOTH
