"""The picture of a study's printed values against ours, on its page and in an SVG file.

The templates lay it out.
"""

import math
from collections import Counter
from dataclasses import dataclass
from statistics import median

from ensvm.data.files.encode import LARGEST
from ensvm.report.study_folder import Study
from ensvm.report.tables import TableCell, build_table, counted_tables, row_label
from ensvm.study.metrics import unit_of
from ensvm.study.signs import CHOSEN_SIGN, SIGNS, Verdict

SIDE, LEFT, TOP, GAP, AXIS = 280.0, 52.0, 30.0, 64.0, 52.0  # pixels
PICTURE = "printed.svg"  # the file beside a study's tables
FEWEST_POINTS = 3  # a picture of one or two says less than the table
ROOM = 0.04  # free space at both ends, relative to the range of values
LOG_RATIO = 20.0  # an axis is logarithmic if the largest value is so many times the smallest
BAND_POINTS = 40
# Shapes, so that verdicts differ without colour too; each is drawn around the origin.
CIRCLE = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z"
SHAPES: dict[Verdict | None, str] = {
    "within the margin": CIRCLE,
    "close": "M-4 -4h8v8h-8Z",
    "differs": "M0 -6L5 0L0 6L-5 0Z",
    "cannot tell": "M0 5L5 -4H-5Z",
}


@dataclass(frozen=True)
class PictureScale:
    """From values to pixels: `start` and `end` of an axis, as exponents of ten if it is `log`.

    The axis begins at the pixel `left` and is `length` pixels long.
    """

    start: float
    end: float
    log: bool = False
    left: float = 0.0
    length: float = SIDE

    def across(self, value: float) -> float:
        """Return where a value lies on a horizontal axis; a value beyond an end lies at the end."""
        if self.log:
            value = math.log10(value) if value > 0.0 else self.start
        share = (min(max(value, self.start), self.end) - self.start) / (self.end - self.start)
        return round(self.left + self.length * share, 1)

    def up(self, value: float) -> float:
        """Return where a value lies on a vertical axis, from the top."""
        return self.length - self.across(value)


@dataclass(frozen=True)
class PrintedValue:
    """A printed value, ours if there is one, and what they are of."""

    cell: TableCell
    margin: float
    label: str


@dataclass(frozen=True)
class PicturePanel:
    """The values of one unit; `left` is where the panel begins, `band` the margin as a path."""

    unit: str
    left: float
    scale: PictureScale
    values: list[PrintedValue]
    band: str
    ticks: list[float]


@dataclass(frozen=True)
class ReproductionPicture:
    """All panels, the number of values of each verdict, and of printed ones without ours.

    `chosen` counts those for which a setting was chosen on the printed value; they are hollow.
    """

    panels: list[PicturePanel]
    counts: dict[Verdict, int]
    missing: int
    chosen: dict[Verdict, int]

    side, top, shapes, height = SIDE, TOP, SHAPES, TOP + SIDE + AXIS

    @property
    def is_shown(self) -> bool:
        """Whether there are enough points for a picture."""
        return sum(self.counts.values()) >= FEWEST_POINTS

    def words(self, verdict: Verdict) -> str:
        """Return how many values have a verdict, and how many of them we chose a setting on."""
        count, chosen = self.counts[verdict], self.chosen.get(verdict, 0)
        which = "all" if chosen == count else chosen
        text = verdict if count == 1 else verdict.replace("differs", "differ")
        return f"{count} {text}" + (f" ({which} {CHOSEN_SIGN})" if chosen else "")

    @property
    def width(self) -> float:
        """The width of the whole picture."""
        return LEFT + len(self.panels) * (SIDE + GAP) - GAP + 12.0


def reproduction_picture(study: Study) -> ReproductionPicture | None:
    """Return the picture of a study; None if no printed value has a verdict.

    Every printed value is counted once.
    """
    of_unit: dict[str, list[PrintedValue]] = {}
    judged = list[TableCell]()
    missing = 0
    for table in counted_tables(study, "results"):
        for cell in build_table(study, table):
            if cell.published is None:
                continue
            column = table.column(cell.column)
            values = of_unit.setdefault(unit_of(table.metric_of(column)).name, [])
            if cell.verdict is not None:
                judged.append(cell)
            if cell.verdict is not None and _has_place(cell.mean) and _has_place(cell.published):
                label = f"{row_label(study, cell.row)}, {study.config.column_title(column)}"
                values.append(PrintedValue(cell, table.margin_of(column).at(cell.published), label))
            missing += cell.mean is None
    shown = [(unit, values) for unit, values in of_unit.items() if values]
    if not shown:
        return None
    panels = [
        _panel(unit, number * (SIDE + GAP) + LEFT, values)
        for number, (unit, values) in enumerate(shown)
    ]
    verdicts = Counter(cell.verdict for cell in judged)
    counts = {verdict: verdicts[verdict] for verdict in SIGNS if verdicts[verdict]}
    chosen = Counter(cell.verdict for cell in judged if cell.chosen)
    of_chosen = {verdict: n for verdict, n in chosen.items() if verdict}
    return ReproductionPicture(panels, counts, missing, of_chosen)


def _has_place(value: float | None) -> bool:
    """Return whether a value is a finite number that an axis can hold."""
    return value is not None and abs(value) <= LARGEST


def _panel(unit: str, left: float, values: list[PrintedValue]) -> PicturePanel:
    ends = [value for one in values for value in (one.cell.published or 0.0, one.cell.mean or 0.0)]
    low, high = min(ends), max(ends)
    log = low > 0.0 and high > LOG_RATIO * low
    scaled = math.log10 if log else float
    room = ROOM * (scaled(high) - scaled(low)) or 1.0
    start, end = scaled(low) - room, scaled(high) + room
    scale = PictureScale(start, end, log)
    margin = median(one.margin for one in values)
    steps = [start + (end - start) * step / BAND_POINTS for step in range(BAND_POINTS + 1)]
    along = [10.0**step if log else step for step in steps]
    edge = [(scale.across(value), scale.up(value + margin)) for value in along]
    edge += [(scale.across(value), scale.up(value - margin)) for value in reversed(along)]
    band = "M" + "L".join(f"{x:g} {y:g}" for x, y in edge) + "Z"
    return PicturePanel(unit, left, scale, values, band, _ticks(low, high, log))


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
