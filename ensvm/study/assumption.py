"""An assumption: what the paper leaves open."""

from collections.abc import Sequence

from ensvm.study.block import Block, Id, Name, StudyNames
from ensvm.study.source import YamlSource


class Assumption(Block):
    """What the paper leaves open and how it was resolved.

    Printed under the tables it touches; under all, if none is named.
    """

    id: Name
    text: str
    tables: tuple[Id, ...] | None = None


def check_assumptions(
    assumptions: Sequence[Assumption], names: StudyNames, source: YamlSource
) -> None:
    """Refuse tables that the study does not have."""
    for index, assumption in enumerate(assumptions):
        for name in assumption.tables or ():
            source.must_be_one_of(("assumptions", index, "tables"), "table", name, names.tables)
