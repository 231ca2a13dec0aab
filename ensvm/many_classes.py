"""Whether a classifier takes more than two classes, whatever it is made of."""

from collections.abc import Iterator
from typing import Any

from sklearn.base import is_classifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier
from sklearn.utils import get_tags

# They fit their parts to two classes at a time.
GIVES_TWO_CLASSES = (OneVsOneClassifier, OneVsRestClassifier, OutputCodeClassifier)


def takes_many_classes(estimator: Any) -> bool:
    """Return whether a classifier takes more than two classes, which is the default.

    A meta-estimator does not if one of its parts does not, unless it gives the part two classes, as
    OneVsRestClassifier does.
    """
    try:
        tags = get_tags(estimator).classifier_tags
    except Exception:  # somebody's own class, without scikit-learn's base
        return True
    if tags is not None and not tags.multi_class:
        return False
    if isinstance(estimator, GIVES_TWO_CLASSES) or getattr(estimator, "wraps_parts", False):
        return True
    return all(map(takes_many_classes, _parts(estimator)))


def learns_one_against_rest(estimator: Any) -> Iterator[Any]:
    """Yield what learns many classes one against the rest: a classifier, or parts inside it."""
    if not takes_many_classes(estimator):
        yield estimator
    elif hasattr(estimator, "get_params") and not isinstance(estimator, GIVES_TWO_CLASSES):
        for part in _parts(estimator):
            yield from learns_one_against_rest(part)


def _parts(estimator: Any) -> Iterator[Any]:
    """Yield the classifiers among the parameters of an estimator, also in lists of named ones."""
    for value in estimator.get_params(deep=False).values():
        inside = value if isinstance(value, list | tuple) else [value]
        for part in inside:
            part = part[-1] if isinstance(part, list | tuple) and part else part
            if hasattr(part, "get_params") and not isinstance(part, type) and is_classifier(part):
                yield part
