"""Metrics of test predictions: as a run recorded them, or computed now from what it kept."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from ensvm.records.predictions import (
    Predictions,
    PredictionsDamaged,
    of_confusion,
    read_predictions,
)
from ensvm.records.record import Record

NOT_KEPT = (
    "not recorded, and no predictions were kept: with `metrics: {metric}` in the config, or "
    "`keep: predictions` for all metrics, `ensvm run` does these cells again"
)
KEPT_IN_MEMORY = 64  # files of predictions: several metrics of one cell are asked for in a row


def score_of(folder: Path, record: Record, metric: str) -> float | str:
    """Return a metric of a cell's test predictions, or the reason why there is no value.

    The record is of a cell that ended well; the value is the mean over the orders of the training
    rows. `folder` is the study's, which has the predictions that were kept.
    """
    if metric in record.scores:
        return record.scores[metric]
    if not record.confusion and not record.predictions:
        return NOT_KEPT.format(metric=metric)
    from ensvm.records.scoring import methods_for, scores_of  # loads scikit-learn

    if not record.predictions and methods_for(metric):
        return NOT_KEPT.format(metric=metric)
    try:
        means, _ = scores_of([metric], _predictions(folder, record))
    except PredictionsDamaged as error:
        return str(error)
    return means[metric]


def with_scores(folder: Path, record: Record, metrics: Iterable[str]) -> Record:
    """Return a record with metrics of its predictions, as far as it has or kept them."""
    scores = {metric: score_of(folder, record, metric) for metric in metrics if record.ok}
    kept = {
        metric: value for metric, value in scores.items() if value != NOT_KEPT.format(metric=metric)
    }
    return replace(record, scores={**record.scores, **kept}) if kept else record


def values_of(scores: Mapping[str, float | str]) -> dict[str, float]:
    """Return the metrics that have a value."""
    return {name: value for name, value in scores.items() if not isinstance(value, str)}


def _predictions(folder: Path, record: Record) -> list[Predictions]:
    if not record.predictions:
        return of_confusion(record.confusion)
    return _read(folder, tuple(sorted(record.predictions.items())))


@lru_cache(KEPT_IN_MEMORY)
def _read(folder: Path, names: tuple[tuple[str, str], ...]) -> list[Predictions]:
    return read_predictions(folder, dict(names))
