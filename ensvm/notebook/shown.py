"""What a notebook shows of results: text with tables, and pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ensvm.report.render.html import as_html
from ensvm.study.figure_kinds import FigureConfig

ENDINGS = (".png", ".svg", ".pdf")


@dataclass(frozen=True, eq=False)
class Text:
    """A table, or the claims: shown as text, with the numbers behind it.

    Attributes
    ----------
    markdown : str
        The text, in Markdown.
    frame : DataFrame
        The numbers, unrounded, as the command writes them to a CSV.
    """

    markdown: str
    frame: pd.DataFrame = field(repr=False)

    def __str__(self) -> str:
        """Return the Markdown."""
        return self.markdown

    def __repr__(self) -> str:
        """Return the Markdown: Python's prompt shows the table."""
        return self.markdown

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return as_html(self.markdown)


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure, drawn when it is shown or saved.

    Attributes
    ----------
    config : FigureConfig
        The figure's block of the config.
    content : list
        The curves, points or planes that it shows.
    frame : DataFrame
        The data behind it, unrounded, as the command writes them to a CSV.
    missing : tuple of str
        What is missing in it, and why.
    """

    config: FigureConfig
    content: Sequence[Any] = field(repr=False)
    frame: pd.DataFrame = field(repr=False)
    missing: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Return the figure's caption."""
        return f"<Figure {self.config.id}: {self.config.caption}>"

    def save(self, path: str | Path) -> Path:
        """Draw the figure into a file.

        Parameters
        ----------
        path : str or Path
            The file, which ends in .png, .svg or .pdf.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ValueError
            If it has another ending.
        """
        target = Path(path)
        if target.suffix not in ENDINGS:
            raise ValueError(
                f"{target}: the ending is not accepted; accepted: {', '.join(ENDINGS)}"
            )
        target.write_bytes(self._drawn(target.suffix))
        return target

    def _drawn(self, ending: str) -> bytes:
        from ensvm.report.plots.drawing import draw  # matplotlib takes half a second to import

        (drawn,) = draw(self.config, list(self.content), [ending])
        return drawn

    @cached_property
    def _svg(self) -> str:
        return self._drawn(".svg").decode()

    def _repr_svg_(self) -> str:
        return self._svg
