"""`ensvm figure` and `ensvm claims`, from a run to the files; wrong keys are one message."""

import re

import pytest
from made_up_records import invoke, make_study, record

from ensvm.study.config import read_config
from ensvm.study.source import ConfigError

pytestmark = pytest.mark.usefixtures("in_this_process")

ALGORITHMS = """\
slow: {estimator: MultiplicativeUpdateSVC, params: {max_iter: 20}, record: [objective_path_]}
fast: {estimator: RhoSVC, record: [objective_path_]}
"""
FIGURES = """\
figures:
  - {id: 1, caption: c, panels: [own], series: [fast, slow], y: objective_path_,
     x_label: steps, y_label: objective}
"""
CLAIMS = """\
claims:
  - {id: faster, text: It is faster., metric: objective_path_, better: fast, than: slow,
     relation: curve-below}
"""


@pytest.mark.slow
def test_from_a_run_to_figures_and_claims(study, tmp_path):
    config, results = study(ALGORITHMS, realizations=2, more=FIGURES + CLAIMS), tmp_path / "results"
    assert invoke("run", config, "--results", results, "--jobs", 1).exit_code == 0
    drawn = invoke("figure", results)
    assert drawn.exit_code == 0
    assert drawn.stdout.splitlines() == [
        str(results / "trial" / f"figure-1.{end}") for end in ("csv", "png", "svg", "pdf")
    ]
    assert all(
        (results / "trial" / f"figure-1.{end}").stat().st_size > 500
        for end in ("csv", "png", "svg", "pdf")
    )
    judged = invoke("claims", results)
    assert judged.exit_code == 0
    assert "> It is faster." in judged.stdout
    assert judged.stdout.strip().startswith((results / "trial" / "claims.md").read_text().strip())
    assert "faster" in (results / "trial" / "claims.csv").read_text()


