"""The cells that warned, by what was said and where."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TypeAlias

from ensvm.records.record import RunPass
from ensvm.report.query import Study

Place: TypeAlias = tuple[str, str, RunPass]  # data set (row), algorithm, pass

NUMBER = re.compile(r"((?<!\w)-?(?:\d[\d.]*(?:e[+-]?\d+)?|nan\b|inf\b))")
DIFFERENT = "…"


@dataclass(frozen=True)
class Warned:
    """One warning, and the cells that gave it.

    Attributes
    ----------
    text : str
        The warning, with `…` for numbers in which the cells differ.
    cells : dict of Place to int
        How many cells gave it, by data set, algorithm and pass.
    """

    text: str
    cells: dict[Place, int]


def n_warned(study: Study) -> int:
    """Return how many cells of a study gave a warning."""
    return sum(bool(record.warnings) for record in study.records.values())


def warnings_of(study: Study) -> list[Warned]:
    """Return what the cells of a study warned of, the commonest first."""
    texts: dict[str, set[str]] = defaultdict(set)
    cells: dict[str, Counter[Place]] = defaultdict(Counter)
    for place, records in study.by_cell.items():
        for record in records:
            kinds = [NUMBER.sub(DIFFERENT, text) for text in record.warnings]
            for kind, text in zip(kinds, record.warnings, strict=True):
                texts[kind].add(text)
            for kind in set(kinds):
                cells[kind][place] += 1
    found = [Warned(_common(texts[kind]), dict(cells[kind])) for kind in texts]
    return sorted(found, key=lambda warned: (-sum(warned.cells.values()), warned.text))


def _common(texts: set[str]) -> str:
    """Return what texts that differ in numbers alone have in common."""
    parts = zip(*(NUMBER.split(text) for text in texts), strict=True)
    return "".join(found.pop() if len(found := set(part)) == 1 else DIFFERENT for part in parts)
