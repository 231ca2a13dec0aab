"""The curves and sweeps of figures, from the records.

The mean of curves ends with the shortest curve. In a sweep, a round has no point unless all
realizations reached it.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ensvm.counts import counted
from ensvm.report.column_values import drawn_result, linear, not_finite
from ensvm.report.plots.looks import drawn_label, table_of_figure
from ensvm.report.query import Query, QueryResult, ask
from ensvm.report.randomness import n_tested
from ensvm.report.statistical_tests import rate_of
from ensvm.report.study_folder import Study
from ensvm.report.tables import printed_value
from ensvm.study.figures import CurvesConfig, LinesConfig, PanelConfig, SweepFigureConfig
from ensvm.study.metrics import unit_of
from ensvm.study.passes import pass_of

COLUMNS = ("series", "what", "x", "y", "std", "n")
ROUNDING = 1e-9  # of a difference, as a share of its terms


@dataclass(frozen=True)
class Curve:
    """One line of a panel: points (x, y), each the mean of `n` realizations.

    `algorithm` is the label of the algorithm. `part` is the metric or the round that distinguishes
    its lines. `std` is the standard deviation over the realizations, None for a single one;
    `row_errors` are then the standard errors from the test rows, 0 if these give none. `mark` is
    the x of the curve's mark, if it has one. If the values of a sweep are names, such as kernels,
    `names` has them, and `x` are 0, 1, 2 and so on. `printed` has the printed value at each point
    of a sweep, if there is one.
    """

    label: str
    algorithm: str
    part: str
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    std: tuple[float | None, ...] = ()
    n: tuple[int, ...] = ()
    row_errors: tuple[float, ...] = ()
    mark: float | None = None
    names: tuple[str, ...] = ()
    printed: tuple[float | None, ...] = ()

    @property
    def band(self) -> list[float]:
        """One standard error at each point; 0 if none is known."""
        of_rows = self.row_errors or (0.0,) * len(self.n)
        points = zip(self.std, self.n, of_rows, strict=True)
        return [by_rows if std is None else std / math.sqrt(n) for std, n, by_rows in points]

    @property
    def has_spread(self) -> bool:
        """Whether a point is the mean of several realizations."""
        return max(self.n) > 1

    @property
    def edges(self) -> tuple[np.ndarray, np.ndarray]:
        """The lower and the upper edge of the curve's band; 0 instead of a rounding of it."""
        lower = np.subtract(self.y, self.band)
        lower[np.abs(lower) <= ROUNDING * np.abs(self.y)] = 0.0  # 1e-17 has a place on a log axis
        return lower, np.add(self.y, self.band)


def read_panel(
    study: Study, figure: LinesConfig, panel: PanelConfig
) -> tuple[list[Curve], list[str]]:
    """Return the curves of a panel, and a line of text for each that is missing."""
    curves: list[Curve] = []
    missing: list[str] = []
    of_one = len(figure.series) == 1
    for (y, text), series in product(figure.ys_of(panel).items(), figure.series_of(panel)):
        algorithm = drawn_label(study, table_of_figure(study, figure), series)
        label = text if text and of_one else ", ".join(filter(None, [algorithm, text]))
        empty = Curve(label, algorithm, text)
        if isinstance(figure, CurvesConfig):
            curves += _curves_of_fits(study, figure, panel, series, y, empty, missing)
        elif isinstance(figure, SweepFigureConfig):
            curves += _curves_of_sweeps(study, figure, panel, series, y, empty, missing)
    return _placed(curves), missing


def _placed(curves: list[Curve]) -> list[Curve]:
    """Return curves over names at the places of the names; a number among them is a name, too."""
    if not any(curve.names for curve in curves):
        return curves
    names = [curve.names or tuple(f"{x:g}" for x in curve.x) for curve in curves]
    places = {name: float(place) for place, name in enumerate(dict.fromkeys(chain(*names)))}
    return [
        replace(curve, names=of_curve, x=tuple(places[name] for name in of_curve))
        for curve, of_curve in zip(curves, names, strict=True)
    ]


def lines_of(curve: Curve) -> Iterator[tuple[Any, ...]]:
    """Yield a line of the frame behind a figure for each point, and for the mark (without y)."""
    for point in zip(curve.names or curve.x, curve.y, curve.std, curve.n, strict=True):
        yield curve.label, "curve", *point
    for x, printed in zip(curve.names or curve.x, curve.printed, strict=False):
        if printed is not None:
            yield curve.label, "printed", x, printed, None, None
    if curve.mark is not None:
        yield curve.label, "mark", curve.mark, None, None, None


def _curves_of_fits(
    study: Study,
    figure: CurvesConfig,
    panel: PanelConfig,
    series: str,
    y: str,
    empty: Curve,
    missing: list[str],
) -> Iterator[Curve]:
    """Yield the curve that the fits of an algorithm recorded, or add to `missing` why not."""
    result = _curves(study, y, panel.about, series)
    one = figure.realization if isinstance(figure.realization, int) else None
    chosen = [number for number in result.values if one is None or number == one]
    if not chosen:
        why = result.why if not result.values else f"not run yet (realization {one})"
        missing.append(f"{panel.name}, {series}{empty.part and f' {y}'}: {why}")
        return
    curves = [result.values[number] for number in chosen]
    reasons = filter(None, (result.part_shown * (one is None), not_finite(*curves)))
    missing += [f"{panel.name}, {series}{empty.part and f' {y}'}: {why}" for why in reasons]
    if figure.cumulative:
        yield _cumulative(empty, curves, y)
        return
    # the mean ends with the shortest curve: nothing was measured behind its end
    points = list(np.array([curve[: min(map(len, curves))] for curve in curves], float).T)
    mark = result.records[chosen[0]].metrics.get(str(figure.marks)) or None
    if len(chosen) > 1 or isinstance(mark, str):
        mark = None
    first = figure.first if panel.first is None else panel.first
    yield replace(_means(empty, range(first, first + len(points)), points, y), mark=mark)


