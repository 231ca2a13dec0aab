"""Values that a classifier refuses: the message names X or y, the place and what is accepted."""

from decimal import Decimal
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.model_selection import cross_val_score

from ensvm import AdaBoost, LinearSMO, SVMEnsembleClassifier, TunedSVC
from ensvm.classifiers import CLASSIFIERS, EXPERIMENTS
from ensvm.classifiers.refused_values import READ_TABLES
from ensvm.classifiers.table_classifier import TableClassifier
from ensvm.classifiers.table_columns import FEWEST_ROWS, learned_columns
from ensvm.levels import MOST_LEVELS

CLASSES = [
    getattr(import_module(module), name) for name, module in {**CLASSIFIERS, **EXPERIMENTS}.items()
]
EVERY_CLASS = pytest.mark.parametrize("make", CLASSES, ids=lambda cls: cls.__name__)
ROW, COLUMN = 5, 1
NAMES = ["age", "size"]
X = np.random.default_rng(0).normal(size=(12, 2))
LABELS = np.array(["a", "b"] * 6, dtype=object)


def spoilt(value):
    """Return the rows with a value in one place, as an array, a DataFrame and a list."""
    rows = X.astype(object if isinstance(value, str) else float)
    rows[ROW, COLUMN] = value
    return rows, pd.DataFrame(rows, columns=NAMES), rows.tolist()


@EVERY_CLASS
@pytest.mark.parametrize(
    ("value", "what"),
    [(np.nan, r"a missing value \(NaN\)"), (np.inf, "infinity"), ("x", "not a number, 'x',")],
)
def test_a_refused_input_is_named_with_its_place(make, value, what):
    array, frame, rows = spoilt(value)
    for inputs, column in ((array, COLUMN), (rows, COLUMN), (frame, repr(NAMES[COLUMN]))):
        if inputs is frame and issubclass(make, TableClassifier):
            continue
        message = rf"X has .*{what} in column {column}, row {ROW} .*; accepted: "
        with pytest.raises(ValueError, match=message):
            make().fit(inputs, LABELS)


class FrameOfAnotherLibrary:
    """What polars' frames are to scikit-learn: an array with the names of its columns."""

    def __init__(self, rows):
        self.columns, self._rows = NAMES, rows

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._rows, dtype=dtype)


@EVERY_CLASS
@pytest.mark.parametrize("value", [np.nan, np.inf, "x"], ids=str)
def test_a_column_of_any_frame_is_named(make, value):
    with pytest.raises(ValueError, match=rf"X has .* in column 'size', row {ROW} .*; accepted: "):
        make().fit(FrameOfAnotherLibrary(spoilt(value)[0]), LABELS)


def test_a_refused_input_of_sparse_rows_and_of_a_prediction_is_named():
    (array, frame, _), message = spoilt(np.nan), rf"missing.* column .{{1,6}}, row {ROW}"
    with pytest.raises(ValueError, match=message):
        AdaBoost().fit(sparse.csr_matrix(array), LABELS)
    for learnt, new in ((X, array), (pd.DataFrame(X, columns=NAMES), frame)):
        fitted = AdaBoost(n_estimators=2).fit(learnt, LABELS)
        with pytest.raises(ValueError, match=message):
            fitted.predict(new)


@EVERY_CLASS
def test_labels_of_several_types_are_named(make):
    labels = [1 if label == "a" else label for label in LABELS]
    for y in (labels, np.array(labels, dtype=object), pd.Series(labels)):
        with pytest.raises(ValueError, match="y holds texts and other values, such as 'b' and 1;"):
            make().fit(X, y)


@EVERY_CLASS
def test_a_number_out_of_range_is_refused_wherever_it_stands(make):
    large = X.copy()
    large[ROW, COLUMN] = -1e200
    frame = pd.DataFrame(large, columns=NAMES)
    place = rf"too large for its square, -1e\+200, in column ('size'|1), row {ROW} .*; accepted: "
    for rows in (large, frame, sparse.csr_array(large)):
        with pytest.raises(ValueError, match=place):
            make().fit(rows, LABELS)
    with pytest.raises(
        ValueError, match=r"no number beyond .*e-200 in size, so that .* are 0; acc"
    ):
        make().fit(1e-200 * X, LABELS)


