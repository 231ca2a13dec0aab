"""Check before a run that fits leave the numbers and curves that the config asks for.

Each classifier is fitted on a few made-up rows to see what it leaves.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

from ensvm.data import Realization
from ensvm.errors import near_miss
from ensvm.records.predictions import METHODS
from ensvm.runner.estimators import made, parts_of
from ensvm.runner.evaluate import grid_points
from ensvm.runner.grams import GramPool
from ensvm.runner.settings import AlgorithmSettings
from ensvm.runner.surroundings import DeadlineExceeded, deadline
from ensvm.study.block import Asked
from ensvm.study.metrics import CV_SCORE, SIZE, is_predicted, left_by_fit
from ensvm.study.source import YamlSource

MADE_UP_ROWS = 30
# A fit on so few rows takes milliseconds, but the first may have to compile its code. If it takes
# longer, the name is not checked.
FIT_SECONDS = 30.0
# A fit leaves the same names however many members or iterations it has, so it may have few.
FEW = {"n_estimators": 2, "n_replicates": 2, "n_rounds": 2, "max_iter": 100}
# Other people's classes may do anything in a fit, so they are fitted in a run only.
TRUSTED = ("ensvm", "sklearn")


@dataclass(frozen=True)
class Attributes:
    """The names of what fits leave: numbers, arrays, and methods that give scores."""

    numbers: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()

    def __or__(self, other: "Attributes") -> "Attributes":
        return Attributes(
            self.numbers | other.numbers,
            self.arrays | other.arrays,
            self.methods | other.methods,
        )


def check_fitted(
    asked: Iterable[Asked], settings: Iterable[tuple[str, AlgorithmSettings]], source: YamlSource
) -> None:
    """Refuse a number or a curve that none of the algorithms asked for it leaves.

    Raises UserError if no fit leaves it, or it is an array and a number is meant; the message
    suggests another.
    """
    by_name: dict[str, list[AlgorithmSettings]] = {}
    for name, method in settings:
        by_name.setdefault(name, []).append(method)
    # By the settings: algorithms may differ only in labels.
    fitted: dict[str, Attributes | None] = {}
    for one in asked:
        scores = _scores_for(one)
        if not (left_by_fit(one.metric) or one.metric == SIZE or scores):
            continue
        attributes = Attributes()
        for method in (method for name in one.algorithms for method in by_name.get(name, [])):
            key = repr(method)
            if key not in fitted:
                fitted[key] = _attributes_of(method)
            of_method = fitted[key]
            if of_method is None or _has(attributes := attributes | of_method, one, scores):
                break
        else:
            if attributes != Attributes():
                raise source.error(one.location, _complaint(one, attributes, scores))


def _scores_for(asked: Asked) -> tuple[str, ...]:
    """Return the methods from which a metric can be computed; empty if it needs only labels."""
    if asked.curve or not is_predicted(asked.metric):
        return ()
    from ensvm.records.scoring import methods_for  # loads scikit-learn

    return methods_for(asked.metric)


def _has(attributes: Attributes, asked: Asked, scores: tuple[str, ...]) -> bool:
    if scores:
        return bool(attributes.methods & set(scores))
    return asked.metric in (attributes.arrays if asked.curve else attributes.numbers)


def _complaint(asked: Asked, attributes: Attributes, scores: tuple[str, ...]) -> str:
    names = ", ".join(asked.algorithms)
    if scores:
        return (
            f"{asked.metric} is computed from {' or '.join(scores)}, which {names} does not have; "
            "CalibratedClassifierCV of scikit-learn gives probabilities to any"
        )
    if not asked.curve and asked.metric in attributes.arrays:
        return f"{asked.metric} is a curve; name it in `record:` and give the `stage:` of it"
    kind, accepted = ("curve", attributes.arrays) if asked.curve else ("number", attributes.numbers)
    return (
        f"a fit of {names} leaves no {kind} {asked.metric!r}; "
        f"it leaves {', '.join(sorted(accepted)) or 'none'}{near_miss(asked.metric, accepted)}"
    )


def _attributes_of(method: AlgorithmSettings) -> Attributes | None:
    """Return what a fit leaves; None if that cannot be known before the run."""
    params = {**method.params, **next(iter(grid_points(method.grid)))}
    try:
        estimator = made(method.estimator, params, 0)
        if any(part.__module__.partition(".")[0] not in TRUSTED for part in parts_of(estimator)):
            return None
        for key, value in estimator.get_params().items():
            most = FEW.get(key.rpartition("__")[2])
            if most is not None and isinstance(value, int) and value > most:
                estimator.set_params(**{key: most})
        with warnings.catch_warnings(), deadline(FIT_SECONDS):
            warnings.simplefilter("ignore")
            pool = GramPool(_made_up())
            inputs = pool.inputs_of(
                estimator, share_gram=method.share_gram, dtype=method.gram_dtype
            )
            estimator.fit(inputs.train(), pool.realization.y_train)
            names = [
                name
                for name in dir(estimator)
                if left_by_fit(name) and not name.startswith(("_", "n_features"))
            ]
            values = {name: getattr(estimator, name) for name in names if hasattr(estimator, name)}
            methods = {name for name in METHODS if hasattr(estimator, name)}
    except (Exception, DeadlineExceeded):  # it may succeed on other rows
        return None
    arrays = {name for name, value in values.items() if isinstance(value, list | np.ndarray)}
    numbers = {name for name, value in values.items() if _is_number(value)}
    numbers |= {SIZE} if "support_" in values else set()
    numbers |= {CV_SCORE} if method.stage == "best-by-cv" else set()
    numbers |= {"gamma_"} if inputs.gamma is not None else set()
    return Attributes(frozenset(numbers), frozenset(arrays), frozenset(methods))


def _is_number(value: Any) -> bool:
    # An array of one number may be a short curve, and is recorded as a number.
    short = isinstance(value, np.ndarray) and value.shape == (1,)
    return short or isinstance(value, Number | np.generic | None)


def _made_up() -> Realization:
    """Return two overlapping classes, which no machine separates and none finds hopeless."""
    random = np.random.default_rng(0)
    y = np.where(np.arange(MADE_UP_ROWS) % 2, 1, -1).astype(np.int8)
    X = random.normal(size=(MADE_UP_ROWS, 3)) + 0.5 * y[:, None]
    return Realization(X, y, X, y)
