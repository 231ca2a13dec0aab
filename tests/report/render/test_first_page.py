"""A study's first page: made of the records, links to what is there, leaves a user's page alone."""

import re
from dataclasses import replace

import pytest
from made_up_records import errors, invoke, make_study, record

from ensvm.report.documents.findings_document import sentences_tested
from ensvm.report.render.first_page import NAME, first_page
from ensvm.report.render.pictures import PICTURE
from ensvm.report.render.study_page import StudyPage
from ensvm.report.study_folder import read_study
from ensvm.report.write import write_claims, write_figures, write_first_page, write_tables
from ensvm.shipped import shipped_results
from ensvm.study.printed import Published

RESULTS = shipped_results()
CONFIG = """\
study: s
title: A title
citation: A and B (1999)
realizations: 2
datasets: [german, titanic, cancer]
algorithms: {a: {label: A, estimator: RhoSVC}, b: {estimator: RhoSVC}}
published: p.csv
tables:
  - {id: 1, caption: Errors., columns: [a, b]}
  - {id: 2, caption: Facts., of: data, rows: [german], columns: [dim]}
figures:
  - {id: 1, kind: box, caption: "Bars, [all].", rows: [german], series: [a, b]}
claims:
  - {id: less, text: t, relation: less, left: [a], right: [b], rows: [german]}
"""
PRINTED = "table,row,column,value,std\n1,german,a,11.0,\n1,titanic,b,50.0,\n2,german,dim,20,\n"


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.setattr("ensvm.report.render.pictures.FEWEST_POINTS", 1)
    lines = [
        *errors("german", "a", [0.10, 0.12]),
        *errors("german", "b", [0.30, 0.33]),
        record("german", 1, "data", dim=20),
        record("titanic", 1, "b", status="failed", reason="ouch"),
        record("cancer", 1, "a", status="unavailable", reason="get it"),
    ]
    return make_study(tmp_path / "results" / "s", CONFIG, lines, PRINTED)


def test_the_counts_are_those_of_the_records(study):
    page = first_page(study)
    assert re.search(
        r"Of 2 printed results: 1 (.), 1 without a value of ours \(\1 [a-z ]+\)\.", page
    )
    assert "Sentences tested: 1 holds (1 also on other rows of the same kind)." in page
    assert f"1 of {len(study.records)} cells failed." in page
    assert "Data that could not be loaded: cancer." in page


def test_what_the_paper_has_comes_first_and_ours_are_links(study):
    list(write_tables(study, "md"))
    printed = {("1", "german", "a"): Published(11.0)}
    tables = [table.model_copy(update={"of_paper": None}) for table in study.config.tables]
    config = study.config.model_copy(update={"tables": tuple(tables)}).with_paper(printed)
    page = first_page(replace(study, config=config, published=printed))
    assert "### Table 1. " in page
    assert "### Table 2. " not in page
    assert re.search(r"## More\n\n- \[.*\]\(table-2\.md\)", page)


def test_what_the_abstract_says_to_look_at_comes_first_whoever_has_it(tmp_path):
    ours = CONFIG.replace("{id: 1, kind: box,", "{id: f, of_paper: false, kind: box,")
    look = "abstract: {outcome: Well., look: 'Look at Figure f, then at Table 2.'}\n"
    records = [*errors("german", "a", [0.10, 0.12]), record("german", 1, "data", dim=20)]
    study = make_study(tmp_path / "s", ours + look, records, PRINTED)
    list(write_figures(study))
    page = first_page(study)
    places = [page.index(f"### {part}. ") for part in ("Figure f", "Table 2", "Table 1")]
    assert places == sorted(places)
    assert "## More" not in page or "figure-f" not in page[page.index("## More") :]
    shown = [(kind, part.id) for kind, part in StudyPage(study).shown]
    assert shown == [("figure", "f"), ("table", "2"), ("table", "1")]


def test_a_picture_of_few_points_is_left_out(study, monkeypatch):
    for fewest in (1, 2):  # there is one
        monkeypatch.setattr("ensvm.report.render.pictures.FEWEST_POINTS", fewest)
        write_first_page(study)
        assert (study.folder / PICTURE).exists() == (fewest == 1)
        assert (PICTURE in first_page(study)) == (fewest == 1)


def test_table_and_picture_come_first_and_no_line_stands_twice(study):
    page = first_page(study)
    places = [page.index(text) for text in ("printed.svg", "### Table 1. ", "tested\n\n- ")]
    assert places == sorted(places)
    for judged, finding in sentences_tested(study):
        assert page.count(finding.sentence) == 1, judged.claim.id
        assert all(page.count(line) == 1 for line in finding.lines)


def test_the_page_shows_the_tables_as_their_own_pages_do(study):
    page = first_page(study)
    for _, [_, path] in write_tables(study, "md"):
        parts = path.read_text(encoding="utf-8").split("\n\n")
        assert next(part for part in parts if part.startswith("|")) in page


def test_every_link_leads_to_a_file_and_what_is_not_there_is_named(study):
    list(write_tables(study, "md"))
    before = write_first_page(study).read_text()
    assert "- The evidence of each claim\n" in before
    assert "figure-1" not in before
    write_claims(study)
    assert all(paths for _, paths in write_figures(study))
    after = write_first_page(study).read_text()
    links = re.findall(r"\]\(([^)]+)\)", after)
    assert {
        "printed.svg",
        "figure-1.svg",
        "figure-1.png",
        "figure-1.pdf",
        "claims.md",
        "table-1.md",
    } <= set(links)
    for text in (before, after):
        for link in re.findall(r"\]\(([^)]+)\)", text):
            assert (study.folder / link).is_file(), link


@pytest.mark.parametrize(
    "picture", sorted(RESULTS.glob("*/printed.svg")), ids=lambda path: path.parent.name
)
def test_the_legend_of_a_committed_picture_lies_inside_it(picture):
    text = picture.read_text(encoding="utf-8")
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', text).groups())
    entries = re.findall(r'translate\((\S+) (\S+)\)"><path [^>]*/><text x="10"[^>]*>(.+?)<', text)
    assert entries
    for left, top, words in entries:
        letter = 7.0  # px; the widest mean width of these words at 12 px
        assert float(left) + 10 + letter * len(words) <= width
        assert float(top) + 8 <= height


def test_a_page_that_a_user_wrote_is_left_alone(study):
    path = write_first_page(study)
    assert path is not None
    assert write_first_page(study) == path  # our own is written anew
    path.write_text("# My notes\n")
    assert write_first_page(study) is None
    assert path.read_text() == "# My notes\n"


def test_the_command_writes_it_with_all_tables(study):
    results = study.folder.parent
    one = invoke("table", results, "--table", "1")
    assert one.exit_code == 0
    assert not (study.folder / NAME).exists()
    every = invoke("table", results)
    assert str(study.folder / NAME) in every.stderr
    page = (study.folder / NAME).read_text(encoding="utf-8")
    again = read_study(study.folder)
    assert page == first_page(again)
    assert "`ensvm run s.yaml`" in page
