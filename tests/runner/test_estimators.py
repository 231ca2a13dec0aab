"""Whatever a config may say of an estimator leads to the one that one would write by hand."""

from contextlib import suppress

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier, StackingClassifier, VotingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import all_estimators
from sklearn.utils._param_validation import InvalidParameterError, validate_parameter_constraints

from ensvm.classifiers import ESTIMATORS
from ensvm.errors import UserError
from ensvm.runner.estimators import (
    EstimatorError,
    build,
    construct,
    estimator_class,
    import_path,
    made,
    resolved,
    resolved_values,
    scikit_learns,
    search_grids,
)
from ensvm.runner.plan import make_plan

SCALED = {"pipeline": ["StandardScaler", {"estimator": "SVC", "params": {"C": 10}}]}
PAIRS = [["bayes", "GaussianNB"], ["near", {"estimator": "KNeighborsClassifier"}]]
BY_HAND = [
    ("sklearn.neighbors.KNeighborsClassifier", {}, KNeighborsClassifier()),
    ("KNeighborsClassifier", {"n_neighbors": 3}, KNeighborsClassifier(n_neighbors=3)),
    (SCALED, {}, make_pipeline(StandardScaler(), SVC(C=10))),
    (SCALED, {"svc__C": 5}, make_pipeline(StandardScaler(), SVC(C=5))),
    ("OneVsRestClassifier", {"estimator": "SVC"}, OneVsRestClassifier(SVC())),
    (
        "CalibratedClassifierCV",
        {"estimator": {"estimator": "LinearSVC"}, "cv": 3},
        CalibratedClassifierCV(LinearSVC(), cv=3),
    ),
    (
        "GridSearchCV",
        {"estimator": SCALED, "param_grid": {"svc__C": [1, 2]}},
        GridSearchCV(make_pipeline(StandardScaler(), SVC(C=10)), {"svc__C": [1, 2]}),
    ),
    (
        "VotingClassifier",
        {"estimators": PAIRS},
        VotingClassifier([("bayes", GaussianNB()), ("near", KNeighborsClassifier())]),
    ),
    (
        "StackingClassifier",
        {"estimators": PAIRS, "final_estimator": "LogisticRegression"},
        StackingClassifier(
            [("bayes", GaussianNB()), ("near", KNeighborsClassifier())], LogisticRegression()
        ),
    ),
]


class Keywords(SVC):
    """Takes further parameters by keyword, as classifiers of LightGBM and XGBoost do."""

    def __init__(self, C=1.0, **more):
        super().__init__(C=C)
        self.more = more

    def get_params(self, deep=True):
        return {"C": self.C, **self.more}

    def set_params(self, **params):
        self.C = params.pop("C", self.C)
        self.more |= params
        return self


class Secretive(SVC):
    """Takes parameters by keyword and does not tell them."""

    def __init__(self, **more):
        super().__init__(**more)


KEYWORDS, SECRETIVE = (f"{each.__module__}:{each.__qualname__}" for each in (Keywords, Secretive))


@pytest.mark.parametrize("params", [{"quiet": -1}, {"C": 2.0, "quiet": -1}, {"module__size": 3}])
def test_parameters_by_keyword_reach_the_estimator(params):
    assert build(KEYWORDS, params).get_params() == {"C": 1.0, **params}
    assert build(SECRETIVE, {"C": 7.0}).C == 7.0
    steps = {"pipeline": ["StandardScaler", {"estimator": KEYWORDS, "params": params}]}
    assert construct(steps, {})[-1].get_params() == {"C": 1.0, **params}
    of_step = {f"keywords__{key}": value for key, value in params.items()}
    in_pipeline = construct({"pipeline": ["StandardScaler", KEYWORDS]}, of_step)
    assert in_pipeline[-1].get_params() == {"C": 1.0, **params}


def test_a_search_may_vary_parameters_by_keyword():
    grid = {"estimator": {"estimator": KEYWORDS}, "param_grid": {"quiet": [0, 1]}}
    found = build("GridSearchCV", resolved_values(grid))
    X, y = np.arange(40.0)[:, None], np.tile([-1, 1], 20)
    assert found.fit(X, y).best_params_ == {"quiet": 0}
    assert search_grids(found) == [{"quiet": [0, 1]}]


def test_parameters_that_copies_would_lose_are_named():
    part = {"estimator": {"estimator": SECRETIVE, "params": {"C": 7.0}}}
    with pytest.raises(EstimatorError, match=r"get_params.. does not return C.*copies of it lose"):
        build("BaggingClassifier", resolved_values(part))


