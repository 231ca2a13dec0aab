"""What a figure of any kind shows, as read from the records: for its files and for a page."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ensvm.report.plots import curves, distribution, plane, scatter
from ensvm.report.query import Study
from ensvm.study.figure_kinds import (
    DistributionConfig,
    FigureConfig,
    LinesConfig,
    PlaneConfig,
    ScatterConfig,
)


@dataclass(frozen=True)
class Shown:
    """What a figure shows.

    Attributes
    ----------
    content : list
        The curves, points or planes, as `drawing.draw` takes them; empty where all are missing.
    names : tuple of str
        What they are called.
    csv : str
        The data behind the figure, unrounded.
    missing : tuple of str
        A line of text for each part that is missing.
    """

    content: list[Any]
    names: tuple[str, ...]
    csv: str
    missing: tuple[str, ...]


def read_figure(study: Study, figure: FigureConfig) -> Shown:
    """Return what a figure shows, out of the records of its study."""
    if isinstance(figure, ScatterConfig):
        points, missing = scatter.read_points(study, figure)
        names = (point.row for point in points)
        return Shown(points, _once(names), scatter.to_csv(figure, points), missing)
    if isinstance(figure, DistributionConfig):
        values, missing = distribution.read_values(study, figure)
        names = (found.label for found in values)
        return Shown(values, _once(names), distribution.to_csv(figure, values), missing)
    if isinstance(figure, PlaneConfig):
        planes, missing = plane.read_planes(study, figure)
        names = (shown.label for shown in planes)
        return Shown(planes, _once(names), plane.to_csv(figure, planes), missing)
    assert isinstance(figure, LinesConfig)
    lines, missing = curves.read_curves(study, figure)
    names = (curve.label for curve in lines)
    return Shown(lines, _once(names), curves.to_csv(figure, lines), missing)


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
