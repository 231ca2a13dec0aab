"""Slips in a file of printed values: one line for each cause, and no wrong advice."""

import re

import pytest

from ensvm.errors import Mistakes, UserError
from ensvm.study.printed import check_published
from ensvm.study.printed_questions import doubtful_values, empty_fields
from ensvm.study.read_config import read_config

STUDY = """\
study: s
datasets: [german, titanic]
algorithms: {svm: {estimator: SVC}, lda: {estimator: LinearDiscriminantAnalysis}}
tables:
  - id: 1
    caption: c
    columns: [svm, lda, {name: C, algorithm: svm, metric: params.C}]
    summary: [mean, mean-rank, {wins: svm}]
published: p.csv
"""
ROWS = {
    "german": "23.6±2.1,24.2,3.16",
    "titanic": "22.4,22.6,1",
    "mean": "23.0,23.4,",
    "mean-rank": "1,2,",
    "wins-svm": ",0/0/2,",
}


@pytest.fixture
def written(tmp_path):
    """Return a function that writes changed rows, and returns the file and the study."""

    def write(changed, study=STUDY):
        (tmp_path / "s.yaml").write_text(study)
        lines = [f"{row},{text}" for row, text in {**ROWS, **changed}.items()]
        path = tmp_path / "p.csv"
        path.write_text("\n".join(["row,svm,lda,C", *lines, ""]))
        return path, read_config(tmp_path / "s.yaml")[0]

    return write


def test_the_file_without_slips_is_good(written):
    path, config = written({})
    numbers = check_published(path, config)
    assert len(numbers) == 11
    assert not list(doubtful_values(numbers, config))


INTERVALS = [
    "22-23", "22–23", "22.1 to 22.7", "22.4 (22.1, 22.7)", "22.4 [22.1; 22.7]", "22.4 +.2 −.3",
    "22.4^{+0.2}_{-0.3}",
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "advice"),
    [
        ("100,000", "leave out commas between thousands"),
        ("1,234.5", "leave out commas between thousands"),
        ("22,4", "write a point in decimals"),
        ("**22.4** ± 1", "write 22.4 ± 1;"),
        ("22.4* (1.0)", r"write 22.4 \(1.0\);"),
        ("$22.4 \\pm 1$", r"write 22.4 \\pm 1;"),
        ("22.4±1 [a]", "write 22.4±1;"),
        ("22.4†", "write 22.4;"),
        ("\\textbf{22.4} ± 1", "write 22.4 ± 1;"),
        ("{\\bf 22.4}", "write 22.4;"),
        ("<b>22.4</b>", "write 22.4;"),
        ("10^5", "accepted: a number, "),
        ("٢٢.٤ ± ١", "write the digits 0 to 9"),
        ("２２.４", "write the digits 0 to 9"),
        ("3*10", "accepted: a number, "),
        ("22.4∗ ± 1.0", "write 22.4 ± 1.0;"),
        ("22.4¹", "write 22.4;"),
        ("22.4 # checked", "a comment stands in a line of its own"),
        ("26.Apr", "this is a date, which a spreadsheet may have made"),
        ("Apr-26", "this is a date, which a spreadsheet may have made"),
        *((text, "a range or an interval is not") for text in INTERVALS),
    ],
)
def test_the_advice_does_not_change_the_number(written, field, advice):
    path, config = written({"titanic": f'22.4,"{field}",1'})
    with pytest.raises(UserError, match=f"p.csv, line 3: lda has .*{advice}") as caught:
        check_published(path, config)
    assert not re.search("write (105|310)", str(caught.value))


@pytest.mark.parametrize("blank", [" ", "", "\u00a0", "\u2009", "\u202f", "\t"])
def test_any_blank_may_stand_within_a_value(written, blank):
    path, config = written({"titanic": f"22.4{blank}±{blank}1.0,23,1"})
    number = check_published(path, config)["1", "titanic", "svm"]
    assert (number.value, number.std) == (22.4, 1.0)


@pytest.mark.parametrize(
    ("titanic", "german", "question"),
    [
        ("22.43(12)", "23.1(4)", "is 23.1 ±4 a deviation .* Write 23.1 ± 0.4"),
        ("22.43 ± 12", "23", "is 22.43 ±12 a deviation"),
        ("22.43(1.2)", "23.1(4)", ""),
        ("22 ± 3", "23 ± 2", ""),
        ("22.4 ± 0", "23", ""),
    ],
)
def test_deviations_in_units_of_the_last_digits_are_asked_about(written, titanic, german, question):
    path, config = written({"titanic": f"{titanic},23,1", "german": f"{german},23,1"})
    asked = "".join(doubtful_values(check_published(path, config), config))
    assert re.search(question, asked) if question else not asked


@pytest.mark.parametrize(
    ("row", "text", "message"),
    [
        ("wins-svm", ",0-0-2,", "lda has '0-0-2'; accepted: wins/ties/losses, such as 7/1/2"),
        ("wins-svm", ",03.01.2000,", "this is a date, .*; accepted: wins/ties/losses"),
        ("svm", "22,23,", "svm is a column: the file has rows and columns exchanged"),
        ("mean-rank", "0.5,2.5,", "0.5 is not an average rank; accepted: 1 "),
        ("titanic", "22.4,22.6", "has 3 fields, and the header has 4; accepted: as many; where"),
        (
            "titanic",
            "22.4,1.0,22.6,1.0",
            "5 fields.*4; accepted: as many; a standard deviation foll",
        ),
        ("titanic", "22.4,22.6,1 ± 2", "params.C is what the config sets, and has no standard"),
        ("titanic", '"22.4,22.6,1', "line 3: a quotation mark is opened, and not closed in its"),
        ("geometric-mean", "23,24,", r"; `summary: \[geometric-mean\]` of the table adds this row"),
        ("wins-lda", "2/0/0,,", r"; `summary: \[{wins: lda}\]` of the table adds this row"),
        ("wins", "2,,", r"unknown row 'wins'; accepted: german, .*; did you mean 'wins-svm'\?"),
    ],
)
def test_a_message_is_about_the_place_of_the_value(written, row, text, message):
    path, config = written({row: text})
    with pytest.raises(UserError, match=message):
        check_published(path, config)


