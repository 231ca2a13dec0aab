"""Fit one classifier on a realization and score it: test error, seconds, fitted scalars."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Number
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.records.predictions import Predictions
from ensvm.runner.estimators.construct import made
from ensvm.runner.guard.answers import Labels, Misbehaves, curve, scalars_of
from ensvm.runner.guard.predicted import must_be_in_time, predictions_of
from ensvm.runner.inputs import GramPool, Inputs
from ensvm.runner.settings import AlgorithmSettings
from ensvm.study.metrics import CV_SCORE, STAGED, TRAIN_ERROR


@dataclass
class Stopwatch:
    """Wall and CPU seconds, added up over parts; a shared Gram matrix has its own."""

    seconds: dict[str, float] = field(default_factory=dict)

    def __call__(self, part: str, work: Callable[[], Any]) -> Any:
        wall, cpu = time.perf_counter(), time.process_time()
        result = work()
        for name, spent in (("", time.perf_counter() - wall), ("_cpu", time.process_time() - cpu)):
            key = f"{part}{name}_seconds"
            self.seconds[key] = self.seconds.get(key, 0.0) + spent
        return result


@dataclass(frozen=True)
class Evaluation:
    """What came out of fitting and scoring one algorithm on one realization.

    Attributes
    ----------
    metrics : dict
        Test error (a fraction), counts, and the scalars that the fit left.
    seconds : dict
        Wall and CPU seconds by part.
    curves : dict of lists
        The curves that the algorithm's `record` names.
    stage : dict or None
        The stage or grid point that was chosen, where one was, among `n_stages`.
    validation_error : float or None
        The error on held-out training rows by which it was chosen.
    by_order : dict of lists
        The numeric metrics of each order of the training rows, where there are several.
    predictions : tuple of Predictions
        What was predicted for the test rows, in each order of the training rows.
    """

    metrics: Mapping[str, Any]
    seconds: Mapping[str, float] = field(default_factory=dict)
    curves: Mapping[str, list[Any]] = field(default_factory=dict)
    stage: Mapping[str, Any] | None = None
    n_stages: int | None = None
    validation_error: float | None = None
    by_order: Mapping[str, list[float]] = field(default_factory=dict)
    predictions: tuple[Predictions, ...] = field(default=(), compare=False)


def evaluate(
    algorithm: AlgorithmSettings,
    seed: int,
    grams: GramPool,
    order_seeds: Iterable[int] = (),
    *,
    scored: bool = False,
) -> Evaluation:
    """Fit an algorithm on the training rows of a realization and score it on the test rows.

    With further orders of the training rows, the same problem is done in each: numeric metrics and
    seconds are means over the orders, a flag holds where it does in all, and curves, stage and
    texts are those of the first order.

    Parameters
    ----------
    algorithm : AlgorithmSettings
        What is fitted, and which of its stages is scored.
    seed : int
        The random state of an estimator that has one and is given none.
    grams : GramPool
        The realization, and the Gram matrices of its rows that the algorithms share.
    order_seeds : iterable of int, default ()
        Draw the orders of the training rows in which it is done beside their own.
    scored : bool, default False
        Whether the predictions are to have scores, too: decision values and probabilities.

    Returns
    -------
    Evaluation
        The errors, the seconds and the curves.
    """
    first = _in_one_order(algorithm, seed, grams, scored)
    # The curves are those of the first order.
    scalars = tuple(name for name in algorithm.record if name == TRAIN_ERROR)
    others = []
    for order_seed in order_seeds:
        must_be_in_time(first.predictions)
        ordered = grams.in_order(order_seed)
        of_order = replace(algorithm, record=scalars)
        others.append(_in_one_order(of_order, seed, ordered, scored))
        ordered.refuse_changes()
    return _over_orders(first, others) if others else first


def _over_orders(first: Evaluation, others: list[Evaluation]) -> Evaluation:
    runs = [first, *others]
    metrics: dict[str, Any] = {}
    by_order: dict[str, list[float]] = {}
    for name, value in first.metrics.items():
        values: list[Any] = [run.metrics.get(name) for run in runs]
        if all(isinstance(each, bool) for each in values):
            metrics[name] = all(values)
        elif all(isinstance(each, Number) for each in values):
            metrics[name], by_order[name] = _mean(values), values
        else:
            metrics[name] = value
    seconds = {part: _mean([run.seconds[part] for run in runs]) for part in first.seconds}
    predictions = tuple(one for run in runs for one in run.predictions)
    if len(predictions) < len(runs):
        predictions = ()
    return replace(
        first, metrics=metrics, seconds=seconds, by_order=by_order, predictions=predictions
    )


def _mean(values: list[Any]) -> Any:
    """Return the mean of numbers; of equal ones that very number, counts as counts."""
    return values[0] if values.count(values[0]) == len(values) else fmean(values)


def _in_one_order(
    algorithm: AlgorithmSettings, seed: int, grams: GramPool, scored: bool
) -> Evaluation:
    if algorithm.stage == "best-on-validation":
        return _chosen_on_validation(algorithm, seed, grams, scored)
    if algorithm.stage == "best-by-cv":
        return _chosen_by_cv(algorithm, seed, grams, scored)
    watch = Stopwatch()
    candidates = [
        _fit(algorithm, point, seed, grams, watch) for point in grid_points(algorithm.grid)
    ]
    whole = grams.realization
    y_test = whole.y_test
    staged = algorithm.stage == "best-on-test" and algorithm.grid is None
    counts, labels, answers = [], [], []
    for fitted, inputs, point in candidates:
        answers.append(Labels(fitted, whole.y_train))
        errors = _count_errors(answers[-1], inputs.test_blocks(), y_test, staged, watch)
        counts += errors
        labels += [point or {"stage": number} for number in range(1, len(errors) + 1)]
    best = int(np.argmin(counts))  # the first of equals, so ties go to the earliest stage
    chosen = best if algorithm.grid else 0
    fitted, inputs, _ = candidates[chosen]
    n_test = y_test.shape[0]
    error = counts[best] / n_test
    metrics = {"error": error, "accuracy": 1.0 - error, "n_errors": counts[best], "n_test": n_test}
    metrics |= _fitted_scalars(fitted)
    seconds = watch.seconds | inputs.seconds
    seconds["train_seconds"] = seconds["fit_seconds"] + seconds.get("kernel_seconds", 0.0)
    if inputs.gamma is not None:
        metrics["gamma_"] = inputs.gamma
    scalars, curves = _recorded(algorithm.record, fitted, inputs)
    stage = best if staged else None
    predicted = predictions_of(
        fitted, answers[chosen], inputs.test_blocks, y_test, stage=stage, scored=scored
    )
    predictions = () if predicted is None else (predicted,)
    evaluation = Evaluation(metrics | scalars, seconds, curves, predictions=predictions)
    if algorithm.stage == "best-on-test":
        return replace(evaluation, stage=labels[best], n_stages=len(counts))
    return evaluation


def _chosen_on_validation(
    algorithm: AlgorithmSettings, seed: int, grams: GramPool, scored: bool
) -> Evaluation:
    """Choose a grid point on held-out training rows, then fit it on all of them and score it."""
    start = time.perf_counter()
    oracle = replace(algorithm, stage="best-on-test", record=())
    inner = grams.held_out(seed)
    choice = _in_one_order(oracle, seed, inner, False)
    inner.refuse_changes()
    selection = time.perf_counter() - start
    evaluation = _at_point(algorithm, choice.stage or {}, seed, grams, scored)
    return replace(
        evaluation,
        seconds={**evaluation.seconds, "selection_seconds": selection},
        stage=choice.stage,
        n_stages=choice.n_stages,
        validation_error=choice.metrics["error"],
    )


def _chosen_by_cv(
    algorithm: AlgorithmSettings, seed: int, grams: GramPool, scored: bool
) -> Evaluation:
    """Choose a grid point by folds of the training rows, then fit it on all and score it."""
    from sklearn.metrics import get_scorer

    start = time.perf_counter()
    cv = algorithm.cv or {}
    scorer = get_scorer(cv["scorer"])
    points = grid_points(algorithm.grid)
    scores = np.zeros(len(points))
    for fold in grams.folds(cv["n_splits"], seed):
        for number, point in enumerate(points):
            fitted, inputs, _ = _fit(algorithm, point, seed, fold, Stopwatch())
            score = scorer(fitted, inputs.test(), fold.realization.y_test)
            scores[number] += float(score) / cv["n_splits"]
        fold.refuse_changes()
    if np.isnan(scores).any():
        raise Misbehaves(f"its {cv['scorer']} is no number on some fold of the training rows")
    best = int(np.argmax(scores))  # the first of equals
    selection = time.perf_counter() - start
    evaluation = _at_point(algorithm, points[best], seed, grams, scored)
    return replace(
        evaluation,
        metrics={**evaluation.metrics, CV_SCORE: float(scores[best])},
        seconds={**evaluation.seconds, "selection_seconds": selection},
        stage=points[best],
        n_stages=len(points),
        validation_error=1.0 - float(scores[best]) if cv["scorer"] == "accuracy" else None,
    )


def _at_point(
    algorithm: AlgorithmSettings,
    point: Mapping[str, Any],
    seed: int,
    grams: GramPool,
    scored: bool,
) -> Evaluation:
    """Fit and score an algorithm with the parameters that were chosen."""
    params = {**algorithm.params, **point}
    chosen = replace(algorithm, params=params, grid=None, stage="last")
    return _in_one_order(chosen, seed, grams, scored)


def grid_points(grid: Mapping[str, list[Any]] | None) -> list[dict[str, Any]]:
    """Return the points of a grid as parameters; the one without any where there is no grid."""
    from sklearn.model_selection import ParameterGrid

    return list(ParameterGrid(dict(grid or {})))


def _fit(
    algorithm: AlgorithmSettings,
    point: dict[str, Any],
    seed: int,
    grams: GramPool,
    watch: Stopwatch,
) -> tuple[Any, Inputs, dict[str, Any]]:
    estimator = made(algorithm.estimator, {**algorithm.params, **point}, seed)
    inputs = grams.inputs_of(estimator, share_gram=algorithm.share_gram, dtype=algorithm.gram_dtype)
    if algorithm.wrapped is not None:
        from sklearn import multiclass

        # Each machine is given the same Gram matrix.
        estimator = multiclass.OneVsRestClassifier(estimator)
    X = inputs.train()
    watch("fit", lambda: estimator.fit(X, grams.realization.y_train))
    return estimator, inputs, point


def _recorded(
    names: tuple[str, ...], fitted: Any, inputs: Inputs
) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """Return the scalars and curves that `record:` asks for."""
    scalars, curves = {}, {}
    rows = {
        "test": (inputs.test_blocks, inputs.realization.y_test),
        "train": (inputs.train_blocks, inputs.realization.y_train),
    }
    for name in names:
        part = "train" if name == TRAIN_ERROR else STAGED.get(name)
        if part is None:
            curves[name] = curve(name, getattr(fitted, name))
            continue
        blocks, y = rows[part]
        known = Labels(fitted, inputs.realization.y_train)
        counts = _count_errors(known, blocks(), y, name != TRAIN_ERROR, Stopwatch())
        errors = [count / y.shape[0] for count in counts]
        if name == TRAIN_ERROR:
            scalars[name] = errors[0]
        elif name.endswith("accuracy"):
            curves[name] = [1.0 - error for error in errors]
        else:
            curves[name] = errors
    return scalars, curves


def _count_errors(
    known: Labels,
    blocks: Iterable[tuple[slice, Any]],
    y: NDArray[np.int8],
    staged: bool,
    watch: Stopwatch,
) -> list[int]:
    """Return the number of wrong labels over blocks of rows, of every stage or of the whole."""
    counts: list[int] = []
    for rows, block in blocks:
        wrong = watch("predict", partial(known.wrong, block, y[rows], staged=staged))
        if counts and len(wrong) != len(counts):
            told = f"{len(counts)} stages for some rows and {len(wrong)} for others"
            raise Misbehaves(f"staged_predict gave {told}")
        counts = [sum(pair) for pair in zip(counts, wrong, strict=True)] if counts else wrong
    return counts


def _fitted_scalars(fitted: Any) -> dict[str, Any]:
    """Return the public scalars that the fit left, and the `size` of its expansion."""
    scalars = dict(scalars_of(fitted))
    if hasattr(fitted, "support_"):  # scikit-learn's name for the rows that an expansion has
        return {"size": len(fitted.support_), **scalars}
    return scalars
