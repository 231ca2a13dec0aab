"""DataFrames as people have them: texts, categories, missing, rare and unseen values."""

import copy
import pickle
import re
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import cross_val_score

from ensvm import SVMEnsembleClassifier, TunedSVC
from ensvm.classifiers.table_columns import FEWEST_ROWS, learned_columns
from ensvm.levels import MOST_LEVELS

CLASSIFIERS = pytest.mark.parametrize("make", [TunedSVC, SVMEnsembleClassifier])


@pytest.fixture(scope="module")
def table():
    rng, n = np.random.default_rng(0), 80
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "grade": pd.Categorical(rng.choice(["low", "high"], n)),
            "count": rng.integers(0, 9, n),
            "member": rng.integers(0, 2, n).astype(bool),
        }
    )
    y = np.where((frame["colour"] == "red") ^ (frame["size"] > 0.0), "yes", "no")
    return frame, y


def by_hand(frame):
    """Return the columns as numbers, by pandas."""
    numbers = [frame[["size"]], pd.get_dummies(frame["colour"]), pd.get_dummies(frame["grade"])]
    return pd.concat([*numbers, frame[["count", "member"]]], axis=1).to_numpy(np.float64)


@CLASSIFIERS
def test_texts_and_categories_are_columns_of_0_and_1(make, table):
    frame, y = table
    ours, plain = make().fit(frame, y), make().fit(by_hand(frame), y)
    np.testing.assert_array_equal(ours.predict_proba(frame), plain.predict_proba(by_hand(frame)))
    assert ours.n_features_in_ == 5
    assert ours.feature_names_in_.tolist() == list(frame.columns)
    if make is SVMEnsembleClassifier:
        assert ours.feature_importances_.shape == (5,)
        assert set(np.argsort(-ours.feature_importances_)[:2]) == {0, 1}


@CLASSIFIERS
def test_a_copy_reads_tables_as_the_original_does(make, table):
    frame, y = table
    frame = frame.assign(size=frame["size"].where(frame["count"] > 2))  # some are missing
    fitted = make().fit(frame, y)
    for other in (pickle.loads(pickle.dumps(fitted)), copy.deepcopy(fitted)):
        np.testing.assert_array_equal(other.predict_proba(frame), fitted.predict_proba(frame))


@CLASSIFIERS
def test_a_table_of_numbers_is_its_array(make, table):
    frame, y = table
    numbers = frame[["size", "count", "member"]]
    ours, plain = (make().fit(X, y) for X in (numbers, numbers.to_numpy(np.float64)))
    np.testing.assert_array_equal(
        ours.predict_proba(numbers), plain.predict_proba(numbers.to_numpy(np.float64))
    )


@CLASSIFIERS
def test_folds_with_missing_and_unseen_values(make, table):
    frame, y = table
    frame = frame.copy()
    frame["count"] = frame["count"].astype("Int64").mask(np.arange(80) % 7 == 0)
    frame.loc[::9, "size"] = np.nan
    frame.loc[::11, "colour"] = None
    frame.loc[5, "colour"] = "seen once"
    with pytest.warns(UserWarning, match="such as 'seen once', in 1 of 20 rows"):
        assert cross_val_score(make(), frame, y, cv=4).mean() > 0.7
    fitted = make().fit(frame.dropna(), y[frame.notna().all(axis=1)])
    # missing for the first time: as rare as what was seen once
    assert np.isfinite(fitted.predict_proba(frame)).all()
    complete = frame.drop(index=5).dropna()
    fitted = make().fit(complete, y[complete.index])
    with pytest.warns(UserWarning, match="such as a missing one, in "):
        assert np.isfinite(fitted.predict_proba(frame.drop(index=5))).all()


@CLASSIFIERS
@pytest.mark.parametrize("n_rare", [0, 2])
def test_a_value_that_no_training_row_has_is_0_everywhere_or_a_rare_one(make, n_rare):
    rng = np.random.default_rng(0)
    colours = ["r", "g", "b"] * 20
    colours[: 2 * n_rare : 2] = ["rare", "scarce"][:n_rare]
    frame = pd.DataFrame({"x": rng.normal(size=60), "colour": colours})
    fitted = make().fit(frame, (frame["x"] + (frame["colour"] == "r") > 0.3).astype(int))
    new = pd.DataFrame({"x": [0.1, 0.2, 0.3], "colour": ["b", "violet", "mauve"]})
    if n_rare:
        known = new.replace({"violet": "rare", "mauve": "scarce"})
        np.testing.assert_array_equal(fitted.predict_proba(new), fitted.predict_proba(known))
        return
    with pytest.warns(UserWarning, match=r"'colour' has .* 'violet', in 2 of 3 rows") as warned:
        fitted.predict(new)
    assert [str(one.filename) for one in warned] == [__file__]
    assert not fitted._columns.encoded(new)[1:, 1:].any()


def test_missing_numbers_are_the_median_and_marked():
    frame = pd.DataFrame({"a": [1.0, np.nan, 5.0, 2.0], "b": [0, 1, 2, 3]})
    learned = learned_columns(frame, [])
    expected = [[1, 0, 0], [2, 1, 1], [5, 0, 2], [2, 0, 3]]
    np.testing.assert_array_equal(learned.encoded(frame), expected)
    np.testing.assert_array_equal(learned.sources, [0, 0, 1])
    new = pd.DataFrame({"a": [np.nan], "b": [np.nan]})
    np.testing.assert_array_equal(learned.encoded(new), [[2.0, 1.0, 1.5]])


