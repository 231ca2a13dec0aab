"""A config names classes by the labels of its data, whatever codes estimators are fitted on."""

from inspect import signature

import numpy as np
import pytest
import yaml
from made_up_records import invoke
from sklearn.utils import all_estimators

from ensvm.classifiers import ESTIMATORS
from ensvm.errors import UserError
from ensvm.records.store import read_records
from ensvm.runner.class_parameters import WEIGHTS
from ensvm.runner.plan import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")

SPELLINGS = [("1", "2"), ("well", "sick"), ("c", "b", "a"), ("1.0", "2.0", "10.0")]

MINE = """
from sklearn.svm import SVC
class Mine(SVC):
    def __init__(self, costs=None):
        super().__init__()
        self.costs = costs
"""


def study(folder, labels, params, estimator="LogisticRegression", more=""):
    """Write a study on rows whose inputs tell nothing, the k-th label on k + 1 of them in turn."""
    codes = np.repeat(np.arange(len(labels)), np.arange(len(labels)) + 1)
    rows = [f"{n * 7 % 13},{labels[codes[n % len(codes)]]}" for n in range(60)]
    (folder / "d.csv").write_text("a,label\n" + "\n".join(rows) + "\n")
    path = folder / "c.yaml"
    path.write_text(
        "study: c\ndatasets:\n  - {name: d, path: d.csv, target: label"
        f"{more}, split: {{protocol: random, n_train: 30, n_test: 30}}}}\n"
        f"algorithms:\n  a: {{estimator: {estimator}, params: {params}}}\n"
    )
    return path


def error_of(folder, path):
    """Return the share of test rows that have not the label which all rows are given."""
    result = invoke("run", path, "--jobs", 1, "--results", folder / "results")
    assert result.exit_code == 0, result.output
    records = read_records(folder / "results" / "c").values()
    [record] = [each for each in records if each.algorithm == "a"]
    assert record.status == "ok", record.reason
    return record.metrics["error"]


@pytest.mark.parametrize("labels", SPELLINGS, ids="-".join)
@pytest.mark.parametrize("which", [0, 1])
def test_a_weight_and_a_constant_are_of_the_label_that_is_written(tmp_path, labels, which):
    label = labels[which]
    one = error_of(
        tmp_path,
        study(tmp_path, labels, f"{{strategy: constant, constant: '{label}'}}", "DummyClassifier"),
    )
    weights = ", ".join(f"'{name}': {1e6 if name == label else 1e-6}" for name in labels)
    heavy = study(tmp_path, labels, f"{{class_weight: {{{weights}}}}}")
    assert error_of(tmp_path, heavy) == one
    inner = f"{{estimator: LogisticRegression, params: {{class_weight: {{{weights}}}}}}}"
    nested = study(tmp_path, labels, f"{{estimator: {inner}}}", "NoisyLabels")
    assert error_of(tmp_path, nested) == one


WEIGHTED = [
    name
    for name, each in all_estimators(type_filter="classifier")
    if WEIGHTS in signature(each).parameters
    and name not in (*ESTIMATORS, "NuSVC")  # whose weights may be infeasible
]
SHALLOW = {"max_depth": 1, "min_samples_leaf": 0.4}  # trees without a leaf of one class
# What fits another estimator, X in its place, or weights by W
AROUND = {
    "bagging": ("BaggingClassifier", {"n_estimators": 3, "estimator": "X"}),
    "voting": ("VotingClassifier", {"estimators": [["x", "X"]]}),
    "stacking": (
        "StackingClassifier",
        {"estimators": [["d", "DummyClassifier"]], "cv": 2, "final_estimator": "X"},
    ),
    "searching": (
        "GridSearchCV",
        {"cv": 2, "estimator": "X", "param_grid": {"tol": [0.001, 0.01]}},
    ),
    "noise in a vote": (
        "VotingClassifier",
        {"estimators": [["n", {"estimator": "NoisyLabels", "params": {"estimator": "X"}}]]},
    ),
    "a path": (
        "BaggingClassifier",
        {"estimator": "LogisticRegression", "estimator__class_weight": "W"},
    ),
    "a grid": (
        "GridSearchCV",
        {
            "cv": 2,
            "estimator": {
                "estimator": "BaggingClassifier",
                "params": {"estimator": "LogisticRegression"},
            },
            "param_grid": {"estimator__class_weight": ["W"]},
        },
    ),
    "a grid of what numbers classes": (
        "GridSearchCV",
        {
            "cv": 2,
            "estimator": "HistGradientBoostingClassifier",
            "param_grid": {"class_weight": ["W"]},
        },
    ),
}
OF_PAIRS = {
    name: (name, {"estimator": "X"}) for name in ("OneVsRestClassifier", "OneVsOneClassifier")
}


