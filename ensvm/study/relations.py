"""The relations that a claim may state, such as "less" or "at most".

A relation says which keys its claim has, which numbers of a realization it compares, what their
effect is and in which unit, and the bounds the effect must keep to. A new one is a subclass of
`Relation` (or of a relation it resembles) with a name, added to `RELATIONS`: the config accepts it
then, its claims are tested, and its meaning stands in their legend. Judging an effect by its
interval is left to `ensvm.report.claim_tests`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ensvm.study.metrics import EXPONENT, PERCENT, PLAIN, POINTS, RISES, TIMES, Unit, unit_of


class NoEffect(ValueError):
    """Numbers for which the effect of a relation is not defined; the message says why."""


@dataclass(frozen=True)
class Bound:
    """One bound of an effect: it must be at most `threshold`.

    Attributes
    ----------
    threshold : float
        The largest effect that keeps to the bound.
    neutral : float
        The effect if there is no difference at all. A single value has no interval, so it decides
        only if it lies on the same side of both.
    strict : bool
        Whether the effect must not even equal the threshold.
    above : bool
        Whether the effect must be at least the threshold instead.
    """

    threshold: float
    neutral: float
    strict: bool = False
    above: bool = False

    def kept_by(self, effect: float) -> bool:
        """Return whether an effect, taken as a plain number, keeps to the bound."""
        if effect == self.threshold:
            return not self.strict
        return (effect > self.threshold) == self.above

    def excess(self, effect: float) -> float:
        """Return how far an effect lies beyond the threshold; negative if it keeps to it."""
        return self.threshold - effect if self.above else effect - self.threshold


class Relation:
    """A claim's relation; by default one value that is at most the threshold.

    Attributes
    ----------
    name : str
        What `relation:` calls it.
    keys : mapping of str to float or None
        Which of the keys `than`, `margin`, `factor`, `limit` and `over` its claims have, each with
        its default; None if the claim must give it.
    meaning : str
        What the relation claims, for the legend.
    effect_name : str or None
        What a heading calls the effect; None for the name of the metric.
    of_curves : bool
        Whether whole curves are compared, not single values.
    logarithmic : bool
        Whether the interval is computed for the logarithm of the effect.
    of_each : bool
        Whether the relation is about each realization, so that one that violates it decides.
    of_points : bool
        Whether an effect of percentages is in percentage points.
    own_value_unit, own_effect_unit, own_threshold_unit : Unit or None
        The units of the values compared, of the effect and of the threshold; None for those of the
        metric, of the values and of the effect.
    """

    name: ClassVar[str]
    keys: ClassVar[Mapping[str, float | None]]
    meaning: ClassVar[str]
    effect_name: ClassVar[str | None] = None
    of_curves: ClassVar[bool] = False
    logarithmic: ClassVar[bool] = False
    of_each: ClassVar[bool] = False
    of_points: ClassVar[bool] = False
    own_value_unit: ClassVar[Unit | None] = None
    own_effect_unit: ClassVar[Unit | None] = None
    own_threshold_unit: ClassVar[Unit | None] = None

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return the numbers that are compared in one realization.

        Parameters
        ----------
        recorded : sequence
            The metric of the algorithms compared, that of `better` first; of a claim `over` a
            sweep, the metric of `better` at each of its members. Numbers, or lists for curves.
        at : sequence of float
            The values of the sweep's members; empty without a sweep.

        Raises
        ------
        NoEffect
            If there is no such number.
        """
        return list(recorded)

    def effects(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the effect of each realization.

        Parameters
        ----------
        values : array of shape (n_realizations, 1 or 2)
            The numbers compared, that of `better` first.

        Raises
        ------
        NoEffect
            If the effect of a realization is not defined.
        """
        return values[:, 0]

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return the bounds that an effect must keep to, all of them."""
        return (Bound(threshold, threshold),)

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

    def heading(self, metric: str, threshold: float) -> str:
        """Return the relation with its threshold, as the heading of a claim's evidence."""
        if self.threshold_key is None:
            return self.name
        unit = (self.own_threshold_unit or self.effect_unit(metric)).name
        return f"{self.name}, {self.threshold_key} {threshold:g} {unit}".rstrip()


class Difference(Relation):
    """A relation about the difference of two values, that of `better` minus that of `than`."""

    keys: ClassVar = {"than": None, "margin": 0.0}
    effect_name = "difference"
    of_points = True

    def effects(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the differences."""
        return values[:, 0] - values[:, 1]


class Less(Difference):
    """The value of `better` is less than that of `than`, by more than the margin."""

    name = "less"
    meaning = "the difference lies below minus the margin"

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the difference lies below minus the margin, and not at it."""
        return (Bound(-threshold, 0.0, strict=True),)


class AtMost(Difference):
    """The value of `better` is at most that of `than` plus the margin."""

    name = "at-most"
    meaning = "the difference is at most the margin"

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the difference is at most the margin."""
        return (Bound(threshold, 0.0),)


class Within(Difference):
    """The two values differ by at most the margin, either way."""

    name = "within"
    meaning = "the difference is at most the margin, either way"

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the difference is at most the margin, and at least minus the margin."""
        return (Bound(threshold, 0.0), Bound(-threshold, 0.0, above=True))


class Ratio(Relation):
    """The value of `than` is at least `factor` times that of `better`."""

    name = "ratio"
    keys: ClassVar = {"than": None, "factor": 1.0}
    meaning = "the second value is at least factor times the first"
    effect_name = "ratio"
    logarithmic = True
    own_effect_unit = TIMES
    own_threshold_unit = PLAIN

    def effects(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of `than` divided by those of `better`."""
        if not (values > 0.0).all():
            raise NoEffect("not positive everywhere, so there is no ratio")
        return values[:, 1] / values[:, 0]

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the ratio is at least the factor."""
        return (Bound(threshold, 1.0, above=True),)


class CurveBelow(Ratio):
    """Where the curve of `better` ends, that of `than` is at least `factor` times as high.

    If a curve is shorter, its last value is repeated.
    """

    name = "curve-below"
    meaning = "where the first curve ends, the second is at least factor times as high"
    of_curves = True

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return the values of the curves at the end of the first."""
        end = len(recorded[0])
        return [curve[min(end, len(curve)) - 1] for curve in recorded]


class CurveFalls(Relation):
    """The curve never rises."""

    name = "curve-falls"
    keys: ClassVar = {}
    meaning = "the curve never rises (rises: iterations that raise it)"
    effect_name = "rises"
    of_curves = True
    of_each = True
    own_value_unit = RISES

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return how many iterations raise the curve; NaN counts as a rise."""
        return [int(np.count_nonzero(~(np.diff(curve) <= 0.0))) for curve in recorded]


class CurveDeclines(Relation):
    """The curve falls on the whole: the least-squares line through it does not rise.

    The mean of the slopes is the slope of the mean curve. A curve that ends earlier than others
    counts as far as it goes.
    """

    name = "curve-declines"
    keys: ClassVar = {}
    meaning = "the slope of the least-squares line through the curve, for each step, is at most 0"
    effect_name = "slope"
    of_curves = True
    of_points = True

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return the slope of the line through a curve."""
        if len(recorded[0]) < 2:
            raise NoEffect("a single value in some realization, which has no slope")
        return [float(np.polyfit(np.arange(len(curve)), curve, 1)[0]) for curve in recorded]


class ValueAtMost(Relation):
    """The value is at most the limit."""

    name = "value-at-most"
    keys: ClassVar = {"limit": None}
    meaning = "the value is at most the limit"


class ValueAtLeast(Relation):
    """The value is at least the limit."""

    name = "value-at-least"
    keys: ClassVar = {"limit": None}
    meaning = "the value is at least the limit"

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the value is at least the limit."""
        return (Bound(threshold, threshold, above=True),)


class GrowthAtMost(Relation):
    """The value grows at most as the swept value to the power `limit`.

    The exponent is the slope of the least-squares line through the logarithms, over the members of
    the sweep of data sets that `over` names.
    """

    name = "growth-at-most"
    keys: ClassVar = {"over": None, "limit": None}
    meaning = "the value grows at most as the swept value to the power of the limit"
    effect_name = "exponent"
    own_value_unit = EXPONENT
    own_threshold_unit = PLAIN

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return the exponent of the growth."""
        if min(recorded) <= 0.0:
            raise NoEffect("not positive everywhere, so its growth has no exponent")
        slope, _ = np.polyfit(np.log(np.array(at, dtype=float)), np.log(recorded), 1)
        return [float(slope)]


RELATIONS: dict[str, Relation] = {
    relation.name: relation
    for relation in (
        Less(),
        AtMost(),
        Within(),
        Ratio(),
        CurveBelow(),
        CurveFalls(),
        CurveDeclines(),
        ValueAtMost(),
        ValueAtLeast(),
        GrowthAtMost(),
    )
}
"""The relations by name, in the order of the legend."""
