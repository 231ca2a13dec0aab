"""Checks of what an estimator returns before it enters a record: labels, scores, attributes."""

import json
import math
import traceback
from collections.abc import Iterator
from contextlib import suppress
from numbers import Number
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_CHARACTERS = 2000  # of one text in a record
MOST_OF_A_TRACEBACK = 20_000  # characters
MOST_BITS = 64  # of a whole number in a record; Python prints no number of 15,000 bits
NUMBERS = "biuf"  # kinds of arrays of real numbers
TRACEBACK = "Traceback (most recent call last)"


class Misbehaves(Exception):
    """An estimator broke a rule; its message is the reason of the failed cell."""


def classes_of(fitted: Any, y: NDArray[Any]) -> NDArray[Any]:
    """Return the labels that a classifier may predict: its `classes_`, else those in `y`.

    Libraries keep them as arrays of objects or of texts, or in a list for each output.
    """
    given = getattr(fitted, "classes_", None)
    with suppress(TypeError, ValueError):
        classes = np.asarray(given)
        if classes.dtype.kind not in NUMBERS:
            classes = np.asarray(given, dtype=np.float64)
        if classes.ndim == 2 and len(classes) == 1:
            classes = classes[0]
        if classes.ndim == 1:
            return classes
    return np.unique(y)


def checked_labels(
    method: str, answer: Any, y: NDArray[Any], classes: NDArray[Any]
) -> NDArray[Any]:
    """Return predicted labels as an array of the shape of `y`.

    A column of labels, or an array of objects that are numbers, is accepted, since libraries return
    them.

    Raises Misbehaves if the answer does not have one label for each row, each of them in `classes`.
    """
    try:
        labels = numbers_of(answer)
    except Misbehaves as error:
        raise Misbehaves(f"{method} returned {error}") from None
    except ValueError:  # parts of different shapes, such as labels and scores in a tuple
        labels = np.array(None)
    if labels.shape == (*y.shape, 1):
        labels = labels[:, 0]
    if labels.shape != y.shape:
        returned = f"shape {labels.shape}" if labels.ndim else shown(answer)
        raise Misbehaves(f"{method} returned {returned}; shape {y.shape} is expected")
    if labels.dtype.kind not in NUMBERS:
        raise Misbehaves(f"{method} returned labels of type {labels.dtype}, not numbers")
    # For few classes, comparing with each of them is faster than `np.isin`.
    matching = (
        sum(int(np.count_nonzero(labels == label)) for label in classes.tolist())
        if classes.size <= 16
        else int(np.isin(labels, classes).sum())
    )
    if matching < labels.size:
        unknown = labels[~np.isin(labels, classes)].tolist()[0]
        raise Misbehaves(
            f"{method} returned the label {shown(unknown)}, not one of {classes.tolist()[:16]}"
        )
    return labels


def numbers_of(answer: Any) -> NDArray[Any]:
    """Return an answer as an array; objects that are numbers become floats.

    Raises Misbehaves for masked values, which are none.
    """
    if isinstance(answer, np.ma.MaskedArray) and np.ma.is_masked(answer):
        raise Misbehaves(f"a masked array with {int(np.ma.count_masked(answer))} masked values")
    array = np.asarray(answer)
    if array.dtype.kind == "O" and all(isinstance(each, Number) for each in array.flat):
        return array.astype(np.float64)
    return array


def scalars_of(fitted: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public numbers, flags and texts that a fit left, as JSON holds them."""
    for name, value in getattr(fitted, "__dict__", {}).items():
        if name.endswith("_") and not name.startswith("_") and name != "n_features_in_":
            if isinstance(value, np.generic | np.ndarray) and value.shape in ((), (1,)):
                value = value.tolist()  # None for a masked value
                value = value[0] if isinstance(value, list) else value
            if isinstance(value, int) and value.bit_length() > MOST_BITS:
                value = _as_float(value)
            if isinstance(value, bool | int | float):
                yield name, value
            elif isinstance(value, str):
                yield name, cut(_encodable(value))


def _as_float(number: int) -> float:
    """Return a whole number as a float; infinity if it is too large for one."""
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def compared_rows(fitted: Any) -> NDArray[Any] | None:
    """Return the numbers of the training rows whose kernel a prediction computes; None if unknown.

    They are the `support_` of an expansion or the `component_indices_` of Nystroem. The best
    estimator of a search and the steps of a pipeline are looked at too. A row that several machines
    of one class against the rest use is counted once.
    """
    from sklearn.multiclass import OneVsRestClassifier

    for name in ("support_", "component_indices_"):
        rows = np.asarray(getattr(fitted, name, None))
        if rows.ndim == 1 and rows.dtype.kind in "iu":
            return rows
    parts = [fitted.best_estimator_] if hasattr(fitted, "best_estimator_") else []
    parts += [step for _, step in getattr(fitted, "steps", [])]
    if isinstance(fitted, OneVsRestClassifier):
        parts += fitted.estimators_
    found = [rows for rows in map(compared_rows, parts) if rows is not None]
    return np.unique(np.concatenate(found)) if found else None


def curve(name: str, values: Any) -> list[Any]:
    """Return an attribute that `record:` names as lists of numbers, flags or texts.

    Raises Misbehaves if JSON cannot hold it.
    """
    try:
        array = np.ma.asarray(values)  # whose masked values become None
        listed: list[Any] = (array.astype(float) if array.dtype.kind == "f" else array).tolist()
        json.dumps(listed)
    except (TypeError, ValueError) as error:
        raise Misbehaves(
            f"its attribute {name} is not an array that a record can hold: {shown(values)}"
        ) from error
    return listed


def shown(value: Any) -> str:
    """Return what an object looks like, at most MOST_CHARACTERS of it."""
    try:
        return cut(_encodable(repr(value)))
    except BaseException as error:
        return f"an object of {_kind_of(value)}, whose repr() raises {_kind_of(error)}"


def error_text(error: Any, *, kind: bool = False) -> str:
    """Return the text of an error or a warning, cut after MOST_CHARACTERS.

    With `kind`, the name of its class stands before it.

    If the text contains a traceback, as that of a failed search over parameters does, its first
    and last lines are kept.
    """
    try:
        text = _encodable(str(error))
    except BaseException as raised:
        text = f"its text cannot be shown: str() raises {_kind_of(raised)}"
    if TRACEBACK in text:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        text = " ... ".join([*lines[:1], *lines[-1:]])
    return f"{_kind_of(error)}: {cut(text)}".strip().removesuffix(":") if kind else cut(text)


def traceback_of(error: BaseException) -> str:
    """Return the last lines of where an error was raised, as Python shows them."""
    try:
        text = _encodable("".join(traceback.format_exception(error, limit=-8)))
    except BaseException as raised:
        return f"the traceback cannot be shown: {_kind_of(raised)}"
    return text if len(text) <= MOST_OF_A_TRACEBACK else f"... {text[-MOST_OF_A_TRACEBACK:]}"


def _kind_of(value: Any) -> str:
    """Return the name of the class of an object, which the class itself cannot change."""
    return str(type.__dict__["__name__"].__get__(type(value)))


def _encodable(text: str) -> str:
    """Return a text without surrogates, which no file can hold."""
    return str.encode(text, errors="replace").decode()


def cut(text: str) -> str:
    """Return a text of at most MOST_CHARACTERS; of a longer one its beginning."""
    return f"{text[:MOST_CHARACTERS]} ..." if len(text) > MOST_CHARACTERS else text
