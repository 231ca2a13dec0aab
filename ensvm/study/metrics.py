"""What can be measured, and in which unit it is shown: the one place that knows metrics."""

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from ensvm.errors import did_you_mean


@dataclass(frozen=True)
class Unit:
    """The unit a value is shown in."""

    # what stands behind a number, `percentage points` for instance; empty for plain numbers
    name: str = ""
    scale: float = 1.0  # what a recorded number is multiplied with to be in this unit
    form: str = ".4g"  # how a number of this unit is formatted
    singular: str = ""  # the name behind 1, if it is another one

    def text(self, value: float) -> str:
        """Return a number of this unit (already scaled) as text, without the unit's name."""
        return f"{value:{self.form}}".replace("-", "−")

    def counted(self, value: float) -> str:
        """Return a number as it is written, with the unit's name: `1 percentage point`."""
        if value == 0:
            return "0"  # of whatever unit
        name = self.singular if value == 1 and self.singular else self.name
        return f"{value:g} {name}".replace("-", "−").rstrip()


PLAIN = Unit()
PERCENT = Unit("%", 100.0, ".2f")  # of what is recorded as a fraction
SECONDS = Unit("s")
POINTS = Unit("percentage points", 1.0, ".2f", "percentage point")  # a difference of percentages
TIMES = Unit("times", form=".3g")
EXPONENT = Unit("exponent")
PERCENT_MORE = Unit("%", form=".3g")  # by how many percent one number is above another

TRAIN_ERROR = "train_error"
# Curves over an algorithm's stages, and the rows they are about.
STAGED = {
    "staged_test_error": "test",
    "staged_test_accuracy": "test",
    "staged_train_error": "train",
}
RATES = ("error", "accuracy")
FRACTIONS = ("error", "accuracy", "balanced_accuracy", TRAIN_ERROR, *STAGED)
# What every cell has; a timing has the seconds of its parts. Names of fitted attributes end in an
# underscore.
SIZE = "size"  # training rows whose kernel a prediction computes: only kernel machines have it
SCORES = ("error", "accuracy", "n_errors", "n_test", SIZE)
PARTS = ("fit", "kernel", "predict", "test_kernel", "train", "selection")
CELL_SECONDS = tuple(f"{part}_seconds" for part in (*PARTS, "fit_cpu", "predict_cpu"))

Scorer: TypeAlias = Callable[[Any, Any, Any], float]  # of a fitted classifier, inputs and labels
Direction = Literal["min", "max"]

# Short names of metrics of the test rows, beside scikit-learn's scorers, whose larger values are
# better.
PREDICTED: dict[str, Direction] = {
    "balanced_accuracy": "max",
    "auc": "max",
    "f1": "max",
    "f1_macro": "max",
    "log_loss": "min",
    "brier": "min",
    "matthews": "max",
}


def _log_loss(fitted: Any, X: Any, y: Any) -> float:
    """Return the logarithmic loss of all columns of probabilities.

    The scorer `neg_log_loss` takes one column of two, and subtracts it from 1, which rounds.
    """
    import numpy as np  # loaded only where needed: starting up must stay quick
    from sklearn.metrics import log_loss

    # The order in memory decides in which order a row is added up.
    probabilities = np.ascontiguousarray(fitted.predict_proba(X))
    return float(log_loss(y, probabilities, labels=fitted.classes_))


SCORERS: Mapping[str, str | Scorer] = {  # of short names that differ from scikit-learn's
    "auc": "roc_auc",
    "log_loss": _log_loss,
    "brier": "neg_brier_score",
    "matthews": "matthews_corrcoef",
}
ALIASES = {"acc": "accuracy", "auroc": "auc", "mcc": "matthews"}  # what other tools call them
MEASURED = (*SCORES, *PREDICTED, TRAIN_ERROR, *CELL_SECONDS)  # whatever a fit leaves
SEARCH = "cv_results_"  # the scores of a search of scikit-learn, at each point of its grid
CHOSEN = "best_params_."  # begins the name of a parameter that a search chose
PARAMETER = "params."  # begins the name of a parameter that the config sets
_COUNTS = ("n_errors", SIZE, "n_iter_", "n_support_")

# The beginnings of the names of metrics from 0 to 1.
_SHARES = ("auc", "average_precision", "f1", "jaccard", "precision", "recall", "roc_auc", "top_k")
# Metrics of the test rows that are about one of two classes, the positive one.
_OF_POSITIVE = ("f1", "precision", "recall", "jaccard", "average_precision")

DATA_CELL = "data"  # the reserved algorithm name of the cell that states a data set's facts
POSITIVE = "positive"  # in the record of that cell, the label of the positive class
DATA_FACTS = ("dim", "n_train", "n_test", "rows", "classes")


def computed_metric(metric: str, how: str) -> str:
    """Return what two values of a metric come to: `error (ratio)`, which no record has."""
    return f"{metric} ({how})"


def _computed(metric: str) -> tuple[str, str] | None:
    """Return the metric of two values and how they are combined; None for a metric of records."""
    found = re.fullmatch(r"(.+) \((difference|ratio|percent)\)", metric)
    return None if found is None else (found[1], found[2])


def is_computed(metric: str) -> bool:
    """Return whether the name is that of what two values come to, which no record has."""
    return _computed(metric) is not None


