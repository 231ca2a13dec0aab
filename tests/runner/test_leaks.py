"""Planted leaks: reading the test rows would give error 0, so a cell must not get it.

Each test does by hand what a leak would do and gets error 0, which shows that the plant works.
"""

from pathlib import Path

import numpy as np
import pytest
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from ensvm.data import inline_card, load
from ensvm.records.settings import AlgorithmSettings
from ensvm.runner.evaluate import evaluate
from ensvm.runner.grams import GramPool

N = 100  # rows of a part
NEAREST = AlgorithmSettings("sklearn.neighbors:KNeighborsClassifier", {"n_neighbors": 1})
RNG = np.random.default_rng(0)
Y = np.where(np.arange(N) % 2, 1, -1)  # the classes of both parts


def official(folder: Path, train, test, **keys):
    """Return the realization of a training and a test table, whose last column is the class."""
    names = [f"x{number}" for number in range(len(train[0]) - 1)]
    for name, rows in (("train.csv", train), ("test.csv", test)):
        lines = [",".join(map(str, row)) for row in [[*names, "label"], *rows]]
        (folder / name).write_text("\n".join(lines) + "\n")
    mapping = {"train": "train.csv", "test": "test.csv", "target": "label", "positive": "1", **keys}
    return load(inline_card(mapping, folder)).realization(1)


def error(realization, settings=NEAREST):
    return evaluate(settings, 0, GramPool(realization)).metrics["error"]


def error_by_hand(X_train, X_test):
    return 1 - KNeighborsClassifier(1).fit(X_train, Y).score(X_test, Y)


def test_scaling_is_fitted_on_training_rows_alone(tmp_path):
    # The second column is noise that is a thousand times larger in the test rows.
    train = np.column_stack([Y, RNG.normal(size=N)])
    test = np.column_stack([Y, 1000 * RNG.normal(size=N)])
    leaking = StandardScaler().fit(np.vstack([train, test]))
    assert error_by_hand(leaking.transform(train), leaking.transform(test)) == 0
    tables = [np.column_stack([X, Y]).tolist() for X in (train, test)]
    assert error(official(tmp_path, *tables, scaling="standard")) > 0.3


def test_columns_of_0_and_1_are_scaled_by_training_rows_alone(tmp_path):
    # A level that one training row has, and half of the test rows.
    levels = [["q" if i == 0 else "p" for i in range(N)], ["pq"[i // 2 % 2] for i in range(N)]]
    signal = [Y, Y, Y]
    parts = [np.column_stack([*signal, np.array(column) == "q"]) for column in levels]
    leaking = StandardScaler().fit(np.vstack(parts))
    assert error_by_hand(*map(leaking.transform, parts)) == 0
    tables = [list(zip(*signal, column, Y, strict=True)) for column in levels]
    keys = {"inputs": {"x3": {"one-hot": ["q"], "none": ["p"]}}, "scaling": "standard"}
    assert error(official(tmp_path, *tables, **keys)) > 0.2


def test_missing_values_are_filled_from_training_rows_alone(tmp_path):
    # 3 is of the class +1. The training mean is nearer to 0, the mean of all rows is about 3.
    train = [(0, -1)] * 60 + [(10, -1)] * 3 + [(3, 1)] * 30
    test = [(10, -1)] * 23 + [("", 1)] * 23
    X, y = np.array(train, dtype=float).T
    X_test = np.array([10.0] * 23 + [np.nan] * 23)[:, None]
    leaking = SimpleImputer().fit(np.vstack([X[:, None], X_test]))
    fitted = KNeighborsClassifier(1).fit(X[:, None], y)
    assert fitted.score(leaking.transform(X_test), [label for _, label in test]) == 1
    keys = {"incomplete": "keep", "fill": "training-mean", "scaling": "none"}
    assert error(official(tmp_path, train, test, **keys)) == 0.5


@pytest.mark.parametrize(("stage", "expected"), [("best-on-test", 0), ("best-on-validation", 1)])
def test_parameters_are_chosen_on_training_rows_alone(tmp_path, stage, expected):
    # Most training rows are of the class -1, and all test rows but one of the class +1.
    train = [(0, -1)] * 60 + [(0, 1)] * 20
    realization = official(tmp_path, train, [(0, 1)] * 40, scaling="none")
    settings = AlgorithmSettings(
        "sklearn.dummy:DummyClassifier",
        {"strategy": "constant"},
        grid={"constant": [-1, 1]},
        stage=stage,
    )
    assert error(realization, settings) == expected


@pytest.fixture
def patients(tmp_path):
    """Return the data of patients who have one class each, and inputs that tell who it is."""
    who = np.repeat(np.arange(30), 8)
    label = RNG.permutation(np.arange(30) % 2)[who]
    inputs = 100 * RNG.normal(size=(30, 3))[who] + 0.01 * RNG.normal(size=(len(who), 3))
    table = np.column_stack([inputs.round(6), who, label]).tolist()
    lines = [",".join(map(str, row)) for row in [["a", "b", "c", "who", "label"], *table]]
    (tmp_path / "own.csv").write_text("\n".join(lines) + "\n")

    def loaded(**keys):
        mapping = {"path": "own.csv", "target": "label", "scaling": "standard", **keys}
        return load(inline_card(mapping, tmp_path))

    return loaded


def test_rows_of_a_group_are_not_on_both_sides(patients):
    folds = {"protocol": "kfold", "n_splits": 5}
    leaking = patients(drop=["who"], split=folds)
    assert error(leaking.realization(1)) == 0
    kept = patients(groups="who", split=folds)
    assert np.mean([error(kept.realization(index)) for index in range(1, 6)]) > 0.3


def test_a_choice_within_training_rows_keeps_groups(patients):
    grid, stage = {"n_neighbors": [1, 3]}, "best-on-validation"
    settings = AlgorithmSettings(NEAREST.estimator, {}, grid=grid, stage=stage)
    split = {"protocol": "kfold", "n_splits": 5}
    errors = {}
    for keys in ({"drop": ["who"]}, {"groups": "who"}):
        realization = patients(**keys, split=split).realization(1)
        outcome = evaluate(settings, 0, GramPool(realization))
        errors[*keys] = outcome.validation_error
    assert errors["drop",] == 0
    assert errors["groups",] > 0.2
