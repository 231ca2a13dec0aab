"""Documents: headings, paragraphs, lists and grids, which renderers turn into files.

Each content (a table, claims, readings, a ranking, ...) makes one document; `ensvm.report.render`
has one renderer for each medium.
"""

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import groupby
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeAlias

from ensvm import __version__
from ensvm.records.runs import commits_of, processors_of
from ensvm.report.study_folder import Study
from ensvm.report.tables import TableCell
from ensvm.study.assumptions import Assumption
from ensvm.study.printed_means import SPREADS, Spread
from ensvm.study.signs import CHOSEN_SIGN, SIGNS, Verdict, Why
from ensvm.visible_text import visible

if TYPE_CHECKING:
    import pandas as pd

NOTHING = "—"
INFINITE = "∞"
# A spreadsheet takes a text that begins with one of these, wide ones too, for a formula.
FORMULAS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
# Characters that Markdown may take for markup; underscores within a word are none, and a hash is
# one at the end of a heading.
MARKUP = re.compile(r"[\\`*<$\[\]~]|&(?=[\w#])|(?<!\w)_|_(?!\w)|(?:^|(?<=\s))#(?=#*$)")
# The start of a list, heading, quotation, fence, rule, comment or definition; a backslash after the
# digits of group 1, or before the rest, makes it text
BLOCK = re.compile(
    r"^(\d{1,9}(?=[.)](?:\s|$))"
    r"|(?=[>=%~:]|[-+*#]+(?:\s|$)|--|`{3,}[^`]*$|(?:_ *){3,}$|\[[^\]]*\]:))"
)
# In a note: code and addresses, which stay as they are, then HTML, images, and signs that only some
# programs read as markup
NOTE = re.compile(
    r"((?<!`)(`+)(?!`).+?(?<!`)\2(?!`)|<https?:[^\s<>]*>|\\.)|<(?=[a-zA-Z/!?])|!(?=\[)|[$~]"
)
WARNED = "!"
PARTIAL = " (n={n})"


@dataclass(frozen=True)
class Value:
    """Our value in a grid beside the printed one, as rounded texts that may be empty.

    `spread` is over realizations, in the kind that print uses, and `order_spread` the standard
    deviation over orders of the training rows; `interval` has the ends of the interval of a value
    computed from two columns; `partial_n` is the number of realizations if it is smaller than asked
    for; `state` says why the value or a part of it is missing; `notes` has the marks of its notes;
    `key` names the value in its table, and `number` is our value unrounded.
    """

    ours: str
    spread: str = ""
    spread_kind: Spread = "sd"
    order_spread: str = ""
    interval: str = ""
    printed: str = ""
    verdict: Verdict | None = None
    why: Why = ""
    chosen: bool = False
    best: bool = False
    second: bool = False
    underlined: bool = False
    warned: bool = False
    partial_n: int | None = None
    state: str = ""
    notes: str = ""
    key: str = ""
    number: float | None = None

    @property
    def marks(self) -> str:
        """The marks of notes and of fits that warned, and n if it has too few realizations."""
        too_few = "" if self.partial_n is None else PARTIAL.format(n=self.partial_n)
        return self.notes + WARNED * self.warned + too_few

    @property
    def sign(self) -> str:
        """The verdict's sign, why it cannot be given, and the mark of a chosen setting."""
        if self.verdict is None:
            return ""
        return " ".join(filter(None, (SIGNS[self.verdict], self.why, CHOSEN_SIGN * self.chosen)))


@dataclass(frozen=True)
class Grid:
    """Rows of texts (Markdown) or values under heads.

    The first column aligns left, and so do those whose heads are in `left`. `above` has a heading
    above each head, empty for none; neighbours with the same one share it. `oracles` says that a
    column chose by the test error. `foot` has the rows that sum up the others.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str | Value]]
    left: Sequence[str] = ()
    above: Sequence[str] = ()
    oracles: bool = False
    foot: Sequence[Sequence[str | Value]] = ()

    @property
    def spans(self) -> list[tuple[str, int]]:
        """The headings above the heads, each with the number of its columns."""
        return [(text, len(list(heads))) for text, heads in groupby(self.above)]

    @property
    def whole_heads(self) -> list[str]:
        """The heads, each with the heading above it on a line of its own."""
        if not self.above:
            return list(self.heads)
        pairs = zip(self.above, self.heads, strict=True)
        return ["\n".join(filter(None, pair)) for pair in pairs]


@dataclass(frozen=True)
class Heading:
    """A heading below the document's title."""

    text: str


