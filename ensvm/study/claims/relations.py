"""The relations that a claim may state: one class each, and the only place that knows them.

A relation says which keys its claim has, which numbers of a realization it compares, what their
effect is and in which unit, and the bounds the effect must keep to. A new one is a subclass of
`Relation` (or of a relation it resembles) with a name, added to `RELATIONS`: the config accepts it
then, its claims are tested, and its meaning stands in their legend. Judging an effect by its
interval is left to `ensvm.report.claim_tests`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ensvm.study.metrics import EXPONENT, PERCENT, PLAIN, POINTS, RISES, TIMES, Unit, unit_of


class NoEffect(ValueError):
    """Why numbers have no effect of the relation's kind."""


@dataclass(frozen=True)
class Bound:
    """What is claimed of an effect: that it lies below `threshold`.

    Attributes
    ----------
    threshold : float
        The effect that may not be exceeded.
    neutral : float
        The effect of no difference at all. A single value has no interval; it decides only where
        it lies on one side of both.
    strict : bool
        Whether the effect must not even be equal to the threshold.
    above : bool
        Whether the effect must lie above the threshold instead.
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
        """Return how far an effect lies beyond the threshold; negative where it keeps to it."""
        return self.threshold - effect if self.above else effect - self.threshold


class Relation(ABC):
    """What a claim says of the numbers it compares.

    Attributes
    ----------
    name : str
        What `relation:` calls it.
    keys : mapping of str to float or None
        The keys a claim has beside those of all claims, out of `than`, `margin`, `factor`,
        `limit` and `over`, each with its default; None where the claim must give it.
    meaning : str
        What the relation claims, for the legend.
    effect_name : str or None
        What the effect is called in a heading; None: as the metric.
    of_curves : bool
        Whether whole curves are compared, not single values.
    logarithmic : bool
        Whether the interval of the effect is that of its logarithm.
    of_each : bool
        Whether the relation is about each realization, so that one which violates it decides.
    """

    name: ClassVar[str]
    keys: ClassVar[Mapping[str, float | None]]
    meaning: ClassVar[str]
    effect_name: ClassVar[str | None] = None
    of_curves: ClassVar[bool] = False
    logarithmic: ClassVar[bool] = False
    of_each: ClassVar[bool] = False

    @property
    def threshold_key(self) -> str | None:
        """Which key gives the threshold: margin, factor, limit, or none."""
        return next((key for key in self.keys if key not in ("than", "over")), None)

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return the numbers compared in one realization, out of what is recorded of it.

        Parameters
        ----------
        recorded : sequence
            The metric of the algorithms compared, better's first; of a claim `over` a sweep, the
            metric of better at each of its members. Numbers, or lists of them for curves.
        at : sequence of float
            The values of the sweep's members; empty where there is no sweep.

        Raises
        ------
        NoEffect
            Where there is no such number.
        """
        return list(recorded)

    def value_unit(self, metric: str) -> Unit:
        """Return the unit of the numbers compared."""
        return unit_of(metric)

    def effect_unit(self, metric: str) -> Unit:
        """Return the unit of the effect."""
        return self.value_unit(metric)

    def threshold_unit(self, metric: str) -> Unit:
        """Return the unit of the threshold."""
        return self.effect_unit(metric)

    def effects(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the effect of each realization.

        Parameters
        ----------
        values : array of shape (n_realizations, 1 or 2)
            The numbers compared, better's first.

        Raises
        ------
        NoEffect
            Where a realization has none.
        """
        return values[:, 0]

    @abstractmethod
    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return the bounds that an effect must keep to, all of them."""

    def heading(self, metric: str, threshold: float) -> str:
        """Return the relation with its threshold, as a claim's evidence is headed."""
        if self.threshold_key is None:
            return self.name
        unit = self.threshold_unit(metric).name
        return f"{self.name}, {self.threshold_key} {threshold:g} {unit}".rstrip()


class Difference(Relation):
    """A relation about the difference of two values, better's minus than's."""

    keys: ClassVar = {"than": None, "margin": 0.0}
    effect_name = "difference"

    def effect_unit(self, metric: str) -> Unit:
        """Return percentage points for percentages, else the metric's own unit."""
        unit = self.value_unit(metric)
        return POINTS if unit == PERCENT else unit

    def effects(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the differences."""
        return values[:, 0] - values[:, 1]


class Less(Difference):
    """Better's value is less than than's, by more than the margin."""

    name = "less"
    meaning = "the difference lies below minus the margin"

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the difference lies below minus the margin, and not at it."""
        return (Bound(-threshold, 0.0, strict=True),)


class AtMost(Difference):
    """Better's value is at most than's plus the margin."""

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
    """Than's value is at least `factor` times better's."""

    name = "ratio"
    keys: ClassVar = {"than": None, "factor": 1.0}
    meaning = "the second value is at least factor times the first"
    effect_name = "ratio"
    logarithmic = True

    def effect_unit(self, metric: str) -> Unit:
        """Return times: a ratio has no other unit."""
        return TIMES

    def threshold_unit(self, metric: str) -> Unit:
        """Return a plain number, a factor."""
        return PLAIN

    def effects(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return than's values over better's."""
        if not (values > 0.0).all():
            raise NoEffect("not positive everywhere, so there is no ratio")
        return values[:, 1] / values[:, 0]

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the ratio is at least the factor."""
        return (Bound(threshold, 1.0, above=True),)


class CurveBelow(Ratio):
    """Where better's curve ends, than's is at least `factor` times as high.

    A curve that ends earlier stays where it ended.
    """

    name = "curve-below"
    meaning = "where the first curve ends, the second is at least factor times as high"
    of_curves = True

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return the values of the curves at the end of the first."""
        end = len(recorded[0])
        return [curve[min(end, len(curve)) - 1] for curve in recorded]


class CurveFalls(Relation):
    """Better's curve never rises."""

    name = "curve-falls"
    keys: ClassVar = {}
    meaning = "the curve never rises (rises: iterations that raise it)"
    effect_name = "rises"
    of_curves = True
    of_each = True

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return how many iterations raise the curve, or make it no number."""
        return [int(np.count_nonzero(~(np.diff(curve) <= 0.0))) for curve in recorded]

    def value_unit(self, metric: str) -> Unit:
        """Return rises: they are counted, whatever the curve is of."""
        return RISES

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that there are no rises."""
        return (Bound(threshold, threshold),)


class CurveDeclines(Relation):
    """Better's curve falls on the whole.

    The slope of the least-squares line through a curve; the mean of the slopes is that of the mean
    curve. A curve that ends earlier than others counts as far as it goes.
    """

    name = "curve-declines"
    keys: ClassVar = {}
    meaning = "the slope of the least-squares line through the curve, for each step, is at most 0"
    effect_name = "slope"
    of_curves = True

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return the slope of the line through a curve."""
        if len(recorded[0]) < 2:
            raise NoEffect("a single value in some realization, which has no slope")
        return [float(np.polyfit(np.arange(len(curve)), curve, 1)[0]) for curve in recorded]

    def effect_unit(self, metric: str) -> Unit:
        """Return percentage points for percentages, else the metric's own unit."""
        unit = self.value_unit(metric)
        return POINTS if unit == PERCENT else unit

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the slope is at most 0."""
        return (Bound(threshold, threshold),)


class ValueAtMost(Relation):
    """Better's value is at most the limit."""

    name = "value-at-most"
    keys: ClassVar = {"limit": None}
    meaning = "the value is at most the limit"

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the value is at most the limit."""
        return (Bound(threshold, threshold),)


class ValueAtLeast(ValueAtMost):
    """Better's value is at least the limit."""

    name = "value-at-least"
    meaning = "the value is at least the limit"

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the value is at least the limit."""
        return (Bound(threshold, threshold, above=True),)


class GrowthAtMost(Relation):
    """Better's value grows at most as the swept value to the power `limit`.

    The exponent is the slope of the least-squares line through the logarithms, over the members of
    the sweep of data sets named by `over`.
    """

    name = "growth-at-most"
    keys: ClassVar = {"over": None, "limit": None}
    meaning = "the value grows at most as the swept value to the power of the limit"
    effect_name = "exponent"

    def values(self, recorded: Sequence[Any], at: Sequence[float]) -> list[float]:
        """Return the exponent of the growth."""
        if min(recorded) <= 0.0:
            raise NoEffect("not positive everywhere, so its growth has no exponent")
        slope, _ = np.polyfit(np.log(np.array(at, dtype=float)), np.log(recorded), 1)
        return [float(slope)]

    def value_unit(self, metric: str) -> Unit:
        """Return that the number is an exponent, whatever grows."""
        return EXPONENT

    def threshold_unit(self, metric: str) -> Unit:
        """Return a plain number, a power."""
        return PLAIN

    def bounds(self, threshold: float) -> tuple[Bound, ...]:
        """Return that the exponent is at most the limit."""
        return (Bound(threshold, threshold),)


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
