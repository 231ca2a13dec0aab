"""Critical-difference diagrams: average ranks on a line, bars over what is not told apart."""

import math
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ensvm.report.plots.looks import COLOURS, METADATA, STYLE, Look

WIDTH = 6.8  # inches: a page's text width
LABEL_SHARE = 0.55  # of the axis' length, the room for labels on either side
BEYOND = 0.015  # of its length, how far a bar reaches beyond the ranks it joins
LINE, BAR, CAP = 0.8, 3.0, 0.12  # points, points, and the half height of the caps of CD

# Heights, in lines of text. The axis stands at 0, what belongs to it above, the algorithms below.
LINE_HEIGHT = 0.2  # inches
TICK, TICK_LABEL, CD_BAR = 0.25, 0.4, 1.9
FIRST_BAR, BAR_STEP, LABELS_AFTER = 0.55, 0.45, 0.55


def draw_critical_difference(
    labels: Sequence[str],
    average: Sequence[float],
    difference: float,
    groups: Sequence[tuple[int, int]],
    note: str,
    endings: Iterable[str],
) -> Iterator[bytes]:
    """Draw a critical-difference diagram.

    Parameters
    ----------
    labels : sequence of str
        The algorithms, best first.
    average : sequence of float
        Their average ranks, in ascending order.
    difference : float
        The critical difference.
    groups : sequence of (int, int)
        The first and the last of each group that is joined by a bar.
    note : str
        What stands under the diagram.
    endings : iterable of str
        The kinds of files: .png, .svg or .pdf.

    Yields
    ------
    bytes
        The file of each ending.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Figure 1.
    """
    with style.context(["default", STYLE]):  # whatever the user has set up for other plots
        figure = _diagram(labels, average, difference, groups, note)
        for ending in endings:
            file = BytesIO()
            # tight: long names of algorithms, and the note, need not fit the width
            figure.savefig(
                file,
                format=ending.removeprefix("."),
                metadata=METADATA[ending],
                bbox_inches="tight",
                pad_inches=0.1,
            )
            yield file.getvalue()


def _diagram(
    labels: Sequence[str],
    average: Sequence[float],
    difference: float,
    groups: Sequence[tuple[int, int]],
    note: str,
) -> Figure:
    k = len(labels)
    half = math.ceil(k / 2)
    below = FIRST_BAR + BAR_STEP * len(groups) + LABELS_AFTER
    depth, height = below + half + 0.5, CD_BAR + 1.0
    figure = Figure(figsize=(WIDTH, (height + depth) * LINE_HEIGHT))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    room, beyond = LABEL_SHARE * (k - 1), BEYOND * (k - 1)
    axes.set_xlim(1 - room, k + room)
    axes.set_ylim(-depth, height)
    _draw_axis(axes, k, difference)
    for level, (first, last) in enumerate(groups):
        y = -FIRST_BAR - BAR_STEP * level
        x = (average[first] - beyond, average[last] + beyond)
        axes.plot(x, (y, y), color=COLOURS[2], linewidth=BAR, solid_capstyle="butt")
    for place, (label, rank) in enumerate(zip(labels, average, strict=True)):
        on_the_left = place < half
        line = place if on_the_left else k - 1 - place
        parts = (label, f"{rank:.2f}") if on_the_left else (f"{rank:.2f}", label)
        _draw_label(axes, "  ".join(parts), rank, -below - line, k, on_the_left)
    axes.text((1 + k) / 2, -depth, note, ha="center", va="top", fontsize="small")
    return figure


def _draw_axis(axes: Axes, k: int, difference: float) -> None:
    look: Look = {"color": COLOURS[0], "linewidth": LINE, "clip_on": False}
    axes.plot((1, k), (0, 0), **look)
    for rank in range(1, k + 1):
        axes.plot((rank, rank), (0, TICK), **look)
        axes.text(rank, TICK_LABEL, str(rank), ha="center", va="bottom")
    axes.plot((1, 1 + difference), (CD_BAR, CD_BAR), **look)
    for end in (1, 1 + difference):
        axes.plot((end, end), (CD_BAR - CAP, CD_BAR + CAP), **look)
    axes.text(1 + difference / 2, CD_BAR + 0.2, f"CD = {difference:.2f}", ha="center", va="bottom")


def _draw_label(axes: Axes, text: str, rank: float, y: float, k: int, on_the_left: bool) -> None:
    """Draw the line from an algorithm's rank down and out to its name."""
    gap = 0.08 * (k - 1)
    end = 1 - gap if on_the_left else k + gap
    axes.plot((rank, rank, end), (0, y, y), color=COLOURS[0], linewidth=LINE)
    pad = 0.02 * (k - 1) * (-1 if on_the_left else 1)
    side = "right" if on_the_left else "left"
    axes.text(end + pad, y, text, ha=side, va="center")