@pytest.mark.parametrize("verb", ["figure", "claims"])
def test_without_records_it_says_what_to_do(tmp_path, verb):
    told = invoke(verb, tmp_path)
    assert told.exit_code == 2
    assert "no records" in told.stderr
    assert "ensvm run ijcai07-figure1" in told.stderr
    assert len(told.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize("verb", ["figure", "claims"])
def test_a_study_without_them_is_refused_too(study, tmp_path, verb):
    invoke("run", study(ALGORITHMS, realizations=1), "--results", tmp_path / "results", "--jobs", 1)
    told = invoke(verb, tmp_path / "results")
    assert told.exit_code == 2
    assert len(told.stderr.strip().splitlines()) == 1


GOOD = """\
study: t
datasets: [german]
algorithms:
  a: {estimator: RhoSVC, record: [objective_path_]}
  b: {estimator: RhoSVC}
figures:
  - {id: 1, caption: c, panels: [german], series: [a], y: objective_path_, x_label: x, y_label: y}
claims:
  - {id: k, text: t, better: a, than: b, relation: at-most, margin: 1, rows: [german]}
"""
CLAIM = "relation: at-most, margin: 1"
WRONG = {
    "panel": (
        "panels: [german]",
        "panels: [germn]",
        r"line 7: figures\[1\]\.panels\[1\]: unknown data set 'germn'.*'german'",
    ),
    "series": (
        "series: [a]",
        "series: [c]",
        r"line 7: figures\[1\]\.series: unknown algorithm 'c'",
    ),
    "not recorded": (
        "series: [a]",
        "series: [a, b]",
        r"line 7: figures\[1\]\.y: 'objective_path_' is not in.* of b, .*nothing",
    ),
    "near miss": (
        "y: objective_path_",
        "y: objective_pat_",
        r"line 7: .* of a, which keeps .*did you mean 'objective_path_'",
    ),
    "no panels": ("panels: [german]", "panels: []", r"line 7: figures\[1\]\.panels: .*at least 1"),
    "scale": (
        "y_label: y",
        "y_label: y, y_scale: logarithmic",
        r"line 7: figures\[1\]\.y_scale: .*'logarithmic'",
    ),
    "kind": (
        "y_label: y",
        "y_label: y, kind: bars",
        r"line 7: figures\[1\]\.kind: .*accepted: curves, sweep, .*box, strip, bar, got 'bars'",
    ),
    "figure key": (
        "caption: c",
        "captoin: c",
        r"line 7: figures\[1\]\.captoin: unknown key.*did you mean 'caption'",
    ),
    "relation": (CLAIM, "relation: lesser", r"line 9: claims\[1\]\.relation: .*'lesser'.*'less'"),
    "better": ("better: a", "better: c", r"line 9: claims\[1\]\.better: unknown algorithm 'c'"),
    "than": ("than: b", "than: [b, c]", r"line 9: claims\[1\]\.than: unknown algorithm 'c'"),
    "rows": (
        "rows: [german]",
        "rows: [germn]",
        r"line 9: claims\[1\]\.rows: unknown data set 'germn'",
    ),
    "claim key": (
        "text: t",
        "txt: t",
        r"line 9: claims\[1\]\.txt: unknown key; .*relation",
    ),
    "pass": (CLAIM, CLAIM + ", pass: speed", r"line 9: claims\[1\]\.pass: .*'speed'"),
    "no timing": (
        CLAIM,
        CLAIM + ", pass: timing",
        r"line 9: claims\[1\]\.pass: .*needs a `timing:` block",
    ),
    "seconds": (
        CLAIM,
        CLAIM + ", metric: fit_seconds",
        r"line 9: claims\[1\]: fit_seconds .*add `pass: timing`",
    ),
    "no than": ("than: b, ", "", r"line 9: claims\[1\]: the relation at-most needs `than:`"),
    "no limit": (
        "than: b, " + CLAIM,
        "relation: value-at-most",
        r"line 9: claims\[1\]: .*needs `limit:`",
    ),
    "foreign key": (
        CLAIM,
        "relation: ratio, margin: 1",
        r"line 9: claims\[1\]: the relation ratio has no `margin:`",
    ),
    "factor": (
        CLAIM,
        "relation: ratio, factor: 0",
        r"line 9: claims\[1\]\.factor: .*greater than 0",
    ),
    "margin": (CLAIM, "relation: less, margin: -1", r"line 9: claims\[1\]\.margin: .*-1"),
    "curve": (
        CLAIM,
        "relation: curve-below, metric: objective_path_",
        r"claims\[1\]\.metric: .*`record:` of b",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_key_is_explained_in_one_line(tmp_path, case):
    good, wrong, message = WRONG[case]
    assert good in GOOD
    path = tmp_path / "c.yaml"
    path.write_text(GOOD.replace(good, wrong))
    with pytest.raises(ConfigError) as caught:
        read_config(path)
    text = str(caught.value)
    assert "\n" not in text
    assert re.search(message, text), text


@pytest.mark.parametrize(
    ("good", "wrong", "place"),
    [
        ("y_label: y", r"y_label: 'error at $\gama$'", r"line 7: figures\[1\]\.y_label: "),
        ("[german], s", r"[{dataset: german, title: $\gama$}], s", r"panels\[1\]\.title: "),
        ("y: objective_path_", r"y: {objective_path_: '$x_$'}", r"y\.objective_path_: "),
        ("b: {", r"b: {label: '$\frac{1}$', ", r"line 5: algorithms\.b\.label: "),
    ],
)
def test_math_that_cannot_be_drawn_is_refused_before_a_run(tmp_path, good, wrong, place):
    assert good in GOOD
    path = tmp_path / "c.yaml"
    path.write_text(GOOD.replace(good, wrong))
    told = invoke("check", path, "--no-fit")
    assert told.exit_code == 2
    assert re.search(f"{place}matplotlib cannot draw the math in", told.stderr), told.output
    path.write_text(GOOD.replace(good, wrong.replace("$", "")))
    assert invoke("check", path, "--no-fit").exit_code == 0


def test_a_figure_that_cannot_be_drawn_costs_itself_alone(tmp_path):
    figure = GOOD[GOOD.index("  - {id: 1,") : GOOD.index("claims:")]
    wrong = figure.replace("y_label: y", r"y_label: $\gama$")
    config = GOOD.replace(figure, wrong + figure.replace("id: 1", "id: 2"))
    made = record("german", 1, "a", curve=[2.0, 1.0], error=0.5, n_test=300)
    made.curves["objective_path_"] = [2.0, 1.0]
    folder = make_study(tmp_path / "results" / "t", config, [made]).folder
    drawn = invoke("figure", tmp_path / "results")
    shown = invoke("report", tmp_path / "results", "-o", tmp_path / "pages")
    for told in (drawn, shown):
        assert told.exit_code == 1
        assert re.fullmatch(r"error: figure 1: cannot be drawn: .*\\gama.*\n", told.stderr)
    assert sorted(path.name for path in folder.glob("figure-*")) == [
        f"figure-2.{ending}" for ending in ("csv", "pdf", "png", "svg")
    ]
    page = (tmp_path / "pages" / "t.html").read_text()
    assert page.count('<img style="min-width') == 1
    assert "figure 1: cannot be drawn" in page
    assert (tmp_path / "pages" / "index.html").exists()


@pytest.mark.parametrize("block", ["figures", "claims"])
def test_a_name_given_twice_is_refused(tmp_path, block):
    first = next(
        line
        for line in GOOD.splitlines()
        if line.startswith("  - ") and (("panels" in line) == (block == "figures"))
    )
    path = tmp_path / "c.yaml"
    path.write_text(GOOD.replace(first, f"{first}\n{first}"))
    with pytest.raises(ConfigError, match=rf"{block}\[2\]\.id: .*given twice"):
        read_config(path)


def test_the_good_keys_are_read(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    config, _ = read_config(path)
    (figure,), (claim,) = config.figures, config.claims
    assert (figure.id, figure.series, figure.y) == ("1", ("a",), "objective_path_")
    assert (claim.better, claim.than, claim.threshold) == (("a",), ("b",), 1.0)
