"""Fit one classifier on a realization and score it: test error, seconds, fitted scalars."""

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from numbers import Number
from statistics import fmean, median_low
from time import perf_counter, process_time  # here: own code may replace the clocks of `time`
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ensvm.records.settings import AlgorithmSettings
from ensvm.runner.estimator_output import (
    Misbehaves,
    checked_labels,
    classes_of,
    compared_rows,
    curve,
    cut,
    error_text,
    scalars_of,
    shown,
)
from ensvm.runner.estimators import grid_points, last_step, made, random_states
from ensvm.runner.grams import CellInputs, GramPool
from ensvm.seeds import another_seed
from ensvm.study.metrics import SEARCH, STAGED, TRAIN_ERROR, scorer_of

OF_A_STAGE = "not computed for a stage that is chosen by the test error"


class Stopwatch:
    """Adds up wall and CPU seconds by part, such as `fit`; Gram matrices count their own."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, part: str) -> Iterator[None]:
        """Add the seconds of the body to a part."""
        wall, cpu = perf_counter(), process_time()
        yield
        spent = {"": perf_counter() - wall, "_cpu": process_time() - cpu}
        for clock, seconds in spent.items():
            key = f"{part}{clock}_seconds"
            self.seconds[key] = self.seconds.get(key, 0.0) + seconds


@dataclass(frozen=True)
class Evaluation:
    """What came out of fitting and scoring one algorithm on one realization."""

    metrics: Mapping[str, Any]  # test error (a fraction), counts, and the scalars that the fit left
    seconds: Mapping[str, float] = field(default_factory=dict)  # wall and CPU seconds by part
    curves: Mapping[str, list[Any]] = field(default_factory=dict)  # those that `record` names
    stage: Mapping[str, Any] | None = None  # the stage or grid point chosen among `n_stages`
    n_stages: int | None = None
    validation_error: float | None = None  # on held-out training rows, by which it was chosen
    draws: bool | None = None  # whether another seed changes the predictions; None if not tried
    # The numeric metrics of each order of the training rows, if there are several.
    by_order: Mapping[str, list[float]] = field(default_factory=dict)
    # The metrics of the test rows that the config asks for, or why there is no value.
    scores: Mapping[str, float | str] = field(default_factory=dict)


class _Fit(NamedTuple):
    """A fitted classifier, its inputs, the grid point, and the labels that it may predict."""

    fitted: Any
    inputs: CellInputs
    point: Mapping[str, Any]
    classes: NDArray[Any]


def evaluate(
    algorithm: AlgorithmSettings,
    seed: int,
    grams: GramPool,
    order_seeds: Iterable[int] = (),
    *,
    metrics: Iterable[str] = (),
    find_draws: bool = False,
) -> Evaluation:
    """Fit an algorithm on the training rows of a realization and score it on the test rows.

    With further orders of the training rows, the same is done in each order: numeric metrics and
    seconds are means over the orders, a flag is true if it is true in all orders, and curves, stage
    and texts are those of the first order.

    An estimator whose parameters name no random state gets `seed`; each of `order_seeds` draws one
    further order. `metrics` are those of the test rows that are computed besides the error. With
    `find_draws`, the algorithm is fitted once more with another seed.
    """
    # If training rows choose a grid point, choose it first; then only that point is fitted.
    final, choice = algorithm, None
    if algorithm.stage == "best-on-validation":
        choice = _chosen_on_validation(algorithm, seed, grams)
        params = {**algorithm.params, **(choice.stage or {})}
        final = replace(algorithm, params=params, grid=None, stage="last")
    watch = Stopwatch()
    fits = [_fit(final, point, seed, grams, watch) for point in grid_points(final.grid)]
    first = _score(final, fits, watch, metrics)
    if find_draws:  # a choice by held-out rows draws these rows
        first = replace(first, draws=choice is not None or _draws(final, fits[0], seed, grams))
    if choice is not None:
        first = replace(
            first,
            seconds={**first.seconds, **choice.seconds},
            stage=choice.stage,
            n_stages=choice.n_stages,
            validation_error=choice.validation_error,
        )
    runs = [first]
    scalars = tuple(name for name in algorithm.record if name == TRAIN_ERROR)
    for order_seed in order_seeds:
        # Curves are recorded in the first order only.
        of_order = replace(algorithm, record=scalars)
        runs.append(evaluate(of_order, seed, grams.in_order(order_seed), metrics=metrics))
    return _over_orders(runs) if len(runs) > 1 else first


def _draws(algorithm: AlgorithmSettings, fit: _Fit, seed: int, grams: GramPool) -> bool:
    """Return whether another seed changes the labels that a fit predicts for the test rows.

    Also parts whose seed the config fixes get another one: a fixed seed is one random draw.
    """
    if not random_states(fit.fitted):
        return False
    other = _fit(algorithm, fit.point, seed, grams, Stopwatch(), another_seed(seed))
    (_, labels), (_, others) = (_count_errors(each, Stopwatch()) for each in (fit, other))
    return labels is None or others is None or not np.array_equal(labels, others)


def _over_orders(runs: list[Evaluation]) -> Evaluation:
    """Return one evaluation in place of those of several orders of the training rows."""
    first = runs[0]
    by_order: dict[str, list[float]] = {}

    def over_orders(of_runs: list[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the means of numbers over the orders; of flags whether all are true."""
        values_of: dict[str, list[Any]] = {
            name: [run.get(name) for run in of_runs] for name in of_runs[0]
        }
        means: dict[str, Any] = {}
        for name, values in values_of.items():
            if all(isinstance(each, bool) for each in values):
                means[name] = all(values)
            elif all(isinstance(each, Number) for each in values):
                means[name], by_order[name] = _mean(values), values
            else:  # a text, or the reason why there is no value in one of the orders
                means[name] = next((each for each in values if isinstance(each, str)), values[0])
        return means

    return replace(
        first,
        metrics=over_orders([run.metrics for run in runs]),
        scores=over_orders([run.scores for run in runs]),
        seconds={part: _mean([run.seconds[part] for run in runs]) for part in first.seconds},
        by_order=by_order,
    )


