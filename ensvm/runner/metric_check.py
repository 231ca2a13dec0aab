"""Numbers and curves that only a fit leaves, looked for before a run.

Our classifiers document what they leave; what is not documented is looked for in a fit on a few
made-up rows.
"""

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np

from ensvm.data import Realization
from ensvm.data.errors import near_miss
from ensvm.runner.estimators.construct import made, parts_of
from ensvm.runner.estimators.names import estimator_class
from ensvm.runner.evaluate import grid_points
from ensvm.runner.guard.surroundings import DeadlineExceeded, deadline
from ensvm.runner.inputs import GramPool
from ensvm.runner.settings import AlgorithmSettings
from ensvm.study.block import Asked
from ensvm.study.metrics import CV_SCORE, SIZE, is_predicted, left_by_fit
from ensvm.study.source import YamlSource

MADE_UP_ROWS = 30
# A fit on so few rows takes milliseconds, but the first may have to compile its code. What takes
# longer is not waited for: then a name is not checked.
FIT_SECONDS = 30.0
# Classes of others may do anything in a fit, so they are fitted in a run only.
TRUSTED = ("ensvm", "sklearn")


@dataclass(frozen=True)
class Left:
    """The names of what a fit leaves: numbers (or None, for there is none here), and arrays."""

    numbers: set[str]
    arrays: set[str]


def check_fitted(
    asked: Iterable[Asked], settings: Iterable[tuple[str, AlgorithmSettings]], source: YamlSource
) -> None:
    """Refuse a number or a curve that none of the algorithms asked for it leaves.

    Parameters
    ----------
    asked : iterable of Asked
        What the study asks of its records.
    settings : iterable of (name, AlgorithmSettings)
        The algorithms by their names in the study, one with several kernels several times.
    source : YamlSource
        The config.

    Raises
    ------
    ConfigError
        If it is not there, or is an array where a number is meant; the message suggests another.
    """
    by_name: dict[str, list[AlgorithmSettings]] = {}
    for name, method in settings:
        by_name.setdefault(name, []).append(method)
    left: dict[str, Left | None] = {}
    for one in asked:
        methods = [method for name in one.algorithms for method in by_name.get(name, [])]
        if not one.curve and is_predicted(one.metric):
            _check_scores(one, methods, source)
        known = not left_by_fit(one.metric) and one.metric != SIZE
        if known or any(_documents(method, one) for method in methods):
            continue
        for name in one.algorithms:
            if name not in left:
                left[name] = _left_by(by_name.get(name, []))
        _check(one, [left[name] for name in one.algorithms], source)


def _check_scores(asked: Asked, methods: list[AlgorithmSettings], source: YamlSource) -> None:
    """Refuse a metric of scores that none of the algorithms gives."""
    from ensvm.records.scoring import methods_for

    wanted = methods_for(asked.metric)
    if not wanted or not methods:
        return
    for method in methods:
        params = {**method.params, **next(iter(grid_points(method.grid)))}
        estimator = made(method.estimator, params, 0)
        if any(hasattr(estimator, name) for name in wanted) or not _is_trusted(estimator):
            return
    raise source.error(
        asked.location,
        f"{asked.metric} is computed from {' or '.join(wanted)}, which "
        f"{', '.join(asked.algorithms)} does not have; CalibratedClassifierCV of "
        "scikit-learn gives probabilities to any",
    )


def _is_trusted(estimator: Any) -> bool:
    return all(each.__module__.partition(".")[0] in TRUSTED for each in parts_of(estimator))


def _documents(method: AlgorithmSettings, asked: Asked) -> bool:
    """Return whether our class documents the number or the curve among its attributes."""
    if not isinstance(method.estimator, str):
        return False
    found = estimator_class(method.estimator)
    if found.__module__.partition(".")[0] != TRUSTED[0]:
        return False
    _, _, attributes = (found.__doc__ or "").partition("Attributes\n")
    name, array = ("support_", True) if asked.metric == SIZE else (asked.metric, asked.curve)
    entry = re.search(rf"^ *{re.escape(name)} : (.*)$", attributes, re.MULTILINE)
    return entry is not None and entry[1].startswith(
        ("ndarray", "list") if array else ("float", "int", "bool")
    )


def _check(asked: Asked, left: list[Left | None], source: YamlSource) -> None:
    numbers, arrays = set[str](), set[str]()
    for found in left:
        if found is None:
            return
        numbers |= found.numbers
        arrays |= found.arrays
    wanted = arrays if asked.curve else numbers
    if asked.metric in wanted:
        return
    if asked.metric in arrays:
        message = f"{asked.metric} is a curve; name it in `record:` and give the `stage:` of it"
    else:
        kind = "curve" if asked.curve else "number"
        message = (
            f"a fit of {', '.join(asked.algorithms)} leaves no {kind} {asked.metric!r}; "
            f"it leaves {', '.join(sorted(wanted)) or 'none'}{near_miss(asked.metric, wanted)}"
        )
    raise source.error(asked.location, message)


def _left_by(methods: list[AlgorithmSettings]) -> Left | None:
    """Return what fits of an algorithm leave; None where they say nothing."""
    numbers, arrays = set[str](), set[str]()
    for method in methods:
        try:
            with warnings.catch_warnings(), deadline(FIT_SECONDS):
                warnings.simplefilter("ignore")
                left = _fit(method)
        except (Exception, DeadlineExceeded):  # what goes wrong on other rows says nothing
            return None
        if left is None:
            return None
        arrays |= {name for name, value in left.items() if isinstance(value, list | np.ndarray)}
        # An array of one number may be a short curve, and is recorded as a number.
        numbers |= {
            name
            for name, value in left.items()
            if isinstance(value, Number | np.generic | None)
            or (isinstance(value, np.ndarray) and value.shape == (1,))
        }
    return Left(numbers, arrays) if methods else None


def _fit(method: AlgorithmSettings) -> dict[str, Any] | None:
    params = {**method.params, **next(iter(grid_points(method.grid)))}
    estimator = made(method.estimator, params, 0)
    if not _is_trusted(estimator):
        return None
    pool = GramPool(_made_up())
    inputs = pool.inputs_of(estimator, share_gram=method.share_gram, dtype=method.gram_dtype)
    estimator.fit(inputs.train(), pool.realization.y_train)
    names = [
        name
        for name in dir(estimator)
        if left_by_fit(name) and not name.startswith(("_", "n_features"))
    ]
    public = {name: getattr(estimator, name) for name in names if hasattr(estimator, name)}
    if hasattr(estimator, "support_"):
        public[SIZE] = len(estimator.support_)
    if method.stage == "best-by-cv":
        public[CV_SCORE] = 0.0
    return public | ({} if inputs.gamma is None else {"gamma_": inputs.gamma})


def _made_up() -> Realization:
    """Return two overlapping classes, which no machine separates and none finds hopeless."""
    random = np.random.default_rng(0)
    y = np.where(np.arange(MADE_UP_ROWS) % 2, 1, -1).astype(np.int8)
    X = random.normal(size=(MADE_UP_ROWS, 3)) + 0.5 * y[:, None]
    return Realization(X, y, X, y)
