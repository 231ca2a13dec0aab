"""What the tests of claims compare (`EFFECTS`), and how (`RELATIONS`).

The effect of a realization is a number made of the metric, such as the difference of two
algorithms. A relation says which bounds an effect must keep to. To add one, add an entry: configs
accept it, claims are tested by it, and the legend explains it. `ensvm.report.claim_tests` tests
the effects.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ensvm.array_types import Vector
from ensvm.study.metrics import (
    EXPONENT,
    PERCENT,
    PERCENT_MORE,
    PLAIN,
    POINTS,
    TIMES,
    Unit,
    unit_of,
)

NEAR = 1.25  # the factor by which a ratio may be off and still be near


class NoEffect(ValueError):
    """Numbers for which an effect is not defined; the message says why."""


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


# What is compared in one realization. `recorded` has the metric of the algorithms, that of `left`
# first, or of `left` at each member of a sweep, whose values are `swept`; curves are lists.


def _as_recorded(recorded: Sequence[Any], swept: Sequence[float]) -> list[float]:
    return list(recorded)


def _slope(recorded: Sequence[Any], swept: Sequence[float]) -> list[float]:
    """Return the slope of the least-squares line; the mean of slopes is that of the mean curve."""
    if len(recorded[0]) < 2:
        raise NoEffect("a single value in some realization, which has no slope")
    return [float(np.polyfit(np.arange(len(curve)), curve, 1)[0]) for curve in recorded]


def _exponent(recorded: Sequence[Any], swept: Sequence[float]) -> list[float]:
    """Return the slope of the line through the logarithms of values and swept values."""
    if min(recorded) <= 0.0:
        raise NoEffect("not positive everywhere, so its growth has no exponent")
    slope, _ = np.polyfit(np.log(np.array(swept, dtype=float)), np.log(recorded), 1)
    return [float(slope)]


# The effect of each realization, from an array of shape (n_realizations, 1 or 2).


def _first(values: Vector) -> Vector:
    return values[:, 0]


def _difference(values: Vector) -> Vector:
    return values[:, 0] - values[:, 1]


def _ratio(values: Vector) -> Vector:
    if (values < 0.0).any() or not values[:, 0].all():
        raise NoEffect("not positive everywhere, so there is no ratio")
    return values[:, 1] / values[:, 0]


def _percent(values: Vector) -> Vector:
    return 100.0 * _ratio(values) - 100.0


@dataclass(frozen=True)
class Effect:
    """A number of each realization: how it is computed, and what its threshold is called."""

    meaning: str  # for the page of keys
    key: str  # the key of the threshold: margin, factor or limit
    default: float | None  # the threshold if the test does not give it; None if it must
    of_pair: bool = False  # whether two algorithms are compared
    # returns the numbers compared in one realization; may raise NoEffect
    values: Callable[[Sequence[Any], Sequence[float]], list[float]] = _as_recorded
    # returns the effect of each realization from these numbers; may raise NoEffect
    effects: Callable[[Vector], Vector] = _first
    neutral: float | None = None  # the effect of two equal algorithms
    is_ratio: bool = False  # whether the effect of several realizations is that of their means
    # an effect that `is_ratio` is the ratio, times `scale`, plus `offset`
    scale: float = 1.0
    offset: float = 0.0
    own_unit: Unit | None = None  # in place of the metric's

    @property
    def of_difference(self) -> bool:
        """Whether it is a difference, whose threshold is what it may deviate from 0."""
        return self.key == "margin"

    def of_means(self, values: Vector) -> float:
        """Return the effect of realizations: that of their means, or the mean of their effects."""
        if self.is_ratio:
            return float(self.effects(values.mean(axis=0, keepdims=True))[0])
        return float(self.effects(values).mean())

    def linear(self, values: Vector) -> Vector:
        """Return a number for each realization, whose mean is the effect of all of them.

        A ratio of means is linearised at the means (the delta method).
        """
        if not self.is_ratio:
            return self.effects(values)
        low, high = values.mean(axis=0)
        ratio = high / low
        ratios = ratio + (values[:, 1] - ratio * values[:, 0]) / low
        return self.scale * ratios + self.offset

    def value_unit(self, metric: str) -> Unit:
        """Return the unit of the numbers compared."""
        return self.own_unit if self.own_unit and not self.of_pair else unit_of(metric)

    def unit(self, metric: str) -> Unit:
        """Return the unit of the effect of a metric."""
        unit = self.own_unit or unit_of(metric)
        in_points = self.of_difference or self.values is _slope
        return POINTS if in_points and unit == PERCENT else unit

    def threshold_text(self, metric: str, threshold: float) -> str:
        """Return the threshold with its key and unit."""
        unit = PLAIN if self.own_unit else self.unit(metric)
        return f"{self.key} {unit.counted(threshold)}"


EFFECTS: dict[str, Effect] = {
    "difference": Effect(
        "the first value minus the second",
        "margin",
        0.0,
        of_pair=True,
        effects=_difference,
        neutral=0.0,
    ),
    "ratio": Effect(
        "the mean of the second values over that of the first",
        "factor",
        1.0,
        of_pair=True,
        effects=_ratio,
        neutral=1.0,
        is_ratio=True,
        own_unit=TIMES,
    ),
    "percent": Effect(
        "by how many percent the mean of the second values is above that of the first",
        "limit",
        None,
        of_pair=True,
        effects=_percent,
        neutral=0.0,
        is_ratio=True,
        scale=100.0,
        offset=-100.0,
        own_unit=PERCENT_MORE,
    ),
    "value": Effect("the value itself", "limit", None),
    "slope": Effect(
        "the slope of the least-squares line through a curve, for each step",
        "limit",
        0.0,
        values=_slope,
    ),
    "exponent": Effect(
        "the power of the swept value (`over:`) with which the value grows",
        "limit",
        None,
        values=_exponent,
        own_unit=EXPONENT,
    ),
}
"""What tests of claims compare, by the name in `of:`."""


@dataclass(frozen=True)
class Relation:
    """A relation: what it claims of an effect, and the effects that it accepts."""

    meaning: str
    # returns the bounds that an effect must keep to, all of them, from its kind and threshold
    bounds: Callable[[Effect, float], tuple[Bound, ...]]
    of: tuple[str, ...] = tuple(EFFECTS)
    # What it claims in words, by effect ("value" stands for slopes and exponents, too), behind
    # "error of": in general, and if the threshold is the effect of two equal algorithms
    words: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    # whether a row holds if a two-sided test at 5 % does not show a difference
    of_rejections: bool = False


def one_sided(strict: bool = False, above: bool = False) -> Callable[..., tuple[Bound, ...]]:
    """Return what makes the bound of a relation with one side."""

    def bounds(effect: Effect, threshold: float) -> tuple[Bound, ...]:
        """Return the bound that an effect must keep to."""
        # `at-most` and `at-least` allow a difference the margin on the other side of 0; `less` and
        # its mirror image ask for the margin on their own side.
        low = -threshold if effect.of_difference and strict != above else threshold
        return (Bound(low, low if effect.neutral is None else effect.neutral, strict, above),)

    return bounds


def _within(effect: Effect, threshold: float) -> tuple[Bound, ...]:
    if effect.of_difference:
        return Bound(threshold, 0.0), Bound(-threshold, 0.0, above=True)
    low, high = threshold / NEAR, threshold * NEAR
    return Bound(high, high), Bound(low, low, above=True)


RELATIONS: dict[str, Relation] = {
    "less": Relation(
        "the difference lies below minus the margin, or the value below the limit",
        one_sided(strict=True),
        of=("difference", "percent", "value", "slope", "exponent"),
        words={
            "difference": (
                "{first} more than {threshold} below that of {second}",
                "{first} below that of {second}",
            ),
            "percent": (
                "{second} less than {threshold} above that of {first}",
                "{second} below that of {first}",
            ),
            "value": ("{first} below {threshold}",) * 2,
        },
    ),
    "at-most": Relation(
        "the effect is at most the margin, factor or limit",
        one_sided(),
        words={
            "difference": (
                "{first} at most {threshold} above that of {second}",
                "{first} not above that of {second}",
            ),
            "ratio": (
                "{second} at most {threshold} that of {first}",
                "{second} not above that of {first}",
            ),
            "percent": (
                "{second} at most {threshold} above that of {first}",
                "{second} not above that of {first}",
            ),
            "value": ("{first} at most {threshold}",) * 2,
        },
    ),
    "at-least": Relation(
        "the difference is at least minus the margin, the ratio at least the factor, the value at "
        "least the limit",
        one_sided(above=True),
        words={
            "difference": (
                "{first} at most {threshold} below that of {second}",
                "{first} not below that of {second}",
            ),
            "ratio": (
                "{second} at least {threshold} that of {first}",
                "{first} not above that of {second}",
            ),
            "percent": (
                "{second} at least {threshold} above that of {first}",
                "{second} not below that of {first}",
            ),
            "value": ("{first} at least {threshold}",) * 2,
        },
    ),
    "within": Relation(
        "the difference is at most the margin, or the ratio is the factor within a quarter, either "
        "way",
        _within,
        of=("difference", "ratio"),
        words={
            "difference": (
                "{first} within {threshold} of that of {second}",
                "{first} equal to that of {second}",
            ),
            "ratio": (
                "{second} within a quarter of {threshold} that of {first}",
                "{first} within a quarter of that of {second}",
            ),
        },
    ),
    "not-significant": Relation(
        "a two-sided test at 5 % does not show a difference on new rows",
        one_sided(),
        of=("difference",),
        of_rejections=True,
        words={
            "difference": ("{first} not significantly different from that of {second}",) * 2,
        },
    ),
}
"""The relations by name, in the order of the legend."""
