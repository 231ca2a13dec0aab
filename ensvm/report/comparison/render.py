"""A comparison as text: a few lines a study, or every cell that differs."""

from collections.abc import Iterator

from tabulate import tabulate

from ensvm.report.comparison.differences import CellDifference, StudyComparison

MOST = 12  # cells or rows named one by one


def summary(comparison: StudyComparison) -> Iterator[str]:
    """Yield what differs in a few lines, the study's name first."""
    cells = comparison.cells
    both = [cell for cell in cells if cell.shared]
    equal = sum(cell.equal for cell in both)
    told = f"{comparison.study}: {len(both)} cells with values on both sides"
    told += f", {equal} equal to the last bit" if both else ""
    other = [cell for cell in both if not cell.equal]
    if other:
        worst = max(other, key=lambda cell: abs(cell.difference or 0.0))
        told += f"; the largest difference of means: {worst.difference:+.3g} ({_place(worst)})"
    yield told
    judged = sum(bool(cell.first_verdict and cell.second_verdict) for cell in cells)
    flips = [f"{_place(c)}: {c.first_verdict} -> {c.second_verdict}" for c in comparison.flips]
    if judged:
        yield f"  verdicts: {len(flips)} of {judged} differ" + _named(flips)
    claims = [f"{one.claim}: {one.first} -> {one.second}" for one in comparison.claims]
    yield f"  claims: {len(claims)} differ" + _named(claims)
    for side, name in enumerate(("first", "second")):
        if alone := comparison.only(side):
            rows = list(dict.fromkeys(cell.row for cell in alone))
            yield f"  only the {name} has {len(alone)} cells" + _named(rows)
    for name, one, other_side in comparison.context:
        yield f"  {name}: {one} | {other_side}"


def differing(comparison: StudyComparison) -> str:
    """Return a table of the cells that are not equal; empty where all are."""
    rows = [
        [
            cell.table,
            cell.row,
            cell.column,
            _number(cell.first),
            _number(cell.second),
            _change(cell),
            cell.shared,
            cell.first_verdict,
            cell.second_verdict,
        ]
        for cell in comparison.cells
        if not (cell.shared and cell.equal)
    ]
    heads = ["table", "data set", "column", "first", "second", "second - first", "shared"]
    return tabulate(rows, [*heads, "verdict", "then"], "simple", disable_numparse=True) * bool(rows)


def _place(cell: CellDifference) -> str:
    return f"table {cell.table}, {cell.row}, {cell.column}"


def _named(texts: list[str]) -> str:
    if not texts:
        return ""
    more = f"; and {len(texts) - MOST} more" if len(texts) > MOST else ""
    return f": {'; '.join(texts[:MOST])}{more}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.4g}"


def _change(cell: CellDifference) -> str:
    if cell.difference is None:
        return "-"
    interval = "" if cell.low is None else f" ({cell.low:+.3g} to {cell.high:+.3g})"
    return f"{cell.difference:+.3g}{interval}"
