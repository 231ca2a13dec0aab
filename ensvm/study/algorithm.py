"""An algorithm of a study: an estimator, its parameters and kernel, what is scored and kept."""

from collections.abc import Mapping
from math import prod
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from ensvm.kernels import NAMED_KERNELS
from ensvm.study.block import Block, SweepConfig
from ensvm.study.metrics import DATA_CELL
from ensvm.study.source import YamlSource

# Each is a fit of its own: more are not done in a lifetime, and the lists of them fill the memory.
MAX_GRID_POINTS = 100_000
MAX_ORDERS = 10_000
# Above, rows of numbers other than 1 have kernel values that are 0 or infinite.
MAX_DEGREE = 1000


class KernelConfig(Block):
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


class AlgorithmConfig(Block):
    """One algorithm (a column): an estimator with parameters, and which of its stages is scored.

    `grid` turns any classifier into a staged one, one stage a grid point. `stage: best-on-test`
    scores the stage with the smallest test error (an oracle: it reads the test labels, as the
    papers' SVM(BEST) does); `best-on-validation` holds out a third of the training rows to choose a
    grid point, then fits it on all of them. Ties go to the earliest. With `share_gram: false` the
    estimator is given X and computes its own kernel, as a user would run it. `record` names what is
    kept beside the test error and the fitted scalars: fitted array attributes (curves),
    `train_error`, and the values of all stages, `staged_test_error`, `staged_test_accuracy` and
    `staged_train_error`. Algorithms with the same `seed` (a name) draw the same random numbers.

    `orders: 10` is for an algorithm whose error rounding decides, as where rho* = 0: it is fitted
    on ten orders of each realization's training rows, which are the same problem. The first order
    is that of the split, the others are permutations, the same for all algorithms. The values are
    means over the orders, with those of each kept beside them; curves and the chosen stage are
    those of the first order. Timings are of one fit.
    """

    label: str | None = None
    estimator: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    grid: dict[str, list[Any]] | None = None
    stage: Literal["last", "best-on-test", "best-on-validation"] = "last"
    share_gram: bool = True
    record: tuple[str, ...] = ()
    seed: str | None = None
    orders: int = Field(default=1, ge=1, le=MAX_ORDERS)
    unavailable: str | None = None
    sweep: SweepConfig | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.estimator is None) == (self.unavailable is None):
            raise ValueError(
                "give either `estimator:` (a name or package.module:Class) "
                "or `unavailable:` (a reason)"
            )
        if self.grid is not None and self.stage == "last":
            raise ValueError(
                "a `grid:` needs `stage: best-on-test` or `best-on-validation` "
                "to choose among its points"
            )
        if self.grid is None and self.stage == "best-on-validation":
            raise ValueError(
                "`stage: best-on-validation` chooses among the points of a `grid:`, "
                "which is missing"
            )
        if self.orders > 1 and self.stage == "best-on-validation":
            raise ValueError(
                "`orders:` is for one problem in several orders of its training rows, and `stage: "
                "best-on-validation` would hold out other rows in each: leave out one of the two"
            )
        if self.grid is not None and not all(self.grid.values()):
            raise ValueError("a `grid:` needs at least one value for each parameter")
        points = prod(map(len, (self.grid or {}).values()))
        if points > MAX_GRID_POINTS:
            raise ValueError(f"a `grid:` has at most {MAX_GRID_POINTS:,} points, this {points:,}")
        return self


def check_algorithms(algorithms: Mapping[str, AlgorithmConfig], source: YamlSource) -> None:
    """Refuse the name that is reserved for the facts of the data."""
    if DATA_CELL in algorithms:
        message = f"the name {DATA_CELL!r} is reserved for the facts of the data"
        raise source.error(("algorithms", DATA_CELL), message)
