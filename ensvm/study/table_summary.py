"""Rows at the end of a table that sum up its columns."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from ensvm.study.block import ConfigBlock, NameOf

# The units of rows that are not in the unit of their column: they compare the columns
COMPARING = {"mean-rank": "", "mean-excess": "%", "winner": "%", "wins": ""}
KINDS = ("mean", "geometric-mean", *COMPARING)


class SummaryConfig(ConfigBlock):
    """A row that sums up the rows of a table; a text alone is its kind, `{wins: svc}` names both.

    Attributes
    ----------
    kind : 'mean', 'geometric-mean', 'mean-rank', 'mean-excess', 'winner' or 'wins'
        What it shows of each column: the mean over the rows, the geometric mean, the average rank
        that `ensvm rank` computes; by how many percent the value is worse than the best of its
        row, or in how many percent of the realizations it is the best (equal ones share), both as
        means over the rows; or on how many rows the column is better than another one, as good,
        and worse, by the values as they are shown.
    against : str or None
        Of wins, the column that the others are compared with.
    label : str or None
        The label of the row, which the file of printed values may use, too.
    realization : int or None
        Of a mean rank, the realization whose values are ranked, from 1; if not given, the means
        over all realizations are ranked.
    """

    hints: ClassVar = {
        kind: f"write `{{kind: {kind}, label: TEXT}}`" for kind in KINDS if kind != "wins"
    }

    kind: Literal["mean", "geometric-mean", "mean-rank", "mean-excess", "winner", "wins"]
    against: Annotated[str | None, NameOf("column", checked=False)] = None
    label: str | None = None
    realization: int | None = Field(default=None, ge=1)

    @classmethod
    def long_form(cls, block: Any) -> Any:
        """Return the block of a row that is only a kind, or `{wins: COLUMN}`."""
        if isinstance(block, str):
            return {"kind": block}
        if isinstance(block, dict) and "wins" in block:
            if not isinstance(block["wins"], str):
                wrong = f"wins: {block['wins']!r:.60} is not accepted"
                raise ValueError(f"{wrong}; accepted: the name of one column")
            rest = {key: value for key, value in block.items() if key != "wins"}
            return {"kind": "wins", "against": block["wins"], **rest}
        return block

    @model_validator(mode="after")
    def _wins_are_against(self) -> Self:
        if (self.kind == "wins") != (self.against is not None):
            raise ValueError("wins are against a column: `{wins: COLUMN}`")
        return self

    @model_validator(mode="after")
    def _realization_is_of_ranks(self) -> Self:
        if self.realization is not None and self.kind != "mean-rank":
            raise ValueError(f"`realization:` is of a mean-rank, not of a {self.kind}")
        return self

    @property
    def name(self) -> str:
        """The name of the row in the file of printed values: `mean`, or `wins-svc`."""
        of = self.realization if self.against is None else self.against
        return self.kind if of is None else f"{self.kind}-{of}"


@dataclass(frozen=True)
class Outcomes:
    """On how many rows a column is better than another one, as good, and worse."""

    wins: int
    ties: int
    losses: int

    @property
    def text(self) -> str:
        """The three numbers as papers print them."""
        return f"{self.wins}/{self.ties}/{self.losses}"


def outcomes_of(losses: Sequence[float], others: Sequence[float]) -> Outcomes:
    """Return how many numbers are below those of another column, equal to them, and above."""
    pairs = list(zip(losses, others, strict=True))
    wins, ties = sum(one < other for one, other in pairs), sum(one == other for one, other in pairs)
    return Outcomes(wins, ties, len(pairs) - wins - ties)


def summary_mean(kind: str, values: Sequence[float]) -> tuple[float, list[float]]:
    """Return the mean or geometric mean of values, and how fast it grows with each of them."""
    n = len(values)
    if kind == "mean":
        return float(np.mean(values)), [1 / n] * n
    mean = math.exp(float(np.mean(np.log(values))))
    return mean, [mean / (n * value) for value in values]
