"""An algorithm of a study: an estimator, its parameters and kernel, what is scored and kept."""

from collections.abc import Mapping
from math import prod
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from ensvm.kernels import NAMED_KERNELS
from ensvm.study.block import ConfigBlock, Names, SweepConfig
from ensvm.study.metrics import DATA_CELL
from ensvm.study.source import YamlSource

# Each is a fit of its own: more are not done in a lifetime, and the lists of them fill the memory.
MAX_GRID_POINTS = 100_000
MAX_ORDERS = 10_000
# Above, rows of numbers other than 1 have kernel values that are 0 or infinite.
MAX_DEGREE = 1000
MAX_FOLDS = 1000
# What says which estimator is meant, in an algorithm's block and wherever one stands in another.
KINDS = ("estimator", "pipeline", "factory")
# Stages that choose among the points of a grid on the training rows alone.
HELD_OUT = ("best-on-validation", "best-by-cv")


def is_spec(value: Any) -> bool:
    """Return whether a value of a config is the block of an estimator.

    Such are `{estimator: Name, params: {...}}`, `{pipeline: [...], params: {...}}` and
    `{factory: module:function, params: {...}}`, `params:` where they are needed.
    """
    if not isinstance(value, Mapping) or not isinstance(value.get("params", {}), Mapping):
        return False
    found = [kind for kind in KINDS if kind in value]
    if len(found) != 1 or not set(value) <= {*found, "params"}:
        return False
    given = value[found[0]]
    if found[0] == "pipeline":
        return isinstance(given, list) and len(given) > 0
    return isinstance(given, str) or (found[0] == "estimator" and is_spec(given))


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

    n_splits: int = Field(default=5, ge=2, le=MAX_FOLDS)
    scorer: str = "accuracy"


def _folds(value: Any) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return {"n_splits": value}
    if value is None or isinstance(value, dict | CrossValidationConfig):
        return value
    raise ValueError(f"a number of folds or {{n_splits: 5, scorer: accuracy}}, got {value!r:.60}")


class AlgorithmConfig(ConfigBlock):
    """One algorithm (a column): an estimator with parameters, and which of its stages is scored.

    The estimator is one of: a name or an import path (`estimator:`), a `pipeline:` of them, or what
    a function returns (`factory: module:function`). `params` are its parameters, or the arguments
    of the function.

    `grid` turns any classifier into a staged one, one stage a grid point. `stage: best-on-test`
    scores the stage with the smallest test error (an oracle: it reads the test labels, as the
    papers' SVM(BEST) does); `best-on-validation` holds out a third of the training rows to choose a
    grid point, then fits it on all of them; `best-by-cv` chooses by stratified folds of the
    training rows, `cv: {n_splits: 5, scorer: accuracy}` where nothing is said. Ties go to the
    earliest. With `share_gram: false` the
    estimator is given X and computes its own kernel, as a user would run it. `record` names what is
    kept beside the test error and the fitted scalars: fitted array attributes (curves),
    `train_error`, and the values of all stages, `staged_test_error`, `staged_test_accuracy` and
    `staged_train_error`. Algorithms with the same `seed` (a name) draw the same random numbers.

    `orders: 10` is for an algorithm whose error rounding decides, as where rho* = 0: it is fitted
    on ten orders of each realization's training rows, which are the same problem. The first order
    is that of the split, the others are permutations, the same for all algorithms. The values are
    means over the orders, with those of each kept beside them; curves and the chosen stage are
    those of the first order. Timings are of one fit.

    `depends: [weights.txt, tables/*.json]` names files that the estimator reads: a cell is run
    again when one of them changes, as when a module of the user's own does. Paths are relative to
    the config; a folder stands for all files in it.
    """

    label: str | None = None
    estimator: Any = None
    pipeline: Annotated[list[Any], Field(min_length=1)] | None = None
    factory: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    grid: dict[str, list[Any]] | None = None
    stage: Literal["last", "best-on-test", "best-on-validation", "best-by-cv"] = "last"
    cv: Annotated[CrossValidationConfig, BeforeValidator(_folds)] | None = None
    share_gram: bool = True
    record: tuple[str, ...] = ()
    seed: str | None = None
    depends: Names = ()
    orders: int = Field(default=1, ge=1, le=MAX_ORDERS)
    unavailable: str | None = None
    sweep: SweepConfig | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        given = [key for key in (*KINDS, "unavailable") if getattr(self, key) is not None]
        if len(given) != 1:
            raise ValueError(
                "give one of `estimator:` (a name or package.module:Class), `pipeline:` (a list of "
                "estimators), `factory:` (module:function) and `unavailable:` (a reason)"
                + (f", not {' and '.join(given)}" if given else "")
            )
        if not isinstance(self.estimator, str | None) and not is_spec(self.estimator):
            raise ValueError(
                "`estimator:` is a name, or a block {estimator: Name, params: {...}}, "
                "{pipeline: [...]} or {factory: module:function, params: {...}}, "
                f"got {self.estimator!r:.60}"
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
        """The estimator as its name, or as the block of a pipeline, a factory or another block."""
        if self.pipeline is not None:
            return {"pipeline": self.pipeline}
        return self.estimator if self.factory is None else {"factory": self.factory}


def check_algorithms(algorithms: Mapping[str, AlgorithmConfig], source: YamlSource) -> None:
    """Refuse the name that is reserved for the facts of the data."""
    if DATA_CELL in algorithms:
        message = f"the name {DATA_CELL!r} is reserved for the facts of the data"
        raise source.error(("algorithms", DATA_CELL), message)
