"""Parameters that name classes.

A config names classes by the labels of the data, in `class_weight:` and in the `constant:` of a
DummyClassifier. Estimators are fitted on codes: -1 and +1, or 0, 1, ... with more classes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ensvm.data import DatasetCard
from ensvm.records.settings import AlgorithmSettings

WEIGHTS, CONSTANT = "class_weight", "constant"
_CONSTANT_CLASS = "DummyClassifier"  # the class whose parameter `constant` is a label


class UnknownLabel(ValueError):
    """A label that a data set does not have; the message says which it has."""


def codes_of(card: DatasetCard) -> dict[str, int]:
    """Return the code in y of each label of a data set."""
    codes = (-1, 1) if card.positive is not None else range(len(card.labels))
    return dict(zip(card.labels, codes, strict=True))


def in_codes(method: AlgorithmSettings, card: DatasetCard) -> AlgorithmSettings:
    """Return an algorithm whose parameters name the classes of a data set by their codes.

    Raises UnknownLabel if a parameter names a label that the data set does not have.
    """
    codes = codes_of(card)
    is_constant = str(method.estimator).endswith(_CONSTANT_CLASS)
    return replace(
        method,
        estimator=_translated(method.estimator, codes, ""),
        params=_of_block(method.params, codes, is_constant),
        grid=None if method.grid is None else _of_block(method.grid, codes, is_constant),
    )


def names_classes(method: AlgorithmSettings) -> bool:
    """Return whether the weights of an algorithm are given by labels."""
    return any(_weights_in([method.estimator, method.params, method.grid or {}]))


def _weights_in(value: Any) -> Iterator[bool]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if _last(key) == WEIGHTS:
                yield isinstance(inner, Mapping) or (
                    isinstance(inner, list) and any(isinstance(each, Mapping) for each in inner)
                )
            yield from _weights_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _weights_in(inner)


def _of_block(params: Mapping[str, Any], codes: Mapping[str, int], constant: bool) -> Any:
    """Return the parameters of one estimator, or the values of its grid, by codes."""
    return {
        key: _labels(value, codes)
        if constant and _last(key) == CONSTANT
        else _translated(value, codes, key)
        for key, value in params.items()
    }


def _translated(value: Any, codes: Mapping[str, int], key: Any) -> Any:
    if isinstance(value, Mapping):
        if _last(key) == WEIGHTS:
            return {_code(label, codes, WEIGHTS): weight for label, weight in value.items()}
        constant = str(value.get("estimator")).endswith(_CONSTANT_CLASS)
        return {
            name: _of_block(inner, codes, constant)
            if name == "params" and isinstance(inner, Mapping)
            else _translated(inner, codes, name)
            for name, inner in value.items()
        }
    if isinstance(value, list):  # of estimators, or of the values of a grid
        return [_translated(each, codes, key) for each in value]
    return value


def _labels(value: Any, codes: Mapping[str, int]) -> Any:
    if isinstance(value, list):
        return [_labels(each, codes) for each in value]
    return None if value is None else _code(value, codes, CONSTANT)


def _code(label: Any, codes: Mapping[str, int], parameter: str) -> int:
    if str(label) in codes:
        return codes[str(label)]
    for name, code in codes.items():  # labels 1.0 and 2.0 of a file, written as 1 and 2
        try:
            if float(name) == float(label):
                return code
        except (TypeError, ValueError):
            continue
    raise UnknownLabel(f"{parameter}: no label {label!r}; its labels: {', '.join(codes)}")


def _last(key: Any) -> str:
    return str(key).rpartition("__")[2]
