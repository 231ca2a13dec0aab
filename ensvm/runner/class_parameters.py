"""Parameters that name classes.

A config names classes by the labels of the data, in `class_weight:`, in `priors:`, in the
`constant:` of a DummyClassifier and the like. Estimators are fitted on codes: -1 and +1, or
0, 1, ... with more classes.
"""

from ast import literal_eval
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Number
from typing import Any

from ensvm.data import DatasetCard
from ensvm.records.settings import AlgorithmSettings
from ensvm.study.algorithms import is_spec
from ensvm.study.metrics import SEARCH as SCORES_OF_SEARCH
from ensvm.yaml_block import FLAGS

WEIGHTS = "class_weight"
# Parameters that are a mapping from labels, also those of imbalanced-learn and CatBoost.
BY_LABEL = (WEIGHTS, "class_weights", "sampling_strategy")
# Parameters that have a number for each class, in the order of the classes.
BY_CLASS = ("priors", "class_prior")
IN_ORDER = (*BY_CLASS, "class_weights")  # those that may be a list, which says no labels
# It takes a label of the type int64 alone, and y is int8; or this text in place of a label.
OUTLIERS, MOST_FREQUENT = "outlier_label", "most_frequent"
# Parameters that are a label, by the class that has them.
LABELS = {
    "DummyClassifier": "constant",
    "FixedThresholdClassifier": "pos_label",
    "RadiusNeighborsClassifier": OUTLIERS,
}
SEARCH = "SearchCV"  # ends the names of searches, whose grids hold parameters of another estimator
# Classes that take the code -1, that of the first of two classes, for a row without a label.
ZERO_AND_ONE = "OneVsRestClassifier"  # gives its estimator the codes 0 and 1
# Classes that number the classes of their rows from 0, and fit themselves or their parts on that.
NUMBERS_CLASSES = (
    *("BaggingClassifier", "VotingClassifier", "StackingClassifier"),
    *("GradientBoostingClassifier", "HistGradientBoostingClassifier"),
)
# Classes that fit their part on pairs or sets of classes: 0 and 1, of two classes those themselves.
SPLITS_CLASSES = ("OneVsRestClassifier", "OneVsOneClassifier", "OutputCodeClassifier")
UNLABELLED = ("LabelPropagation", "LabelSpreading", "SelfTrainingClassifier")


class UnknownLabel(ValueError):
    """A label that a data set does not have; the message says which it has."""


def label_codes(card: DatasetCard) -> dict[str, int]:
    """Return the code in y of each label of a data set."""
    codes = (-1, 1) if card.positive is not None else range(len(card.labels))
    return dict(zip(card.labels, codes, strict=True))


def in_codes(method: AlgorithmSettings, card: DatasetCard) -> AlgorithmSettings:
    """Return an algorithm whose parameters name the classes of a data set by their codes.

    Raises UnknownLabel if a parameter names a label that the data set does not have.
    """
    classes = _classes_of(method)
    wrong = classes.intersection(UNLABELLED)
    if wrong and card.positive is not None and ZERO_AND_ONE not in classes:
        raise UnknownLabel(
            f"{min(wrong)} takes -1 for a row without a label, and the first of two classes has "
            f"this code; write {{estimator: {ZERO_AND_ONE}, params: {{estimator: {min(wrong)}}}}}"
        )
    translation = _Translation(label_codes(card), _label_parameters(classes), tuple(classes))
    inner = translation.inside(method.estimator)
    return replace(
        method,
        estimator=translation.of_value(method.estimator, ""),
        params=inner.of_value(method.params, ""),
        grid=None if method.grid is None else inner.of_value(method.grid, ""),
    )