@dataclass(frozen=True)
class Entry:
    """An entry of a list, with a shorter list below it."""

    text: str
    points: Sequence[str] = ()


@dataclass(frozen=True)
class Bullets:
    """A list with a title; it is hidden if it has no entries."""

    title: str
    entries: Sequence[str | Entry]


Part: TypeAlias = str | Grid | Heading | Bullets  # a text is a paragraph in Markdown
NamedColumns: TypeAlias = Mapping[str, Sequence[Any]]  # by name, all of one length; None: no value


@dataclass(frozen=True)
class Document:
    """A report: what it shows in order (empty texts and lists are left out), and its numbers.

    `columns` has the numbers unrounded.
    """

    title: str
    parts: Sequence[Part]
    columns: NamedColumns = field(default_factory=dict)

    @property
    def frame(self) -> "pd.DataFrame":
        """The columns as a frame."""
        import pandas as pd  # takes a quarter of a second to import, and files do without it

        return pd.DataFrame(self.columns)


def number_text(value: float, digits: int) -> str:
    """Return a number with so many significant digits; one that is infinite is ∞."""
    if math.isinf(value):
        return INFINITE if value > 0 else f"-{INFINITE}"
    return f"{value:.{digits}g}"


def columns_of(lines: Sequence[Mapping[str, Any]], names: Sequence[str] = ()) -> NamedColumns:
    """Return the columns of lines: those with some names, or all if the lines have the same ones.

    Whole numbers beside fractions are fractions, too.
    """
    keys = names or list(lines[0] if lines else ())
    return {name: _of_one_type([line[name] for line in lines]) for name in keys}


def _of_one_type(values: list[Any]) -> list[Any]:
    known = [value for value in values if value is not None]
    are_numbers = all(isinstance(value, Real) and not isinstance(value, bool) for value in known)
    if not (are_numbers and any(isinstance(value, float) for value in known)):
        return values
    return [value if value is None else float(value) for value in values]


def csv_of(columns: NamedColumns) -> str:
    """Return columns as CSV; a missing value (None or nan) is empty.

    An apostrophe stands before a text that a spreadsheet would take for a formula, and no text has
    a carriage return, which would end a row.
    """
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(_csv_text, columns))
    writer.writerows(zip(*(map(_csv_text, column) for column in columns.values()), strict=True))
    return file.getvalue()


