"""Claims of papers, tested on the records: one comparison a data set and pair of algorithms."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ensvm.data.splits import overlap
from ensvm.records.record import Record
from ensvm.report.claim_tests import (
    CLAIM_VERDICTS,
    ClaimVerdict,
    TestedEffect,
    judge_all,
    judge_each,
    judge_most,
    judge_number,
    judge_p,
    judge_rejection,
    judge_sample,
    judge_single_split,
)
from ensvm.report.query import (
    Answer,
    Question,
    Study,
    ask,
    mixed_machines,
    once,
    shared_realizations,
)
from ensvm.report.statistical_tests import holm
from ensvm.report.tables import printed_value
from ensvm.report.verdict import less_by_welch, sample
from ensvm.study.claim import FEWEST_TIMINGS, ClaimConfig
from ensvm.study.metrics import PERCENT, SECONDS, unit_of
from ensvm.study.relations import NoEffect

PRINTED_DECIMALS = 9  # more than any paper prints


@dataclass(frozen=True)
class ClaimComparison:
    """A claim on one data set: the means of the algorithms, the effect, and the verdict.

    `n_holds` counts in how many of the `n` realizations the effect by itself keeps to the
    `threshold` (the margin, factor or limit). `better_mean` and `than_mean` are means over these
    realizations, in percent for errors (see `Relation.value_unit`). `effect` is in `unit` (for
    ratios the geometric mean, see `Relation.effects`), and `low` and `high` are its 95 % interval,
    which a single value may not have. `overlap` is added to 1/n in the variance of the effect (see
    `ensvm.data.splits.overlap`). `p_holds` and `p_fails` are one-sided p-values: small ones show
    that the effect keeps to the threshold, or that it violates it; `..._adjusted` are adjusted by
    Holm's step-down over the comparisons of the claim, though `p_holds_adjusted` of a claim about
    all rows is `p_holds`. `verdict` rests on the adjusted p-values, `unadjusted` on the others.
    Without values both are None, and `reason` says why (or what was left out). `printed` is the
    effect of the paper's own values, and `printed_verdict` says whether that, as a plain number,
    keeps to the threshold. `own_test` says on how many of our realizations the paper's own test
    finds the relation.
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
    n_holds: int = 0
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    overlap: float = 0.0
    p_holds: float | None = None
    p_fails: float | None = None
    p_holds_adjusted: float | None = None
    p_fails_adjusted: float | None = None
    unit: str = ""
    verdict: ClaimVerdict | None = None
    unadjusted: ClaimVerdict | None = None
    printed: float | None = None
    printed_verdict: ClaimVerdict | None = None
    own_test: str = ""
    reason: str = ""


@dataclass(frozen=True)
class JudgedClaim:
    """A claim with its comparisons, row by row in the paper's order."""

    claim: ClaimConfig
    comparisons: tuple[ClaimComparison, ...]

    @property
    def verdict(self) -> ClaimVerdict:
        """The verdict, from all comparisons that have values."""
        return self._judge([one.verdict for one in self.comparisons if one.verdict])

    @property
    def qualified(self) -> str:
        """The number of rows with this verdict; an empty string if all rows have values."""
        silent = sum(one.verdict is None for one in self.comparisons)
        if not silent or self.verdict == "cannot tell":
            return ""
        count = sum(one.verdict == self.verdict for one in self.comparisons)
        return f"on {count} of {self._total()}; {silent} without values"

    @property
    def counts(self) -> str:
        """The numbers of rows (or comparisons) with each verdict, as text."""
        return self._counted([one.verdict for one in self.comparisons], "without values")

    @property
    def printed_verdict(self) -> ClaimVerdict | None:
        """The verdict on the paper's own printed values; None if it prints none."""
        verdicts = [one.printed_verdict for one in self.comparisons if one.printed_verdict]
        return self._judge(verdicts) if verdicts else None

    @property
    def printed_counts(self) -> str:
        """The same numbers for the printed values; an empty string if none are printed."""
        if self.printed_verdict is None:
            return ""
        return self._counted([one.printed_verdict for one in self.comparisons], "not printed")

    def _judge(self, verdicts: list[ClaimVerdict]) -> ClaimVerdict:
        return (judge_most if self.claim.scope == "most" else judge_all)(verdicts)

    def _counted(self, verdicts: Sequence[ClaimVerdict | None], silent: str) -> str:
        counts = Counter(verdicts)
        parts = [f"{name} on {count}" for name in CLAIM_VERDICTS if (count := counts[name])]
        without = f"; {counts[None]} {silent}" if counts[None] else ""
        return f"{', '.join(parts) or 'nothing known'} of {self._total()}{without}"

    def _total(self) -> str:
        """Return how many rows there are, or comparisons where a row has several."""
        total = len(self.comparisons)
        several = len({one.row for one in self.comparisons}) < total
        return f"{total} {'comparison' if several else 'row'}{'s' if total != 1 else ''}"


