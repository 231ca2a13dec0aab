"""`ensvm.load_data`: the rows of a data set, and the splits and realizations of studies."""

from pathlib import Path

import numpy as np
import pytest
from made_up_records import invoke

import ensvm
from ensvm.data import find_card, load
from ensvm.data.scaling import scale
from ensvm.errors import UserError
from ensvm.runner.plan import make_plan

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["titanic", "diabetis", "waveform-200", "vote", "labor"])
def test_a_realization_has_the_rows_of_its_split(name):
    data = ensvm.load_data(name)
    splits = data.splits(3)
    for number, (train, test) in enumerate(splits, start=1):
        realization = data.realization(number)
        assert not set(train) & set(test)
        codes = {label: set(realization.y_train[data.y[train] == label]) for label in data.y}
        assert all(len(codes_of) == 1 for codes_of in codes.values())
        assert len(realization.y_test) == len(test)


def test_splits_are_those_that_a_study_scales():
    data = ensvm.load_data("optdigits")
    [(train, test)] = data.splits(1)
    expected = scale(data.card.scaling, data.X[train], data.X[test], None)
    realization = data.realization(1)
    np.testing.assert_array_equal(realization.X_train, expected[0])
    np.testing.assert_array_equal(realization.X_test, expected[1])


def test_labels_are_those_of_the_card():
    data = ensvm.load_data("german")
    counts = dict(zip(*np.unique(data.y, return_counts=True), strict=True))
    assert counts == data.card.classes
    several = ensvm.load_data("optdigits")
    assert dict(zip(*np.unique(several.y, return_counts=True), strict=True)) == several.card.classes


def test_all_splits_are_given_by_default():
    assert len(ensvm.load_data("german").splits()) == 100
    data = ensvm.load_data("vote")
    most = data.card.max_realizations
    assert len(data.splits()) == (most or 100)
    if most:
        with pytest.raises(UserError):
            data.splits(most + 1)


def test_an_archive_of_splits_is_read_with_the_same_rows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "three.yaml").write_text(
        "study: three\nrealizations: 3\ndatasets: [german]\nalgorithms: {svc: {estimator: SVC}}\n"
    )
    result = invoke("data", "splits", "three.yaml", "german", "-o", "splits.npz")
    assert "wrote splits.npz: german (3)" in result.stdout
    (tmp_path / "s.yaml").write_text(
        "study: s\nrealizations: 3\ndatasets: [{path: splits.npz, scaling: standard-benchmark,"
        " split: {protocol: indices}}]\nalgorithms: {svc: {estimator: SVC}}\n"
    )
    archive = load(make_plan(tmp_path / "s.yaml").cards["splits"])
    shipped = load(find_card("german"))
    for number in (1, 2, 3):
        ours, theirs = archive.realization(number), shipped.realization(number)
        np.testing.assert_array_equal(ours.X_train, theirs.X_train)
        np.testing.assert_array_equal(ours.y_test, theirs.y_test)


@pytest.mark.parametrize("call", [ensvm.load_data, ensvm.load_results, ensvm.run])
@pytest.mark.parametrize("name", [5, None, ["german"]])
def test_a_name_that_is_no_text_is_refused(call, name):
    with pytest.raises(UserError, match="accepted: a name or path as text"):
        call(name)


def test_an_unknown_name_gets_the_nearest_one():
    with pytest.raises(UserError, match="did you mean 'german'"):
        ensvm.load_data("germn")
