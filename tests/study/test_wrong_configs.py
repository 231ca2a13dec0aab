"""A wrong config gets one message that names file, line, key, value and what is accepted."""

import re

import pytest

from ensvm.errors import UserError
from ensvm.runner.plan import make_plan
from ensvm.shipped import find_config
from ensvm.study.read_config import read_config

GOOD = """\
study: t
realizations: 2
datasets: [german]
algorithms:
  a: {estimator: SVC, params: {gamma: 1}}
tables:
  - {id: 1, caption: c, columns: [a]}
"""
HEAD, TABLE, PARAMS = "study: t\n", "caption: c", "params: {gamma: 1}"
WHOLE = f"SVC, {PARAMS}"
INSIDE = "NoisyLabels, params: {{estimator: {{estimator: SVC, params: {{gamma: {}}}}}}}".format

# What is replaced in the good config, by what, and the message.
WRONG = [
    # guesses of a newcomer
    (WHOLE, "SVC(gamma=1)", r"'SVC\(gamma=1\)' is a call; write {estimator: SVC, params:"),
    (WHOLE, "NoisyLabels, params: {estimator: a}", "'a' is an algorithm of the study"),
    # keys and values
    ("realizations: 2", "realisations: 2", r"line 2: realisations: unknown key.*'realizations'"),
    ("realizations: 2", "realizations: many", r"line 2: realizations: 'many'.*a whole number"),
    ("realizations: 2", "realizations: 0", r"line 2: realizations: .*0"),
    ("realizations: 2", "realizations: 1000000000000", "1,000,000,000,000 cells.*1,000,000"),
    ("realizations: 2", "realizations: 2020-99-99", "line 2: realizations: .*2020-99-99"),
    (HEAD, "", "study: is missing"),
    *(
        (HEAD, f"{HEAD}published: {values}\n", "line 2: published: .* a CSV file of their own")
        for values in ("[{row: german, a: 24.1}]", "{german: {a: 24.1}}")
    ),
    *(
        (
            HEAD,
            f"study: {name}\n",
            f"line 1: study: '{name}' cannot be the name of a folder of results",
        )
        for name in ("con", "NUL.x", "lpt1", "Aux", "index", "shipped", "ends.")
    ),
    (HEAD, f"study: {'t' * 300}\n", "line 1: study: .*at most 100"),
    (HEAD, f"{HEAD}study: u\n", "line 1: study: the key is given twice .again at .*line 2"),
    (HEAD, f"{HEAD}null: x\n", "a key is text, got 'null'.*line 2; put it in quotes"),
    (HEAD, f"{HEAD}published: nowhere.csv\n", r"line 2: published: .*nowhere\.csv"),
    (HEAD, f"{HEAD}url: javascript:alert(1)\n", "line 2: url: "),
    (HEAD, f"{HEAD}url: ftp://a.org/x\n", "line 2: url: "),
    (HEAD, f"{HEAD}doi: https://doi.org/10.1000/182\n", "line 2: doi: "),
    ("id: 1", f"id: {'t' * 300}", "id: .*at most 100"),
    (
        "{id: 1, ",
        "{id: T, caption: c, columns: [a]}\n  - {id: t, ",
        r"tables\[2\].id: differs from the table 'T' in capital letters alone",
    ),
    # data sets
    ("[german]", "[germn]", r"line 3: datasets\[1\].*germn.*german"),
    ("[german]", "[german, german]", r"line 3: datasets\[2\]: .*'german' is given twice"),
    ("[german]", "[no]", "False is not accepted.*put names in quotes"),
    (
        "[german]",
        "[{name: german, split: {protocol: random, n_train: 5000, n_test: 10}}]",
        "line 3: .*5000.*1000",
    ),
    # keys that would have no effect
    (
        WHOLE,
        "SVMPathClassifier, params: {select: 0.001}, stage: best-on-test",
        "line 5: .*best-on-test chooses among all stages, so `select: 0.001` has no effect",
    ),
    (TABLE, "caption: c, relative_margin: 10", r"tables\[1\].relative_margin: .*10"),
    # tables
    (TABLE, "caption: c, rows: [german, german]", "rows: the data set 'german' is given twice"),
    ("columns: [a]", "columns: [a, {name: a, label: b}]", "the column 'a' is given twice"),
    (
        "datasets: [german]",
        "datasets: [german, {name: titanic, label: german}]",
        "rows german and titanic have the same label",
    ),
    # estimators
    ("SVC", "RhoSVM", r"line 5: algorithms\.a: unknown estimator 'RhoSVM'.*did you mean 'RhoSVC'"),
    ("SVC", "'sklearn.svm:SVCC'", r"algorithms\.a: .*no class SVCC; did you mean 'SVC'"),
    ("SVC", "'nowhere.at_all:SVC'", r"algorithms\.a: .*nowhere.*cannot be imported"),
    ("SVC", "':A'", "cannot be imported"),
    ("SVC", "'wrong_syntax.py:A'", "cannot be imported.*; write wrong_syntax:A$"),
    ("SVC", "“own:SVC”", "; quotes in YAML are \" and '"),
    (PARAMS, "params: {params_of: a.csv}", "'params_of'.*stands beside its `params:`"),
    (PARAMS, "sweep: {gamma: [1, 2]}", r"line 5: algorithms\.a\.sweep\.gamma: unknown key 'gamma'"),
    ("[a]}", "[a], metric: C}", "unknown metric 'C'.*or a parameter, such as params.C"),
    (
        "[a]}",
        "[a], summary: 'mean, winner'}",
        r"summary: 'mean, winner' .* a list, \[mean, winner\]$",
    ),
    ("[a]}", "[a], underline: a}", "underline: 'a' is not .* a block of keys, as {key: value}$"),
    (HEAD, f"{HEAD}published_realizations: {{german: 2}}\n", "write the key into its block$"),
    (PARAMS, "sweep: {params.C: 1, 5}", "line 5: ',5' has no value; .*, and a list in brackets"),
    (
        HEAD,
        f"{HEAD}figures: [{{id: 1, caption: c, kind: sweep, panels: [german], series: [a]}}]\n",
        "along a sweep of algorithms, write `{dataset: german}`",
    ),
    ("SVC", "'collections:Counter'", r"algorithms\.a: .*not a scikit-learn classifier"),
    (WHOLE, "'sklearn.svm:SVR'", "line 5: .*'sklearn.svm:SVR' is not a .*classifier.*regressor"),
    (WHOLE, "'sklearn.cluster:KMeans'", "not a scikit-learn classifier.*clusterer"),
    ("SVC", "'wrong_syntax:A'", "wrong_syntax.*line 1"),
    ("SVC", "'raises_at_import:A'", "ZeroDivisionError"),
    ("  a: {", "  1: {", r"line 5: algorithms\.1: .*text"),
    ("  a: {", "  on: {", r"a key is text, got 'on' \(YAML reads it as !!bool\)"),
    # parameters
    (PARAMS, "params: {gama: 1}", r"line 5: algorithms\.a: SVC has no parameter 'gama'.*'gamma'"),
    (WHOLE, "RhoSVC, params: {tol: -0.01}", r"line 5: algorithms\.a: .*tol.*-0\.01"),
    (PARAMS, "params: {kernel: poly, coef0: a}", "coef0.*SVC must be a float.*'a'"),
    (WHOLE, INSIDE("wide"), r"algorithms\.a: .*gamma.*wide"),
    (WHOLE, INSIDE(".inf"), r"algorithms\.a: .*gamma.*inf"),
    (WHOLE, "MixedKernelBagging, params: {kernels: [none]}", "kernels must name"),
    (PARAMS, "grid: {C: [1.0]}", r"algorithms\.a: .*best-on-test"),
    (PARAMS, "stage: best-on-validation", r"algorithms\.a: .*grid.*missing"),
    (PARAMS, "grid: {C: [-1]}, stage: best-on-test", r"algorithms\.a: .*C"),
    (PARAMS, "stage: best-on-test", r"algorithms\.a\.stage: .*no stages"),
    *(
        (PARAMS, f"params: {{kernel: poly, {key}: {value}}}", f"line 5: .*{key}")
        for key, values in {
            "gamma": (".nan", "-1", "[1]"),
            "degree": (".nan", "-1", "1.5"),
            "coef0": (".nan", ".inf"),
            "C": (".nan", "-1", "-.inf"),
        }.items()
        for value in values
    ),
    *(
        (HEAD, f"{HEAD}kernel: {{{key}: {value}}}\n", rf"line 2: kernel\.{key}")
        for key, value in [("gamma", ".nan"), ("gamma", "-1"), ("degree", "-1"), ("coef0", ".nan")]
    ),
    (
        "  a: {",
        "  a: {undetermined_at_zero: {number: bound_, of: exact}, ",
        r"line 5: algorithms\.a\.undetermined_at_zero\.of: unknown algorithm 'exact'; accepted: a",
    ),
    (
        "  a: {",
        "  a: {undetermined_at_zero: bound_ of exact, ",
        r"line 5: algorithms\.a\.undetermined_at_zero\.number: .*\[A-Za-z0-9_\]",
    ),
    # tables
    ("[a]}", "[b]}", r"line 7: tables\[1\]\.columns\[1\]: unknown algorithm 'b'"),
    ("columns: [a]", "columns: [a], published: p.csv", "'published'; it is a key of the study"),
    (WHOLE, "SVC, published_spread: se", "published_spread'; it is a key of .*a column of a table"),
    ("[a]}", "[a, {name: b, algorithm: a, label: a}]}", "a and b have the same label, 'a'"),
    ("[a]}", "[a, {name: b, of: [a], as: ratio}]}", "from two others, and named: a$"),
    ("[a]}", "[a], summary: [{wins: [a, b]}]}", r"wins: \['a', 'b'\] .*accepted: the name of one"),
    (
        HEAD,
        f"{HEAD}figures: [{{id: 2, kind: scatter, caption: c, rows: german, x: a, y: a}}]\n",
        "`x:` and `y:` are both 'a'; accepted: two algorithms",
    ),
    (
        "[german]",
        "[{name: german, card: titanic, openml: 31}]",
        "`card: titanic` and `openml: 31` n",
    ),
    ("a: {", "a: {label: 3, ", "label: 3 is not accepted; accepted: text; write '3' in quotes"),
    (HEAD, f"{HEAD}url: www.a.org\n", "line 2: url: 'www.a.org' is not accepted; accepted: an add"),
    (HEAD, f"{HEAD}doi: 182\n", "line 2: doi: 182 is not accepted"),
    (PARAMS, "params: {gamma: 0,162}", "line 5: ',162' has no value; write a point in decimals"),
    (
        "[german]",
        "[{openml: -3}]",
        r"line 3: .*openml: -3 is not .*; data set .*split: is missing$",
    ),
    # YAML
    ("[german]", "[german", r"line \d+: not YAML"),
    ("  a: {", "\ta: {", "line 5: not YAML"),
    (HEAD, f"{HEAD}---\n", "not YAML"),
    (HEAD, f"{HEAD}<<: 3\n", "line 2: not YAML"),
    (TABLE, "caption: !!bool abc", "line 7: not YAML: 'abc' is not a value of the type !!bool"),
    (TABLE, "caption: !!python/object:a.B {}", "line 7: not YAML: .*python"),
    # the characters at the place, and what to write
    (TABLE, "caption: a: b", "line 7: .* at '.*a: b.*'; .*put a text with a colon"),
    *(
        (TABLE, f"caption: {mark}b", "line 7: .*; put a text .* begins with .* quotes")
        for mark in "@%`*"
    ),
    (TABLE, "caption: 'it's'", "line 7: .*it's.*; .*put a text with .* ' in double quotes"),
    (TABLE, 'caption: "a', r"line \d+: .*; a quotation mark is opened and not closed"),
    ("\n  a: {", "\n\ta: {", "line 5: .*; indent by spaces"),
    ("  a: {", "  b: {estimator: SVC}\n a: {", "line 6: .*; keys of one block begin in one column"),
    (TABLE, "caption: \x01", r"line 7: not YAML: the character '\\x01'"),
    (TABLE, "caption: &a [*a]", "the anchor 'a' is used inside what it names"),
    (TABLE, "caption: " + "[" * 9000 + "]" * 9000, "nested too deep"),
]
MODULES = {
    "wrong_syntax": "def (:\n",
    "raises_at_import": "1 / 0\n",
}


