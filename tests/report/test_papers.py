"""Printed values of several papers in one table: each paper has columns with its own verdicts."""

import csv
import io
import re
from pathlib import Path

import numpy as np
import pytest
from made_up_records import errors, invoke, make_study

from ensvm.errors import UserError
from ensvm.report.tables import build_table
from ensvm.report.write import write_pages, write_tables
from ensvm.runner.plan import make_plan

ROOT = Path(__file__).parents[2]
STUDY = """\
study: s
realizations: 30
published_realizations: 30
datasets: [{name: german, same_rows: true}, titanic]
algorithms:
  a: {label: A, estimator: SVC, params: {random_state: 1}}
  b: {label: B, estimator: ParzenWindowClassifier}
tables: [{id: 1, caption: errors, metric: error, columns: [a, b]}]
"""
PAPERS = """\
published:
  First 1999: {file: first.csv}
  Second 2005: {file: second.csv, realizations: 20, same_rows: german}
"""
HEAD = "table,row,column,value,std"
FIRST = f"{HEAD}\n1,german,a,24,2\n1,titanic,b,22,1\n"
SECOND = f"{HEAD}\n1,german,a,29,2\n1,titanic,a,22.5,1\n"
BOTH = f"{HEAD},paper\n" + "".join(
    f"{line},{paper}\n"
    for paper, text in (("First 1999", FIRST), ("Second 2005", SECOND))
    for line in text.splitlines()[1:]
)


def records():
    values = np.linspace(-0.02, 0.02, 30)
    means = {"german": 0.24, "titanic": 0.224}
    return [
        one
        for row, mean in means.items()
        for name in ("a", "b")
        for one in errors(row, name, mean + values)
    ]


@pytest.fixture
def study(tmp_path):
    return make_study(tmp_path / "s", STUDY + PAPERS, records(), BOTH)


def verdicts(study):
    cells = build_table(study, study.config.tables[0])
    return {(cell.row, cell.column): (cell.published, cell.verdict) for cell in cells}


def test_each_paper_has_the_verdicts_that_it_would_have_alone(study, tmp_path):
    first = make_study(tmp_path / "1", STUDY + "published: x.csv\n", records(), FIRST)
    alone = STUDY.replace("published_realizations: 30", "published_realizations: 20")
    second = make_study(tmp_path / "2", alone + "published: x.csv\n", records(), SECOND)
    assert verdicts(study) == verdicts(first)
    assert verdicts(study.beside["Second 2005"]) == verdicts(second)
    assert verdicts(study)["german", "a"] == (24.0, "reproduced")
    assert verdicts(second)["german", "a"] == (29.0, "differs")


def test_same_rows_are_said_for_each_paper(study, tmp_path):
    config = STUDY + PAPERS.replace(", same_rows: german", "")
    other = make_study(tmp_path / "other", config, records(), BOTH)
    for one, basis in ((study, "same rows"), (other, "realizations")):
        [cell] = [
            cell
            for cell in build_table(one.beside["Second 2005"], one.config.tables[0])
            if (cell.row, cell.column) == ("german", "a")
        ]
        assert cell.interval_of == basis


def test_all_media_show_the_columns_of_the_second_paper(study, tmp_path):
    texts = {
        form: "".join(text for text, _ in write_tables(study, form))
        for form in ("md", "csv", "latex")
    }
    for form in ("md", "latex"):
        assert "A in Second 2005" in texts[form]
        assert "B in Second 2005" not in texts[form]
    assert "29.0 ±2.0 ≠" in texts["md"]
    lines = list(csv.DictReader(io.StringIO(texts["csv"])))
    [german] = [line for line in lines if (line["row"], line["column"]) == ("german", "a")]
    assert (german["published"], german["verdict"]) == ("24.0", "reproduced")
    assert german["published: Second 2005"] == "29.0"
    assert german["verdict: Second 2005"] == "differs"
    *_, _ = write_pages([study], tmp_path / "pages")
    page = (tmp_path / "pages" / "s.html").read_text()
    assert "A in Second 2005" in page
    assert "29.0 ±2.0 ≠" in page


def test_a_run_copies_the_numbers_of_all_papers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.yaml").write_text(STUDY.replace(": 30", ": 2") + PAPERS)
    (tmp_path / "first.csv").write_text(FIRST)
    (tmp_path / "second.csv").write_text(SECOND)
    assert make_plan(tmp_path / "s.yaml").published.keys() == {"First 1999", "Second 2005"}
    result = invoke("run", "s.yaml", "--datasets", "titanic", "--algorithms", "b", "--jobs", "1")
    assert result.exit_code == 0
    assert (tmp_path / "results/s/published.csv").read_text() == BOTH
    shown = invoke("table", "results", "s")
    assert "A in Second 2005" in shown.stdout


WRONG = {
    "no file": (PAPERS.replace("second", "third"), r"line 11: published.Second 2005: .* no file"),
    "a key": (PAPERS.replace("realizations", "realisations"), "did you mean 'realizations'"),
    "a row": (PAPERS.replace(": german", ": germn"), "unknown data set 'germn'"),
    "a list": ("published: [first.csv]\n", "a mapping of papers to files"),
}


@pytest.mark.parametrize(("papers", "message"), WRONG.values(), ids=list(WRONG))
def test_wrong_papers_get_one_message(tmp_path, papers, message):
    (tmp_path / "s.yaml").write_text(STUDY + papers)
    (tmp_path / "first.csv").write_text(FIRST)
    (tmp_path / "second.csv").write_text(SECOND)
    with pytest.raises(UserError, match=message):
        make_plan(tmp_path / "s.yaml")


def test_the_example_of_the_page_is_accepted(tmp_path):
    page = (ROOT / "docs" / "reference" / "keys" / "published.md").read_text(encoding="utf-8")
    _, _, section = page.partition("## Printed values of several papers")
    block = re.search(r"```yaml\n(.*?)```", section, re.DOTALL)[1]
    (tmp_path / "s.yaml").write_text(STUDY + block)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "published.csv").write_text(FIRST)
    (tmp_path / "mine" / "raetsch.csv").write_text(SECOND)
    first, second = make_plan(tmp_path / "s.yaml").config.published.values()
    assert (first.realizations, second.realizations, second.same_rows) == (None, 100, ("german",))
