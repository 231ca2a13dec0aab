"""The printed values of a study against ours: one dot per value, for pages and as an SVG file."""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from ensvm.report.documents.document import MARKS
from ensvm.report.query import Study
from ensvm.report.tables import LaidOut, TableCell, column_label
from ensvm.study.metrics import unit_of
from ensvm.study.table_layout import Verdict

SIDE, LEFT, TOP, GAP, AXIS = 300.0, 52.0, 30.0, 64.0, 48.0  # pixels
PICTURE = "printed.svg"  # the file beside a study's tables
ROOM = 0.04  # free space at both ends, relative to the range of values
LOG_RATIO = 20.0  # an axis is logarithmic if the largest value is so many times the smallest
BAND_POINTS = 40
# Shapes, so that verdicts differ without colour too; each is drawn around the origin.
CIRCLE = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z"
SHAPES: dict[Verdict | None, str] = {
    "reproduced": CIRCLE,
    "compatible": "M-4 -4h8v8h-8Z",
    "close": "M0 -5L5 4H-5Z",
    "differs": "M0 -6L5 0L0 6L-5 0Z",
    "cannot tell": "M0 5L5 -4H-5Z",
    "undetermined": "M-4 -4l8 8m0 -8l-8 8",
}


@dataclass(frozen=True)
class PictureDot:
    """One value: its place in pixels, its verdict, its cell's key, and what it is."""

    x: float
    y: float
    verdict: Verdict
    shape: str
    key: str
    title: str


@dataclass(frozen=True)
class PictureScale:
    """From values to pixels: `start` and `end` of an axis, as exponents of ten if it is `log`."""

    start: float
    end: float
    log: bool

    def pixel(self, value: float) -> float:
        """Return how far a value lies from the start of the axis; within the axis at any rate."""
        if self.log:
            value = math.log10(value) if value > 0.0 else self.start
        share = (min(max(value, self.start), self.end) - self.start) / (self.end - self.start)
        return round(SIDE * share, 1)


@dataclass(frozen=True)
class PicturePanel:
    """The values of one unit; `left` is where the panel begins, `band` the margin as a path."""

    unit: str
    left: float
    scale: PictureScale
    dots: tuple[PictureDot, ...]
    band: str
    margin: float
    ticks: tuple[tuple[float, str], ...]
    missing: int


@dataclass(frozen=True)
class ReproductionPicture:
    """All panels, and the number of values of each verdict."""

    width: float
    height: float
    panels: tuple[PicturePanel, ...]
    counts: dict[Verdict, int]
    missing: int

    side, top = SIDE, TOP
    shapes = SHAPES

    def scale_of(self, key: str) -> PictureScale | None:
        """Return the scale of the panel with a value's dot; None if the value has no dot."""
        panels = (panel for panel in self.panels if any(dot.key == key for dot in panel.dots))
        return next((panel.scale for panel in panels), None)


@dataclass(frozen=True)
class _Printed:
    """A printed value with ours, if there is one."""

    cell: TableCell
    margin: float
    label: str


def reproduction_picture(study: Study, tables: list[LaidOut]) -> ReproductionPicture | None:
    """Return the picture of a study with its tables; None if no printed value has a verdict."""
    of_unit: dict[str, list[_Printed]] = defaultdict(list)
    for laid_out in tables:
        if laid_out[0].of == "results":
            for unit, printed in _printed(study, laid_out):
                of_unit[unit].append(printed)
    judged = {
        unit: values for unit, values in of_unit.items() if any(one.cell.verdict for one in values)
    }
    if not judged:
        return None
    panels = tuple(
        _panel(unit, number * (SIDE + GAP) + LEFT, values)
        for number, (unit, values) in enumerate(judged.items())
    )
    dots = [dot for panel in panels for dot in panel.dots]
    counts = {verdict: sum(dot.verdict == verdict for dot in dots) for verdict in MARKS}
    return ReproductionPicture(
        LEFT + len(panels) * (SIDE + GAP) - GAP + 12.0,
        TOP + SIDE + AXIS,
        panels,
        {verdict: count for verdict, count in counts.items() if count},
        sum(one.cell.mean is None for values in of_unit.values() for one in values),
    )


def _printed(study: Study, laid_out: LaidOut) -> Iterable[tuple[str, _Printed]]:
    """Yield the printed values of a table, each with its unit."""
    table, cells = laid_out
    columns = {column.name: column for column in table.columns}
    for cell in cells:
        column = columns[cell.column]
        if cell.published is not None:
            label = f"{cell.row}, {column_label(study, column)}"
            margin = table.margin_of(column, cell.published)
            yield unit_of(table.metric_of(column)).name, _Printed(cell, margin, label)


def _panel(unit: str, left: float, values: list[_Printed]) -> PicturePanel:
    shown = [one for one in values if one.cell.mean is not None and one.cell.verdict is not None]
    ends = [value for one in shown for value in (one.cell.published or 0.0, one.cell.mean or 0.0)]
    low, high = min(ends), max(ends)
    log = low > 0.0 and high > LOG_RATIO * low
    scaled = math.log10 if log else float
    room = ROOM * (scaled(high) - scaled(low)) or 1.0
    start, end = scaled(low) - room, scaled(high) + room
    scale = PictureScale(start, end, log)
    pixel = scale.pixel
    margin = median(one.margin for one in shown)
    steps = [start + (end - start) * step / BAND_POINTS for step in range(BAND_POINTS + 1)]
    along = [10.0**step if log else step for step in steps]
    edge = [(pixel(value), SIDE - pixel(value + margin)) for value in along]
    edge += [(pixel(value), SIDE - pixel(value - margin)) for value in reversed(along)]
    dots = tuple(
        PictureDot(
            pixel(one.cell.published or 0.0),
            SIDE - pixel(one.cell.mean or 0.0),
            one.cell.verdict or "undetermined",
            SHAPES[one.cell.verdict],
            f"{one.cell.table}/{one.cell.row}/{one.cell.column}",
            f"{one.label}: printed {one.cell.published:.4g}, ours {one.cell.mean:.4g}, "
            f"{one.cell.verdict}",
        )
        for one in shown
    )
    return PicturePanel(
        unit,
        left,
        scale,
        dots,
        "M" + "L".join(f"{x:g} {y:g}" for x, y in edge) + "Z",
        margin,
        tuple((pixel(value), f"{value:g}") for value in _ticks(low, high, log)),
        len(values) - len(shown),
    )


def _ticks(low: float, high: float, log: bool) -> list[float]:
    """Return three to six round values between two values."""
    if log:
        exponents = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
        values = [factor * 10.0**exponent for exponent in exponents for factor in (1, 2, 5)]
        return [value for value in values if low <= value <= high]
    step = 10.0 ** math.floor(math.log10((high - low) or 1.0))
    step *= next(factor for factor in (0.2, 0.5, 1.0, 2.0) if (high - low) / (step * factor) <= 6.0)
    first = math.ceil(low / step)
    return [step * number for number in range(first, math.floor(high / step) + 1)]
