"""The figures of lines (curves of fits, values along a sweep), and the union of all figures."""

from collections.abc import Iterator, Sequence
from itertools import chain, product
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args

from pydantic import Discriminator, Field, Tag, model_validator

from ensvm.errors import did_you_mean
from ensvm.study.block import Algorithms, Id, NameOf, Names
from ensvm.study.figure_kinds import (
    AxesConfig,
    BoxConfig,
    FigureConfig,
    MapConfig,
    PlaneConfig,
    ScatterConfig,
    axis_label,
)
from ensvm.study.metrics import is_computed
from ensvm.study.names import AskedMetric, StudyNames
from ensvm.study.passes import pass_of
from ensvm.study.source import YamlSource
from ensvm.study.table_checks import needs_table
from ensvm.study.table_layout import ColumnConfig, TableConfig


class PanelConfig(AxesConfig):
    """A panel of lines: a `dataset`, or a sweep of data sets it goes `over`.

    Its other keys override those of the figure.

    Attributes
    ----------
    dataset : str or None
        The data set that the panel is about.
    over : str or None
        The sweep of data sets along whose values the lines run.
    y : str, dict or None
        A metric or curve, or several, each with its text in the legend.
    first : int or None
        The index of the first value of a curve.
    """

    dataset: Annotated[str | None, NameOf("data set", repeats=True)] = None
    over: Annotated[str | None, NameOf("sweep of data sets")] = None
    y: str | dict[str, str] | None = None
    first: int | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.dataset is None) == (self.over is None):
            raise ValueError(
                "a panel is about either a `dataset:` or a sweep of data sets, `over:`; a sweep of"
                " an algorithm is named under `series:`"
            )
        return self

    @property
    def about(self) -> str:
        """The data set or the sweep."""
        return self.dataset or str(self.over)


class CurvesPanel(PanelConfig):
    """A panel of curves: those of all series of the figure on a `dataset`, or of some.

    Attributes
    ----------
    series : tuple of str or None
        Which of the figure's algorithms the panel shows; all if not given.
    """

    series: Annotated[Names | None, NameOf("algorithm", checked=False)] = Field(
        default=None, min_length=1
    )


class LinesConfig(FigureConfig):
    """A figure of lines: its series, in every panel.

    Attributes
    ----------
    panels : tuple of PanelConfig
        The panels, side by side. A name alone is the panel's data set, or its sweep in a figure
        of a sweep.
    series : tuple of str
        The algorithms, a line each.
    y : str, dict or None
        A metric or curve of the records, or several, each with its text in the legend. A
        panel's own `y` overrides it. Seconds are those of the timing pass.
    ends : str or None
        Why a line ends before others, for the legend; a dot or a ring marks its end.
    """

    short: ClassVar[str] = "dataset"  # the key of a panel that is only a name

    panels: tuple[PanelConfig, ...] = Field(min_length=1)
    series: Algorithms = Field(min_length=1)
    y: str | dict[str, str] | None = None
    ends: str | None = None

    @classmethod
    def long_form(cls, block: Any) -> Any:
        """Return the block with the panels written out that are only names."""
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

    def default_labels(self, panel: Any) -> tuple[str, str]:
        """Return the steps of a curve or a sweep, and the metric."""
        ys = self.ys_of(panel)
        return self.steps(panel), axis_label(next(iter(ys))) if len(ys) == 1 else "value"

    def steps(self, panel: PanelConfig) -> str:
        """Return what the lines of a panel run over."""
        return "step"

    def series_of(self, panel: Any) -> tuple[str, ...]:
        """Return the algorithms of a panel, in the order of the figure."""
        return self.series

    def ys_of(self, panel: PanelConfig) -> dict[str, str]:
        """Return the metrics or curves that a panel shows; each with its text, if it has one."""
        y = panel.y or self.y or {}
        return {y: ""} if isinstance(y, str) else y

    @property
    def of_curves(self) -> bool:
        """Whether `y` is a curve that `record:` keeps."""
        return True

    @property
    def default_ends(self) -> str:
        """Why a line ends before others, if `ends` does not say it."""
        return "end of the run"

    def sweeps_algorithms(self, panel: PanelConfig) -> bool:
        """Return whether the series of a panel are sweeps of algorithms."""
        return False

    def asked(self, index: int, names: StudyNames) -> Iterator[AskedMetric]:
        """Yield what the figure, the config's `index`-th, asks of the records."""
        for number, panel in enumerate(self.panels):
            own = () if panel.y is None else ("panels", number)
            location = ("figures", index, *own, "y")
            # what computed columns are made of, their table asks for
            ys = [y for y in self.ys_of(panel) if not is_computed(y)]
            for name in self.series_of(panel) if ys else ():
                swept = names.algorithm_sweeps[name] if self.sweeps_algorithms(panel) else [name]
                for algorithm, y in product(swept, ys):
                    yield AskedMetric(location, y, (algorithm,), self.of_curves)

    def data_sets(self, names: StudyNames) -> tuple[str, ...]:
        """Return the data sets of all panels."""
        return tuple(
            row
            for panel in self.panels
            for row in ([panel.dataset] if panel.dataset else names.dataset_sweeps[panel.about])
        )


