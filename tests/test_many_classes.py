"""Any meta-estimator around any machine learns three classes, also with wrong labels."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.multiclass import OneVsRestClassifier

from ensvm.errors import UserError
from ensvm.many_classes import takes_many_classes
from ensvm.runner.estimators import build, resolved_block
from ensvm.runner.plan import make_plan

MACHINE = {"estimator": "ParzenWindowClassifier"}  # of two classes
NOISY = "ensvm.experiments:NoisyLabels"
PAIR = [["a", MACHINE], ["b", "GaussianNB"]]
METAS = [
    ("BaggingClassifier", {"estimator": MACHINE, "n_estimators": 2}),
    ("StackingClassifier", {"estimators": PAIR, "cv": 2}),
    ("AdaBoostClassifier", {"estimator": MACHINE, "n_estimators": 2}),
    ("CalibratedClassifierCV", {"estimator": MACHINE, "cv": 2}),
    ({"pipeline": ["StandardScaler", {"estimator": "BaggingClassifier",
                                      "params": {"estimator": MACHINE, "n_estimators": 2}}]}, {}),
]  # fmt: skip


def made_of(spec, params):
    """Return an estimator as a config writes it."""
    spec, params, _ = resolved_block(spec, params, None)
    return build(spec, params)


def fitted(spec, params):
    """Return an estimator fitted to three classes, wrapped if it does not take them."""
    X, y = load_iris(return_X_y=True)
    made = made_of(spec, params)
    return (made if takes_many_classes(made) else OneVsRestClassifier(made)).fit(X[::3], y[::3])


@pytest.mark.parametrize(("spec", "params"), METAS, ids=str)
def test_a_meta_estimator_of_a_machine_of_two_classes_learns_three(spec, params):
    X, y = load_iris(return_X_y=True)
    assert not takes_many_classes(made_of(spec, params))
    assert fitted(spec, params).score(X, y) > 0.8


@pytest.mark.parametrize(("spec", "params"), METAS[:4], ids=str)
def test_labels_are_flipped_among_three_classes_around_any_meta_estimator(spec, params):
    made = fitted(NOISY, {"estimator": {"estimator": spec, "params": params}, "noise": 0.1})
    assert not isinstance(made, OneVsRestClassifier)
    assert made.turned_.size == 5
    assert set(made.predict(load_iris().data)) == {0, 1, 2}


@pytest.mark.parametrize(
    ("spec", "params"),
    [
        ("VotingClassifier", {"estimators": [["a", "SVC"], ["b", "GaussianNB"]]}),
        ("BaggingClassifier", {"estimator": {"estimator": "OneVsRestClassifier",
                                             "params": {"estimator": MACHINE}}}),
        ("BaggingClassifier", {"estimator": {"estimator": NOISY,
                                             "params": {"estimator": MACHINE}}}),
    ],
    ids=str,
)  # fmt: skip
def test_what_takes_three_classes_itself_is_not_wrapped(spec, params):
    assert takes_many_classes(made_of(spec, params))
    assert np.unique(fitted(spec, params).predict(load_iris().data)).size == 3


def test_votes_of_machines_of_two_classes_are_refused_with_what_to_write(tmp_path):
    voting = "{estimator: VotingClassifier, params: {estimators: [[a, %s], [b, GaussianNB]]}}"
    text = "study: s\ndatasets: [iris]\nalgorithms: {v: %s}\n"
    path = tmp_path / "s.yaml"
    noisy = "{estimator: 'ensvm.experiments:NoisyLabels', params: {estimator: %s}}"
    bagged = "{estimator: BaggingClassifier, params: {estimator: %s}}"
    for around in ("%s", noisy, bagged % noisy):
        path.write_text(text % (around % (voting % "RhoSVC")))
        with pytest.raises(UserError, match=r"VotingClassifier has no decision.*OneVsRestClass"):
            make_plan(path)
    path.write_text(text % voting % "{estimator: OneVsRestClassifier, params: {estimator: RhoSVC}}")
    assert make_plan(path).cells[-1].method.wrapped is None
