"""Claims: sentences of the paper that are tested; findings: our sentences about what came out."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, field_validator, model_validator

from ensvm.errors import near_miss
from ensvm.records.record import RunPass
from ensvm.study.block import (
    Algorithms,
    Asked,
    ConfigBlock,
    Id,
    NameOf,
    Names,
    StudyNames,
    as_tuple,
)
from ensvm.study.metrics import SECONDS, unit_of
from ensvm.study.relations import RELATIONS, Relation
from ensvm.study.source import Location, YamlSource
from ensvm.study.table_layout import TableConfig, Verdict
from ensvm.study.variants import DEFAULT, ReadingConfig

FEWEST_TIMINGS = 5  # of seconds, for a verdict


class ClaimConfig(ConfigBlock):
    """One claim: `better` stands in `relation` to `than` in `metric`, on `rows`.

    Several names in `better` or `than` mean each of them. `ensvm.study.relations` says what each
    relation means and which of the keys `than`, `margin`, `factor`, `limit` and `over` it has.

    Attributes
    ----------
    id : str
        The claim's name.
    text : str or None
        The paper's sentence, verbatim.
    paraphrase : str or None
        What the paper says in formulas or at length, in our words; replaces `text`.
    metric : str
        What is compared: a metric, seconds (with `pass: timing`), or a curve.
    run_pass : 'error' or 'timing'
        The pass whose records are compared: that of the errors, or the timing pass.
    better : tuple of str
        The algorithms that the claim is about.
    than : tuple of str or None
        The algorithms that they are compared with.
    relation : str
        How the values compare; the table of relations has the meaning of each.
    margin : float or None
        By how much values may or must differ, in the unit of the metric: percentage points for
        errors.
    factor : float or None
        The smallest ratio that the relation asks for; 1 if not given.
    limit : float or None
        The bound of the value, in percent for errors, or of the exponent of growth.
    stage : int or None
        The entry of a curve that `record:` keeps, from 1; a shorter curve repeats its last
        value.
    scope : 'all' or 'most'
        Whether the claim holds if all comparisons hold, or if more than half do (for papers
        that say often, typically, frequently).
    each : bool
        Whether the claim is about each realization, not their mean, such as a proved bound: it
        fails if one realization violates it.
    rows : tuple of str or None
        The data sets; all that have the algorithms if not given.
    printed_as : dict of str to str
        For data sets that the paper prints under another row: ours to that row.
    over : str or None
        The sweep of data sets along which the metric grows.
    own_test : dict of str to str
        The paper's own test, if it compared several runs on one split: for each algorithm of the
        claim the sweep whose members are its runs. The claim says on how many realizations a
        one-sided Welch test at 5 % between these runs finds `better` less than `than`.
    note : str
        What the reader should know.
    """

    id: Id
    text: str | None = None
    paraphrase: str | None = None
    metric: str = "error"
    run_pass: RunPass = Field(default="error", alias="pass")
    better: Algorithms = Field(min_length=1)
    than: Annotated[Names | None, NameOf("algorithm")] = Field(default=None, min_length=1)
    relation: str = Field(json_schema_extra={"enum": list(RELATIONS)})
    margin: float | None = Field(default=None, ge=0)
    factor: float | None = Field(default=None, gt=0)
    limit: float | None = None
    stage: int | None = Field(default=None, ge=1)
    scope: Literal["all", "most"] = "all"
    each: bool = False
    rows: Annotated[tuple[str, ...] | None, NameOf("data set")] = None
    printed_as: Annotated[dict[str, str], NameOf("data set")] = Field(default_factory=dict)
    over: Annotated[str | None, NameOf("sweep of data sets")] = None
    own_test: dict[str, str] = Field(default_factory=dict)
    note: str = ""

    @field_validator("relation")
    @classmethod
    def _known_relation(cls, name: str) -> str:
        if name not in RELATIONS:
            accepted = ", ".join(RELATIONS)
            hint = near_miss(name, RELATIONS)
            raise ValueError(f"unknown relation {name!r}; accepted: {accepted}{hint}")
        return name

    @model_validator(mode="after")
    def _one_wording(self) -> Self:
        if (self.text is None) == (self.paraphrase is None):
            raise ValueError(
                "give either `text:`, a sentence of the paper, verbatim, or `paraphrase:`, what it "
                "says, put by us"
            )
        return self

    @model_validator(mode="after")
    def _keys_of_the_relation(self) -> Self:
        keys = self.kind.keys
        for key in ("than", "margin", "factor", "limit", "over"):
            is_set = getattr(self, key) is not None
            if is_set and key not in keys:
                raise ValueError(f"the relation {self.relation} has no `{key}:`")
            if not is_set and key in keys and keys[key] is None:
                raise ValueError(f"the relation {self.relation} needs `{key}:`")
        if self.stage is not None and self.kind.of_curves:
            raise ValueError(
                f"the relation {self.relation} is about a whole curve, so there is no `stage:`"
            )
        if self.over is not None and self.rows is not None:
            raise ValueError("give `over:` or `rows:`, not both")
        if unit_of(self.metric) == SECONDS and self.run_pass != "timing":
            raise ValueError(f"{self.metric} comes from the timing pass alone; add `pass: timing`")
        return self

    @model_validator(mode="after")
    def _own_test_of_all(self) -> Self:
        compared = sorted(set(self.algorithms))
        if self.own_test and (self.relation != "less" or sorted(self.own_test) != compared):
            raise ValueError(
                "`own_test:` is for the relation less, and names a sweep for each algorithm of "
                f"`better:` and `than:`: {', '.join(compared)}"
            )
        return self

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms that are compared."""
        return (*self.better, *(self.than or ()))

    @property
    def kind(self) -> Relation:
        """The relation itself."""
        return RELATIONS[self.relation]

    @property
    def threshold(self) -> float:
        """The margin, factor or limit; 0 for a relation that has none."""
        key = self.kind.threshold_key
        if key is None:
            return 0.0
        value = getattr(self, key)
        return float(self.kind.keys[key] or 0.0 if value is None else value)

    @property
    def of_each(self) -> bool:
        """Whether the claim is about each realization, by itself or by its relation."""
        return self.each or self.kind.of_each

    @property
    def of_curves(self) -> bool:
        """Whether the metric is a curve that `record:` keeps."""
        return self.kind.of_curves or self.stage is not None

    def asked(self, index: int) -> Iterator[Asked]:
        """Yield what the claim, the config's `index`-th, asks of the records."""
        yield Asked(("claims", index, "metric"), self.metric, self.algorithms, self.of_curves)


