"""A figure: what is drawn, in which panels, against what."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from ensvm.records.record import RunPass
from ensvm.study.block import Asked, Block, Id, StudyNames
from ensvm.study.metrics import SECONDS, unit_of
from ensvm.study.source import Location, YamlSource

Scale = Literal["log", "linear"]


class PanelConfig(Block):
    """One panel: a `dataset`, or a sweep of data sets it goes `over`.

    Its other keys come before those of the figure.
    """

    dataset: str | None = None
    over: str | None = None
    title: str | None = None
    y: str | None = None
    first: int | None = None
    x_label: str | None = None
    y_label: str | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.dataset is None) == (self.over is None):
            raise ValueError(
                "a panel is about either a `dataset:` or a sweep of data sets, `over:`"
            )
        return self

    @property
    def name(self) -> str:
        """The panel's title, by default what it is about."""
        return self.title or self.dataset or str(self.over)


class FigureConfig(Block):
    """What figures of every kind have: caption, panels side by side, series and axes.

    `y` is a metric or curve of the records; what a panel says for itself comes first. Seconds
    are those of the timing pass.
    """

    about: ClassVar[str] = "dataset"  # the key that a panel given as a mere name stands for

    id: Id
    caption: str
    panels: tuple[PanelConfig, ...] = Field(min_length=1)
    series: tuple[str, ...] = Field(min_length=1)
    y: str | None = None
    x_label: str = ""
    y_label: str = ""
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"

    @model_validator(mode="before")
    @classmethod
    def _short_panels(cls, block: Any) -> Any:
        if not isinstance(block, dict) or not isinstance(block.get("panels"), list):
            return block
        panels = [
            {cls.about: panel} if isinstance(panel, str) else panel for panel in block["panels"]
        ]
        return {**block, "panels": panels}

    @model_validator(mode="after")
    def _every_panel_has_y(self) -> Self:
        for panel in self.panels:
            if self.y is None and panel.y is None:
                raise ValueError(
                    f"what is drawn in the panel {panel.name!r}? "
                    "give `y:`, the figure's or the panel's"
                )
        return self

    def y_of(self, panel: PanelConfig) -> str:
        """Return the metric or curve that a panel shows."""
        return panel.y or str(self.y)

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
                    yield Asked(where, self.y_of(panel), (algorithm,), self.of_curves)

    def pass_of(self, panel: PanelConfig) -> RunPass:
        """Return the pass whose records a panel shows: seconds are of the timing pass alone."""
        return "timing" if unit_of(self.y_of(panel)) == SECONDS else "error"


class CurvesConfig(FigureConfig):
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


class SweepFigureConfig(FigureConfig):
    """A metric, mean over realizations, against the values of a sweep.

    A panel `over` a sweep of data sets has a line for each algorithm in `series`; one of a
    `dataset` has a line for each sweep of an algorithm in `series`. With `stages`, `y` is a curve
    of which these entries (the first is 1) are shown, a line each, named by the
    number.
    """

    about: ClassVar[str] = "over"

    kind: Literal["sweep"]
    stages: tuple[Annotated[int, Field(ge=1)], ...] = ()

    @property
    def of_curves(self) -> bool:
        """Whether `y` is a curve, of which the `stages` are shown."""
        return bool(self.stages)

    def sweeps_algorithms(self, panel: PanelConfig) -> bool:
        """Return whether the series of a panel are sweeps of algorithms: those of a data set."""
        return panel.over is None


KINDS = ("curves", "sweep")


def _kind(block: Any) -> str:
    return str(
        block.get("kind", "curves") if isinstance(block, dict) else getattr(block, "kind", "curves")
    )


AnyFigure = Annotated[
    Annotated[CurvesConfig, Tag("curves")] | Annotated[SweepFigureConfig, Tag("sweep")],
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
        if not names.timing and any(figure.pass_of(panel) == "timing" for panel in figure.panels):
            raise source.error(
                ("figures", index, "y"),
                "a figure of the timing pass needs a `timing:` block in the study",
            )
        for number, panel in enumerate(figure.panels):
            _check_panel(figure, panel, ("figures", index, "panels", number), names, source)


def _check_panel(
    figure: FigureConfig,
    panel: PanelConfig,
    location: Location,
    names: StudyNames,
    source: YamlSource,
) -> None:
    if panel.over is not None:
        source.must_be_one_of(location, "sweep of data sets", panel.over, names.dataset_sweeps)
    else:
        source.must_be_one_of(location, "data set", str(panel.dataset), names.datasets)
    swept = figure.sweeps_algorithms(panel)
    series = (*location[:2], "series")
    for name in figure.series:
        source.must_be_one_of(
            series,
            "sweep of algorithms" if swept else "algorithm",
            name,
            names.algorithm_sweeps if swept else names.algorithms,
        )
