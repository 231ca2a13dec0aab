"""Which column of a table holds the classes: candidates are ranked by name, values and place."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ensvm.data.drafting.column_guess import YES_AND_NO, DraftColumn
from ensvm.data.files.encode import without_label
from ensvm.data.files.named_columns import no_column
from ensvm.errors import UserError

# What a column of classes is often called, the surest names first.
SURE_NAMES = (
    *("target", "class", "label", "y", "classes", "labels", "outcome", "diagnosis", "species"),
    *("category", "response", "survived", "churn", "default", "klasse", "classe", "clase"),
)
LIKELY_NAMES = frozenset(
    {
        *("status", "type", "result", "event", "death", "dead", "died", "alive", "survival"),
        *("disease", "relapse", "recurrence", "decision", "approved", "fraud", "spam", "purchase"),
    }
)
# Words in the names of columns that are nearly always inputs.
INPUT_WORDS = frozenset(
    {
        *("age", "sex", "gender", "race", "ethnic", "ethnicity", "nationality", "country"),
        *("region", "city", "area", "marital", "education", "occupation", "job", "language"),
        *("religion", "year", "yr", "month", "day", "weekday", "hour", "color", "colour"),
    }
)
MOST_CLASSES = 50
LARGEST_CODE, LARGEST_FIRST = 100, 10  # of classes that are numbers
FEWEST_ROWS = 10
SURE = 10  # points of a sure name: more than all others together
AS_LIKELY = 1  # a candidate with so many points less is as likely as the first
MOST_NAMED = 3  # others that are as likely
POSITIVE = (
    *(pair[0] for pair in YES_AND_NO),
    *("positive", "pos", "plus", "+", "1", "malignant", "sick", "ill"),
)


@dataclass(frozen=True)
class Target:
    """The column of the classes."""

    column: DraftColumn  # the column
    position: int  # its position, from 0
    why: str  # how it was found
    as_likely: tuple[str, ...] = ()  # the titles of other columns that are as likely

    @property
    def classes(self) -> dict[str, int]:
        """The rows of each class."""
        return dict(sorted(self.column.counts.items()))

    @property
    def positive(self) -> str | None:
        """Which of two classes is +1: by its meaning, else the larger number or the rarer one."""
        classes = self.classes
        if len(classes) != 2:
            return None
        for name in POSITIVE:
            if named := [label for label in classes if label.lower() == name]:
                return named[0]
        try:
            return max(classes, key=float)
        except ValueError:
            return min(classes, key=lambda label: classes[label])


def find_target(
    file_name: str, columns: Sequence[DraftColumn], titles: Sequence[str], asked: str | None
) -> Target:
    """Return the column of the classes: the one asked for, or the most plausible one.

    `titles` are the names in the header; `asked` is a name, a position from 0 (-1 is the last) or
    None. Raises UserError if there is no such column, or it does not hold classes; the message
    names the columns that might.
    """
    if len(columns) < 2:
        raise UserError(f"{file_name}: has one column; needed: one of classes, and inputs")
    as_likely: tuple[str, ...] = ()
    if asked is None:
        position, why, as_likely = _guess(file_name, columns, titles)
    elif titles.count(asked) == 1:
        position, why = titles.index(asked), "as asked"
    elif asked.lstrip("-").isdigit() and -len(titles) <= int(asked) < len(titles):
        position, why = int(asked) % len(titles), "as asked"
    else:
        raise no_column(f"{file_name}: --target", asked, titles)
    column = columns[position]
    texts = np.array(list(column.counts), dtype=str)
    column = column.without(frozenset(texts[without_label(texts)].tolist()))
    target = Target(column, position, why, as_likely)
    others = [other for at, other in enumerate(columns) if at != position]
    hint = f"{_candidates(others)}; --target NAME names another"
    check_target(file_name, f"column {titles[position]!r} ({why})", target, hint)
    return target


def _guess(
    file_name: str, columns: Sequence[DraftColumn], titles: Sequence[str]
) -> tuple[int, str, tuple[str, ...]]:
    """Return the position of the most plausible column, why it is, and those as likely."""
    candidates = [at for at, column in enumerate(columns) if _might_hold_classes(column)]
    if not candidates:
        raise UserError(
            f"{file_name}: no column of classes found: no column has a few different values, each "
            "in several rows; --target NAME says which it is"
        )
    used = [at for at, column in enumerate(columns) if not column.dropped or at in candidates]
    alike = Counter(frozenset(columns[at].counts) for at in candidates)
    places = {used[0]: "the first column", used[-1]: "the last column"}
    points = {}
    for at in candidates:
        place = 3 * (at == used[-1]) or 2 * (at == used[0])
        others = alike[frozenset(columns[at].counts)] - 1
        points[at] = _of_name(titles[at]) + _of_values(columns[at]) + place - min(others, 2)
    ranked = sorted(candidates, key=lambda at: (-points[at], _rank_of_name(titles[at]), at))
    best, *rest = ranked
    as_likely = [titles[at] for at in rest if points[at] >= points[best] - AS_LIKELY]
    by_name = _of_name(titles[best]) > 0
    why = "by its name" if by_name else places.get(best, "by its values")
    return best, why, tuple(as_likely[:MOST_NAMED])


def _of_name(title: str) -> int:
    """Return the points of a name: more for a column of classes, fewer for an input."""
    words = re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", title).lower())
    if title.lower() in SURE_NAMES:
        return SURE
    if INPUT_WORDS.intersection(words):
        return -4
    if title.lower() in LIKELY_NAMES:
        return 4
    return 3 * bool(words and words[-1] in SURE_NAMES)


def _rank_of_name(title: str) -> int:
    name = title.lower()
    return SURE_NAMES.index(name) if name in SURE_NAMES else len(SURE_NAMES)


def _of_values(column: DraftColumn) -> int:
    """Return the points of the values: few classes, texts, and hardly a missing label."""
    different = len(column.counts)
    few = 2 if different == 2 else 1 if different <= 5 else 0 if different <= 10 else -2
    share = column.missing / len(column.fields)
    return few + (column.kind != "number") - (0 if not share else 1 if share < 0.2 else 3)


def _might_hold_classes(column: DraftColumn) -> bool:
    """Return whether a column has few values that all occur often.

    Numbers are two, or codes without a gap: what is measured or counted has other values.
    """
    different, rows = len(column.counts), sum(column.counts.values())
    if column.kind in ("date", "row number", "identifier", "constant"):
        return False
    if not 2 <= different <= min(MOST_CLASSES, max(2, rows / 3)):
        return False
    if column.kind != "number" or different == 2:
        return True
    if not all(re.fullmatch(r"-?\d{1,9}", text) for text in column.counts):
        return False
    codes = sorted(map(int, column.counts))
    in_range = 0 <= codes[0] <= LARGEST_FIRST and codes[-1] <= LARGEST_CODE
    return in_range and codes[-1] - codes[0] == different - 1


def _candidates(columns: Iterable[DraftColumn]) -> str:
    names = [repr(column.name) for column in columns if _might_hold_classes(column)]
    return f" (it might be {', '.join(names[:8])})" if names else ""


def check_target(file_name: str, name: str, target: Target, hint: str = "") -> None:
    """Raise UserError unless there are two or more classes to learn, of several rows each.

    `name` is what messages call the column, `hint` says which other columns might hold classes.
    """
    classes, rows = target.classes, sum(target.classes.values())
    if rows < FEWEST_ROWS:
        raise UserError(f"{file_name}: {rows} rows have a label; accepted: {FEWEST_ROWS} or more")
    if len(classes) < 2:
        what = f"only the class {next(iter(classes))!r}" if classes else "no labels"
        raise UserError(f"{file_name}: {name} holds {what}; a classifier needs two{hint}")
    if target.column.kind == "date" or len(classes) > min(MOST_CLASSES, rows / 2):
        what = "numbers to be predicted" if target.column.kind == "number" else "texts"
        raise UserError(
            f"{file_name}: {name} has {len(classes)} different values in {rows} rows, which are "
            f"{what} rather than classes; accepted: 2 to {MOST_CLASSES} classes{hint}"
        )
    if sum(count > 1 for count in classes.values()) < 2:
        counts = ", ".join(f"{label!r} {count}" for label, count in classes.items())
        raise UserError(
            f"{file_name}: {name}: its classes have these rows: {counts}; two of them need two or "
            "more, to be in training and in test"
        )
