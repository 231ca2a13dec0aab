"""Each number that the conclusion of a reading states is one of its table.

A sentence that names rows speaks of these. `OTHERS` computes the few numbers that the table of the
reading does not have. If a test fails, the conclusion has to say what the records say now.
"""

import re
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
import pytest
from stated_numbers import (
    agrees,
    config_of,
    curve_of,
    frame_of,
    numbers_in,
    values_of,
)

from ensvm.shipped import shipped_results

SENTENCE = re.compile(r"(?<=\.)\s+(?=[A-Zγ])")
PRINTED = re.compile(r"printed ((?:\d|\.\d)[\d.]*)")
STUDIES = sorted(path.parent.name for path in shipped_results().glob("*/readings.csv"))
READINGS = [(study, one.id) for study in STUDIES for one in config_of(study).readings]


def percents(study: str, row: str, algorithm: str, metric: str = "accuracy") -> Iterable[float]:
    """Return the least, the mean and the largest value over realizations, in percent."""
    values = 100.0 * values_of(study, row, algorithm, metric)
    return values.min(), values.mean(), values.max()


def training_errors(row: str, algorithm: str, stages: Iterable[int]) -> list[float]:
    """Return the mean, the median and the largest training error of ICMLA-05 after some rounds."""
    of_stages = [
        100.0 * curve_of("icmla05", row, algorithm, "staged_train_error", one) for one in stages
    ]
    return [f(values) for f in (np.mean, np.median, np.max) for values in of_stages]


def costs(row: str, algorithms: Iterable[str], stage: int = 5) -> list[float]:
    """Return the values that the steps of ICMLA-05 update, divided by those of the SVM."""
    svm = curve_of("icmla05", row, "svm", "n_updates_", 1).mean()
    return [curve_of("icmla05", row, one, "n_updates_", stage).mean() / svm for one in algorithms]


def distances(reading: str, columns: str, rows: Iterable[str] = ()) -> list[float]:
    """Return the mean distances of NIPS-99's sizes or errors to print, by reading.

    Sizes are compared by their factor, errors by their difference in points.
    """
    frame = frame_of("nips99", "readings")
    frame = frame[(frame["question"] == reading) & frame["column"].str.startswith(columns)]
    if rows:
        frame = frame[frame["row"].isin(rows)]
    ours, printed = frame["equal_value"], frame["printed"]
    if columns == "error":
        return list((ours - printed).abs().groupby(frame["reading"]).mean())
    return list(np.exp(np.log(ours / printed).abs().groupby(frame["reading"]).mean()))


def within_ten(reading: str, rows: Iterable[str] = ()) -> list[float]:
    """Return how many values of NIPS-99 lie within ten of print, by reading, and of how many."""
    frame = frame_of("nips99", "readings")
    frame = frame[frame["question"] == reading]
    if rows:
        frame = frame[frame["row"].isin(rows)]
    near = (frame["equal_value"] - frame["printed"]).abs() <= 10.0
    by_reading = near.groupby(frame["reading"])
    return [*by_reading.sum(), *by_reading.size()]


def lost(study: str, reading: str) -> Iterable[float]:
    """Return what the other readings change of each value of the default."""
    frame = frame_of(study, "readings")
    frame = frame[frame["question"] == reading]
    wide = frame.pivot_table("equal_value", ["row", "column"], "reading")
    return wide.sub(wide["default"], axis=0).to_numpy().ravel()


VOTES = ("wsv_58", "wsv_58~closed", "wsv_58~count", "wsv_58~closed-count")
NUMERIC = ("labor", "echocardiogram", "bridges", "hepatitis", "ionosphere")
WITH_LARGE = (*NUMERIC, "horse-colic-unnumbered", "liver", "vote-300", "breast-wisc", "pima")

