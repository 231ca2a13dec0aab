"""Identical training rows merged, and which of them were repeated by hand.

Leaving out one of several identical rows tests a machine on a row that it has seen. This is right
if the inputs take few values, so that new rows repeat old ones too. It is wrong if somebody
repeated rows, to balance the classes or to count some of them more: then all copies are one row.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.classifiers.base import dense, warn_caller

COPIES = 3.0  # of the rows that are held
# Identical pairs, as a multiple of those that independent columns would give, beyond which rows
# were repeated by hand: dependent columns coincide more often, but hardly so much more
COINCIDENCE = 100.0
FEW_ROWS = 10  # of a class, whose columns say less than those of all rows
# A difference of two classes' shares of copies from which on the user is warned
UNEQUAL_SHARES = 0.5
# Distinct values of a column, as a share of the distinct rows, from which on it is one of measured
# numbers. If there is none, rows repeat by chance more often than each column by itself says.
MANY_VALUES = 0.5


@dataclass(frozen=True, eq=False)
class MergedRows:
    """The distinct training rows of positive weight, m of n, sorted by class and then by content.

    Attributes
    ----------
    group : ndarray of int, shape (n,)
        The position of each training row among the distinct ones; -1 for a weight of 0.
    first : ndarray of int, shape (m,)
        The number of the first training row of each group.
    draws : ndarray of shape (m,)
        How many rows each stands for when rows are left out: its multiplicity, or less if rows were
        repeated by hand.
    counts : ndarray of shape (m,)
        The weight of each, whose sum is that of `draws`.
    count : float
        What a row of weight 1 adds to the counts: 1 if no rows were repeated by hand, and less if
        some were.
    """

    group: NDArray[np.intp]
    first: NDArray[np.intp]
    draws: NDArray[np.float64]
    counts: NDArray[np.float64]
    count: float

    @property
    def kept(self) -> NDArray[np.float64]:
        """The part of the weight that stays when a row is left out, shape (m,)."""
        return self.counts - self.counts / self.draws

    def at_rows(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of shape (..., m) at all n training rows, NaN for a weight of 0."""
        return np.where(self.group >= 0, values[..., self.group], np.nan)

    def without_copies(
        self, weight: NDArray[np.float64]
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Return the row that each row was repeated from, and the weights of all n rows.

        Rows repeated by hand are 0 but for the first of them, which has the weight of all. `weight`
        are those of the rows before. The mean of the positive weights is 1.
        """
        first, merged = np.arange(weight.size), weight.copy()
        members = np.bincount(self.group[self.group >= 0])
        for group in np.flatnonzero(members > self.draws):
            copies = np.flatnonzero(self.group == group)
            natural = int(self.draws[group])
            kept = copies[:natural]
            first[copies] = kept[np.arange(copies.size) % natural]
            merged[copies] = 0.0
            merged[kept] = weight[copies].sum() / natural
        return first, merged / (merged.sum() / np.count_nonzero(merged))


def merged_rows(
    X: Any,
    codes: NDArray[np.intp],
    weight: NDArray[np.float64],
    classifier: str,
    *,
    precomputed: bool = False,
) -> MergedRows:
    """Return the distinct rows of X, array or sparse of shape (n, d), by class.

    `codes` are the classes as numbers, `weight` the weights of the rows, both of shape (n,). Of a
    `precomputed` Gram matrix every row is distinct. The order does not depend on that of X. Warns,
    naming the `classifier`, if rows may have been repeated by hand.
    """
    counting = np.flatnonzero(weight)
    rows = None if precomputed else dense(X, COPIES, classifier)[counting] + 0.0  # -0.0 becomes 0.0
    keys: NDArray[Any] = counting
    if rows is not None:
        with_class = np.column_stack([codes[counting], rows])
        keys = np.ascontiguousarray(with_class).view(f"V{8 * with_class.shape[1]}").ravel()
    _, at, members = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(codes[counting[at]], kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(order.size)
    group, members = np.full(len(codes), -1), position[members]
    group[counting] = members
    at = at[order]
    draws = np.bincount(members).astype(np.float64)
    if rows is not None and draws.max() > 1.0:
        draws = independent_draws(rows[at], codes[counting[at]], draws, classifier)
    weights = np.bincount(members, weight[counting]).astype(np.float64)
    count = float(draws.sum() / weights.sum())
    return MergedRows(group, counting[at], draws, weights * count, count)


def independent_draws(
    rows: NDArray[np.float64],
    codes: NDArray[np.intp],
    multiplicities: NDArray[np.float64],
    classifier: str,
) -> NDArray[np.float64]:
    """Return how many independent rows each of some distinct rows stands for, shape (m,).

    In a class whose multiplicities have a common divisor, all rows were repeated so many times. If
    the class with most distinct rows has no copies, those of the others balance the classes. If a
    column has measured numbers, and copies are more than chance gives, they were made by hand, too.
    """
    draws, classes = multiplicities.copy(), np.unique(codes)
    for code in classes:
        own = codes == code
        if own.sum() > 1:
            draws[own] /= np.gcd.reduce(multiplicities[own].astype(np.int64))
    shares = {code: 1.0 - (codes == code).sum() / draws[codes == code].sum() for code in classes}
    largest = max(classes, key=lambda code: (codes == code).sum())
    for code in classes:
        own = codes == code
        alike = rows[own] if own.sum() >= FEW_ROWS else rows
        if shares[largest] == 0.0 or _cannot_coincide(alike, draws[own]):
            draws[own], shares[code] = 1.0, 0.0
    most = max(classes, key=lambda code: shares[code])
    if shares[most] > shares[largest] + UNEQUAL_SHARES:
        warn_caller(
            f"{classifier}: {shares[most]:.0%} of the rows of one class repeat others, of the "
            f"largest class {shares[largest]:.0%}. If rows were repeated to balance the classes, "
            "leave-one-out values are too good: give each row once, with class_weight='balanced' "
            "or sample_weight",
            UserWarning,
        )
    return draws


def _cannot_coincide(rows: NDArray[np.float64], draws: NDArray[np.float64]) -> bool:
    """Return whether there are too many identical pairs for rows that repeat by chance.

    The chance follows from the values of distinct `rows`, each column by itself.
    """
    pairs = float((draws * (draws - 1.0)).sum()) / 2.0
    if pairs == 0.0:
        return False
    chance, most_values = 1.0, 0
    for column in rows.T:
        _, frequencies = np.unique(column, return_counts=True)
        chance *= float(np.square(frequencies / column.size).sum())
        most_values = max(most_values, frequencies.size)
    expected = chance * float(draws.sum()) ** 2 / 2.0
    return most_values >= MANY_VALUES * len(rows) and pairs > COINCIDENCE * expected
