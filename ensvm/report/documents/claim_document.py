"""Claims as a document: an overview, the evidence of each claim, and how to read it."""

from collections.abc import Callable
from dataclasses import asdict, fields

import pandas as pd

from ensvm.report.claims import ClaimComparison, JudgedClaim, evaluate_claims
from ensvm.report.documents.document import (
    NOTHING,
    Bullets,
    Document,
    Grid,
    Heading,
    Part,
    one_line,
    origin,
)
from ensvm.report.query import Study
from ensvm.report.tables import algorithm_label
from ensvm.study.claim import ClaimConfig
from ensvm.study.metrics import Unit
from ensvm.study.relations import RELATIONS

DECIDES = (
    "Whether a row **holds** or **fails** is tested, each at 2.5 % (one-sided); where neither can "
    "be shown, we **cannot tell**. Taken alone, a row holds or fails where the 95 % interval of "
    "its effect lies wholly on that side of the threshold. But the more rows a claim has, the "
    "likelier one of them is off by chance: the p-values of failing are adjusted for their number "
    "(Holm's step-down), in claims about most rows those of holding too, and these decide. That "
    "all rows hold needs none. Where that changes a row, its verdict alone stands in brackets. "
    "All p-values, adjusted and not, are in the CSV."
)
CLAIM_DECIDES = (
    "A claim **holds** when every row with values holds, and **fails** when any row fails; one "
    "about most rows holds when more than half hold, and fails when half or more fail. Where rows "
    "have no values, the verdict says on how many it rests."
)
INTERVALS = (
    "Intervals are t intervals over the realizations, of paired differences where two algorithms "
    "are compared, and of the logarithm for ratios. A single error of an official split has the "
    "binomial interval of two independent rates (Agresti & Caffo), widened by the spread over "
    "orders of the training rows where there are several. Any other single value (n = 1) has no "
    "interval and no test, and decides only where it lies beyond both the threshold and equality."
)
HOLD = "of n hold"
HOLDING = (
    "*of n hold* counts the realizations, each a split of its own, whose value keeps to the "
    "threshold by itself. The verdict does not use it."
)
OWN_TEST = "the paper's own test"
OWN_TESTING = (
    "*the paper's own test* is a one-sided Welch test at 5 % between several runs on one split of "
    "the rows. It is repeated on each of our splits, with as many runs; the column counts the "
    "splits on which it finds the claim. It asks whether runs differ on that split, our verdict "
    "whether methods differ over splits."
)
EACH = (
    "A claim about *each realization* holds on a row when all realizations keep to it, and fails "
    "when one does not. There is nothing to test then; the value shown is the worst."
)
OVERLAP = (
    "Realizations that split the same rows anew (folds of a cross-validation, random splits) share "
    "rows and are not independent. Their intervals are those of the corrected resampled t test "
    "(Nadeau & Bengio 2003), which are wider: the variance of the mean has the factor 1/n + r in "
    "place of 1/n, where r is n_test / n_train, or n_train / n_test where the test part is the "
    "larger (column `overlap` of the CSV)."
)
PRINTED = (
    "*printed* is the effect that the paper's own printed values have, and *as printed* whether "
    "they keep to the claim as it is tested here. No interval is known for them: the threshold "
    "alone decides. Our verdict does not depend on them."
)


def claims_document(study: Study) -> Document:
    """Return the claims with verdict and evidence; the frame has a line for each comparison."""
    parts: list[Part] = [overview(study)]
    for judged in evaluate_claims(study):
        parts += claim_parts(study, judged)
    # Tables show the assumptions that name them.
    assumptions = [one for one in study.config.assumptions if not one.tables]
    parts += legend(study)
    parts += [Bullets("Assumptions", [f"*{one.id}*: {one.text}" for one in assumptions])]
    parts += [origin(study)]
    return Document(f"Claims: {study.config.title or study.config.study}", parts, _frame(study))