def _csv_text(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    if not isinstance(value, str):
        return value
    text = visible(value)
    if not text.lstrip().startswith(FORMULAS):
        return text
    with suppress(ValueError):
        float(text)
        return text
    return f"'{text}"


def as_written(text: str) -> str:
    """Return a text of one line as Markdown that shows it as written.

    It has no emphasis, math, link or HTML, and begins no list or other block.
    """
    return BLOCK.sub(r"\1\\", MARKUP.sub(r"\\\g<0>", one_line(text)))


def as_note(markdown: str) -> str:
    """Return a note of one line in Markdown: emphasis, code and links; no HTML, image or formula.

    It begins no list or other block.
    """
    text = NOTE.sub(lambda found: found[1] or f"\\{found[0]}", one_line(markdown))
    return BLOCK.sub(r"\1\\", text)


def assumption_entry(assumption: Assumption) -> Entry:
    """Return an assumption as an entry of a list that begins with its name."""
    text = f"*{assumption.id}*: {as_note(assumption.text)}"
    return Entry(text, tuple(map(as_note, assumption.points)))


def one_line(text: str) -> str:
    """Return a text with single spaces between its words, no line breaks, and nothing unseen."""
    return visible(" ".join(text.split()))


def values_of(*grids: Grid) -> list[Value]:
    """Return the values of grids, without their texts."""
    cells = (cell for grid in grids for row in (*grid.rows, *grid.foot) for cell in row)
    return [cell for cell in cells if isinstance(cell, Value)]


def how_to_read(*grids: Grid, plain: bool = False, orders: bool = True) -> str:
    """Return the meaning of what occurs in grids: spreads, bold values, printed ones, marks.

    With `plain`, bold and italic values stand between asterisks and underlined ones between
    underscores, which are named. `orders` says whether the medium shows the spread over orders.
    """
    bold, italic, underlined = "bold", "italic", "underlined"
    if plain:
        bold, italic, underlined = r"bold (\*\*)", r"italic (\*)", r"underlined (\_)"
    values = values_of(*grids)
    best = "under each heading" if any(grid.above for grid in grids) else "of the row"
    if any(grid.oracles for grid in grids):
        best += ", apart from columns that chose by the test error"
    shown = {value.verdict for value in values}
    verdicts = ", ".join(f"{mark} {verdict}" for verdict, mark in SIGNS.items() if verdict in shown)
    used = {value.spread_kind for value in values if value.spread}
    kinds = [text for kind, text in SPREADS.items() if kind in used]
    meanings = {
        f"ours ± {' or '.join(kinds)}": kinds,
        "in parentheses, the 95 % interval over the realizations of both columns": any(
            value.interval for value in values
        ),
        "in parentheses, over orders of the training rows": orders
        and any(value.order_spread for value in values),
        f"{bold}: the best {best}": any(value.best for value in values),
        f"{italic}: the second best": any(value.second for value in values),
        f"{underlined}: significantly better": any(value.underlined for value in values),
        ": ".join(filter(None, ("below ours, the printed value", verdicts))): any(
            value.printed for value in values
        ),
        f"{WARNED} fits gave warnings": any(value.warned for value in values),
        f"{PARTIAL.strip().format(n='…')} fewer realizations than in the config, never bold": any(
            value.partial_n is not None for value in values
        ),
        f"{CHOSEN_SIGN} a setting was chosen on this value": any(value.chosen for value in values),
    }
    return "; ".join(text for text, occurs in meanings.items() if occurs)


def verdict_counts(values: Iterable[Value | TableCell]) -> str:
    """Return how many values have each verdict, such as `16 = (16 †), 3 ≠`.

    In parentheses: those for which a setting was chosen on the printed value.
    """
    judged = [value for value in values if value.verdict]
    counts = Counter(value.verdict for value in judged)
    chosen = Counter(value.verdict for value in judged if value.chosen)
    return ", ".join(
        f"{counts[verdict]} {mark}" + (f" ({n} {CHOSEN_SIGN})" if (n := chosen[verdict]) else "")
        for verdict, mark in SIGNS.items()
        if counts[verdict]
    )


def number_range(numbers: set[int]) -> str:
    """Return the range of some counts, such as `3–5`; a dash if there is none."""
    counts = sorted(numbers)
    return f"{counts[0]}–{counts[-1]}" if len(counts) > 1 else str(*counts) or NOTHING


def enumerated(names: Sequence[str]) -> str:
    """Return names with commas between them and `and` before the last."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def origin(study: Study) -> str:
    """Return the small print: version, days, processors and commits of the runs, citation."""
    runs = study.runs.values()
    made = ""
    if runs:
        made = f"ensvm {__version__}; cells run {study.days}"
        processors, commits = processors_of(runs), commits_of(runs)
        made += f" on {as_written(', '.join(processors))}" if processors else ""
        made += f", commit {as_written(commits)}" if commits else ""
        made += f"; study `{study.config.study}`."
    derived = study.config.derived
    notes = ("" if derived is None else derived.sentence, study.note)
    parts = (made, *map(as_note, notes), as_written(study.config.citation) if runs else "")
    text = " ".join(part for part in parts if part)
    return f"<sub>{text}</sub>" if text else ""
