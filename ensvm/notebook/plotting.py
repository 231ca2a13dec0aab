"""Pictures of the lecture: panels side by side, planes of two classes, for a page or for slides."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ensvm.errors import did_you_mean
from ensvm.experiments import DecisionMap
from ensvm.report.plots.decision_maps import MARKERS, SIDES
from ensvm.report.plots.drawing import legend_below
from ensvm.report.plots.log_axes import log_ticks
from ensvm.report.plots.looks import STYLE, Look, look_numbers, look_of
from ensvm.report.study_folder import Study
from ensvm.shipped import find_config
from ensvm.study.read_config import read_config

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RED, BLUE = SIDES  # the colours of class -1 and class +1
# Inches of a panel, and how many times as large as on a page of results letters are. A panel for
# slides is twice as wide, and three of them on a screen of 1920 pixels have letters of 29 pixels.
SIZES = {"page": ((3.2, 2.8), 1.0), "slides": ((6.4, 4.4), 2.6)}
MARK_AREA, MARK_WIDTH = 30.0, 1.3  # of a row in a plane, in points squared and points
Y_LABEL_SHARE = 0.8  # the most of a picture's height that a label beside it takes
LETTER_WIDTH = 0.6  # of a letter, at most on average, for each point of its size
SHADE = 0.12  # how strongly the two sides of a plane are coloured


def use_look(size: str = "page") -> None:
    """Draw all following pictures as figures of `ensvm report` look.

    Parameters
    ----------
    size : 'page' or 'slides', default 'page'
        With `slides`, panels are twice as wide, and letters and lines larger, to be projected.

    Raises ValueError for any other size.
    """
    if size not in SIZES:
        accepted = ", ".join(map(repr, SIZES))
        raise ValueError(f"size={size!r}; accepted: {accepted}{did_you_mean(size, SIZES)}")
    panel, letters = SIZES[size]
    larger = {key: value * letters for key, value in STYLE.items() if _is_size_of_letters(key)}
    plt.style.use(["default", {**STYLE, **larger, "figure.figsize": panel}])


def _is_size_of_letters(key: str) -> bool:
    return key == "font.size" or key.endswith(("titlesize", "labelsize", "fontsize"))


def _scale() -> float:
    """Return how many times as large letters are as on a page of results."""
    return float(plt.rcParams["font.size"] / STYLE["font.size"])


def panels(count: int) -> NDArray[Any]:
    """Return the axes of a new picture with `count` panels side by side."""
    width, height = plt.rcParams["figure.figsize"]
    _, axes = plt.subplots(1, count, figsize=(width * count, height), layout="constrained")
    return np.atleast_1d(axes)


def finish(axis: Axes, x_label: str, y_label: str, title: str = "") -> None:
    """Write the labels of a panel, and below the panels the legend, if what is drawn has names.

    A label beside the panel that is longer than the panel is high has two lines or more.
    """
    _, height = plt.rcParams["figure.figsize"]
    longest = int(height * 72 * Y_LABEL_SHARE / (LETTER_WIDTH * plt.rcParams["font.size"]))
    axis.set(xlabel=x_label, ylabel=fill(y_label, longest), title=title)
    for one in (axis.xaxis, axis.yaxis):
        if one.get_scale() == "log":
            log_ticks(one, *one.get_data_interval())
    names = zip(*axis.get_legend_handles_labels(), strict=True)
    if keys := list(names):
        figure = axis.get_figure(root=True)
        assert figure is not None
        legend_below(figure, keys)


def look(number: int) -> Look:
    """Return colour, dashes and width of the line with a number, from 0."""
    of_page = look_of(number)
    return of_page | {"linewidth": of_page["linewidth"] * _scale()}


def looks_in(study: str) -> dict[str, Look]:
    """Return the look of each algorithm in the figures of a shipped study, by its label."""
    config, _ = read_config(find_config(study))
    numbers = look_numbers(Study(Path(study), config, {}, {}))
    return {label: look(number) for label, number in numbers.items()}


def show_plane(
    axis: Axes,
    machine: Any,
    X: NDArray[Any],
    y: NDArray[Any],
    levels: tuple[float, ...] = (0,),
    title: str = "",
    sizes: ArrayLike | None = None,
) -> Any:
    """Draw rows of two classes, and on which side a machine that is trained on them puts a point.

    Parameters
    ----------
    axis : Axes
        The panel.
    machine : classifier
        It is copied and fitted to the rows.
    X : ndarray of shape (n, 2)
        The rows.
    y : ndarray of shape (n,)
        Their labels, -1 and +1.
    levels : tuple of float, default (0,)
        The decision values at which lines are drawn; that of 0 is solid.
    title : str, default ''
        The text above the panel.
    sizes : array-like of shape (n,) or None
        The areas of the rows' marks, in points squared; None for equal ones.

    Returns
    -------
    classifier
        The fitted copy.
    """
    shown = DecisionMap(machine, n_grid=50, random_state=0).fit(X, y)
    low, high = min(shown.values_.min(), 0) - 1, max(shown.values_.max(), 0) + 1
    axis.contourf(*shown.grid_, shown.values_, levels=[low, 0, high], colors=SIDES, alpha=SHADE)
    dashes = ["-" if level == 0 else "--" for level in levels]
    axis.contour(*shown.grid_, shown.values_, levels=levels, colors="black", linestyles=dashes)
    show_rows(axis, X, y, MARK_AREA if sizes is None else sizes)
    axis.set(xticks=[], yticks=[], title=title)
    return shown.estimator_


def show_rows(axis: Axes, X: NDArray[Any], y: NDArray[Any], sizes: ArrayLike = MARK_AREA) -> None:
    """Draw rows in a plane: a minus for each of class -1, a plus for each of class +1."""
    areas = np.broadcast_to(np.asarray(sizes), y.shape) * _scale() ** 2
    for sign, colour, mark in zip((-1, 1), SIDES, MARKERS, strict=True):
        of_class = y == sign
        axis.scatter(
            X[of_class, 0],
            X[of_class, 1],
            s=areas[of_class],
            c=colour,
            marker=mark,
            linewidths=MARK_WIDTH * _scale(),
        )
