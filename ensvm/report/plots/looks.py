"""How figures look: colours, lines, letters; and files that depend on the data alone."""

from collections.abc import Iterable, Mapping
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.figure import Figure

Key: TypeAlias = "tuple[Artist, str]"  # of a legend: what is drawn, and its text
Look: TypeAlias = dict[str, Any]

# Okabe and Ito's colours, for any colour vision; black is first, for the paper's own method.
COLOURS = ("#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1, 1.2)),
    (0, (5, 1.5, 1, 1.5)),
    (0, (6, 1.5, 1, 1.5, 1, 1.5)),
    (0, (9, 2)),
    (0, (1, 3)),
)
FIRST_WIDTH, OTHER_WIDTH, MARK_WIDTH, MARKER_SIZE = 1.8, 1.4, 0.6, 2.5  # points

STYLE: Any = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "legend.fontsize": 7.5,
    "legend.handlelength": 2.4,
    "legend.columnspacing": 1.2,
    "legend.frameon": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "savefig.dpi": 200,
    # The same data give the same bytes: element ids are hashed with this instead of a random salt.
    "svg.hashsalt": "ensvm",
    "pdf.fonttype": 42,  # fonts as TrueType, which journals ask for
}
# No dates or versions in the files, for the same reason.
METADATA = {
    ".svg": {"Date": None, "Creator": None},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


def look_of(number: int) -> Look:
    """Return colour, dashes and width of the line with a number."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[number % len(DASHES)],
        "linewidth": OTHER_WIDTH if number else FIRST_WIDTH,
    }


def line_keys(looks: Mapping[str, Look], labels: Mapping[str, str]) -> list[Key]:
    """Return the legend's entries of lines."""
    from matplotlib.lines import Line2D

    return [(Line2D([], [], **look), labels[series]) for series, look in looks.items()]


def files_of(figure: "Figure", endings: Iterable[str], **options: Any) -> list[bytes]:
    """Return a figure as the content of a file of each ending (.png, .svg or .pdf)."""
    files = []
    for ending in endings:
        file = BytesIO()
        form = ending.removeprefix(".")
        figure.savefig(file, format=form, metadata=METADATA[ending], **options)
        files.append(file.getvalue())
    return files