@pytest.mark.parametrize(("spec", "params", "by_hand"), BY_HAND)
def test_it_is_what_one_writes_by_hand(spec, params, by_hand):
    found = build(resolved(spec), resolved_values(params))
    assert repr(found.get_params()) == repr(by_hand.get_params())
    rng = np.random.default_rng(0)
    y = np.where(np.arange(60) % 3 == 0, -1, 1)
    X = rng.normal(size=(60, 2)) + y[:, None]
    assert (clone(found).fit(X, y).predict(X) == by_hand.fit(X, y).predict(X)).all()


@pytest.mark.parametrize("text", ["3,162", "3.162", "1e3", "٣"])
@pytest.mark.parametrize(
    ("spec", "key"),
    [("SVC", "C"), ({"pipeline": ["StandardScaler", "SVC"]}, "svc__C"), ("RhoSVC", "tol")],
    ids=str,
)
def test_a_text_in_place_of_a_number_is_refused(spec, key, text):
    with pytest.raises(EstimatorError, match=f"^{key} has the text '{text}'; "):
        build(resolved(spec), {key: text})


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize(
    ("spec", "key"),
    [
        ("SVC", "C"),
        ("SVC", "max_iter"),
        ("RandomForestClassifier", "n_estimators"),
        ({"pipeline": ["StandardScaler", "SVC"]}, "svc__C"),
        ("RhoSVC", "tol"),
    ],
    ids=str,
)
def test_a_flag_in_place_of_a_number_is_refused(spec, key, value):
    with pytest.raises(EstimatorError, match=rf"^{key}: {value} is not accepted .*YAML reads yes"):
        build(resolved(spec), {key: value})


def constrained_parameters():
    """Yield the parameters of the classifiers that need none, with what they declare."""
    for name in [*ESTIMATORS, *(name for name, _ in all_estimators("classifier"))]:
        with suppress(EstimatorError):
            made = build(name, {})
            for key, constraints in getattr(made, "_parameter_constraints", {}).items():
                if key in made.get_params(deep=False):
                    yield name, key, constraints, made.get_params(deep=False)[key]


@pytest.mark.filterwarnings("ignore:Class :FutureWarning")  # of deprecated ones
def test_no_class_that_declares_its_parameters_takes_a_flag_for_a_number():
    def takes(key, constraints, value):
        with suppress(InvalidParameterError):
            validate_parameter_constraints({key: constraints}, {key: value}, "a class")
            return True
        return False

    n_of_numbers = 0
    for name, key, constraints, default in constrained_parameters():
        if isinstance(default, bool):
            assert build(name, {key: default}).get_params()[key] is default
        # True is a whole number for Python, and numpy's is not
        is_number = takes(key, constraints, True) and not takes(key, constraints, np.True_)
        if is_number and bool not in constraints:
            n_of_numbers += 1
            with pytest.raises(EstimatorError, match=rf"{key}: True is not accepted .YAML"):
                build(name, {key: True})
    assert n_of_numbers > 100


@pytest.mark.parametrize(
    ("spec", "params"),
    [
        ("SVC", {"class_weight": {"sick": True, "healthy": 2}}),
        ("GaussianNB", {"priors": {"sick": True, "healthy": False}}),
        ("MLPClassifier", {"hidden_layer_sizes": [True, 10]}),
        ("TfidfVectorizer", {"ngram_range": [True, 2]}),
        ({"pipeline": ["StandardScaler", "SVC"]}, {"svc__class_weight": {"sick": True}}),
        ("BaggingClassifier", {"estimator": {"estimator": "SVC", "params": {"C": True}}}),
    ],
    ids=str,
)
def test_a_flag_among_numbers_is_refused(spec, params):
    with pytest.raises(EstimatorError, match=r"True is not accepted .YAML reads yes"):
        construct(resolved(spec), resolved_values(params))


@pytest.mark.parametrize("key", ["max_depth", "class_weight", "random_state"])
def test_a_flag_in_the_grid_of_a_search_is_refused(key):
    value = {"sick": True} if key == "class_weight" else True
    for grid in ({key: [None, value]}, [{"criterion": ["gini"]}, {key: [value]}]):
        with pytest.raises(EstimatorError, match=f"^{key}: True is not accepted"):
            search_grids(GridSearchCV(DecisionTreeClassifier(), grid))


