"""Classes with scikit-learn's methods but without its base classes."""


class Duck:
    """What it is, is not said."""

    def get_params(self, deep=True):
        return {}

    def set_params(self, **params):
        return self

    def fit(self, X, y):
        return self

    def predict(self, X):
        return X[:, 0]
