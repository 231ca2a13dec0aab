"""Wrong configs get one readable message that names file, line, key, value and what is accepted."""

import re

import pytest

from ensvm.runner.plan import make_plan
from ensvm.study.reading import find_config
from ensvm.study.source import ConfigError

GOOD = """\
study: t
realizations: 2
datasets: [german]
algorithms:
  a: {estimator: RhoSVC, params: {tol: 0.01}}
tables:
  - {id: 1, caption: c, columns: [a]}
"""

WRONG = {
    "unknown key": (
        "realizations: 2",
        "realisations: 2",
        r"line 2: realisations: unknown key.*did you mean 'realizations'",
    ),
    "unknown data set": ("[german]", "[germn]", r"line 3: datasets\[1\].*germn.*german"),
    "unknown estimator": (
        "RhoSVC",
        "RhoSVM",
        r"line 5: algorithms\.a: unknown estimator 'RhoSVM'.*did you mean 'RhoSVC'",
    ),
    "unknown parameter": (
        "tol: 0.01",
        "toll: 0.01",
        r"line 5: algorithms\.a: RhoSVC has no parameter 'toll'.*'tol'",
    ),
    "negative tol": ("tol: 0.01", "tol: -0.01", r"line 5: algorithms\.a: .*tol.*-0\.01"),
    "width of the kernel": ("tol: 0.01", "gamma: -1", r"line 5: algorithms\.a: gamma must.*-1"),
    "power of the kernel": (
        "RhoSVC, params: {tol: 0.01}",
        "SVC, params: {kernel: poly, degree: 1.5}",
        r"algorithms\.a: degree must be a whole number",
    ),
    "constant of the kernel": (
        "RhoSVC, params: {tol: 0.01}",
        "SVC, params: {kernel: poly, coef0: a}",
        r"algorithms\.a: coef0 must be a number, got 'a'",
    ),
    "width of an estimator inside": (
        "RhoSVC, params: {tol: 0.01}",
        "NoisyLabels, params: {estimator: {estimator: SVC, params: {gamma: wide}}}",
        r"algorithms\.a: .*gamma.*wide",
    ),
    "mixed kernels": (
        "RhoSVC, params: {tol: 0.01}",
        "MixedKernelBagging, params: {kernels: [none]}",
        r"algorithms\.a: kernels must name",
    ),
    "no such class": (
        "RhoSVC",
        "'sklearn.svm:SVCC'",
        r"algorithms\.a: .*no class SVCC; did you mean 'SVC'",
    ),
    "no such module": (
        "RhoSVC",
        "'nowhere.at_all:SVC'",
        r"algorithms\.a: .*nowhere.*cannot be imported",
    ),
    "not a classifier": (
        "RhoSVC",
        "'collections:Counter'",
        r"algorithms\.a: .*not a scikit-learn classifier",
    ),
    "a regressor": (
        "RhoSVC, params: {tol: 0.01}",
        "'sklearn.svm:SVR'",
        r"line 5: algorithms\.a: 'sklearn\.svm:SVR' is not a scikit-learn classifier.*regressor",
    ),
    "a clusterer": (
        "RhoSVC, params: {tol: 0.01}",
        "'sklearn.cluster:KMeans'",
        r"algorithms\.a: .*not a scikit-learn classifier.*clusterer",
    ),
    "a duck that numbers": (
        "RhoSVC, params: {tol: 0.01}",
        "'ducks:Regressor'",
        r"algorithms\.a: .*not a scikit-learn classifier.*regressor",
    ),
    "wrong type": (
        "realizations: 2",
        "realizations: many",
        r"line 2: realizations: .*integer.*'many'",
    ),
    "zero realizations": ("realizations: 2", "realizations: 0", r"line 2: realizations: .*0"),
    "column of no algorithm": (
        "columns: [a]",
        "columns: [b]",
        r"line 7: tables\[1\]\.columns\[1\]: unknown algorithm 'b'",
    ),
    "a key twice": ("study: t", "study: t\nstudy: u", r"study: the key is given twice"),
    "a data set twice": (
        "[german]",
        "[german, german]",
        r"line 3: datasets\[2\]: .*'german' is given twice",
    ),
    "missing key": ("study: t\n", "", r"study: the key is missing"),
    "split too large": (
        "[german]",
        "[{name: german, split: {protocol: random, n_train: 5000, n_test: 10}}]",
        r"line 3: .*5000.*1000",
    ),
    "grid without choice": (
        "params: {tol: 0.01}",
        "grid: {tol: [0.1]}",
        r"algorithms\.a: .*best-on-test",
    ),
    "validation without grid": (
        "params: {tol: 0.01}",
        "stage: best-on-validation",
        r"algorithms\.a: .*grid.*missing",
    ),
    "grid value": (
        "params: {tol: 0.01}",
        "grid: {tol: [-1]}, stage: best-on-test",
        r"algorithms\.a: .*tol",
    ),
    "no stages": (
        "RhoSVC, params: {tol: 0.01}",
        "SVC, stage: best-on-test",
        r"algorithms\.a\.stage: .*no stages",
    ),
    "not YAML": ("[german]", "[german", r"line \d+: not YAML"),
    "no printed numbers there": (
        "study: t",
        "study: t\npublished: nowhere.csv",
        r"line 2: published: .*nowhere\.csv",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_config_is_explained(tmp_path, case):
    good, wrong, message = WRONG[case]
    assert good in GOOD
    path = tmp_path / "c.yaml"
    path.write_text(GOOD.replace(good, wrong))
    with pytest.raises(ConfigError) as caught:
        make_plan(path)
    text = str(caught.value)
    assert str(path) in text
    assert "\n" not in text
    assert re.search(message, text), text


def test_the_good_config_is_good(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    assert len(make_plan(path).cells) == 1 + 2


@pytest.mark.parametrize(
    ("content", "message"), [("", "empty"), ("- a\n- b\n", "mapping"), ("text", "mapping")]
)
def test_what_is_no_config_is_told(tmp_path, content, message):
    path = tmp_path / "c.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError, match=message):
        make_plan(path)


def test_a_binary_file_is_told(tmp_path):
    path = tmp_path / "c.yaml"
    path.write_bytes(b"\xff\xfe\x00\x01")
    with pytest.raises(ConfigError, match="not a text file"):
        make_plan(path)


def test_shipped_studies_are_found_by_name_and_by_path():
    assert find_config("ijcai07") == find_config("ijcai07.yaml").resolve()
    assert find_config("configs/ijcai07.yaml").name == "ijcai07.yaml"
    with pytest.raises(ConfigError, match="did you mean 'ijcai07'"):
        find_config("ijcai7")


@pytest.mark.parametrize("choice", ["datasets", "algorithms"])
def test_a_choice_that_is_not_in_the_study_is_refused(tmp_path, choice):
    path = tmp_path / "c.yaml"
    path.write_text(GOOD)
    with pytest.raises(ConfigError, match=f"--{choice}: 'x' is not in this study"):
        make_plan(path, **{choice: ("x",)})


def test_an_estimator_among_the_parameters_is_made_from_its_block(study):
    text = """
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
    assert "max_depth=1" in settings["trees"]["algorithm"]["defaults"]["estimator"]
    assert settings["ours"]["code"] != settings["plain"]["code"]
    with pytest.raises(
        ConfigError,
        match=r"algorithms\.trees: .*DecisionTreeClassifier has no parameter 'max_dept'",
    ):
        make_plan(study(text.replace("max_depth", "max_dept")))


def test_a_class_without_a_type_may_be_a_classifier_and_parts_may_be_of_any_type(study):
    text = """
    duck: {estimator: "ducks:Duck"}
    part:
      estimator: "sklearn.ensemble:BaggingClassifier"
      params: {estimator: {estimator: "sklearn.tree:DecisionTreeRegressor"}}
    """
    assert make_plan(study(text)).cells
