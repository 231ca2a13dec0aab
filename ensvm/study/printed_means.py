"""What printed values are means of, and what their ± is: of a study, a table, a column or a row."""

import math
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from pydantic import Field, field_validator

from ensvm.study.block import ConfigBlock

Spread: TypeAlias = Literal["sd", "se", "sd-of-repetitions"]
"""What stands behind a ±."""

SPREADS: Mapping[Spread, str] = {
    "sd": "standard deviation over realizations",
    "se": "standard error of the mean",
    "sd-of-repetitions": "standard deviation over repetitions of the cross-validation",
}


class PrintedMeans(ConfigBlock):
    """What the printed values of a part of the paper are means of.

    Attributes
    ----------
    published_realizations : int or None
        How many realizations the printed values are means of; one if not given. Folds of a
        cross-validation count one by one, and are those of one repetition at least. A row's number
        comes before that of a column, a table and the study.
    published_spread : 'sd', 'se' or 'sd-of-repetitions'
        What the printed ± is, and ours beside it: `sd`, the standard deviation over realizations;
        `se`, the standard error of the mean; `sd-of-repetitions`, the standard deviation over whole
        repetitions of a cross-validation. If not given, `sd`. A row's comes before that of a
        column, a table and the study.
    """

    published_realizations: int | None = Field(default=None, ge=1)
    published_spread: Spread | None = None

    @field_validator("published_realizations", mode="before")
    @classmethod
    def _one_number(cls, value: Any) -> Any:
        if isinstance(value, dict):
            raise ValueError(
                f"{value!r:.60} is not accepted; accepted: a whole number; for a data set or a "
                "column with another number, write the key into its block"
            )
        return value


class Mean(NamedTuple):
    """Over how many realizations a value is a mean (None if it is not said), and what its ± is."""

    realizations: int | None
    spread: Spread

    def deviation(self, printed: float | None, folds: int | None) -> tuple[float | None, int]:
        """Return the standard deviation of runs behind a printed ±, and the number of runs.

        The runs are realizations, or whole repetitions of a cross-validation with so many `folds`.
        """
        n = max(self.realizations or 1, folds or 1)
        if printed is None:
            return None, n
        if self.spread == "sd-of-repetitions":
            return printed, n // (folds or n)
        return printed * (math.sqrt(n) if self.spread == "se" else 1.0), n


def narrowest(*blocks: PrintedMeans) -> Mean:
    """Return what the first blocks that say it say."""
    realizations = (one.published_realizations for one in blocks)
    spreads = (one.published_spread for one in blocks)
    return Mean(
        next((n for n in realizations if n is not None), None),
        next((spread for spread in spreads if spread is not None), "sd"),
    )
