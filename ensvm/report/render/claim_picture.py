"""A claim as a picture: each row's effect, interval and printed value, and the threshold."""

import math
from dataclasses import dataclass

from ensvm.report.claims import ClaimComparison, JudgedClaim
from ensvm.report.documents.claim_document import effect_head
from ensvm.study.claim import ClaimConfig

WIDTH, ROW, LEFT, TOP = 640.0, 22.0, 210.0, 8.0  # pixels; the first LEFT are for names
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
    """The drawing of a claim; positions in pixels. `title` is that of the axis."""

    width: float
    height: float
    left: float
    threshold: float
    ticks: tuple[tuple[float, str], ...]
    bars: tuple[ClaimBar, ...]
    title: str


def picture_of(finding: JudgedClaim) -> ClaimPicture | None:
    """Return the picture of a claim; None if no row has an effect."""
    comparisons = [one for one in finding.comparisons if one.effect is not None]
    if not comparisons:
        return None
    threshold = comparisons[0].threshold
    values = [threshold, *(value for one in comparisons for value in _ends(one))]
    finite = [value for value in values if math.isfinite(value)]
    low, high = min(finite), max(finite)
    room = MARGIN_SHARE * (high - low) or abs(high) or 1.0
    low, high = low - room, high + room

    def pixel(value: float | None) -> float | None:
        if value is None:
            return None
        share = (min(max(value, low), high) - low) / (high - low)
        return round(LEFT + share * (WIDTH - LEFT - 10.0), 1)

    several = len({(one.better, one.than) for one in comparisons}) > 1
    bars = tuple(
        ClaimBar(
            _name(one, several),
            TOP + ROW * (number + 0.5),
            pixel(one.effect) or LEFT,
            pixel(one.low),
            pixel(one.high),
            pixel(one.printed),
            one.verdict or "",
        )
        for number, one in enumerate(comparisons)
    )
    ticks = tuple((pixel(value) or LEFT, f"{value:.3g}") for value in (low + room, high - room))
    height = TOP + ROW * len(comparisons) + AXIS
    title = _axis_title(finding.claim)
    return ClaimPicture(WIDTH, height, LEFT, pixel(threshold) or LEFT, ticks, bars, title)


def _axis_title(claim: ClaimConfig) -> str:
    """Return the effect with its unit, and on which side of the threshold the claim holds."""
    effect, bounds = effect_head(claim), claim.kind.bounds(claim.threshold)
    if len(bounds) > 1 or claim.kind.of_rejections:
        return effect
    return f"{effect} | holds →" if bounds[0].above else f"← holds | {effect}"


def _ends(one: ClaimComparison) -> list[float]:
    return [value for value in (one.effect, one.low, one.high, one.printed) if value is not None]


def _name(one: ClaimComparison, several: bool) -> str:
    pair = one.better if one.than is None else f"{one.better} / {one.than}"
    return f"{one.row}: {pair}" if several else one.row
