"""Standardisation inside a machine, as `svm` of the R package e1071 does by its own default.

A machine that takes z = (x - shift) / spread is evaluated without making z: the division is taken
into the machine's side of every product, and |z|^2 is a weighted sum of the x_j^2 and x_j.

Reference: Meyer et al., e1071: Misc Functions of the Department of Statistics, TU Wien, `svm`
(argument `scale`).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ensvm.kernels.augmented_rows import Kernel, Rows, kernel_factor


@dataclass(frozen=True, eq=False)
class Standardisation:
    """The map z = (x - centre - shift) / spread of rows, whose centre is that of the `Rows`.

    Attributes
    ----------
    shift : ndarray of shape (d,)
        What is subtracted from the centred columns.
    spread : ndarray of shape (d,)
        By what they are divided, positive.
    """

    shift: NDArray[np.float64]
    spread: NDArray[np.float64]

    def applied_to(self, rows: Rows) -> Rows:
        """Return the rows z.

        Parameters
        ----------
        rows : Rows
            n rows x.

        Returns
        -------
        Rows
            The n rows z, centred on 0.
        """
        scaled = (rows.exact[:, :-2] - self.shift) / self.spread
        return Rows(scaled, np.zeros_like(self.shift))

    def factor(self, rows: Rows, kernel: Kernel) -> NDArray[np.float64]:
        """Return the factor of rows z whose product with (x - centre, 1, |z|^2) has their kernel.

        Parameters
        ----------
        rows : Rows
            n rows x.
        kernel : Kernel
            The kernel of z.

        Returns
        -------
        ndarray of shape (n, d + 2)
            The factor.
        """
        factor = kernel_factor(self.applied_to(rows), kernel, np.float64)
        factor[:, :-2] /= self.spread
        factor[:, -2] -= factor[:, :-2] @ self.shift
        return factor

    def norms(self, rows: Rows, squares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return |z|^2 of rows x.

        Parameters
        ----------
        rows : Rows
            n rows x.
        squares : ndarray of shape (n, d)
            The squares of their centred columns, which all machines share.

        Returns
        -------
        ndarray of shape (n,)
            The squared norms.
        """
        weights = self.spread**-2.0
        linear = rows.exact[:, :-2] @ (2.0 * self.shift * weights)
        return squares @ weights - linear + self.shift**2.0 @ weights


def standardised_columns(X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which columns are standardised: all but those of two values, as an indicator has.

    e1071 leaves the indicators of a factor as they are and does not look whether they are constant.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The training rows.

    Returns
    -------
    ndarray of bool, shape (d,)
        Whether each column has one value, or three or more.
    """
    low, high = X.min(axis=0), X.max(axis=0)
    return (low == high) | ((low != X) & (high != X)).any(axis=0)


def standardised_inputs(X: NDArray[np.float64], columns: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the rows as a machine that is trained on all of them takes them.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        The training rows.
    columns : ndarray of bool, shape (d,)
        The columns to standardise.

    Returns
    -------
    ndarray of shape (n, d)
        The standardised rows, or X itself if one of the columns is constant.
    """
    rows = Rows(X, X.mean(axis=0))
    standardisation = standardisation_of(rows, np.ones(len(X), dtype=np.intp), columns)
    return X if standardisation is None else standardisation.applied_to(rows).exact[:, :-2]


def standardisation_of(
    rows: Rows, counts: NDArray[np.intp], columns: NDArray[np.bool_]
) -> Standardisation | None:
    """Return the standardisation of a sample, or None if one of the columns is constant in it.

    Parameters
    ----------
    rows : Rows
        The sample's distinct rows.
    counts : ndarray of int, shape (m,)
        How often each is in it.
    columns : ndarray of bool, shape (d,)
        The columns to standardise to mean 0 and deviation 1 (ddof 1); the others stay.

    Returns
    -------
    Standardisation or None
        None where e1071 scales nothing, with a warning.
    """
    X = rows.exact[:, :-2]
    if not columns.any() or not np.ptp(X[:, columns], axis=0).all():
        return None
    total = counts.sum()
    mean = counts @ X / total
    deviation = np.sqrt(counts @ (X - mean) ** 2.0 / (total - 1))
    if not deviation[columns].all():  # so near to one value that its squares are 0
        return None
    return Standardisation(np.where(columns, mean, -rows.centre), np.where(columns, deviation, 1.0))
