"""Maps of scores: means over realizations, and the best of further parameters."""

import re

import pytest
from made_up_records import make_study, record

from ensvm.errors import UserError
from ensvm.report.plots.drawing import draw, read_figure
from ensvm.runner.plan import make_plan

CONFIG = """\
study: s
realizations: 2
datasets: [german, titanic]
algorithms: {search: {label: Tuned, estimator: GridSearchCV, record: cv_results_,
  params: {estimator: SVC, param_grid: {C: [1, 10], gamma: [0.1, 1], degree: [2, 3]}}}}
figures:
  - {id: m, kind: map, caption: c, x: C, y: gamma,
     panels: [{dataset: german, series: search}, {dataset: titanic, series: search}]}
"""
GRID = [(C, gamma, degree) for C in (1, 10) for gamma in (0.1, 1.0) for degree in (2, 3)]
SCORES = {1: [0.1, 0.5, 0.3, 0.2, 0.9, 0.6, 0.4, 0.4], 2: [0.3, 0.1, 0.5, 0.2, 0.5, 0.6, 0.8, 0.4]}


@pytest.fixture
def study(tmp_path):
    records = []
    for number, scores in SCORES.items():
        one = record("german", number, "search", error=0.2, n_test=300)
        names = zip(("C", "gamma", "degree"), zip(*GRID, strict=True), strict=True)
        one.curves.update({f"cv_results_.{name}": list(values) for name, values in names})
        one.curves["cv_results_"] = scores
        records.append(one)
    return make_study(tmp_path / "s", CONFIG, records)


def test_scores_are_means_over_realizations_of_the_best_of_other_parameters(study):
    shown = read_figure(study, study.config.figures[0])
    lines = shown.frame.set_index(["x", "y"])
    expected = {(1, 0.1): (0.5 + 0.3) / 2, (1, 1.0): (0.3 + 0.5) / 2}
    expected |= {(10, 0.1): (0.9 + 0.6) / 2, (10, 1.0): (0.4 + 0.8) / 2}
    assert lines["score"].to_dict() == pytest.approx(expected)
    assert set(lines["n"]) == {2}
    assert shown.missing == ("titanic, search, cv_results_: not run yet",)


def test_the_best_is_boxed_and_every_score_is_written(study, texts_of):
    figure = study.config.figures[0]
    texts = texts_of(study, figure)
    assert {".400", ".750", ".600", "1", "10", "0.1", "box: the best"} <= texts
    (svg,) = draw(study, read_figure(study, figure), [".svg"])
    assert svg.count(b"#d55e00") == 2  # one point and the legend


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("y: gamma", "y: gama", "figures[1].y: unknown parameter of the search search 'gama'"),
        ("record: cv_results_,", "record: cv_results,", "cv_results; write `record: cv_results_`"),
        ("caption: c,", "caption: c, x_scale: log,", "figures[1].x_scale: 'log' is not accepted"),
    ],
)
def test_axes_that_a_map_does_not_have_are_refused(tmp_path, old, new, message):
    path = tmp_path / "s.yaml"
    path.write_text(CONFIG.replace(old, new))
    with pytest.raises(UserError, match=re.escape(message)):
        make_plan(path)


def test_scores_that_are_no_numbers_are_missing(tmp_path):
    one = record("german", 1, "search", error=0.2, n_test=300)
    one.curves.update(
        {"cv_results_": [float("nan")], "cv_results_.C": [1], "cv_results_.gamma": [1]}
    )
    made = make_study(tmp_path / "s", CONFIG, [one])
    missing = read_figure(made, made.config.figures[0]).missing
    assert missing[0] == "german, search: no score is a finite number"


@pytest.mark.parametrize("scores", [(-10.5, 10.5, 0.25, -0.75), (100.0, 20.0, -0.0004, 1e9)])
def test_a_written_score_is_the_score(tmp_path, texts_of, scores):
    one = record("german", 1, "search", error=0.2, n_test=300)
    one.curves.update({"cv_results_.C": [1, 1, 10, 10], "cv_results_.gamma": [0.1, 1, 0.1, 1]})
    one.curves["cv_results_"] = list(scores)
    made = make_study(tmp_path / "s", CONFIG, [one])
    texts = texts_of(made, made.config.figures[0])
    numbers = {float(text.replace("−", "-")) for text in texts if re.fullmatch(r"[-−\d.]+", text)}
    assert {round(score, 3) for score in scores} <= numbers
