"""What the axes of panels share: their limits, or the origin of what they measure."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def share_limits(axes: "Sequence[Axes]", names: str = "xy") -> None:
    """Give the axes `names` of several panels the same limits, the widest of each end."""
    for name in names:
        lows, highs = zip(*(getattr(panel, f"get_{name}lim")() for panel in axes), strict=True)
        for panel in axes:
            getattr(panel, f"set_{name}lim")(min(lows), max(highs))


def share_origin(axes: "Sequence[Axes]") -> None:
    """Let the vertical axes of several panels begin at 0, if one of them shows 0."""
    if min(panel.get_ylim()[0] for panel in axes) <= 0.0:
        for panel in axes:
            panel.set_ylim(bottom=min(panel.get_ylim()[0], 0.0))