class NoValues(Exception):
    """Why a comparison cannot be made."""


def evaluate_claims(study: Study) -> Iterator[JudgedClaim]:
    """Yield the study's claims in order, each with its evidence from the records."""
    return (_judged(study, claim) for claim in study.config.claims)


@once
def _judged(study: Study, claim: ClaimConfig) -> JudgedClaim:
    comparisons = [
        _compare(study, claim, row, better, than)
        for row in ((claim.over,) if claim.over else study.config.rows_of_claim(claim))
        for better in claim.better
        for than in claim.than or (None,)
    ]
    return JudgedClaim(claim, adjusted(comparisons, claim.scope))


def adjusted(
    comparisons: Sequence[ClaimComparison], scope: Literal["all", "most"]
) -> tuple[ClaimComparison, ...]:
    """Return comparisons with verdicts by Holm's adjusted p-values.

    That all rows hold is shown if each does at the level by itself (an intersection-union test);
    that some row fails, and that most hold, needs the adjustment. Single values without p-values do
    not change and do not count.
    """
    holds = [one.p_holds for one in comparisons]
    holds = holm(holds) if scope == "most" else holds
    fails = holm([one.p_fails for one in comparisons])
    return tuple(
        one
        if p_holds is None or p_fails is None
        else replace(
            one,
            p_holds_adjusted=p_holds,
            p_fails_adjusted=p_fails,
            verdict=judge_p(p_holds, p_fails),
        )
        for one, p_holds, p_fails in zip(comparisons, holds, fails, strict=True)
    )


def _compare(
    study: Study, claim: ClaimConfig, row: str, better: str, than: str | None
) -> ClaimComparison:
    # What is known without records: the claim and the paper's own values.
    names = (better,) if than is None else (better, than)
    printed = _printed(study, claim, row, names)
    blank = ClaimComparison(
        claim.id,
        claim.relation,
        claim.metric,
        row,
        better,
        than,
        claim.threshold,
        unit=claim.kind.effect_unit(claim.metric).name,
        printed=printed,
        printed_verdict=None
        if printed is None or claim.kind.of_rejections
        else judge_number(printed, *claim.kind.bounds(claim.threshold)),
    )
    # Test the recorded values; without enough of them, say why.
    answers = _answers(study, claim, row, names)
    try:
        values, behind = _compared(study, claim, answers)
        if unit_of(claim.metric) == SECONDS and len(values) < FEWEST_TIMINGS:
            raise NoValues(f"timed {len(values)} times; a verdict needs {FEWEST_TIMINGS} runs")
        shared = overlap(behind.settings.get("split", {}))
        noise = sum(_variance_over_orders(answer) for answer in answers)
        evidence = _evidence(claim, values, behind.size("n_test"), shared, noise)
        evidence = judge_rejection(evidence) if claim.kind.of_rejections else evidence
    except NoValues as reason:
        return replace(blank, reason=str(reason))
    except NoEffect as reason:
        return replace(blank, reason=f"{claim.metric} is {reason}")
    # Count the realizations that keep to the bounds by themselves.
    means = values.mean(axis=0).tolist()
    bounds = claim.kind.bounds(claim.threshold)
    kept = [judge_number(effect, *bounds) == "holds" for effect in claim.kind.effects(values)]
    return replace(
        blank,
        better_mean=means[0],
        than_mean=means[1] if than is not None else None,
        n=len(values),
        n_holds=sum(kept),
        own_test=_own_test(study, claim, row, names),
        overlap=shared if len(values) > 1 else 0.0,
        unadjusted=evidence.verdict,
        reason="; ".join(_left_out(names, answers)),
        **vars(evidence),
    )


def _own_test(study: Study, claim: ClaimConfig, row: str, names: Sequence[str]) -> str:
    """Repeat the paper's own test on each realization, and return how often it finds the relation.

    Only realizations count for which every run of both algorithms has a value.
    """
    if not claim.own_test:
        return ""
    sides = [
        [
            ask(study, Question(row, run, claim.metric, claim.run_pass))
            for run in study.config.sweep_values(claim.own_test[name])
        ]
        for name in names
    ]
    found = [
        less_by_welch(*(sample(np.array([run.values[number] for run in runs])) for runs in sides))
        for number in shared_realizations(chain(*sides))
    ]
    return f"{sum(found)} of {len(found)}" if found else ""


def _answers(study: Study, claim: ClaimConfig, row: str, names: Sequence[str]) -> list[Answer]:
    """Return the values of each algorithm's metric, on each member if the claim has a sweep."""
    rows = study.config.sweep_values(row) if claim.over else [row]
    stage: int | Literal["all"] | None = "all" if claim.kind.of_curves else claim.stage
    return [
        ask(study, Question(member, name, claim.metric, claim.run_pass, stage))
        for name in names
        for member in rows
    ]


