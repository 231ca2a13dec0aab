"""The kinds of figures: the one place that knows them all."""

from collections.abc import Sequence
from typing import Annotated, Any, get_args

from pydantic import Discriminator, Tag

from ensvm.study.block import StudyNames
from ensvm.study.figures.distribution import DistributionConfig, Form
from ensvm.study.figures.figure import FigureConfig
from ensvm.study.figures.lines import CurvesConfig, SweepFigureConfig
from ensvm.study.figures.plane import PlaneConfig
from ensvm.study.figures.scatter import ScatterConfig
from ensvm.study.source import YamlSource

KINDS = ("curves", "sweep", "scatter", "plane", *get_args(Form))


def _kind(block: Any) -> str:
    return str(
        block.get("kind", "curves") if isinstance(block, dict) else getattr(block, "kind", "curves")
    )


AnyFigure = Annotated[
    Annotated[CurvesConfig, Tag("curves")]
    | Annotated[SweepFigureConfig, Tag("sweep")]
    | Annotated[ScatterConfig, Tag("scatter")]
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
    source.must_be_distinct("figures", "figure", [figure.id for figure in figures], "id")
    for index, figure in enumerate(figures):
        if figure.timed and not names.timing:
            raise source.error(
                ("figures", index, "y"),
                "a figure of the timing pass needs a `timing:` block in the study",
            )
        figure.check(index, names, source)
