"""What is found of a claim: its comparisons, their verdicts adjusted for their number, its own."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ensvm.report.claims.statistics import (
    CLAIM_VERDICTS,
    ClaimVerdict,
    holm,
    judge_all,
    judge_most,
    judge_p,
)
from ensvm.study.claim import ClaimConfig


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
    overlap : float
        What is added to 1/n in the variance of the effect; see `ensvm.data.splits.overlap`.
    p_holds, p_fails : float or None
        The one-sided p-values of the effect keeping to the threshold, and of it violating it; None
        for a single value without an interval.
    p_holds_adjusted, p_fails_adjusted : float or None
        The same, adjusted by Holm's step-down over the comparisons of the claim.
    unit : str
        The unit of effect, interval and printed.
    verdict : str or None
        By the adjusted p-values. None where there are no values; `reason` then says why.
    unadjusted : str or None
        What the comparison says on its own.
    printed : float or None
        The effect that the paper's own values have, where they are printed.
    printed_verdict : str or None
        Whether the printed effect, as a plain number, keeps to the threshold.
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
    reason: str = ""

    @property
    def fails_as_printed(self) -> bool:
        """Whether the paper's own values violate the claim."""
        return self.printed_verdict == "fails"


@dataclass(frozen=True)
class Finding:
    """A claim with its comparisons, row by row in the paper's order."""

    claim: ClaimConfig
    comparisons: tuple[Comparison, ...]

    @property
    def verdict(self) -> ClaimVerdict:
        """`holds` or `fails` where the comparisons with values settle it, else `cannot tell`."""
        return self._judge([one.verdict for one in self.comparisons if one.verdict])

    @property
    def qualified(self) -> str:
        """On how many rows a verdict rests, where others have no values; empty where none miss."""
        silent = sum(one.verdict is None for one in self.comparisons)
        if not silent or self.verdict == "cannot tell":
            return ""
        count = sum(one.verdict == self.verdict for one in self.comparisons)
        return f"on {count} of {self._total()}; {silent} without values"

    @property
    def counts(self) -> str:
        """On how many rows (or comparisons) the claim holds, fails, or cannot be told."""
        return self._counted([one.verdict for one in self.comparisons], "without values")

    @property
    def printed_verdict(self) -> ClaimVerdict | None:
        """What the paper's own printed values make of the claim; None where it prints none."""
        verdicts = [one.printed_verdict for one in self.comparisons if one.printed_verdict]
        return self._judge(verdicts) if verdicts else None

    @property
    def printed_counts(self) -> str:
        """On how many rows the printed values keep to the claim; empty where none are printed."""
        if self.printed_verdict is None:
            return ""
        return self._counted([one.printed_verdict for one in self.comparisons], "not printed")

    def _judge(self, verdicts: list[ClaimVerdict]) -> ClaimVerdict:
        return (judge_most if self.claim.scope == "most" else judge_all)(verdicts)

    def _counted(self, verdicts: Sequence[ClaimVerdict | None], silent: str) -> str:
        found = Counter(verdicts)
        parts = [f"{name} on {count}" for name in CLAIM_VERDICTS if (count := found[name])]
        without = f"; {found[None]} {silent}" if found[None] else ""
        return f"{', '.join(parts) or 'nothing known'} of {self._total()}{without}"

    def _total(self) -> str:
        """Return how many rows there are, or comparisons where a row has several."""
        total = len(self.comparisons)
        several = len({one.row for one in self.comparisons}) < total
        return f"{total} {'comparison' if several else 'row'}{'s' if total != 1 else ''}"


def adjusted(comparisons: Sequence[Comparison]) -> tuple[Comparison, ...]:
    """Return comparisons judged by Holm's adjusted p-values, where they have p-values.

    Single values without an interval have no error rate to keep; they are left as they are.
    """
    holds = holm([one.p_holds for one in comparisons])
    fails = holm([one.p_fails for one in comparisons])
    return tuple(map(_judged, comparisons, holds, fails))


def _judged(comparison: Comparison, p_holds: float | None, p_fails: float | None) -> Comparison:
    if p_holds is None or p_fails is None:
        return comparison
    verdict = judge_p(p_holds, p_fails)
    return replace(comparison, p_holds_adjusted=p_holds, p_fails_adjusted=p_fails, verdict=verdict)
