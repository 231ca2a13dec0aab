"""Figures of lines: curves that fits left, and metrics against the values of a sweep."""

from collections.abc import Iterator
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from ensvm.study.block import Asked, StudyNames
from ensvm.study.figures.figure import AxesConfig, FigureConfig, axis_label, pass_of
from ensvm.study.source import Location, YamlSource


class PanelConfig(AxesConfig):
    """A panel of lines: a `dataset`, or a sweep of data sets it goes `over`.

    Its other keys come before those of the figure.
    """

    dataset: str | None = None
    over: str | None = None
    y: str | dict[str, str] | None = None
    first: int | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.dataset is None) == (self.over is None):
            raise ValueError(
                "a panel is about either a `dataset:` or a sweep of data sets, `over:`"
            )
        return self

    @property
    def about(self) -> str:
        """The data set or the sweep."""
        return self.dataset or str(self.over)


class LinesConfig(FigureConfig):
    """A figure of lines: its series, in every panel.

    `y` is a metric or curve of the records, or several, each with the text that names it; what a
    panel says for itself comes first. Seconds are those of the timing pass.
    """

    short: ClassVar[str] = "dataset"  # the key that a panel given as a mere name stands for

    panels: tuple[PanelConfig, ...] = Field(min_length=1)
    series: tuple[str, ...] = Field(min_length=1)
    y: str | dict[str, str] | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_panels(cls, block: Any) -> Any:
        if not isinstance(block, dict) or not isinstance(block.get("panels"), list):
            return block
        panels = [
            {cls.short: panel} if isinstance(panel, str) else panel for panel in block["panels"]
        ]
        return {**block, "panels": panels}

    @model_validator(mode="after")
    def _every_panel_has_y(self) -> Self:
        for panel in self.panels:
            if not self.ys_of(panel):
                raise ValueError(
                    f"what is drawn in the panel {panel.name!r}? "
                    "give `y:`, the figure's or the panel's"
                )
        return self

    @property
    def axes(self) -> tuple[AxesConfig, ...]:
        """The panels."""
        return self.panels

    def shown_on(self, panel: AxesConfig) -> tuple[str, str]:
        """Return what a panel's axes show: the steps of a curve or a sweep, and the metric."""
        assert isinstance(panel, PanelConfig)
        ys = self.ys_of(panel)
        return self.steps(panel), axis_label(next(iter(ys))) if len(ys) == 1 else "value"

    def steps(self, panel: PanelConfig) -> str:
        """Return what the lines of a panel run over."""
        return "step"

    @property
    def timed(self) -> bool:
        """Whether a panel shows the timing pass."""
        return any(pass_of(y) == "timing" for panel in self.panels for y in self.ys_of(panel))

    def ys_of(self, panel: PanelConfig) -> dict[str, str]:
        """Return the metrics or curves that a panel shows; each with its text, if it has one."""
        y = panel.y or self.y or {}
        return {y: ""} if isinstance(y, str) else y

    @property
    def of_curves(self) -> bool:
        """Whether `y` is a curve that `record:` keeps."""
        return True

    def sweeps_algorithms(self, panel: PanelConfig) -> bool:
        """Return whether the series of a panel are sweeps of algorithms."""
        return False

    def asked(self, index: int, names: StudyNames) -> Iterator[Asked]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        for number, panel in enumerate(self.panels):
            own = () if panel.y is None else ("panels", number)
            where = ("figures", index, *own, "y")
            for name in self.series:
                swept = names.algorithm_sweeps[name] if self.sweeps_algorithms(panel) else [name]
                for algorithm in swept:
                    for y in self.ys_of(panel):
                        yield Asked(where, y, (algorithm,), self.of_curves)

    def check(self, index: int, names: StudyNames, source: YamlSource) -> None:
        """Raise ConfigError for data sets and series that the study does not have."""
        for number, panel in enumerate(self.panels):
            where: Location = ("figures", index, "panels", number)
            if panel.over is not None:
                source.must_be_one_of(where, "sweep of data sets", panel.over, names.dataset_sweeps)
            else:
                source.must_be_one_of(where, "data set", panel.about, names.datasets)
            swept = self.sweeps_algorithms(panel)
            for name in self.series:
                source.must_be_one_of(
                    ("figures", index, "series"),
                    "sweep of algorithms" if swept else "algorithm",
                    name,
                    names.algorithm_sweeps if swept else names.algorithms,
                )


class CurvesConfig(LinesConfig):
    """Curves that fits left, against their index, which begins at `first`.

    `realization` is the one shown, or `mean`: the mean over all, drawn as far as all of them
    were measured. `marks` names a scalar that a fit left, the x of a vertical mark on its
    curve; 0 or no such scalar is no mark.
    """

    kind: Literal["curves"] = "curves"
    marks: str | None = None
    realization: Annotated[int, Field(ge=1)] | Literal["mean"] = 1
    first: int = 0

    @model_validator(mode="after")
    def _of_data_sets(self) -> Self:
        if any(panel.over is not None for panel in self.panels):
            raise ValueError(
                "a panel of curves is about a `dataset:`; a sweep is drawn by `kind: sweep`"
            )
        return self

    def asked(self, index: int, names: StudyNames) -> Iterator[Asked]:
        """Yield what the figure asks of the records, the scalar of its marks among it."""
        yield from super().asked(index, names)
        if self.marks is not None:
            yield Asked(("figures", index, "marks"), self.marks, self.series)


class SweepFigureConfig(LinesConfig):
    """A metric, mean over realizations, against the values of a sweep.

    A panel `over` a sweep of data sets has a line for each algorithm in `series`; one of a
    `dataset` has a line for each sweep of an algorithm in `series`. With `stages`, `y` is a curve
    of which these entries (the first is 1) are shown, a line each, named by the
    number.
    """

    short: ClassVar[str] = "over"

    kind: Literal["sweep"]
    stages: tuple[Annotated[int, Field(ge=1)], ...] = ()

    @property
    def of_curves(self) -> bool:
        """Whether `y` is a curve, of which the `stages` are shown."""
        return bool(self.stages)

    def steps(self, panel: PanelConfig) -> str:
        """Return the names of the sweeps."""
        return panel.over or ", ".join(self.series)

    def sweeps_algorithms(self, panel: PanelConfig) -> bool:
        """Return whether the series of a panel are sweeps of algorithms: those of a data set."""
        return panel.over is None
