"""What a cell's algorithm is: the estimator and its parameters, and how it is scored."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal


@dataclass(frozen=True)
class AlgorithmSettings:
    """An algorithm of a study on one data set, every value resolved.

    Attributes
    ----------
    estimator : str
        One of our names, or an import path `package.module:Class`.
    params : dict
        The parameters that the config sets, those of the shared kernel among them.
    defaults : dict of str
        Every parameter of the estimator as text, so that a changed default makes another cell.
    grid : dict of lists or None
        The values of each parameter among which one point is chosen.
    stage : 'last', 'best-on-test' or 'best-on-validation'
        Which stage, or which point of the grid, is scored.
    record : tuple of str
        What is kept beside the test error and the fitted scalars.
    share_gram : bool
        Whether the estimator may be fitted on a Gram matrix that others use too.
    gram_dtype : 'float64' or 'float32'
        The precision of that matrix.
    seed : str or None
        What the random numbers are drawn by; None for the algorithm's own name.
    orders : int
        Over how many orders of the training rows it is fitted, at least 1.
    """

    estimator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    grid: Mapping[str, list[Any]] | None = None
    stage: Literal["last", "best-on-test", "best-on-validation"] = "last"
    record: tuple[str, ...] = ()
    share_gram: bool = True
    gram_dtype: str = "float64"
    seed: str | None = None
    orders: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a JSON object."""
        line = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        line["record"] = list(self.record)
        if self.seed is None:
            del line["seed"]
        if self.orders == 1:
            del line["orders"]
        return line
