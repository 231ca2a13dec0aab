"""From records to the evidence for claims: one comparison a data set and pair of algorithms."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.report.claims.statistics import (
    ClaimVerdict,
    Evidence,
    judge_all,
    judge_most,
    judge_sample,
    judge_single_split,
)
from ensvm.report.query import Answer, Question, Study, ask, mixed_machines
from ensvm.study.claim import ClaimConfig
from ensvm.study.metrics import PERCENT
from ensvm.study.relations import Difference, NoEffect


class NoValues(Exception):
    """Why a comparison cannot be made."""


@dataclass(frozen=True)
class Comparison:
    """A claim on one data set: the means of the algorithms, the effect, and the verdict.

    Attributes
    ----------
    claim, relation, metric, row, better, than
        What is compared.
    threshold : float
        The margin, factor or limit.
    better_mean, than_mean : float or None
        The means over the realizations (percent for errors; see `Relation.value_unit`).
    n : int
        The number of realizations.
    effect : float or None
        The effect in `unit`, for ratios the geometric mean; see `Relation.effects`.
    low, high : float or None
        Its 95 % interval; None for a single value without one.
    printed : float or None
        The effect that the paper's own numbers have, where they are printed.
    unit : str
        The unit of effect, interval and printed.
    verdict : str or None
        None where there are no values; `reason` then says why.
    reason : str
        Why there is no verdict, or what was left out.
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
    unit: str = ""
    verdict: ClaimVerdict | None = None
    reason: str = ""


@dataclass(frozen=True)
class Finding:
    """A claim with its comparisons, row by row in the paper's order."""

    claim: ClaimConfig
    comparisons: tuple[Comparison, ...]

    @property
    def verdict(self) -> ClaimVerdict:
        """`holds` or `fails` where the comparisons with values settle it, else `cannot tell`."""
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


def _rows(study: Study, claim: ClaimConfig) -> tuple[str, ...]:
    """Return the claim's rows: its own, its sweep, or all data sets with its algorithms."""
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
    study: Study, claim: ClaimConfig, row: str, better: str, than: str | None
) -> Comparison:
    names = (better,) if than is None else (better, than)
    blank = Comparison(
        claim.id,
        claim.relation,
        claim.metric,
        row,
        better,
        than,
        claim.threshold,
        printed=_printed(study, claim, row, names),
        unit=claim.kind.effect_unit(claim.metric).name,
    )
    questions = _questions(study, claim, row, names)
    answers = [ask(study, question) for question in questions]
    try:
        values, n_test = _compared(study, claim, questions, answers)
        evidence = _evidence(claim, values, n_test)
    except NoValues as reason:
        return replace(blank, reason=str(reason))
    except NoEffect as reason:
        return replace(blank, reason=f"{claim.metric} is {reason}")
    means = values.mean(axis=0).tolist()
    return replace(
        blank,
        better_mean=means[0],
        than_mean=means[1] if than is not None else None,
        reason="; ".join(_left_out(names, questions, answers)),
        **vars(evidence),
    )


def _questions(study: Study, claim: ClaimConfig, row: str, names: Sequence[str]) -> list[Question]:
    """Return what to ask: the metric of each algorithm, or of one at each member of a sweep."""
    rows = study.config.sweep_values(row) if claim.over else [row]
    stage: int | Literal["all"] | None = "all" if claim.kind.of_curves else claim.stage
    return [
        Question(member, name, claim.metric, claim.run_pass, stage)
        for name in names
        for member in rows
    ]


def _compared(
    study: Study, claim: ClaimConfig, questions: Sequence[Question], answers: Sequence[Answer]
) -> tuple[NDArray[np.float64], int | None]:
    """Return the numbers of the realizations that all have, and the size of the test set.

    The numbers have the shape (n_realizations, 1 or 2), and the unit of the relation's values.
    """
    for question, answer in zip(questions, answers, strict=True):
        if not answer.values:
            raise NoValues(f"{question.algorithm}: {answer.why}")
    behind = [record for answer in answers for record in answer.records.values()]
    if mixture := mixed_machines(behind, questions[0]):
        raise NoValues(mixture)
    shared = sorted(set(answers[0].values).intersection(*(answer.values for answer in answers[1:])))
    if not shared:
        names = dict.fromkeys(question.algorithm for question in questions)
        members = f" on all members of {claim.over}" if claim.over else ""
        raise NoValues(f"no realization has values of {' and '.join(names)}{members}")
    sweep = study.config.sweep_values(claim.over) if claim.over else {}
    swept = [float(value) for value in sweep.values()]
    rows = []
    for number in shared:
        recorded = [answer.values[number] for answer in answers]
        if not claim.kind.of_curves:
            _must_be_finite(claim, number, questions, recorded)
        compared = claim.kind.values(recorded, swept)
        _must_be_finite(claim, number, questions, compared)
        rows.append([float(value) for value in compared])
    unit = claim.kind.value_unit(claim.metric)
    return np.array(rows) * unit.scale, answers[0].records[shared[0]].metrics.get("n_test")


def _must_be_finite(
    claim: ClaimConfig, number: int, questions: Sequence[Question], values: Sequence[Any]
) -> None:
    for question, value in zip(questions, values, strict=False):
        if not isinstance(value, int | float) or not np.isfinite(value):
            place = f"{question.algorithm}, realization {number}"
            raise NoValues(f"{place}: {claim.metric} is no finite number: {value!r}")


def _left_out(
    names: Sequence[str], questions: Sequence[Question], answers: Sequence[Answer]
) -> Iterator[str]:
    for name in names:
        asked = zip(questions, answers, strict=True)
        count = sum(answer.n_not_ok for question, answer in asked if question.algorithm == name)
        if count:
            yield f"of {name}'s realizations {count} did not end well and are left out"


def _printed(study: Study, claim: ClaimConfig, row: str, names: Sequence[str]) -> float | None:
    """Return the effect of the printed numbers, from the first table that has them all."""
    for table in study.config.tables:
        if table.of != ("timing" if claim.run_pass == "timing" else "results"):
            continue
        columns = {
            column.of(table): column.name
            for column in table.columns
            if table.metric_of(column) == claim.metric
        }
        found = [
            study.published.get((table.id, row, columns[name])) for name in names if name in columns
        ]
        values = [printed.value for printed in found if printed is not None]
        if len(values) == len(names):
            try:
                return float(claim.kind.effects(np.array([values]))[0])
            except NoEffect:
                return None
    return None


def _evidence(claim: ClaimConfig, values: NDArray[np.float64], n_test: int | None) -> Evidence:
    """Judge the effects of the numbers compared, by the relation's bounds."""
    relation = claim.kind
    bounds = relation.bounds(claim.threshold)
    if (
        isinstance(relation, Difference)
        and claim.metric == "error"
        and claim.stage is None
        and len(values) == 1
        and n_test
    ):
        scale = PERCENT.scale
        fractions = [replace(bound, threshold=bound.threshold / scale) for bound in bounds]
        better, than = values[0] / scale
        found = judge_single_split(better, than, n_test, *fractions)
        return replace(
            found, **{name: scale * getattr(found, name) for name in ("effect", "low", "high")}
        )
    effects = relation.effects(values)
    return judge_sample(effects, *bounds, logarithmic=relation.logarithmic)
