"""The words of a study's figures: what is drawn, in which panels, against what."""

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Discriminator, Field, Tag, model_validator

from ensvm.records.record import RunPass
from ensvm.study.block import Id, Words

Scale = Literal["log", "linear"]


class PanelWords(Words):
    """One panel: a `dataset`, or a sweep of data sets that it goes `over`; the other words come first of the figure's."""

    dataset: str | None = None
    over: str | None = None
    title: str | None = None
    y: str | None = None
    first: int | None = None
    run_pass: RunPass | None = Field(default=None, alias="pass")
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


class FigureWords(Words):
    """What figures of every kind have: caption, panels side by side, series (algorithms, or sweeps of one) and axes.

    `y` is a metric or curve of the records; what a panel says for itself comes first. Seconds need
    `pass: timing`.
    """

    about: ClassVar[str] = "dataset"  # the word that a panel given as a mere name stands for

    id: Id
    caption: str
    panels: tuple[PanelWords, ...] = Field(min_length=1)
    series: tuple[str, ...] = Field(min_length=1)
    y: str | None = None
    x_label: str = ""
    y_label: str = ""
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"
    run_pass: RunPass = Field(default="error", alias="pass")

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
                    f"what is drawn in the panel {panel.name!r}? give `y:`, the figure's or the panel's"
                )
            if (
                self.y_of(panel).rstrip("_").endswith("_seconds")
                and self.pass_of(panel) != "timing"
            ):
                raise ValueError(
                    f"{self.y_of(panel)} comes from the timing pass alone; add `pass: timing`"
                )
        return self

    def y_of(self, panel: PanelWords) -> str:
        """Return the metric or curve that a panel shows."""
        return panel.y or str(self.y)

    def pass_of(self, panel: PanelWords) -> RunPass:
        """Return the pass whose records a panel shows."""
        return panel.run_pass or self.run_pass


class CurvesWords(FigureWords):
    """Curves that fits left, against their index, which begins at `first`.

    `realization` is the one shown, or `mean`: the mean over all, where a curve that ends early
    stays at its last value. `marks` names a scalar that a fit left, the x of a vertical mark on its
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


class SweepFigureWords(FigureWords):
    """A metric, mean over realizations, against the values of a sweep.

    A panel `over` a sweep of data sets has a line for each algorithm in `series`; one of a
    `dataset` has a line for each sweep of an algorithm in `series`. With `stages`, `y` is a curve
    of which these entries (the first is 1) are shown, a line each, called `stage_label` and the
    number.
    """

    about: ClassVar[str] = "over"

    kind: Literal["sweep"]
    stages: tuple[Annotated[int, Field(ge=1)], ...] = ()
    stage_label: str = "stage"


KINDS = ("curves", "sweep")


def _kind(block: Any) -> str:
    return str(
        block.get("kind", "curves") if isinstance(block, dict) else getattr(block, "kind", "curves")
    )


AnyFigure = Annotated[
    Annotated[CurvesWords, Tag("curves")] | Annotated[SweepFigureWords, Tag("sweep")],
    Discriminator(
        _kind,
        custom_error_type="unknown_kind",
        custom_error_message=f"unknown kind of figure; accepted: {', '.join(KINDS)}",
    ),
]
