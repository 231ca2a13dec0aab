"""The default's column is the table's, distances are means over common cells, nothing is hidden."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from made_up_records import errors, make_study

from ensvm.report.documents.readings_document import COMPARED, answer_question
from ensvm.report.render.first_page import first_page
from ensvm.report.tables import build_table
from ensvm.report.write import write_readings, write_tables

CONFIG = """\
study: s
realizations: 4
datasets: [german, titanic, {name: web2, unavailable: nobody has it}]
algorithms:
  a: {label: A, estimator: RhoSVC}
  b: {label: B, estimator: SVC}
published: p.csv
tables:
  - {id: 2, caption: Errors., columns: [a, b], margin: 0.5}
readings:
  - id: end
    question: Where does it end?
    table: 2
    default: at 0
    variants:
      - {name: one, label: at 1, algorithm: {params.tol: 0.01}}
      - {name: raw, label: raw, dataset: {scaling: none}}
      - {name: b, label: B, instead: {a: b}}
    conclusion: It ended at 1.
"""
PRINTED = """\
table,row,column,value,std
2,german,a,24.0,1
2,titanic,a,22.5,
2,german,b,25.0,
2,web2,a,3.0,
"""
OWN = {("german", "a"): [0.25, 0.27], ("titanic", "a"): [0.22, 0.23], ("german", "b"): [0.26, 0.25]}
ONE = {("german", "a~one"): [0.24, 0.24], ("titanic", "a~one"): [0.23, 0.22]}
ONE |= {("german", "b~one"): [0.25, 0.25]}


@pytest.fixture
def study(tmp_path):
    """Return a function that makes the study with these values by data set and algorithm."""

    def make(values, config=CONFIG):
        records = [one for place, of_place in values.items() for one in errors(*place, of_place)]
        return make_study(tmp_path / "s", config, records, PRINTED)

    return make


def only(study):
    (config,) = study.config.readings
    return answer_question(study, config)


def test_the_own_reading_of_a_study_is_what_its_table_shows(study):
    made = study({**OWN, **ONE})
    shown = [cell for cell in build_table(made, made.config.tables[0]) if cell.published]
    assert list(only(made).printed) == shown


def test_the_cells_that_all_readings_have_are_compared(study):
    question = only(study({**OWN, **ONE, ("german", "b~one"): []}))
    places = [(question.printed[n].row, question.printed[n].column) for n in question.common]
    assert places == [("german", "a")]  # titanic has no b, and german no b~one
    assert question.unanswered == ["raw"]
    (distances,) = question.distances.loc[question.common].to_dict("records")
    assert distances == pytest.approx(
        {"default": 2.0, "one": 0.0, "raw": math.nan, "b": 1.5}, nan_ok=True
    )
    all_common = only(study({**OWN, **ONE, ("titanic", "b"): [0.2, 0.2]}))
    assert len(all_common.common) == 3


def test_readings_are_compared_on_the_realizations_that_all_have(study):
    values = {**OWN, **ONE, ("german", "a~one"): [0.24, 0.25, 0.50, 0.60]}
    question = only(study(values))
    shown, compared = question.cells["one"][0], question.equal["one"][0]
    assert (shown.n, compared.n) == (4, 2)
    assert question.distances["one"][0] == pytest.approx(0.5)  # of the first two
    for name, cells in question.equal.items():
        for cell, full in zip(cells, question.cells[name], strict=True):
            assert cell.n <= full.n
    again = only(study({**values, ("german", "a~one"): [0.24, 0.25]}))
    assert again.distances.equals(question.distances)


@pytest.mark.parametrize(("more", "is_said"), [([], False), ([0.50, 0.60], True)])
def test_a_table_says_if_values_shown_and_compared_have_other_realizations(study, more, is_said):
    """A conclusion said that a value fell, and the table above it showed that it rose."""
    text, _ = write_readings(study({**OWN, **ONE, ("german", "a~one"): [0.24, 0.25, *more]}))
    assert (COMPARED in text) == is_said


def test_what_was_computed_once_is_compared_as_it_is(study):
    values = {**OWN, **ONE, ("german", "a~one"): [0.24]}
    question = only(study(values))
    assert question.equal["one"][0] == question.cells["one"][0]
    assert question.equal["default"][0].n == 2


def test_what_is_not_in_percent_is_compared_by_ratio(study):
    config = CONFIG.replace("[a, b],", "[a, b, {name: s, algorithm: a, metric: n_errors}],")
    question = only(study({**OWN, **ONE, ("titanic", "b"): [0.0, 0.0]}, config))
    by_place = {
        (cell.row, cell.column): distance
        for cell, distance in zip(question.printed, question.distances["b"], strict=True)
    }
    assert by_place["german", "a"] == pytest.approx(math.log(25.5 / 24))
    assert math.isnan(by_place["titanic", "a"])  # the logarithm of 0


def lines_of(text, start):
    return [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in text.splitlines()
        if line.startswith(f"| {start}")
    ]


def test_the_smallest_distance_alone_is_bold(study):
    text, _ = write_readings(study({**OWN, **ONE, ("titanic", "b"): [0.2, 0.2]}))
    (overall,) = lines_of(text, "mean distance  ")
    shown = [cell.strip("*") for cell in overall[3:] if cell != "—"]
    bold = [cell.strip("*") for cell in overall[3:] if cell.startswith("**")]
    assert bold == [min(shown, key=float)]
    assert len(lines_of(text, "mean distance, ")) == 2
    assert "It ended at 1." in text
    assert "in-sample" in text


def test_what_is_missing_is_told_with_its_readings(study):
    text, _ = write_readings(study({**OWN, **ONE}))
    missing = text.partition("Missing:")[2]
    assert "- web2: A: unavailable: nobody has it" in missing
    assert re.search(r"- \*raw\*: .*not run yet", missing)
    assert "but for those without any value: raw." in text


def test_the_csv_has_every_cell_of_every_reading(study):
    made = study({**OWN, **ONE})
    _, paths = write_readings(made)
    frame = pd.read_csv(made.folder / "readings.csv")
    assert len(frame) == 4 * 4
    assert set(frame["reading"]) == {"default", "one", "raw", "b"}
    known = frame.dropna(subset="value")
    np.testing.assert_allclose(known["distance"], (known["equal_value"] - known["printed"]).abs())
    assert known["verdict"].notna().all()
    assert [path.name for path in paths] == ["readings.csv", "readings.md"]


def test_without_readings_tables_are_the_same_and_nothing_else_is_written(study):
    bare = study(OWN, CONFIG.partition("readings:")[0])
    assert write_readings(bare) == ("", [])
    assert not list(bare.folder.glob("readings*"))
    before = next(write_tables(bare, "csv"))[0]
    assert next(write_tables(study({**OWN, **ONE}), "csv"))[0] == before


def test_mentions_lead_to_the_headings_of_readings_once_these_are_written(tmp_path):
    question = "Where does it end? (ε = 0.005, as Table 2 has it)"
    config = CONFIG.replace("Where does it end?", f'"{question}"').replace(
        "margin: 0.5", "margin: 0.5, notes: [See reading end and reading soft.]"
    )
    study = make_study(tmp_path / "s", config, errors("german", "a", [0.1, 0.2]), PRINTED)

    def links() -> set[tuple[str, ...]]:
        list(write_tables(study, "md"))
        texts = (study.folder / "table-2.md").read_text("utf-8"), first_page(study)
        return {tuple(re.findall(r"\[[^]]*\]\(readings\.md#[^)]*\)", text)) for text in texts}

    assert links() == {()}
    write_readings(study)
    assert f"### {question}\n" in (study.folder / "readings.md").read_text("utf-8")
    address = "readings.md#where-does-it-end-ε--0005-as-table-2-has-it"
    assert links() == {(f"[reading end]({address})",)}