@EVERY_CLASS
def test_whole_numbers_that_would_become_equal_are_refused(make):
    numbers = np.array([2**60 + k % 3 for k in range(len(X))], dtype=np.int64)
    rows = np.column_stack([np.arange(len(X)), numbers])
    frame = pd.DataFrame({"x": X[:, 0], "size": numbers})
    beyond = [2**70 + k % 3 for k in range(len(X))]
    place = r"X, column ('size'|1), row 1 .*equal.*; accepted: "
    objects = frame.assign(size=beyond), frame.assign(size=[*map(Decimal, beyond)])
    of_zeros = sparse.csr_matrix(rows), sparse.coo_array(rows)
    objects = *objects, pd.DataFrame.sparse.from_spmatrix(of_zeros[0])
    for inputs in (rows, frame, frame.astype({"size": "Int64"}), *objects, *of_zeros):
        with pytest.raises(ValueError, match=place):
            make().fit(inputs, LABELS)


@pytest.mark.parametrize("make", [AdaBoost, TunedSVC])
@pytest.mark.parametrize("kind", ["Int64", "UInt64", "boolean"])
def test_labels_of_nullable_types_stay_what_they_are(make, kind):
    numbers = [bool(k % 2) if kind == "boolean" else 2**60 + k % 2 for k in range(len(X))]
    labels = pd.Series(numbers, dtype=kind)
    for y in (labels, labels.array):
        classes = make().fit(X, y).classes_
        assert classes.dtype.kind == {"I": "i", "U": "u", "b": "b"}[kind[0]]
        assert classes.tolist() == sorted(set(numbers))
    with pytest.raises(ValueError, match="y: 1 of 12 labels missing"):
        make().fit(X, labels.mask(labels.index == 3))


def test_whole_numbers_are_told_apart_as_labels_and_as_categories():
    numbers = pd.Series([2**60 + k % 2 for k in range(60)])
    frame = pd.DataFrame({"x": np.arange(60) % 7, "hash": numbers})
    fitted = TunedSVC(categorical_features=["hash"]).fit(frame, numbers)
    assert fitted.classes_.tolist() == [2**60, 2**60 + 1]
    assert fitted.score(frame, numbers) == 1


DAY = pd.Timestamp("2026-03-01")
CELLS = {
    "list": [1.0],
    "dict": {"a": 1},
    "set": {1},
    "tuple": (1, 2),
    "array": np.array([1.0]),
    "series": pd.Series([1.0, 2.0]),
    "object": object(),
}


@EVERY_CLASS
@pytest.mark.parametrize("others", [0.5, "text"], ids=["numbers", "texts"])
@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_that_holds_more_than_a_value_is_named(make, cell, others):
    values = np.empty(len(X), dtype=object)
    values[:] = others
    values[0 if others == "text" else ROW] = CELLS[cell]
    frame = pd.DataFrame({"x": X[:, 0], "more": values})
    place = (
        rf"type '{type(CELLS[cell]).__name__}' in column ('more'|1), row [05] .*; accepted: each "
    )
    for inputs in (frame, frame.to_numpy()):
        with pytest.raises(TypeError, match=place):
            make().fit(inputs, LABELS)


@EVERY_CLASS
@pytest.mark.parametrize("day", [DAY, DAY.date(), DAY.time(), DAY - DAY, DAY.to_period("D")])
def test_dates_of_any_type_are_refused(make, day):
    frame = pd.DataFrame({"x": X[:, 0], "when": [day] * len(X)})
    for when in (frame["when"], frame["when"].astype(object)):
        with pytest.raises(ValueError, match=r"'when'.*such as days since the first"):
            make().fit(frame.assign(when=when), LABELS)


@EVERY_CLASS
def test_dates_alone_are_refused_as_well(make):
    """NumPy makes nanoseconds of them without a word."""
    days = pd.date_range("2020-01-01", periods=len(X)).to_numpy()
    for inputs, column in ((pd.DataFrame({"when": days}), "'when'"), (days[:, None], 0)):
        with pytest.raises(ValueError, match=rf"{column}.*such as days since the first"):
            make().fit(inputs, LABELS)


# Columns of every kind that pandas has
NUMBERS = ("bool", "boolean", "Int64", "float32", "int8", "category of numbers", "sparse")
REFUSED = (
    *("category", "text", "missing", "complex"),
    *("dates", "spans", "periods", "intervals"),
)


