"""An SVC that hides that it could be given a Gram matrix."""

from sklearn.svm import SVC


class Alone(SVC):
    """The same machine as SVC(kernel='rbf', gamma=0.7, C=3), fitted on X itself."""

    def __init__(self):
        super().__init__(kernel="rbf", gamma=0.7, C=3.0)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = False
        return tags
