"""What is random behind the values of a query: draws, folds of repetitions, shared rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ensvm.array_types import Vector
from ensvm.data.splits import (
    IndicesSplit,
    OfficialSplit,
    RandomSplit,
    folds_of,
    overlap,
    repetition_and_fold,
)
from ensvm.records.record import Record
from ensvm.report.query import QueryResult
from ensvm.report.study_folder import Study
from ensvm.study.metrics import is_error_rate


def draws(record: Record) -> bool:
    """Return whether an algorithm draws random numbers, as its run found out.

    If the run did not try, an algorithm with a `random_state` counts as one that draws.
    """
    if record.draws is not None:
        return record.draws
    method = record.settings.method
    return method is not None and any(key.endswith("random_state") for key in method.defaults)


def is_fixed(study: Study, result: QueryResult) -> bool:
    """Return whether the rows are the paper's and the algorithm draws no random numbers.

    A search by cross-validation is not fixed: the paper's folds are not known.
    """
    return study.config.dataset(result.query.row).same_rows and not any(
        draws(record) or (record.stage is not None and record.n_stages is None)
        for record in result.all_records
    )


def for_each_realization(study: Study, results: Sequence[QueryResult]) -> list[QueryResult]:
    """Return results; if nothing varies, a single value is repeated for every realization."""
    realizations = sorted({number for result in results for number in result.values})

    def repeated(result: QueryResult) -> QueryResult:
        """Return a result; if nothing varies, with its single value for every realization."""
        if len(result.values) != 1 or result.parts or not is_fixed(study, result):
            return result
        (value,), (record,) = result.values.values(), result.records.values()
        return replace(
            result,
            values=dict.fromkeys(realizations, value),
            records=dict.fromkeys(realizations, record),
        )

    return [repeated(result) for result in results]


def overlap_of(result: QueryResult) -> float:
    """Return what the rows that realizations share add to 1/n in the variance of a mean."""
    return overlap(split_of(result))


def split_of(result: QueryResult) -> Any:
    """Return the split behind the values; None if there is none."""
    first = next(iter(result.records.values()), None)
    return first.settings.split if first else None


def is_left_out_in_turn(result: QueryResult) -> bool:
    """Return whether each row is left out once, which can be done in one way only."""
    tested = {record.size("n_test") for record in result.records.values()}
    return folds_of(split_of(result)) is not None and tested == {1}


def each_of(result: QueryResult) -> str:
    """Return what each value of a result is of: a fold, or another realization."""
    return "realization" if folds_of(split_of(result)) is None else "fold"


def repetitions(result: QueryResult) -> list[list[int]]:
    """Return the realizations of each complete repetition of a cross-validation.

    Its folds are not independent of each other, since they train on mostly the same rows.
    """
    k = folds_of(split_of(result))
    if k is None:
        return []
    of_repetition: dict[int, list[int]] = {}
    for number in result.values:
        repetition, _ = repetition_and_fold(number, k)
        of_repetition.setdefault(repetition, []).append(number)
    return [numbers for numbers in of_repetition.values() if len(numbers) == k]


def n_tested(result: QueryResult) -> int:
    """Return the number of different test rows behind error rates, at least; 0 for other values.

    All repetitions of a cross-validation test the same rows, as do realizations of the publisher's
    parts; random splits test as many as there are at most.
    """
    if not is_error_rate(result.query.metric, result.query.stage):
        return 0
    sizes = [record.size("n_test") or 0 for record in result.records.values()]
    split = split_of(result)
    if k := folds_of(split):
        of_repetition = Counter[int]()  # the last one may lack folds
        for number, size in zip(result.records, sizes, strict=True):
            of_repetition[repetition_and_fold(number, k)[0]] += size
        return max(of_repetition.values(), default=0)
    if isinstance(split, OfficialSplit) and split.realizations is not None:
        return max(sizes, default=0)
    rows = max(sizes, default=0)
    if isinstance(split, RandomSplit | IndicesSplit) and isinstance(split.n_train, int):
        rows += split.n_train
    return min(sum(sizes), rows)


def complete(result: QueryResult) -> QueryResult:
    """Return a result without the folds of incomplete repetitions, if there are complete ones."""
    whole = [number for numbers in repetitions(result) for number in numbers]
    return result.over(whole) if whole else result


def by_repetition(result: QueryResult, values: Vector) -> Vector | None:
    """Return the means of values over each complete repetition; None for fewer than two.

    The values are those of the result's realizations, of shape (n_realizations,) or with columns.
    """
    whole = repetitions(result)
    if len(whole) < 2:
        return None
    rows = {number: at for at, number in enumerate(result.values)}
    return np.array(
        [values[[rows[number] for number in numbers]].mean(axis=0) for numbers in whole]
    )
