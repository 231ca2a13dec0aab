"""What a fitted classifier predicts for the test rows: labels and scores, checked, as one object.

It is asked after all else is known of a cell: whatever goes wrong here costs metrics of scores, and
never the error.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.records.predictions import DECISION, METHODS, PROBABILITY, Predictions
from ensvm.runner.guard.answers import Labels, Misbehaves, shown, told
from ensvm.runner.guard.surroundings import DeadlineExceeded

# Blocks of test rows: which rows they are, and their inputs.
Blocks: TypeAlias = Callable[[], Iterable[tuple[slice, Any]]]

LATE = "the time limit ended it"
SUM_TOLERANCE = 1e-6  # how far the probabilities of a row may be from a sum of 1


def predictions_of(
    fitted: Any,
    known: Labels,
    blocks: Blocks,
    y: NDArray[Any],
    *,
    stage: int | None = None,
    scored: bool = False,
) -> Predictions | None:
    """Return what a classifier predicts for the test rows.

    Parameters
    ----------
    fitted : object
        The classifier.
    known : Labels
        The labels it may predict, with those that it predicted as a whole.
    blocks : callable
        Yields the rows block by block.
    y : ndarray of shape (n_test,)
        Their true labels.
    stage : int or None, default None
        The stage that is meant, from 0; None for the classifier as a whole.
    scored : bool, default False
        Whether scores are asked for, too.

    Returns
    -------
    Predictions or None
        Labels, and the scores there are; None where a stage does not give its labels again.
    """
    try:
        labels = known.predicted if stage is None else _of_stage(fitted, "predict", blocks, stage)
        values, there = np.sort(known.labels), np.asarray(labels)
        if there.shape != y.shape or there.dtype.kind not in "biuf":
            return None
    except BaseException:  # the classifier of somebody, which gave these labels a moment ago
        return None
    scores: dict[str, NDArray[np.float64]] = {}
    missing: dict[str, str] = {}
    for method in METHODS if scored else ():
        try:
            scores[method] = _scores(fitted, method, blocks, y.size, stage, known.labels)
        except NoMethod as error:
            missing[method] = str(error)
        except DeadlineExceeded:
            missing[method] = LATE
            break
        except BaseException as error:
            why = str(error) if isinstance(error, Misbehaves) else _failed(error)
            missing[method] = f"{method}: {why}"
    return Predictions(y, there.astype(y.dtype), values.astype(y.dtype), scores, missing)


def must_be_in_time(predictions: Iterable[Predictions]) -> None:
    """Raise DeadlineExceeded where the time limit ended while scores were asked for."""
    if any(LATE in one.missing.values() for one in predictions):
        raise DeadlineExceeded


class NoMethod(Exception):
    """The classifier has no such method; its message says it."""


def _failed(error: BaseException) -> str:
    return f"{type(error).__name__}: {told(error)}".strip().removesuffix(":")


def _of_stage(fitted: Any, method: str, blocks: Blocks, stage: int) -> NDArray[Any]:
    """Return what one stage answers for all rows."""
    answer = getattr(fitted, f"staged_{method}", None)
    if answer is None:
        raise NoMethod(f"the classifier has no staged_{method}")
    found = [next(islice(answer(block), stage, None)) for _, block in blocks()]
    return np.concatenate([np.array(part) for part in found])


def _scores(
    fitted: Any,
    method: str,
    blocks: Blocks,
    n_rows: int,
    stage: int | None,
    labels: NDArray[Any],
) -> NDArray[np.float64]:
    """Return the scores of all rows by one method, of the classes in ascending order."""
    if stage is not None:
        scores = _of_stage(fitted, method, blocks, stage)
    else:
        answer = getattr(fitted, method, None)
        if answer is None:
            raise NoMethod(f"the classifier has no {method}")
        if method == DECISION and getattr(fitted, "decision_function_shape", "") == "ovo":
            raise Misbehaves("one against one; decision_function_shape: ovr has one of each class")
        scores = np.concatenate([np.array(answer(block)) for _, block in blocks()])
    if scores.shape[:1] != (n_rows,):
        raise Misbehaves(f"scores of shape {scores.shape} for {n_rows} rows")
    return checked_scores(method, scores, labels)


def checked_scores(method: str, scores: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return scores as floats, of the classes in ascending order.

    Parameters
    ----------
    method : 'decision_function' or 'predict_proba'
        What gave them.
    scores : ndarray of shape (n,) or (n, n_classes)
        The scores.
    labels : ndarray of shape (n_classes,)
        The classes that their columns belong to.

    Returns
    -------
    ndarray of shape (n,) or (n, n_classes)
        The scores.

    Raises
    ------
    Misbehaves
        If they have another shape or are no finite numbers; if probabilities are none.
    """
    two = method == DECISION and labels.size == 2
    columns = () if two else (labels.size,)
    if scores.shape[1:] != columns or not scores.ndim:
        expected = ("n_test", *map(str, columns))
        raise Misbehaves(f"shape {scores.shape}; ({', '.join(expected)}) is expected")
    if scores.dtype.kind not in "biuf" or not np.isfinite(scores).all():
        odd = scores[~np.isfinite(scores)].tolist()[0] if scores.dtype.kind == "f" else scores.dtype
        raise Misbehaves(f"{shown(odd)} is no finite number")
    values = scores.astype(np.float64)
    if method == PROBABILITY:
        outside = (values < 0.0) | (values > 1.0)
        if outside.any() or not np.allclose(values.sum(axis=1), 1.0, rtol=0, atol=SUM_TOLERANCE):
            raise Misbehaves("no probabilities: not all in 0..1, or rows that do not add up to 1")
    order = np.argsort(labels)
    if two:
        return values if order[0] == 0 else -values
    return np.ascontiguousarray(values[:, order])
