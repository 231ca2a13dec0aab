"""Claims of papers, tested on the records: one comparison a data set and pair of algorithms.

A comparison is judged on the rows at hand, as the values of a table are: `_on_these_rows`. What it
says of new rows (`_on_new_rows`) is a second line, which does not decide.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, Literal

import numpy as np

from ensvm.array_types import Vector
from ensvm.counts import counted
from ensvm.report.claim_tests import (
    CLAIM_VERDICTS,
    ONE_SIDED_LEVEL,
    ClaimVerdict,
    TestedEffect,
    judge_all,
    judge_each,
    judge_p,
    judge_range,
    judge_rejection,
    judge_scope,
    judge_varied,
)
from ensvm.report.claim_values import (
    NoValues,
    Pair,
    PrintedEffect,
    compared_values,
    left_out,
    pairs_of,
    printed_effect,
    results_of,
)
from ensvm.report.intervals import on_new_rows, on_these_rows
from ensvm.report.query import Query, QueryResult, ask, once, shared_realizations
from ensvm.report.statistical_tests import (
    Estimate,
    holm,
    holm_levels,
    less_by_welch,
    sample,
)
from ensvm.report.study_folder import Study
from ensvm.study.claim import FEWEST_TIMINGS, ClaimConfig, ClaimTest
from ensvm.study.metrics import SECONDS, unit_of
from ensvm.study.relations import NoEffect


@dataclass(frozen=True)
class ClaimComparison:
    """A test of a claim on one data set: the means of the algorithms, the effect, the verdict.

    `left_mean` and `right_mean` are means over the `n` realizations, in percent for errors.
    `effect` is in `unit` (for ratios that of the means), and `low` and `high` are its 95 %
    interval, of no width if nothing was drawn; a single value may have none. `basis` says what the
    interval is computed from. `p_holds` and `p_fails` are one-sided p-values: small ones show that
    the effect keeps to the threshold, or that it violates it. `verdict` rests on them, adjusted by
    Holm's step-down over the comparisons of the test, as the interval is. Without values it is
    None, and `reason` says why (or what was left out). The fields `new_...` are of new rows.
    `printed` is the effect of the paper's own values; its verdict is that of all values that round
    to them. `own_test` says on how many of our realizations the paper's own test finds the
    relation.
    """

    claim: str
    test: int
    relation: str
    of: str
    metric: str
    threshold: float
    unit: str
    row: str = ""
    left: str = ""
    right: str | None = None
    left_mean: float | None = None
    right_mean: float | None = None
    n: int = 0
    basis: str = ""
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    p_holds: float | None = None
    p_fails: float | None = None
    verdict: ClaimVerdict | None = None
    new_low: float | None = None
    new_high: float | None = None
    new_p_holds: float | None = None
    new_p_fails: float | None = None
    new_verdict: ClaimVerdict | None = None
    printed: float | None = None
    printed_verdict: ClaimVerdict | None = None
    own_test: str = ""
    reason: str = ""
    estimate: Estimate | None = field(default=None, repr=False)  # of the effect
    new_estimate: Estimate | None = field(default=None, repr=False)


@dataclass(frozen=True)
class Judged:
    """Comparisons with what they say together, of ours, of new rows, and of the printed values."""

    comparisons: tuple[ClaimComparison, ...]

    @property
    def counts(self) -> str:
        """The numbers of rows (or comparisons) with each verdict, as text."""
        return self._counted([one.verdict for one in self.comparisons])

    @property
    def new_counts(self) -> str:
        """The same numbers for new rows; an empty string if they say nothing else."""
        if all(one.new_low in (None, one.low) for one in self.comparisons):
            return ""
        return self._counted([one.new_verdict or one.verdict for one in self.comparisons])

    @property
    def printed_counts(self) -> str:
        """The same numbers for the printed values; an empty string if none are printed."""
        verdicts = [one.printed_verdict for one in self.comparisons]
        return self._counted(verdicts, "not printed") if any(verdicts) else ""

    @property
    def scope(self) -> int | Literal["all"] | None:
        """How many rows (or comparisons) must hold; None if each test has a number of its own."""
        return "all"

    @property
    def verdicts(self) -> list[ClaimVerdict | None]:
        """The verdicts that decide together: of each comparison, or of each row; None: no value."""
        return self._in_scope([one.verdict for one in self.comparisons])

    def unit(self, verdicts: Sequence[ClaimVerdict | None], row: str = "row") -> str:
        """Return what verdicts are of: `comparison` if a row has several of them, else `row`."""
        return "comparison" if len({one.row for one in self.comparisons}) < len(verdicts) else row

    def _counted(
        self, verdicts: Sequence[ClaimVerdict | None], silent: str = "without values"
    ) -> str:
        verdicts = self._in_scope(verdicts)
        counts = Counter(verdicts)
        # a printed row that is not printed is none of the paper's rows
        total = len(verdicts) - (counts[None] if silent == "not printed" else 0)
        whole = counted(total, self.unit(verdicts))
        parts = [f"{name} on {count}" for name in CLAIM_VERDICTS if (count := counts[name])]
        without = f"; {counts[None]} {silent}" if counts[None] else ""
        return f"{', '.join(parts)} of {whole}{without}" if parts else without[2:]

    def _in_scope(self, verdicts: Sequence[ClaimVerdict | None]) -> list[ClaimVerdict | None]:
        """Return the verdicts that are counted, from one of each comparison."""
        return list(verdicts)


@dataclass(frozen=True)
class JudgedTest(Judged):
    """A test with its comparisons, row by row in the paper's order."""

    test: ClaimTest
    decides: bool  # whether the claim's verdict comes from it: it is not one of another reading

    @property
    def scope(self) -> int | Literal["all"]:
        """How many rows (or comparisons) must hold."""
        return self.test.scope

    @property
    def verdict(self) -> ClaimVerdict:
        """The verdict; a sentence about all rows is open if some have no values."""
        return judge_scope(self.verdicts, self.test.scope)

    @property
    def new_verdict(self) -> ClaimVerdict:
        """The verdict on new rows of the same kind."""
        verdicts = self._in_scope([one.new_verdict or one.verdict for one in self.comparisons])
        return judge_scope(verdicts, self.test.scope)

    @property
    def printed_verdict(self) -> ClaimVerdict | None:
        """The verdict on the paper's own printed values; None if it prints none."""
        of_print = self._in_scope([one.printed_verdict for one in self.comparisons])
        verdicts = [verdict for verdict in of_print if verdict is not None]
        return judge_scope(verdicts, self.test.scope) if verdicts else None

    def _in_scope(self, verdicts: Sequence[ClaimVerdict | None]) -> list[ClaimVerdict | None]:
        """Return the verdicts themselves, or one of each row if the scope counts rows."""
        if self.test.scope_of == "comparisons":
            return list(verdicts)
        of_row: dict[str, list[ClaimVerdict | None]] = {}
        for one, verdict in zip(self.comparisons, verdicts, strict=True):
            of_row.setdefault(one.row, []).append(verdict)
        return [judge_scope(each, "all") if any(each) else None for each in of_row.values()]