def _compared(
    study: Study, claim: ClaimConfig, answers: Sequence[Answer]
) -> tuple[NDArray[np.float64], Record]:
    """Return the values to compare, of the realizations that all answers have, and one record.

    The values have shape (n_realizations, 1 or 2) and the unit of the relation. Raises NoValues.
    """
    _must_have_values(answers)
    behind = [record for answer in answers for record in answer.records.values()]
    if mixture := mixed_machines(behind, claim.metric):
        raise NoValues(mixture)
    shared = shared_realizations(answers)
    if not shared:
        names = dict.fromkeys(answer.question.algorithm for answer in answers)
        members = f" on all members of {claim.over}" if claim.over else ""
        raise NoValues(f"no realization has values of {' and '.join(names)}{members}")
    sweep = study.config.sweep_values(claim.over) if claim.over else {}
    swept = [float(value) for value in sweep.values()]
    rows = []
    for number in shared:
        recorded = [answer.values[number] for answer in answers]
        if not claim.kind.of_curves:
            _must_be_finite(number, answers, recorded)
        compared = claim.kind.values(recorded, swept)
        _must_be_finite(number, answers, compared)
        rows.append([float(value) for value in compared])
    unit = claim.kind.value_unit(claim.metric)
    return np.array(rows) * unit.scale, answers[0].records[shared[0]]


def _must_have_values(answers: Sequence[Answer]) -> None:
    """Raise NoValues if an algorithm has no values; name it unless all have the same reason."""
    missing = {one.question.algorithm: one.why for one in answers if not one.values}
    if missing:
        names = {one.question.algorithm for one in answers}
        name, why = next(iter(missing.items()))
        alike = len(names) > 1 and names == set(missing) and len(set(missing.values())) == 1
        raise NoValues(why if alike else f"{name}: {why}")


def _must_be_finite(number: int, answers: Sequence[Answer], values: Sequence[Any]) -> None:
    for answer, value in zip(answers, values, strict=False):
        if not isinstance(value, int | float) or not np.isfinite(value):
            source = f"{answer.question.algorithm}, realization {number}"
            raise NoValues(f"{source}: {answer.question.metric} is not a finite number: {value!r}")


def _left_out(names: Sequence[str], answers: Sequence[Answer]) -> Iterator[str]:
    for name in names:
        count = sum(answer.n_not_ok for answer in answers if answer.question.algorithm == name)
        if count:
            yield f"of {name}'s realizations {count} did not end well and are left out"


def _printed(study: Study, claim: ClaimConfig, row: str, names: Sequence[str]) -> float | None:
    """Return the effect of the printed values, from the first table that has them all."""
    if claim.kind.of_curves or claim.over is not None:
        return None
    printed_row = claim.printed_as.get(row, row)
    for table in study.config.tables:
        if table.of != ("timing" if claim.run_pass == "timing" else "results"):
            continue
        values = [
            printed_value(study, table, printed_row, name, claim.metric, claim.stage)
            for name in names
        ]
        if None in values:
            continue
        try:
            effect = claim.kind.effects(np.array([values], dtype=float))[0]
        except NoEffect:
            return None
        # Printed values are decimal fractions: 17.3 is exactly 1 more than 16.3.
        return round(float(effect), PRINTED_DECIMALS)
    return None


def _variance_over_orders(answer: Answer) -> float:
    """Return the variance of a mean over orders of the training rows; 0 without `orders:`."""
    orders = answer.by_order()
    return 0.0 if orders is None else float(orders.var(axis=1, ddof=1).mean()) / orders.shape[1]


def _evidence(
    claim: ClaimConfig,
    values: NDArray[np.float64],
    n_test: int | None,
    shared: float,
    noise: float,
) -> TestedEffect:
    """Test the effects of the values against the bounds of the relation.

    `shared` is the overlap of realizations. `noise` is the variance over orders of the training
    rows, which a single realization does not show.
    """
    relation, bounds = claim.kind, claim.kind.bounds(claim.threshold)
    if (
        not claim.of_each
        and relation.of_differences
        and claim.metric == "error"
        and claim.stage is None
        and len(values) == 1
        and n_test
    ):
        scale = PERCENT.scale
        fractions = [replace(bound, threshold=bound.threshold / scale) for bound in bounds]
        better, than = values[0] / scale
        effect = judge_single_split(better, than, n_test, *fractions, variance=noise / scale**2)
        return replace(
            effect, **{name: scale * getattr(effect, name) for name in ("effect", "low", "high")}
        )
    effects = relation.effects(values)
    if claim.of_each:
        return judge_each(effects, *bounds)
    return judge_sample(effects, *bounds, logarithmic=relation.logarithmic, overlap=shared)
