"""A study's folder, and the values of its cells, which all reports ask for."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ensvm.data.splits import OfficialSplit
from ensvm.records.identity import by_value
from ensvm.records.record import Identity, Record, Run
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    SHIPPED_FILE,
    folders_in,
    records_in,
)
from ensvm.report.current_config import current_config
from ensvm.shipped import SHIPPED
from ensvm.study.config import StudyConfig
from ensvm.study.metrics import CHOSEN, DATA_CELL, SEARCH, SECONDS, Unit, is_predicted, unit_of
from ensvm.study.passes import RunPass, ValueOf
from ensvm.study.printed import Place, Published

Asked = TypeVar("Asked")
Found = TypeVar("Found")
AnswerStatus: TypeAlias = Literal[
    "ok", "incomplete", "failed", "timeout", "unavailable", "missing", "mixed"
]

NOT_RECORDED = (
    "not recorded: with `metrics: {metric}` in the config, `ensvm run` does these cells again"
)
FAILURES = ("failed", "timeout")


@dataclass(frozen=True)
class Study:
    """A study: its config, the printed numbers, and the records of what was run in a folder.

    Files about the study are written into `folder`. `note` says if the config differs from that of
    the last run. `shipped` says that the records come with ensvm.
    """

    folder: Path
    config: StudyConfig
    published: Mapping[Place, Published]
    records: Mapping[Identity, Record]
    note: str = ""
    shipped: bool = False

    @cached_property
    def known(self) -> dict[Any, Any]:
        """What functions decorated with `once` have returned for this study."""
        return {}

    @property
    def failed(self) -> list[Record]:
        """The records of the cells that failed or timed out."""
        return [record for record in self.records.values() if record.status in FAILURES]

    @property
    def missing_data(self) -> list[str]:
        """The data sets that could not be loaded."""
        records = self.records.values()
        return sorted({record.dataset for record in records if record.status == "unavailable"})

    @cached_property
    def by_cell(self) -> Mapping[ValueOf, list[Record]]:
        """The records by data set, algorithm and pass, in the order of the realizations."""
        return by_value([self.records[identity] for identity in sorted(self.records)])


def find_studies(results: Path) -> list[Path]:
    """Return the folders of the studies that were run in `results`: itself, or those in it."""
    return [
        folder
        for folder in (folders_in(results) if results.is_dir() else [])
        if (folder / CONFIG_COPY).is_file() and (folder / CELLS_FILE).is_file()
    ]


def find_shown(results: Path) -> list[Path]:
    """Return the folders of the studies that reports on `results` show.

    These are the studies that were run there. If nothing was run there, they are the studies whose
    results come with ensvm, if `results` holds them: itself, or in its folder `shipped`.
    """
    return find_studies(results) or [
        folder
        for place in (results, results / SHIPPED)
        for folder in (folders_in(place) if place.is_dir() else [])
        if (folder / CONFIG_COPY).is_file() and is_shipped(folder)
    ]


def is_shipped(folder: Path) -> bool:
    """Return whether a study's folder holds results that come with ensvm, and nothing was run."""
    return (folder / SHIPPED_FILE).is_file() and not (folder / CELLS_FILE).is_file()


def read_study(folder: Path) -> Study:
    """Read what was run in a study's folder, or the shipped results in it.

    Files about shipped results are written into `report/STUDY`.
    """
    if is_shipped(folder):
        return read_shipped_study(folder, Path("report", folder.resolve().name))
    return _study(folder, folder / CELLS_FILE, folder)


def read_shipped_study(shipped: Path, folder: Path) -> Study:
    """Read the results that come with ensvm; files about them are written into `folder`."""
    return replace(_study(shipped, shipped / SHIPPED_FILE, folder), shipped=True)


def _study(place: Path, cells: Path, folder: Path) -> Study:
    current = current_config(place)
    records = with_draws(records_in(cells), current.config)
    derived = current.config.derived
    note = " ".join(filter(None, ["" if derived is None else derived.sentence, current.note]))
    return Study(folder, current.config, current.published, records, note)


def with_draws(records: Mapping[Identity, Record], config: StudyConfig) -> dict[Identity, Record]:
    """Return records in which all realizations of a cell say whether its algorithm draws.

    The first realization found out, unless the config's `deterministic:` says it. Another seed may
    have given the same predictions by chance: an algorithm that errs differently in realizations of
    the same rows draws, too.
    """
    found: dict[tuple[str, str, str], bool] = {}
    errors: dict[tuple[str, str, str], set[Any]] = {}
    for one in records.values():
        key = (one.dataset, one.algorithm, one.settings_key)
        if one.draws is not None:
            found[key] = one.draws
        split = one.settings.split
        if isinstance(split, OfficialSplit) and split.realizations and one.ok:
            errors.setdefault(key, set()).add(one.metrics.get("n_errors"))
    found |= {key: True for key, counts in errors.items() if len(counts) > 1}
    completed = dict(records)
    for identity, one in records.items():
        block = config.algorithms.get(one.algorithm)
        draws = found.get((one.dataset, one.algorithm, one.settings_key))
        if block is not None and block.deterministic is not None:
            draws = not block.deterministic
        if draws != one.draws:
            completed[identity] = replace(one, draws=draws)
    return completed


