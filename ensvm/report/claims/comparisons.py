"""From records to the evidence for a paper's claims: one comparison a data set and pair of algorithms."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ensvm.report.claims.statistics import (
    Bound,
    ClaimVerdict,
    Evidence,
    judge_all,
    judge_most,
    judge_sample,
    judge_single_split,
)
from ensvm.report.claims.values import NoFigures, growth_of, n_not_ok, records_of, values_of
from ensvm.report.tables.cells import PERCENT_METRICS, Study
from ensvm.study.claim import ClaimWords


@dataclass(frozen=True)
class Comparison:
    """A claim on one data set: the means of the algorithms (percent for errors), the effect, and the verdict.

    `effect` is better's figure minus than's (relations `less`, `at-most`, `within`), the geometric
    mean of than's over better's (`ratio`, `curve-below`), the exponent (`growth-at-most`), or
    better's figure alone. `low` and `high` are its 95 % interval, None for a single figure without
    one. `printed` is the effect that the paper's own figures have, where they are printed.
    `verdict` is None where there are no figures; `reason` then says why.
    """

    claim: str
    relation: str
    metric: str
    row: str
    better: str
    than: str | None
    threshold: float
    better_mean: float | None = None
    than_mean: float | None = None
    n: int = 0
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    printed: float | None = None
    verdict: ClaimVerdict | None = None
    reason: str = ""


@dataclass(frozen=True)
class Finding:
    """A claim with its comparisons, row by row in the paper's order."""

    claim: ClaimWords
    comparisons: tuple[Comparison, ...]

    @property
    def verdict(self) -> ClaimVerdict:
        """`holds` or `fails` where the comparisons that have figures settle it (see `ClaimWords.scope`), else `cannot tell`."""
        verdicts = [comparison.verdict for comparison in self.comparisons if comparison.verdict]
        return (judge_most if self.claim.scope == "most" else judge_all)(verdicts)


def evaluate_claims(study: Study) -> Iterator[Finding]:
    """Yield the study's claims in order, each with its evidence from the records."""
    for claim in study.config.claims:
        comparisons = (
            _compare(study, claim, row, better, than)
            for row in _rows(study, claim)
            for better in claim.better
            for than in claim.than or (None,)
        )
        yield Finding(claim, tuple(comparisons))


def _rows(study: Study, claim: ClaimWords) -> tuple[str, ...]:
    """Return the claim's rows: its own, the sweep that it is about, or every data set on which the config asks for all its algorithms."""
    if claim.over is not None:
        return (claim.over,)
    if claim.rows is not None:
        return claim.rows
    config, wanted = study.config, {*claim.better, *(claim.than or ())}
    return tuple(
        entry.name
        for entry in config.datasets
        if entry.unavailable is None
        and wanted <= set(config.algorithms_of(entry))
        and (claim.run_pass == "error" or all(config.times(entry.name, name) for name in wanted))
    )


def _compare(
    study: Study, claim: ClaimWords, row: str, better: str, than: str | None
) -> Comparison:
    names = (better,) if than is None else (better, than)
    printed = _printed(study, claim, row, names)
    blank = Comparison(
        claim.id, claim.relation, claim.metric, row, better, than, claim.threshold, printed=printed
    )
    try:
        if claim.over:
            values, n_test = growth_of(study, claim, better), None
        else:
            values, n_test = _paired(study, claim, row, names)
        evidence = _evidence(claim, values, n_test)
    except NoFigures as reason:
        return replace(blank, reason=str(reason))
    means = values.mean(axis=0).tolist()
    return replace(
        blank,
        better_mean=means[0],
        than_mean=means[1] if than is not None else None,
        reason="; ".join(
            f"of {name}'s realizations {count} did not end well and are left out"
            for name in names
            if (count := n_not_ok(study, claim, row, name))
        ),
        **vars(evidence),
    )