def check_claims(claims: Sequence[ClaimConfig], names: StudyNames, source: YamlSource) -> None:
    """Refuse a claim given twice, and timings and sweeps that the study does not have."""
    source.must_be_distinct(("claims",), "claim", [claim.id for claim in claims], "id")
    for index, claim in enumerate(claims):
        if claim.run_pass == "timing" and not names.timing:
            raise source.error(
                ("claims", index, "pass"),
                "a claim on the timing pass needs a `timing:` block in the study",
            )
        for key, what, named in (
            ("printed_as", "data set", claim.printed_as.values()),
            ("own_test", "sweep of algorithms", claim.own_test.values()),
        ):
            source.must_be_one_of(("claims", index, key), what, named, names.of(what))
        if claim.over is not None:
            values = names.dataset_sweeps[claim.over].values()
            if len(values) < 2 or not all(
                isinstance(value, int | float) and value > 0 for value in values
            ):
                message = f"growth needs two positive numbers to grow with, got {list(values)}"
                raise source.error(("claims", index, "over"), message)


SupportVerdict = Verdict | Literal["holds", "fails"]
Supports = Annotated[
    tuple[SupportVerdict, ...],
    BeforeValidator(as_tuple, json_schema_input_type=SupportVerdict | tuple[SupportVerdict, ...]),
]
"""One verdict or a list of verdicts."""


class SupportConfig(ConfigBlock):
    """One result that a finding rests on: of a claim, of a reading, or of a column of a table.

    Attributes
    ----------
    claim : str or None
        The id of a claim. A support has exactly one of `claim`, `reading` and `table`.
    reading : str or None
        The id of a reading.
    table : str or None
        The id of a table.
    verdict : tuple of str
        The verdict of the claim, or the verdicts that the values of the column may have.
    nearer : str or None
        The variant of the reading whose values lie nearer to the printed ones, or `default`.
    than : tuple of str
        The variants that it is nearer than; all others if none is named.
    column : str or None
        The column of the table.
    rows : tuple of str
        The rows of the table; all that have a verdict if none is named.
    """

    claim: Annotated[str | None, NameOf("claim")] = None
    reading: Annotated[str | None, NameOf("reading")] = None
    table: Annotated[Id | None, NameOf("table")] = None
    verdict: Supports = ()
    nearer: str | None = None
    than: Names = ()
    column: str | None = None
    rows: Names = ()

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        needed = {
            "claim": {"claim", "verdict"},
            "reading": {"reading", "nearer"},
            "table": {"table", "column", "verdict"},
        }
        optional = {"claim": set[str](), "reading": {"than"}, "table": {"rows"}}
        given = {key for key in type(self).model_fields if getattr(self, key)}
        for kind, keys in needed.items():
            if kind in given and keys <= given <= keys | optional[kind]:
                return self
        raise ValueError(
            "give `claim` and `verdict`, or `reading`, `nearer` and perhaps `than`, "
            "or `table`, `column`, `verdict` and perhaps `rows`"
        )


class FindingConfig(ConfigBlock):
    """A sentence or two about what came out of a study.

    Attributes
    ----------
    text : str
        The sentences, in Markdown; links are relative to the study's folder.
    shown_by : tuple of SupportConfig
        The results that they rest on. If one of them changes, the finding is stale.
    """

    text: str
    shown_by: tuple[SupportConfig, ...] = Field(min_length=1)


def check_findings(
    findings: Sequence[FindingConfig],
    readings: Sequence[ReadingConfig],
    tables: Sequence[TableConfig],
    rows: dict[str, tuple[str, ...]],
    source: YamlSource,
) -> None:
    """Refuse findings that rest on variants, columns or rows that the study does not have.

    `rows` has the rows of each table, by its id.
    """
    variants = {
        reading.id: (DEFAULT, *(variant.name for variant in reading.variants))
        for reading in readings
    }
    columns = {table.id: tuple(column.name for column in table.columns) for table in tables}
    for index, finding in enumerate(findings):
        for number, support in enumerate(finding.shown_by):
            location: Location = ("findings", index, "shown_by", number)
            if support.reading is not None:
                named = (support.nearer or "", *support.than)
                accepted = variants[support.reading]
                source.must_be_one_of((*location, "nearer"), "variant", named, accepted)
            elif support.table is not None:
                for key, names, of_table in (
                    ("column", (support.column or "",), columns[support.table]),
                    ("rows", support.rows, rows[support.table]),
                ):
                    source.must_be_one_of((*location, key), key.removesuffix("s"), names, of_table)