@dataclass(frozen=True)
class Question:
    """A request for the values of an algorithm on a data set in a metric.

    The algorithm is `data` for facts of the data; seconds come only from the timing pass. If the
    metric is a curve, `stage` is the number of the entry, from 1, or `all`. A curve that is
    shorter repeats its last value, because an ensemble that stopped early does not change any more.
    `host` is the machine whose timings are wanted; those of any machine if empty. `unavailable`
    says why there are no values.
    """

    row: str
    algorithm: str
    metric: str
    run_pass: RunPass = "error"
    stage: int | Literal["all"] | None = None
    host: str = ""
    unavailable: str | None = None


@dataclass(frozen=True)
class Answer:
    """The values of a cell over its realizations, or why there are none.

    `values` has the recorded numbers, or whole curves, by realization, and `records` what is behind
    them. `status` is `ok`, or `incomplete` if some realizations (`n_not_ok` of them) have no value;
    otherwise there are none, and the status says why, and `reason` explains it; `mixed` means
    seconds of several machines.
    """

    question: Question
    values: Mapping[int, Any]
    status: AnswerStatus = "ok"
    reason: str = ""
    n_not_ok: int = 0
    records: Mapping[int, Record] = field(default_factory=dict)

    @property
    def unit(self) -> Unit:
        """The unit in which the values are shown."""
        return unit_of(self.question.metric)

    @property
    def n_warned(self) -> int:
        """How many of the records behind the values gave a warning."""
        return sum(bool(record.warnings) for record in self.records.values())

    @property
    def why(self) -> str:
        """The status and the reason in one text; only the reason if nothing was run."""
        return self.reason if self.status == "missing" else f"{self.status}: {self.reason}"

    def shown(self) -> NDArray[np.float64]:
        """Return the values in the unit they are shown in, in the order of the realizations."""
        return np.array([float(value) for value in self.values.values()]) * self.unit.scale

    def over(self, realizations: Collection[int]) -> "Answer":
        """Return the answer restricted to some realizations."""
        values = {number: value for number, value in self.values.items() if number in realizations}
        return replace(self, values=values, records={n: self.records[n] for n in values})

    def by_order(self) -> NDArray[np.float64] | None:
        """Return the values of every order of the training rows, in the unit they are shown in.

        The array has shape (n_realizations, n_orders). None if the algorithm has no `orders:`, or
        for curves and seconds, which have no value of each order.
        """
        metric = self.question.metric
        values = [record.by_order.get(metric) or [] for record in self.records.values()]
        lengths = {len(of_orders) for of_orders in values}
        if len(lengths) != 1 or 0 in lengths:
            return None
        return np.array(values, dtype=np.float64) * self.unit.scale


def once(function: Callable[[Study, Asked], Found]) -> Callable[[Study, Asked], Found]:
    """Return a function of a study and of a part of its config or a question, which remembers.

    Tables, pages, claims and readings of one study ask for the same things. Callers must not change
    what the function returned.
    """

    @wraps(function)
    def remembered(study: Study, asked: Asked) -> Found:
        """Return what the function found, now or at an earlier call."""
        # Parts of a config have no hash, so their id is the key. They are kept in memory, so that
        # no new object gets the same id.
        of_question = isinstance(asked, Question)
        key = (function.__qualname__, asked if of_question else id(asked))
        if key not in study.known:
            study.known[key] = asked, function(study, asked)
        found: Found = study.known[key][1]
        return found

    return remembered


@once
def ask(study: Study, question: Question) -> Answer:
    """Return the values that answer a question, or why there are none.

    All values come from records with the settings of the newest record, and all seconds from one
    machine.
    """
    if reason := question.unavailable or study.config.dataset(question.row).unavailable:
        return Answer(question, {}, "unavailable", reason)
    value_key = question.row, question.algorithm, question.run_pass
    records = study.by_cell.get(value_key, [])
    newest = max(records, key=lambda record: (record.time, record.realization), default=None)
    records = [one for one in records if newest and one.settings_key == newest.settings_key]
    if question.host and question.host not in (hosts := machines(records)) and hosts:
        reason = f"timed on {', '.join(hosts)}; the table shows seconds of {question.host}"
        return Answer(question, {}, "mixed", reason)
    if question.host:
        records = [one for one in records if question.host in machines([one])]
    values: dict[int, Any] = {}
    behind: dict[int, Record] = {}
    problems: Counter[tuple[AnswerStatus, str]] = Counter()
    for record in records:
        if not record.ok:
            problems[record.status, record.reason] += 1
            continue
        value = _value(record, question)
        if isinstance(value, str):
            problems["missing", value] += 1
        elif value is not None:
            values[record.realization], behind[record.realization] = value, record
    if mixture := mixed_machines(behind.values(), question.metric):
        return Answer(question, {}, "mixed", mixture, problems.total())
    status, reason = _status(study, question, len(records), problems, bool(values))
    return Answer(question, values, status, reason, problems.total(), behind)