class CurvesConfig(LinesConfig):
    """Recorded curves against their index, which begins at `first`.

    Panels of the same data set and `y` have the same axes.

    Attributes
    ----------
    kind : 'curves'
        The kind of the figure.
    panels : tuple of CurvesPanel
        The panels, side by side. A name alone is the panel's data set.
    marks : str, float or None
        Where vertical marks stand: a number that the fit leaves, for each curve its own, which is
        left out if it is 0 or missing; or the same number for all curves.
    cumulative : bool
        Whether the cumulative distribution of the recorded values is drawn: the values on the
        horizontal axis, the share of values up to them on the vertical one.
    realization : int or 'mean'
        The realization to show, from 1, or `mean`: the mean over all, up to the end of the
        shortest curve.
    first : int
        The index of the first value of a curve.
    """

    kind: Literal["curves"] = "curves"
    panels: tuple[CurvesPanel, ...] = Field(min_length=1)
    marks: str | float | None = None
    cumulative: bool = False
    realization: Annotated[int, Field(ge=1)] | Literal["mean"] = 1
    first: int = 0

    @model_validator(mode="after")
    def _of_data_sets(self) -> Self:
        if any(panel.over is not None for panel in self.panels):
            raise ValueError(
                "a panel of curves is about a `dataset:`; a sweep is drawn by `kind: sweep`"
            )
        return self

    @model_validator(mode="after")
    def _panels_show_its_series(self) -> Self:
        for panel in self.panels:
            if unknown := [name for name in panel.series or () if name not in self.series]:
                known = f"accepted: {', '.join(self.series)}{did_you_mean(unknown[0], self.series)}"
                raise ValueError(
                    f"a panel shows {unknown[0]!r}, which is not under `series:` of the figure;"
                    f" {known}"
                )
        return self

    def series_of(self, panel: Any) -> tuple[str, ...]:
        """Return the algorithms of a panel: its own, or all."""
        return tuple(name for name in self.series if name in (panel.series or self.series))

    @property
    def default_ends(self) -> str:
        """Why a curve ends before others: the mean is that of all realizations."""
        return (
            "end: not all realizations go further"
            if self.realization == "mean"
            else "end of the run"
        )

    def default_labels(self, panel: Any) -> tuple[str, str]:
        """Return the labels of curves; for a distribution, the metric and the share."""
        steps, metric = super().default_labels(panel)
        return (metric, "share of the values") if self.cumulative else (steps, metric)

    def asked(self, index: int, names: StudyNames) -> Iterator[AskedMetric]:
        """Yield what the figure asks of the records, the scalar of its marks among it."""
        yield from super().asked(index, names)
        if isinstance(self.marks, str):
            yield AskedMetric(("figures", index, "marks"), self.marks, self.series)


class SweepFigureConfig(LinesConfig):
    """A metric, mean over realizations, against the values of a sweep.

    A panel `over` a sweep of data sets has a line for each algorithm in `series`; one of a
    `dataset` has a line for each sweep of an algorithm in `series`.

    Attributes
    ----------
    kind : 'sweep'
        The kind of the figure.
    series : tuple of str
        The algorithms or their sweeps, a line each, or columns of the `table` that are computed
        from others.
    y : str or dict
        A metric, by default the error, or several, each with its text in the legend; of computed
        columns it is theirs.
    stages : tuple of int
        The entries of a curve that are shown, a line each, the first being 1; `y` is then a
        curve.
    table : str or None
        The table whose printed values are marked beside the lines.
    """

    short: ClassVar[str] = "over"

    kind: Literal["sweep"]
    series: Annotated[Names, NameOf("algorithm", checked=False, unless="of_sweeps")] = Field(
        min_length=1
    )
    y: str | dict[str, str] | None = "error"
    stages: tuple[Annotated[int, Field(ge=1)], ...] = ()
    table: Annotated[Id | None, NameOf("table", if_gone="key")] = None

    @property
    def shown(self) -> tuple[str, ...]:
        """The algorithms, sweeps or columns that are drawn."""
        return self.series

    @property
    def of_sweeps(self) -> bool | None:
        """True if the series of a panel are sweeps, which then do not stand for their members."""
        return any(map(self.sweeps_algorithms, self.panels)) or None

    @property
    def of_curves(self) -> bool:
        """Whether `y` is a curve, whose `stages` are shown."""
        return bool(self.stages)

    @property
    def default_ends(self) -> str:
        """Why a line ends before others: rounds that were not reached, or values not run."""
        return (
            "end: not all realizations reach this round" if self.stages else "end: not run beyond"
        )

    def steps(self, panel: PanelConfig) -> str:
        """Return the names of the sweeps."""
        return panel.over or ", ".join(self.series)

    def sweeps_algorithms(self, panel: PanelConfig) -> bool:
        """Return whether the series of a panel are sweeps of algorithms: those of a data set."""
        return panel.over is None


