"""The kinds of figures: the panels of each, what it asks of the records, and its labels."""

from abc import abstractmethod
from collections.abc import Iterator
from itertools import product
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from ensvm import hints
from ensvm.study.block import Algorithms, ConfigBlock, DataSets, Id, NameOf, Names
from ensvm.study.metrics import (
    SEARCH,
    SECONDS,
    SIZE,
    TRAIN_ERROR,
    is_computed,
    part_computed,
    unit_of,
)
from ensvm.study.names import AskedMetric, StudyNames
from ensvm.study.source import Location

Scale = Literal["log", "linear"]
WHICH_ROWS = "which data sets? give `rows:`, the figure's or the panel's, or a `table:`"

# The names of metrics on axes, if they differ from the names in configs.
NAMES = {
    "error": "test error",
    "accuracy": "test accuracy",
    TRAIN_ERROR: "training error",
    "auc": "AUC",
    "f1": "F1",
    "f1_macro": "macro F1",
    "log_loss": "log-loss",
    "brier": "Brier score",
    "matthews": "Matthews correlation",
    SIZE: "kernel evaluations of a prediction",
    "staged_test_error": "test error",
    "staged_test_accuracy": "test accuracy",
    "staged_train_error": "training error",
}
COMPUTED_NAMES = {"difference": "difference", "ratio": "ratio", "percent": "rise"}
# The fitted attributes of a map of decisions: the rows, their labels, the values on both axes, and
# the decision value at each point of the grid.
MAP = ("points_", "signs_", "grid_", "values_")


def metric_name(metric: str) -> str:
    """Return a metric's name in words."""
    inner, how = part_computed(metric)
    if how:
        return f"{COMPUTED_NAMES[how]} of the {metric_name(inner)}"
    return NAMES.get(metric) or metric.rstrip("_").replace("_", " ")


def axis_label(metric: str) -> str:
    """Return the label of an axis: the metric's name and unit."""
    name = metric_name(metric)
    unit = unit_of(metric)
    return name if unit == SECONDS or not unit.name else f"{name} ({unit.name})"


class AxesConfig(ConfigBlock):
    """The keys of panels of every kind: a title and the labels of their axes.

    Attributes
    ----------
    title : str or None
        The title above the panel; by default what it is about.
    x_label : str or None
        The label of the horizontal axis; by default the figure's.
    y_label : str or None
        The label of the vertical axis; by default the figure's.
    """

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


class FigureConfig(ConfigBlock):
    """The keys of figures of every kind: a caption, panels side by side, and axes.

    Attributes
    ----------
    id : str
        Its name, such as the number in the paper.
    caption : str
        The text below the figure.
    panels : tuple of AxesConfig
        The panels, side by side.
    x_label : str
        The label of the horizontal axes; by default what they show.
    y_label : str
        The label of the vertical axes; by default what they show.
    x_scale : 'linear' or 'log'
        The scale of the horizontal axes.
    y_scale : 'linear' or 'log'
        The scale of the vertical axes.
    of_paper : bool
        Whether it is a figure of the paper, which pages show first; `false` for one of ours.
    """

    hints: ClassVar = hints.FIGURE

    id: Id
    caption: str
    panels: tuple[AxesConfig, ...]
    x_label: str = ""
    y_label: str = ""
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    of_paper: bool = True

    def labels_of(self, panel: AxesConfig) -> tuple[str, str]:
        """Return the labels of a panel's axes: the panel's, the figure's, or the default ones."""
        x, y = self.default_labels(panel)
        return panel.x_label or self.x_label or x, panel.y_label or self.y_label or y

    @abstractmethod
    def default_labels(self, panel: Any) -> tuple[str, str]:
        """Return the default labels of a panel's axes."""

    @abstractmethod
    def asked(self, index: int, names: StudyNames) -> Iterator[AskedMetric]:
        """Yield what the figure, the config's `index`-th, asks of the records."""

    @abstractmethod
    def data_sets(self, names: StudyNames) -> tuple[str, ...]:
        """Return the data sets of all panels."""


class RowsPanel(AxesConfig):
    """A panel of some data sets; without `rows` those of the figure.

    Attributes
    ----------
    rows : tuple of str
        The data sets of the panel; those of the figure if not given.
    """

    rows: DataSets = ()

    @property
    def about(self) -> str:
        """The data sets that are the panel's own."""
        return ", ".join(self.rows)


