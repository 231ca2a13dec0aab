"""A study's folder, and the values of its cells, which all reports ask for."""

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ensvm.data.splits import OfficialSplit
from ensvm.errors import UserError
from ensvm.records.answering import Answering, answering, asked_by_newest
from ensvm.records.asked import Asked, read_asked
from ensvm.records.identity import by_value
from ensvm.records.record import Identity, Record, Run
from ensvm.records.settings import NOT_SET
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    SHIPPED_FILE,
    folders_in,
    records_in,
)
from ensvm.report.current_config import current_config
from ensvm.shipped import RESULTS, SHIPPED, shipped_config
from ensvm.study.config import StudyConfig
from ensvm.study.metrics import (
    CHOSEN,
    DATA_CELL,
    PARAMETER,
    SEARCH,
    SECONDS,
    Unit,
    is_predicted,
    unit_of,
)
from ensvm.study.passes import RunPass, ValueOf
from ensvm.study.printed import Place, Published
from ensvm.study.published_part import published_values

Thing = TypeVar("Thing")
Found = TypeVar("Found")
AnswerStatus: TypeAlias = Literal[
    "ok", "incomplete", "failed", "timeout", "unavailable", "missing", "stale", "mixed"
]

NOT_RECORDED = (
    "not recorded: with `metrics: {metric}` in the config, `ensvm run` does these cells again"
)
FAILURES = ("failed", "timeout")


@dataclass(frozen=True)
class Study:
    """A study: its config, the printed numbers, and the records of what was run in a folder.

    Files about the study are written into `folder`. `recorded` are all records there; reports show
    `records`, which have the settings that the config asks for. `note` says if the config differs
    from that of the last run. `shipped` says that the records come with ensvm. `asked_by_run` is
    what the config of the last run asks for; None if the folder does not say it.
    """

    folder: Path
    config: StudyConfig
    published: Mapping[Place, Published]
    recorded: Mapping[Identity, Record]
    note: str = ""
    shipped: bool = False
    asked_by_run: Asked | None = None

    @cached_property
    def answering(self) -> Answering:
        """The records divided by whether they have the settings that the config asks for."""
        asked = self.asked_by_run
        if asked is None:
            recorded = self.recorded.values()
            asked = asked_by_newest(one for one in recorded if self._asks_for(one.value))
        return answering(asked, self.recorded)

    def _asks_for(self, value: ValueOf) -> bool:
        """Return whether the config names a value."""
        row, algorithm, run_pass = value
        entry = next((entry for entry in self.config.datasets if entry.name == row), None)
        if entry is None or algorithm == DATA_CELL:
            return entry is not None
        has_algorithm = algorithm in self.config.algorithms_of(entry)
        return has_algorithm and (run_pass == "error" or self.config.times(row, algorithm))

    @property
    def records(self) -> Mapping[Identity, Record]:
        """The records that have the settings and the realizations that the config asks for."""
        return self.answering.answers

    def n_asked(self, value: ValueOf) -> int | None:
        """Return how many realizations of a value are asked for; None if that is unknown.

        If nothing was run but what the paper shows, they are as many as that needs.
        """
        asked = self.answering.asked.values.get(value)
        if asked is None or asked.realizations is None:
            return None
        enough = self._of_paper_only.get(value, asked.realizations)
        return min(asked.realizations, enough)

    @cached_property
    def _of_paper_only(self) -> Mapping[ValueOf, int]:
        """How many realizations the paper's values need, if no record is of more; else empty."""
        if not self.published:
            return {}
        needed = published_values(self.config, self.published)
        is_more = any(
            record.realization > needed.get(value, 0)
            for value, records in self.by_cell.items()
            for record in records
            if value[1] != DATA_CELL
        )
        return {} if is_more else needed

    @cached_property
    def run_command(self) -> str:
        """The command that runs what the config asks for and no record answers."""
        return command_to_run(config_of(self), self.folder)

    @cached_property
    def left_out(self) -> list[str]:
        """What reports do not show of the records, a sentence each; the first ones can be mended.

        See `is_complete`.
        """
        sentences = self.answering.sentences()
        if sentences:
            sentences[-1] += f"; they are not shown, `{self.run_command}` runs them"
        if not_asked := self.answering.not_asked:
            n = sum(map(len, not_asked.values()))
            sentences.append(f"{n} records that the config does not ask for are not shown")
        if self.asked_by_run is None and not self.shipped:
            sentences.append(
                "the last run was by an older version, which did not record what its config asks"
                f" for: shown are the newest settings of each value; `{self.run_command}` mends it"
            )
        return sentences

    @property
    def is_complete(self) -> bool:
        """Whether no value is left out because it has other settings than those asked for."""
        return not self.answering.stale

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


def read_each(folders: Iterable[Path]) -> Iterator[Study | UserError]:
    """Yield the study in each folder, or the error of one that cannot be read."""
    for folder in folders:
        try:
            yield read_study(folder)
        except UserError as error:
            yield error


def read_shipped_study(shipped: Path, folder: Path) -> Study:
    """Read the results that come with ensvm; files about them are written into `folder`."""
    return replace(_study(shipped, shipped / SHIPPED_FILE, folder), shipped=True)


