"""A figure of the values of realizations, by data set and algorithm: boxes, strips or bars."""

from collections.abc import Iterator
from typing import Literal, Self, TypeAlias

from pydantic import Field, model_validator

from ensvm.study.block import Asked, Id, Names, StudyNames
from ensvm.study.figures.figure import AxesConfig, FigureConfig, axis_label, pass_of
from ensvm.study.source import Location, YamlSource

Form: TypeAlias = Literal["box", "strip", "bar"]


class DistributionPanel(AxesConfig):
    """A panel of some data sets, or of another metric; its keys come before those of the figure."""

    rows: Names = ()
    metric: str | None = None

    @property
    def about(self) -> str:
        """The data sets or the metric that are the panel's own."""
        return ", ".join(self.rows) or (axis_label(self.metric) if self.metric else "")


class DistributionConfig(FigureConfig):
    """A metric over the realizations: data sets side by side, in each the algorithms of `series`.

    `box` draws the quartiles with the median, whiskers as far as 1.5 times the box, and the values
    beyond; `strip` every value, and the mean; `bar` the mean with one standard error each way.
    `table` names a table, whose printed values of the metric are marked.
    """

    kind: Form
    rows: Names = ()
    series: Names = Field(min_length=1)
    metric: str = "error"
    table: Id | None = None
    panels: tuple[DistributionPanel, ...] = Field(default=(DistributionPanel(),), min_length=1)

    @model_validator(mode="after")
    def _every_panel_has_rows(self) -> Self:
        if not all(map(self.rows_of, self.panels)):
            raise ValueError("which data sets? give `rows:`, the figure's or the panel's")
        return self

    @model_validator(mode="after")
    def _bars_begin_at_zero(self) -> Self:
        if self.kind == "bar" and self.y_scale == "log":
            raise ValueError(
                "a bar begins at 0, for which a logarithmic axis has no place; "
                "take `kind: strip` or `kind: box`"
            )
        return self

    @property
    def axes(self) -> tuple[AxesConfig, ...]:
        """The panels."""
        return self.panels

    @property
    def timed(self) -> bool:
        """Whether a panel shows the timing pass."""
        return any(pass_of(self.metric_of(panel)) == "timing" for panel in self.panels)

    def rows_of(self, panel: DistributionPanel) -> tuple[str, ...]:
        """Return the data sets that a panel shows."""
        return panel.rows or self.rows

    def metric_of(self, panel: DistributionPanel) -> str:
        """Return the metric that a panel shows."""
        return panel.metric or self.metric

    def shown_on(self, panel: AxesConfig) -> tuple[str, str]:
        """Return what a panel's axes show: data sets, and the metric."""
        assert isinstance(panel, DistributionPanel)
        return "data set", axis_label(self.metric_of(panel))

    def asked(self, index: int, names: StudyNames) -> Iterator[Asked]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        for number, panel in enumerate(self.panels):
            own = () if panel.metric is None else ("panels", number)
            for name in self.series:
                yield Asked(("figures", index, *own, "metric"), self.metric_of(panel), (name,))

    def check(self, index: int, names: StudyNames, source: YamlSource) -> None:
        """Raise ConfigError for data sets, algorithms and a table that the study does not have."""
        where: Location = ("figures", index)
        for place, rows in [
            ((*where, "rows"), self.rows),
            *((((*where, "panels", n, "rows")), p.rows) for n, p in enumerate(self.panels)),
        ]:
            for row in rows:
                source.must_be_one_of(place, "data set", row, names.datasets)
        for name in self.series:
            source.must_be_one_of((*where, "series"), "algorithm", name, names.algorithms)
        if self.table is not None:
            source.must_be_one_of((*where, "table"), "table", self.table, names.tables)