class BoxConfig(FigureConfig):
    """A metric over the realizations: data sets side by side, in each the algorithms of `series`.

    Attributes
    ----------
    kind : 'box' or 'bar'
        The kind of the figure. A box shows the quartiles with the median, whiskers as far as 1.5
        times the box, and the values beyond; a bar the mean with the standard deviation.
    rows : tuple of str
        The data sets, for panels without rows of their own.
    series : tuple of str
        The algorithms, or columns of the `table` that are computed from others.
    panels : tuple of RowsPanel
        The panels, side by side; a single one if not given.
    metric : str
        The metric that is drawn; of computed columns it is theirs.
    table : str or None
        The table whose printed values are marked, and whose rows are shown if none are given.
    """

    kind: Literal["box", "bar"]
    rows: DataSets = ()
    series: Annotated[Names, NameOf("algorithm", checked=False)] = Field(min_length=1)
    panels: tuple[RowsPanel, ...] = Field(default=(RowsPanel(),), min_length=1)
    metric: str = "error"
    table: Annotated[Id | None, NameOf("table", if_gone="key")] = None

    @model_validator(mode="after")
    def _every_panel_has_rows(self) -> Self:
        if self.table is None and not all(map(self.rows_of, self.panels)):
            raise ValueError(WHICH_ROWS)
        return self

    @property
    def shown(self) -> tuple[str, ...]:
        """The algorithms or columns that are drawn."""
        return self.series

    def rows_of(self, panel: RowsPanel) -> tuple[str, ...]:
        """Return the data sets that a panel shows."""
        return panel.rows or self.rows

    def data_sets(self, names: StudyNames) -> tuple[str, ...]:
        """Return the data sets of all panels."""
        return tuple(row for panel in self.panels for row in self.rows_of(panel))

    def default_labels(self, panel: Any) -> tuple[str, str]:
        """Return data sets and the metric."""
        return "data set", axis_label(self.metric)

    def asked(self, index: int, names: StudyNames) -> Iterator[AskedMetric]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        if not is_computed(self.metric):  # else the table asks for what it is computed from
            yield AskedMetric(("figures", index, "metric"), self.metric, self.series)


class ScatterPanel(RowsPanel):
    """A panel of a scatter: data sets and two algorithms; by default those of the figure.

    Attributes
    ----------
    x : str or None
        The algorithm of the horizontal axis.
    y : str or None
        The algorithm of the vertical axis.
    """

    x: Annotated[str | None, NameOf("algorithm", checked=False)] = None
    y: Annotated[str | None, NameOf("algorithm", checked=False)] = None


class ScatterConfig(FigureConfig):
    """Two algorithms against each other: a point for each data set, and the diagonal.

    Attributes
    ----------
    kind : 'scatter'
        The kind of the figure.
    rows : tuple of str
        The data sets, for panels without rows of their own.
    x : str or None
        The algorithm of the horizontal axis, for panels without one, or a column of the `table`
        that is computed from others.
    y : str or None
        That of the vertical axis, for panels without one.
    panels : tuple of ScatterPanel
        The panels, side by side; a single one if not given.
    metric : str
        The metric that is drawn, the mean over the realizations; of computed columns it is theirs.
    table : str or None
        The table whose printed values stand beside ours, and whose rows are shown if none are
        given.
    x_scale, y_scale : 'linear' or 'log'
        The scale of both axes; one of them is enough.
    """

    kind: Literal["scatter"]
    rows: DataSets = ()
    x: Annotated[str | None, NameOf("algorithm", checked=False)] = None
    y: Annotated[str | None, NameOf("algorithm", checked=False)] = None
    panels: tuple[ScatterPanel, ...] = Field(default=(ScatterPanel(),), min_length=1)
    metric: str = "error"
    table: Annotated[Id | None, NameOf("table", if_gone="key")] = None

    @model_validator(mode="after")
    def _every_panel_is_whole(self) -> Self:
        for panel in self.panels:
            if self.table is None and not self.rows_of(panel):
                raise ValueError(WHICH_ROWS)
            x, y = panel.x or self.x, panel.y or self.y
            if x is None or y is None:
                raise ValueError("which two algorithms? give `x:` and `y:`")
            if x == y:
                raise ValueError(f"`x:` and `y:` are both {x!r}; accepted: two algorithms")
        return self

    @model_validator(mode="before")
    @classmethod
    def _one_scale(cls, block: Any) -> Any:
        if isinstance(block, dict) and "log" in (block.get("x_scale"), block.get("y_scale")):
            return {**block, "x_scale": "log", "y_scale": "log"}
        return block

    def rows_of(self, panel: ScatterPanel) -> tuple[str, ...]:
        """Return the data sets that a panel shows."""
        return panel.rows or self.rows

    @property
    def shown(self) -> tuple[str, ...]:
        """The algorithms or columns that are drawn."""
        return tuple(dict.fromkeys(name for panel in self.panels for name in self.pair_of(panel)))

    def pair_of(self, panel: ScatterPanel) -> tuple[str, str]:
        """Return the algorithms of the horizontal and the vertical axis of a panel."""
        return str(panel.x or self.x), str(panel.y or self.y)

    def data_sets(self, names: StudyNames) -> tuple[str, ...]:
        """Return the data sets of all panels."""
        return tuple(row for panel in self.panels for row in self.rows_of(panel))

    def default_labels(self, panel: Any) -> tuple[str, str]:
        """Return the metric of each algorithm."""
        x, y = (f"{name}: {axis_label(self.metric)}" for name in self.pair_of(panel))
        return x, y

    def asked(self, index: int, names: StudyNames) -> Iterator[AskedMetric]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        for panel in self.panels if not is_computed(self.metric) else ():
            yield AskedMetric(("figures", index, "metric"), self.metric, self.pair_of(panel))