def test_rare_and_unseen_values_share_a_column():
    levels = ["a"] * 20 + ["b"] * FEWEST_ROWS + ["c"] * (FEWEST_ROWS - 1) + ["d"]
    learned = learned_columns(pd.DataFrame({"t": levels}), [0])
    new = pd.DataFrame({"t": ["a", "b", "c", "d", "never"]})
    expected = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1], [0, 0, 1]]
    np.testing.assert_array_equal(learned.encoded(new), expected)
    many = pd.DataFrame({"t": np.repeat([f"v{i}" for i in range(2 * MOST_LEVELS)], 10)})
    assert learned_columns(many, [0]).encoded(many).shape[1] == MOST_LEVELS


@pytest.mark.parametrize("named", [["code"], [1], [False, True]])
def test_numbers_may_be_named_as_categories(named):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "code": rng.integers(0, 3, 60)})
    y = (frame["code"] == 1).astype(int)
    fitted = TunedSVC(categorical_features=named).fit(frame, y)
    X = np.column_stack([frame["x"], np.eye(3)[frame["code"]]])
    values = fitted.predict_proba(frame)
    np.testing.assert_array_equal(values, TunedSVC().fit(X, y).predict_proba(X))
    if named != ["code"]:
        other = TunedSVC(categorical_features=named).fit(frame.to_numpy(), y)
        np.testing.assert_array_equal(other.predict_proba(frame.to_numpy()), values)


@pytest.mark.parametrize(
    ("frame", "parameters", "message"),
    [
        ({"t": ["a", "b"] * 9}, {"categorical_features": None}, "column 't' holds other values"),
        ({"when": pd.date_range("2020-01-01", periods=18)}, {}, "column 'when' holds dates"),
        (
            {"x": [1.0, -np.inf] * 9},
            {},
            r"X has infinity in column 'x', row 1 .*; accepted: finite",
        ),
        ({"x": [1.0, 2.0] * 9}, {"categorical_features": ["z"]}, "has no column 'z'; .*: 'x', or"),
        *(
            ({"x": [1.0, 2.0] * 9}, {"categorical_features": [at]}, f"has no column {at}; accepted")
            for at in (1, -1)
        ),
        ({"x": [1.0, 2.0] * 9}, {"categorical_features": [True, False]}, "each of the 1 columns"),
    ],
)
def test_what_is_refused_names_the_column(frame, parameters, message):
    with pytest.raises(ValueError, match=message):
        TunedSVC(**parameters).fit(pd.DataFrame(frame), [0, 1] * 9)


def test_other_columns_than_in_training_are_refused(table):
    frame, y = table
    fitted = TunedSVC().fit(frame, y)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="4 features"):
        TunedSVC().fit(by_hand(frame)[:, :5], y).predict(by_hand(frame)[:, :4])


@CLASSIFIERS
@pytest.mark.parametrize("missing", [np.nan, None, pd.NA], ids=str)
def test_a_column_without_values_is_said_and_not_read(make, missing, table):
    frame, y = table[0][["size", "count"]], table[1]
    given = frame.assign(
        empty=pd.Series([missing] * 80, dtype=float if missing is np.nan else object)
    )
    with pytest.warns(UserWarning, match="column 'empty' has no value in the training rows"):
        fitted = make().fit(given, y)
    expected = fitted.predict_proba(given)
    np.testing.assert_array_equal(fitted.predict_proba(given.assign(empty=7.0)), expected)
    np.testing.assert_array_equal(fitted.predict_proba(given.assign(empty="new")), expected)


WRITTEN = {
    "1.5": ([f"{i}.5" for i in range(60)], "numbers, such as '0.5'.*by pandas.to_numeric$"),
    "2,5": ([f"{i},5" for i in range(60)], r"numbers, such as '0,5'.*to_numeric after `.str.repl"),
    "few": (["1.5", "2.5", "-3e4"] * 20, "numbers, such as '1.5'"),
    "whole": ([str(i) for i in range(60)], "numbers, such as '0'"),
    "some missing": (["NA", *(f".{i}" for i in range(59))], "numbers, such as '.0'"),
    "dates": ([f"2026-01-{i % 30:02}" for i in range(60)], "dates or times, such as '2026-01-00'"),
    "times": ([f"{i // 3}:{i:02}" for i in range(60)], "dates or times, such as '0:00'"),
    "free": ([f"day {i}" for i in range(60)], "free text"),
    "few codes": (["1", "2", "3"] * 20, ""),
    "versions": (["v1.5", "v2.5"] * 30, ""),
}


@pytest.mark.parametrize("written", WRITTEN)
def test_texts_that_are_numbers_or_dates_are_said_to_be(written):
    values, message = WRITTEN[written]
    frame = pd.DataFrame({"t": values})
    doubts = list(learned_columns(frame, [0]).doubts(frame))
    assert len(doubts) == bool(message)
    for doubt in doubts:
        assert re.search(f"column 't' looks like {message}", doubt)
    categories = frame.astype("category")
    for doubt in learned_columns(categories, [0]).doubts(categories):
        assert "free text" in doubt  # whoever made categories of them meant it


@CLASSIFIERS
def test_numbers_in_a_column_of_objects_are_numbers(make, table):
    frame, y = table[0][["size", "count"]], table[1]
    as_objects = frame.astype(object)
    as_decimals = frame.map(lambda value: Decimal(float(value)))
    expected = make().fit(frame, y).predict_proba(frame)
    for other in (as_objects, as_decimals):
        np.testing.assert_array_equal(make().fit(other, y).predict_proba(other), expected)


def test_complex_numbers_of_a_table_are_refused(table):
    frame, y = table[0][["size", "count"]], table[1]
    with pytest.raises(ValueError, match="complex number in column 'size'"):
        TunedSVC().fit(frame.assign(size=frame["size"] + 1j), y)
