"""Sentences without numbers in conclusions of readings hold by the values of the readings."""

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from stated_numbers import config_of, curve_of, frame_of


def of_reading(study: str, reading: str) -> pd.DataFrame:
    """Return the lines of a reading's table."""
    frame = frame_of(study, "readings")
    return frame[frame["question"] == reading]


def wide(study: str, reading: str) -> pd.DataFrame:
    """Return the values that are compared, by row and column of the table and by reading."""
    return of_reading(study, reading).pivot_table("equal_value", ["row", "column"], "reading")


def away(study: str, reading: str) -> pd.DataFrame:
    """Return how far each reading is from print, as `wide`."""
    printed = of_reading(study, reading).groupby(["row", "column"])["printed"].first()
    return wide(study, reading).sub(printed, axis=0).abs()


def changes(study: str, reading: str, columns: str = "") -> pd.Series:
    """Return how much the first variant changes of each value of the columns that begin so."""
    values = wide(study, reading)
    values = values[values.index.get_level_values("column").str.startswith(columns)]
    (variant,) = set(values) - {"default"}
    return (values[variant] - values["default"]).abs()


def mean_distances(study: str, reading: str) -> pd.Series:
    """Return the mean distance of each reading to print."""
    frame = of_reading(study, reading)
    return frame[frame["counted"]].groupby("reading")["distance"].mean()


def within_spread(study: str, reading: str) -> bool:
    """Return whether no value changes by more than its standard deviation."""
    default = of_reading(study, reading).query("reading == 'default'")
    spread = default.set_index(["row", "column"])["std"]
    changed = changes(study, reading)
    return bool((changed <= spread.reindex(changed.index)).all())


def signs(study: str, reading: str, variant: str) -> dict[str, str]:
    """Return the verdicts of a variant by column."""
    frame = of_reading(study, reading).query("reading == @variant")
    return dict(zip(frame["column"], frame["verdict"], strict=True))


def nearer(reading: str, variant: str) -> list[str]:
    """Return the rows of NIPS-99 on which a variant is nearer to print than the default."""
    of_rows = away("nips99", reading).groupby("row").mean()
    return sorted(of_rows.index[of_rows[variant] < of_rows["default"]])


def factors(reading: str, column: str) -> pd.Series:
    """Return the mean distance of a column of sizes of NIPS-99 to print, by reading."""
    frame = of_reading("nips99", reading)
    frame = frame[frame["column"] == column]
    away_from_print = np.log(frame["equal_value"] / frame["printed"]).abs()
    return away_from_print.groupby(frame["reading"]).mean()


def rows_with(reading: str, column: str, variant: str, verdict: str) -> list[str]:
    """Return the rows of NIPS-99 on which a column has a verdict under a variant."""
    frame = of_reading("nips99", reading).query("column == @column and reading == @variant")
    return sorted(frame.loc[frame["verdict"] == verdict, "row"])


def close_to_print(reading: str, variant: str) -> int:
    """Return how many values of NIPS-99 are = or ≈ under a variant."""
    frame = of_reading("nips99", reading).query("reading == @variant")
    return int(frame["equal_verdict"].isin(["within the margin", "close"]).sum())


def cost_of_steps() -> tuple[float, float]:
    """Return the least and the largest cost of the WSV beside the SVM under `fournorm-kernel`."""
    reading = next(one for one in config_of("icmla05").readings if one.id == "fournorm-kernel")
    rows = [one.instead.get("fournorm", f"fournorm~{one.name}") for one in reading.variants]
    costs = [
        curve_of("icmla05", row, "wsv_58", "n_updates_", 5).mean()
        / curve_of("icmla05", row, "svm", "n_updates_", 1).mean()
        for row in ("fournorm", *rows)
        if row != "fournorm~literal-a"
    ]
    return min(costs), max(costs)


def gains_on_hepatitis() -> pd.Series:
    """Return how much nearer -1 for a missing value brings the errors of leveraged machines."""
    distance = away("nips99", "missing-values").loc["hepatitis"]
    gains = distance["default"] - distance["minus-one"]
    return gains[["error_lvm", "error_bvm", "error_pbvm"]]


