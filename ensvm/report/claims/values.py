"""The figures a claim compares, out of the records: a number a realization, or why there is none."""

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.records.record import Record
from ensvm.report.tables.cells import Study, figure_of, of_one_settings
from ensvm.study.claim import ClaimWords


class NoFigures(Exception):
    """Why a comparison cannot be made."""


def records_of(study: Study, claim: ClaimWords, row: str, algorithm: str) -> dict[int, Record]:
    """Return the records that have the claim's metric, by realization; all are of one and the same settings.

    Raises NoFigures when there are none: the algorithm is unavailable, was not run, did not end
    well or leaves no such figure.
    """
    records = _records(study, claim, row, algorithm)
    if (gone := study.config.dataset(row).unavailable) is not None:
        raise NoFigures(f"unavailable: {gone}")
    words = study.config.algorithms[algorithm]
    if words.unavailable is not None:
        raise NoFigures(f"{algorithm}: unavailable: {words.unavailable}")
    if not records:
        raise NoFigures(f"{algorithm}: not run yet")
    good = [record for record in records if record.status == "ok"]
    if not good:
        (status, reason), _ = Counter(
            (record.status, record.reason) for record in records
        ).most_common(1)[0]
        raise NoFigures(f"{algorithm}: {status}: {reason}")
    having = {record.realization: record for record in good if _metric(claim, record) is not None}
    if not having:
        raise NoFigures(f"{algorithm} leaves no figure {claim.metric!r}")
    return having


def n_not_ok(study: Study, claim: ClaimWords, row: str, algorithm: str) -> int:
    """Return how many realizations of an algorithm did not end well; on all members where the row is a sweep's name."""
    members = study.config.sweep_values(row) if claim.over else [row]
    return sum(
        record.status != "ok"
        for member in members
        for record in _records(study, claim, member, algorithm)
    )


def growth_of(study: Study, claim: ClaimWords, algorithm: str) -> NDArray[np.float64]:
    """Return the exponents of the metric's growth with the value swept over, shape (n_realizations, 1).

    They are the slopes of least-squares lines through the logarithms. Raises NoFigures where a
    figure is missing or not positive.
    """
    swept = study.config.sweep_values(str(claim.over))
    found = [records_of(study, claim, member, algorithm) for member in swept]
    shared = sorted(set(found[0]).intersection(*found[1:]))
    if not shared:
        raise NoFigures(f"{algorithm}: no realization has figures of all members of {claim.over}")
    figures = np.array(
        [[values_of(claim, (of_member[number],))[0] for of_member in found] for number in shared]
    )
    if not (figures > 0.0).all():
        raise NoFigures(f"{claim.metric} is not positive everywhere, so its growth has no exponent")
    values = np.log(np.array(list(swept.values()), dtype=float))
    return np.polyfit(values, np.log(figures).T, 1)[0][:, np.newaxis]


def values_of(claim: ClaimWords, records: tuple[Record, ...]) -> list[float]:
    """Return the numbers to compare in one realization, one for each of the records (better's first).

    Of curves these are, for `curve-below`, their values at the last iteration of the first (a curve
    that ends earlier stays where it ended); for `curve-falls` the number of iterations that raise
    the curve, or make it no number. Raises NoFigures for what is not a finite number.
    """
    found = [_metric(claim, record) for record in records]
    if claim.relation == "curve-below":
        found = [curve[min(len(found[0]), len(curve)) - 1] for curve in found]
    elif claim.relation == "curve-falls":
        found = [int(np.count_nonzero(~(np.diff(curve) <= 0.0))) for curve in found]
    for record, value in zip(records, found, strict=True):
        if not isinstance(value, int | float) or not np.isfinite(value):
            place = f"{record.algorithm}, realization {record.realization}"
            raise NoFigures(f"{place}: {claim.metric} is no finite number: {value!r}")
    return [float(value) for value in found]


def _records(study: Study, claim: ClaimWords, row: str, algorithm: str) -> list[Record]:
    wanted = (row, algorithm, claim.run_pass)
    found = (
        record
        for (dataset, _, name, run_pass), record in study.records.items()
        if (dataset, name, run_pass) == wanted
    )
    return of_one_settings(list(found))


def _metric(claim: ClaimWords, record: Record) -> Any:
    if claim.stage is not None:
        return figure_of(record, claim.metric, claim.stage)
    if claim.of_curves:
        return record.curves.get(claim.metric) or None
    # Seconds come from the timing pass alone, as in tables.
    figures = {**record.metrics, **(record.seconds if claim.run_pass == "timing" else {})}
    return figures.get(claim.metric)