def _mean(values: list[Any]) -> Any:
    """Return the mean of numbers; if all are equal, that very number, so that counts stay whole."""
    return values[0] if values.count(values[0]) == len(values) else fmean(values)


def _score(
    algorithm: AlgorithmSettings, fits: list[_Fit], watch: Stopwatch, wanted: Iterable[str]
) -> Evaluation:
    """Score the fit of each grid point on the test rows, and return the best of them."""
    y_test = fits[0].inputs.realization.y_test
    staged = algorithm.stage == "best-on-test" and algorithm.grid is None
    # Count the errors of every grid point, or of every stage of the only fit.
    counts: list[int] = []
    points: list[Mapping[str, Any]] = []
    for fit in fits:
        errors, _ = _count_errors(fit, watch, staged=staged)
        counts += errors
        points += [fit.point or {"stage": number} for number in range(1, len(errors) + 1)]
    best = int(np.argmin(counts))  # the first of equals, so ties go to the earliest stage
    # What is recorded comes from the best fit: numbers, curves, metrics.
    chosen = best if algorithm.grid else 0
    fitted, inputs, _, _ = fits[chosen]
    n_test = y_test.shape[0]
    error = counts[best] / n_test
    metrics = {"error": error, "accuracy": 1.0 - error, "n_errors": counts[best], "n_test": n_test}
    if (rows := compared_rows(fitted)) is not None:
        metrics["size"] = len(rows)
    metrics |= dict(scalars_of(fitted))
    if inputs.gamma is not None:
        metrics["gamma_"] = inputs.gamma
    seconds = watch.seconds | inputs.seconds
    seconds["train_seconds"] = seconds["fit_seconds"] + seconds.get("kernel_seconds", 0.0)
    scalars, curves = _recorded(algorithm.record, fits[chosen])
    return Evaluation(
        metrics | scalars,
        seconds,
        curves,
        stage=points[best] if algorithm.stage == "best-on-test" else _best_params(fitted),
        n_stages=len(counts) if algorithm.stage == "best-on-test" else None,
        scores={name: OF_A_STAGE if staged else _metric(name, fits[chosen]) for name in wanted},
    )


