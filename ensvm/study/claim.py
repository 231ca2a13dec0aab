"""Claims: sentences of the paper, each with the tests that decide whether it holds."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from ensvm import hints
from ensvm.errors import did_you_mean
from ensvm.study.block import ConfigBlock, GoneNames, Id, NameOf, Names, Sweeps
from ensvm.study.metrics import SECONDS, unit_of
from ensvm.study.names import AskedMetric
from ensvm.study.passes import PASS_OF_TABLE, RunPass
from ensvm.study.relations import EFFECTS, RELATIONS, Bound, Effect, Relation
from ensvm.study.table_layout import TableConfig

FEWEST_TIMINGS = 5  # of seconds, for a verdict
THRESHOLDS = ("margin", "factor", "limit")
_NOT_OF_COLUMNS = ("metric", "run_pass", "stage", "until", "over", "own_test")


def _names(value: Any) -> Sequence[Any]:
    """Return the names at a key as a config has them: one name, or a list."""
    return value if isinstance(value, list) else [value]


def compares_itself(left: Sequence[Any], right: Sequence[Any]) -> bool:
    """Return whether both sides of a test are the same single name."""
    return len(left) == 1 and list(left) == list(right)


def _effect_hint(key: str) -> str:
    """Return which effect and relations have a threshold, if one effect alone has it; else ""."""
    effects = [name for name, effect in EFFECTS.items() if effect.key == key]
    if len(effects) != 1:
        return ""
    relations = ", ".join(name for name, one in RELATIONS.items() if effects[0] in one.of)
    return f"; `{key}:` is that of `of: {effects[0]}` and the relations {relations}"


class ClaimTest(ConfigBlock):
    """A test of a claim: `left` stands in `relation` to `right` in `metric`, on `rows`.

    Several names in `left` or `right` mean each of them: every pair on every row is a comparison.

    Attributes
    ----------
    metric : str
        What is compared: a metric, seconds (with `pass: timing`), or a curve.
    run_pass : 'error' or 'timing'
        The pass whose records are compared: that of the errors, or the timing pass.
    left : tuple of str
        The algorithms that the claim is about, or columns of `table`.
    right : tuple of str or None
        The algorithms or columns that they are compared with.
    table : str or None
        The table whose columns `left` and `right` name, computed ones among them. The metric and
        the pass are those of the columns.
    relation : str
        How the effect lies to the threshold.
    of : str or None
        The effect that is tested; by default the difference with `right:`, and the value without.
    margin : float or None
        The threshold of a difference, in the unit of the metric: percentage points for errors. 0
        if not given.
    factor : float or None
        The threshold of a ratio, of the second value over the first; 1 if not given.
    limit : float or None
        The threshold of a value, in percent for errors, of an exponent, or of a slope (0 if not
        given).
    stage : int or 'end' or None
        The entry of a curve that `record:` keeps, from 1; a shorter curve repeats its last value.
        `end` is where the first curve ends.
    until : str or None
        A metric that says how many first entries of a curve count, such as `overshoot_`. All count
        if it is 0, and of an algorithm that does not have it.
    over : str or None
        The sweep of data sets along which the value grows, for an exponent.
    rows : tuple of str or None
        The data sets; if not given, all that have the algorithms or print their values.
    each : bool
        Whether the test is about each realization, not their mean, such as a proved bound: it
        fails if one realization violates it.
    scope : 'all' or int
        Whether all comparisons must hold, or how many at least.
    scope_of : 'comparisons' or 'rows'
        What the number `scope:` counts, if several names are compared on a data set: comparisons,
        or data sets on which all of them hold.
    printed : bool
        Whether the printed values are tested too; `false` for a hypothesis that the paper itself
        supports in part.
    own_test : dict of str to str
        The paper's own test, if it compared several runs on one split: for each algorithm of the
        test the sweep whose members are its runs. The claim says on how many realizations a
        one-sided Welch test at 5 % between these runs finds `left` less than `right`.
    reading : str
        Under which other reading of the paper the test is made, in words. Such a test is shown,
        and does not decide; neither does one about a variant of a reading.
    note : str
        What the reader should know.
    """

    hints: ClassVar = hints.CLAIM

    metric: str = "error"
    run_pass: RunPass = Field(default="error", alias="pass")
    left: Annotated[Names, NameOf("algorithm", checked=False)] = Field(min_length=1)
    right: Annotated[Names | None, NameOf("algorithm", checked=False)] = Field(
        default=None, min_length=1
    )
    table: Annotated[Id | None, NameOf("table")] = None
    relation: str
    of: str | None = None
    margin: float | None = Field(default=None, ge=0)
    factor: float | None = Field(default=None, gt=0)
    limit: float | None = None
    stage: Annotated[int, Field(ge=1)] | Literal["end"] | None = None
    until: str | None = None
    over: Annotated[str | None, NameOf("sweep of data sets")] = None
    rows: Annotated[tuple[str, ...] | None, NameOf("data set")] = None
    each: bool = False
    scope: Annotated[int, Field(ge=1)] | Literal["all"] = "all"
    scope_of: Literal["comparisons", "rows"] = "comparisons"
    printed: bool = True
    own_test: Annotated[
        dict[str, str], NameOf("algorithm", values="sweep of algorithms", checked=False)
    ] = Field(default_factory=dict)
    reading: str = ""
    note: str = ""

    @field_validator("relation", "of")
    @classmethod
    def _known_name(cls, name: str | None, info: ValidationInfo) -> str | None:
        of_relation = info.field_name == "relation"
        what, known = ("relation", [*RELATIONS]) if of_relation else ("effect", [*EFFECTS])
        if name is not None and name not in known:
            hint = (
                f"; {hints.RELATIONS[name]}"
                if name in hints.RELATIONS
                else did_you_mean(name, known)
            )
            raise ValueError(f"unknown {what} {name!r}; accepted: {', '.join(known)}{hint}")
        return name

    @model_validator(mode="after")
    def _keys_of_the_effect(self) -> Self:
        name, effect = self.of_effect, self.effect
        if name not in self.kind.of:
            accepted = ", ".join(self.kind.of)
            raise ValueError(
                f"the relation {self.relation} cannot test a {name}; accepted: {accepted}"
            )
        default = 0.0 if self.kind.of_rejections else effect.default
        for key, is_one, required in (
            ("right", effect.of_pair, True),
            ("over", name == "exponent", True),
            *((key, key == effect.key, default is None) for key in THRESHOLDS),
        ):
            is_set = getattr(self, key) is not None
            if is_set and (not is_one or (self.kind.of_rejections and key in THRESHOLDS)):
                has_threshold = key in THRESHOLDS and not self.kind.of_rejections
                hint = (
                    f"; the threshold is `{effect.key}:`{_effect_hint(key)}"
                    if has_threshold
                    else ""
                )
                message = f"the relation {self.relation} of a {name} has no `{key}:`{hint}"
                raise ValueError(message)
            if is_one and required and not is_set:
                raise ValueError(f"the relation {self.relation} of a {name} needs `{key}:`")
        return self

    @model_validator(mode="after")
    def _keys_of_columns(self) -> Self:
        for key in _NOT_OF_COLUMNS if self.table is not None else ():
            if key in self.model_fields_set:
                name = type(self).model_fields[key].alias or key
                message = f"a test of columns takes what they show; leave out `{name}:`"
                raise ValueError(message)
        return self

    @model_validator(mode="after")
    def _keys_that_go_together(self) -> Self:
        if self.stage is not None and self.of == "slope":
            raise ValueError("a slope is that of a whole curve, so there is no `stage:`")
        if self.until is not None and self.stage is None:
            raise ValueError("`until:` ends a curve, so it needs `stage:`, the entry of a curve")
        if self.scope_of == "rows" and (self.scope == "all" or self.n_pairs == 1):
            raise ValueError(
                "`scope_of: rows` counts data sets on which all of several comparisons hold; it "
                "needs a number as `scope:`, and several names as `left:` or `right:`"
            )
        if self.over is not None and self.rows is not None:
            raise ValueError("give `over:` or `rows:`, not both")
        if unit_of(self.metric) == SECONDS and self.run_pass != "timing":
            raise ValueError(f"{self.metric} comes from the timing pass alone; add `pass: timing`")
        compared = sorted(set(self.algorithms))
        if self.own_test and (self.relation != "less" or sorted(self.own_test) != compared):
            raise ValueError(
                "`own_test:` is for the relation less, and names a sweep for each algorithm of "
                f"`left:` and `right:`: {', '.join(compared)}"
            )
        return self

    @classmethod
    def without(cls, block: Any, gone: GoneNames) -> Any:
        """Return the test without names; None if it is not a test any more.

        Its `scope` counted comparisons of all names, or what is left is compared with itself.
        """
        if isinstance(block, dict) and "table" in block:
            gone = {**gone, "algorithm": gone.get("column", ())}
        kept = super().without(block, gone)
        if kept is None or kept == block:
            return kept
        is_alone = compares_itself(*(_names(kept.get(key)) for key in ("left", "right")))
        return None if is_alone or isinstance(block.get("scope"), int) else kept

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms that are compared."""
        return (*self.left, *(self.right or ()))

    @property
    def n_pairs(self) -> int:
        """The number of comparisons on a row."""
        return len(self.left) * len(self.right or (None,))

    @property
    def kind(self) -> Relation:
        """The relation itself."""
        return RELATIONS[self.relation]

    @property
    def of_effect(self) -> str:
        """The name of the effect."""
        return self.of or ("value" if self.right is None else "difference")

    @property
    def effect(self) -> Effect:
        """The effect itself."""
        return EFFECTS[self.of_effect]

    @property
    def threshold(self) -> float:
        """The margin, factor or limit."""
        value = getattr(self, self.effect.key)
        return float(self.effect.default or 0.0 if value is None else value)

    @property
    def bounds(self) -> tuple[Bound, ...]:
        """The bounds that an effect must keep to."""
        return self.kind.bounds(self.effect, self.threshold)

    @property
    def of_curves(self) -> bool:
        """Whether the metric is a curve that `record:` keeps."""
        return self.of == "slope" or self.stage is not None


