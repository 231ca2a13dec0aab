"""Fit one classifier on a realization and score it: test error, seconds, and what the fit left in its attributes."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data import Realization
from ensvm.kernels import resolve_gamma
from ensvm.runner.estimators import estimator_class, for_gram, with_estimators
from ensvm.runner.shared_gram import GramPool, SharedGram, row_blocks
from ensvm.seeds import seed_of
from ensvm.study.metrics import STAGED, TRAIN_ERROR

VALIDATION_SHARE = 1 / 3
WARM_UP_ROWS = 20


@dataclass
class Stopwatch:
    """Wall and CPU seconds, added up over parts; seconds that belong to a shared Gram matrix are left out."""

    seconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, part: str, work: Callable[[], Any]) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        for name, spent in (("", time.perf_counter() - wall), ("_cpu", time.process_time() - cpu)):
            key = f"{part}{name}_seconds"
            self.seconds[key] = self.seconds.get(key, 0.0) + spent
        return result


def evaluate(
    algorithm: dict[str, Any], seed: int, realization: Realization, grams: GramPool
) -> dict[str, Any]:
    """Return `metrics` (test error as a fraction, fitted scalars), `seconds` and, for a chosen stage, which one."""
    if algorithm["stage"] == "best-on-validation":
        return _chosen_on_validation(algorithm, seed, realization, grams)
    watch = Stopwatch()
    candidates = [
        _fit(algorithm, point, seed, realization, grams, watch)
        for point in _grid_points(algorithm["grid"])
    ]
    counts, labels = [], []
    for fitted, shared, point in candidates:
        staged = algorithm["stage"] == "best-on-test" and algorithm["grid"] is None
        errors = _count_errors(
            fitted, _test_blocks(shared, realization), realization.y_test, staged, watch
        )
        counts += errors
        labels += [point or {"stage": number} for number in range(1, len(errors) + 1)]
    best = int(np.argmin(counts))  # the first of equals, so ties go to the earliest stage
    fitted, shared, _ = candidates[best if algorithm["grid"] else 0]
    n_test = realization.y_test.shape[0]
    error = counts[best] / n_test
    metrics = {"error": error, "accuracy": 1.0 - error, "n_errors": counts[best], "n_test": n_test}
    metrics |= _fitted_scalars(fitted)
    seconds = watch.seconds | ({} if shared is None else shared.seconds)
    seconds["train_seconds"] = seconds["fit_seconds"] + seconds.get("kernel_seconds", 0.0)
    if shared is not None and shared.gamma is not None:
        metrics["gamma_"] = shared.gamma
    outcome: dict[str, Any] = {"metrics": metrics, "seconds": seconds}
    scalars, curves = _recorded(algorithm["record"], fitted, shared, realization)
    metrics |= scalars
    if curves:
        outcome["curves"] = curves
    if algorithm["stage"] == "best-on-test":
        outcome |= {"stage": labels[best], "n_stages": len(counts)}
    return outcome


def _chosen_on_validation(
    algorithm: dict[str, Any], seed: int, realization: Realization, grams: GramPool
) -> dict[str, Any]:
    """Choose a grid point on held-out training rows, then fit it on all of them and score it on the test rows."""
    start = time.perf_counter()
    inner = _holdout(realization, seed)
    choice = evaluate(
        {**algorithm, "stage": "best-on-test", "record": []}, seed, inner, GramPool(inner)
    )
    point = choice["stage"]
    selection = time.perf_counter() - start
    params = {**algorithm["params"], **point}
    outcome = evaluate(
        {**algorithm, "params": params, "grid": None, "stage": "last"}, seed, realization, grams
    )
    outcome["seconds"]["selection_seconds"] = selection
    return outcome | {
        "stage": point,
        "n_stages": choice["n_stages"],
        "validation_error": choice["metrics"]["error"],
    }


def _holdout(realization: Realization, seed: int) -> Realization:
    """Return the training part cut in two: to fit on, and `VALIDATION_SHARE` of its rows to choose on."""
    n = realization.y_train.shape[0]
    order = np.random.default_rng(seed_of("validation", seed)).permutation(n)
    held = max(1, round(VALIDATION_SHARE * n))
    X, y = realization.X_train, realization.y_train
    return Realization(X[order[held:]], y[order[held:]], X[order[:held]], y[order[:held]])


def warm_up(realization: Realization) -> Realization:
    """Return a realization small enough to be fitted in no time: the first training rows of each class, a few test rows."""
    y = realization.y_train
    rows = np.sort(
        np.concatenate([np.flatnonzero(y == label)[:WARM_UP_ROWS] for label in np.unique(y)])
    )
    test = slice(0, WARM_UP_ROWS)
    return Realization(
        realization.X_train[rows], y[rows], realization.X_test[test], realization.y_test[test]
    )


def _grid_points(grid: dict[str, list[Any]] | None) -> list[dict[str, Any]]:
    from sklearn.model_selection import ParameterGrid

    return list(ParameterGrid(grid or {}))


def _fit(
    algorithm: dict[str, Any],
    point: dict[str, Any],
    seed: int,
    realization: Realization,
    grams: GramPool,
    watch: Stopwatch,
) -> tuple[Any, SharedGram | None, dict[str, Any]]:
    estimator = estimator_class(algorithm["estimator"])()
    estimator.set_params(**with_estimators({**algorithm["params"], **point}))
    if estimator.get_params(deep=False).get("random_state", seed) is None:
        estimator.set_params(random_state=seed)
    shared = (
        grams.for_estimator(estimator, algorithm["gram_dtype"]) if algorithm["share_gram"] else None
    )
    if shared is not None:
        for_gram(estimator)
    elif (
        estimator.get_params(deep=False).get("gamma") == "mean-distance"
    ):  # a word of ours that others do not know
        estimator.set_params(gamma=resolve_gamma("mean-distance", realization.X_train))
    X = realization.X_train if shared is None else shared.train()
    watch("fit", lambda: estimator.fit(X, realization.y_train))
    return estimator, shared, point


def _recorded(
    words: list[str], fitted: Any, shared: SharedGram | None, realization: Realization
) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """Return the scalars and curves that `record:` asks for."""
    scalars, curves = {}, {}
    rows = {
        "test": (partial(_test_blocks, shared, realization), realization.y_test),
        "train": (partial(_train_blocks, shared, realization), realization.y_train),
    }
    for word in words:
        part = "train" if word == TRAIN_ERROR else STAGED.get(word)
        if part is None:
            curves[word] = np.asarray(getattr(fitted, word)).tolist()
            continue
        blocks, y = rows[part]
        counts = _count_errors(fitted, blocks(), y, word != TRAIN_ERROR, Stopwatch())
        errors = [count / y.shape[0] for count in counts]
        if word == TRAIN_ERROR:
            scalars[word] = errors[0]
        else:
            curves[word] = (
                [1.0 - error for error in errors] if word.endswith("accuracy") else errors
            )
    return scalars, curves


def _count_errors(
    fitted: Any,
    blocks: Iterable[tuple[slice, Any]],
    y: NDArray[np.int8],
    staged: bool,
    watch: Stopwatch,
) -> list[int]:
    """Return the number of wrong labels over blocks of rows, of every stage or of the whole."""
    counts: list[int] = []
    for rows, block in blocks:
        wrong = watch("predict", partial(_wrong_labels, fitted, staged, block, y[rows]))
        counts = (
            [before + now for before, now in zip(counts, wrong, strict=True)] if counts else wrong
        )
    return counts


def _wrong_labels(fitted: Any, staged: bool, X: Any, y: NDArray[np.int8]) -> list[int]:
    # One stage at a time: a regularization path has thousands.
    stages = fitted.staged_predict(X) if staged else (fitted.predict(X),)
    return [int(np.count_nonzero(labels != y)) for labels in stages]


def _test_blocks(
    shared: SharedGram | None, realization: Realization
) -> Iterator[tuple[slice, Any]]:
    if shared is not None:
        yield from shared.test_blocks()
        return
    for rows in row_blocks(*realization.X_test.shape):
        yield rows, realization.X_test[rows]


def _train_blocks(
    shared: SharedGram | None, realization: Realization
) -> Iterator[tuple[slice, Any]]:
    if shared is not None:
        yield slice(None), shared.train()
        return
    for rows in row_blocks(*realization.X_train.shape):
        yield rows, realization.X_train[rows]


def _fitted_scalars(fitted: Any) -> dict[str, Any]:
    """Return the public scalars that the fit left (`n_iter_`, `certificate_`, ...), and the `size` of its expansion."""
    scalars: dict[str, Any] = {}
    if hasattr(fitted, "support_"):  # scikit-learn's word for the rows that an expansion is made of
        scalars["size"] = len(fitted.support_)
    for name, value in vars(fitted).items():
        if name.endswith("_") and not name.startswith("_") and name != "n_features_in_":
            value = (
                value.item()
                if isinstance(value, np.generic)
                or (np.shape(value) == (1,) and hasattr(value, "item"))
                else value
            )
            if isinstance(value, Number | str):
                scalars[name] = value
    return scalars