def put(value, parts):
    """Return a nested value with the parts in the places that bear their names."""
    if isinstance(value, dict):
        return {key: put(each, parts) for key, each in value.items()}
    if isinstance(value, list):
        return [put(each, parts) for each in value]
    return parts.get(value, value) if isinstance(value, str) else value


@pytest.mark.filterwarnings("ignore")  # of fits on such weights
@pytest.mark.parametrize("labels", [("c", "b"), ("c", "b", "a")], ids="-".join)
@pytest.mark.parametrize("which", [0, 1])
def test_a_weight_is_of_its_label_in_any_estimator(tmp_path, labels, which):
    path = study(tmp_path, labels, "{}")
    config = yaml.safe_load(path.read_text())
    weights = {label: 1e4 if label == labels[which] else 1e-4 for label in labels}
    inner = {"estimator": "LogisticRegression", "params": {WEIGHTS: weights}}
    made = {name: (name, {WEIGHTS: weights}) for name in WEIGHTED} | AROUND
    made |= OF_PAIRS if len(labels) == 2 else {}
    for name, (_, params) in made.items():
        if "Tree" in name or "Forest" in name:
            params |= SHALLOW
    made["constant"] = ("DummyClassifier", {"strategy": "constant", "constant": labels[which]})
    config["algorithms"] = {
        name.replace(" ", "-"): {
            "estimator": estimator,
            "params": put(params, {"X": inner, "W": weights}),
        }
        for name, (estimator, params) in made.items()
    }
    path.write_text(yaml.safe_dump(config))
    result = invoke("run", path, "--jobs", 1, "--results", tmp_path / "results")
    assert result.exit_code == 0, result.output
    records = read_records(tmp_path / "results" / "c").values()
    errors = {each.algorithm: each.metrics["error"] for each in records if each.algorithm != "data"}
    assert set(errors) == set(config["algorithms"])
    assert errors == dict.fromkeys(errors, errors["constant"])


@pytest.mark.parametrize(
    ("estimator", "labels"),
    [*((name, ("a", "b", "c")) for name in OF_PAIRS), ("OutputCodeClassifier", ("a", "b"))],
)
def test_weights_of_some_classes_against_others_are_refused(tmp_path, estimator, labels):
    for weights in ("{a: 2}", "balanced"):
        inner = f"{{estimator: {{estimator: SVC, params: {{class_weight: {weights}}}}}}}"
        path = study(tmp_path, labels, inner, estimator)
        if weights == "balanced":
            make_plan(path)
            continue
        with pytest.raises(UserError, match=f"class_weight .* cannot be used inside {estimator}"):
            make_plan(path)


@pytest.mark.parametrize("labels", SPELLINGS, ids="-".join)
@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize(
    ("estimator", "parameter"),
    [
        ("GaussianNB", "priors"),
        ("LinearDiscriminantAnalysis", "priors"),
        ("BernoulliNB", "class_prior"),
        ("NearestCentroid", "priors"),
    ],
)
def test_a_prior_is_of_the_label_that_is_written(tmp_path, labels, which, estimator, parameter):
    label, rest = labels[which], 1e-9 / (len(labels) - 1)
    constant = f"{{strategy: constant, constant: '{label}'}}"
    expected = error_of(tmp_path, study(tmp_path, labels, constant, "DummyClassifier"))
    priors = ", ".join(f"'{name}': {1 - 1e-9 if name == label else rest}" for name in labels)
    for params, of in (
        (f"{{{parameter}: {{{priors}}}}}", estimator),
        (f"{{{estimator.lower()}__{parameter}: {{{priors}}}}}", f"{{pipeline: [{estimator}]}}"),
    ):
        assert error_of(tmp_path, study(tmp_path, labels, params, of)) == expected