def search(algorithm: AlgorithmSettings, seed: int, grams: GramPool) -> dict[str, Any]:
    """Return the parameters that a search of scikit-learn chooses on a realization."""
    fit = _fit(algorithm, {}, seed, grams, Stopwatch())
    return dict(fit.fitted.best_params_)


def with_medians(
    algorithm: AlgorithmSettings, choices: Iterable[Mapping[str, Any]]
) -> tuple[AlgorithmSettings, dict[str, Any]]:
    """Return what a search tunes, with the median of each number that it chose, and the medians.

    Of an even number of choices it is the lower median, and of names the most frequent one.

    References
    ----------
    Rätsch, Onoda & Müller (2001), Soft margins for AdaBoost, Machine Learning 42, section 4.2.
    """
    by_name: dict[str, list[Any]] = {}
    for choice in choices:
        for name, value in choice.items():
            by_name.setdefault(name, []).append(value)
    medians = {
        name: median_low(values) if all(map(_is_number, values)) else max(values, key=values.count)
        for name, values in by_name.items()
    }
    spec = algorithm.params["estimator"]
    block = spec if isinstance(spec, Mapping) and "estimator" in spec else {"estimator": spec}
    params = {**block.get("params", {}), **medians}
    tuned = replace(algorithm, estimator=block["estimator"], params=params, search_on=None)
    return tuned, _as_recorded(medians)


def _is_number(value: Any) -> bool:
    return isinstance(value, Number) and not isinstance(value, bool)


def _best_params(fitted: Any) -> dict[str, Any] | None:
    """Return what a search of scikit-learn has chosen; None for another classifier."""
    chosen = getattr(last_step(fitted), "best_params_", None)
    if not isinstance(chosen, Mapping):
        return None
    return _as_recorded(chosen)


def _as_recorded(params: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _plain(value) for key, value in params.items()}


def _plain(value: Any) -> Any:
    """Return a parameter as a record holds it: numbers and texts, of others their text."""
    if isinstance(value, str):
        return cut(value)
    return value if isinstance(value, int | float | NoneType) else shown(value)


def _metric(name: str, fit: _Fit) -> float | str:
    """Return a metric of the test rows, or the reason why it has no value.

    An error in it costs only the metric, not the cell.
    """
    from ensvm.runner.scored import Scored

    realization = fit.inputs.realization
    labels = np.union1d(realization.y_train, realization.y_test)
    scorer, sign = scorer_of(name, labels.size)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # for example, about a label that is never predicted
            scored = Scored(fit.fitted, fit.classes, labels)
            value = sign * float(scorer(scored, fit.inputs.test(), realization.y_test))
    except BaseException as error:
        # scikit-learn names the class that its scorer sees
        return error_text(error, kind=True).replace(Scored.__name__, type(fit.fitted).__name__)
    if scored.doubt:
        warnings.warn(f"{name}: {scored.doubt}", stacklevel=2)
    return value if math.isfinite(value) else "not defined on these test rows: they lack a class"


def _chosen_on_validation(algorithm: AlgorithmSettings, seed: int, grams: GramPool) -> Evaluation:
    """Return the grid point with the lowest error on held-out training rows, as a `stage`."""
    start = perf_counter()
    oracle = replace(algorithm, stage="best-on-test", record=())
    best = evaluate(oracle, seed, grams.held_out(seed))
    return Evaluation(
        metrics={},
        seconds={"selection_seconds": perf_counter() - start},
        stage=best.stage,
        n_stages=best.n_stages,
        validation_error=best.metrics["error"],
    )


