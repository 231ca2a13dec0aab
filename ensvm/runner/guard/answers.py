"""What an estimator answers, checked: labels, numbers for a record, texts of its errors."""

import json
import traceback
from collections.abc import Iterator
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_CLASSES = 16  # so many comparisons with one label each are faster than a search
MOST_CHARACTERS = 2000  # of one text in a record
NUMBERS = "biuf"  # kinds of arrays of real numbers

TRACEBACK = "Traceback (most recent call last)"


class Misbehaves(Exception):
    """An estimator broke a rule; its message is the reason of the failed cell, as it is."""


class Labels:
    """The labels that a classifier may predict, and how its predictions differ from given ones.

    Parameters
    ----------
    fitted : object
        A classifier; its `classes_` are the labels.
    y : ndarray of shape (m,)
        What it was fitted on: the labels of a classifier without `classes_`.
    """

    def __init__(self, fitted: Any, y: NDArray[Any]) -> None:
        self._fitted = fitted
        self._whole: list[NDArray[Any]] = []
        said = _array(getattr(fitted, "classes_", None))
        self._labels: NDArray[Any]
        if said is not None and said.ndim == 1 and said.dtype.kind in NUMBERS:
            self._labels, self._told = said, "classes_"
        else:
            self._labels, self._told = np.unique(y), "the training labels"

    @property
    def labels(self) -> NDArray[Any]:
        """The labels, in the order of the classifier's own."""
        return self._labels

    @property
    def predicted(self) -> NDArray[Any]:
        """The labels that the whole predicted so far, block after block."""
        return np.concatenate(self._whole)

    def wrong(self, X: Any, y: NDArray[Any], *, staged: bool) -> list[int]:
        """Return how many labels of `X` are predicted wrongly, by every stage or by the whole.

        Raises
        ------
        Misbehaves
            If a prediction is not one label for each row, each one that it may predict.
        """
        if not staged:
            return [self._wrong("predict", self._fitted.predict(X), y, self._whole)]
        # One stage at a time: a regularization path has thousands.
        stages = self._fitted.staged_predict(X)
        counts = [self._wrong("staged_predict", predicted, y) for predicted in stages]
        if not counts:
            raise Misbehaves("staged_predict gave no stage")
        return counts

    def _wrong(
        self,
        method: str,
        predicted: Any,
        y: NDArray[Any],
        kept: list[NDArray[Any]] | None = None,
    ) -> int:
        labels = _array(predicted)
        if labels is None or labels.shape != y.shape:
            what = (
                shown(predicted) if labels is None or not labels.ndim else f"shape {labels.shape}"
            )
            raise Misbehaves(f"{method} returned {what}; shape {y.shape} is expected")
        if labels.dtype.kind not in NUMBERS or not self._all_known(labels):
            raise Misbehaves(f"{method} returned {self._unknown(labels)}")
        if kept is not None:
            kept.append(labels.copy())  # an estimator may give the same array again
        return int(np.count_nonzero(labels != y))

    def _all_known(self, labels: NDArray[Any]) -> bool:
        if self._labels.size > MOST_CLASSES:
            return bool(np.isin(labels, self._labels).all())
        known = sum(int(np.count_nonzero(labels == each)) for each in self._labels.tolist())
        return known == labels.size

    def _unknown(self, labels: NDArray[Any]) -> str:
        """Return which label it is that cannot be predicted, and which can."""
        known = self._labels.tolist()
        odd = next(
            (each for each in labels.tolist() if not isinstance(each, Number) or each not in known),
            labels.dtype,
        )
        listed = ", ".join(map(shown, known[:MOST_CLASSES]))
        more = ", ..." if len(known) > MOST_CLASSES else ""
        return f"the label {shown(odd)}, not one of {self._told}: {listed}{more}"


def _array(predicted: Any) -> NDArray[Any] | None:
    """Return an answer as a plain array, one of Python objects as numbers; None where it is none.

    A subclass of arrays, which may compare as it likes, becomes an array.
    """
    if predicted is None:
        return None
    try:
        array = np.asarray(predicted)
        return np.asarray(array.tolist()) if array.dtype.kind == "O" else array
    except (TypeError, ValueError):  # rows of several lengths
        return None


def scalars_of(fitted: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public numbers, flags and texts that a fit left, as JSON holds them.

    Raises
    ------
    Misbehaves
        If a number cannot be held: a complex one, or one beyond the range of floats.
    """
    for name, value in getattr(fitted, "__dict__", {}).items():
        if name.endswith("_") and not name.startswith("_") and name != "n_features_in_":
            if isinstance(value, np.generic | np.ndarray) and value.shape in ((), (1,)):
                value = value.item()
            if isinstance(value, Number | str):
                yield name, plain(name, value)


def plain(name: str, value: Any) -> bool | int | float | str:
    """Return a number or a text as a plain one, which JSON can hold.

    Parameters
    ----------
    name : str
        What it is called in messages.
    value : number or str
        The value, of a class that may be anybody's.

    Returns
    -------
    bool, int, float or str
        The value; a number that is none of these as a float.

    Raises
    ------
    Misbehaves
        If a number is complex, or beyond the range of floats.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _writable(value)
    try:
        number = float(value)  # a complex number has none, and one that is too large overflows
        return int.__int__(value) if isinstance(value, int) else number
    except (TypeError, OverflowError) as error:
        raise Misbehaves(
            f"its attribute {name} is no number that a record can hold: {shown(value)}"
        ) from error


def curve(name: str, values: Any) -> list[Any]:
    """Return an attribute that `record:` names as lists of numbers, flags or texts.

    Raises
    ------
    Misbehaves
        If JSON cannot hold it.
    """
    array = _array(values)
    try:
        if array is None:
            raise TypeError("no array")
        listed: list[Any] = (array.astype(float) if array.dtype.kind == "f" else array).tolist()
        if array.dtype.kind not in NUMBERS:
            json.dumps(listed)
        return listed
    except (TypeError, ValueError) as error:
        raise Misbehaves(
            f"its attribute {name} is no array that a record can hold: {shown(values)}"
        ) from error


def shown(value: Any) -> str:
    """Return what an object looks like, at most MOST_CHARACTERS of it."""
    return _cut(_writable(repr(value)))


def told(error: Any) -> str:
    """Return the text of an error or a warning, at most MOST_CHARACTERS of it.

    If the text contains a traceback, as that of a failed search over parameters does, its first
    and last lines are kept.
    """
    return _cut(_without_traceback(_writable(str(error))))


def _without_traceback(text: str) -> str:
    if TRACEBACK not in text:
        return text
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ... ".join([*lines[:1], *lines[-1:]])


def traceback_of(error: BaseException) -> str:
    """Return the last lines of where an error was raised, as Python shows them."""
    return _writable("".join(traceback.format_exception(error, limit=-8)))


def _writable(text: str) -> str:
    """Return a text as UTF-8 can have it: names of files may have bytes that are no characters."""
    return text.encode("utf-8", "backslashreplace").decode()


def _cut(text: str) -> str:
    return f"{text[:MOST_CHARACTERS]} ..." if len(text) > MOST_CHARACTERS else text
