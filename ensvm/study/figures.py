"""The union of all kinds of figures, and checks of figures."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten
from typing import Annotated, Any, get_args

from pydantic import Discriminator, Tag

from ensvm.study.algorithms import AlgorithmConfig
from ensvm.study.block import StudyNames
from ensvm.study.figure_kinds import (
    CurvesConfig,
    DistributionConfig,
    FigureConfig,
    Form,
    PlaneConfig,
    ScatterConfig,
    SweepFigureConfig,
    pass_of,
)
from ensvm.study.source import Location, YamlSource

LONGEST_PROBLEM = 100  # characters; matplotlib lists all that it would accept
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
        figure.check(index, names, source)
        for asked in figure.asked(index, names):
            if pass_of(asked.metric) == "timing" and not names.timing:
                message = "a figure of the timing pass needs a `timing:` block in the study"
                raise source.error(asked.location, message)


def check_math(
    figures: Sequence[FigureConfig], algorithms: Mapping[str, AlgorithmConfig], source: YamlSource
) -> None:
    """Refuse titles and labels with math that matplotlib cannot draw, such as `$\\gama$`.

    Only new runs are checked; reports of old results leave such a figure out.
    """
    labels = ((("algorithms", name, "label"), each.label) for name, each in algorithms.items())
    for location, text in (*_texts_of(figures), *labels):
        if text and "$" in text and (problem := _problem(text)):
            message = f"matplotlib cannot draw the math in {text!r}: {problem}"
            raise source.error(location, message + r" (a dollar sign is written as \$)")


def _texts_of(figures: Sequence[FigureConfig]) -> Iterator[tuple[Location, str | None]]:
    """Yield the titles, the labels and the names of lines of figures, each with its location."""
    for index, figure in enumerate(figures):
        panels = ((("panels", number), panel) for number, panel in enumerate(figure.panels))
        for location, block in (((), figure), *panels):
            for key in ("title", "x_label", "y_label"):
                yield ("figures", index, *location, key), getattr(block, key, None)
            lines = getattr(block, "y", None)
            for metric, text in lines.items() if isinstance(lines, dict) else ():
                yield ("figures", index, *location, "y", metric), text


def _problem(text: str) -> str:
    """Return why matplotlib cannot draw a text with dollar signs; an empty text if it can."""
    from matplotlib.cbook import is_math_text  # matplotlib takes half a second to import
    from matplotlib.mathtext import MathTextParser

    for line in filter(is_math_text, text.splitlines()):
        try:
            MathTextParser("agg").parse(line)
        except ValueError as error:
            problem = str(error).splitlines()[-1].rpartition("Exception: ")[2]
            return shorten(problem, LONGEST_PROBLEM, placeholder=" ...")
    return ""