@dataclass(frozen=True)
class JudgedClaim(Judged):
    """A claim with its tests; its comparisons are those of the tests that decide."""

    claim: ClaimConfig
    tests: tuple[JudgedTest, ...]

    @property
    def scope(self) -> int | Literal["all"] | None:
        """How many comparisons must hold, of one test or of all; None if tests have numbers."""
        scopes = [one.scope for one in self.tests if one.decides]
        return scopes[0] if len(scopes) == 1 or {*scopes} == {"all"} else None

    @property
    def verdict(self) -> ClaimVerdict:
        """The verdict, from the tests that decide."""
        return judge_all(one.verdict for one in self.tests if one.decides)

    @property
    def new_verdict(self) -> ClaimVerdict:
        """The verdict on new rows of the same kind, from the tests that decide."""
        return judge_all(one.new_verdict for one in self.tests if one.decides)

    @property
    def printed_verdict(self) -> ClaimVerdict | None:
        """The verdict on the paper's own printed values; None if it prints none."""
        verdicts = [one.printed_verdict for one in self.tests if one.decides]
        return judge_all(verdicts) if any(verdicts) else None


def evaluate_claims(study: Study) -> Iterator[JudgedClaim]:
    """Yield the study's claims in order, each with its evidence from the records."""
    return (judge_claim(study, claim) for claim in study.config.claims)


