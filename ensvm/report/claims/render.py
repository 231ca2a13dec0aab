"""Claims as files: CSV, a comparison a line; Markdown with the evidence and a legend."""

from collections import Counter
from dataclasses import asdict, fields

import pandas as pd
from tabulate import tabulate

from ensvm.report.claims.comparisons import Comparison, Finding
from ensvm.report.claims.statistics import CLAIM_VERDICTS
from ensvm.report.query import Study
from ensvm.report.tables.legend import algorithm_label
from ensvm.report.tables.render import NOTHING, bullet_list, origin
from ensvm.study.claim import ClaimConfig
from ensvm.study.metrics import Unit
from ensvm.study.relations import RELATIONS

LEGEND = (
    "Where the paper prints the values, *printed* is what they make of the effect; it decides "
    "nothing. A row **holds** or **fails** when the 95 % interval of the effect lies wholly on "
    "that side of the threshold, else we **cannot tell**. Intervals are paired t over realizations "
    "(of the logarithm for ratios). A single error of an official split has the binomial interval "
    "of two independent rates (Agresti & Caffo); any other single value (n = 1, no interval) "
    "decides only where it lies beyond both the threshold and equality. A claim **holds** when "
    "every row with values holds, and **fails** when any row fails; one about most rows holds when "
    "more than half hold, and fails when half or more fail."
)


def to_csv(findings: list[Finding]) -> str:
    """Return the comparisons, one line each and unrounded, with the verdict of the claim."""
    columns = ["claim_verdict", *(field.name for field in fields(Comparison))]
    lines = [
        {"claim_verdict": finding.verdict, **asdict(comparison)}
        for finding in findings
        for comparison in finding.comparisons
    ]
    return pd.DataFrame(lines, columns=columns).to_csv(index=False, lineterminator="\n")


def to_markdown(study: Study, findings: list[Finding]) -> str:
    """Return the claims with verdict, counts and evidence, a legend, and the records' origin."""
    parts = [f"## Claims: {study.config.title or study.config.study}", _overview(findings)]
    for finding in findings:
        parts += _claim(study, finding)
    parts += [_legend(findings), bullet_list("Assumptions", _assumptions(study)), origin(study)]
    return "\n\n".join(part for part in parts if part) + "\n"


def counts(finding: Finding) -> str:
    """Return on how many rows (or comparisons) a claim holds, fails, or cannot be told."""
    judged = Counter(comparison.verdict for comparison in finding.comparisons if comparison.verdict)
    several = len({comparison.row for comparison in finding.comparisons}) < len(finding.comparisons)
    parts = [f"{name} on {count}" for name in CLAIM_VERDICTS if (count := judged[name])]
    silent = len(finding.comparisons) - judged.total()
    what = "comparisons" if several else "rows"
    text = f"{', '.join(parts) or 'nothing known'} of {judged.total()} {what}"
    return text + (f"; {silent} without values" if silent else "")


def _overview(findings: list[Finding]) -> str:
    rows = [[finding.claim.id, f"**{finding.verdict}**", counts(finding)] for finding in findings]
    return tabulate(
        rows, headers=["claim", "verdict", "evidence"], tablefmt="pipe", disable_numparse=True
    )


def _claim(study: Study, finding: Finding) -> list[str]:
    claim = finding.claim
    relation = claim.kind.heading(claim.metric, claim.threshold)
    metric = (
        f"`{claim.metric}`" if claim.stage is None else f"`{claim.metric}` at stage {claim.stage}"
    )
    scope = ", in more than half of the comparisons" if claim.scope == "most" else ""
    return [
        f"### {claim.id}: {finding.verdict}",
        f"> {' '.join(claim.text.split())}",
        " ".join(
            f"Tested: {metric} ({claim.run_pass} pass), {relation}{scope}; "
            f"{counts(finding)}. {claim.note}".split()
        ),
        _evidence(study, finding),
        bullet_list("Missing", _reasons(finding)),
    ]


def _evidence(study: Study, finding: Finding) -> str:
    """Return the table of comparisons; one pair of algorithms stands in the heading."""
    claim = finding.claim
    shown = [comparison for comparison in finding.comparisons if comparison.verdict]
    pairs = {(comparison.better, comparison.than) for comparison in finding.comparisons}
    heads = [
        "data set",
        *_value_heads(study, claim, pairs),
        "95 % interval",
        "printed",
        "n",
        "verdict",
    ]
    printed = any(comparison.printed is not None for comparison in shown)
    values, effect = claim.kind.value_unit(claim.metric), claim.kind.effect_unit(claim.metric)
    rows = []
    for comparison in shown:
        means = [comparison.better_mean, comparison.than_mean] if claim.than else []
        rows.append(
            [
                comparison.row,
                *([_pair(study, comparison)] if len(pairs) > 1 else []),
                *(_number(values, mean) for mean in means),
                _number(effect, comparison.effect),
                _interval(effect, comparison),
                _number(effect, comparison.printed),
                str(comparison.n),
                str(comparison.verdict),
            ]
        )
    kept = [number for number, head in enumerate(heads) if printed or head != "printed"]
    return _table(
        [heads[number] for number in kept], [[row[number] for number in kept] for row in rows]
    )


def _value_heads(study: Study, claim: ClaimConfig, pairs: set[tuple[str, str | None]]) -> list[str]:
    effect = claim.kind.effect_name or claim.metric
    unit = claim.kind.effect_unit(claim.metric).name
    if unit and unit not in ("times", effect):
        effect = f"{effect} ({unit})"
    if len(pairs) > 1:
        return ["compared", *(["first", "second"] if claim.than else []), effect]
    return [
        *(algorithm_label(study, name) for name in next(iter(pairs)) if name and claim.than),
        effect,
    ]


def _table(heads: list[str], rows: list[list[str]]) -> str:
    if not rows:
        return ""
    sides = ["left" if head in ("data set", "compared", "verdict") else "right" for head in heads]
    return tabulate(rows, headers=heads, tablefmt="pipe", disable_numparse=True, colalign=sides)


def _pair(study: Study, comparison: Comparison) -> str:
    better = algorithm_label(study, comparison.better)
    return (
        better
        if comparison.than is None
        else f"{better} against {algorithm_label(study, comparison.than)}"
    )


def _interval(unit: Unit, comparison: Comparison) -> str:
    if comparison.low is None:
        return NOTHING
    return f"{_number(unit, comparison.low)} to {_number(unit, comparison.high)}"


def _number(unit: Unit, value: float | None) -> str:
    return NOTHING if value is None else unit.text(value)


def _reasons(finding: Finding) -> list[str]:
    rows: dict[str, list[str]] = {}
    for comparison in finding.comparisons:
        if comparison.reason and comparison.row not in rows.setdefault(comparison.reason, []):
            rows[comparison.reason].append(comparison.row)
    return [f"{', '.join(names)}: {reason}" for reason, names in rows.items()]


def _legend(findings: list[Finding]) -> str:
    used = [
        relation
        for name, relation in RELATIONS.items()
        if any(finding.claim.relation == name for finding in findings)
    ]
    return "\n\n".join(
        [
            bullet_list(
                "Relations", [f"*{relation.name}*: {relation.meaning}" for relation in used]
            ),
            LEGEND,
        ]
    )


def _assumptions(study: Study) -> list[str]:
    """Return the assumptions about no table; those of single tables stand there."""
    return [f"*{entry.id}*: {entry.text}" for entry in study.config.assumptions if not entry.tables]