class ClaimConfig(ConfigBlock):
    """One claim, a sentence of the paper, and its tests.

    It fails if a test fails, and holds if all tests hold. Tests of another reading do not decide.

    Attributes
    ----------
    id : str
        The claim's name.
    text : str or None
        The paper's sentence, verbatim.
    paraphrase : str or None
        What the paper says in formulas or at length, in our words; replaces `text`.
    tests : tuple of ClaimTest
        What is tested. The keys of a single test may be written beside `id`.
    note : str
        What the reader should know.
    """

    hints: ClassVar = hints.CLAIM

    id: Id
    text: str | None = None
    paraphrase: str | None = None
    tests: tuple[ClaimTest, ...] = Field(min_length=1)
    note: str = ""

    @classmethod
    def long_form(cls, block: Any) -> Any:
        """Return the block with the keys of a single test, written beside `id`, in `tests`."""
        if not isinstance(block, dict) or "tests" in block:
            return block
        own = {key: value for key, value in block.items() if key in cls.model_fields}
        return {**own, "tests": [{k: value for k, value in block.items() if k not in own}]}

    @model_validator(mode="after")
    def _one_wording(self) -> Self:
        if (self.text is None) == (self.paraphrase is None):
            raise ValueError(
                "give either `text:`, a sentence of the paper, verbatim, or `paraphrase:`, what it "
                "says in your own words"
            )
        return self

    def asked(self, index: int) -> Iterator[AskedMetric]:
        """Yield what the claim, the config's `index`-th, asks of the records."""
        for number, test in enumerate(self.tests):
            if test.table is not None:
                continue  # the table asks for it
            location = ("claims", index, "tests", number)
            yield AskedMetric((*location, "metric"), test.metric, test.algorithms, test.of_curves)
            if test.until is not None:
                yield AskedMetric((*location, "until"), test.until, test.algorithms)


def with_columns(
    claims: Sequence[ClaimConfig], tables: Sequence[TableConfig], sweeps: Sweeps
) -> Any:
    """Return claims in which tests of columns have the metric and the pass of their first column.

    The name of columns that are computed from the sweeps of algorithms stands for all of them.
    Tests of tables or columns that do not exist stay as they are.
    """
    by_id = {table.id: table for table in tables}

    def filled(test: ClaimTest) -> ClaimTest:
        """Return a test with what its first column shows."""
        table = by_id.get(test.table or "")
        columns = {column.name: column for column in table.columns} if table else {}
        if table is None:
            return test
        left = table.with_members(test.left, sweeps)
        if left[0] not in columns:
            return test
        right = None if test.right is None else table.with_members(test.right, sweeps)
        metric, run_pass = table.metric_of(columns[left[0]]), PASS_OF_TABLE[table.of]
        return test.model_copy(
            update={"left": left, "right": right, "metric": metric, "run_pass": run_pass}
        )

    return tuple(
        claim.model_copy(update={"tests": tuple(map(filled, claim.tests))}) for claim in claims
    )
