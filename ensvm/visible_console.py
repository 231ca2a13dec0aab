"""The console of all that rich prints: texts from anywhere cannot control the terminal."""

import errno
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from ensvm.visible_text import visible


class VisibleConsole(Console):
    """A console that prints texts as written and visibly; its own controls still work.

    It takes the options of rich's console. A text is never read as rich's markup, such as `[red]`
    or `:smile:`.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, markup=False, emoji=False, highlight=False)

    def on_broken_pipe(self) -> None:
        """Raise BrokenPipeError for the verb; rich would end the command with status 1."""
        raise BrokenPipeError(errno.EPIPE, "the reader of the output has gone")

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render an object into segments whose texts cannot act on the terminal."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))
