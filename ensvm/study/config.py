"""The words of a study's YAML, block by block: data sets, algorithms, timing, tables, assumptions."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, field_validator, model_validator

from ensvm.study.block import Id, Name, Names, Words
from ensvm.study.claim import ClaimWords
from ensvm.study.figure import AnyFigure

DATA_FACTS = ("dim", "n_train", "n_test", "rows", "classes")
TRAIN_ERROR = "train_error"
# Curves over an algorithm's stages, and the rows they are about.
STAGED = {
    "staged_test_error": "test",
    "staged_test_accuracy": "test",
    "staged_train_error": "train",
}
DATA_CELL = "data"  # the reserved algorithm name of the cell that states a data set's facts


class KernelWords(Words):
    """The kernel all algorithms of a study share unless their own `params` say otherwise.

    `dtype` is the precision of shared Gram matrices; float32 halves their memory.
    """

    kernel: Literal["linear", "poly", "rbf"] = "rbf"
    gamma: float | Literal["scale", "auto", "mean-distance"] | None = None
    degree: int | None = None
    coef0: float | None = None
    dtype: Literal["float64", "float32"] = "float64"

    def params(self) -> dict[str, Any]:
        """Return the given words as estimator parameters."""
        return self.model_dump(exclude_none=True, exclude={"dtype"})


class SweepWords(Words):
    """What a member of a sweep is part `of`, the `word` that is swept, and its `value` (see `ensvm.study.sweeps`)."""

    of: Name
    word: str
    value: int | float | str


class DatasetWords(Words):
    """One data set of a study: a card's name, or a file of the user's own given by `path`.

    `name` is the row's name in the tables; `card` the card it stands for (default: the same name).
    `split`, `scaling` and `options` (of a generator) change what the card says, `kernel` what the
    study says. `realizations_of` has the most realizations of single algorithms, for where more
    would be the same again. With `path`, the remaining keys describe the file, as
    `ensvm.data.inline_card` reads them. `unavailable` is the reason why a row has no figures.
    """

    model_config = ConfigDict(extra="allow", frozen=True)

    name: Name
    card: str | None = None
    path: str | None = None
    unavailable: str | None = None
    split: dict[str, Any] | None = None
    scaling: str | None = None
    options: dict[str, Any] | None = None
    kernel: KernelWords | None = None
    algorithms: tuple[str, ...] | None = None
    realizations: int | None = Field(default=None, ge=1)
    realizations_of: dict[str, Annotated[int, Field(ge=1)]] = Field(default_factory=dict)
    sweep: SweepWords | None = None

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, entry: Any) -> Any:
        if isinstance(entry, str):
            return {"name": entry}
        if isinstance(entry, dict) and "name" not in entry and ("path" in entry or "card" in entry):
            return {"name": Path(str(entry.get("path", entry.get("card")))).stem, **entry}
        return entry

    @classmethod
    def _known_keys(cls, block: dict[str, Any]) -> list[str] | None:
        return None if "path" in block else super()._known_keys(block)

    def file_words(self) -> dict[str, Any]:
        """Return the keys that describe the user's own file."""
        words = {"name": self.name, "path": self.path, **(self.model_extra or {})}
        words |= {"split": self.split, "scaling": self.scaling}
        return {word: value for word, value in words.items() if value is not None}


class AlgorithmWords(Words):
    """One algorithm (a column): an estimator with parameters, and which of its stages is scored.

    `grid` turns any classifier into a staged one, one stage a grid point. `stage: best-on-test`
    scores the stage with the smallest test error (an oracle: it reads the test labels, as the
    papers' SVM(BEST) does); `best-on-validation` holds out a third of the training rows to choose a
    grid point, then fits it on all of them. Ties go to the earliest. With `share_gram: false` the
    estimator is given X and computes its own kernel, as a user would run it. `record` names what is
    kept beside the test error and the fitted scalars: fitted array attributes (curves),
    `train_error`, and the figures of all stages, `staged_test_error`, `staged_test_accuracy` and
    `staged_train_error`. Algorithms with the same `seed` (a word) draw the same random numbers.
    """

    label: str | None = None
    estimator: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    grid: dict[str, list[Any]] | None = None
    stage: Literal["last", "best-on-test", "best-on-validation"] = "last"
    share_gram: bool = True
    record: tuple[str, ...] = ()
    seed: str | None = None
    unavailable: str | None = None
    sweep: SweepWords | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.estimator is None) == (self.unavailable is None):
            raise ValueError(
                "give either `estimator:` (a name or package.module:Class) or `unavailable:` (a reason)"
            )
        if self.grid is not None and self.stage == "last":
            raise ValueError(
                "a `grid:` needs `stage: best-on-test` or `best-on-validation` to choose among its points"
            )
        if self.grid is None and self.stage == "best-on-validation":
            raise ValueError(
                "`stage: best-on-validation` chooses among the points of a `grid:`, which is missing"
            )
        if self.grid is not None and not all(self.grid.values()):
            raise ValueError("a `grid:` needs at least one value for each parameter")
        return self


