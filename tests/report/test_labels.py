"""Labels of data sets, headings over columns, and printed columns without values of ours."""

import pytest
from made_up_records import errors, invoke, make_study

from ensvm.errors import UserError
from ensvm.report.documents.ranking_document import who_is_best
from ensvm.report.plots.drawing import draw, read_figure
from ensvm.report.tables import best_of_row, build_table
from ensvm.report.write import write_claims, write_tables
from ensvm.study.read_config import read_config
from ensvm_cli.table_verbs import print_ending

CONFIG = """
study: s
realizations: 3
datasets:
  - {name: cancer, label: "Breast & Cancer, US$ *1*"}
  - {name: part, card: german, label: "German, {value:.0%}", sweep: {split.test_size: [0.2, 0.5]}}
algorithms:
  a: {label: "C = {value:.2f}", estimator: SVC, sweep: {params.C: [0.1, 10]}}
  b: {estimator: SVC}
tables:
  - id: 1
    caption: c
    columns:
      - {name: a-0.1, heading: ours}
      - {name: a-10, heading: ours}
      - {name: b, heading: others}
      - {name: decay, label: Weight decay, unavailable: a program that nobody has}
figures:
  - {id: f, kind: box, caption: c, rows: [cancer, part], panels: [{}], series: [b]}
claims:
  - {id: less, text: t, relation: less, left: a-10, right: b, scope: 1}
"""
PRINTED = "table,row,column,value,std\n1,cancer,b,30.0,\n1,cancer,decay,5.7,\n1,part-0.2,decay,7,\n"
RECORDS = [
    one
    for row in ("cancer", "part-0.2", "part-0.5")
    for name, values in (("a-0.1", [0.1, 0.2, 0.3]), ("a-10", [0.2, 0.1, 0.2]), ("b", [0.3] * 3))
    for one in errors(row, name, values)
]


@pytest.fixture
def study(tmp_path):
    return make_study(tmp_path / "s", CONFIG, RECORDS, PRINTED)


def test_a_heading_says_what_the_value_of_a_sweep_would(tmp_path):
    config = CONFIG.replace("C = {value:.2f}", "an SVM")
    # under one heading two columns with this label are refused
    config = config.replace("{name: a-10, heading: ours}", "{name: a-10, heading: others}")
    study = make_study(tmp_path / "s", config, RECORDS, PRINTED)
    columns = study.config.tables[0].columns
    assert [study.config.column_label(column) for column in columns[:2]] == ["an SVM"] * 2
    bare = [column.model_copy(update={"heading": None}) for column in columns[:2]]
    labels = [study.config.column_label(column) for column in bare]
    assert labels == ["an SVM, C = 0.1", "an SVM, C = 10"]


def test_the_best_of_a_row_is_that_of_each_heading(study):
    """A single value under its heading, b, is the best of nothing."""
    cells = [cell for cell in build_table(study, study.config.tables[0]) if cell.row == "cancer"]
    assert best_of_row(study, study.config.tables[0], cells) == {"a-10"}


def test_columns_of_several_headings_are_no_rivals(study, monkeypatch):
    monkeypatch.setattr("ensvm.report.documents.ranking_document.are_own_data", lambda *_: True)
    table = study.config.tables[0]
    columns = [column.model_copy(update={"heading": None}) for column in table.columns[:3]]
    sentences = who_is_best(study, table.model_copy(update={"columns": tuple(columns)}))
    assert "has the best" in sentences[0]
    assert who_is_best(study, table) == []
    ((text, _),) = write_tables(study, "md")
    assert "bold: the best under each heading" in text


def test_a_title_names_a_column_where_a_label_does_not(tmp_path):
    printed = PRINTED.replace("1,cancer,b,", "1,cancer,b (others),")
    study = make_study(tmp_path / "s", CONFIG, RECORDS, printed)
    assert study.published["1", "cancer", "b"].value == 30.0
    shown = invoke("show", tmp_path / "s", "--dataset", "cancer", "--algorithm", "b (others)")
    assert shown.exit_code == 0, shown.output


