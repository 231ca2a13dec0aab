"""The words of a study's claims: a sentence of the paper as metric, algorithms compared, relation and scope."""

from typing import Literal, Self

from pydantic import Field, model_validator

from ensvm.records.record import RunPass
from ensvm.study.block import Id, Names, Words

Relation = Literal[
    "less",
    "at-most",
    "within",
    "ratio",
    "curve-below",
    "curve-falls",
    "value-at-most",
    "value-at-least",
    "growth-at-most",
]

# Which words a relation has beside `metric` and `better`; it needs them unless they have a default.
WORDS_OF: dict[Relation, tuple[str, ...]] = {
    "less": ("than", "margin"),
    "at-most": ("than", "margin"),
    "within": ("than", "margin"),
    "ratio": ("than", "factor"),
    "curve-below": ("than", "factor"),
    "curve-falls": (),
    "value-at-most": ("limit",),
    "value-at-least": ("limit",),
    "growth-at-most": ("over", "limit"),
}
DEFAULTS = {"margin": 0.0, "factor": 1.0}


class ClaimWords(Words):
    """One claim: `better` stands in `relation` to `than` in `metric`, on `rows` (default: all data sets with both).

    Several names in `better` or `than` mean each of them. Of errors, `margin` and `limit` are in
    percentage points. It holds when it holds wherever there are figures; with `scope: most` (the
    paper says often, typically, frequently), when it holds in more than half of the comparisons.
    With `stage` the metric is a curve (a word of `record:`), and that entry of it is meant, the
    first being 1; a curve that ended before stays at its last.

    - `less`: better's metric is less than than's, by more than `margin`
    - `at-most`: better's metric is at most than's plus `margin`
    - `within`: the two metrics differ by at most `margin`, either way
    - `ratio`: than's metric is at least `factor` times better's
    - `curve-below`: where better's curve ends, than's is at least `factor` times as high (metric: a
      word of `record:`)
    - `curve-falls`: better's curve never rises
    - `value-at-most`, `value-at-least`: better's metric against `limit`
    - `growth-at-most`: better's metric grows at most as the swept value to the power `limit`, over
      the members of the sweep of data sets named by `over` (least squares through the logarithms)
    """

    id: Id
    text: str
    metric: str = "error"
    run_pass: RunPass = Field(default="error", alias="pass")
    better: Names = Field(min_length=1)
    than: Names | None = Field(default=None, min_length=1)
    relation: Relation
    margin: float | None = Field(default=None, ge=0)
    factor: float | None = Field(default=None, gt=0)
    limit: float | None = None
    stage: int | None = Field(default=None, ge=1)
    scope: Literal["all", "most"] = "all"
    rows: tuple[str, ...] | None = None
    over: str | None = None
    note: str = ""

    @model_validator(mode="after")
    def _words_of_the_relation(self) -> Self:
        wanted = WORDS_OF[self.relation]
        for word in ("than", "margin", "factor", "limit", "over"):
            given = getattr(self, word) is not None
            if given and word not in wanted:
                raise ValueError(f"the relation {self.relation} has no `{word}:`")
            if not given and word in wanted and word not in DEFAULTS:
                raise ValueError(f"the relation {self.relation} needs `{word}:`")
        if self.stage is not None and self.relation.startswith("curve"):
            raise ValueError(
                f"the relation {self.relation} is about a whole curve, so there is no `stage:`"
            )
        if self.over is not None and self.rows is not None:
            raise ValueError("give `over:` or `rows:`, not both")
        if self.metric.rstrip("_").endswith("_seconds") and self.run_pass != "timing":
            raise ValueError(f"{self.metric} comes from the timing pass alone; add `pass: timing`")
        return self

    @property
    def threshold_word(self) -> str | None:
        """Which word gives the threshold: margin, factor, limit, or none."""
        return next(
            (word for word in WORDS_OF[self.relation] if word not in ("than", "over")), None
        )

    @property
    def threshold(self) -> float:
        """The margin, factor or limit; for `curve-falls` the number of rises allowed, 0."""
        if self.threshold_word is None:
            return 0.0
        given = getattr(self, self.threshold_word)
        return float(DEFAULTS[self.threshold_word] if given is None else given)

    @property
    def of_curves(self) -> bool:
        """Whether the metric is a curve kept by `record:`."""
        return self.relation.startswith("curve") or self.stage is not None