class TimingWords(Words):
    """The timing pass: these algorithms again, alone on the machine, each with a Gram matrix of its own.

    `blas_threads` holds for the whole pass; None for `algorithms` or `datasets` means all.
    """

    algorithms: tuple[str, ...] | None = None
    datasets: tuple[str, ...] | None = None
    realizations: int = Field(default=1, ge=1)
    blas_threads: int = Field(default=1, ge=1)


class ColumnWords(Words):
    """A column of a table: the metric of one algorithm (by default the one called as the column is).

    With `stage` the metric is a curve (a word of `record:`), and that entry of it is shown, the
    first being 1; a curve that ended before stays at its last. `decimals` is how many the Markdown
    shows, `margin` that of the verdict; by default the table's.
    """

    name: Name
    label: str | None = None
    algorithm: str | None = None
    metric: str | None = None
    stage: int | None = Field(default=None, ge=1)
    decimals: int | None = Field(default=None, ge=0, le=6)
    margin: float | None = Field(default=None, ge=0)

    def of(self, table: "TableWords") -> str:
        """Return what the column shows: an algorithm's name, or a fact's in a table of the data."""
        return (self.metric if table.of == "data" else self.algorithm) or self.name


class TableWords(Words):
    """Layout of one table as in the paper: of results (the error pass), of the timing pass, or of facts of the data.

    `underline` names columns that are underlined where they are significantly better (as `best`
    says) than all the columns named with them: one-sided Welch t test at 5 % over independent
    realizations. The figures of an `exact` table have no sampling error: they are reproduced where
    they differ from the printed ones by at most the margin.
    """

    id: Id
    caption: str
    of: Literal["results", "timing", "data"] = "results"
    metric: str = "error"
    rows: tuple[str, ...] | None = None
    columns: tuple[ColumnWords, ...]
    margin: float = Field(default=1.0, ge=0)
    exact: bool = False
    decimals: int = Field(default=1, ge=0, le=6)
    best: Literal["min", "max", "none"] = "min"
    underline: dict[str, Names] = Field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def metric_of(self, column: ColumnWords) -> str:
        """Return the metric that a column shows; in a table of the data, the fact."""
        return column.of(self) if self.of == "data" else column.metric or self.metric

    def margin_of(self, column: ColumnWords) -> float:
        """Return the margin of a column's verdicts."""
        return self.margin if column.margin is None else column.margin

    def decimals_of(self, column: ColumnWords) -> int:
        """Return how many decimals a column shows; facts of the data are whole numbers."""
        if column.decimals is not None:
            return column.decimals
        return 0 if self.of == "data" else self.decimals

    @field_validator("columns", mode="before")
    @classmethod
    def _short_columns(cls, columns: Any) -> Any:
        return [{"name": column} if isinstance(column, str) else column for column in columns or []]


class Assumption(Words):
    """What the paper leaves open and how it was resolved; printed under the tables it touches (all, if none is named)."""

    id: Name
    text: str
    tables: tuple[Id, ...] | None = None


class StudyConfig(Words):
    """One study: what `ensvm run` runs and `ensvm table` lays out."""

    study: Name
    title: str = ""
    citation: str = ""
    realizations: int = Field(default=1, ge=1)
    kernel: KernelWords | None = None
    datasets: tuple[DatasetWords, ...] = Field(min_length=1)
    algorithms: dict[Name, AlgorithmWords] = Field(min_length=1)
    timing: TimingWords | None = None
    tables: tuple[TableWords, ...] = ()
    figures: tuple[AnyFigure, ...] = ()
    claims: tuple[ClaimWords, ...] = ()
    published: str | None = None
    reproduce: bool = True  # False for a variant of another study: `make reproduce` leaves it out
    assumptions: tuple[Assumption, ...] = ()

    def dataset(self, name: str) -> DatasetWords:
        """Return the data set whose row is called `name`."""
        return next(entry for entry in self.datasets if entry.name == name)

    def algorithms_of(self, dataset: DatasetWords) -> tuple[str, ...]:
        """Return the names of the algorithms that run on `dataset`, in the order of the config."""
        return tuple(self.algorithms) if dataset.algorithms is None else dataset.algorithms

    def kernel_of(self, dataset: DatasetWords) -> KernelWords | None:
        """Return the kernel that the algorithms share on `dataset`: the study's, with the data set's own words."""
        if dataset.kernel is None or self.kernel is None:
            return dataset.kernel or self.kernel
        return self.kernel.model_copy(update=dataset.kernel.model_dump(exclude_unset=True))

    def sweep_values(self, name: str) -> dict[str, int | float | str]:
        """Return the members of a sweep of data sets or algorithms, each with its value; none for another name."""
        swept = [(entry.name, entry.sweep) for entry in self.datasets]
        swept += [(algorithm, words.sweep) for algorithm, words in self.algorithms.items()]
        return {
            member: sweep.value for member, sweep in swept if sweep is not None and sweep.of == name
        }

    def times(self, dataset: str, algorithm: str) -> bool:
        """Return whether the timing pass has this cell."""
        words = self.timing
        if words is None:
            return False
        return (words.datasets is None or dataset in words.datasets) and (
            words.algorithms is None or algorithm in words.algorithms
        )

    def rows_of(self, table: TableWords) -> tuple[str, ...]:
        """Return the rows of a table: its own, or every data set."""
        return tuple(entry.name for entry in self.datasets) if table.rows is None else table.rows
