"""Records of cells and runs: frozen dataclasses, JSON objects on disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

from ensvm.records.validation import (
    NO_OTHER_KEYS,
    Confusion,
    Flag,
    FromOne,
    Integer,
    Key,
    Name,
    Number,
    Scalar,
    Seconds,
    Settings,
    checked,
)

RunPass: TypeAlias = Literal["error", "timing"]
Status: TypeAlias = Literal["ok", "failed", "timeout", "unavailable"]
Identity: TypeAlias = tuple[str, int, str, RunPass]  # data set (row), realization, algorithm, pass


@dataclass(frozen=True)
class Run:
    """Where and with what a run was made.

    Attributes
    ----------
    id : str
        Names the run in its records.
    time : str
        When it began, in UTC and ISO 8601.
    python, platform, host, processor : str
        The interpreter's version, the operating system, the machine's name, its kind of processor.
    cpus, jobs : int
        The processors there were, and the cells run at a time.
    packages : dict
        The versions of the packages that values can depend on.
    blas : list of str
        The BLAS libraries loaded, with their versions and the kind of processor they work for.
    commit : str or None
        The commit of the checkout that the code was run from; None without a checkout.
    dirty : bool or None
        Whether that checkout had uncommitted changes.
    command : list of str
        The arguments of the command line.
    """

    __pydantic_config__: ClassVar = NO_OTHER_KEYS

    id: Name
    time: str = ""
    python: str = ""
    platform: str = ""
    host: str = ""
    processor: str = ""
    cpus: Integer | None = None
    jobs: Integer = 1
    packages: Mapping[str, str] = field(default_factory=dict)
    blas: tuple[str, ...] = ()
    commit: str | None = None
    dirty: Flag | None = None
    command: tuple[str, ...] = ()

    @property
    def arithmetic(self) -> str:
        """What rounding depends on: the processor, and the kind of processor BLAS works for."""
        # An entry is the library, its version and, if the library names one, the kind.
        parts = [library.split() for library in self.blas]
        kinds = {f"{names[0]} {names[-1]}" for names in parts if not names[-1][:1].isdigit()}
        blas = ", ".join(sorted(kinds)).replace("openblas", "OpenBLAS")
        return f"{self.processor} ({blas})" if self.processor and blas else self.processor or blas

    def to_json(self) -> dict[str, Any]:
        """Return the run as a JSON object."""
        return {"kind": "run", **{entry.name: getattr(self, entry.name) for entry in fields(self)}}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Return the run of a JSON object; raises ValueError as `validation.checked` does."""
        return checked(cls, line)


@dataclass(frozen=True)
class Conditions:
    """The conditions of a timing, as they were observed.

    Attributes
    ----------
    host : str
        The machine's name: seconds of different machines are never averaged.
    blas_threads : int
        The most threads that a BLAS library or OpenMP had while the cell ran.
    load_before : float or None
        The machine's load average over one minute before the cell; None if unknown.
    warm : bool
        Whether the warm-up before the cell succeeded: then nothing was compiled in its seconds.
    """

    __pydantic_config__: ClassVar = NO_OTHER_KEYS

    host: str
    blas_threads: Integer
    load_before: Number | None
    warm: Flag


@dataclass(frozen=True)
class Record:
    """The record of one cell: its identity, how it ended, and its values.

    Attributes
    ----------
    study, dataset, algorithm : str
        The study, the row and the column of the cell.
    realization : int
        The number of the realization, from 1.
    run_pass : 'error' or 'timing'
        The pass; `pass` in JSON.
    status : 'ok', 'failed', 'timeout' or 'unavailable'
        How it ended; `reason` and `traceback` say why it is not ok.
    key, settings_key : str
        Hashes of what the cell is, and of its settings apart from the realization.
    settings : dict
        What the cell is: data, split, algorithm, the code it ran through.
    run_id, time : str
        The run that made it, and when, in UTC.
    metrics : dict
        Test error (a fraction), and the scalars that the fit left.
    seconds : dict
        Wall and CPU seconds by part.
    scores : dict of str to float or str
        The metrics of the test predictions that the study asks for, or why there is none.
    confusion : dict
        Counts of test rows by true and predicted label; see `predictions.confusion_of`.
    predictions : dict of str to str
        The files with the test predictions, if they are kept; see `predictions.packed`.
    files : dict of str to str
        The content of these files, in base64, until the store has written them.
    curves : dict of lists
        What the algorithm's `record:` asks for, value by value.
    by_order : dict of lists
        The numeric metrics of each order of the training rows if `orders:` asks for several;
        `metrics` and `seconds` are then means over the orders.
    stage : dict or None
        The stage or grid point that was chosen among `n_stages`, if any.
    validation_error : float or None
        The error on held-out training rows by which it was chosen.
    conditions : Conditions or None
        The conditions of a timing.
    warnings : tuple of str
        The distinct warnings that the cell gave.
    run : Run or None
        The run that made it, set when read from a store, which has a line for each run.
    """

    __pydantic_config__: ClassVar = NO_OTHER_KEYS

    study: Name
    dataset: Name
    realization: FromOne
    algorithm: Name
    status: Status
    key: Key
    settings_key: Key
    run_pass: RunPass = "error"
    reason: str = ""
    settings: Settings = field(default_factory=dict)
    run_id: Key = ""
    time: str = ""
    metrics: Mapping[str, Scalar] = field(default_factory=dict)
    seconds: Seconds = field(default_factory=dict)
    scores: Mapping[str, Number | str] = field(default_factory=dict)
    confusion: Confusion = field(default_factory=dict)
    predictions: Mapping[str, Name] = field(default_factory=dict)
    files: Mapping[Name, str] = field(default_factory=dict, compare=False, repr=False)
    curves: Mapping[str, list[Any]] = field(default_factory=dict)
    by_order: Mapping[str, list[Integer | Number]] = field(default_factory=dict)
    stage: Mapping[str, Any] | None = None
    n_stages: Integer | None = None
    validation_error: Number | None = None
    conditions: Conditions | None = None
    warnings: tuple[str, ...] = ()
    traceback: str = ""
    run: Run | None = field(default=None, compare=False)

    @property
    def identity(self) -> Identity:
        """Which cell of the study it is, whatever its settings."""
        return self.dataset, self.realization, self.algorithm, self.run_pass

    @property
    def ok(self) -> bool:
        """Whether the cell ended well."""
        return self.status == "ok"

    def size(self, name: str) -> int | None:
        """Return a number of rows among the metrics, such as `n_test`; None if it has none."""
        value = self.metrics.get(name)
        return value if type(value) is int and value > 0 else None

    def of_run(self, run: Run | None) -> Self:
        """Return the record with the run that made it."""
        return replace(self, run=run)

    def to_json(self) -> dict[str, Any]:
        """Return the record as a JSON object; what is empty is left out, and so is the run."""
        line = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        line["pass"] = line.pop("run_pass")
        del line["run"]
        kept = {key: value for key, value in line.items() if key in ALWAYS or value not in EMPTY}
        if self.conditions is not None:
            kept["conditions"] = vars(self.conditions)
        return {"kind": "cell", **kept}

    @classmethod
    def from_json(cls, line: Mapping[str, Any]) -> Self:
        """Return the record of a JSON object; raises ValueError as `validation.checked` does."""
        return checked(
            cls, {"run_pass" if key == "pass" else key: value for key, value in line.items()}
        )


ALWAYS = ("key", "metrics", "seconds", "reason", "settings")
EMPTY: tuple[Any, ...] = (None, "", (), [], {})
