"""How figures look: colours, lines, letters. Their files depend only on the data."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeAlias

from ensvm.report.study_folder import Study
from ensvm.report.tables import algorithm_label
from ensvm.study.figure_kinds import BoxConfig, FigureConfig
from ensvm.study.figures import DrawsColumns, LinesConfig
from ensvm.study.sweeps import label_of_sweep
from ensvm.study.table_layout import TableConfig
from ensvm.visible_text import visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LegendKey: TypeAlias = tuple[Any, str]  # of a legend: an artist (None for a note), its text
Look: TypeAlias = dict[str, Any]

# Okabe and Ito's colours, for any colour vision.
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
LOOKS = len(COLOURS) * len(DASHES)  # pairs of colour and dashes
GREY = "#444444"  # of marks that belong to no single line
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
FIRST_WIDTH, OTHER_WIDTH, MARK_WIDTH, MARKER_SIZE = 1.8, 1.4, 0.6, 3.0  # points

FONT = "DejaVu Sans"  # comes with matplotlib
STYLE: Any = {
    "font.size": 8,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8,
    "legend.fontsize": 7.5,
    "legend.title_fontsize": 7.5,
    "legend.handlelength": 2.4,
    "legend.columnspacing": 1.2,
    "legend.frameon": False,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.parse_math": False,  # labels come out as written, dollars too
    "savefig.dpi": 200,
    # The same data give the same bytes: element ids are hashed with this instead of a random salt.
    "svg.hashsalt": "ensvm",
    # Letters of SVG files stay letters, which takes a fraction of the bytes of their outlines.
    # Verdana and any other sans-serif letters are about as wide as DejaVu's, or narrower.
    "svg.fonttype": "none",
    "path.simplify_threshold": 0.25,  # points by which a curve may miss one of its many points
    "font.sans-serif": [FONT, "Verdana", "sans-serif"],
    "pdf.fonttype": 42,  # fonts as TrueType, which journals ask for
}
# No dates or versions in the files, for the same reason.
METADATA = {
    ".svg": dict.fromkeys(("Date", "Creator", "Format", "Type")),
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Creator": None, "Producer": None},
}


# Coordinates in SVG files have six decimals of a point; two are finer than any screen.
COORDINATES = re.compile(rb' (?:d|x|y|transform)="[^"]+"')
DECIMALS = re.compile(rb"(\.\d\d)\d+")
UNTURNED = re.compile(rb' transform="rotate\(-0 [^"]*"')  # a rotation that does nothing
# One decimal will do for a curve of many points, and steps take half the bytes of places.
LONG_CURVE = re.compile(rb' d="([MLz\d\s.-]{1000,})"')
POINT = re.compile(r"([ML]) (\S+) (\S+)|z")
NO_GLYPH = re.compile(r"Glyph (\d+) \(")  # begins a warning of matplotlib
ZERO = re.compile(r"(?<!\d)0(?=\.)| (?=-)")  # what a path does without


@contextmanager
def letters_without_glyph() -> Iterator[list[str]]:
    """Yield a list; when the body has drawn, it has the letters that the font lacks.

    matplotlib warns of each one. Its other warnings are warned again.
    """
    letters: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield letters
    for each in caught:
        if lacking := NO_GLYPH.match(str(each.message)):
            letters.append(chr(int(lacking[1])))
        else:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def series_label(study: Study, name: str) -> str:
    """Return the label of an algorithm, or of a sweep of algorithms without its values."""
    if name in study.config.algorithms:
        return algorithm_label(study, name)
    members = study.config.sweep_values(name)
    return label_of_sweep(study.config.algorithms[next(iter(members))]) or name


def drawn_label(study: Study, table: TableConfig | None, name: str) -> str:
    """Return the label of an algorithm, a sweep, or a computed column of a figure's table.

    That of the columns of a sweep is without their values.
    """
    if table is not None and name in table.computed:
        return study.config.column_title(table.column(name))
    if table is None or not (members := table.members(name, study.config.names().algorithm_sweeps)):
        return series_label(study, name)
    column = table.column(next(iter(members)))
    return " ".join(filter(None, (column.heading, label_of_sweep(column)))) or name


def table_of_figure(study: Study, figure: FigureConfig) -> TableConfig | None:
    """Return the table that a figure names, if its kind may name one."""
    name = figure.table if isinstance(figure, DrawsColumns) else None
    return None if name is None else study.config.table(name)


def _labels_in(study: Study, figure: LinesConfig | BoxConfig) -> list[str]:
    table = table_of_figure(study, figure)
    return list(dict.fromkeys(drawn_label(study, table, name) for name in figure.series))


def look_numbers(study: Study) -> dict[str, int]:
    """Return the number of the look of each algorithm that figures show, by its label.

    An algorithm looks the same in all figures of a study, no two look the same as long as there are
    looks, and algorithms of one figure differ in colour as long as there are colours.
    """
    figures = [
        _labels_in(study, figure)
        for figure in study.config.figures
        if isinstance(figure, LinesConfig | BoxConfig)
    ]
    numbers: dict[str, int] = {}
    for label, _ in Counter(chain(*figures)).most_common():
        beside = set(chain(*(figure for figure in figures if label in figure)))
        colours = {numbers[other] % len(COLOURS) for other in beside & numbers.keys()}
        # Above LOOKS, the looks begin again.
        possible = range(LOOKS) if len(numbers) < LOOKS else range(LOOKS, len(numbers) + 1)
        free = [number for number in possible if number not in numbers.values()]
        numbers[label] = min(free, key=lambda number: (number % len(COLOURS) in colours, number))
    return numbers


def look_of(number: int, form: int | None = None) -> Look:
    """Return colour, dashes and width of a line: `number` picks the colour, `form` the dashes.

    Without `form`, the numbers 0 to 48 give 49 different pairs of colour and dashes.
    """
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": DASHES[(form_of(number) if form is None else form) % len(DASHES)],
        "linewidth": OTHER_WIDTH if number else FIRST_WIDTH,
    }


def look_of_point(number: int) -> Look:
    """Return marker, colour and size of the points of the algorithm with a number."""
    return {
        "marker": MARKERS[form_of(number)],
        "color": COLOURS[number % len(COLOURS)],
        "markersize": MARKER_SIZE,
        "markeredgewidth": 0.0,
        "alpha": 0.6,
    }


def form_of(number: int) -> int:
    """Return the number of the dashes, hatch or marker that goes with a colour's number."""
    return (number + number // len(COLOURS)) % len(COLOURS)


def files_of(figure: "Figure", endings: Iterable[str], **options: Any) -> list[bytes]:
    """Return a figure as the content of a file of each ending (.png, .svg or .pdf).

    Its texts have no characters that act: an SVG file with a control character cannot be opened.
    """
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        assert isinstance(text, Text)
        text.set_text(visible(text.get_text()).replace("\t", " "))
    files = []
    for ending in endings:
        file = BytesIO()
        form = ending.removeprefix(".")
        figure.savefig(file, format=form, metadata=METADATA[ending], **options)
        content = file.getvalue()
        if ending == ".svg":
            content = UNTURNED.sub(b"", content)
            content = COORDINATES.sub(lambda each: DECIMALS.sub(rb"\1", each[0]), content)
            content = LONG_CURVE.sub(_in_steps, content)
        files.append(content)
    return files


def _in_steps(curve: re.Match[bytes]) -> bytes:
    """Return the path of a long curve with each point relative to the one before it."""
    written, before, start = [], (0, 0), (0, 0)
    for step in POINT.finditer(curve[1].decode()):
        if step[0] == "z":
            written.append("z")
            before = start
            continue
        point = round(10 * float(step[2])), round(10 * float(step[3]))  # no rounding adds up
        if step[1] == "M":
            start = point
        elif point == before:
            continue
        across, up = ((new - old) / 10 for new, old in zip(point, before, strict=True))
        written.append(f"{step[1].lower()}{across:g} {up:g}")
        before = point
    return f' d="{ZERO.sub("", "".join(written))}"'.encode()