class MapPanel(AxesConfig):
    """A panel of a map: a data set and a search on it.

    Attributes
    ----------
    dataset : str
        The data set.
    series : str
        The algorithm, a search with `record: cv_results_`.
    """

    dataset: Annotated[str, NameOf("data set", repeats=True)]
    series: Annotated[str, NameOf("algorithm", repeats=True)]

    @property
    def about(self) -> str:
        """The data set."""
        return self.dataset


class MapConfig(FigureConfig):
    """The scores of a search over two parameters, means over the realizations.

    Attributes
    ----------
    kind : 'map'
        The kind of the figure.
    panels : tuple of MapPanel
        The panels, side by side.
    x : str
        The parameter of the horizontal axis, as the search calls it.
    y : str
        The parameter of the vertical axis. Of further parameters, the best value is taken.
    x_scale, y_scale : 'linear'
        The points of the grid are drawn at equal distances.
    """

    kind: Literal["map"]
    panels: tuple[MapPanel, ...] = Field(min_length=1)
    x: str
    y: str
    x_scale: Literal["linear"] = "linear"
    y_scale: Literal["linear"] = "linear"

    def default_labels(self, panel: Any) -> tuple[str, str]:
        """Return the names of the parameters."""
        return self.x, self.y

    def asked(self, index: int, names: StudyNames) -> Iterator[AskedMetric]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        for number, panel in enumerate(self.panels):
            location: Location = ("figures", index, "panels", number, "series")
            yield AskedMetric(location, SEARCH, (panel.series,), curve=True)

    def data_sets(self, names: StudyNames) -> tuple[str, ...]:
        """Return the data sets of all panels."""
        return tuple(panel.dataset for panel in self.panels)


class PlanePanel(AxesConfig):
    """A panel of the plane: two inputs of a data set, and the classifiers on it.

    Attributes
    ----------
    dataset : str
        The data set, whose first two inputs are drawn.
    series : tuple of str
        The classifiers, a line each, which record a map of their decisions.
    levels : tuple of float
        The decision values at which the lines of a classifier are drawn.
    marks : str or None
        A recorded list of row numbers; these rows are ringed.
    sizes : str or None
        A recorded weight of each row, shown by the size of its dot.
    """

    dataset: Annotated[str, NameOf("data set", repeats=True)]
    series: Algorithms = Field(min_length=1)
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

    Attributes
    ----------
    kind : 'plane'
        The kind of the figure.
    panels : tuple of PlanePanel
        The panels, side by side.
    ring : str
        What rings mean, for the legend.
    size : str
        What the sizes of dots mean, for the legend.
    realization : int
        The realization to show, from 1.
    """

    kind: Literal["plane"]
    panels: tuple[PlanePanel, ...] = Field(min_length=1)
    ring: str = "support vector"
    size: str = "weight"
    realization: int = Field(default=1, ge=1)

    def default_labels(self, panel: Any) -> tuple[str, str]:
        """Return an input for each axis."""
        return "first input", "second input"

    def asked(self, index: int, names: StudyNames) -> Iterator[AskedMetric]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        for number, panel in enumerate(self.panels):
            location: Location = ("figures", index, "panels", number)
            kept = {"series": MAP, "marks": (panel.marks,), "sizes": (panel.sizes,)}
            for key, curves in kept.items():
                for name, curve in product(panel.series, filter(None, curves)):
                    yield AskedMetric((*location, key), curve, (name,), curve=True)

    def data_sets(self, names: StudyNames) -> tuple[str, ...]:
        """Return the data sets of all panels."""
        return tuple(panel.dataset for panel in self.panels)