@once
def judge_claim(study: Study, claim: ClaimConfig) -> JudgedClaim:
    """Return a claim with its evidence from the records."""
    tests = []
    for number, test in enumerate(claim.tests, start=1):
        blank = ClaimComparison(
            claim.id,
            number,
            test.relation,
            test.of_effect,
            test.metric,
            threshold=test.threshold,
            unit=test.effect.unit(test.metric).name,
        )
        compared = [
            _compare(study, test, replace(blank, row=row, left=left, right=right))
            for row in _rows(study, test)
            for left, right in pairs_of(test)
        ]
        decides = study.config.decides(test)
        tests.append(JudgedTest(adjusted(compared, test.scope == "all"), test, decides))
    deciding = chain.from_iterable(one.comparisons for one in tests if one.decides)
    return JudgedClaim(tuple(deciding), claim, tuple(tests))


def _rows(study: Study, test: ClaimTest) -> list[str]:
    """Return the rows of a test: its own, or all that have its algorithms or printed values."""
    if test.over is not None:
        return [test.over]
    rows = study.config.rows_of_test(test)
    if test.rows is not None:
        return list(rows)
    return [
        row
        for row in study.config.own_rows
        if row in rows or any(printed_effect(study, test, row, pair) for pair in pairs_of(test))
    ]


def adjusted(comparisons: Sequence[ClaimComparison], of_all: bool) -> tuple[ClaimComparison, ...]:
    """Return comparisons with verdicts by Holm's adjusted p-values, on these and on new rows.

    That all rows hold is shown if each does at the level by itself (an intersection-union test);
    that some row fails, and that a number of them hold, needs the adjustment. Intervals have the
    level at which they say the same. Single values without p-values do not change and do not count.
    """
    for kind in ("", "new_"):
        holds = [getattr(one, f"{kind}p_holds") for one in comparisons]
        fails = [getattr(one, f"{kind}p_fails") for one in comparisons]
        p_values = zip(holds if of_all else holm(holds), holm(fails), strict=True)
        levels = zip(
            [ONE_SIDED_LEVEL] * len(holds) if of_all else holm_levels(holds, ONE_SIDED_LEVEL),
            holm_levels(fails, ONE_SIDED_LEVEL),
            strict=True,
        )
        comparisons = [
            one
            if p_holds is None or p_fails is None
            else replace(one, **_decided(one, kind, judge_p(p_holds, p_fails), *level))
            for one, (p_holds, p_fails), level in zip(comparisons, p_values, levels, strict=True)
        ]
    return tuple(comparisons)


def _decided(
    one: ClaimComparison, kind: str, verdict: ClaimVerdict, to_hold: float, to_fail: float
) -> dict[str, Any]:
    """Return the verdict of a comparison, and its interval at the level that gave the verdict."""
    found: dict[str, Any] = {f"{kind}verdict": verdict}
    estimate: Estimate | None = getattr(one, f"{kind}estimate")
    if estimate is not None:
        level = {"holds": to_hold, "fails": to_fail}.get(verdict, min(to_hold, to_fail))
        found[f"{kind}low"], found[f"{kind}high"] = estimate.interval(2 * level)
    return found