def column_of(kind):
    """Return a column of a DataFrame of a kind."""
    number = pd.Series(np.arange(len(X)) % 2)
    made = {
        "category of numbers": lambda: number.astype("category"),
        "sparse": lambda: pd.arrays.SparseArray(number),
        "category": lambda: number.map({0: "no", 1: "yes"}).astype("category"),
        "text": lambda: number.map({0: "no", 1: "yes"}),
        "complex": lambda: number * 1j,
        "dates": lambda: pd.date_range("2020-01-01", periods=len(X), tz="UTC"),
        "spans": lambda: pd.to_timedelta(number, unit="D"),
        "periods": lambda: pd.period_range("2020-01-01", periods=len(X)),
        "intervals": lambda: pd.interval_range(0, len(X)),
        "missing": lambda: number.astype("Int64").mask(number == 1),
    }
    return made.get(kind, lambda: number.astype(kind))()


@pytest.mark.filterwarnings("ignore:pandas.DataFrame with sparse columns found")
@pytest.mark.parametrize("other", NUMBERS)
@pytest.mark.parametrize("kind", NUMBERS + REFUSED)
@pytest.mark.parametrize("first", ["other", "kind"])
def test_a_refused_column_is_named_beside_any_other(kind, other, first):
    """What NumPy says of a value depends on the columns beside it."""
    columns = {"kind": column_of(kind), "other": column_of(other)}
    frame = pd.DataFrame(columns)[[first, *({*columns} - {first})]]
    if kind in NUMBERS:
        fitted = LinearSMO().fit(frame, LABELS)
        assert fitted.predict(frame).tolist() == LABELS.tolist()
        return
    with pytest.raises(ValueError, match=r"column 'kind', row [01] \(from 0\); accepted: "):
        LinearSMO().fit(frame, LABELS)


@EVERY_CLASS
def test_what_has_no_columns_is_said(make):
    with pytest.raises(ValueError, match=r"0 feature\(s\) \(shape=\(12, 0\)\)"):
        make().fit(pd.DataFrame(index=range(12)), LABELS)


@EVERY_CLASS
@pytest.mark.parametrize("missing", [np.nan, None, pd.NA], ids=str)
def test_a_missing_label_is_named(make, missing):
    labels = LABELS.copy()
    labels[[ROW, 8]] = missing
    typed = [pd.Series(labels), labels.tolist(), pd.Series(labels).astype("category")]
    if missing is np.nan:
        typed.append(np.where(labels == "a", 0.0, np.where(labels == "b", 1.0, np.nan)))
    for y in typed:
        with pytest.raises(ValueError, match=rf"y: 2 of 12 labels.*row {ROW} .*; accepted: "):
            make().fit(X, y)


def test_who_reads_tables_is_said_as_it_is():
    reading = {cls.__name__ for cls in CLASSES if issubclass(cls, TableClassifier)}
    assert reading == set(READ_TABLES.split(" or "))


def test_a_column_alone_is_not_taken_for_a_table():
    with pytest.raises(ValueError, match=r"2-dimensional|2D array"):
        TunedSVC().fit(pd.Series(X[:, 0]), LABELS)


def test_numbers_of_numpy_in_a_column_of_objects_are_not_missing():
    codes = np.empty(2 * FEWEST_ROWS, dtype=object)
    codes[:] = [np.int64(at % 2) for at in range(len(codes))]
    frame = pd.DataFrame({"code": codes})
    assert learned_columns(frame, [0]).encoded(frame).shape == (len(codes), 2)


@pytest.mark.parametrize("make", [TunedSVC, SVMEnsembleClassifier])
def test_a_column_of_free_text_is_named_once(make):
    n = 60
    frame = pd.DataFrame({"x": np.tile(X[:, 0], 5), "note": [f"seen on day {i}" for i in range(n)]})
    y = np.tile(LABELS, 5)
    with pytest.warns(UserWarning, match="column 'note' looks like free text") as caught:
        cross_val_score(make(), frame, y, cv=3)
    assert len({str(each.message) for each in caught}) == 1
    assert {each.filename for each in caught} == {__file__}


@pytest.mark.parametrize(
    ("values", "is_rare"),
    [
        (["red", "blue"] * FEWEST_ROWS, False),
        (["red"] * 10 + [f"t{i}" for i in range(9)], False),
        (["red"] * 8 + [f"t{i}" for i in range(9)], True),
        ([None] * 50 + [f"t{i}" for i in range(9)], True),
        ([f"t{i}" for i in range(2 * MOST_LEVELS - 2)] * 10, False),
        ([f"t{i}" for i in range(2 * MOST_LEVELS - 1)] * 10, True),
        ([None] * 20, False),
    ],
)
def test_free_text_is_a_column_of_mostly_rare_values(values, is_rare):
    frame = pd.DataFrame({"t": np.array(values, dtype=object)})
    assert (
        any("free text" in doubt for doubt in learned_columns(frame, [0]).doubts(frame)) == is_rare
    )