def of_one_c() -> tuple[float, float]:
    """Return the mean distances to print of the best C of each data set and of each realization."""
    values, distance = wide("ijcai07", "one-c"), away("ijcai07", "one-c")
    best = values.drop(columns="default").idxmin(axis=1)
    of_best = [distance.loc[row, variant] for row, variant in best.items()]
    return float(np.mean(of_best)), float(distance["default"].mean())


def decided_by_orders() -> bool:
    """Return whether orders of the rows spread the ρ-SVM more than it is off on most sets."""
    frame = frame_of("ijcai07", "table-2").query("column == 'rho_svm'").set_index("row")
    frame = frame.drop(index=["diabetis", "german", "waveform", "web2"])
    return bool((frame["std_orders"] > frame["difference"].abs()).mean() > 0.5)


BY_READING: dict[tuple[str, str], dict[str, Callable[[], bool]]] = {
    ("ecda13", "scaling"): {
        "Bagging moves by at most 0.21 points": lambda: (
            round(changes("ecda13", "scaling", "bagging").max(), 2) == 0.21
        ),
    },
    ("ecda13", "votes-by-probability"): {
        "on satlog and adult the two agree within .2": lambda: bool(
            changes("ecda13", "votes-by-probability").drop("spam", level="row").max() < 0.2
        ),
        "On spam the sum is nearer for all four": lambda: bool(
            (
                away("ecda13", "votes-by-probability").loc["spam"]["default"]
                < away("ecda13", "votes-by-probability").loc["spam"]["probable"]
            ).all()
        ),
    },
    ("ecda13", "constant-columns"): {
        "no column moves by more than its standard deviation over splits": lambda: within_spread(
            "ecda13", "constant-columns"
        ),
    },
    ("ecda13", "samples"): {
        "the two agree within the spread of the draws": lambda: within_spread("ecda13", "samples"),
    },
    ("ecda13", "adult-coding"): {
        "change the accuracies by at most 0.15 points": lambda: (
            round(changes("ecda13", "adult-coding").max(), 2) == 0.15
        ),
    },
    ("icmla05", "fournorm-kernel"): {
        "cost .30 to .38 of the SVM's under the others": lambda: (
            [f"{cost:.2f}" for cost in cost_of_steps()] == ["0.30", "0.38"]
        ),
    },
    ("ijcai07", "epsilon-end-rho-svm"): {
        "each earlier end takes the ρ-SVM further from print on average": lambda: all(
            mean_distances("ijcai07", "epsilon-end-rho-svm")[f"end-{end}"]
            > mean_distances("ijcai07", "epsilon-end-rho-svm")["default"]
            for end in ("0.05", "0.025", "0.0125")
        ),
        "is larger than most of the distances": decided_by_orders,
    },
    ("ijcai07", "waveform-size"): {
        "SVM (BEST) and SVM (LOO) come nearer with 200, the ρ-SVM and the ensemble with 400": (
            lambda: (
                (
                    away("ijcai07", "waveform-size")["patterns-200"]
                    < away("ijcai07", "waveform-size")["default"]
                )
                .droplevel("row")
                .drop("parzen")
                .to_dict()
                == {"svm_best": True, "svm_loo": True, "rho_svm": False, "ensemble": False}
            )
        ),
        "the Parzen window fits both": lambda: bool(
            (away("ijcai07", "waveform-size").loc[("waveform", "parzen")] < 1.0).all()
        ),
    },
    ("ijcai07", "every-c"): {
        "the other nine sets change by less than a point": lambda: bool(
            changes("ijcai07", "every-c").drop("german", level="row").max() < 1.0
        ),
    },
    ("ijcai07", "one-c"): {
        "the two are equally far off, by 1.0 and 1.1 points": lambda: (
            [f"{one:.1f}" for one in of_one_c()] == ["1.0", "1.1"]
        ),
    },
    ("nips99", "horse-colic-test"): {
        "LVM and PBVM err close to print": lambda: (
            {
                signs("nips99", "horse-colic-test", "default")[column]
                for column in ("error_lvm", "error_pbvm")
            }
            == {"close"}
        ),
    },
    ("nips99", "missing-values"): {
        "brings the other errors there nearer by 2.3 to 3.5 points": lambda: (
            [f"{one:.1f}" for one in np.sort(gains_on_hepatitis())] == ["2.3", "3.2", "3.5"]
        ),
        "the mean of the training rows is nearest on average, before -1 and 0": lambda: (
            list(mean_distances("nips99", "missing-values").sort_values().index)
            == ["default", "minus-one", "zero"]
        ),
    },
    ("nips99", "scaling"): {
        "On ten of the thirteen sets the sizes of all four scalings lie within five": lambda: (
            sum(
                np.ptp(values) <= 5.0
                for values in wide("nips99", "scaling").xs("size_svm", level="column").to_numpy()
            )
            == 10
        ),
    },
    ("nips99", "kernel"): {
        "its distance is the smallest in each column": lambda: (
            set(
                of_reading("nips99", "kernel")
                .query("counted")
                .pivot_table("distance", "column", "reading")
                .idxmin(axis=1)
            )
            == {"default"}
        ),
        "the polynomial gives the SVM's size on pima within the margin too": lambda: (
            rows_with("kernel", "size_svm", "degree-2", "within the margin") == ["pima"]
        ),
        "the Gaussian on german and pima": lambda: (
            rows_with("kernel", "size_svm", "gaussian", "within the margin") == ["german", "pima"]
        ),
        "are the sizes on hepatitis, liver and splice": lambda: all(
            {"hepatitis", "liver", "splice"}
            <= {*rows_with("kernel", "size_svm", variant, "differs")}
            for variant in ("degree-2", "gaussian")
        ),
    },
    ("nips99", "gamma0"): {
        "γ₀ gives the nearer sizes": lambda: (
            factors("gamma0", "size_pbvm").idxmin() == "distribution"
        ),
        "and γ₀/m the nearer errors": lambda: (
            away("nips99", "gamma0").filter(like="error", axis=0).mean().idxmin() == "default"
        ),
        "With the stop that comes nearest (see stopping) γ₀/m gives the nearer sizes too": lambda: (
            factors("stopping", "size_pbvm")["once-3e-4"]
            < factors("stopping", "size_pbvm")["once-3e-4-distribution"]
        ),
    },
    ("nips99", "stopping"): {
        "The nearest of these, 3e-4 with γ₀/m": lambda: (
            mean_distances("nips99", "stopping").idxmin() == "once-3e-4"
        ),
        "Raw inputs are further off on average, though more sizes are close to print": lambda: (
            mean_distances("nips99", "stopping")["raw-3e-4"]
            > mean_distances("nips99", "stopping")["once-3e-4"]
            and close_to_print("stopping", "raw-3e-4") > close_to_print("stopping", "once-3e-4")
        ),
    },
    ("nips99", "stopping-sum"): {
        "The nearest on scaled inputs: .3, one pass": lambda: (
            mean_distances("nips99", "stopping-sum").idxmin() == "sum-once-0.3"
            and mean_distances("nips99", "stopping-sum").min()
            < mean_distances("nips99", "stopping").drop(["raw-1e-3", "raw-3e-4"]).min()
        ),
    },
    ("nips99", "stopping-sum-raw-errors"): {
        "nearer on labor, echocardiogram, bridges, hepatitis, ionosphere and bands": lambda: (
            nearer("stopping-sum-raw-errors", "sum-raw-0.1")
            == ["bands", "bridges", "echocardiogram", "hepatitis", "ionosphere", "labor"]
        ),
    },
    ("nips99", "positive"): {
        "The errors change by less than half a percentage point on average": lambda: bool(
            away("nips99", "positive")
            .filter(like="error", axis=0)
            .mean()
            .sub(away("nips99", "positive").filter(like="error", axis=0)["default"].mean())
            .abs()
            .max()
            < 0.5
        ),
    },
}


@pytest.mark.parametrize(
    ("study", "reading", "phrase"),
    [(*place, phrase) for place, phrases in BY_READING.items() for phrase in phrases],
)
def test_a_sentence_of_a_conclusion_holds(study, reading, phrase):
    config = next(one for one in config_of(study).readings if one.id == reading)
    assert phrase in " ".join(config.conclusion.split())
    assert BY_READING[study, reading][phrase]()
