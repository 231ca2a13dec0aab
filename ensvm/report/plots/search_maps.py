"""The scores of a search over two parameters, as records have them, and their drawing."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ensvm.report.plots.log_axes import RAISED
from ensvm.report.plots.looks import LegendKey
from ensvm.report.query import Query, ask
from ensvm.report.study_folder import Study
from ensvm.report.tables import algorithm_label
from ensvm.study.figure_kinds import MapConfig, MapPanel
from ensvm.study.metrics import SEARCH

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLUMNS = ("series", "x", "y", "score", "n")
BEST = "box: the best"
LETTERS = 5.5  # points, of the scores
CENTRED: Any = {"ha": "center", "va": "center"}
BOX: Any = {"fill": False, "edgecolor": "#D55E00", "linewidth": 1.5}

LONGEST = 5  # letters of a number that is not written as a power of two
EQUAL = 1e-12  # scores that differ by less are equal
DARK = 0.6  # lighter letters from this shade on


@dataclass(frozen=True)
class SearchMap:
    """The mean scores of a search, a frame with a row for each y and a column for each x."""

    label: str
    scores: pd.DataFrame
    n: int


def read_panel(
    study: Study, figure: MapConfig, panel: MapPanel
) -> tuple[list[SearchMap], list[str]]:
    """Return the map of a panel, or a line of text why it is missing."""
    names = {"score": SEARCH, "x": f"{SEARCH}.{figure.x}", "y": f"{SEARCH}.{figure.y}"}
    results = {
        key: ask(study, Query(panel.dataset, panel.series, name, stage="all"))
        for key, name in names.items()
    }
    for key, result in results.items():
        if not result.values:
            place = f"{panel.name}, {panel.series}, {getattr(figure, key, SEARCH)}"
            return [], [f"{place}: {result.why}"]
    of_score = results["score"]
    missing = [f"{panel.name}, {panel.series}: {why}" for why in [of_score.part_shown] if why]
    points = pd.concat(
        {
            number: pd.DataFrame({key: result.values[number] for key, result in results.items()})
            for number in results["score"].values
        },
        names=["realization"],
    )
    # Of further parameters the best: the maximum over the rows of one realization and point.
    for key in ("x", "y"):
        if not all(isinstance(value, int | float) for value in points[key]):
            points[key] = points[key].map(str)
    best = points.groupby(["realization", "y", "x"], sort=True)["score"].max()
    means = best.groupby(["y", "x"]).mean().unstack("x")
    if not np.isfinite(means.to_numpy(dtype=float)).any():
        return [], [f"{panel.name}, {panel.series}: no score is a finite number"]
    label = algorithm_label(study, panel.series)
    return [SearchMap(label, means, len(of_score.values))], missing


def lines_of(item: SearchMap) -> Iterator[tuple[Any, ...]]:
    """Yield a line of the frame behind a figure for each point of the grid."""
    for y, row in item.scores.iterrows():
        for x, score in row.items():
            yield item.label, x, y, score, item.n


def draw(
    study: Study, config: MapConfig, panels: list[list[SearchMap]], axes: "list[Axes]"
) -> list[LegendKey]:
    """Draw the maps, and return the entries of the legend."""
    from matplotlib.patches import Rectangle

    for panel_axes, items in zip(axes, panels, strict=True):
        for item in items:
            scores = item.scores.to_numpy()
            # Shades are ranks: most scores of a wide grid are near the best.
            shades = pd.Series(scores.ravel()).rank(pct=True).to_numpy().reshape(scores.shape)
            panel_axes.imshow(shades, cmap="Greys", origin="lower", aspect="auto", vmin=0, vmax=1)
            for (row, column), score in np.ndenumerate(scores):
                colour = "white" if shades[row, column] > DARK else "black"
                text = re.sub(r"^(-?)0(?=\.)", r"\1", f"{score:.3f}")
                panel_axes.text(column, row, text, color=colour, fontsize=LETTERS, **CENTRED)
            for row, column in np.argwhere(scores >= np.nanmax(scores) - EQUAL):
                corner = (column - 0.5, row - 0.5)
                panel_axes.add_patch(Rectangle(corner, 1, 1, **BOX))
            panel_axes.set_xticks(range(scores.shape[1]), _texts(item.scores.columns))
            panel_axes.set_yticks(range(scores.shape[0]), _texts(item.scores.index))
    n_realizations = sorted({item.n for items in panels for item in items})
    counts = ", ".join(map(str, n_realizations))
    means = "score" if n_realizations == [1] else f"mean score over {counts} realizations"
    return [(Rectangle((0, 0), 1, 1, **BOX), BEST), (None, f"{means}; darker is better")]


def _texts(values: Iterable[Any]) -> list[str]:
    """Return the values of a parameter as texts, such as 2⁻⁵ if all are powers of two."""
    texts = [f"{value:g}" if isinstance(value, float) else str(value) for value in values]
    if max(map(len, texts)) <= LONGEST or not all(isinstance(value, float) for value in values):
        return texts
    fractions, exponents = np.frexp(list(values))  # a power of two is half of the next one
    if not (fractions == 0.5).all():
        return texts
    return [f"2{str(exponent - 1).translate(RAISED)}" for exponent in exponents]
