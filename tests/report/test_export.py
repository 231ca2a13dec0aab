"""Exports have every cell once, as recorded, and each column is of one type."""

import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from made_up_records import errors, make_study, record

from ensvm.report.documents.document import columns_of, csv_of
from ensvm.report.documents.table_document import table_document
from ensvm.report.export import (
    csv_of_lines,
    frame_of,
    realizations,
    table_cells,
)
from ensvm.report.tables import build_table

CONFIG = """\
study: s
realizations: 2
datasets: [german, titanic]
algorithms: {a: {label: A, estimator: RhoSVC}, b: {estimator: RhoSVC}}
timing: {algorithms: [a]}
published: p.csv
tables:
  - {id: 1, caption: c, columns: [a, b], summary: [mean, geometric-mean, mean-rank, {wins: b}]}
  - {id: 2, caption: c, of: timing, metric: train_seconds, columns: [a]}
"""
PRINTED = "table,row,column,value,std\n1,german,a,11.0,\n"


@pytest.fixture
def study(tmp_path):
    timed = record("german", 1, "a", run_pass="timing", seconds=1.5, host="here", n_iter_=7)
    chosen = record("titanic", 1, "a", error=0.5, stop_reason_="tol", converged_=True)
    lines = [
        *errors("german", "a", [0.1, 1 / 3]),
        timed,
        replace(chosen, stage={"C": 0.1}, n_stages=3, validation_error=0.25),
        record("titanic", 1, "b", status="failed", reason="ouch"),
    ]
    return make_study(tmp_path / "s", CONFIG, lines, PRINTED)


def exported(study):
    frame = frame_of(realizations(study))
    return frame.set_index(["dataset", "realization", "algorithm", "pass"])


def test_every_record_is_a_line_with_what_it_has(study):
    frame = exported(study)
    assert set(frame.index) == set(study.records)
    for identity, made in study.records.items():
        line = frame.loc[identity]
        for name, value in {**made.metrics, **made.seconds}.items():
            assert line[name] == value
        lacking = set(frame.columns[frame.columns.get_loc("settings_key") + 1 :])
        for name in lacking - set(made.metrics) - set(made.seconds):
            assert pd.isna(line[name]), (identity, name)
        assert line["status"] == made.status
        assert line["commit"] == made.run.commit
    chosen = frame.loc["titanic", 1, "a", "error"]
    assert (chosen["stage"], chosen["n_stages"]) == ('{"C": 0.1}', 3)
    assert frame.loc["titanic", 1, "b", "error"]["reason"] == "ouch"


def test_seeds_stand_where_they_are_known(study):
    of_first = study.records["german", 1, "a", "error"]
    seeded = {**study.records, of_first.identity: replace(of_first, seed=4_294_967_295)}
    column = exported(replace(study, recorded=seeded))["seed"]
    assert column.loc["german", 1, "a", "error"] == 4_294_967_295
    assert column.isna().sum() == len(study.records) - 1


def test_a_csv_comes_back_to_the_last_bit(study):
    lines = realizations(study)
    frame, whole = frame_of(lines), csv_of_lines(lines)
    back = pd.read_csv(io.StringIO(whole), dtype=str)
    assert list(back.columns) == list(frame.columns)
    assert back["error"].dropna().map(float).tolist() == frame["error"].dropna().tolist()
    assert ",300," in whole  # whole numbers stay whole beside missing ones


def test_whole_numbers_stay_whole_beside_missing_ones():
    lines = [{"x": 1, "y": 2.5}, {}, {"x": 4_294_967_295}]
    assert csv_of_lines(lines) == "x,y\n1,2.5\n,\n4294967295,\n"


@pytest.mark.parametrize(
    "values",
    [
        [1, -2, 2**53],
        [1, 2.5, -0.0],
        [1, None, 2.5],
        [0.1 + 0.2, 1e-5, 1e16, 1e22, float("inf"), -1e300],
        [np.float64(1.5), np.int64(3), float("nan")],
        [None, None],
        [True, False],
        ["a,b", 'c "d"', "e\nf", "", None],
        ["auto", 1, 0.5],
    ],
    ids=str,
)
def test_columns_are_written_as_pandas_writes_them(values):
    lines = [{"x": value, "y": 1} for value in values]
    expected = pd.DataFrame(lines).to_csv(index=False, lineterminator="\n")
    assert csv_of(columns_of(lines)) == expected


def test_an_export_has_the_lines_of_every_table(study):
    frame = frame_of(table_cells(study))
    assert set(frame[frame.row == "mean"].unit) == {"%"}
    assert set(frame[frame.row.isin(["mean-rank", "wins-b"])].unit) == {""}
    for table in study.config.tables:
        lines = table_document(study, table).frame
        exported_lines = frame.loc[frame.table == table.id, lines.columns].astype(object)
        assert exported_lines.where(exported_lines.notna(), None).values.tolist() == (
            lines.astype(object).where(lines.notna(), None).values.tolist()
        )


def test_a_line_of_a_table_is_its_cell(study):
    frame = frame_of(table_cells(study)).set_index(["table", "row", "column"])
    for table in study.config.tables:
        for cell in build_table(study, table):
            line = frame.loc[table.id, cell.row, cell.column]
            for name in ("mean", "std", "published", "difference", "difference_low"):
                value = getattr(cell, name)
                assert pd.isna(line[name]) if value is None else line[name] == value
            assert line["n"] == cell.n
            assert line["status"] == cell.status
    assert frame.loc["1", "german", "a"]["label"] == "A"
    assert frame.loc["2", "german", "a"]["pass"] == "timing"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("+1+2", "'+1+2"),
        ("-1+2", "'-1+2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("-0.5", "-0.5"),
        ("why = not", "why = not"),
        ("a\r=1", "a\n=1"),
        ("\r\n=1", "'\n=1"),
        (" =1", "' =1"),
        ("＝1", "'＝1"),
        ("a\x1b]0;x\x07\0", "a�]0;x��"),
    ],
)
def test_a_spreadsheet_takes_no_text_for_a_formula(text, shown):
    lines = [{"reason": text, "count": -1, "share": -0.5}, {"count": None}]
    found = pd.read_csv(io.StringIO(csv_of_lines(lines)), dtype={"reason": str})
    assert found.reason[0] == shown
    assert (found["count"][0], found.share[0]) == (-1, -0.5)
    assert csv_of_lines([{"=1+1": 2}]) == "'=1+1\n2\n"
