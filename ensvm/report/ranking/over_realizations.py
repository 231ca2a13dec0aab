"""The algorithms of a table on one data set: the corrected resampled t test of each pair."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t

from ensvm.data.errors import near_miss
from ensvm.data.splits import overlap
from ensvm.report.claims.statistics import holm
from ensvm.report.query import Answer, Question, Study, ask, mixed_machines
from ensvm.report.ranking.selection import (
    Chosen,
    NotRanked,
    choose,
    listed,
    must_be_several,
    why_not_comparable,
)
from ensvm.report.tables.cells import question_of
from ensvm.report.tables.legend import column_label
from ensvm.study.metrics import DATA_CELL
from ensvm.study.table import TableConfig

EQUAL = 1e-12  # of the values: differences that are no further apart differ by rounding


@dataclass(frozen=True)
class ComparedPair:
    """Two algorithms on one data set, paired over the realizations that both have.

    Attributes
    ----------
    first, second : str
        The columns.
    first_mean, second_mean : float
        The means over the shared realizations, in the unit of the metric.
    n : int
        The number of shared realizations.
    overlap : float
        What is added to 1/n in the variance of the mean; see `ensvm.data.splits.overlap`.
    difference, low, high : float or None
        First minus second, and its interval at 1 - alpha.
    t, p, p_holm : float or None
        The statistic with n - 1 degrees of freedom, its two-sided p-value, alone and adjusted by
        Holm over all pairs.
    reason : str
        Why there is no test.
    """

    first: str
    second: str
    first_mean: float | None = None
    second_mean: float | None = None
    n: int = 0
    overlap: float = 0.0
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    t: float | None = None
    p: float | None = None
    p_holm: float | None = None
    reason: str = ""


@dataclass(frozen=True)
class Comparisons:
    """All pairs of a table's algorithms on one data set.

    Attributes
    ----------
    chosen : Chosen
        What is compared, and what was left out.
    row : str
        The data set.
    labels : dict of str to str
        The columns as they are called.
    pairs : tuple of ComparedPair
        Each algorithm against each that stands after it in the table.
    parts : tuple of (str, int)
        The facts `n_train` and `n_test` of the data set, where they are recorded.
    alpha : float
        The level of the tests.
    """

    chosen: Chosen
    row: str
    labels: Mapping[str, str]
    pairs: tuple[ComparedPair, ...]
    parts: tuple[tuple[str, int], ...]
    alpha: float


def compare_over_realizations(
    study: Study,
    table: TableConfig,
    row: str,
    *,
    metric: str | None = None,
    alpha: float = 0.05,
) -> Comparisons:
    """Compare the algorithms of a table on one of its data sets.

    Parameters
    ----------
    study : Study
        The study.
    table : TableConfig
        One of its tables.
    row : str
        The data set, as the table calls it.
    metric : str, optional
        What to compare the algorithms in; by default what the table shows.
    alpha : float, default 0.05
        The level of the tests.

    Returns
    -------
    Comparisons
        The pairs.

    Raises
    ------
    NotRanked
        If the table has no such row, or too little is left that can be compared.
    """
    chosen, answers = _answers(study, choose(study, table, metric), row)
    found = [
        _compared(first, second, answers[first], answers[second], alpha)
        for first, second in combinations(answers, 2)
    ]
    if all(pair.p is None for pair in found):
        reasons = "; ".join(dict.fromkeys(pair.reason for pair in found))
        raise NotRanked(f"{row}: there is nothing to test: {reasons}{listed(chosen.left_out)}")
    adjusted = holm([pair.p for pair in found])
    pairs = [replace(pair, p_holm=p) for pair, p in zip(found, adjusted, strict=True)]
    return Comparisons(
        chosen,
        row,
        {column.name: column_label(study, column) for column in chosen.columns},
        tuple(pairs),
        _parts(study, row),
        alpha,
    )


def _answers(study: Study, chosen: Chosen, row: str) -> tuple[Chosen, dict[str, Answer]]:
    """Return the columns that can be compared on a data set, and the values of each."""
    table, rows = chosen.table, study.config.rows_of(chosen.table)
    if row not in rows:
        accepted = f"accepted: {', '.join(rows)}{near_miss(row, rows)}"
        raise NotRanked(f"it has no data set {row!r}; {accepted}")
    left_out, answers = list(chosen.left_out), {}
    for column in chosen.columns:
        answer = ask(study, question_of(table, row, column))
        if reason := why_not_comparable(study, answer):
            left_out.append(f"{column_label(study, column)}: {reason}")
        else:
            answers[column.name] = answer
    columns = tuple(column for column in chosen.columns if column.name in answers)
    must_be_several(columns, left_out)
    records = [record for answer in answers.values() for record in answer.records.values()]
    if mixture := mixed_machines(records, question_of(table, row, columns[0])):
        raise NotRanked(f"{row}: {mixture}")
    return replace(chosen, columns=columns, left_out=tuple(left_out)), answers


def corrected_t(
    differences: NDArray[np.float64], shared: float, alpha: float
) -> tuple[float, float, float, float]:
    """Return the corrected resampled t test of paired differences.

    Parameters
    ----------
    differences : ndarray of shape (n_realizations,)
        Two or more differences, not all equal.
    shared : float
        What is added to 1/n in the variance of the mean, n_test / n_train of random splits.
    alpha : float
        The interval holds the true difference with probability 1 - alpha.

    Returns
    -------
    low, high, t, p : tuple of float
        The interval of the mean, the statistic, and its two-sided p-value.

    References
    ----------
    Nadeau & Bengio (2003), Inference for the generalization error, Machine Learning 52, 239-281.
    """
    n = len(differences)
    mean = float(differences.mean())
    error = float(differences.std(ddof=1)) * math.sqrt(1 / n + shared)
    law = t(n - 1)
    half = float(law.ppf(1 - alpha / 2)) * error
    return mean - half, mean + half, mean / error, 2 * float(law.sf(abs(mean / error)))


def _compared(first: str, second: str, one: Answer, other: Answer, alpha: float) -> ComparedPair:
    numbers = sorted(set(one.values) & set(other.values))
    if not numbers:
        return ComparedPair(first, second, reason="they share no realization")
    scale = one.unit.scale
    paired = scale * np.array([[one.values[at], other.values[at]] for at in numbers], dtype=float)
    differences = paired[:, 0] - paired[:, 1]
    pair = ComparedPair(
        first,
        second,
        float(paired[:, 0].mean()),
        float(paired[:, 1].mean()),
        len(numbers),
        difference=float(differences.mean()),
    )
    if len(numbers) == 1:
        return replace(pair, reason="a single realization has no spread to test by")
    if np.ptp(differences) <= EQUAL * np.abs(paired).max():
        return replace(pair, reason="the difference is the same in all realizations")
    shared = overlap(one.records[numbers[0]].settings.get("split", {}))
    low, high, statistic, p = corrected_t(differences, shared, alpha)
    return replace(pair, overlap=shared, low=low, high=high, t=statistic, p=p)


def _parts(study: Study, row: str) -> tuple[tuple[str, int], ...]:
    facts = ((name, ask(study, Question(row, DATA_CELL, name))) for name in ("n_train", "n_test"))
    return tuple((name, int(min(found.values.values()))) for name, found in facts if found.values)