def test_a_heading_stands_above_neighbours(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text(
        CONFIG.replace("{name: b, heading: others}", "{name: b}").replace(
            "unavailable: a program", "heading: ours, unavailable: a program"
        )
    )
    with pytest.raises(UserError, match="heading 'ours' stands above columns that are not n"):
        read_config(path)


def test_a_block_names_a_sweep_as_a_name_does(tmp_path):
    columns = "      - {name: a-0.1, heading: ours}\n      - {name: a-10, heading: ours}\n"
    config = CONFIG.replace(columns, "      - {name: a, heading: ours}\n")
    study = make_study(tmp_path / "s", config, RECORDS, PRINTED)
    found = [(column.name, column.heading) for column in study.config.tables[0].columns]
    assert found[:2] == [("a-0.1", "ours"), ("a-10", "ours")]


def test_the_end_of_a_run_shows_rows_by_their_labels(study, tmp_path, capsys):
    print_ending(tmp_path / "s", show_findings=True)
    shown = capsys.readouterr().out
    assert "\n German, 20% " in shown
    assert "Breast & Cancer" in shown


def test_markup_in_a_heading_is_text(tmp_path, capsys):
    config = CONFIG.replace("heading: others", "heading: '[b] others'")
    make_study(tmp_path / "s", config, RECORDS, PRINTED)
    print_ending(tmp_path / "s", show_findings=True)
    shown = capsys.readouterr().out
    assert "[b]" in shown


def test_printed_values_are_shown_as_printed(tmp_path):
    printed = "table,row,a-0.1,b,decay\n1,cancer,30.25,30 (2.5),5.7 ± 1.20\n"
    study = make_study(tmp_path / "s", CONFIG, RECORDS, printed)
    ((text, _),) = write_tables(study, "md")
    (row,) = [line for line in text.splitlines() if line.startswith("| Breast")]
    assert [each in row for each in ("30.25", "30 ±2.5", "5.7 ±1.20")] == [True] * 3


def test_labels_stand_in_place_of_names(study):
    ((text, _),) = write_tables(study, "md")
    table = text.partition("ours ±")[0]
    for label in ("Breast & Cancer, US\\$ \\*1\\*", "German, 20%", "German, 50%", "C = 0.10"):
        assert label in table
    for name in ("cancer", "part-", "a-0.1"):
        assert name not in table
    assert "German, 20%" in write_claims(study)[0]
    figure = study.config.figures[0]
    svg = draw(study, read_figure(study, figure), [".svg"])[0].decode()
    assert "Breast &amp; Cancer, US$ *1*" in svg


def test_a_printed_column_is_shown_without_a_sign_and_with_the_reason(study):
    cells = {(cell.row, cell.column): cell for cell in build_table(study, study.config.tables[0])}
    assert (cells["cancer", "b"].verdict, cells["cancer", "decay"].verdict) == ("cannot tell", None)
    assert cells["cancer", "decay"].published == 5.7
    ((text, _),) = write_tables(study, "md")
    assert "—<br><sub>5.7</sub>" in text
    assert "- Weight decay: unavailable: a program that nobody has" in text
    assert "1 ?; 2 printed without a value of ours" in text


def test_headings_stand_above_their_columns(study):
    ((markdown, _),) = write_tables(study, "md")
    assert "ours<br>C = 0.10" in markdown
    ((latex, _),) = write_tables(study, "latex")
    heads = latex.partition("\\toprule\n")[2].splitlines()
    assert heads[0].split(" & ")[1:3] == ["\\multicolumn{2}{c}{ours}", "others"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("name: decay, ", "name: decay, algorithm: b, ", "algorithm: .* leave out `algorithm:`"),
        (", unavailable: a program that nobody has", "", "`unavailable: WHY` shows a printed"),
        ("{value:.0%}", "{value:.0q}", "label: the format does not fit the value 0.2"),
        ("name: cancer", "name: Breast Cancer", "`label:` take any text"),
        ("kind: box", "kind: scatterplot", "write `scatter`"),
    ],
)
def test_what_is_wrong_is_said_at_its_place(tmp_path, old, new, message):
    assert old in CONFIG
    path = tmp_path / "c.yaml"
    path.write_text(CONFIG.replace(old, new, 1))
    with pytest.raises(UserError, match=f"c.yaml, line .*{message}"):
        read_config(path)