@pytest.mark.parametrize(
    ("labels", "params", "message"),
    [
        (("a", "b"), "{priors: [0.5, 0.5]}", r"priors: a list does not say which .*{a: NUMBER, b:"),
        (("a", "b", "c"), "{priors: {a: 0.5, b: 0.5}}", "priors: the label 'c' has no number"),
        (("a", "b"), "{priors: {a: 0.5, c: 0.5}}", "priors: unknown label 'c'; accepted: a, b"),
    ],
)
def test_priors_name_each_label(tmp_path, labels, params, message):
    with pytest.raises(UserError, match=message):
        make_plan(study(tmp_path, labels, params, "GaussianNB"))


@pytest.mark.parametrize("labels", [("1", "2"), ("well", "sick")], ids="-".join)
def test_a_label_is_one_of_the_data_in_any_part(tmp_path, labels):
    errors = []
    for label in labels:
        whole = study(
            tmp_path, labels, f"{{strategy: constant, constant: {label}}}", "DummyClassifier"
        )
        errors.append(error_of(tmp_path, whole))
        params = f"{{dummyclassifier__strategy: constant, dummyclassifier__constant: {label}}}"
        steps = study(tmp_path, labels, params, "{pipeline: [StandardScaler, DummyClassifier]}")
        assert error_of(tmp_path, steps) == errors[-1]
        points = f"{{strategy: [constant], constant: [{label}]}}"
        grid = f"{{estimator: DummyClassifier, param_grid: {points}}}"
        assert error_of(tmp_path, study(tmp_path, labels, grid, "GridSearchCV")) == errors[-1]
        never = (
            "{estimator: {estimator: LogisticRegression}, threshold: 1.0, "
            f"response_method: predict_proba, pos_label: {label}}}"
        )
        other = error_of(tmp_path, study(tmp_path, labels, never, "FixedThresholdClassifier"))
        assert other == pytest.approx(1 - errors[-1])
    assert errors[0] == pytest.approx(1 - errors[1])


@pytest.mark.parametrize("labels", SPELLINGS, ids="-".join)
def test_the_label_of_rows_without_neighbours(tmp_path, labels):
    far = "{{radius: 1.0e-9, outlier_label: {}}}"
    path = study(tmp_path, labels, far.format(f"'{labels[0]}'"), "RadiusNeighborsClassifier")
    with pytest.raises(UserError, match="outlier_label: a label is not accepted; accepted: most"):
        make_plan(path)
    path = study(tmp_path, labels, far.format("most_frequent"), "RadiusNeighborsClassifier")
    assert error_of(tmp_path, path) < 1


def as_numbers(value):
    """Return a value whose keys and texts are numbers if they can be: a file may have 1 for 1.0."""
    if isinstance(value, dict):
        return {as_numbers(key): as_numbers(each) for key, each in value.items()}
    try:
        return round(float(value), 9)
    except (TypeError, ValueError):
        return value


@pytest.mark.parametrize("labels", SPELLINGS, ids="-".join)
@pytest.mark.parametrize("search", ["grid", "GridSearchCV"])
def test_what_a_search_chose_is_told_by_labels(tmp_path, labels, search):
    weights = {label: 10.0**n for n, label in enumerate(labels)}
    points = {
        "LogisticRegression": {"class_weight": [weights]},
        "GaussianNB": {"priors": [{label: 1 / len(labels) for label in labels}]},
        "DummyClassifier": {"constant": [labels[0]], "strategy": ["constant"]},
    }
    for estimator, grid in points.items():
        path = study(tmp_path, labels, {}, estimator)
        block = {"estimator": estimator, "grid": grid, "stage": "best-on-test"}
        if search == "GridSearchCV":
            block = {"estimator": search, "params": {"estimator": estimator, "param_grid": grid}}
        content = yaml.safe_load(path.read_text())
        path.write_text(yaml.safe_dump({**content, "algorithms": {"a": block}}))
        error_of(tmp_path, path)
        records = read_records(tmp_path / "results" / "c").values()
        [stage] = [dict(each.stage) for each in records if each.algorithm == "a"]
        expected = {key: values[0] for key, values in grid.items()}
        assert as_numbers(stage) == as_numbers(expected)