def _study(place: Path, cells: Path, folder: Path) -> Study:
    current = current_config(place)
    records = with_draws(records_in(cells), current.config)
    derived = current.config.derived
    note = " ".join(filter(None, ["" if derived is None else derived.sentence, current.note]))
    study = Study(folder, current.config, current.published, records, note)
    return replace(study, asked_by_run=read_asked(place))


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

    @property
    def value(self) -> ValueOf:
        """The value whose cells answer it."""
        return self.row, self.algorithm, self.run_pass


@dataclass(frozen=True)
class Answer:
    """The values of a cell over its realizations, or why there are none.

    `values` has the recorded numbers, or whole curves, by realization, and `records` what is behind
    them. `status` is `ok`, or `incomplete` if some of the realizations asked for (`n_without` of
    them) have no value; otherwise there are none, and the status says why, and `reason` explains
    it; `stale` means other settings than those asked for, `mixed` seconds of several machines.
    """

    question: Question
    values: Mapping[int, Any]
    status: AnswerStatus = "ok"
    reason: str = ""
    n_without: int = 0
    records: Mapping[int, Record] = field(default_factory=dict)

    @property
    def is_partial(self) -> bool:
        """Whether some of the realizations asked for have no value."""
        return self.status == "incomplete"

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


def once(function: Callable[[Study, Thing], Found]) -> Callable[[Study, Thing], Found]:
    """Return a function of a study and of a part of its config or a question, which remembers.

    Tables, pages, claims and readings of one study ask for the same things. Callers must not change
    what the function returned.
    """

    @wraps(function)
    def remembered(study: Study, asked: Thing) -> Found:
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

    All values come from records with the settings that the config asks for, and all seconds from
    one machine.
    """
    if reason := question.unavailable or study.config.dataset(question.row).unavailable:
        return Answer(question, {}, "unavailable", reason)
    records = study.by_cell.get(question.value, [])
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
    status, reason = _status(study, question, len(records), problems, len(values))
    n_without = max(study.n_asked(question.value) or 0, len(records)) - len(values)
    return Answer(question, values, status, reason, n_without, behind)


def _status(
    study: Study,
    question: Question,
    n_records: int,
    problems: Counter[tuple[AnswerStatus, str]],
    n_values: int,
) -> tuple[AnswerStatus, str]:
    """Return the status of an answer, and the reason of any but `ok`."""
    value, answering = question.value, study.answering
    n_stale, why_stale = len(answering.stale.get(value, ())), answering.why_stale(value)
    if n_values:
        n = max(study.n_asked(value) or 0, n_records + n_stale)
        reasons = [f"most often ({count}): {why}" for (_, why), count in problems.most_common(1)]
        if n_stale:
            reasons.append(f"{n_stale} with other settings ({why_stale}); {_mend(study)}")
        n_not_run = n - n_records - n_stale
        if n_not_run > 0:
            reasons.append(f"{n_not_run} not run" + " on this machine" * bool(question.host))
        without = f"{n - n_values} of {n} realizations have no value"
        return ("incomplete", ", ".join([without, *reasons])) if reasons else ("ok", "")
    if problems:
        return problems.most_common(1)[0][0]
    if n_records:
        return "missing", f"the algorithm leaves no {question.metric!r}"
    if n_stale:
        return "stale", f"{why_stale}; {_mend(study)}"
    asked = study.asked_by_run
    is_asked = study._asks_for(value) if asked is None else value in asked.values
    return "missing", "not run yet" if is_asked else "not asked for by the config"


def _mend(study: Study) -> str:
    return f"`{study.run_command}` runs it"


def config_of(study: Study) -> str:
    """Return what names a study to `ensvm run`: a shipped study's name, or a file of the user's.

    The file is that of the last run in the records. It is not opened: the text is only shown.
    """
    if shipped_config(study.config.study) is not None:
        return study.config.study
    runs = sorted(runs_of(study.recorded.values()).values(), key=lambda run: run.time)
    configs = [
        part
        for run in runs
        for part in run.command
        if part.endswith((".yaml", ".yml")) and not part.startswith("-")
    ]
    return configs[-1] if configs else f"{study.config.study}.yaml"


def command_to_run(config: str | Path, folder: Path) -> str:
    """Return the shell command that runs a config into a study's folder."""
    results = folder.parent
    option = [] if results == RESULTS else ["--results", str(results)]
    return shlex.join(["ensvm", "run", str(config), *option])


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
        if metric.startswith(PARAMETER) and (method := record.settings.method) is not None:
            value = method.parameter(metric.removeprefix(PARAMETER))
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return value if is_number else f"its {metric} is {_as_text(value)}, not a number"
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


def _as_text(value: Any) -> str:
    return "not set" if value is NOT_SET else repr(value)


def _dimensions(curve: list[Any]) -> int:
    """Return the number of dimensions of an array of numbers; 0 for texts, or uneven lists."""
    try:
        return np.asarray(curve, dtype=np.float64).ndim
    except (OverflowError, TypeError, ValueError):
        return 0


def values_of(scores: Mapping[str, float | str]) -> dict[str, float]:
    """Return the metrics that have a value."""
    return {name: value for name, value in scores.items() if not isinstance(value, str)}
