"""An assumption: what the paper leaves open."""

from typing import TYPE_CHECKING

from ensvm.study.block import Block, Id, Name
from ensvm.study.source import YamlSource

if TYPE_CHECKING:
    from ensvm.study.config import StudyConfig


class Assumption(Block):
    """What the paper leaves open and how it was resolved.

    Printed under the tables it touches; under all, if none is named.
    """

    id: Name
    text: str
    tables: tuple[Id, ...] | None = None


def check_assumptions(config: "StudyConfig", source: YamlSource) -> None:
    """Refuse tables that the study does not have."""
    ids = [table.id for table in config.tables]
    for index, assumption in enumerate(config.assumptions):
        for name in assumption.tables or ():
            source.must_be_one_of(("assumptions", index, "tables"), "table", name, ids)
