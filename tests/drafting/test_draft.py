"""Drafts of studies: the same table in any dress, and every column as what it is."""

import itertools
import shlex
from pathlib import Path

import numpy as np
import pytest
import yaml
from pydantic import TypeAdapter

from ensvm.data import inline_card, load
from ensvm.drafting.config_text import commands, write_config
from ensvm.drafting.draft import UnclearTarget, draft_study, study_name
from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.shipped import shipped_names
from ensvm.study.block import StudyName

N = 40


def rows(decimal: str = ".") -> list[list[str]]:
    """Return the rows of a table: numbers, a missing one, text, and two classes."""
    rng = np.random.default_rng(0)
    numbers = rng.normal(scale=1000, size=(N, 2)).round(2)
    found = []
    for i in range(N):
        first, second = (str(value).replace(".", decimal) for value in numbers[i])
        found.append([first, "" if i == 3 else second, "aäb"[i % 3], ["no", "yes"][i % 2]])
    return found


def write(path: Path, delimiter=",", decimal=".", encoding="utf-8", end="\n", header=True) -> Path:
    head = [["width", "height", "größe", "label"]] if header else []
    text = end.join(delimiter.join(row) for row in [*head, *rows(decimal)]) + end
    path.write_bytes(text.encode(encoding))
    return path


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def drafted(path: Path, **options):
    """Write the draft of a file, check that a run would accept it, and return draft and card."""
    draft = draft_study(path, **options)
    write_config(draft)
    plan = make_plan(draft.config)
    return draft, plan.cards[draft.block["name"]]


@pytest.mark.parametrize(
    ("delimiter", "decimal", "encoding", "end"),
    [
        (delimiter, decimal, encoding, end)
        for delimiter, decimal, encoding, end in itertools.product(
            ",;\t|",
            ".,",
            ["utf-8", "utf-8-sig", "utf-16", "latin-1"],
            ["\n", "\r\n", "\r"],
        )
        if delimiter != decimal
    ][::7],
)
def test_the_same_table_in_any_dress_is_the_same_data_set(delimiter, decimal, encoding, end):
    _, plain = drafted(write(Path("plain.csv")))
    _, card = drafted(write(Path("own.csv"), delimiter, decimal, encoding, end))
    assert card.checksum == plain.checksum


def test_columns_of_a_header_that_cannot_name_them_have_positions():
    _, plain = drafted(write(Path("plain.csv")))
    path = write(Path("own.csv"), ";", ",")
    path.write_text("# about\n\n" + path.read_text().replace("height", "width"))
    draft, card = drafted(path)
    assert card.checksum == plain.checksum
    assert draft.block["target"] == 3
    assert drafted(path, target="label")[0].block["target"] == 3


def test_without_a_header_columns_have_positions():
    _, plain = drafted(write(Path("plain.csv")))
    draft, card = drafted(write(Path("own.csv"), header=False))
    assert "no header" in draft.written_as
    assert card.checksum == plain.checksum
    _, copied = drafted(write(Path("other.csv"), ";", header=False))
    assert copied.checksum == plain.checksum


def table(names: str, *columns: list[str], delimiter: str = ",") -> Path:
    """Write a CSV of these columns and one of two classes, and return its path."""
    classes = ["a" if i % 2 else "b" for i in range(N)]
    rows = [[*names.split(","), "label"], *zip(*columns, classes, strict=True)]
    Path("own.csv").write_text("\n".join(map(delimiter.join, rows)) + "\n")
    return Path("own.csv")


NUMBERS = [f"{i * i % 7}.5" for i in range(N)]


