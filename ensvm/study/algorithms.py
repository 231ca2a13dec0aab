"""An algorithm of a study: an estimator, its parameters and kernel, what is scored and kept."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from ensvm import hints
from ensvm.kernels import NAMED_KERNELS
from ensvm.study.block import ConfigBlock, NameOf, Names, SweepConfig

# Higher powers of almost all numbers are 0 or infinite.
MAX_DEGREE = 1000
# The keys that name an estimator, in an algorithm and in the parameters of another estimator.
KINDS = ("estimator", "pipeline")


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

    Attributes
    ----------
    kernel : str
        The kernel's name.
    gamma : float, str or None
        The factor in the kernel's formula, above 0. `mean-distance` is 1 over the mean squared
        distance of the training rows to their mean, of `laplacian` over the mean of
        sum_j |x_j - mean_j|; `scale` and `auto` are those of scikit-learn's SVC.
    degree : int or None
        The degree of the polynomial kernel.
    coef0 : float or None
        The constant that the polynomial kernel adds.
    dtype : 'float64' or 'float32'
        The precision of shared Gram matrices; float32 halves their memory.
    """

    kernel: Literal[NAMED_KERNELS] = "rbf"  # type: ignore[valid-type]
    gamma: Annotated[float, Field(gt=0)] | Literal["scale", "auto", "mean-distance"] | None = None
    degree: int | None = Field(default=None, ge=0, le=MAX_DEGREE)
    coef0: float | None = None
    dtype: Literal["float64", "float32"] = "float64"

    def params(self) -> dict[str, Any]:
        """Return the given keys as estimator parameters."""
        return self.model_dump(exclude_none=True, exclude={"dtype"})


class ProofConfig(ConfigBlock):
    """A number of a fit that is 0 if rounding decides the predictions; or only its name.

    Attributes
    ----------
    number : str
        A number that the fit leaves, such as `lower_bound_`.
    of : str or None
        The algorithm whose fit on the same data leaves it, if it is another one. If that has no
        value, rounding decides, too.
    """

    number: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]+$")]
    of: Annotated[str | None, NameOf("algorithm")] = None

    @classmethod
    def long_form(cls, block: Any) -> Any:
        """Return the block of a number that is only a name."""
        return {"number": block} if isinstance(block, str) else block


