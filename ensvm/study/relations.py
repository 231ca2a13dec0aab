"""The relations that a claim may state, such as "less" or "at most".

A relation says which keys its claims have, which numbers of a realization are compared, what their
effect is and in which unit, and which bounds the effect must keep to. To add one, add an entry to
`RELATIONS`: configs accept it, its claims are tested, and the legend explains it.
`ensvm.report.claim_tests` tests the effects.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ensvm.study.metrics import EXPONENT, PERCENT, PLAIN, POINTS, RISES, TIMES, Unit, unit_of

Numbers: TypeAlias = NDArray[np.float64]


class NoEffect(ValueError):
    """Numbers for which the effect of a relation is not defined; the message says why."""


@dataclass(frozen=True)
class Bound:
    """One bound of an effect: it must be at most `threshold`."""

    threshold: float  # the largest effect that keeps to the bound
    # The effect if there is no difference at all. A single value has no interval, so it decides
    # only if it lies on the same side of both.
    neutral: float
    strict: bool = False  # whether the effect must not even equal the threshold
    above: bool = False  # whether the effect must be at least the threshold instead

    def kept_by(self, effect: float) -> bool:
        """Return whether an effect, taken as a plain number, keeps to the bound."""
        if effect == self.threshold:
            return not self.strict
        return (effect > self.threshold) == self.above

    def excess(self, effect: float) -> float:
        """Return how far an effect lies beyond the threshold; negative if it keeps to it."""
        return self.threshold - effect if self.above else effect - self.threshold


# What is compared in one realization. `recorded` has the metric of the algorithms, that of `better`
# first, or of `better` at each member of a sweep, whose values are `swept`; curves are lists.


def _as_recorded(recorded: Sequence[Any], swept: Sequence[float]) -> list[float]:
    return list(recorded)


def _at_the_end_of_the_first(recorded: Sequence[Any], swept: Sequence[float]) -> list[float]:
    """Return the values of curves where the first one ends; a shorter curve repeats its last."""
    end = len(recorded[0])
    return [curve[min(end, len(curve)) - 1] for curve in recorded]


def _rises(recorded: Sequence[Any], swept: Sequence[float]) -> list[float]:
    """Return how many iterations raise each curve; NaN counts as a rise."""
    return [int(np.count_nonzero(~(np.diff(curve) <= 0.0))) for curve in recorded]


def _slope(recorded: Sequence[Any], swept: Sequence[float]) -> list[float]:
    """Return the slope of the least-squares line; the mean of slopes is that of the mean curve."""
    if len(recorded[0]) < 2:
        raise NoEffect("a single value in some realization, which has no slope")
    return [float(np.polyfit(np.arange(len(curve)), curve, 1)[0]) for curve in recorded]


def _growth(recorded: Sequence[Any], swept: Sequence[float]) -> list[float]:
    """Return the slope of the line through the logarithms of values and swept values."""
    if min(recorded) <= 0.0:
        raise NoEffect("not positive everywhere, so its growth has no exponent")
    slope, _ = np.polyfit(np.log(np.array(swept, dtype=float)), np.log(recorded), 1)
    return [float(slope)]


# The effect of each realization, from an array of shape (n_realizations, 1 or 2).


def _value(values: Numbers) -> Numbers:
    return values[:, 0]


def _difference(values: Numbers) -> Numbers:
    return values[:, 0] - values[:, 1]


def _ratio(values: Numbers) -> Numbers:
    if not (values > 0.0).all():
        raise NoEffect("not positive everywhere, so there is no ratio")
    return values[:, 1] / values[:, 0]


def _at_most(threshold: float) -> tuple[Bound, ...]:
    return (Bound(threshold, threshold),)


@dataclass(frozen=True)
class Relation:
    """A claim's relation; by default one value that is at most the threshold."""

    # which of the keys `than`, `margin`, `factor`, `limit` and `over` its claims have, each with
    # its default; None if the claim must give it
    keys: Mapping[str, float | None]
    meaning: str  # what the relation claims, for the legend
    # returns the numbers compared in one realization; may raise NoEffect
    values: Callable[[Sequence[Any], Sequence[float]], list[float]] = _as_recorded
    # returns the effect of each realization from these numbers; may raise NoEffect
    effects: Callable[[Numbers], Numbers] = _value
    # returns the bounds that an effect must keep to, all of them, from the threshold
    bounds: Callable[[float], tuple[Bound, ...]] = _at_most
    # what a heading calls the effect; None for the name of the metric
    effect_name: str | None = None
    of_curves: bool = False  # whether whole curves are compared, not single values
    logarithmic: bool = False  # whether the interval is computed for the logarithm of the effect
    # whether the relation is about each realization, so that one that violates it decides
    of_each: bool = False
    # whether a row holds if a two-sided test at 5 % does not show a difference
    of_rejections: bool = False
    of_points: bool = False  # whether an effect of percentages is in percentage points
    # the units of the values compared, of the effect and of the threshold; None for those of the
    # metric, of the values and of the effect
    own_value_unit: Unit | None = None
    own_effect_unit: Unit | None = None
    own_threshold_unit: Unit | None = None

    @property
    def of_differences(self) -> bool:
        """Whether the effect is the difference of two values, that of `better` first."""
        return self.effects is _difference

    @property
    def threshold_key(self) -> str | None:
        """The key that gives the threshold: margin, factor, limit, or none."""
        return next((key for key in self.keys if key not in ("than", "over")), None)

    def value_unit(self, metric: str) -> Unit:
        """Return the unit of the numbers compared."""
        return self.own_value_unit or unit_of(metric)

    def effect_unit(self, metric: str) -> Unit:
        """Return the unit of the effect."""
        unit = self.own_effect_unit or self.value_unit(metric)
        return POINTS if self.of_points and unit == PERCENT else unit

    def threshold_text(self, metric: str, threshold: float) -> str:
        """Return the threshold with its key and unit; empty if the relation has none."""
        if self.threshold_key is None:
            return ""
        unit = (self.own_threshold_unit or self.effect_unit(metric)).name
        return f"{self.threshold_key} {threshold:g} {unit}".rstrip()