def _status(
    study: Study,
    question: Question,
    n_records: int,
    problems: Counter[tuple[AnswerStatus, str]],
    has_values: bool,
) -> tuple[AnswerStatus, str]:
    """Return the status of an answer, and the reason of any but `ok`."""
    if problems:
        [((status, reason), count)] = problems.most_common(1)
        if not has_values:
            return status, reason
        without = f"{problems.total()} of {n_records} realizations have no value"
        return "incomplete", f"{without}, most often ({count}): {reason}"
    if has_values:
        return "ok", ""
    if n_records:
        return "missing", f"the algorithm leaves no {question.metric!r}"
    config, name = study.config, question.algorithm
    is_asked_for = name == DATA_CELL or (
        name in config.algorithms_of(config.dataset(question.row))
        and (question.run_pass == "error" or config.times(question.row, name))
    )
    return "missing", "not run yet" if is_asked_for else "not asked for by the config"


def shared_realizations(answers: Iterable[Answer]) -> list[int]:
    """Return the realizations of which all answers have a value."""
    return sorted(set.intersection(*(set(answer.values) for answer in answers)))


def paired_values(*answers: Answer) -> NDArray[np.float64]:
    """Return the recorded values of the shared realizations, of shape (n_shared, n_answers)."""
    values = [[answer.values[n] for answer in answers] for n in shared_realizations(answers)]
    return np.array(values, dtype=np.float64).reshape(-1, len(answers))


def alarms_of(study: Study) -> list[str]:
    """Return what may spoil a study's results: alarms about its data, recorded by its run."""
    return [
        f"{record.dataset}: {text}"
        for record in study.records.values()
        if record.algorithm == DATA_CELL
        for text in record.warnings
    ]


def mixed_machines(records: Iterable[Record], metric: str) -> str:
    """Return an error message if the timings come from different machines, else an empty string."""
    hosts = machines(records)
    if unit_of(metric) != SECONDS or len(hosts) < 2:
        return ""
    return f"seconds of different machines ({', '.join(hosts)}) are not put together"


def machines(records: Iterable[Record]) -> dict[str, str]:
    """Return the hosts on which records were timed, each with its processor."""
    hosts: dict[str, str] = {}
    for record in records:
        if record.conditions is not None:
            processor = record.run.processor if record.run else ""
            hosts[record.conditions.host] = processor or hosts.get(record.conditions.host, "")
    return dict(sorted(hosts.items()))


def runs_of(records: Iterable[Record]) -> dict[str, Run]:
    """Return the runs that made some records, by their id."""
    return {record.run.id: record.run for record in records if record.run is not None}


def days_of(records: Iterable[Record]) -> str:
    """Return the day on which some records were made, or the first and the last."""
    days = sorted({record.time[:10] for record in records if record.time})
    return " to ".join(dict.fromkeys([days[0], days[-1]])) if days else ""


def commits_of(runs: Iterable[Run]) -> str:
    """Return the commits of some runs, and whether their checkouts had changes."""
    commits = {f"{run.commit[:10]}{'+changes' * bool(run.dirty)}" for run in runs if run.commit}
    return ", ".join(sorted(commits))


def processors_of(runs: Iterable[Run]) -> list[str]:
    """Return the processor and BLAS of every machine of some runs, which affect rounding."""
    return sorted({run.arithmetic for run in runs} - {""})


def _value(record: Record, question: Question) -> Any:
    """Return the value of a cell that ended well, the reason why it has none, or None."""
    metric, stage = question.metric, question.stage
    if stage is None:
        if question.run_pass == "error" and unit_of(metric) == SECONDS:
            return None
        seconds = record.seconds if question.run_pass == "timing" else {}
        if metric.startswith(CHOSEN):
            value = (record.stage or {}).get(metric.removeprefix(CHOSEN))
            return f"a search chose {value!r}" if isinstance(value, str) else value
        value = {**record.metrics, **seconds}.get(metric)
        if value is None and record.algorithm != DATA_CELL and is_predicted(metric):
            return record.scores.get(metric, NOT_RECORDED.format(metric=metric))
        return None if isinstance(value, str) else value  # fitted attributes may be texts
    curve = record.curves.get(metric) or []
    dimensions = _dimensions(curve)
    if stage == "all":
        may_be_texts = metric.startswith(f"{SEARCH}.")  # the values of a parameter
        return curve if curve and (dimensions or may_be_texts) else None
    return curve[min(stage, len(curve)) - 1] if curve and dimensions == 1 else None


def _dimensions(curve: list[Any]) -> int:
    """Return the number of dimensions of an array of numbers; 0 for texts, or uneven lists."""
    try:
        return np.asarray(curve, dtype=np.float64).ndim
    except (OverflowError, TypeError, ValueError):
        return 0


def values_of(scores: Mapping[str, float | str]) -> dict[str, float]:
    """Return the metrics that have a value."""
    return {name: value for name, value in scores.items() if not isinstance(value, str)}
