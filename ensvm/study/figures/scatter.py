"""A figure of one algorithm's values against another's."""

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from ensvm.study.block import Asked, Names, StudyNames
from ensvm.study.figures.figure import AxesConfig, FigureConfig, axis_label, pass_of
from ensvm.study.source import Location, YamlSource


class ScatterPanel(AxesConfig):
    """A panel of points: the algorithm whose values are `x`, and the one whose values are `y`."""

    x: str
    y: str

    @property
    def about(self) -> str:
        """The two algorithms."""
        return f"{self.y} against {self.x}"


class ScatterConfig(FigureConfig):
    """One algorithm's values of a metric against another's: a point a data set, and the diagonal.

    Each point is the mean over the realizations, with a bar of one standard error each way.
    """

    kind: Literal["scatter"]
    panels: tuple[ScatterPanel, ...] = Field(min_length=1)
    rows: Names = Field(min_length=1)
    metric: str = "error"

    @property
    def axes(self) -> tuple[AxesConfig, ...]:
        """The panels."""
        return self.panels

    def shown_on(self, panel: AxesConfig) -> tuple[str, str]:
        """Return what a panel's axes show: the metric of an algorithm each."""
        assert isinstance(panel, ScatterPanel)
        metric = axis_label(self.metric)
        return f"{panel.x}, {metric}", f"{panel.y}, {metric}"

    @property
    def timed(self) -> bool:
        """Whether the timing pass is shown."""
        return pass_of(self.metric) == "timing"

    def asked(self, index: int, names: StudyNames) -> Iterator[Asked]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        for panel in self.panels:
            for algorithm in (panel.x, panel.y):
                yield Asked(("figures", index, "metric"), self.metric, (algorithm,))

    def check(self, index: int, names: StudyNames, source: YamlSource) -> None:
        """Raise ConfigError for data sets and algorithms that the study does not have."""
        for row in self.rows:
            source.must_be_one_of(("figures", index, "rows"), "data set", row, names.datasets)
        for number, panel in enumerate(self.panels):
            where: Location = ("figures", index, "panels", number)
            for key, name in (("x", panel.x), ("y", panel.y)):
                source.must_be_one_of((*where, key), "algorithm", name, names.algorithms)
