"""Critical-difference diagrams, as Figure 1 of Demšar (2006)."""

from collections.abc import Iterable

import numpy as np
from matplotlib import style
from matplotlib.figure import Figure

from ensvm.report.plots.looks import COLOURS, STYLE, files_of, letters_without_glyph
from ensvm.report.ranking import Ranking
from ensvm.report.statistical_tests import LEVEL
from ensvm.study.figure_kinds import metric_name

NOTE = (
    "average ranks over {n} data sets ({metric}), 1 the best;\n"
    f"bars join what Nemenyi's test does not tell apart (α = {LEVEL:g})"
)
WIDTH, LINE_HEIGHT = 4.6, 0.22  # inches
MARGIN = 0.06  # between names and the first or last rank, as a share of the axis


def ranking_diagram(ranking: Ranking, endings: Iterable[str]) -> list[bytes]:
    """Draw the average ranks of a ranking; return the content of a file of each ending."""
    # STYLE: not the user's own matplotlib settings
    with letters_without_glyph(), style.context(["default", STYLE]):
        # Long names and the note can be wider than the figure, hence `tight`.
        return files_of(_diagram(ranking), endings, bbox_inches="tight", pad_inches=0.1)


def _diagram(ranking: Ranking) -> Figure:
    """Draw average ranks on an axis, with a bar over each group that the test does not separate.

    Names stand at both sides, the better half on the left; a line leads from each to its rank.
    """
    labels, average = ranking.selection.labels, ranking.ranks.mean()
    k = len(labels)
    figure = Figure(figsize=(WIDTH, (k / 2 + 5) * LINE_HEIGHT))
    axes = figure.add_subplot()
    axes.spines[["right", "left", "bottom"]].set_visible(False)
    axes.spines["top"].set_visible(True)
    axes.spines["top"].set_position("zero")
    axes.xaxis.set_ticks_position("top")
    axes.yaxis.set_visible(False)
    axes.set_xlim(1, k)
    axes.set_xticks(np.arange(1, k + 1))
    levels = 0
    for low, high, level in group_bars(ranking):
        axes.plot([low, high], [-level, -level], color=COLOURS[2], linewidth=3.0, zorder=3)
        levels = max(levels, level)
    middle, margin = (k + 1) // 2, MARGIN * (k - 1)
    names = [str(name) for name in average.index]
    left = (names[:middle], average.iloc[0] - margin, "right")
    right = (names[middle:][::-1], average.iloc[-1] + margin, "left")
    for side, x, alignment in (left, right):
        for line, name in enumerate(side, start=levels + 1):
            rank = average[name]
            elbow = [x, rank, rank], [-line, -line, 0]
            axes.plot(*elbow, color=COLOURS[0], linewidth=0.8, clip_on=False)
            axes.scatter(rank, 0, s=8, color=COLOURS[0], zorder=3, clip_on=False)
            text = f"  {labels[name]} ({rank:.2f})  "
            axes.text(x, -line, text, color=COLOURS[0], ha=alignment, va="center")
    cd = f"critical difference {ranking.critical_difference:.2f}"
    metric = metric_name(ranking.selection.metric)
    note = NOTE.format(n=len(ranking.ranks), metric=metric)
    axes.set_xlabel(f"{note}; {cd}")
    return figure


def group_bars(ranking: Ranking) -> list[tuple[float, float, int]]:
    """Return the ends of each bar, and its level: bars that meet are on different levels.

    A bar joins neighbours in the order of the ranks, as many as do not differ significantly from
    each other, and is not part of a longer bar.
    """
    average = ranking.ranks.mean().to_numpy()
    joined = ranking.nemenyi.to_numpy() > LEVEL
    bars: list[tuple[float, float, int]] = []
    last_end = 0
    for start in range(average.size):
        end = int(np.flatnonzero(joined[start]).max(initial=start))
        if end <= max(start, last_end):
            continue
        last_end = end
        low, high = float(average[start]), float(average[end])
        level = 1
        while any(low <= other_high for _, other_high, at in bars if at == level):
            level += 1
        bars.append((low, high, level))
    return bars
