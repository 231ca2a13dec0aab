"""What a record has of a cell's test predictions, and what it lacks that the study asks for."""

from collections.abc import Sequence
from typing import Any

from ensvm.records.predictions import Predictions, confusion_of, packed
from ensvm.records.record import Record


def of_predictions(
    several: Sequence[Predictions], scored: Sequence[str], *, keep: bool
) -> dict[str, Any]:
    """Return what a record has of predictions.

    Parameters
    ----------
    several : sequence of Predictions
        Those of each order of the training rows; none where the classifier gave none.
    scored : sequence of str
        The metrics of them that are recorded.
    keep : bool
        Whether they are kept themselves.

    Returns
    -------
    dict
        Fields of `Record`; `by_order` has the metrics of each order.
    """
    if not several:
        return {"by_order": {}}
    from ensvm.records.scoring import scores_of

    scores, by_order = scores_of(scored, several)
    names, files = packed(several) if keep else ({}, {})
    return {
        "by_order": by_order,
        "confusion": confusion_of(several),
        "scores": scores,
        "predictions": names,
        "files": files,
    }


def lacking(record: Record, scored: Sequence[str], *, keep: bool) -> str:
    """Return what a record of the error pass lacks of what its study asks for by now.

    Parameters
    ----------
    record : Record
        The record of a cell that ended well.
    scored : sequence of str
        The metrics of predictions that the study asks for.
    keep : bool
        Whether it asks for the predictions themselves.

    Returns
    -------
    str
        What is lacking, empty where nothing is: a classifier that gave no predictions would give
        none again, and metrics of labels need no more than the confusion.
    """
    if record.predictions or not record.confusion:
        return ""
    if keep:
        return "predictions not kept"
    from ensvm.records.scoring import methods_for

    wanting = [name for name in scored if name not in record.scores and methods_for(name)]
    return f"not recorded: {', '.join(wanting)}" if wanting else ""