def _frame(study: Study) -> pd.DataFrame:
    of_claim = ["claim_verdict", "claim_qualified", "claim_printed_verdict"]
    columns = [*of_claim, *(field.name for field in fields(ClaimComparison))]
    lines = [
        {
            "claim_verdict": judged.verdict,
            "claim_qualified": judged.qualified,
            "claim_printed_verdict": judged.printed_verdict,
            **asdict(comparison),
        }
        for judged in evaluate_claims(study)
        for comparison in judged.comparisons
    ]
    return pd.DataFrame(lines, columns=columns)


def overview(study: Study) -> Grid:
    """Return a line for each claim: the verdict and the number of rows behind it."""
    judged_claims = list(evaluate_claims(study))
    rows = [
        [
            judged.claim.id,
            f"**{judged.verdict}** {judged.qualified}".strip(),
            judged.counts,
            judged.printed_counts and f"**{judged.printed_verdict}**: {judged.printed_counts}",
        ]
        for judged in judged_claims
    ]
    heads = ["claim", "verdict", "evidence", "on the paper's own table"]
    n_shown = 4 if any(judged.printed_verdict for judged in judged_claims) else 3
    cells = [[cell or NOTHING for cell in row[:n_shown]] for row in rows]
    return Grid(heads[:n_shown], cells, left=heads)


def claim_parts(study: Study, judged: JudgedClaim) -> list[Part]:
    """Return a claim with its evidence, below a heading with its verdict."""
    heading = f"{judged.claim.id}: {judged.verdict} {judged.qualified}".strip()
    quoted = f"> {wording(judged.claim)}" if judged.claim.text else wording(judged.claim)
    return [Heading(heading), quoted, *evidence_parts(study, judged)]


def wording(claim: ClaimConfig) -> str:
    """Return the paper's sentence, or our paraphrase of it, which says so; on one line."""
    return one_line(claim.text or f"Paraphrased: {claim.paraphrase}")


def tested(claim: ClaimConfig) -> str:
    """Return what is tested: the metric, the relation and where."""
    threshold = claim.kind.threshold_text(claim.metric, claim.threshold)
    relation = f"{claim.relation}, {threshold}" if threshold else claim.relation
    stage = "" if claim.stage is None else f" at stage {claim.stage}"
    scope = ", in each realization" if claim.of_each else ""
    scope += ", in more than half of the comparisons" if claim.scope == "most" else ""
    return f"`{claim.metric}`{stage} ({claim.run_pass} pass), {relation}{scope}"


def evidence_parts(study: Study, judged: JudgedClaim) -> list[Part]:
    """Return the parts below the sentence of a claim; some may be empty."""
    claim = judged.claim
    return [
        one_line(f"Tested: {tested(claim)}; {judged.counts}. {claim.note}"),
        _on_paper(judged),
        _comparisons(study, judged),
        Bullets("Missing", _reasons(judged)),
    ]


def _on_paper(judged: JudgedClaim) -> str:
    """Return the verdict on the paper's own printed values; empty if it prints none."""
    if judged.printed_verdict is None:
        return ""
    names = judged.claim.printed_as
    failing = [
        names.get(one.row, one.row) for one in judged.comparisons if one.printed_verdict == "fails"
    ]
    verdict = (
        "On the paper's own table: "
        if judged.printed_verdict == "holds"
        else "**The paper's own table does not satisfy this claim as tested here**: "
    )
    rows = f" (fails on {', '.join(dict.fromkeys(failing))})" if failing else ""
    renamed = [f"{row} as {printed}" for row, printed in names.items()]
    text = f"{verdict}{judged.printed_counts}{rows}."
    return text + (f" The paper prints {', '.join(renamed)}." if renamed else "")


