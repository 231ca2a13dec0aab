"""An algorithm of a study: an estimator, its parameters and kernel, what is scored and kept."""

from collections.abc import Mapping
from math import prod
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ensvm.kernels import NAMED_KERNELS
from ensvm.study.block import ConfigBlock, Names, SweepConfig

# Every grid point is a fit; longer lists would take years and fill the memory.
MAX_GRID_POINTS = 100_000
# Higher powers of almost all numbers are 0 or infinite.
MAX_DEGREE = 1000
# The keys that name an estimator, in an algorithm and in the parameters of another estimator.
KINDS = ("estimator", "pipeline")
# Stages that choose among the points of a grid on the training rows alone.
HELD_OUT = ("best-on-validation", "best-by-cv")


def is_spec(value: Any) -> bool:
    """Return whether a value of a config is the block of an estimator.

    It is `{estimator: Name, params: {...}}` or `{pipeline: [...], params: {...}}`; `params:` may be
    missing.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("params", {}), Mapping):
        return False
    if len(set(KINDS) & set(value)) != 1 or not set(value) <= {*KINDS, "params"}:
        return False
    if "pipeline" in value:
        return isinstance(value["pipeline"], list) and len(value["pipeline"]) > 0
    return isinstance(value["estimator"], str) or is_spec(value["estimator"])


class KernelConfig(ConfigBlock):
    """The kernel all algorithms of a study share unless their own `params` say otherwise.

    `dtype` is the precision of shared Gram matrices; float32 halves their memory.
    """

    kernel: Literal[NAMED_KERNELS] = "rbf"  # type: ignore[valid-type]
    gamma: Annotated[float, Field(gt=0)] | Literal["scale", "auto", "mean-distance"] | None = None
    degree: int | None = Field(default=None, ge=0, le=MAX_DEGREE)
    coef0: float | None = None
    dtype: Literal["float64", "float32"] = "float64"

    def params(self) -> dict[str, Any]:
        """Return the given keys as estimator parameters."""
        return self.model_dump(exclude_none=True, exclude={"dtype"})


class CrossValidationConfig(ConfigBlock):
    """How `stage: best-by-cv` chooses: the number of folds, and a scorer's name of scikit-learn."""

    n_splits: int = Field(default=5, ge=2)
    scorer: str = "accuracy"


def _folds(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return {"n_splits": value}
    if value is None or isinstance(value, dict | CrossValidationConfig):
        return value
    raise ValueError(f"a number of folds or {{n_splits: 5, scorer: accuracy}}, got {value!r:.60}")


class AlgorithmConfig(ConfigBlock):
    """One algorithm (a column): an estimator with its `params`, and which of its stages is scored.

    The estimator is a name or an import path (`estimator:`), or a `pipeline:` of them.

    `grid` turns any classifier into a staged one, one stage a grid point. `stage: best-on-test`
    scores the stage with the smallest test error (an oracle: it reads the test labels, as the
    papers' SVM(BEST) does); `best-on-validation` holds out a third of the training rows to choose a
    grid point, then fits it on all of them; `best-by-cv` chooses by stratified folds of the
    training rows, by default `cv: {n_splits: 5, scorer: accuracy}`. Ties go to the earliest. With
    `share_gram: false` the estimator gets X and computes its own kernel. `record` names what is
    kept beside the test error and the fitted scalars: fitted array attributes (curves),
    `train_error`, and the values of all stages, `staged_test_error`, `staged_test_accuracy` and
    `staged_train_error`. Algorithms with the same `seed` (a name) draw the same random numbers.

    `orders: 10` is for an algorithm whose error depends on rounding (for example if rho* = 0): it
    is fitted on ten orders of each realization's training rows. The first order is that of the
    split, the others are permutations, the same for all algorithms. The values are means over the
    orders, whose values are recorded too; curves, the chosen stage and
    timings are of the first order.

    `undetermined_at_zero: lower_bound_` names a number that fits leave: where it is 0 in most
    realizations, rounding decides what is predicted, and the verdict is `undetermined`.

    `depends: [weights.txt, tables/*.json]` names files that the estimator reads: a cell is run
    again when one of them changes, as when a module of the user's own does. Paths are relative to
    the config; a folder means all files in it.
    """

    label: str | None = None
    estimator: Any = None
    pipeline: Annotated[list[Any], Field(min_length=1)] | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    grid: dict[str, list[Any]] | None = None
    stage: Literal["last", "best-on-test", "best-on-validation", "best-by-cv"] = "last"
    cv: Annotated[CrossValidationConfig, BeforeValidator(_folds)] | None = None
    share_gram: bool = True
    record: tuple[str, ...] = ()
    seed: str | None = None
    depends: Names = ()
    orders: int = Field(default=1, ge=1)
    undetermined_at_zero: str | None = None
    sweep: SweepConfig | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.estimator is None) == (self.pipeline is None):
            raise ValueError(
                "give either `estimator:` (a name or package.module:Class) or `pipeline:` (a list "
                "of estimators)"
            )
        if not isinstance(self.estimator, str | None) and not is_spec(self.estimator):
            raise ValueError(
                "`estimator:` is a name, or a block {estimator: Name, params: {...}} or "
                f"{{pipeline: [...]}}, got {self.estimator!r:.60}"
            )
        if self.cv is not None and self.stage != "best-by-cv":
            raise ValueError("`cv:` is for `stage: best-by-cv`, which chooses by it")
        return self

    @model_validator(mode="after")
    def _choice_among_points(self) -> Self:
        if self.grid is not None and self.stage == "last":
            raise ValueError(
                "a `grid:` needs `stage: best-on-test`, `best-on-validation` or `best-by-cv` "
                "to choose among its points"
            )
        if self.grid is None and self.stage in HELD_OUT:
            raise ValueError(
                f"`stage: {self.stage}` chooses among the points of a `grid:`, which is missing"
            )
        if self.orders > 1 and self.stage in HELD_OUT:
            raise ValueError(
                "`orders:` is for one problem in several orders of its training rows, and `stage: "
                f"{self.stage}` would hold out other rows in each: leave out one of the two"
            )
        if self.grid is not None and not all(self.grid.values()):
            raise ValueError("a `grid:` needs at least one value for each parameter")
        points = prod(map(len, (self.grid or {}).values()))
        if points > MAX_GRID_POINTS:
            raise ValueError(f"a `grid:` has at most {MAX_GRID_POINTS:,} points, this {points:,}")
        return self

    @property
    def spec(self) -> Any:
        """The estimator as its name, or as the block of a pipeline or another block."""
        return self.estimator if self.pipeline is None else {"pipeline": self.pipeline}