def _curves_of_sweeps(
    study: Study,
    figure: SweepFigureConfig,
    panel: PanelConfig,
    series: str,
    y: str,
    empty: Curve,
    missing: list[str],
) -> Iterator[Curve]:
    """Yield a curve for each stage of a sweep, and add to `missing` why points are missing."""
    text = empty.part
    for stage in figure.stages or (None,):
        after = "" if stage is None else counted(stage, "round")
        name = after or empty.label
        if after and (len(figure.series) > 1 or text):
            name = f"{empty.label}, {after}"
        measured: list[tuple[float, list[float], str, float | None, float]] = []
        missing_x: dict[str, list[str]] = {}
        points = _points_of(study, figure, panel, series)
        of_names = any(isinstance(x, str) for x, _, _ in points)
        for number, (x, row, column) in enumerate(points):
            values, why, row_error = _values(study, figure, y, row, column, stage)
            if values:
                printed = _printed(study, figure, row, column, y, stage)
                at = float(number if of_names else x)
                measured.append((at, values, str(x), printed, row_error))
            if why:
                missing_x.setdefault(why, []).append(f"{x}")
        missing += [
            f"{panel.name}, {name} at {', '.join(xs)}: {why}" for why, xs in missing_x.items()
        ]
        if measured:
            of_stage = replace(empty, label=name, part=f"{text} {after}".strip())
            x_values, of_points, names, printed_values, row_errors = zip(*measured, strict=True)
            means = _means(of_stage, x_values, of_points, y)
            means = replace(means, printed=printed_values, row_errors=row_errors)
            yield replace(means, names=names) if of_names else means


def _printed(
    study: Study, figure: SweepFigureConfig, row: str, algorithm: str, y: str, stage: int | None
) -> float | None:
    """Return the value printed in the figure's table at a point of a sweep; None without one."""
    table = table_of_figure(study, figure)
    found = table and printed_value(study, table, row, algorithm, y, stage)
    return found.value if found else None


def _points_of(
    study: Study, figure: SweepFigureConfig, panel: PanelConfig, series: str
) -> list[tuple[Any, str, str]]:
    """Return each point of a sweep as x, row and algorithm, or computed column."""
    if panel.over is not None:
        rows = study.config.sweep_values(panel.over)
        return [(x, row, series) for row, x in rows.items()]
    members = study.config.sweep_values(series, table_of_figure(study, figure))
    return [(x, panel.about, name) for name, x in members.items()]


def _values(
    study: Study, figure: SweepFigureConfig, y: str, row: str, algorithm: str, stage: int | None
) -> tuple[list[float], str, float]:
    """Return the finite values of the realizations behind a point, and why some are missing.

    The last is the standard error of a single error rate, from its test rows; 0 for other values.

    With `stage`, the values are that entry of the curves, and all curves must be long enough. The
    values of a computed column have the mean that its table shows.
    """
    if stage is None:
        result = linear(drawn_result(study, table_of_figure(study, figure), row, algorithm, y))
        values = list(result.values.values())
    else:
        result = _curves(study, y, row, algorithm)
        curves = result.values.values()
        ended = sum(len(curve) < stage for curve in curves)
        if ended:
            return [], f"{ended} of {len(curves)} realizations ended before", 0.0
        values = [curve[stage - 1] for curve in curves]
    if not values:
        return [], result.why, 0.0
    finite = [
        float(value) for value in values if isinstance(value, int | float) and math.isfinite(value)
    ]
    reasons = filter(None, (result.part_shown, not_finite(values)))
    why = "; ".join(reasons) if finite else "no finite value"
    return finite, why, _row_error(result) if stage is None and len(finite) == 1 else 0.0


def _row_error(result: QueryResult) -> float:
    """Return the standard error of a single error rate, in its unit; 0 for other values."""
    n_test, unit = n_tested(result), result.unit
    return rate_of(float(result.shown()[0]), n_test, unit.scale).error if n_test else 0.0


def _curves(study: Study, y: str, row: str, algorithm: str) -> QueryResult:
    return ask(study, Query(row, algorithm, y, pass_of(y), "all"))


def _cumulative(empty: Curve, curves: list[Any], metric: str) -> Curve:
    """Return the cumulative distribution of recorded values, the mean of their sorted lists."""
    size = min(map(len, curves))
    ordered = np.mean([np.sort(np.asarray(curve, float)[:size]) for curve in curves], axis=0)
    shares = (np.arange(size) + 1.0) / size
    x = tuple(unit_of(metric).scale * ordered)
    return replace(empty, x=x, y=tuple(shares), std=(None,) * size, n=(len(curves),) * size)


def _means(
    empty: Curve,
    x: Sequence[float],
    values: Sequence[NDArray[np.float64] | list[float]],
    metric: str,
) -> Curve:
    """Return a curve through the means of the values at each x."""
    arrays = [unit_of(metric).scale * np.asarray(of_point, dtype=float) for of_point in values]
    return replace(
        empty,
        x=tuple(x),
        y=tuple(float(array.mean()) for array in arrays),
        std=tuple(float(array.std(ddof=1)) if array.size > 1 else None for array in arrays),
        n=tuple(array.size for array in arrays),
    )
