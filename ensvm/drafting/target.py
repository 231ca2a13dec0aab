"""Which column of a table holds the classes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ensvm.data import DataError
from ensvm.data.errors import near_miss
from ensvm.data.files.labels import no_label, plain_label
from ensvm.drafting.columns import YES_AND_NO, FoundColumn

# What a column of classes is often called, the surest names first.
NAMES = (
    *("target", "class", "label", "y", "classes", "labels", "outcome", "diagnosis", "species"),
    *("category", "response", "survived", "churn", "default", "klasse", "classe", "clase"),
)
SIGNS = frozenset("+-")  # two classes together; one alone stands for a missing label
MOST_CLASSES = 50
FEWEST_ROWS = 10
POSITIVE = (
    *(pair[0] for pair in YES_AND_NO),
    "positive",
    "pos",
    "plus",
    "+",
    "1",
    "malignant",
    "sick",
    "ill",
)


@dataclass(frozen=True)
class FoundTarget:
    """The column of the classes.

    Attributes
    ----------
    column : FoundColumn
        The column.
    position : int
        Its position, from 0.
    why : str
        How it was found.
    classes : dict of str to int
        The rows of each class.
    positive : str or None
        The class that becomes +1; None where there are more than two.
    """

    column: FoundColumn
    position: int
    why: str
    classes: dict[str, int]
    positive: str | None


def find_target(where: object, columns: Sequence[FoundColumn], asked: str | None) -> FoundTarget:
    """Return the column of the classes: the one asked for, or one named or placed like it.

    Parameters
    ----------
    where : object
        What messages call the file.
    columns : sequence of FoundColumn
        The columns.
    asked : str or None
        A name, or a position from 0 (-1 is the last); None to find one.

    Returns
    -------
    FoundTarget
        The column, with its classes.

    Raises
    ------
    DataError
        If there is no such column, or it holds no classes; the message names those that might.
    """
    if len(columns[0].fields.rows) < FEWEST_ROWS:
        held = f"{len(columns[0].fields.rows)} rows"
        raise DataError(f"{where}: holds {held}; accepted: {FEWEST_ROWS} or more")
    if len(columns) < 2:
        raise DataError(f"{where}: has one column; needed: one of classes, and inputs")
    position, why = _asked(where, columns, asked) if asked is not None else _guessed(where, columns)
    found = target_in(_with_labels(columns[position]), position, why)
    others = [column for column in columns if column.name != found.column.name]
    another = "; --target NAME names another"
    name = f"column {found.column.name!r} ({why})"
    check_target(where, name, found, _candidates(others), another)
    return found


def target_in(column: FoundColumn, position: int, why: str) -> FoundTarget:
    """Return the classes in a column, whether they can be told apart or not."""
    classes: dict[str, int] = {}
    for text, count in sorted(column.known.items()):
        label = plain_label(text)
        classes[label] = classes.get(label, 0) + count
    return FoundTarget(column, position, why, classes, _positive(classes))


def _with_labels(column: FoundColumn) -> FoundColumn:
    """Return the column of classes without what stands for a missing label."""
    absent = frozenset() if column.known.keys() >= SIGNS else SIGNS
    clean = tuple("" if text in absent or no_label(text) else text for text in column.clean)
    return replace(column, clean=clean) if clean != column.clean else column


def _asked(where: object, columns: Sequence[FoundColumn], asked: str) -> tuple[int, str]:
    names = [column.name for column in columns]
    if asked in names:
        return names.index(asked), "as asked"
    if asked.lstrip("-").isdigit() and -len(names) <= int(asked) < len(names):
        return int(asked) % len(names), "as asked"
    shown = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
    raise DataError(
        f"{where}: --target: there is no column {asked!r}{near_miss(asked, names)} "
        f"(columns: {shown}; or a position from 0, where -1 is the last)"
    )


def _guessed(where: object, columns: Sequence[FoundColumn]) -> tuple[int, str]:
    for name in NAMES:
        for at, column in enumerate(columns):
            if column.name.lower() == name and _might_hold_classes(column):
                return at, "by its name"
    last = len(columns) - 1
    if _might_hold_classes(columns[last]):
        return last, "the last column"
    if columns[0].kind in ("text", "yes or no") and _might_hold_classes(columns[0]):
        return 0, "the first column"
    if columns[last].kind == "constant":
        has = "has " * bool(columns[last].known)
        raise DataError(
            f"{where}: the last column, {columns[last].name!r}, {has or 'is '}"
            f"{columns[last].dropped}; "
            f"--target NAME says which column holds the classes{_candidates(columns)}"
        )
    raise DataError(
        f"{where}: no column of classes found: none is named like one, and the last, "
        f"{columns[last].name!r}, has {len(columns[last].known)} different values; "
        f"--target NAME says which it is{_candidates(columns)}"
    )


def _might_hold_classes(column: FoundColumn) -> bool:
    """Return whether a column has few values of which each occurs often; numbers must be whole."""
    different, rows = len(column.known), sum(column.known.values())
    if not 2 <= different <= min(MOST_CLASSES, max(2, rows / 3)):
        return False
    if column.kind == "date":
        return False
    if column.kind != "number":
        return True
    return different == 2 or all(float(text).is_integer() for text in column.known)


def _candidates(columns: Sequence[FoundColumn]) -> str:
    names = [repr(column.name) for column in columns if _might_hold_classes(column)]
    return f" (it might be {', '.join(names[:8])})" if names else ""


def _positive(classes: dict[str, int]) -> str | None:
    """Return which of two classes is positive: by its meaning, else the larger or the rarer one."""
    if len(classes) != 2:
        return None
    for name in POSITIVE:
        for label in classes:
            if label.lower() == name:
                return label
    try:
        return max(classes, key=float)
    except ValueError:
        return min(classes, key=lambda label: classes[label])


def check_target(
    where: object, name: str, found: FoundTarget, candidates: str = "", another: str = ""
) -> None:
    """Raise DataError unless there are classes to learn: two or more, of several rows each.

    Parameters
    ----------
    where : object
        What messages call the file.
    name : str
        What they call the column.
    found : FoundTarget
        Its classes.
    candidates, another : str
        Which columns might hold classes, and how one is named; empty where there are no others.

    Raises
    ------
    DataError
        If there are no such classes.
    """
    classes, place = found.classes, f"{where}: {name}"
    rows = sum(classes.values())
    if rows < FEWEST_ROWS:
        raise DataError(f"{where}: {rows} rows have a label; accepted: {FEWEST_ROWS} or more")
    if len(classes) < 2:
        held = f"only the class {next(iter(classes))!r}" if classes else "no labels"
        raise DataError(f"{place} holds {held}; a classifier needs two{candidates}{another}")
    if found.column.kind == "date" or len(classes) > min(MOST_CLASSES, rows / 2):
        what = "numbers to be predicted" if found.column.kind == "number" else "texts"
        raise DataError(
            f"{place} has {len(classes)} different values in {rows} rows, which are {what} rather "
            f"than classes; accepted: 2 to {MOST_CLASSES} classes{candidates}{another}"
        )
    frequent = sum(count > 1 for count in classes.values())
    if frequent < 2:
        told = ", ".join(f"{label!r} {count}" for label, count in classes.items())
        raise DataError(
            f"{place}: its classes have these rows: {told}; two of them need two or more, to be in "
            "training and in test"
        )
