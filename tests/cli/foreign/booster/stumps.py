"""Boosting in the manner of large libraries: parameters as keywords, trees inside."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import LabelBinarizer
from sklearn.tree import DecisionTreeRegressor


class StumpBooster(ClassifierMixin, BaseEstimator):
    """Least-squares boosting of small trees, one score a class."""

    def __init__(self, *, n_rounds=50, learning_rate=0.3, max_depth=1, random_state=None):
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.random_state = random_state

    def fit(self, X, y):
        """Fit tree after tree to what the scores still lack."""
        self.classes_ = np.unique(y)
        targets = LabelBinarizer().fit_transform(y)
        targets = np.hstack([1 - targets, targets]) if targets.shape[1] == 1 else targets
        scores = np.zeros(targets.shape)
        self.trees_ = []
        for _ in range(self.n_rounds):
            tree = DecisionTreeRegressor(max_depth=self.max_depth, random_state=self.random_state)
            self.trees_.append(tree.fit(X, targets - scores))
            scores += self.learning_rate * tree.predict(X)
        return self

    def predict(self, X):
        """Return the class of the largest score for each row."""
        scores = sum(self.learning_rate * tree.predict(X) for tree in self.trees_)
        return self.classes_[scores.argmax(axis=1)]
