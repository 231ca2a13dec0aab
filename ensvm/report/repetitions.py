"""Repeated cross-validation: the sample by which a mean over folds is compared with a printed one.

A printed k-fold value is the mean of one cross-validation. One repetition of ours is one draw of
the same; its folds are not independent draws of it, for they train on mostly the same rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ensvm.data.splits import folds_of, overlap
from ensvm.report.query import Answer


@dataclass(frozen=True)
class Repetitions:
    """The values to compare with a printed cross-validation, and what a mean of them varies by.

    The standard error of ours minus printed is the standard deviation of `values` times the root of
    `ours` + `printed`, with `len(values)` - 1 degrees of freedom.

    Attributes
    ----------
    values : ndarray of float
        The means of the complete repetitions; of a single repetition its folds.
    ours, printed : float
        The variances of our mean and of the printed one, as multiples of that of `values`.
    """

    values: NDArray[np.float64]
    ours: float
    printed: float


def repetitions_of(answer: Answer) -> Repetitions | None:
    """Return the sample to compare with the printed mean of one cross-validation.

    With at least two complete repetitions it is their means: ours is a mean of all of them, the
    printed one such a mean. The folds of a repetition that is not complete are left out. With fewer
    it is the folds, and the variance of either mean has Nadeau and Bengio's term 1 / (k - 1), the
    size of a test part over that of a training part, for what the training parts have in common.

    Parameters
    ----------
    answer : Answer
        The values by realization, with the records behind them.

    Returns
    -------
    Repetitions or None
        In the unit the values are shown in; None where the split is no k-fold, nor leaves each of
        k groups out.

    References
    ----------
    C. Nadeau and Y. Bengio, "Inference for the generalization error", Machine Learning 52 (2003).
    """
    split = next((record.settings.get("split") for record in answer.records.values()), None)
    k = folds_of(split or {})
    if not split or k is None:
        return None
    means = _means_of_complete(answer, k)
    if means.size >= 2:
        return Repetitions(means, 1 / means.size, 1.0)
    folds = answer.shown()
    shared = overlap(split)
    return Repetitions(folds, 1 / folds.size + shared, 1 / k + shared)


def _means_of_complete(answer: Answer, k: int) -> NDArray[np.float64]:
    """Return the means of the repetitions that have all k folds, in the unit they are shown in."""
    numbers = np.array(list(answer.values))
    repetition = (numbers - 1) // k  # as data.splits deals the folds out
    counts = np.bincount(repetition)
    sums = np.bincount(repetition, weights=answer.shown())
    return sums[counts == k] / k