def _compare(study: Study, test: ClaimTest, blank: ClaimComparison) -> ClaimComparison:
    """Return a comparison with its values, or the reason why it has none."""
    names = (blank.left, blank.right)
    # What is known without records: the paper's own values.
    if test.printed and (printed := printed_effect(study, test, blank.row, names)):
        verdict = _verdict_on_print(test, printed)
        blank = replace(blank, printed=printed.value, printed_verdict=verdict)
    # Test the recorded values; without enough of them, say why.
    results = results_of(study, test, blank.row, names)
    try:
        values = compared_values(study, test, results)
        is_timed = unit_of(test.metric) == SECONDS or (test.table and test.run_pass == "timing")
        if is_timed and len(values) < FEWEST_TIMINGS:
            raise NoValues(
                f"timed {counted(len(values), 'time')}; a verdict needs {FEWEST_TIMINGS} runs"
            )
        new = _on_new_rows(test, results, values)
        basis, found = _on_these_rows(study, test, results, values, new)
    except NoValues as reason:
        return replace(blank, reason=str(reason))
    except NoEffect as reason:
        return replace(blank, reason=f"{test.metric} is {reason}")
    means = values.mean(axis=0).tolist()
    if new is not None:
        blank = replace(
            blank, **{f"new_{key}": value for key, value in vars(new).items() if key != "effect"}
        )
    return replace(
        blank,
        left_mean=means[0],
        right_mean=means[1] if test.right is not None else None,
        n=len(values),
        basis=basis,
        own_test=_own_test(study, test, blank.row, names),
        reason="; ".join(left_out(results)),
        **vars(found),
    )


def _verdict_on_print(test: ClaimTest, printed: PrintedEffect) -> ClaimVerdict | None:
    """Return the verdict on all values that round to the printed ones, with their deviations.

    Deviations of 0 are rounded, too: then rounding alone decides.
    """
    varied = printed.varied
    if varied is None or varied.estimate is None or varied.estimate.is_exact:
        is_unknown = test.kind.of_rejections
        return None if is_unknown else judge_range(printed.low, printed.high, *test.bounds)
    verdicts = set[ClaimVerdict]()
    for effect in (printed.low, printed.value, printed.high):
        estimate = varied.estimate.moved(1.0, effect - printed.value)
        judged = judge_varied(varied._replace(shown=effect, estimate=estimate), *test.bounds)
        verdicts.add((judge_rejection(judged) if test.kind.of_rejections else judged).verdict)
    return verdicts.pop() if len(verdicts) == 1 else "cannot tell"


def _on_these_rows(
    study: Study,
    test: ClaimTest,
    results: Sequence[QueryResult],
    values: Vector,
    new: TestedEffect | None,
) -> tuple[str, TestedEffect]:
    """Test the effects on the rows at hand; the first result is what the interval comes from."""
    timed = test.run_pass == "timing"
    if test.each:
        return "each realization", judge_each(test.effect.effects(values), *test.bounds)
    varied = on_these_rows(study, test.effect, results, values, timed=timed)
    if test.kind.of_rejections:  # of tests of significance, which are about new rows
        return "new rows", judge_rejection(new or judge_varied(varied, *test.bounds))
    return varied.basis, judge_varied(varied, *test.bounds)


def _on_new_rows(
    test: ClaimTest, results: Sequence[QueryResult], values: Vector
) -> TestedEffect | None:
    """Test the effects as those of new rows of the same kind; None if that cannot be told."""
    if test.each or test.run_pass == "timing":
        return None
    varied = on_new_rows(test.effect, results, values)
    return None if varied is None else judge_varied(varied, *test.bounds)


def _own_test(study: Study, test: ClaimTest, row: str, pair: Pair) -> str:
    """Repeat the paper's own test on each realization, and return how often it finds the relation.

    Only realizations count for which every run of both algorithms has a value.
    """
    if not test.own_test:
        return ""
    sides = [
        [
            ask(study, Query(row, run, test.metric, test.run_pass))
            for run in study.config.sweep_values(test.own_test[name])
        ]
        for name in filter(None, pair)
    ]
    found = [
        less_by_welch(*(sample(np.array([run.values[number] for run in runs])) for runs in sides))
        for number in shared_realizations(chain(*sides))
    ]
    return f"{sum(found)} of {len(found)}" if found else ""
