"""The words of a study's figures: what is drawn, in which panels, against what."""

from typing import Literal

from pydantic import Field

from ensvm.runner.word_block import Id, Words


class FigureWords(Words):
    """What figures of every kind have: caption, panels (data sets, side by side), series (algorithms) and axes."""

    id: Id
    caption: str
    panels: tuple[str, ...] = Field(min_length=1)
    series: tuple[str, ...] = Field(min_length=1)
    x_label: str
    y_label: str
    x_scale: Literal["log", "linear"] = "linear"
    y_scale: Literal["log", "linear"] = "linear"


class CurvesWords(FigureWords):
    """Curves that fits left: the array `y` (a word of the algorithms' `record:`) of one realization against its index.

    `marks` names a scalar that a fit left, the x of a vertical mark on its curve; 0 or no such scalar is no mark.
    """

    kind: Literal["curves"] = "curves"
    y: str
    marks: str | None = None
    realization: int = Field(default=1, ge=1)
