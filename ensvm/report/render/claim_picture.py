"""A claim as a picture: each row's effect, interval and printed value, and the thresholds."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from ensvm.report.claims import ClaimComparison, JudgedClaim
from ensvm.report.documents.claim_document import effect_head
from ensvm.report.query import Study
from ensvm.report.tables import algorithm_label
from ensvm.study.claim import ClaimConfig
from ensvm.study.metrics import direction_of

WIDTH, ROW, TOP = 430.0, 22.0, 8.0  # pixels; the width is that of the axis, without the names
LETTER, MOST_LETTERS = 7.0, 60  # room for the names
AXIS = 48.0
MARGIN_SHARE = 0.06  # free space at both ends, relative to the range of values


@dataclass(frozen=True)
class ClaimBar:
    """One row of the picture, in pixels: a point, its interval, and the printed effect."""

    name: str
    y: float
    x: float
    low: float | None
    high: float | None
    printed: float | None
    verdict: str


@dataclass(frozen=True)
class ClaimPicture:
    """The drawing of a claim; positions in pixels. `title` is that of the axis.

    `neutral` is where two algorithms are equal, and `sides` say what lies left and right of it:
    None and empty if the claim compares nothing.
    """

    width: float
    height: float
    left: float
    thresholds: tuple[float, ...]
    neutral: float | None
    sides: tuple[str, ...]
    ticks: tuple[tuple[float, str], ...]
    bars: tuple[ClaimBar, ...]
    title: str


def picture_of(study: Study, finding: JudgedClaim) -> ClaimPicture | None:
    """Return the picture of a claim; None if no row has an effect."""
    comparisons = [one for one in finding.comparisons if one.effect is not None]
    if not comparisons:
        return None
    claim = finding.claim
    thresholds = [] if claim.kind.of_rejections else _thresholds(claim)
    neutral = None if claim.than is None else 0.0 if claim.kind.of_differences else 1.0
    values = [*thresholds, *(value for one in comparisons for value in _ends(one))]
    values += [] if neutral is None else [neutral]
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite), max(finite)
    room = MARGIN_SHARE * (high - low) or abs(high) or 1.0
    low, high = low - room, high + room
    names = [_name(study, claim, one) for one in comparisons]
    left = LETTER * min(max(map(len, names)), MOST_LETTERS) + 16.0

    def pixel(value: float) -> float:
        share = (min(max(value, low), high) - low) / (high - low)
        return round(left + share * (WIDTH - 10.0), 1)

    def pixel_if_any(value: float | None) -> float | None:
        return None if value is None else pixel(value)

    bars = tuple(
        ClaimBar(
            name,
            TOP + ROW * (number + 0.5),
            pixel(one.effect or 0.0),
            pixel_if_any(one.low),
            pixel_if_any(one.high),
            pixel_if_any(one.printed),
            one.verdict or "",
        )
        for number, (name, one) in enumerate(zip(names, comparisons, strict=True))
    )
    ends = (low + room, high - room)
    return ClaimPicture(
        left + WIDTH,
        TOP + ROW * len(comparisons) + AXIS,
        left,
        tuple(map(pixel, thresholds)),
        pixel_if_any(neutral),
        tuple(_sides(study, claim)),
        tuple((pixel(value), _tick(value)) for value in ends),
        bars,
        _axis_title(claim),
    )


def _tick(value: float) -> str:
    return f"{value:{'.0f' if abs(value) >= 1000.0 else '.3g'}}".replace("-", "−")


def _thresholds(claim: ClaimConfig) -> list[float]:
    return [bound.threshold for bound in claim.kind.bounds(claim.threshold)]


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


def _ends(one: ClaimComparison) -> list[float]:
    return [value for value in (one.effect, one.low, one.high, one.printed) if value is not None]


def _name(study: Study, claim: ClaimConfig, one: ClaimComparison) -> str:
    """Return the row of a comparison, and of its algorithms those that differ between rows."""
    several = [one.better] if len(claim.better) > 1 else []
    several += [one.than] if one.than and len(claim.than or ()) > 1 else []
    names = " / ".join(algorithm_label(study, name) for name in several)
    return f"{one.row}: {names}" if names else one.row