NEAR = 1.25  # the factor by which a ratio may be off and still be near

_DIFFERENCE: Any = {
    "keys": {"than": None, "margin": 0.0},
    "effects": _difference,
    "effect_name": "difference",
    "of_points": True,
}
_RATIO: Any = {
    "keys": {"than": None, "factor": 1.0},
    "effects": _ratio,
    "bounds": lambda threshold: (Bound(threshold, 1.0, above=True),),
    "effect_name": "ratio",
    "logarithmic": True,
    "own_effect_unit": TIMES,
    "own_threshold_unit": PLAIN,
}

RELATIONS: dict[str, Relation] = {
    "less": Relation(
        **_DIFFERENCE,
        meaning="the difference lies below minus the margin",
        bounds=lambda threshold: (Bound(-threshold, 0.0, strict=True),),
    ),
    "at-most": Relation(
        **_DIFFERENCE,
        meaning="the difference is at most the margin",
        bounds=lambda threshold: (Bound(threshold, 0.0),),
    ),
    "within": Relation(
        **_DIFFERENCE,
        meaning="the difference is at most the margin, either way",
        bounds=lambda threshold: (Bound(threshold, 0.0), Bound(-threshold, 0.0, above=True)),
    ),
    "not-significant": Relation(
        **{**_DIFFERENCE, "keys": {"than": None}},
        meaning="a two-sided test at 5 % does not show a difference",
        of_rejections=True,
    ),
    "ratio": Relation(**_RATIO, meaning="the second value is at least factor times the first"),
    "ratio-near": Relation(
        **{
            **_RATIO,
            "bounds": lambda threshold: (
                Bound(threshold / NEAR, threshold / NEAR, above=True),
                Bound(threshold * NEAR, threshold * NEAR),
            ),
        },
        meaning="the second value is factor times the first, within a quarter either way",
    ),
    "curve-below": Relation(
        **_RATIO,
        meaning="where the first curve ends, the second is at least factor times as high",
        values=_at_the_end_of_the_first,
        of_curves=True,
    ),
    "curve-falls": Relation(
        keys={},
        meaning="the curve never rises (rises: iterations that raise it)",
        values=_rises,
        effect_name="rises",
        of_curves=True,
        of_each=True,
        own_value_unit=RISES,
    ),
    "curve-declines": Relation(
        keys={},
        meaning="the slope of the least-squares line through the curve, for each step, is at most "
        "0",
        values=_slope,
        effect_name="slope",
        of_curves=True,
        of_points=True,
    ),
    "value-at-most": Relation(keys={"limit": None}, meaning="the value is at most the limit"),
    "value-at-least": Relation(
        keys={"limit": None},
        meaning="the value is at least the limit",
        bounds=lambda threshold: (Bound(threshold, threshold, above=True),),
    ),
    "growth-at-most": Relation(
        keys={"over": None, "limit": None},
        meaning="the value grows at most as the swept value to the power of the limit",
        values=_growth,
        effect_name="exponent",
        own_value_unit=EXPONENT,
        own_threshold_unit=PLAIN,
    ),
}
"""The relations by name, in the order of the legend."""
