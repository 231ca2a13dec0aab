"""What `ensvm run --published` takes of a study: what the paper prints, draws and claims."""

import pytest

from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config
from ensvm.study.claim import FEWEST_TIMINGS
from ensvm.study.published_part import REALIZATIONS_OF_CLAIMS, REALIZATIONS_OF_FIGURES
from ensvm.study.read_config import read_config

STUDY = """
study: trial
realizations: 30
datasets: [german, {name: cancer, sweep: {split.n_train: [50, 100]}}, titanic]
algorithms:
  svc: &svc {estimator: SVC, params: {kernel: rbf, gamma: scale}, record: [train_error]}
  drawn: *svc
  claimed: *svc
  ours: *svc
timing: {algorithms: [svc, claimed], realizations: 8}
published: published.csv
tables:
  - {id: 1, caption: c, columns: [svc, ours], rows: [german, titanic]}
  - {id: own, caption: c, columns: [ours]}
figures:
  - {id: 1, kind: sweep, caption: c, panels: [cancer], series: [drawn], y: error}
  - {id: own, kind: sweep, of_paper: false, caption: c, panels: [cancer], series: [ours], y: error}
claims:
  - {id: b, paraphrase: p, metric: error, left: ours, right: claimed, relation: less,
     rows: [cancer-50]}
  - {id: c, text: t, metric: error, left: claimed, right: svc, relation: less,
     rows: [cancer-50]}
  - {id: a, text: t, metric: train_seconds, pass: timing, left: claimed, right: svc,
     relation: at-least, of: ratio, factor: 2.0, rows: [titanic]}
readings:
  - {id: r, question: q, table: 1, columns: [svc], default: d, conclusion: c,
     variants: [{name: c10, label: l, algorithm: {params.C: 10.0}}]}
"""


def cells(tmp_path, study, **chosen):
    path = tmp_path / "trial.yaml"
    path.write_text(study)
    (tmp_path / "published.csv").write_text("table,row,column,value,std\n1,german,svc,20.0,\n")
    return make_plan(path, published=True, **chosen).cells


def test_cells_are_those_of_printed_values_figures_and_claims(tmp_path):
    made = cells(tmp_path, STUDY)
    assert {(cell.dataset, cell.algorithm, cell.run_pass) for cell in made if cell.method} == {
        ("german", "svc", "error"),
        ("cancer-50", "drawn", "error"),
        ("cancer-100", "drawn", "error"),
        ("cancer-50", "claimed", "error"),
        ("cancer-50", "svc", "error"),
        ("titanic", "claimed", "timing"),
        ("titanic", "svc", "timing"),
    }


@pytest.mark.parametrize(
    ("changes", "printed", "expected"),
    [
        ({}, [], {"1": True, "own": True}),  # no paper: all tables are alike
        ({}, [("own", "german", "ours")], {"1": False, "own": True}),
        ({"id: 1, caption": "id: 1, of_paper: true, caption"}, [], {"1": True, "own": False}),
        (
            {"id: own, caption": "id: own, of_paper: false, caption"},
            [("1", "german", "svc"), ("own", "german", "ours")],
            {"1": True, "own": False},
        ),
        ({"id: 1, kind": "id: 1, of_paper: false, kind"}, [], {"1": False, "own": False}),
    ],
)
def test_a_table_is_the_papers_if_it_says_so_or_has_printed_values(
    tmp_path, changes, printed, expected
):
    text = STUDY.replace("of_paper: false, ", "")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new, 1)
    path = tmp_path / "trial.yaml"
    path.write_text(text)
    config = read_config(path)[0].with_paper(printed)
    assert {table.id: table.of_paper for table in config.tables} == expected


def count(tmp_path, value, study=STUDY, **chosen):
    """Return how many realizations of a value (data set, algorithm, pass) are run."""
    made = cells(tmp_path, study, **chosen)
    return sum((cell.dataset, cell.algorithm, cell.run_pass) == value for cell in made)


def test_there_are_as_many_realizations_as_the_paper_prints_or_ten(tmp_path):
    printed = ("german", "svc", "error")
    assert count(tmp_path, printed) == 10
    assert count(tmp_path, printed, STUDY + "published_realizations: 25\n") == 25
    # the study has no more
    assert count(tmp_path, printed, STUDY + "published_realizations: 100\n") == 30
    assert count(tmp_path, printed, realizations=2) == 2


def test_values_behind_claims_alone_have_five_realizations_if_the_paper_prints_none(tmp_path):
    claimed = ("cancer-50", "claimed", "error")
    assert count(tmp_path, claimed) == REALIZATIONS_OF_CLAIMS
    assert count(tmp_path, claimed, STUDY + "published_realizations: 25\n") == 25


def test_values_that_figures_alone_show_have_five_realizations(tmp_path):
    drawn = ("cancer-50", "drawn", "error")
    assert count(tmp_path, drawn) == REALIZATIONS_OF_FIGURES
    assert count(tmp_path, drawn, STUDY + "published_realizations: 25\n") == REALIZATIONS_OF_FIGURES
    assert count(tmp_path, drawn, STUDY + "published_realizations: 3\n") == 3


def test_there_are_as_many_timings_as_a_verdict_needs(tmp_path):
    timed = ("titanic", "svc", "timing")
    assert count(tmp_path, timed) == FEWEST_TIMINGS
    assert count(tmp_path, timed, realizations=7) == 7


def test_printed_rows_that_a_derived_study_leaves_out_are_no_part_of_it(tmp_path):
    cells(tmp_path, STUDY)
    derived = tmp_path / "derived.yaml"
    derived.write_text("base: trial.yaml\nstudy: derived\ndatasets: [titanic]\n")
    made = make_plan(derived, published=True).cells
    assert not [cell for cell in made if cell.dataset == "german"]


def test_the_published_part_of_a_shipped_study_is_a_part_without_variants():
    plan, whole = (make_plan(find_config("icmla05"), published=part) for part in (True, False))
    assert plan.cells
    assert not [cell for cell in plan.cells if "~" in cell.dataset + cell.algorithm]
    assert {cell.key for cell in plan.cells} < {cell.key for cell in whole.cells}