def part_computed(metric: str) -> tuple[str, str]:
    """Return the metric of the values behind a metric, and how two of them are combined, if so."""
    return _computed(metric) or (metric, "")


@cache
def unit_of(metric: str) -> Unit:
    """Return the unit of a metric, or of the values of a curve, as shown."""
    if (computed := _computed(metric)) is not None:
        unit, how = unit_of(computed[0]), computed[1]
        difference = POINTS if unit == PERCENT else unit
        return {"ratio": TIMES, "percent": PERCENT_MORE}.get(how, difference)
    if metric in FRACTIONS:
        return PERCENT
    return SECONDS if metric.rstrip("_").endswith("_seconds") else PLAIN


def is_error_rate(metric: str, stage: Any = None) -> bool:
    """Return whether a value is a share of the test rows, whose number says how it varies.

    The entry of a curve at a `stage` may be one of the training rows.
    """
    return metric in RATES and stage is None


def compares_labels(metric: str) -> bool:
    """Return whether a metric compares predictions with the labels of the test rows."""
    return metric in RATES or is_predicted(metric)


@cache
def range_of(metric: str) -> tuple[float, float]:
    """Return the smallest and the largest value that a metric can have, in the unit it is shown."""
    if (computed := _computed(metric)) is not None:
        low, high = range_of(computed[0])
        of_ratio = {"ratio": (0.0, math.inf), "percent": (-100.0, math.inf)}
        return of_ratio.get(computed[1], (low - high, high - low))
    if unit_of(metric) == PERCENT:
        return 0.0, PERCENT.scale
    if unit_of(metric) == SECONDS or metric in (*_COUNTS, *DATA_FACTS, "n_test", "log_loss"):
        return 0.0, math.inf
    if metric.startswith("matthews"):
        return -1.0, 1.0
    if metric.startswith("neg_"):
        return -math.inf, 0.0
    if metric == "brier":  # 1 at most with two classes
        return 0.0, 2.0
    return (0.0, 1.0) if metric.startswith(_SHARES) else (-math.inf, math.inf)


@cache
def direction_of(metric: str) -> Direction | None:
    """Return whether the smaller or the larger value is better; None if unknown."""
    if _computed(metric) is not None:
        return None
    if metric in PREDICTED:
        return PREDICTED[metric]
    if metric in _COUNTS or unit_of(metric) == SECONDS:
        return "min"
    if metric.endswith("error") and not metric.startswith("neg_"):
        return "min"
    return "max" if metric.endswith("accuracy") or is_predicted(metric) else None


def wrong_share(metric: str, value: float) -> tuple[float, float] | None:
    """Return what a value says is wrong, and what 1 % of it would be; None for other metrics.

    For an accuracy of 97 % these are 3 and 1 percentage points, for an `auc` of .97 they are .03
    and .01.
    """
    direction = direction_of(metric)
    if unit_of(metric) == PERCENT:
        whole = PERCENT.scale
    elif is_predicted(metric) and direction == "max" and 0.0 <= value <= 1.0:
        whole = 1.0
    else:
        return None
    return value if direction == "min" else whole - value, whole / PERCENT.scale


def left_by_fit(metric: str) -> bool:
    """Return whether the name is that of an attribute that a fit leaves.

    `best_params_.C` is what a search chose for `C`.
    """
    return metric.endswith("_") or metric.startswith(CHOSEN)


def is_setting(metric: str) -> bool:
    """Return whether the name is that of a parameter: one that is set, or that a search chose."""
    return metric.startswith((PARAMETER, CHOSEN)) and _computed(metric) is None


def is_predicted(metric: str) -> bool:
    """Return whether the metric is one of predictions: of `PREDICTED`, or a scorer's name."""
    if metric in PREDICTED:
        return True
    others = (*MEASURED, *STAGED, *DATA_FACTS)
    is_other = metric in others or left_by_fit(metric) or is_setting(metric)
    return not is_other and metric in scorer_names()


@cache
def scorer_names() -> frozenset[str]:
    """Return the names of scikit-learn's scorers."""
    from sklearn.metrics import get_scorer_names  # loaded only where needed

    return frozenset(get_scorer_names())


def scorer_of(metric: str, n_classes: int = 2) -> tuple[Scorer, float]:
    """Return the scorer of a metric, and the factor to multiply its value with."""
    from sklearn.metrics import get_scorer

    scorer = SCORERS.get(metric, metric)
    if scorer == "roc_auc" and n_classes > 2:
        scorer = "roc_auc_ovr"
    # Scorers of losses give negative values, so that larger ones are better.
    is_loss = str(scorer).startswith("neg_") and scorer != metric
    return get_scorer(scorer), -1.0 if is_loss else 1.0


def is_of_positive(metric: str) -> bool:
    """Return whether the value of a metric depends on which of two classes is the positive one."""
    return metric in _OF_POSITIVE


def unknown(metric: str, accepted: Iterable[str] = MEASURED, more: str = "") -> str:
    """Return an error message: the metric is unknown, and which are accepted."""
    names = list(accepted)
    return (
        f"unknown metric {metric!r}; accepted: {', '.join(names)}, a scorer of scikit-learn "
        f"(sklearn.metrics.get_scorer_names()){more}"
        f"{did_you_mean(ALIASES.get(metric, metric), [*names, *sorted(scorer_names())])}"
    )
