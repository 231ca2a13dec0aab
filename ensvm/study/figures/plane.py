"""A figure of rows in the plane and the lines where classifiers decide."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from ensvm.study.block import Asked, Names, StudyNames
from ensvm.study.figures.figure import AxesConfig, FigureConfig
from ensvm.study.source import Location, YamlSource

# What a classifier that keeps a map of its decisions leaves: the rows shown, their labels, the
# values on both axes, and the decision value at each point of the grid.
MAP = ("points_", "signs_", "grid_", "values_")


class PlanePanel(AxesConfig):
    """A panel of the plane: a data set of which two inputs are shown, and the classifiers on it.

    `levels` are the decision values at which the lines of a classifier are drawn, `marks` a
    recorded list of row numbers that are ringed, `sizes` a recorded weight of each row.
    """

    dataset: str
    series: Names = Field(min_length=1)
    levels: tuple[float, ...] = (0.0,)
    marks: str | None = None
    sizes: str | None = None

    @property
    def about(self) -> str:
        """The data set."""
        return self.dataset


class PlaneConfig(FigureConfig):
    """Training rows in the plane and the lines where classifiers decide, on one realization.

    What is drawn are records of classifiers that keep a map of their decisions, such as
    `DecisionMap`.
    """

    kind: Literal["plane"]
    panels: tuple[PlanePanel, ...] = Field(min_length=1)
    realization: int = Field(default=1, ge=1)

    @property
    def axes(self) -> tuple[AxesConfig, ...]:
        """The panels."""
        return self.panels

    def shown_on(self, panel: AxesConfig) -> tuple[str, str]:
        """Return what a panel's axes show: an input each."""
        return "first input", "second input"

    def asked(self, index: int, names: StudyNames) -> Iterator[Asked]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        for number, panel in enumerate(self.panels):
            where: Location = ("figures", index, "panels", number)
            kept = {"series": MAP, "marks": (panel.marks,), "sizes": (panel.sizes,)}
            for key, curves in kept.items():
                for name in panel.series:
                    yield from (
                        Asked((*where, key), curve, (name,), curve=True)
                        for curve in curves
                        if curve is not None
                    )

    def check(self, index: int, names: StudyNames, source: YamlSource) -> None:
        """Raise ConfigError for data sets and algorithms that the study does not have."""
        for number, panel in enumerate(self.panels):
            where: Location = ("figures", index, "panels", number)
            source.must_be_one_of((*where, "dataset"), "data set", panel.dataset, names.datasets)
            for name in panel.series:
                source.must_be_one_of((*where, "series"), "algorithm", name, names.algorithms)
