"""A claim as a picture: each row's effect, interval and printed value, and the thresholds."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ensvm.report.claims import ClaimComparison, JudgedClaim
from ensvm.report.documents.claim_document import effect_head
from ensvm.report.query import Study
from ensvm.report.render.reproduction_picture import PictureScale
from ensvm.report.tables import algorithm_label
from ensvm.study.claim import ClaimConfig
from ensvm.study.metrics import direction_of

WIDTH, ROW, TOP = 430.0, 22.0, 8.0  # pixels; the width is that of the axis, without the names
LETTER, MOST_LETTERS = 7.0, 60  # room for the names
AXIS = 48.0
MARGIN_SHARE = 0.06  # free space at both ends, relative to the range of values


@dataclass(frozen=True)
class ClaimPicture:
    """The drawing of a claim: its comparisons by name, a row each; `title` is that of the axis.

    `neutral` is where two algorithms are equal, and `sides` say what lies left and right of it:
    None and empty if the claim compares nothing. `ticks` are the numbers at the axis.
    """

    rows: list[tuple[str, ClaimComparison]]
    scale: PictureScale
    thresholds: list[float]
    neutral: float | None
    sides: tuple[str, ...]
    ticks: list[tuple[float, str]]
    title: str

    row, top = ROW, TOP

    @property
    def width(self) -> float:
        """The width in pixels."""
        return self.scale.left + WIDTH

    @property
    def height(self) -> float:
        """The height in pixels."""
        return TOP + ROW * len(self.rows) + AXIS


def picture_of(study: Study, finding: JudgedClaim) -> ClaimPicture | None:
    """Return the picture of a claim; None if no row has an effect."""
    comparisons = [one for one in finding.comparisons if one.effect is not None]
    if not comparisons:
        return None
    claim = finding.claim
    bounds = claim.kind.bounds(claim.threshold)
    thresholds = [] if claim.kind.of_rejections else [bound.threshold for bound in bounds]
    neutral = None if claim.than is None else 0.0 if claim.kind.of_differences else 1.0
    values = [neutral, *thresholds]
    values += [end for one in comparisons for end in (one.effect, one.low, one.high, one.printed)]
    finite = [value for value in values if value is not None and math.isfinite(value)]
    low, high = min(finite), max(finite)
    room = MARGIN_SHARE * (high - low) or abs(high) or 1.0
    rows = [(_name(study, claim, one), one) for one in comparisons]
    left = LETTER * min(max(len(name) for name, _ in rows), MOST_LETTERS) + 16.0
    return ClaimPicture(
        rows,
        PictureScale(low - room, high + room, left=left, length=WIDTH - 10.0),
        thresholds,
        neutral,
        tuple(_sides(study, claim)),
        [(value, _tick(value)) for value in (low, high)],
        _axis_title(claim),
    )


def _tick(value: float) -> str:
    return f"{value:{'.0f' if abs(value) >= 1000.0 else '.3g'}}".replace("-", "−")


def _axis_title(claim: ClaimConfig) -> str:
    """Return the effect with its unit, and on which side of the threshold the claim holds."""
    effect, bounds = effect_head(claim), claim.kind.bounds(claim.threshold)
    if claim.kind.of_rejections:
        return effect
    if len(bounds) > 1:
        return f"{effect} | holds between the dashed lines"
    return f"{effect} | holds →" if bounds[0].above else f"← holds | {effect}"


def _sides(study: Study, claim: ClaimConfig) -> Iterable[str]:
    """Return what the left and the right of the neutral effect say; empty without a pair.

    The first of two algorithms has the lower value if their difference is negative, or their ratio
    (of the second to the first) above 1.
    """
    if claim.than is None:
        return []
    first = algorithm_label(study, claim.better[0]) if len(claim.better) == 1 else "the first"
    second = algorithm_label(study, claim.than[0]) if len(claim.than) == 1 else "the second"
    left, right = (first, second) if claim.kind.of_differences else (second, first)
    best = direction_of(claim.metric)
    if best == "max":
        left, right = right, left
    word = "lower with" if best is None else "favours"
    return f"← {word} {left}", f"{word} {right}\N{NO-BREAK SPACE}→"


def _name(study: Study, claim: ClaimConfig, one: ClaimComparison) -> str:
    """Return the row of a comparison, and of its algorithms those that differ between rows."""
    several = [one.better] if len(claim.better) > 1 else []
    several += [one.than] if one.than and len(claim.than or ()) > 1 else []
    names = " / ".join(algorithm_label(study, name) for name in several)
    return f"{one.row}: {names}" if names else one.row