def test_a_value_that_is_given_twice_is_told_with_both_lines(written):
    path, config = written({})
    path.write_text(path.read_text() + "german,20,21,2\n")
    with pytest.raises(UserError, match=r"line 7: .*german, svm is given twice \(before in line 2"):
        check_published(path, config)


@pytest.mark.parametrize(
    ("old", "new", "n"),
    [("row,svm", "row,svn", 4), ("titanic", "titanik", 3)],
)
def test_an_unknown_name_is_told_once(written, old, new, n):
    path, config = written({})
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(Mistakes) as caught:
        check_published(path, config)
    (message,) = caught.value.messages
    assert f"unknown {'column' if n == 4 else 'row'} '{new.removeprefix('row,')}'" in message
    assert message.endswith(f"(and {n - 1} more values)")


@pytest.mark.parametrize(
    ("scale", "question"), [(lambda x: x / 100, "fractions"), (lambda x: 100 - x, "accuracies")]
)
def test_ranks_and_wins_do_not_hide_another_unit(written, scale, question):
    def scaled(match):
        return f"{scale(float(match[0])):.3f}"

    changed = {row: re.sub(r"2\d\.\d", scaled, text) for row, text in ROWS.items()}
    path, config = written(changed)
    (told,) = doubtful_values(check_published(path, config), config)
    assert question in told


MIXED = [
    ({"german": "91.1,4.7,1"}, "error", "german, svm: 91.1: are these accuracies, not"),
    ({"german": "91.1,4.7,1", "titanic": "22.4,97.4,1"}, "error", "german, svm: 91.1: are these"),
    ({"german": "8.9,95.3,1", "titanic": "90,91,1"}, "accuracy", "svm: 8.9: are these errors, not"),
    ({"german": "60,20,1"}, "error", ""),
    ({"german": "89 ± 42,20,1"}, "error", "german, svm: 89 ± 42: more than half of the largest"),
    ({"german": "5 ± 4,20,1"}, "error", ""),
    ({"german": "0.236,24.2,1"}, "error", "german, svm: 0.236: are these fractions"),
    ({"german": "0.93,91,1", "titanic": "90,89,1"}, "accuracy", "svm: 0.93: are these fractions"),
    ({"german": "0.2,1.1,1"}, "error", ""),
    ({"german": "23 ± 2,24 ± 2,1"}, "error", ""),  # a row without deviations
    ({"titanic": "22.4,22.6 ± 1,1"}, "error", "titanic, svm: 22.4: has no standard deviation"),
]


@pytest.mark.parametrize(("rows", "metric", "question"), MIXED)
def test_some_percentages_of_another_kind_are_asked_about(written, rows, metric, question):
    study = STUDY.replace("    caption: c\n", f"    caption: c\n    metric: {metric}\n")
    path, config = written({**rows, "mean": ",,"}, study)
    asked = "".join(doubtful_values(check_published(path, config), config))
    assert question in asked if question else not asked


def test_wins_over_other_rows_are_asked_about(written):
    path, config = written({"wins-svm": ",1/1/3,"})
    (told,) = doubtful_values(check_published(path, config), config)
    assert "wins-svm, lda: 1/1/3 counts 5 rows, and the table has 2" in told


def test_a_field_that_cannot_have_a_value_is_not_called_empty(written):
    path, config = written({"mean": "23.0,,"})
    assert list(empty_fields(path, config)) == [
        "table 1: 1 field is still empty (mean: lda)",
    ]
    path, config = written({"wins-svm": ",,", "titanic": "22.4,,1"})
    (told,) = empty_fields(path, config)
    assert "titanic: lda; wins-svm: lda" in told


def test_a_row_of_data_without_a_line_is_listed(written):
    path, config = written({})
    lines = path.read_text().splitlines()
    path.write_text("\n".join(line for line in lines if not line.startswith("titanic")) + "\n")
    assert list(empty_fields(path, config)) == ["table 1: no line for titanic"]


@pytest.mark.parametrize("header", ["row,svm,std,lda,std", "row,svm,svm_std,lda", "row,svm,SD,lda"])
def test_a_column_of_deviations_is_told_where_they_stand(written, header):
    path, config = written({})
    path.write_text(f"{header}\ngerman{',2' * header.count(',')}\n")
    with pytest.raises(UserError, match="a standard deviation follows its value, as in"):
        check_published(path, config)


def test_a_file_without_rows_in_its_header_is_told_which_word_is_meant(written):
    path, config = written({})
    path.write_text(path.read_text().replace("row,svm", "dataset,svm"))
    with pytest.raises(UserError, match="write `row` in place of 'dataset'"):
        check_published(path, config)


@pytest.mark.parametrize("dash", ["-", "--", "---", "–", "—"])
def test_every_dash_says_that_nothing_is_printed(written, dash):
    path, config = written({"titanic": f"22.4,{dash},1"})
    assert len(check_published(path, config)) == 10