@pytest.mark.parametrize(
    ("old", "new", "message"), WRONG, ids=[f"{new:.40}" for _, new, _ in WRONG]
)
def test_a_wrong_config_is_one_message(tmp_path, monkeypatch, old, new, message):
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    assert old in GOOD
    path = tmp_path / "c.yaml"
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(UserError, match=message) as caught:
        make_plan(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    str(caught.value).encode()


def test_the_good_config_is_good(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    assert len(make_plan(path).cells) == 1 + 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"- a\n- b\n", "mapping"),
        (b"text", "mapping"),
        (b"\xff\xfe\x00\x01", "line 1: not a text file in UTF-8: it is UTF-16; save the file as"),
        (b"study: s\ntitle: R\xe4tsch\n", "line 2: not a text file in UTF-8: the byte 0xe4; save"),
    ],
)
def test_a_file_that_is_not_a_config_is_refused(tmp_path, content, message):
    path = tmp_path / "c.yaml"
    path.write_bytes(content)
    with pytest.raises(UserError, match=message):
        make_plan(path)


def test_a_date_is_text_and_labels_may_be_keys(tmp_path):
    path = tmp_path / "c.yaml"
    text = GOOD.replace(TABLE, "caption: 2020-99-99")
    path.write_text(text.replace("gamma: 1", "class_weight: {1: 1.0, 2: 2.0}"))
    plan = make_plan(path)
    assert plan.config.tables[0].caption == "2020-99-99"
    assert dict(plan.config.algorithms["a"].params)["class_weight"] == {1: 1.0, 2: 2.0}


