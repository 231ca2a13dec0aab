"""Critical-difference diagrams, as Figure 1 of Demšar (2006)."""

from collections.abc import Iterable

import numpy as np
from matplotlib import style
from matplotlib.figure import Figure

from ensvm.report.plots.looks import COLOURS, STYLE, files_of
from ensvm.report.ranking import LEVEL, Ranking
from ensvm.study.figure_kinds import metric_name

NOTE = (
    "average ranks over {n} data sets ({metric}), 1 the best;\n"
    f"bars join what Nemenyi's test does not tell apart (α = {LEVEL:g})"
)
WIDTH, LINE_HEIGHT = 4.6, 0.22  # inches
MARGIN = 0.06  # between names and the first or last rank, as a share of the axis


def ranking_diagram(ranking: Ranking, endings: Iterable[str]) -> list[bytes]:
    """Draw the average ranks of a ranking; return the content of a file of each ending."""
    with style.context(["default", STYLE]):  # not the user's own matplotlib settings
        # Long names and the note can be wider than the figure, hence `tight`.
        return files_of(_diagram(ranking), endings, bbox_inches="tight", pad_inches=0.1)


def _diagram(ranking: Ranking) -> Figure:
    """Draw average ranks on an axis; a bar joins those that Nemenyi's test does not tell apart."""
    from scikit_posthocs import critical_difference_diagram

    labels = ranking.selection.labels
    k = len(labels)
    figure = Figure(figsize=(WIDTH, (k / 2 + 5) * LINE_HEIGHT))
    axes = figure.add_subplot()
    axes.spines["top"].set_visible(True)
    axes.set_xlim(1, k)
    axes.set_xticks(np.arange(1, k + 1))
    drawn = critical_difference_diagram(
        ranking.ranks.mean(),
        ranking.nemenyi,
        alpha=LEVEL,
        ax=axes,
        label_fmt_left="{label}",
        label_fmt_right="{label}",
        text_h_margin=MARGIN * (k - 1),
        elbow_props={"color": COLOURS[0], "linewidth": 0.8, "clip_on": False},
        marker_props={"s": 8, "clip_on": False},
        crossbar_props={"color": COLOURS[2], "linewidth": 3.0},
    )
    for (bar,) in drawn["crossbars"]:  # the points of a bar come from a set, in any order
        bar.set_xdata(np.sort(bar.get_xdata()))
    average = ranking.ranks.mean()
    for text in drawn["labels"]:
        name = text.get_text()
        text.set_text(f"  {labels[name]} ({average[name]:.2f})  ")
    cd = f"critical difference {ranking.critical_difference:.2f}"
    metric = metric_name(ranking.selection.metric)
    note = NOTE.format(n=len(ranking.ranks), metric=metric)
    axes.set_xlabel(f"{note}; {cd}")
    return figure
