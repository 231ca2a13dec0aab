"""Every shipped study can be planned, and every printed number has one cell beside it."""

import csv
from functools import cache

import pytest

from ensvm.report.tables import stale_notes
from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config, shipped_configs, shipped_results
from ensvm.study.printed import read_published
from ensvm.study.read_config import head_of, read_config, reproduced, shipped_heads

planned = cache(make_plan)
CONFIGS = sorted(shipped_configs().glob("*.yaml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_a_study_is_planned_and_named_as_its_file(path):
    plan = planned(path)
    assert plan.config.study == path.stem
    assert len({cell.key for cell in plan.cells}) == len(plan.cells)


def test_lists_show_what_the_whole_configs_say():
    """Lists do not read the whole configs, which takes several times as long."""
    assert shipped_heads() == [head_of(planned(path).config) for path in CONFIGS]


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_printed_cell_is_planned_once_or_marked_unavailable(path):
    plan = planned(path)
    if not plan.published:
        pytest.skip("a study without printed numbers")
    places = {(cell.dataset, cell.algorithm) for cell in plan.cells}
    layout = {
        (table.id, row, column.name): (row, "data" if table.of == "data" else column.of(table))
        for table in plan.config.tables
        for row in plan.config.rows_of(table)
        for column in table.columns
    }
    tables = {table.id for table in plan.config.tables}
    for table, row, column in read_published(plan.published, plan.config):
        of_a_part = path.stem.startswith("ijcai07-")  # these studies show parts of the paper
        assert (table, row, column) in layout or of_a_part
        if table in tables and (table, row, column) in layout:
            dataset, algorithm = layout[table, row, column]
            assert (dataset, algorithm) in places or plan.config.dataset(dataset).unavailable
    for dataset, algorithm in layout.values():
        asked_for = algorithm in ("data", *plan.config.algorithms_of(plan.config.dataset(dataset)))
        if asked_for and not plan.config.dataset(dataset).unavailable:
            assert (dataset, algorithm) in places


OURS = {"svm_span"}  # columns beside the paper's


def test_ijcai07_has_every_printed_table_complete():
    plan = planned(shipped_configs() / "ijcai07.yaml")
    printed = read_published(plan.published, plan.config)
    for table in (table for table in plan.config.tables if table.id in ("1", "2")):
        for row in plan.config.rows_of(table):
            for column in table.columns:
                assert ((table.id, row, column.name) in printed) == (column.name not in OURS)


def test_what_is_reproduced_covers_every_paper():
    """And a variant of a study is not reproduced beside it."""
    stems = {path.stem for path in CONFIGS}
    assert set(reproduced()) < stems
    plans = [planned(find_config(name)) for name in reproduced()]
    printed = {plan.published for plan in plans}
    files = {*shipped_configs().glob("*/published.csv")}
    assert files - {shipped_configs() / "smoke" / "published.csv"} <= printed


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_notes_explain_verdicts_that_the_committed_tables_show(path):
    config, _ = read_config(path)
    assert stale_notes(config, shipped_results() / config.study) == []


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_every_printed_cell_with_a_value_is_told(path):
    config, _ = read_config(path)
    folder = shipped_results() / config.study
    for table in config.tables:
        path = folder / f"table-{table.id}.csv"
        if table.of == "timing" or not path.is_file():
            continue
        with path.open(newline="", encoding="utf-8") as file:
            lines = [line for line in csv.DictReader(file) if line["published"] and line["mean"]]
        coded = {
            (row, column)
            for note in table.notes
            for column, rows in note.coded.items()
            for row in rows
        }
        for line in lines:
            is_judged = table.judged and (line["row"], line["column"]) not in coded
            assert bool(line["verdict"]) == is_judged
