"""Two classes as -1 and +1."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets, type_of_target


def signed_labels(y: Any, classifier: str) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the two classes in sorted order and the labels as -1.0 and +1.0, shapes (2,) and (m,).

    y has shape (m,); its second class in sorted order is +1. The messages of errors name
    `classifier`.

    Raises ValueError for labels that are no classes, or another number of classes than two.
    """
    check_classification_targets(y)
    kind = type_of_target(y, input_name="y")
    classes = np.unique(y)
    if classes.size == 1:
        raise ValueError(
            f"{classifier} needs two classes, but y holds only one class: {classes[0]!r}"
        )
    if kind != "binary":
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {kind}. "
            "Wrap the classifier in sklearn.multiclass.OneVsRestClassifier for more than two "
            "classes."
        )
    return classes, np.where(y == classes[1], 1.0, -1.0)