def _paired(
    study: Study, claim: ClaimWords, row: str, names: tuple[str, ...]
) -> tuple[NDArray[np.float64], int | None]:
    """Return the figures of the realizations that all the algorithms have, shape (n_realizations, 1 or 2), and the test set's size."""
    found = [records_of(study, claim, row, name) for name in names]
    shared = sorted(set(found[0]).intersection(*found[1:]))
    if not shared:
        raise NoFigures(f"no realization has figures of both {' and '.join(names)}")
    records = [tuple(of_algorithm[realization] for of_algorithm in found) for realization in shared]
    values = np.array([values_of(claim, of_realization) for of_realization in records])
    if claim.metric in PERCENT_METRICS:
        values *= 100.0
    return values, records[0][0].metrics.get("n_test")


def _printed(study: Study, claim: ClaimWords, row: str, names: tuple[str, ...]) -> float | None:
    """Return the effect of the printed figures, from the first table that has the claim's metric for its algorithms."""
    for table in study.config.tables:
        if table.of != ("timing" if claim.run_pass == "timing" else "results"):
            continue
        columns = {
            column.of(table): column.name
            for column in table.columns
            if (column.metric or table.metric) == claim.metric
        }
        found = [
            study.published.get((table.id, row, columns[name])) for name in names if name in columns
        ]
        values = [figure.value for figure in found if figure is not None]
        if len(values) == len(names):
            return values[0] if len(values) == 1 else _effect(claim, values[0], values[1])
    return None


def _effect(claim: ClaimWords, better: float, than: float) -> float | None:
    if claim.relation in ("ratio", "curve-below"):
        return than / better if better else None
    return better - than


def _evidence(claim: ClaimWords, values: NDArray[np.float64], n_test: int | None) -> Evidence:
    """Judge figures of shape (n_realizations, 1 or 2); each relation is brought to the form: an effect is below a bound."""
    threshold = claim.threshold
    match claim.relation:
        case "less" | "at-most":
            strict = claim.relation == "less"
            bound = Bound(-threshold if strict else threshold, 0.0, strict)
            return _difference(claim, values, n_test, bound)
        case "within":
            above, below = (
                _difference(claim, pair, n_test, Bound(threshold, 0.0))
                for pair in (values, values[:, ::-1])
            )
            return replace(above, verdict=judge_all([above.verdict, below.verdict]))
        case "ratio" | "curve-below":
            if not (values > 0.0).all():
                raise NoFigures(f"{claim.metric} is not positive everywhere, so there is no ratio")
            logs = np.log(values[:, 0] / values[:, 1])
            return _seen_as(_inverse_ratio, judge_sample(logs, Bound(-math.log(threshold), 0.0)))
        case "value-at-least":
            return _seen_as(
                lambda effect: -effect, judge_sample(-values[:, 0], Bound(-threshold, -threshold))
            )
        case _:
            return judge_sample(values[:, 0], Bound(threshold, threshold))


def _difference(
    claim: ClaimWords, values: NDArray[np.float64], n_test: int | None, bound: Bound
) -> Evidence:
    if claim.metric == "error" and len(values) == 1 and n_test:
        fractions = replace(bound, threshold=bound.threshold / 100.0)
        better, than = values[0] / 100.0
        return _seen_as(
            lambda effect: 100.0 * effect, judge_single_split(better, than, n_test, fractions)
        )
    return judge_sample(values[:, 0] - values[:, 1], bound)


def _inverse_ratio(log: float) -> float:
    with np.errstate(
        over="ignore"
    ):  # the interval of two very different ratios may well be infinite
        return float(np.exp(-log))


def _seen_as(scale: Callable[[float], float], evidence: Evidence) -> Evidence:
    """Return the evidence with its effect on another (monotone) scale."""
    low, high = sorted(scale(end) for end in (evidence.low, evidence.high) if end is not None) or (
        None,
        None,
    )
    return replace(evidence, effect=scale(evidence.effect), low=low, high=high)