@pytest.mark.parametrize("value", [True, "3,162"])
def test_what_is_no_number_is_refused_in_the_grid_of_a_search_too(value):
    for grid in ({"C": [1, value]}, [{"tol": [0.1]}, {"C": [value]}]):
        with pytest.raises(EstimatorError, match=r"^C(:| has the text)"):
            search_grids(GridSearchCV(SVC(), grid))


@pytest.mark.parametrize(
    ("spec", "key"), [("SVC", "shrinking"), ("RandomForestClassifier", "verbose")]
)
def test_a_flag_is_a_flag(spec, key):
    assert build(resolved(spec), {key: True}).get_params()[key] is True


def test_a_list_becomes_a_tuple_where_the_default_is_one():
    scaler = {"estimator": "MinMaxScaler", "params": {"feature_range": [-1, 1]}}
    found = build(resolved({"pipeline": [scaler, "SVC"]}), {})
    assert found[0].feature_range == (-1, 1)
    params = {"minmaxscaler__feature_range": [-2, 2]}
    found = build(resolved({"pipeline": ["MinMaxScaler", "SVC"]}), params)
    assert found[0].feature_range == (-2, 2)


def test_a_name_is_looked_for_among_ours_first():
    assert all(import_path(name) == name for name in ESTIMATORS)
    assert estimator_class("Perceptron").__module__.startswith("ensvm")
    for name, path in scikit_learns().items():
        assert import_path(path.replace(":", ".")) == path
        if name not in ESTIMATORS:
            assert estimator_class(name) is estimator_class(path)


def test_any_name_of_a_class_is_the_same_cell(study):
    names = ("GaussianNB", "sklearn.naive_bayes.GaussianNB", '"sklearn.naive_bayes:GaussianNB"')
    keys = [
        [cell.key for cell in make_plan(study(f"a: {{estimator: {name}}}")).cells] for name in names
    ]
    assert keys[0] == keys[1] == keys[2]


def test_parts_that_draw_are_seeded_by_the_cell():
    spec = {"pipeline": ["StandardScaler", "RandomForestClassifier"]}
    voting = {"estimators": [["a", "RandomForestClassifier"], ["b", "RandomForestClassifier"]]}

    def states(seed):
        found = [made(resolved(spec), {}, seed)]
        found += [made("VotingClassifier", resolved_values(voting), seed)]
        params = [value for each in found for value in each.get_params().items()]
        return [value for key, value in params if key.endswith("random_state")]

    assert len(set(states(1))) == 3
    assert states(1) == states(1)
    assert not set(states(1)) & set(states(2))


def test_a_seed_that_is_given_stays():
    spec = {"pipeline": [{"estimator": "RandomForestClassifier", "params": {"random_state": 7}}]}
    assert made(spec, {}, 1).steps[0][1].random_state == 7
    assert made("RandomForestClassifier", {}, 5).random_state == 5


def test_a_fit_does_not_touch_what_the_config_says():
    params = {"estimator": dict(SCALED)}
    first, second = (construct("OneVsRestClassifier", params) for _ in range(2))
    assert first.estimator is not second.estimator
    assert params == {"estimator": SCALED}


WRONG = [
    ("{estimator: KNeighborsClasifier}", "unknown estimator.*did you mean 'KNeighborsClassifier'"),
    ("{estimator: DecisionTree}", "did you mean 'DecisionTreeClassifier'"),
    ("{estimator: sklearn.svm.SVCC}", "has no class SVCC; did you mean 'SVC'"),
    ("{estimator: nowhere.Class}", "neither installed nor beside the config"),
    ("{estimator: StandardScaler}", "not a scikit-learn classifier"),
    ("{estimator: 3}", r"estimator.*is a name, or a block.*got 3"),
    ("{estimator: {estimatr: SVC}}", "is a name, or a block"),
    ("{estimator: OneVsRestClassifier}", "needs `params:` with estimator"),
    (
        "{estimator: OneVsRestClassifier, params: {estimater: SVC}}",
        "no parameter 'estimater'.*did you mean 'estimator'",
    ),
    ("{estimator: OneVsRestClassifier, params: {estimator: SVCC}}", "unknown estimator 'SVCC'"),
    (
        "{estimator: VotingClassifier, params: {estimators: [[a, GausianNB]]}}",
        "unknown estimator 'GausianNB'.*did you mean 'GaussianNB'",
    ),
    ("{pipeline: []}", "pipeline.*1 or more entries"),
    ("{pipeline: SVC}", "pipeline.*accepted: a list"),
    ("{pipeline: [StandardScaler, 3]}", "3 is not an estimator"),
    ("{pipeline: [SVC, StandardScaler]}", "'the pipeline' is not"),
    ("{pipeline: [StandardScaler]}", "the pipeline"),
    ("{pipeline: [SVC], params: {svc__D: 1}}", "no parameter 'svc__D'.*did you mean 'svc__"),
    ("{pipeline: [SVC], params: {svc__C: -1}}", "C.*-1"),
    ("{pipeline: [SVC], estimator: SVC}", "give either `estimator:`"),
    ("{estimator: SVC, grid: {C: [1]}, stage: best-by-cv}", "stage: .*GridSearchCV"),
    ("{estimator: SVC, grid: {C: [1, 1.0]}, stage: best-on-test}", "grid has C = 1.0 twice"),
    (
        "{estimator: GridSearchCV, params: {estimator: SVC, param_grid: {C: [1, 1.0]}}}",
        "grid has C = 1.0 twice",
    ),
    ("{estimator: SVC, cv: 3}", "cv: unknown key 'cv'; .*GridSearchCV"),
    ("{estimator: SVC, stage: best-on-validation}", "chooses among the points of a `grid:`, which"),
]