def _kind(block: Any) -> str:
    return str(
        block.get("kind", "curves") if isinstance(block, dict) else getattr(block, "kind", "curves")
    )


AnyFigure = Annotated[
    Annotated[CurvesConfig, Tag("curves")]
    | Annotated[SweepFigureConfig, Tag("sweep")]
    | Annotated[PlaneConfig, Tag("plane")]
    | Annotated[MapConfig, Tag("map")]
    | Annotated[ScatterConfig, Tag("scatter")]
    | Annotated[BoxConfig, Tag("box")]
    | Annotated[BoxConfig, Tag("bar")],
    Discriminator(_kind),
]
# The kinds of figures, by the tags of the union
KINDS = tuple(get_args(each)[1].tag for each in get_args(get_args(AnyFigure)[0]))


DrawsColumns: TypeAlias = BoxConfig | ScatterConfig | SweepFigureConfig
"""Figures that may draw columns of their table that are computed from others."""


def drawn_columns(
    figure: DrawsColumns, table: TableConfig, names: StudyNames
) -> dict[str, list[ColumnConfig]]:
    """Return the computed columns of a figure's table that it draws, by the name in the figure.

    Along a sweep of algorithms, a name stands for the columns of all its members.
    """
    of_sweeps = isinstance(figure, SweepFigureConfig) and figure.of_sweeps
    drawn: dict[str, list[ColumnConfig]] = {}
    for name in figure.shown:
        members = [*table.members(name, names.algorithm_sweeps)] if of_sweeps else [name]
        if computed := table.computed.intersection(members):
            drawn[name] = [column for column in table.columns if column.name in computed]
    return drawn


def _check_drawn(
    figure: DrawsColumns,
    index: int,
    tables: Sequence[TableConfig],
    names: StudyNames,
    source: YamlSource,
) -> None:
    """Refuse what is neither an algorithm nor, with all others, a computed column of the table."""
    at = ("figures", index, "x" if isinstance(figure, ScatterConfig) else "series")
    of_tables = {table.id: drawn_columns(figure, table, names) for table in tables}
    drawn = of_tables.get(figure.table or "", {})
    if not drawn:
        for table_id, columns in of_tables.items() if figure.table is None else ():
            if columns:
                raise source.error(at, needs_table(next(iter(columns)), table_id, "figure"))
        for what in _kinds_of_series(figure):
            names.must_have(what, figure.shown, at, source)
        return
    table = next(one for one in tables if one.id == figure.table)
    metrics = {table.metric_of(column) for column in chain(*drawn.values())}
    kinds = _kinds_of_series(figure)
    if len(drawn) < len({*figure.shown}) or len(metrics) > 1 or len(kinds) > 1:
        message = f"{', '.join(sorted(drawn))}: computed columns of table {table.id}; accepted:"
        message += " only such columns, of one metric, or only algorithms"
        source.refuse(at, message)
    elif isinstance(figure, SweepFigureConfig):
        shown = {y for panel in figure.panels for y in figure.ys_of(panel)}
        for key, is_wrong in (("y", shown != metrics), ("stages", figure.stages)):
            if is_wrong:
                message = f"computed columns show their own metric; leave out `{key}:`"
                source.refuse((*at[:2], key), message)


def _kinds_of_series(figure: DrawsColumns) -> list[str]:
    """Return what the series of a figure are: algorithms, or in some panels sweeps of them."""
    if not isinstance(figure, SweepFigureConfig):
        return ["algorithm"]
    of_sweeps = map(figure.sweeps_algorithms, figure.panels)
    return list(dict.fromkeys("sweep of algorithms" if one else "algorithm" for one in of_sweeps))


def check_figures(
    figures: Sequence[FigureConfig],
    tables: Sequence[TableConfig],
    names: StudyNames,
    source: YamlSource,
) -> None:
    """Refuse a figure given twice, and series and seconds that the study does not have."""
    source.must_be_distinct(("figures",), "figure", [figure.id for figure in figures], "id")
    for index, figure in enumerate(figures):
        if isinstance(figure, DrawsColumns):
            with source.noting():
                _check_drawn(figure, index, tables, names, source)
        with source.noting():
            for asked in figure.asked(index, names):
                if pass_of(asked.metric) == "timing":
                    names.must_be_timed("a figure", asked.location, source)
