"""Test predictions, kept beside the records: a new metric can be computed without a run.

A study's folder has them in `predictions/`, in files named by a hash of their content: the true
labels of a realization are there once, whichever cells they belong to.
"""

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data.providers.folders import replace_file
from ensvm.records.record import printable

PREDICTIONS_FOLDER = "predictions"
DECISION, PROBABILITY = "decision_function", "predict_proba"
METHODS = (DECISION, PROBABILITY)
NO_METHOD = "the classifier has no"  # begins the reason why it gave no scores of a method
_HASH_DIGITS = 32
MEND = "remove the file, and run the study again"


class PredictionsDamaged(ValueError):
    """A file of predictions is not what was written; the message names it."""


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a classifier predicted for the test rows of a realization."""

    true: NDArray[Any]  # shape (n_test,), like `labels`
    labels: NDArray[Any]
    classes: NDArray[Any]  # the labels that it may predict, in ascending order
    # What `decision_function` and `predict_proba` gave, by their names: shape (n_test,) for the
    # decision values of two classes, else (n_test, n_classes).
    scores: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    # Why a method that was called gave no scores, by its name.
    missing: Mapping[str, str] = field(default_factory=dict)


def confusion_of(several: Sequence[Predictions]) -> dict[str, list[Any]]:
    """Count the rows of each pair of a true and a predicted label.

    The result has the `labels`, and in `rows`, for each order of the training rows, the triples
    [true, predicted, number of rows].
    """
    every = [part for one in several for part in (one.true, one.classes)]
    labels = np.unique(np.concatenate(every))
    rows = []
    for one in several:
        true, predicted = np.searchsorted(labels, one.true), np.searchsorted(labels, one.labels)
        counts = np.bincount(true * labels.size + predicted, minlength=labels.size**2)
        at = np.flatnonzero(counts)
        pairs = labels[at // labels.size].tolist(), labels[at % labels.size].tolist()
        rows.append([list(each) for each in zip(*pairs, counts[at].tolist(), strict=True)])
    return {"labels": labels.tolist(), "rows": rows}


def of_confusion(confusion: Mapping[str, list[Any]]) -> list[Predictions]:
    """Return predictions that have these counts: without scores, and with rows in any order."""
    several = []
    for triples in confusion["rows"]:
        true, labels, counts = (np.array(column) for column in zip(*triples, strict=True))
        classes = np.array(confusion["labels"])
        several.append(Predictions(np.repeat(true, counts), np.repeat(labels, counts), classes))
    return several


def packed(several: Sequence[Predictions]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the names of files with predictions, and the content of each file in base64.

    The names are those of the `true` labels and of what was `predicted`, in each order of the
    training rows.
    """
    predicted: dict[str, NDArray[Any]] = {"classes": several[0].classes}
    for number, one in enumerate(several, start=1):
        arrays = {"labels": one.labels, **one.scores, "missing": np.array(json.dumps(one.missing))}
        predicted |= {f"{name}.{number}": values for name, values in arrays.items()}
    contents = {"true": _npz({"true": several[0].true}), "predicted": _npz(predicted)}
    names = {part: f"{_hash(content)}.npz" for part, content in contents.items()}
    files = {names[part]: base64.b64encode(contents[part]).decode() for part in names}
    return names, files


def save_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write files of predictions into a study's folder.

    Raises OSError, which names the file, if one cannot be written.
    """
    for name, text in files.items():
        path, content = folder / PREDICTIONS_FOLDER / name, base64.b64decode(text)
        path.parent.mkdir(parents=True, exist_ok=True)
        if not (path.is_file() and path.read_bytes() == content):
            replace_file(path, content)


def copy_files(names: Iterable[str], folders: Iterable[Path], target: Path) -> None:
    """Copy files of predictions into a study's folder, each from the first that has it."""
    folders = list(folders)
    for name in sorted(set(names)):
        paths = [folder / PREDICTIONS_FOLDER / name for folder in folders]
        path = next((path for path in paths if path.is_file()), None)
        if path is not None:
            (target / PREDICTIONS_FOLDER).mkdir(exist_ok=True)
            replace_file(target / PREDICTIONS_FOLDER / name, path.read_bytes())


def read_predictions(folder: Path, names: Mapping[str, str]) -> list[Predictions]:
    """Return the predictions in a study's folder, for each order of the training rows.

    Raises PredictionsDamaged if a file is missing or was changed.
    """
    path = folder / PREDICTIONS_FOLDER
    try:
        true = _arrays(path / names["true"])["true"]
        arrays = _arrays(path / names["predicted"])
        numbers = sorted(int(name.partition(".")[2]) for name in arrays if name[:6] == "labels")
        return [_of_order(true, arrays, number) for number in numbers]
    except KeyError as error:
        raise PredictionsDamaged(f"{path}: predictions without {error}: {MEND}") from error
    except (AttributeError, RecursionError, ValueError) as error:
        if isinstance(error, PredictionsDamaged):
            raise
        raise PredictionsDamaged(f"{path}: not predictions: {error}; {MEND}") from error


def _of_order(true: NDArray[Any], arrays: Mapping[str, NDArray[Any]], number: int) -> Predictions:
    names = {method: f"{method}.{number}" for method in METHODS if f"{method}.{number}" in arrays}
    return Predictions(
        true,
        arrays[f"labels.{number}"],
        arrays["classes"],
        {method: arrays[name] for method, name in names.items()},
        {
            printable(name): printable(str(reason))
            for name, reason in json.loads(str(arrays[f"missing.{number}"])).items()
        },
    )


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    try:
        content = path.read_bytes()
        if _hash(content) != path.stem:
            raise PredictionsDamaged(f"{path}: damaged: its checksum does not fit; {MEND}")
        with np.load(BytesIO(content), allow_pickle=False) as stored:
            return dict(stored)
    except PredictionsDamaged:
        raise
    except Exception as error:  # NumPy, zipfile and zlib raise a dozen kinds for damaged files
        reason = " ".join(printable(str(error)).split())[:200]
        raise PredictionsDamaged(f"{path}: cannot be read: {reason}; {MEND}") from error


def _npz(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    file = BytesIO()
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_HASH_DIGITS]