def _fit(
    algorithm: AlgorithmSettings,
    point: Mapping[str, Any],
    seed: int,
    grams: GramPool,
    watch: Stopwatch,
    every_seed: int | None = None,
) -> _Fit:
    """Return a fit; `every_seed` replaces the seeds of all parts, those of the config too."""
    estimator = made(algorithm.estimator, {**algorithm.params, **point}, seed)
    if every_seed is not None:
        estimator.set_params(**dict.fromkeys(random_states(estimator), every_seed))
    inputs = grams.inputs_of(estimator, share_gram=algorithm.share_gram, dtype=algorithm.gram_dtype)
    if algorithm.wrapped is not None:
        from sklearn import multiclass

        # All its machines are fitted on one Gram matrix.
        estimator = multiclass.OneVsRestClassifier(estimator)
    X, y = inputs.train(), grams.realization.y_train
    with watch("fit"):
        estimator.fit(X, y)
    return _Fit(estimator, inputs, point, classes_of(estimator, y))


def _recorded(names: tuple[str, ...], fit: _Fit) -> tuple[dict[str, float], dict[str, list[Any]]]:
    """Return the scalars and curves that `record:` asks for."""
    scalars: dict[str, float] = {}
    curves: dict[str, list[Any]] = {}
    realization = fit.inputs.realization
    for name in names:
        if name == SEARCH:
            curves |= _scores_of_search(fit.fitted)
            continue
        part = "train" if name == TRAIN_ERROR else STAGED.get(name)
        if part is None:
            curves[name] = curve(name, getattr(fit.fitted, name))
            continue
        train = part == "train"
        counts, _ = _count_errors(fit, Stopwatch(), train=train, staged=name != TRAIN_ERROR)
        y = realization.y_train if train else realization.y_test
        errors = [count / y.shape[0] for count in counts]
        if name == TRAIN_ERROR:
            scalars[name] = errors[0]
        else:
            accuracy = name.endswith("accuracy")
            curves[name] = [1.0 - error for error in errors] if accuracy else errors
    return scalars, curves


def _scores_of_search(fitted: Any) -> dict[str, list[Any]]:
    """Return the values of each parameter, and the mean score, at the points of a search."""
    found = last_step(fitted).cv_results_
    points, scores = found["params"], found["mean_test_score"]
    names = dict.fromkeys(name for point in points for name in point)  # of all grids of a list
    values = {name: [_plain(point.get(name)) for point in points] for name in names}
    return {SEARCH: curve(SEARCH, scores), **{f"{SEARCH}.{key}": of for key, of in values.items()}}


def _count_errors(
    fit: _Fit, watch: Stopwatch, *, train: bool = False, staged: bool = False
) -> tuple[list[int], NDArray[Any] | None]:
    """Return the number of wrong labels (of each stage if `staged`) and the predicted labels.

    The labels are of the test rows, or of the training rows.
    """
    y = fit.inputs.realization.y_train if train else fit.inputs.realization.y_test
    method = "staged_predict" if staged else "predict"
    counts: list[int] = []
    predicted: list[Any] = []
    for rows, block in fit.inputs.blocks(train=train):
        true, wrong = y[rows], []
        with watch("predict"):
            answers = fit.fitted.staged_predict(block) if staged else [fit.fitted.predict(block)]
            for answer in answers:  # a regularization path has thousands of stages
                labels = checked_labels(method, answer, true, fit.classes)
                wrong.append(int(np.count_nonzero(labels != true)))
        if not wrong:
            raise Misbehaves("staged_predict gave no stage")
        if counts and len(wrong) != len(counts):
            stages = f"{len(counts)} stages for some rows and {len(wrong)} for others"
            raise Misbehaves(f"staged_predict gave {stages}")
        counts = [sum(pair) for pair in zip(counts, wrong, strict=True)] if counts else wrong
        predicted.append(labels.copy())  # an estimator may return the same array again
    return counts, None if staged else np.concatenate(predicted)