OTHERS: dict[tuple[str, str], Callable[[], Iterable[float]]] = {
    ("ecda13", "scaling"): lambda: lost("ecda13", "scaling"),
    ("ecda13", "polynomial"): lambda: lost("ecda13", "polynomial"),
    ("ecda13", "adult-coding"): lambda: lost("ecda13", "adult-coding"),
    ("ecda13", "single-machine"): lambda: [
        value
        for row in ("spam", "optdigit", "satlog", "adult")
        for algorithm in ("svm~drawn", "svm")
        for value in percents("ecda13", row, algorithm)
    ],
    ("icmla05", "fournorm-kernel"): lambda: [
        *training_errors("fournorm-0.05-2000", "wsv_58", [5]),
        *costs("fournorm", VOTES[:1]),
        *costs("fournorm-0.08-1500", VOTES[:1]),
    ],
    ("icmla05", "mnist-kernel"): lambda: [
        *training_errors("mnist", "wsv_50", [2]),
        *training_errors("mnist-homogeneous", "wsv_50", [2]),
    ],
    ("icmla05", "votes-and-rejection"): lambda: [
        *training_errors("fournorm", "wsv_58", range(2, 6)),
        *training_errors("fournorm", "wsv_58~closed", range(2, 6)),
        *costs("fournorm", VOTES),
        *costs("fournorm", VOTES[1:2], stage=3),
    ],
    ("icmla05", "votes-and-rejection-mnist"): lambda: costs(
        "mnist", [one.replace("58", "50") for one in VOTES], stage=2
    ),
    ("icmla05", "votes-and-width"): lambda: [
        *costs("fournorm", VOTES[3:]),
        *(
            cost
            for m in (1500, 2000, 3000)
            for cost in costs(f"fournorm-0.05-{m}", [f"wsv_58~both-auto-{m}"])
        ),
    ],
    ("nips99", "vote-order"): lambda: errors_of("vote-order") * 1.35,
    ("nips99", "splice-split"): lambda: [0.9 * 3190],
    ("nips99", "missing-values"): lambda: lost("nips99", "missing-values"),
    ("nips99", "gamma0"): lambda: [
        *distances("gamma0", "size"),
        *distances("gamma0", "error"),
        largest_class("liver"),
    ],
    ("nips99", "stopping"): lambda: within_ten("stopping"),
    ("nips99", "stopping-sum"): lambda: [
        *within_ten("stopping"),
        *within_ten("stopping-sum"),
        *distances("stopping", "size"),
        *shown_in("nips99", "stopping", "hepatitis", "once-3e-4"),
    ],
    ("nips99", "positive"): lambda: distances("positive", "size"),
    ("nips99", "stopping-sum-raw"): lambda: [
        *distances("stopping-sum-raw", "size", NUMERIC),
        *distances("stopping-sum-raw", "size", WITH_LARGE),
        *distances("stopping-sum-raw-errors", "error", NUMERIC),
        *within_ten("stopping-sum-raw", WITH_LARGE),
        *errors_of("stopping-sum-raw-errors"),
    ],
}


def shown_in(study: str, reading: str, row: str, variant: str) -> Iterable[float]:
    """Return what a variant of another reading has on a row."""
    frame = frame_of(study, "readings")
    of_row = (frame["question"] == reading) & (frame["row"] == row)
    return frame.loc[of_row & (frame["reading"] == variant), "value"]


def errors_of(reading: str) -> pd.Series:
    """Return the errors of a question of NIPS-99 under all its readings, and those printed."""
    frame = frame_of("nips99", "readings")
    frame = frame[(frame["question"] == reading) & frame["column"].str.startswith("error")]
    return pd.concat([frame["value"], frame["printed"]])


def largest_class(row: str) -> float:
    """Return the error of the largest class on a row of Table 1 of NIPS-99."""
    frame = frame_of("nips99", "table-1")
    return float(frame.loc[frame["row"] == row, "largest_class"].dropna().iloc[0])


def values_shown(frame: pd.DataFrame) -> list[float]:
    """Return what the table of a reading shows of some rows, and how far ours are from print."""
    shown = frame[["printed", "value", "equal_value", "n", "equal_n"]].to_numpy().ravel()
    away = frame[["distance", "difference"]].to_numpy().ravel()
    return [*shown, *away]


def mean_distances(frame: pd.DataFrame) -> list[float]:
    """Return the mean distances below a table; those of ratios as factors and in percent, too."""
    counted = frame[frame["counted"]]
    means = [
        *counted.groupby("reading")["distance"].mean(),
        *counted.groupby(["reading", "column"])["distance"].mean(),
    ]
    factors = [float(np.exp(mean)) for mean in means if mean < 3.0]
    return [*means, *factors, *(100.0 * (factor - 1.0) for factor in factors)]


@pytest.mark.parametrize(("study", "name"), READINGS)
def test_a_conclusion_states_numbers_of_its_reading(study, name):
    reading = next(one for one in config_of(study).readings if one.id == name)
    labels = [reading.question, reading.default, *(one.label for one in reading.variants)]
    named = {number for label in labels for number in numbers_in(label)}
    frame = frame_of(study, "readings")
    frame = frame[frame["question"] == name]
    common = [*mean_distances(frame), *OTHERS.get((study, name), list)()]
    for sentence in SENTENCE.split(reading.conclusion):
        rows = [row for row in frame["row"].unique() if row.split("-")[0] in sentence]
        of_rows = frame[frame["row"].isin(rows)] if rows else frame
        values = [*values_shown(of_rows), *common]
        assert [
            number
            for number in numbers_in(sentence)
            if number not in named and not agrees(number, values)
        ] == [], sentence
        printed = [*of_rows["printed"], *common]
        assert all(agrees(number, printed) for number in PRINTED.findall(sentence)), sentence


def test_others_are_computed_for_readings_that_there_are():
    assert OTHERS.keys() <= set(READINGS)