class AlgorithmConfig(ConfigBlock):
    """One algorithm (a column): an estimator with its `params`, and which of its stages is scored.

    Attributes
    ----------
    label : str or None
        The heading in tables and figures; the algorithm's name if not given. In a sweep,
        `{value}` stands for the value of the member.
    estimator : str, dict or None
        The classifier: a name of ours or of scikit-learn, an import path
        `package.module:Class`, or a block `{estimator: NAME, params: {...}}`. Give this or
        `pipeline`.
    pipeline : list or None
        The steps of a scikit-learn pipeline, each written as an `estimator`. Each step is
        fitted on what the step before makes of the training rows.
    params : dict
        The parameters of the estimator; `step__C` sets a parameter of a part.
    params_of : dict of str to dict
        Parameters on single data sets, which replace those of `params` there: data sets, each with
        its parameters, or the name of a CSV file of them. A key may be a path, such as
        `estimator.params.C`.
    datasets : tuple of str or None
        The data sets on which it runs; all if not given.
    grid : dict or None
        The values to try for each parameter. Each combination is fitted; `stage` says which one
        is scored.
    stage : str
        Which fit is scored. `last`: the only one, or the last stage. `best-on-test`: the one
        with the smallest test error, an oracle, since it reads the test labels.
        `best-on-validation`: the best point of the grid on a third of the training rows, fitted
        again on all of them. Ties go to the first.
    share_gram : bool
        Whether the estimator gets the Gram matrix of the study's kernel; with `false` it gets
        the inputs and computes its own kernel.
    search_on : int or None
        For a search such as GridSearchCV: it is made on the training rows of the first so many
        realizations alone. All realizations then use the median of each number that it chose
        there, and of names the most frequent.
    record : tuple of str
        What is kept beside the test error and the numbers that the fit leaves: fitted array
        attributes (curves), `train_error`, `staged_test_error`, `staged_test_accuracy`,
        `staged_train_error`.
    seed : str or None
        A name that random seeds are computed from, by default the algorithm's. Algorithms with
        the same seed draw the same random numbers.
    depends : tuple of str
        Files that the estimator reads, relative to the config; `*` stands for any name, a
        folder for all files in it. If one of them changes, the cells are run again.
    orders : int
        On how many orders of the training rows the algorithm is fitted in each realization; the
        values are means over them. For an algorithm whose error depends on rounding. The first
        order is that of the split; curves, the chosen stage and timings are of the first order.
    one_vs_rest : bool
        Whether data of more than two classes are learnt one class against the rest, also by a
        classifier that takes them itself. Classifiers for two classes always learn them so.
    undetermined_at_zero : ProofConfig or None
        A number that the fit leaves. If it is 0 in most realizations, rounding decides the
        predictions, and the verdict is `? rounding`.
    deterministic : bool or None
        Whether the algorithm draws no random numbers. If not given, the run finds out: it fits the
        algorithm with two seeds and compares the predictions.
    sweep : SweepConfig or None
        One key and its values: the algorithm stands for several, named `NAME-VALUE`, which
        differ in that key. The key may be a path, such as `params.C`.
    copy_of : str or None
        The algorithm that this one is a copy of, for a variant of a reading, which fills it in.
        Copies are run, but shown only where they are named.
    """

    hints: ClassVar = hints.ALGORITHM
    called: ClassVar = "an algorithm"

    label: str | None = None
    estimator: Any = None
    pipeline: Annotated[list[Any], Field(min_length=1)] | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    params_of: Annotated[dict[str, dict[str, Any]], NameOf("data set", if_gone="key")] = Field(
        default_factory=dict
    )
    datasets: Annotated[tuple[str, ...] | None, NameOf("data set", if_gone="empty")] = None
    grid: dict[str, list[Any]] | None = None
    stage: Literal["last", "best-on-test", "best-on-validation"] = "last"
    search_on: int | None = Field(default=None, ge=1)
    share_gram: bool = True
    record: Names = ()
    seed: str | None = None
    depends: Names = ()
    orders: int = Field(default=1, ge=1)
    one_vs_rest: bool = False
    undetermined_at_zero: ProofConfig | None = None
    deterministic: bool | None = None
    sweep: SweepConfig | None = None
    copy_of: str | None = None

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
        return self

    @model_validator(mode="after")
    def _choice_among_points(self) -> Self:
        if self.grid is not None and self.stage == "last":
            raise ValueError(
                "a `grid:` needs `stage: best-on-test` or `best-on-validation` to choose among its "
                "points"
            )
        if self.stage == "best-on-validation":
            if self.grid is None:
                raise ValueError(
                    f"`stage: {self.stage}` chooses among the points of a `grid:`, which is missing"
                )
            if self.orders > 1:
                raise ValueError(
                    "`orders:` is for one problem in several orders of its training rows, and "
                    f"`stage: {self.stage}` would hold out other rows in each: leave out one"
                )
        if self.grid is not None and not all(self.grid.values()):
            raise ValueError("a `grid:` needs at least one value for each parameter")
        return self

    def runs_on(self, dataset: str) -> bool:
        """Return whether its `datasets:` has a data set."""
        return self.datasets is None or dataset in self.datasets

    @property
    def is_dummy(self) -> bool:
        """Whether the estimator is scikit-learn's DummyClassifier, which ignores the inputs."""
        return str(self.estimator).rpartition(":")[2] == "DummyClassifier"

    @property
    def spec(self) -> Any:
        """The estimator as its name, or as the block of a pipeline or another block."""
        return self.estimator if self.pipeline is None else {"pipeline": self.pipeline}
