"""The figures a claim compares, out of the records: a number a realization, or why there is none."""

from collections import Counter
from typing import Any

import numpy as np

from ensvm.report.tables import Study, figure_of, of_one_settings
from ensvm.runner.claim_words import ClaimWords
from ensvm.runner.store import Record


class NoFigures(Exception):
    """Why a comparison cannot be made."""


def records_of(study: Study, claim: ClaimWords, row: str, algorithm: str) -> dict[int, Record]:
    """Return the records that have the claim's metric, by realization; all are of one and the same settings.

    Raises NoFigures when there are none: the algorithm is unavailable, was not run, did not end well or leaves no such
    figure.
    """
    records = _records(study, claim, row, algorithm)
    if (gone := study.config.dataset(row).unavailable) is not None:
        raise NoFigures(f"unavailable: {gone}")
    words = study.config.algorithms[algorithm]
    if words.unavailable is not None:
        raise NoFigures(f"{algorithm}: unavailable: {words.unavailable}")
    if not records:
        raise NoFigures(f"{algorithm}: not run yet")
    good = [record for record in records if record["status"] == "ok"]
    if not good:
        (status, reason), _ = Counter((record["status"], record["reason"]) for record in records).most_common(1)[0]
        raise NoFigures(f"{algorithm}: {status}: {reason}")
    having = {record["realization"]: record for record in good if _metric(claim, record) is not None}
    if not having:
        raise NoFigures(f"{algorithm} leaves no figure {claim.metric!r}")
    return having


def n_not_ok(study: Study, claim: ClaimWords, row: str, algorithm: str) -> int:
    """Return how many realizations of an algorithm did not end well."""
    return sum(record["status"] != "ok" for record in _records(study, claim, row, algorithm))


def values_of(claim: ClaimWords, records: tuple[Record, ...]) -> list[float]:
    """Return the numbers to compare in one realization, one for each of the records (better's first).

    Of curves these are, for `curve-below`, their values at the last iteration of the first (a curve that ends earlier
    stays where it ended); for `curve-falls` the number of iterations that raise the curve, or make it no number.
    Raises NoFigures for what is not a finite number.
    """
    found = [_metric(claim, record) for record in records]
    if claim.relation == "curve-below":
        found = [curve[min(len(found[0]), len(curve)) - 1] for curve in found]
    elif claim.relation == "curve-falls":
        found = [int(np.count_nonzero(~(np.diff(curve) <= 0.0))) for curve in found]
    for record, value in zip(records, found, strict=True):
        if not isinstance(value, int | float) or not np.isfinite(value):
            place = f"{record['algorithm']}, realization {record['realization']}"
            raise NoFigures(f"{place}: {claim.metric} is no finite number: {value!r}")
    return [float(value) for value in found]


def _records(study: Study, claim: ClaimWords, row: str, algorithm: str) -> list[Record]:
    wanted = (row, algorithm, claim.run_pass)
    found = (
        record for (dataset, _, name, run_pass), record in study.records.items() if (dataset, name, run_pass) == wanted
    )
    return of_one_settings(list(found))


def _metric(claim: ClaimWords, record: Record) -> Any:
    if claim.stage is not None:
        return figure_of(record, claim.metric, claim.stage)
    if claim.of_curves:
        return record.get("curves", {}).get(claim.metric) or None
    # Seconds come from the timing pass alone, as in tables.
    figures = {**record["metrics"], **(record["seconds"] if claim.run_pass == "timing" else {})}
    return figures.get(claim.metric)