@pytest.mark.parametrize("labels", SPELLINGS, ids="-".join)
def test_check_names_other_parameters_that_seem_to_name_labels(tmp_path, labels):
    (tmp_path / "mine.py").write_text(MINE)
    mapping = ", ".join(f"'{name}': 1" for name in labels)
    numbers = labels[0][0].isdigit()
    for value, is_named in (
        (f"{{{mapping}}}", True),
        (f"[0, {{estimator: SVC, params: {{class_weight: {{{mapping}}}}}}}]", False),
        (f"'{labels[1]}'", not numbers),
        ("other", False),
    ):
        told = invoke("check", study(tmp_path, labels, f"{{costs: {value}}}", "mine.Mine")).output
        assert ("costs seems to name labels" in told) == is_named, told


@pytest.mark.parametrize("estimator", ["LabelSpreading", "SelfTrainingClassifier"])
def test_a_label_is_not_taken_for_a_missing_one(tmp_path, estimator):
    params = "{estimator: {estimator: LogisticRegression}}" if estimator[0] == "S" else "{}"
    with pytest.raises(UserError, match=r"takes -1 for a row without a label.*OneVsRestClassifier"):
        make_plan(study(tmp_path, ("a", "b"), params, estimator))
    make_plan(study(tmp_path, ("a", "b", "c"), params, estimator))
    wrapped = f"{{estimator: {{estimator: {estimator}, params: {params}}}}}"
    path = study(tmp_path, ("a", "b"), wrapped, "OneVsRestClassifier")
    assert error_of(tmp_path, path) < 0.6


def test_another_positive_class_changes_no_weight(tmp_path):
    weights = "{class_weight: {sick: 1000000, well: 0.000001}}"
    errors = [
        error_of(tmp_path, study(tmp_path, ("sick", "well"), weights, more=f", positive: {label}"))
        for label in ("sick", "well")
    ]
    assert errors[0] == errors[1]


@pytest.mark.parametrize("params", ["{class_weight: {1: 2, 3: 1}}", "{class_weight: {-1: 5}}"])
def test_a_label_that_the_data_lack_is_refused(tmp_path, params):
    with pytest.raises(UserError, match=r"algorithms\.a: .*class_weight: unknown label .*: 1, 2"):
        make_plan(study(tmp_path, ("1", "2"), params))


def test_weights_by_labels_are_refused_one_class_against_the_rest(tmp_path):
    params = "{class_weight: {a: 2, b: 1, c: 1}}"
    with pytest.raises(UserError, match="one class is learnt against the rest, as on d"):
        make_plan(study(tmp_path, ("a", "b", "c"), params, "LogisticRegression, one_vs_rest: true"))


def test_a_metric_of_one_of_two_classes_is_refused_on_more_classes(tmp_path):
    path = study(tmp_path, ("a", "b", "c"), "{}")
    with path.open("a") as file:
        file.write("tables: [{id: 1, caption: c, metric: f1, columns: [a]}]\n")
    with pytest.raises(UserError, match=r"metric: f1 is about one of two classes, and d has 3"):
        make_plan(path)


@pytest.mark.parametrize("labels", SPELLINGS, ids="-".join)
def test_what_a_search_tried_is_recorded_by_labels(tmp_path, labels):
    weights = {labels[0]: 1, labels[1]: 1000}
    searched = {
        "cv": 2,
        "estimator": {"estimator": "LogisticRegression"},
        "param_grid": {WEIGHTS: [weights, "balanced", None], "C": [1, 10]},
    }
    path = study(tmp_path, labels, "{}", "GridSearchCV")
    config = yaml.safe_load(path.read_text())
    config["algorithms"]["a"] |= {"params": searched, "record": "cv_results_"}
    path.write_text(yaml.safe_dump(config))
    error_of(tmp_path, path)
    records = read_records(tmp_path / "results" / "c").values()
    [curves] = [each.curves for each in records if each.algorithm == "a"]
    plain = {label.removesuffix(".0"): weight for label, weight in weights.items()}
    by_label = ", ".join(f"{label}: {weight}" for label, weight in sorted(plain.items()))
    assert set(curves[f"cv_results_.{WEIGHTS}"]) == {by_label, "balanced", None}
    assert set(curves["cv_results_.C"]) == {1, 10}
