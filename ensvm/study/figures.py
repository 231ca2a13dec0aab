"""The union of all kinds of figures, and checks of figures."""

from collections.abc import Sequence
from typing import Annotated, Any, get_args

from pydantic import Discriminator, Tag

from ensvm.study.block import StudyNames
from ensvm.study.figure_kinds import (
    DistributionConfig,
    FigureConfig,
    Form,
    PlaneConfig,
    ScatterConfig,
    TradeoffConfig,
    pass_of,
)
from ensvm.study.line_figures import CurvesConfig, SweepFigureConfig
from ensvm.study.source import YamlSource

KINDS = ("curves", "sweep", "scatter", "tradeoff", "plane", *get_args(Form))


def _kind(block: Any) -> str:
    return str(
        block.get("kind", "curves") if isinstance(block, dict) else getattr(block, "kind", "curves")
    )


AnyFigure = Annotated[
    Annotated[CurvesConfig, Tag("curves")]
    | Annotated[SweepFigureConfig, Tag("sweep")]
    | Annotated[ScatterConfig, Tag("scatter")]
    | Annotated[TradeoffConfig, Tag("tradeoff")]
    | Annotated[PlaneConfig, Tag("plane")]
    | Annotated[DistributionConfig, Tag("box")]
    | Annotated[DistributionConfig, Tag("strip")]
    | Annotated[DistributionConfig, Tag("bar")],
    Discriminator(
        _kind,
        custom_error_type="unknown_kind",
        custom_error_message=f"unknown kind of figure; accepted: {', '.join(KINDS)}",
    ),
]


def check_figures(figures: Sequence[FigureConfig], names: StudyNames, source: YamlSource) -> None:
    """Refuse a figure given twice, and data sets, series and curves the study does not have."""
    source.must_be_distinct(("figures",), "figure", [figure.id for figure in figures], "id")
    for index, figure in enumerate(figures):
        figure.check(index, names, source)
        for asked in figure.asked(index, names):
            if pass_of(asked.metric) == "timing" and not names.timing:
                message = "a figure of the timing pass needs a `timing:` block in the study"
                raise source.error(asked.location, message)
