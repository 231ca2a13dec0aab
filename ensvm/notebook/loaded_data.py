"""The data sets of studies for a notebook: arrays, row numbers of splits, scaled realizations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.data import Dataset, DatasetCard, Realization, find_card, load
from ensvm.errors import must_be_path

MOST_SPLITS = 100  # the number of splits by default, if rows are drawn


class LoadedData:
    """The rows of a data set with its card, and how studies split them.

    Attributes
    ----------
    card : DatasetCard
        What is known of the data set: its source, licence, split and scaling.
    X : ndarray or csr_array of shape (n, d)
        The inputs before scaling; NaN where a value is missing.
    y : ndarray of str, shape (n,)
        The label of each row.
    groups : ndarray of str, shape (n,), or None
        The group of each row, if the split keeps groups whole.

    Examples
    --------
    >>> import ensvm
    >>> data = ensvm.load_data("german")
    >>> data.X.shape, data.card.licence
    ((1000, 20), 'CC BY 4.0 (as commonly stated by UCI)')
    """

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self.card: DatasetCard = dataset.card
        self.X: Any = dataset.X
        # The codes of y are -1 and +1 if one label is positive, else 0, 1, ...
        codes = dataset.y if self.card.positive is None else (dataset.y > 0).astype(np.intp)
        self.y: NDArray[np.str_] = np.array(dataset.classes)[codes]
        self.groups = dataset.groups

    def splits(
        self, realizations: int | None = None
    ) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Return the row numbers of the training and test parts of the first realizations.

        scikit-learn takes the list as `cv`. A study with this data set and the card's split has
        the same rows in the same realizations.

        Parameters
        ----------
        realizations : int or None, default None
            How many; None for all, or 100 if the card's split has no limit.

        Returns
        -------
        list of (train, test)
            Arrays of row numbers from 0.

        Raises
        ------
        UserError
            If there are not so many realizations.
        """
        last = realizations or self.card.max_realizations or MOST_SPLITS
        return [self._dataset.split(index) for index in range(1, last + 1)]

    def realization(self, index: int) -> Realization:
        """Return a realization as studies train and test on it: split, filled in and scaled.

        Parameters
        ----------
        index : int
            Its number, from 1.

        Returns
        -------
        Realization
            `X_train`, `y_train`, `X_test` and `y_test`; the y are -1 and +1, or 0, 1, ....

        Raises
        ------
        UserError
            If there is no such realization.
        """
        return self._dataset.realization(index)


def load_data(name: str, *, data_dir: str | Path | None = None) -> LoadedData:
    """Return a data set by the name of its card, downloaded if need be.

    Parameters
    ----------
    name : str
        A name as `ensvm data list` shows it, or that of a card of your own in `datasets/`.
    data_dir : str, Path or None, default None
        A folder with data files; None for the one that ENSVM_DATA names.

    Returns
    -------
    LoadedData
        The data set.

    Raises
    ------
    UserError
        If no card has the name, or no provider has the data.

    Examples
    --------
    >>> import ensvm
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.svm import SVC
    >>> data = ensvm.load_data("titanic")
    >>> scores = cross_val_score(SVC(), data.X, data.y, cv=data.splits(3))
    >>> len(scores)
    3
    >>> data.realization(3).X_train.shape
    (150, 3)
    """
    must_be_path("name", name)
    must_be_path("data_dir", data_dir, or_none=True)
    card = find_card(str(name), Path("datasets"))
    return LoadedData(load(card, data_dir=None if data_dir is None else Path(data_dir)))
