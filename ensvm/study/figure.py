"""A figure: what is drawn, in which panels, against what."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from ensvm.records.record import RunPass
from ensvm.study.block import Asked, Block, Id, Names, StudyNames
from ensvm.study.metrics import SECONDS, unit_of
from ensvm.study.source import Location, YamlSource

Scale = Literal["log", "linear"]
# What a classifier that keeps a map of its decisions leaves: the rows shown, their labels, the
# values on both axes, and the decision value at each point of the grid.
MAP = ("points_", "signs_", "grid_", "values_")


class AxesConfig(Block):
    """What panels of every kind have: a title and the labels of their axes."""

    title: str | None = None
    x_label: str | None = None
    y_label: str | None = None

    @property
    def about(self) -> str:
        """What the panel is about, in short."""
        return ""

    @property
    def name(self) -> str:
        """The panel's title, by default what it is about."""
        return self.title or self.about


class FigureConfig(Block):
    """What figures of every kind have: a caption, panels side by side, and axes."""

    id: Id
    caption: str
    x_label: str = ""
    y_label: str = ""
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"

    @property
    @abstractmethod
    def axes(self) -> tuple[AxesConfig, ...]:
        """The panels, whatever they are about."""

    @property
    def timed(self) -> bool:
        """Whether a panel shows the timing pass."""
        return False

    @abstractmethod
    def asked(self, index: int, names: StudyNames) -> Iterator[Asked]:
        """Yield what the figure, the config's `index`-th, asks of the records."""

    @abstractmethod
    def check(self, index: int, names: StudyNames, source: YamlSource) -> None:
        """Raise ConfigError for data sets and algorithms that the study does not have."""


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


def pass_of(y: str) -> RunPass:
    """Return the pass whose records show a metric: seconds are of the timing pass alone."""
    return "timing" if unit_of(y) == SECONDS else "error"


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

    def sweeps_algorithms(self, panel: PanelConfig) -> bool:
        """Return whether the series of a panel are sweeps of algorithms: those of a data set."""
        return panel.over is None


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


KINDS = ("curves", "sweep", "scatter", "plane")


def _kind(block: Any) -> str:
    return str(
        block.get("kind", "curves") if isinstance(block, dict) else getattr(block, "kind", "curves")
    )


AnyFigure = Annotated[
    Annotated[CurvesConfig, Tag("curves")]
    | Annotated[SweepFigureConfig, Tag("sweep")]
    | Annotated[ScatterConfig, Tag("scatter")]
    | Annotated[PlaneConfig, Tag("plane")],
    Discriminator(
        _kind,
        custom_error_type="unknown_kind",
        custom_error_message=f"unknown kind of figure; accepted: {', '.join(KINDS)}",
    ),
]


def check_figures(figures: Sequence[FigureConfig], names: StudyNames, source: YamlSource) -> None:
    """Refuse a figure given twice, and data sets, series and curves the study does not have."""
    source.must_be_distinct("figures", "figure", [figure.id for figure in figures], "id")
    for index, figure in enumerate(figures):
        if figure.timed and not names.timing:
            raise source.error(
                ("figures", index, "y"),
                "a figure of the timing pass needs a `timing:` block in the study",
            )
        figure.check(index, names, source)