@pytest.mark.parametrize(("block", "message"), WRONG)
def test_what_cannot_be_made_is_one_message(study, block, message):
    with pytest.raises(UserError, match=message) as caught:
        make_plan(study(f"a: {block}"))
    assert "line 6" in str(caught.value)
    assert "\n" not in str(caught.value)


SEVERAL = [
    ("{estimator: SVC, params: {C: -1, gama: 2, tol: '3,1', cache_size: 9}}", "CE gama tol"),
    ("{estimator: SVC, params: {C: true, tol: 0}}", "C: tolE"),
    ("{estimator: RhoSVC, params: {tol: -1, max_iter: 0.5, nu: 2}}", "tolE max_iterE nuE"),
    ("{pipeline: [SVC], params: {svc__C: -1, svc__tol: -1, svc__D: 1}}", "CE tolE svc__D"),
    (
        "{estimator: BaggingClassifier, params: {estimator: {estimator: SVC, "
        "params: {C: -1, D: 2}}, n_estimators: 0, max_samples: -2}}",
        "CE D n_estimatorsE max_samplesE",
    ),
    (
        "{estimator: GridSearchCV, params: {estimator: {estimator: SVC, params: "
        "{tol: -1, D: 2}}, param_grid: {C: [1, -1]}}}",
        "tolE D",
    ),
    (
        "{estimator: GridSearchCV, params: {estimator: SVC, param_grid: {C: [1, -1], D: [2]}}}",
        "CE D",
    ),
    ("{estimator: SVC, stage: best-on-test, grid: {C: [1, -1], tol: [0.1, -2]}}", "CE tolE"),
    (
        "{estimator: SVMPathClassifier, params: {C_min: 9, C_max: 5, tol: 0.1}}",
        "C_minX C_maxX",
    ),
]


@pytest.mark.parametrize(("block", "parameters"), SEVERAL)
def test_all_wrong_parameters_are_told_at_once(study, block, parameters):
    with pytest.raises(UserError) as caught:
        make_plan(study(f"a: {block}"))
    text = str(caught.value)
    for name in parameters.split():
        said = {"E": "'{}' parameter", "X": "{} = "}.get(name[-1], "{}")
        assert said.format(name.rstrip("EX")) in text, text
    if "X" not in parameters:
        assert text.count("line 6: algorithms.a: ") == len(parameters.split())


def test_values_of_a_grid_are_refused_beside_one_another_alone(study):
    """A value of a grid that needs another value of it is not refused by itself."""
    good = "grid: {select: [5.0], C_max: [9.0]}, stage: best-on-test, params: {tol: 0.1}"
    assert make_plan(study(f"a: {{estimator: SVMPathClassifier, {good}}}")).cells
    wrong = good.replace("9.0", "9.0, 2.0")
    with pytest.raises(UserError, match=r"beyond the end of the path, C_max = 2\.0"):
        make_plan(study(f"a: {{estimator: SVMPathClassifier, {wrong}}}"))


def test_an_unknown_part_is_refused_by_its_name():
    with pytest.raises(EstimatorError, match="RandomForestClassifier has no parameter 'trees'"):
        build(
            "OneVsRestClassifier",
            {"estimator": {"estimator": "RandomForestClassifier", "params": {"trees": 3}}},
        )
    assert RandomForestClassifier().get_params().get("trees") is None