@pytest.mark.parametrize(
    ("name", "fields", "kind", "is_input"),
    [
        ("x", NUMBERS, "number", True),
        ("x", [f"{i:.2f}" if i % 4 else "k.A." for i in range(N)], "number", True),
        ("x", [["1", "2", "5+"][i % 3] for i in range(N)], "text", True),
        ("x", [["yes", "no"][i % 2] for i in range(N)], "yes or no", True),
        ("x", [["True", "FALSE", ""][i % 3] for i in range(N)], "yes or no", True),
        ("x", [["red", "blue"][i % 2] for i in range(N)], "text", True),
        ("x", [f"2020-01-{i % 28 + 1:02d}" for i in range(N)], "date", False),
        ("x", [f"{i % 28 + 1}.02.2020 10:00" for i in range(N)], "date", False),
        ("x", [f"{i % 12}:30" for i in range(N)], "date", False),
        *(
            ("x", [form.format(i % 28 + 1) for i in range(N)], "date", False)
            for form in ("{} Jan 2020", "Mar-{}", "{}. Dez. 2019", "{}-OKT-99", "1 août 20{}")
        ),
        *(
            ("x", [f"{word} {i % 7}" for i in range(N)], "text", True)
            for word in ("Marker", "Junior", "Decision", "Sepal", "Novel", "Augusta", "Mayer")
        ),
        ("x", [f"202001{i % 28 + 1:02d}" for i in range(N)], "date", False),
        ("x", [f"202013{i % 28 + 1:02d}" for i in range(N)], "number", True),
        ("", [str(i) for i in range(N)], "row number", False),
        ("x", [str(i + 5) for i in range(N)], "row number", False),
        ("PassengerId", [str(i * 17 % 41) for i in range(N)], "identifier", False),
        ("x", [f"ticket {i}" for i in range(N)], "identifier", False),
        ("x", [f"seen on day {i}" for i in range(N)], "free text", False),
        ("x", [f"seen on day {i % 33}" for i in range(N)], "free text", False),
        ("x", [f"seen on day {i % 3}" for i in range(N)], "text", True),
        ("x", [f"day {i} " + "and so on " * 9 for i in range(N)], "free text", False),
        ("x", ["7"] * N, "constant", False),
        ("x", [""] * N, "constant", False),
        ("x", [f"t{i % 33}" for i in range(N)], "text", False),
        ("x", ["*x", "!t", "{", "#", "&a", "null?", "'", "~"] * (N // 8), "text", True),
    ],
)
def test_a_column_is_what_it_looks_like(name, fields, kind, is_input):
    draft, card = drafted(table(f"{name},z", fields, NUMBERS))
    found = draft.columns[0]
    assert (found.kind, not found.dropped) == (kind, is_input)
    assert (name in card.dropped) != is_input
    assert card.classes == {"a": N // 2, "b": N // 2}


def test_missing_values_are_filled_and_rows_stay():
    fields = [["", "NA", "n/a", "-", "?", "3"][i % 6] if i > 9 else str(i) for i in range(N)]
    draft, card = drafted(table("x", fields))
    assert draft.columns[0].missing == sum(not field.isdigit() for field in fields)
    assert (card.rows, card.fill) == (N, "training-mean")


def test_rows_without_a_label_are_left_out_and_others_stay():
    Path("own.csv").write_text(
        "x,label\n" + "\n".join(f"{i * i % 7},{['a', 'b', ''][i % 3]}" for i in range(N))
    )
    draft, card = drafted(Path("own.csv"))
    assert draft.target.missing == N // 3
    assert card.rows == N - N // 3


@pytest.mark.parametrize(
    ("fields", "kind", "numbers"),
    [
        ([f"{i + 1}.{i % 10}00,5" for i in range(N)], "number", {0: 1000.5, 9: 10900.5}),
        (["1.000,5", "7,5", "1,25"] * 13 + ["2,5"], "number", {0: 1000.5, 2: 1.25}),
        ([f"{i},5" if i % 9 else "k.A." for i in range(N)], "number", {0: 0, 1: 1.5}),
        (["1.000,5", "2'000,25", "7,5", "1,25"] * 10, "text", {}),  # two marks of thousands
        ([f"{i % 9}.5" for i in range(N)], "text", {}),  # beside a column with a decimal comma
    ],
)
def test_one_way_of_writing_numbers_is_found_for_all_columns(fields, kind, numbers):
    lines = [
        f"{field};{i * i % 7},5;{i * i % 9},25;{'ab'[i % 2]}" for i, field in enumerate(fields)
    ]
    Path("own.txt").write_text("# made\nx;z;u;label\n" + "\n".join(lines))
    draft, card = drafted(Path("own.txt"))
    assert draft.columns[0].kind == kind
    assert draft.block["format"]["decimal"] == ","
    X = np.nan_to_num(load(card).X)
    assert {row: X[row, 0] for row in numbers} == numbers


@pytest.mark.parametrize(
    ("n_rows", "every", "stratified"),
    [(60, 2, True), (60, 20, True), (4000, 9, True), (10_000, 4000, False)],
)
def test_classes_are_in_proportion_unless_one_would_be_left_out(n_rows, every, stratified):
    lines = [f"{i * i % 101},{'b' if i % every == 0 else 'a'}" for i in range(n_rows)]
    Path("own.csv").write_text("x,label\n" + "\n".join(lines) + "\n")
    draft, card = drafted(Path("own.csv"))
    assert card.split_protocol().get("stratified", False) == stratified
    assert stratified or draft.rare == ["b"]


CODES = [str(i % 3 + 1) for i in range(N)]
YES = [["yes", "no"][i % 2] for i in range(N)]
WORDS = [["low", "mid", "high"][i % 3] for i in range(N)]
MEASURED = [f"{i * i % 37}.5" for i in range(N)]


def plain(header: bool = True, **columns: list[str]) -> Path:
    """Write a CSV of these columns, and return its path."""
    lines = [",".join(row) for row in zip(*columns.values(), strict=True)]
    Path("own.csv").write_text("\n".join([*[",".join(columns)] * header, *lines]) + "\n")
    return Path("own.csv")


@pytest.mark.parametrize(
    ("columns", "chosen"),
    [
        ({"a": CODES, "class": CODES, "c": CODES}, "class"),
        ({"Target": CODES, "b": CODES, "c": YES}, "Target"),
        ({"a": CODES, "credit_outcome": YES}, "credit_outcome"),
        ({"x": MEASURED, "<CLASS>": YES, "w": YES}, "<CLASS>"),
        ({"target": ["NA", "ok"] * (N // 2), "b": WORDS}, "target"),
        ({"class": [["1", "2", "NA"][i % 3] for i in range(N)], "b": WORDS}, "class"),
        ({"x": MEASURED, "a": WORDS}, "a"),
        ({"name": [f"n{i}" for i in range(N)], "x": MEASURED, "good": YES, "c": ["7"] * N}, "good"),
    ],
)
def test_a_column_with_a_sure_name_or_the_only_one_possible_holds_the_classes(columns, chosen):
    draft, _ = drafted(plain(**columns))
    assert draft.target_title == chosen


@pytest.mark.parametrize(
    ("columns", "named"),
    [
        ({"x": MEASURED, "status": CODES, "ulcer": YES}, "it might be 'status', 'ulcer'"),
        ({"x": MEASURED, "outcome": YES, "label": YES}, "it might be 'outcome', 'label'"),
        ({f"c{n}": YES for n in range(20)}, r"it might be 'c0', 'c1', .* and \d+ more"),
        ({"x": MEASURED, "y of last": MEASURED}, "no column has a few values"),
        ({"Class": ["1", "1.0"] * (N // 2), "b": WORDS}, "'Class' holds '1' alone"),
        ({"x": MEASURED, "months": [str(1 + i * i % 18) for i in range(N)]}, "no column has"),
    ],
)
def test_the_class_is_asked_for_unless_one_column_is_sure(columns, named):
    with pytest.raises(UnclearTarget, match=f"own.csv: which column.*{named}.*--target NAME"):
        draft_study(plain(**columns))


@pytest.mark.parametrize(
    ("columns", "chosen"),
    [
        ({"0": YES, "1": MEASURED, "2": WORDS}, 2),
        ({"0": YES, "1": WORDS, "2": CODES}, 2),
        ({"0": WORDS, "1": MEASURED, "2": MEASURED}, 0),
    ],
)
def test_without_a_header_the_last_column_holds_the_classes_if_it_can(columns, chosen):
    draft, _ = drafted(plain(header=False, **columns))
    assert draft.block["target"] == chosen


@pytest.mark.parametrize("asked", ["b", "1", "-2"])
def test_the_target_is_as_asked(asked):
    lines = [f"{i % 5},{i % 2},{i % 3}" for i in range(N)]
    Path("own.csv").write_text("\n".join(["a,b,c", *lines]) + "\n")
    draft, card = drafted(Path("own.csv"), target=asked)
    assert draft.target.name == "b"
    assert len(card.classes) == 2


@pytest.mark.parametrize("header", ["p,x,s,n", "a,b,c,d", "p,2019,2020,n"])
def test_names_are_told_from_values(header):
    lines = [f"t{i % 3},{i % 9},{i % 7},{'ab'[i % 2]}" for i in range(N)]
    Path("own.csv").write_text("\n".join([header, *lines]) + "\n")
    assert "a header" in draft_study(Path("own.csv"), target="3").written_as
    Path("own.csv").write_text("\n".join([lines[0], *lines]) + "\n")
    assert "no header" in draft_study(Path("own.csv")).written_as
    Path("own.csv").write_text("\n".join([f"?{lines[0][2:]}", *lines]) + "\n")
    assert "no header" in draft_study(Path("own.csv")).written_as


def test_what_a_header_is_may_be_said():
    table("x", NUMBERS)
    assert len(draft_study(Path("own.csv"), header=False).target.fields) == N + 1


@pytest.mark.parametrize(
    "pair", [("日本", "данные"), ("ventes-日本", "ventes-данные"), ("---", "+++"), ("日本", "data")]
)
def test_files_of_two_names_give_two_studies(pair):
    assert study_name(pair[0]) != study_name(pair[1])


@pytest.mark.parametrize(
    ("files", "configs"),
    [
        (("a b.csv", "a-b.csv", "a#b.csv"), (None, None, None)),
        (("e.csv", "é.csv"), (None, None)),
        (("x.csv", "x.txt", "x.csv"), (None, "y.yaml", "z.yaml")),
        (("x.csv", "x.csv"), ("é.yaml", "e.yaml")),
        (("X.csv", "x.csv"), (None, None)),  # some systems have one folder for both
    ],
)
def test_configs_of_one_folder_are_of_different_studies(files, configs):
    studies = []
    for file, config in zip(files, configs, strict=True):
        table("x", NUMBERS).rename(file)
        draft = draft_study(Path(file), config and Path(config))
        write_config(draft)
        assert draft.study == yaml.safe_load(draft.config.read_text())["study"]
        studies.append(draft.study)
    assert len({*map(str.lower, studies)}) == len(files)
    write_config(draft)  # again: nothing changes
    assert draft_study(draft.path, draft.config).study == studies[-1]


@pytest.mark.parametrize("name", ["-own.csv", "~own.csv", "http:own.csv", "--target.csv"])
def test_a_file_may_have_a_name_with_a_meaning(name):
    table("x", NUMBERS).rename(name)
    draft, _ = drafted(Path(name))
    command, *_ = commands(draft)
    assert not shlex.split(command)[2].startswith("-")


@pytest.mark.parametrize("name", shipped_names())
def test_a_shipped_study_keeps_its_name(name: str) -> None:
    for written in (name, name.title(), name.upper()):
        assert study_name(written).lower() not in shipped_names()


@pytest.mark.parametrize(
    "stem", ["con", "NUL.x", "aux.csv.old", "Com1", "index", "shipped", "a" * 49 + ".b"]
)
def test_a_name_is_one_that_every_system_takes(stem):
    TypeAdapter(StudyName).validate_python(study_name(stem))


@pytest.mark.parametrize(("stem", "name"), [("Données 2", "Donnees-2"), ("my_data", "my_data")])
def test_a_name_without_lost_letters_is_kept(stem, name):
    assert study_name(stem) == name


@pytest.mark.parametrize("stem", ["my data", "données", "-a-", "数据", "x" * 300, "a~b", "1"])
def test_a_name_of_a_study_is_made_of_any_file(stem):
    write(Path("own.csv"))
    draft = draft_study(Path("own.csv"))
    mapping = draft.block | {"name": study_name(stem)}
    assert inline_card(mapping, Path()).name == study_name(stem)


def test_excel_dress_is_the_same_data_set():
    _, plain = drafted(write(Path("plain.csv")))
    lines = [["wid th", "height", "gr\nöße", "label"], *rows()]
    fields = [["#N/A" if not text else f'="{text}"' for text in line[:-1]] for line in lines[1:]]
    table = [lines[0], *([*row, line[-1]] for row, line in zip(fields, lines[1:], strict=True))]
    quoted = [";".join(f'"{text.replace(chr(34), chr(34) * 2)}"' for text in row) for row in table]
    Path("own.csv").write_text("\r\n".join(quoted), encoding="utf-8-sig", newline="")
    draft, card = drafted(Path("own.csv"))
    assert card.checksum == plain.checksum
    assert draft.titles == ("wid th", "height", "gr öße", "label")


def test_lines_before_and_after_a_table_are_left_out():
    _, plain = drafted(write(Path("plain.csv")))
    text = write(Path("own.csv")).read_text()
    Path("own.csv").write_text(f"An export, of today\n\nhospital\n{text}\nend of export\n\n")
    draft, card = drafted(Path("own.csv"))
    assert card.checksum == plain.checksum
    assert {key: draft.block["format"][key] for key in ("skip", "footer")} == {
        "skip": 3,
        "footer": 1,
    }


def test_numbers_that_stand_for_a_missing_value_are_asked_about():
    codes = {"u": "-9", "v": "999.0"}
    columns = [[codes[name] if i % 9 == 0 else f"{i}.0" for i in range(N)] for name in "uv"]
    draft, card = drafted(table("u,v", *columns))
    named = [line for line in draft.alarms if "means a missing value" in line]
    assert [line.split(" stands in")[0] for line in named] == ["'u': -9", "'v': 999"]
    assert not np.isnan(load(card).X).any()
    _, card = drafted(table("u,v", *columns), written={"missing": ["-9", "999.0"]})
    assert np.isnan(load(card).X).mean() == pytest.approx(-(-N // 9) / N)
    single = [["-9" if i == 3 else f"{i}" for i in range(N)]]
    assert drafted(table("u", *single))[0].alarms == ()


@pytest.mark.parametrize(("mark", "blank"), [("x", ""), ("1", ""), ("yes", "NA"), ("true", "?")])
def test_a_column_of_one_text_and_blanks_is_a_flag(mark, blank):
    fields = [mark if i % 3 else blank for i in range(N)]
    sizes = [f"{i * i}.5" for i in range(N)]
    draft, card = drafted(table("flag,size", fields, sizes))
    assert draft.columns[0].kind == "yes or no"
    assert load(card).X[:, 0].tolist() == [float(field == mark) for field in fields]
    assert drafted(table("flag,size", [mark] * N, sizes))[0].columns[0].kind == "constant"


@pytest.mark.parametrize("name", ["None", "NA", "null", "N/A"])
def test_a_class_may_be_called_none(name):
    labels = [["a", name, "b"][i % 3] for i in range(N)]
    gaps = ["NA" if i % 7 == 0 else f"{i}.5" for i in range(N)]
    draft, card = drafted(plain(x=gaps, kind=labels))
    assert card.classes == {label: labels.count(label) for label in sorted(set(labels))}
    assert np.isnan(load(card).X).sum() == gaps.count("NA")
    strays = ["k.A." if i % 7 == 0 else gap for i, gap in enumerate(gaps)]
    if name == "NA":
        with pytest.raises(UserError, match="'NA' is a class, and stands for a missing value"):
            draft_study(plain(x=strays[:20] + gaps[20:], kind=labels))
    assert draft.classes == card.classes


@pytest.mark.parametrize(
    "spell",
    [
        "'{:.2f}".format,
        "{:.2f}\u200b".format,
        lambda x: f"{x / 10:.3f}D+01",
        "\u2212{:.2f}".format,
        "\u2013{:.2f}".format,
        lambda x: f"({x:.2f})",
    ],
)
def test_numbers_in_other_spellings_are_read(spell):
    numbers = [round(1 + i * 0.37, 2) for i in range(N)]
    draft, card = drafted(table("x", [spell(x) for x in numbers]))
    sign = -1 if load(card).X[0, 0] < 0 else 1
    np.testing.assert_array_equal(load(card).X[:, 0], sign * np.array(numbers))
    assert " is " in draft.columns[0].notes[0]


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ([f"{i * 1.5}%" for i in range(N)], "looks like numbers with '%'"),
        ([f"${i * 1.5}" for i in range(N)], "looks like numbers with '$'"),
        ([f"{i * 1.5} mg" for i in range(N)], "looks like numbers with 'mg'"),
        ([f"{i % 20 * 1.5} mg" for i in range(N)], "looks like numbers with 'mg'"),
        ([f"{i * 1.5}{'kM'[i % 2]}" for i in range(N)], "looks like numbers, such as '0.0k'"),
        ([f"1,{10 + i},000" for i in range(N)], "looks like numbers, such as '1,10,000'"),
        ([f"{i * 1.5}" if i % 3 else f"<{i}" for i in range(N)], "holds numbers but for texts"),
        *(
            ([form.format(i) for i in range(N)], "looks like numbers, such as ")
            for form in (
                "{}.5 ± 0.3",
                "{} (2)",
                "{}/8",
                "{}h 20m",
                "2x10^{}",
                "40°{}'N",
                "{} E-3",
                "{:#x}",
                "{:#b}",
                "0{:x}h",
            )
        ),
    ],
)
def test_numbers_that_cannot_be_read_are_never_left_out_in_silence(fields, words):
    delimiter = ";" if "," in fields[0] else ","
    draft, _ = drafted(table("x,z", fields, NUMBERS, delimiter=delimiter))
    assert draft.columns[0].dropped
    assert any(words in alarm for alarm in draft.alarms)


@pytest.mark.parametrize(("decimal", "thousands"), [(".", ","), (",", ".")])
def test_a_mark_that_may_separate_thousands_is_asked_about(decimal, thousands):
    numbers = [950 + 37 * i for i in range(N)]
    fields = [f"{x:,}".replace(",", thousands) for x in numbers]
    draft, _ = drafted(table("x", fields, delimiter=";"))
    assert any(f"thousands: {thousands!r}" in alarm for alarm in draft.alarms)
    told = {"decimal": decimal, "thousands": thousands}
    card = inline_card(draft.block | {"format": {"delimiter": ";", **told}}, Path())
    np.testing.assert_array_equal(load(card).X[:, 0], numbers)
    decimals = [f"{x}{decimal}5" for x in numbers]
    draft, _ = drafted(table("x", [*decimals[1:], "7"], delimiter=";"))
    assert not any("thousands" in alarm for alarm in draft.alarms)


@pytest.mark.parametrize(
    "pair", [("2020-01-01", "2021-01-01"), ("8:30", "12:30"), ("Jan 1", "May 1")]
)
def test_classes_may_be_called_by_dates(pair):
    path = table("x", NUMBERS)
    text = path.read_text()
    path.write_text(text.replace(",a\n", f",{pair[0]}\n").replace(",b\n", f",{pair[1]}\n"))
    for target in (None, "label"):
        draft, card = drafted(path, target=target)
        assert set(card.classes) == set(draft.classes) == set(pair)


@pytest.mark.parametrize("error", ["#DIV/0!", "#REF!", "#N/A", "#VALUE!"])
def test_errors_of_a_spreadsheet_are_missing_values(error):
    draft, card = drafted(table("x", [error if i % 8 == 0 else f"{i}.5" for i in range(N)]))
    assert (draft.columns[0].kind, draft.columns[0].missing) == ("number", 5)
    assert np.isnan(load(card).X[:, 0]).sum() == 5


@pytest.mark.parametrize(
    ("head", "row", "written_as"),
    [
        ('"x" "k"', '"{i}" {x} "{label}"', "row names of R left out"),
        ('"x" "k"', '"car {i}" {x} "{label}"', "row names of R left out"),
        ("x,k", "{x},{label},", "a delimiter after each row left out"),
        ("<x>,k", "{x},{label}", ""),
        ("{x},k", "{x},{label}", ""),
    ],
)
def test_tables_as_other_programs_write_them(head, row, written_as):
    rows = [row.format(i=i, x=i * i % 7 + 0.5, label="ab"[i % 2]) for i in range(N)]
    Path("own.csv").write_text("\n".join([head, *rows]) + "\n\x1a")
    draft, card = drafted(Path("own.csv"))
    assert written_as in draft.written_as
    np.testing.assert_array_equal(load(card).X[:, 0], [i * i % 7 + 0.5 for i in range(N)])
    assert card.classes == {"a": N // 2, "b": N // 2}


def test_labels_that_look_like_numbers_stay_apart_beside_texts():
    labels = [["1E1", "10", "7F", "A1"][i % 4] for i in range(N)]
    _, card = drafted(plain(x=MEASURED, ward=labels))
    assert card.classes == {"10": 10, "1E1": 10, "7F": 10, "A1": 10}
    _, card = drafted(table("ward,x", labels, NUMBERS))
    assert card.inputs["ward"] == {"one-hot": ["10", "1E1", "7F", "A1"]}


def test_groups_are_kept_whole_by_the_drafted_split():
    who = [f"p{i // 4}" for i in range(N)]
    draft, card = drafted(table("who,x", who, NUMBERS), groups="who")
    assert card.split_protocol() == {
        "protocol": "kfold",
        "n_splits": 5,
        "stratified": True,
        "grouped": True,
    }
    assert card.groups == "who"
    assert draft.realizations % 5 == 0


@pytest.mark.parametrize(("every", "n_tables"), [(15, 2), (5, 1)])
def test_beside_a_rare_class_a_table_of_balanced_accuracy_is_drafted(every, n_tables):
    lines = [f"{i * i % 101},{'b' if i % every == 0 else 'a'}" for i in range(300)]
    Path("own.csv").write_text("\n".join(["x,label", *lines]) + "\n")
    draft, _ = drafted(Path("own.csv"))
    tables = make_plan(draft.config).config.tables
    assert [table.metric for table in tables] == ["error", "balanced_accuracy"][:n_tables]
    assert {table.largest_class for table in tables} == {"always_largest"}


def headless(*columns: list[str]) -> Path:
    """Write a CSV of these columns without a header, and return its path."""
    Path("own.csv").write_text("\n".join(map(",".join, zip(*columns, strict=True))) + "\n")
    return Path("own.csv")


def test_the_last_column_of_several_candidates_is_said_to_be_a_guess():
    first, last = [str(1 + i % 2) for i in range(N)], [str(1 + i // 2 % 2) for i in range(N)]
    guessed, _ = drafted(headless(first, NUMBERS, last))
    [alarm] = [line for line in guessed.alarms if "guess" in line]
    assert alarm.startswith("'2' is taken")
    assert "it might be '0', too: --target N" in alarm
    path = headless(first, NUMBERS, last)
    asked = draft_study(path, target="0")
    sure = draft_study(headless(NUMBERS, NUMBERS[::-1], last))
    assert not any("guess" in line for line in (*asked.alarms, *sure.alarms))


@pytest.mark.parametrize(
    ("fields", "is_code"),
    [
        ([f"{i * 37 % 1000:05}" for i in range(N)], True),
        ([f"{i % 12 + 1:02}" for i in range(N)], False),
        ([f"{i * 37 % 1000 / 1000}" for i in range(N)], False),
    ],
)
def test_numbers_that_begin_with_zeros_may_be_codes(fields, is_code):
    draft, _ = drafted(table("x,zip", NUMBERS, fields))
    assert any("'zip'" in line and "codes" in line for line in draft.alarms) == is_code


def test_whole_numbers_that_differ_in_a_column_without_a_name_may_be_identifiers():
    numbers = [str(500_000 + 7919 * (i * 17 % N)) for i in range(N)]
    draft, _ = drafted(headless(NUMBERS, numbers, ["a" if i % 2 else "b" for i in range(N)]))
    [alarm] = draft.alarms
    assert alarm.startswith(f"'1' has {N} different values")


@pytest.mark.parametrize("word", ["word ", "a much longer text; of two parts "])
def test_comments_of_a_config_are_never_cut(word):
    sentences = [f"{word * 8}{i}" for i in range(N)]
    draft, _ = drafted(table("x,same,notes", NUMBERS, [word * 30] * N, sentences))
    comments = [line.partition("  # ")[2] for line in draft.config.read_text().splitlines()]
    for column in draft.columns:
        assert not column.dropped or column.dropped in comments
        assert len(column.dropped) < 200


def test_a_comment_leaves_out_whole_classes():
    names = [f"a class with a rather long name {i % 8}" for i in range(N)]
    draft, _ = drafted(table("x,y", NUMBERS, names), target="y")
    [comment] = [line for line in draft.config.read_text().splitlines() if "  # rows: " in line]
    *counts, more = comment.partition("  # rows: ")[2].split(", ")
    pairs = [f"{name} {count}" for name, count in draft.classes.items()]
    assert counts == pairs[: len(counts)]
    assert more == f"and {len(pairs) - len(counts)} more classes"