def _comparisons(study: Study, judged: JudgedClaim) -> Grid:
    """Return the grid of comparisons; the heads name the algorithms if there is one pair."""
    claim = judged.claim
    comparisons = [one for one in judged.comparisons if one.verdict or one.printed_verdict]
    values, effect = claim.kind.value_unit(claim.metric), claim.kind.effect_unit(claim.metric)
    several = len({(one.better, one.than) for one in judged.comparisons}) > 1
    first, second = "first", "second"
    if claim.than and not several:
        first, second = (algorithm_label(study, name) for name in (*claim.better, *claim.than))
    has_interval = any(one.low is not None for one in comparisons)
    has_counts = any(one.n > 1 for one in comparisons) and not claim.kind.of_rejections
    has_own_test = any(one.own_test for one in comparisons)
    is_printed = judged.printed_verdict is not None
    columns: list[tuple[bool, str, Callable[[ClaimComparison], str]]] = [
        (True, "data set", lambda one: one.row),
        (several, "compared", lambda one: _pair(study, one)),
        (bool(claim.than), first, lambda one: _number(values, one.better_mean)),
        (bool(claim.than), second, lambda one: _number(values, one.than_mean)),
        (True, effect_head(claim), lambda one: _number(effect, one.effect)),
        (has_interval, "95 % interval", lambda one: _interval(effect, one)),
        (True, "n", lambda one: str(one.n)),
        (has_counts, HOLD, lambda one: str(one.n_holds)),
        (True, "verdict", _verdict),
        (has_own_test, OWN_TEST, lambda one: one.own_test or NOTHING),
        (is_printed, "printed", lambda one: _number(effect, one.printed)),
        (is_printed, "as printed", lambda one: one.printed_verdict or NOTHING),
    ]
    shown = [(head, text_of) for is_shown, head, text_of in columns if is_shown]
    return Grid(
        [head for head, _ in shown],
        [[text_of(one) for _, text_of in shown] for one in comparisons],
        left=("compared", "verdict", "as printed"),
    )


def _verdict(comparison: ClaimComparison) -> str:
    """Return the verdict; if the adjustment changed it, with the unadjusted one in brackets."""
    if comparison.verdict is None:
        return NOTHING
    alone = comparison.unadjusted
    return comparison.verdict + (f" (alone: {alone})" if alone != comparison.verdict else "")


def effect_head(claim: ClaimConfig) -> str:
    """Return what the effect of a claim is called, with its unit."""
    effect = claim.kind.effect_name or claim.metric
    unit = claim.kind.effect_unit(claim.metric).name
    if unit and unit not in ("times", effect):
        effect = f"{effect} ({unit})"
    return f"{effect}, the worst" if claim.of_each else effect


def _pair(study: Study, comparison: ClaimComparison) -> str:
    pair = (comparison.better, comparison.than)
    return " against ".join(algorithm_label(study, name) for name in pair if name)


def _interval(unit: Unit, comparison: ClaimComparison) -> str:
    if comparison.low is None:
        return NOTHING
    return f"{_number(unit, comparison.low)} to {_number(unit, comparison.high)}"


def _number(unit: Unit, value: float | None) -> str:
    return NOTHING if value is None else unit.text(value)


def _reasons(judged: JudgedClaim) -> list[str]:
    rows: dict[str, list[str]] = {}
    for comparison in judged.comparisons:
        if comparison.reason and comparison.row not in rows.setdefault(comparison.reason, []):
            rows[comparison.reason].append(comparison.row)
    return [f"{', '.join(names)}: {reason}" for reason, names in rows.items()]


def legend(study: Study) -> list[Part]:
    """Return how to read the claims."""
    judged_claims = list(evaluate_claims(study))
    comparisons = [one for judged in judged_claims for one in judged.comparisons]
    used = {judged.claim.relation for judged in judged_claims}
    return [
        Bullets(
            "Relations", [f"*{n}*: {one.meaning}" for n, one in RELATIONS.items() if n in used]
        ),
        DECIDES,
        CLAIM_DECIDES,
        INTERVALS,
        HOLDING if any(one.n > 1 for one in comparisons) else "",
        OWN_TESTING if any(one.own_test for one in comparisons) else "",
        EACH if any(judged.claim.of_each for judged in judged_claims) else "",
        OVERLAP if any(one.overlap for one in comparisons) else "",
        PRINTED if any(one.printed_verdict for one in comparisons) else "",
    ]