def by_labels(
    point: Mapping[str, Any] | None, method: AlgorithmSettings, card: DatasetCard
) -> Mapping[str, Any] | None:
    """Return the values that a search chose, with the labels of a data set for their codes."""
    labels = {code: label for label, code in label_codes(card).items()}
    labels |= {0: labels[-1]} if -1 in labels else {}  # where classes are numbered anew
    is_label = _label_parameters(_classes_of(method))

    def back(name: str, value: Any) -> Any:
        """Return the value of a parameter with labels for codes."""
        if isinstance(value, str) and name in (*BY_LABEL, *BY_CLASS):  # as searches are recorded
            with suppress(ValueError, SyntaxError):
                value = literal_eval(value)
        if name in is_label and isinstance(value, int):
            return labels.get(value, value)
        if name in BY_LABEL and isinstance(value, Mapping):
            return {labels[code]: number for code, number in value.items() if code in labels}
        if name in BY_CLASS and isinstance(value, list):
            return dict(zip(label_codes(card), value, strict=True))
        return value

    return point and {key: back(_last(key), value) for key, value in point.items()}


def searched_by_labels(
    curves: Mapping[str, list[Any]], method: AlgorithmSettings, card: DatasetCard
) -> dict[str, list[Any]]:
    """Return curves in which the values that a search tried have labels, as texts, for codes."""

    def back(key: str, value: Any) -> Any:
        """Return a value of a parameter with labels for codes."""
        found = (by_labels({key: value}, method, card) or {})[key]
        if not isinstance(found, Mapping):
            return found
        return ", ".join(f"{label}: {number}" for label, number in found.items())

    begin = f"{SCORES_OF_SEARCH}."
    return {
        name: [back(name.removeprefix(begin), value) for value in values]
        if name.startswith(begin)
        else values
        for name, values in curves.items()
    }


def parameter_by_class(value: Any, key: Any = "") -> str:
    """Return the name of a parameter that has weights or numbers by labels; else ""."""
    if isinstance(value, Mapping):
        if _last(key) in (*BY_LABEL, *BY_CLASS):
            return _last(key)
        found = (parameter_by_class(inner, name) for name, inner in value.items())
    elif isinstance(value, list):
        found = (parameter_by_class(inner, key) for inner in value)
    else:
        return ""
    return next(filter(None, found), "")


def labels_left(method: AlgorithmSettings, card: DatasetCard) -> list[str]:
    """Return the parameters that seem to name labels, and whose values estimators get as written.

    Such a value is a label that is not a number, or a mapping from all labels.
    """
    if all(label == str(code) for label, code in label_codes(card).items()):
        return []
    codes = _Translation(label_codes(card))
    translated = {*BY_LABEL, *BY_CLASS, *LABELS.values()}

    def names(value: Any, key: Any) -> Iterator[str]:
        """Yield the parameters inside a value that have a label of the data set."""
        if _last(key) in translated:
            return
        if isinstance(value, Mapping):
            if len(value) == len(card.labels) and all(map(codes.has, value)):
                yield _last(key)
            for inner, each in value.items():
                yield from names(each, inner)
        elif isinstance(value, list):
            for each in value:
                yield from names(each, key)
        elif isinstance(value, str) and not _is_number(value) and codes.has(value):
            yield _last(key)

    found = names({**method.params, "": [method.estimator, method.grid]}, "")
    return sorted({*filter(None, found)} - {"estimator"})


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _classes_of(method: AlgorithmSettings) -> set[str]:
    """Return the names of the classes of an algorithm, its parts' too, and other texts."""
    return set(_classes_in([method.estimator, method.params, method.grid or {}]))


def _label_parameters(classes: Collection[str]) -> set[str]:
    """Return the parameters of some classes that are labels."""
    return {LABELS[name] for name in classes if name in LABELS}


def _classes_in(value: Any) -> Iterator[str]:
    """Yield the names of classes among the texts in nested blocks, and other texts."""
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from _classes_in(inner)
    elif isinstance(value, str):
        yield value.rpartition(":")[2]


