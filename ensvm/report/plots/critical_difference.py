"""Critical-difference diagrams, as Figure 1 of Demšar (2006)."""

import math
from collections.abc import Iterable
from textwrap import fill
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ensvm.report.plots.looks import COLOURS, STYLE, Look, files_of
from ensvm.report.ranking import Ranking
from ensvm.report.statistical_tests import groups
from ensvm.study.figure_kinds import metric_name

NOTE = (
    "average ranks over {n} data sets ({metric}), 1 the best;\n"
    "bars join what Nemenyi's test does not tell apart (α = {alpha:g})"
)
WIDTH = 4.6  # inches, of which the axis takes half; names may add to it
LONGEST = 26  # letters of a name on one line; a longer name has two
LABEL_SHARE = 0.55  # room for labels on either side, as a fraction of the axis
BAR_OVERHANG = 0.015  # how far a bar reaches beyond its ranks, as a fraction of the axis
GAP = 3.0  # points between a line and a rank
LETTER = 5.5  # how many points a digit of a rank takes at most
LINE, BAR, CAP = 0.8, 3.0, 0.12  # points, points, and half the height of the caps of CD

# Heights in lines of text: the axis is at 0, the critical difference above, the algorithms below.
LINE_HEIGHT = 0.2  # inches
TICK, TICK_LABEL, CD_BAR = 0.25, 0.4, 1.9
FIRST_BAR, BAR_STEP, LABELS_AFTER = 0.55, 0.45, 0.55
TWO_LINES = 1.35  # from name to name if one has two lines


def ranking_diagram(ranking: Ranking, endings: Iterable[str]) -> list[bytes]:
    """Draw the average ranks of a ranking; return the content of a file of each ending."""
    with style.context(["default", STYLE]):  # not the user's own matplotlib settings
        # Long names and the note can be wider than the figure, hence `tight`.
        return files_of(_diagram(ranking), endings, bbox_inches="tight", pad_inches=0.1)


def _diagram(ranking: Ranking) -> Figure:
    """Draw average ranks on an axis; a bar joins those that Nemenyi's test does not tell apart."""
    labels, average_ranks = list(ranking.selection.labels.values()), ranking.average_ranks
    k, joined = len(labels), groups(average_ranks, ranking.critical_difference)
    n_left = math.ceil(k / 2)
    # The better half of the labels is on the left, the other half on the right, below the bars.
    label_height = FIRST_BAR + BAR_STEP * len(joined) + LABELS_AFTER
    names = [fill(label, max(LONGEST, len(label) // 2 + 4)) for label in labels]
    step = 1.0 if names == labels else TWO_LINES
    depth, height = label_height + step * (n_left - 1) + 1.5, CD_BAR + 1.0
    figure = Figure(figsize=(WIDTH, (height + depth) * LINE_HEIGHT))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.axis("off")
    room, overhang = LABEL_SHARE * (k - 1), BAR_OVERHANG * (k - 1)
    axes.set_xlim(1 - room, k + room)
    axes.set_ylim(-depth, height)
    _draw_axis(axes, k, ranking.critical_difference)
    for level, (first, last) in enumerate(joined):
        y = -FIRST_BAR - BAR_STEP * level
        x = (average_ranks[first] - overhang, average_ranks[last] + overhang)
        axes.plot(x, (y, y), color=COLOURS[2], linewidth=BAR, solid_capstyle="butt")
    room_for_rank = LETTER * len(f"{max(average_ranks):.2f}")
    for index, (name, rank) in enumerate(zip(names, average_ranks, strict=True)):
        side, at = ("right", index) if index < n_left else ("left", k - 1 - index)
        _draw_label(axes, name, rank, -label_height - step * at, k, side, room_for_rank)
    metric = metric_name(ranking.selection.metric)
    note = NOTE.format(n=len(ranking.rows), metric=metric, alpha=ranking.alpha)
    axes.text((1 + k) / 2, -depth, note, ha="center", va="top")
    return figure


def _draw_axis(axes: Axes, k: int, critical_difference: float) -> None:
    """Draw the axis of ranks, and above it a line as long as the critical difference."""
    look: Look = {"color": COLOURS[0], "linewidth": LINE, "clip_on": False}
    axes.plot((1, k), (0, 0), **look)
    for rank in range(1, k + 1):
        axes.plot((rank, rank), (0, TICK), **look)
        axes.text(rank, TICK_LABEL, str(rank), ha="center", va="bottom")
    end = 1 + critical_difference
    axes.plot((1, end), (CD_BAR, CD_BAR), **look)
    for x in (1, end):
        axes.plot((x, x), (CD_BAR - CAP, CD_BAR + CAP), **look)
    text = f"CD = {critical_difference:.2f}"
    axes.text(1 + critical_difference / 2, CD_BAR + 0.2, text, ha="center", va="bottom")


def _draw_label(
    axes: Axes, name: str, rank: float, y: float, k: int, side: str, room_for_rank: float
) -> None:
    """Draw a line from a rank down and out to rank and name, which are aligned at `side`."""
    sign = -1 if side == "right" else 1
    end = (1 if side == "right" else k) + sign * 0.08 * (k - 1)
    axes.plot((rank, rank, end), (0, y, y), color=COLOURS[0], linewidth=LINE)
    place: Any = {"textcoords": "offset points", "ha": side, "va": "center_baseline"}
    axes.annotate(f"{rank:.2f}", (end, y), xytext=(sign * GAP, 0.0), **place)
    axes.annotate(
        name, (end, y), xytext=(sign * (GAP + room_for_rank), 0.0), linespacing=0.95, **place
    )