def test_shipped_studies_are_found_by_name_and_by_path():
    assert find_config("ijcai07") == find_config("ijcai07.yaml").resolve()
    assert find_config("configs/ijcai07.yaml").name == "ijcai07.yaml"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ijcai7", "did you mean 'ijcai07'"),
        ("x" * 5000, "no such file"),
        ("folder", "folder: a folder, not a config"),
    ],
)
def test_a_config_that_is_not_there_is_refused(tmp_path, monkeypatch, name, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(UserError, match=message):
        make_plan(find_config(name))


@pytest.mark.parametrize("choice", ["datasets", "algorithms"])
def test_a_choice_that_is_not_in_the_study_is_refused(tmp_path, choice):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    with pytest.raises(UserError, match=f"--{choice}: 'x' is not in this study"):
        make_plan(path, **{choice: ("x",)})


def test_an_estimator_among_the_parameters_is_made_from_its_block(study):
    text = """
    duck: {estimator: "troublesome:Duck"}
    part:
      estimator: "sklearn.ensemble:BaggingClassifier"
      params: {estimator: {estimator: "sklearn.tree:DecisionTreeRegressor"}}
    plain: {estimator: "sklearn.ensemble:BaggingClassifier"}
    trees:
      estimator: "sklearn.ensemble:BaggingClassifier"
      params:
        estimator: {estimator: "sklearn.tree:DecisionTreeClassifier", params: {max_depth: 1}}
    ours:
      estimator: "sklearn.ensemble:BaggingClassifier"
      params: {estimator: {estimator: ParzenWindowClassifier}}
    """
    plan = make_plan(study(text))
    settings = {cell.algorithm: cell.settings for cell in plan.cells if cell.algorithm != "data"}
    assert "max_depth=1" in settings["trees"].method.defaults["estimator"]
    assert settings["ours"].code != settings["plain"].code
    message = r"algorithms\.trees: .*DecisionTreeClassifier has no parameter 'max_dept'"
    with pytest.raises(UserError, match=message):
        make_plan(study(text.replace("max_depth", "max_dept")))


NAMING = """\
study: t
proposed: a
datasets: [german, {name: d, card: german, drawn_again: german, realizations_of: {a: 1}}]
algorithms: {a: {estimator: SVC, record: [curve_, points_, signs_, grid_, values_]},
             b: {estimator: SVC}}
timing: {algorithms: [a], datasets: [german]}
tables:
  - {id: 1, caption: c, rows: [german], columns: [{name: a, draws: a}], largest_class: a}
figures:
  - {id: 1, caption: c, kind: box, series: [a], table: 1, panels: [{rows: german}]}
  - {id: 2, caption: c, panels: [german], series: [a], y: curve_}
  - {id: 3, caption: c, kind: plane, panels: [{dataset: german, series: [a]}]}
claims:
  - {id: c, text: t, left: a, right: b, relation: less, rows: [german]}
assumptions: [{id: x, text: t, tables: [1]}]
findings: [{claim: c}]
"""


@pytest.mark.parametrize(
    ("old", "new", "key", "what"),
    [
        ("proposed: a", "proposed: no-such", "proposed", "algorithm"),
        ("drawn_again: german", "drawn_again: no-such", "datasets[2].drawn_again", "data set"),
        ("_of: {a:", "_of: {no-such:", "datasets[2].realizations_of", "algorithm"),
        ("timing: {algorithms: [a]", "timing: {algorithms: [no-such]", "algorithms", "algorithm"),
        ("datasets: [german]}", "datasets: [no-such]}", "timing.datasets", "data set"),
        ("c, rows: [german]", "c, rows: [no-such]", "tables[1].rows", "data set"),
        ("draws: a", "draws: no-such", "tables[1].columns[1].draws", "algorithm"),
        ("class: a", "class: no-such", "tables[1].largest_class", "algorithm"),
        ("box, series: [a]", "box, series: no-such", "figures[1].series", "algorithm"),
        ("table: 1, panels", "table: no-such, panels", "figures[1].table", "table"),
        ("[{rows: german", "[{rows: no-such", "figures[1].panels[1].rows", "data set"),
        ("[german], series", "[no-such], series", "figures[2].panels[1].dataset", "data set"),
        ("series: [a], y", "series: [no-such], y", "figures[2].series", "algorithm"),
        ("{dataset: german", "{dataset: no-such", "figures[3].panels[1].dataset", "data set"),
        ("german, series: [a]}]", "german, series: no-such}]", "panels[1].series", "algorithm"),
        ("left: a", "left: no-such", "claims[1].left", "algorithm"),
        ("right: b", "right: no-such", "claims[1].right", "algorithm"),
        ("less, rows: [german]", "less, rows: [no-such]", "claims[1].rows", "data set"),
        ("tables: [1]", "tables: [no-such]", "assumptions[1].tables", "table"),
        ("claim: c", "claim: no-such", "findings[1].claim", "claim"),
    ],
)
def test_a_name_that_the_study_lacks_is_refused_at_its_key(tmp_path, old, new, key, what):
    path = tmp_path / "c.yaml"
    path.write_text(NAMING)
    read_config(path)
    assert NAMING.count(old) == 1
    path.write_text(NAMING.replace(old, new))
    message = f"{key}: unknown {what} 'no-such'; accepted: "
    with pytest.raises(UserError, match=f", line [0-9]+: .*{re.escape(message)}"):
        read_config(path)


FIGURE_AND_CLAIM = """\
study: t
datasets: [german]
algorithms:
  a: {estimator: RhoSVC, record: [objective_path_]}
  b: {estimator: RhoSVC}
figures:
  - {id: 1, caption: c, panels: [german], series: [a], y: objective_path_, x_label: x, y_label: y}
claims:
  - {id: k, text: t, left: a, right: b, relation: at-most, margin: 1, rows: [german]}
"""
CLAIM = "relation: at-most, margin: 1"
WRONG_FIGURES_AND_CLAIMS = [
    ("series: [a]", "series: [a, b]", r"\.y: 'objective_path_' is not in.* of b, .*nothing"),
    ("y: objective_path_", "y: objective_pat_", r"did you mean 'objective_path_'"),
    ("panels: [german]", "panels: []", r"figures\[1\]\.panels: .*1 or more entries"),
    ("[german], series", "[{dataset: german, over: x}], series", r"panels\[1\]: .*under `series:`"),
    ("y_label: y", "y_label: y, y_scale: logarithmic", r"figures\[1\]\.y_scale: .*'logarithmic'"),
    (
        "y_label: y",
        "y_label: y, kind: boxs",
        r"figures\[1\]\.kind: 'boxs' .*curves, .*box, bar; did you mean 'box'",
    ),
    ("caption: c", "captoin: c", r"\.captoin: unknown key.*did you mean 'caption'"),
    (CLAIM, "relation: lesser", r"claims\[1\]\.relation: .*'lesser'.*'less'"),
    (CLAIM, CLAIM + ", pass: timing", r"claims\[1\]\.pass: .*needs a `timing:` block"),
    (CLAIM, CLAIM + ", metric: fit_seconds", r"claims\[1\]: fit_seconds .*add `pass: timing`"),
    ("right: b, ", "", r"claims\[1\]: the relation at-most of a value has no `margin:`"),
    ("right: b, " + CLAIM, "relation: at-most", r"claims\[1\]: .*needs `limit:`"),
    (
        CLAIM,
        "relation: at-least, of: ratio, margin: 1",
        r"at-least of a ratio has no `margin:`; the threshold is `factor:`",
    ),
    (
        CLAIM,
        "relation: less, factor: 2",
        r"less of a difference has no `factor:`; .* `of: ratio` and the relations at-most, at-lea",
    ),
    (CLAIM, "relation: within, of: ratio, factor: 0", r"claims\[1\]\.factor: .*more than 0"),
    (CLAIM, "relation: less, margin: -1", r"claims\[1\]\.margin: .*-1"),
    (CLAIM, "relation: at-most, stage: end, metric: objective_path_", r"\.metric: .*of b, "),
    (CLAIM, "relation: curve-below", r"claims\[1\]\.relation: .*write `at-least` with"),
    (CLAIM, "relation: less, scope: 2", r"claims\[1\]\.scope: 2 is more .* has: 1 comparison"),
    ("left: a", "lefft: a", r"claims\[1\]\.lefft: unknown key 'lefft'; did you mean 'left'"),
    ("claims:\n", "claims:\n  - {id: k, text: t, left: a, right: b, relation: less}\n", "twice"),
]


@pytest.mark.parametrize(("good", "wrong", "message"), WRONG_FIGURES_AND_CLAIMS)
def test_a_wrong_figure_or_claim_is_explained_in_one_line(tmp_path, good, wrong, message):
    assert good in FIGURE_AND_CLAIM
    path = tmp_path / "c.yaml"
    path.write_text(FIGURE_AND_CLAIM.replace(good, wrong))
    with pytest.raises(UserError) as caught:
        read_config(path)
    assert re.search(rf"line \d+: .*{message}", str(caught.value)), caught.value
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sides", ["left: a, right: a", "left: [a], right: a"])
def test_a_claim_that_compares_an_algorithm_with_itself_is_refused(tmp_path, sides):
    path = tmp_path / "c.yaml"
    path.write_text(NAMING.replace("left: a, right: b", sides))
    with pytest.raises(UserError, match=r"line \d+: claims\[1\].right: a is compared with itself"):
        read_config(path)