@dataclass(frozen=True)
class _Translation:
    """Puts the codes of a data set in the place of its labels."""

    codes: Mapping[str, int]
    labels: Collection[str] = ()  # the parameters of the algorithm and its parts that are labels
    classes: Collection[str] = ()  # the names of all classes in the algorithm
    around: tuple[str, ...] = ()  # those whose parameters or parts are translated

    def inside(self, spec: Any) -> "_Translation":
        """Return the translation of the parameters of an estimator of a config."""
        while isinstance(spec, Mapping):
            spec = spec.get("estimator")  # None of a pipeline
        return replace(self, around=(*self.around, *_classes_in(spec)))

    def of_value(self, value: Any, key: Any) -> Any:
        """Return a block, a list or the value of a parameter, by codes."""
        name = _last(key)
        is_by_class = name in (*BY_LABEL, *BY_CLASS) and isinstance(value, Mapping | list)
        if is_by_class or name in self.labels:
            return self._in_place(str(key)).of_classes(value, name)
        if isinstance(value, Mapping):
            if is_spec(value):
                inner = self.inside(value)
                return {each: inner.of_value(part, "") for each, part in value.items()}
            return {inner: self.of_value(each, inner) for inner, each in value.items()}
        if isinstance(value, list):
            return [self.of_value(each, key) for each in value]  # estimators, or values of a grid
        return value

    def of_classes(self, value: Any, name: str) -> Any:
        """Return the value of a parameter that names classes, or a list of values of a grid."""
        if name in self.labels:
            return self._label(value, name)
        if isinstance(value, Mapping):
            if name in BY_CLASS:
                return self._numbers(value, name)
            return {self._code(label, name): weight for label, weight in value.items()}
        if not isinstance(value, list):
            return value
        if name in IN_ORDER and any(isinstance(each, Number) for each in value):
            raise UnknownLabel(
                f"{name}: a list does not say which number is of which label; write "
                f"{{{', '.join(f'{label}: NUMBER' for label in self.codes)}}}"
            )
        return [self.of_classes(each, name) for each in value]

    def _in_place(self, key: str) -> "_Translation":
        """Return the translation with the codes that the estimator of a parameter is fitted on.

        A path such as `estimator__class_weight`, or a parameter of a grid, may be of a part that
        stands elsewhere in the algorithm, so all classes count for it.
        """
        is_path = "__" in key or any(name.endswith(SEARCH) for name in self.around)
        around = set(self.classes if is_path else self.around)
        splits = around.intersection(SPLITS_CLASSES)
        if splits and (len(self.codes) > 2 or "OutputCodeClassifier" in splits):
            raise UnknownLabel(
                f"{_last(key)} by labels cannot be used inside {min(splits)}, which fits its part "
                "on some classes against others"
            )
        if not around.intersection((*SPLITS_CLASSES, *NUMBERS_CLASSES)):
            return self
        return replace(self, codes={label: code for code, label in enumerate(self.codes)})

    def _numbers(self, value: Mapping[Any, Any], name: str) -> list[Any]:
        """Return numbers by labels as a list in the order of the codes."""
        numbers = {self._code(label, name): number for label, number in value.items()}
        missing = [label for label, code in self.codes.items() if code not in numbers]
        if missing:
            raise UnknownLabel(f"{name}: the label {missing[0]!r} has no number")
        return [numbers[code] for code in sorted(numbers)]

    def _label(self, value: Any, name: str) -> Any:
        if isinstance(value, list):
            return [self._label(each, name) for each in value]
        if value is None or (name == OUTLIERS and value == MOST_FREQUENT):
            return value
        if name == OUTLIERS:
            raise UnknownLabel(f"{name}: a label is not accepted; accepted: {MOST_FREQUENT}")
        return self._code(value, name)

    def has(self, label: Any) -> bool:
        """Return whether the data set has a label."""
        try:
            self._code(label, "")
        except UnknownLabel:
            return False
        return True

    def _code(self, label: Any, name: str) -> int:
        if str(label) in self.codes:
            return self.codes[str(label)]
        if isinstance(label, bool):
            raise UnknownLabel(f"{name}: {label} is not a label{FLAGS}")
        for known, code in self.codes.items():  # labels 1.0 and 2.0 of a file, written as 1 and 2
            try:
                if float(known) == float(label):
                    return code
            except (TypeError, ValueError):
                continue
        raise UnknownLabel(f"{name}: unknown label {label!r}; accepted: {', '.join(self.codes)}")


def _last(key: Any) -> str:
    return str(key).rpartition("__")[2]
