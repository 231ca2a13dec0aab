"""`C: 1` and `C: 1.0` are one value; where a whole number means something else it stays."""

import pytest
import yaml

from ensvm.runner.plan import make_plan

SVC = "sklearn.svm:SVC"
SCALER = "sklearn.preprocessing:StandardScaler"


def pipeline(C):
    return {"pipeline": [{"estimator": SCALER}, {"estimator": SVC, "params": {"C": C}}]}


def voting(C):
    parts = [["a", {"estimator": SVC, "params": {"C": C}}], ["b", {"estimator": "GaussianNB"}]]
    return {"estimator": "VotingClassifier", "params": {"estimators": parts}}


WRITTEN = {
    "a parameter": lambda C: {"estimator": SVC, "params": {"C": C}},
    "a parameter of ours": lambda C: {"estimator": "SVC", "params": {"C": C}},
    "a grid": lambda C: {"estimator": SVC, "grid": {"C": [C, 2]}, "stage": "best-on-validation"},
    "a step": pipeline,
    "a parameter of a step": lambda C: {**pipeline(5), "params": {"svc__C": C}},
    "a part": lambda C: {
        "estimator": "BaggingClassifier",
        "params": {"estimator": {"estimator": SVC, "params": {"C": C}}},
    },
    "named parts": voting,
    "the grid of a search": lambda C: {
        "estimator": "GridSearchCV",
        "params": {"estimator": {"estimator": SVC}, "param_grid": {"C": [C, 2]}},
    },
}


def settings(folder, block):
    """Return the settings of an algorithm as a plan has them."""
    config = {
        "study": "s",
        "realizations": 1,
        "datasets": ["titanic"],
        "algorithms": {"a": block},
    }
    (folder / "s.yaml").write_text(yaml.safe_dump(config))
    (cell,) = (cell for cell in make_plan(folder / "s.yaml").cells if cell.settings.method)
    return cell.settings


@pytest.mark.parametrize("written", WRITTEN)
def test_a_whole_number_is_the_real_number_of_the_same_value(tmp_path, written):
    whole, real, other = (settings(tmp_path, WRITTEN[written](C)) for C in (1, 1.0, 3))
    assert whole.to_json() == real.to_json()
    assert str(whole.method.params) == str(real.method.params)
    assert str(whole.method.grid) == str(real.method.grid)
    assert other.to_json() != real.to_json()


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("sklearn.ensemble:RandomForestClassifier", {"max_features": 1}),
        ("sklearn.ensemble:BaggingClassifier", {"max_samples": 1}),
        ("sklearn.neighbors:KNeighborsClassifier", {"n_neighbors": 1}),
        ("sklearn.ensemble:RandomForestClassifier", {"bootstrap": True}),
    ],
)
def test_a_number_of_things_stays_whole(tmp_path, name, params):
    method = settings(tmp_path, {"estimator": name, "params": params}).method
    assert repr(method.params) == repr(params)
