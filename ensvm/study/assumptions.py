"""What a paper leaves open, how a study resolves it, and which printed values decided a setting."""

from typing import Annotated

from ensvm.study.block import ConfigBlock, Id, Name, NameOf, Names


class ChosenOn(ConfigBlock):
    """The printed values on which a setting was chosen.

    Attributes
    ----------
    table : str
        The table of the printed values.
    columns : tuple of str or None
        Its columns; all if not given.
    rows : tuple of str or None
        Its rows; all if not given.
    """

    table: Annotated[Id, NameOf("table")]
    columns: Annotated[Names | None, NameOf("column", checked=False)] = None
    rows: Annotated[Names | None, NameOf("data set", checked=False)] = None

    def names(self, table: str, row: str, column: str) -> bool:
        """Return whether a printed value is one of them."""
        return (
            self.table == table
            and (self.columns is None or column in self.columns)
            and (self.rows is None or row in self.rows)
        )


class Assumption(ConfigBlock):
    """What the paper leaves open and how it was resolved.

    Attributes
    ----------
    id : str
        Its name.
    text : str
        What is open, and what the study does.
    points : tuple of str
        A list below it: what the study does in several respects, or what other choices give.
    tables : tuple of str or None
        The tables under which it is printed; all if not given.
    chosen_on : ChosenOn or None
        The printed values on which the setting was chosen. Our values beside them are marked and
        counted apart.
    """

    id: Name
    text: str
    points: tuple[str, ...] = ()
    tables: Annotated[tuple[Id, ...] | None, NameOf("table")] = None
    chosen_on: ChosenOn | None = None
