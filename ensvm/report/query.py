"""The values of a study's cells, which all reports ask for."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ensvm.records.record import Record
from ensvm.records.runs import machines
from ensvm.records.settings import NOT_SET
from ensvm.report.study_folder import Study
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
from ensvm.study.relations import Effect

Thing = TypeVar("Thing")
Returned = TypeVar("Returned")
ResultStatus: TypeAlias = Literal[
    "ok", "incomplete", "failed", "timeout", "unavailable", "missing", "stale", "mixed"
]

NOT_RECORDED = (
    "not recorded: with `metrics: {metric}` in the config, `ensvm run` does these cells again"
)


@dataclass(frozen=True)
class Query:
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
        """The value that it asks for."""
        return self.row, self.algorithm, self.run_pass


@dataclass(frozen=True)
class QueryResult:
    """The values of a cell over its realizations, or why there are none.

    `values` has the recorded numbers, or whole curves, by realization, and `records` what is behind
    them. `status` is `ok`, or `incomplete` if `n_without` of the realizations asked for have no
    value, which `why_without` explains. Any other status means that there are no values, and
    `reason` explains it: `stale` means other settings than those asked for, `mixed` seconds of
    several machines.

    A column that is computed from two others has the `effect` of `parts`, their results, in the
    order that the effect takes. These values are in the unit that tables show.
    """

    query: Query
    values: Mapping[int, Any]
    status: ResultStatus = "ok"
    reason: str = ""
    n_without: int = 0
    records: Mapping[int, Record] = field(default_factory=dict)
    effect: Effect | None = None
    parts: tuple["QueryResult", ...] = ()
    why_without: str = ""

    @property
    def is_partial(self) -> bool:
        """Whether some of the realizations asked for have no value."""
        return self.status == "incomplete"

    @property
    def part_shown(self) -> str:
        """Over how many realizations a partial result is, and why some are missing; else ""."""
        if not self.is_partial:
            return ""
        n = len(self.values) + self.n_without
        return f"over {len(self.values)} of {n} realizations; {self.why_without}"

    @property
    def unit(self) -> Unit:
        """The unit of the values as shown."""
        return unit_of(self.query.metric)

    @property
    def all_records(self) -> list[Record]:
        """The records behind the values; those of both columns, if it is computed from two."""
        if not self.parts:
            return list(self.records.values())
        of_values = (part.over(self.values) for part in self.parts)
        return [record for part in of_values for record in part.records.values()]

    @property
    def pairs(self) -> NDArray[np.float64]:
        """The values of both parts in each realization, as shown; shape (n_realizations, 2)."""
        both = paired_values(*(part.over(self.values) for part in self.parts))
        return both * self.parts[0].unit.scale

    @property
    def n_warned(self) -> int:
        """How many of the records behind the values gave a warning."""
        return sum(bool(record.warnings) for record in self.all_records)

    @property
    def why(self) -> str:
        """The status and the reason in one text; only the reason if nothing was run."""
        return self.reason if self.status == "missing" else f"{self.status}: {self.reason}"

    def shown(self) -> NDArray[np.float64]:
        """Return the values in the unit they are shown in, in the order of the realizations."""
        return np.array([float(value) for value in self.values.values()]) * self.unit.scale

    def over(self, realizations: Collection[int]) -> "QueryResult":
        """Return the result restricted to some realizations."""
        kept = set(realizations)  # of a list, each look-up would take as long as the list
        if kept >= self.values.keys():
            return self
        values = {number: value for number, value in self.values.items() if number in kept}
        return replace(self, values=values, records={n: self.records[n] for n in values})

    def by_order(self) -> NDArray[np.float64] | None:
        """Return the values of every order of the training rows, in the unit they are shown in.

        The array has shape (n_realizations, n_orders). None if the algorithm has no `orders:`, or
        for curves and seconds, which have no value of each order.
        """
        metric = self.query.metric
        values = []
        for record in self.records.values():
            if not (of_orders := record.by_order.get(metric)):
                return None
            values.append(of_orders)
        if len(set(map(len, values))) != 1:
            return None
        return np.array(values, dtype=np.float64) * self.unit.scale


def infinite_values() -> np.errstate:
    """Return a context, or a decorator, in which numpy does not warn of values without a limit.

    Numbers that fits leave may be infinite or near the largest float, and so are their means.
    """
    return np.errstate(over="ignore", invalid="ignore")


def once(function: Callable[[Study, Thing], Returned]) -> Callable[[Study, Thing], Returned]:
    """Return a function of a study and of a part of its config or a query, which remembers.

    Tables, pages, claims and readings of one study ask for the same things. Callers must not change
    what the function returned.
    """

    @wraps(function)
    def remembered(study: Study, asked: Thing) -> Returned:
        """Return what the function found, now or at an earlier call."""
        # Parts of a config have no hash, so their id is the key. They are kept in memory, so that
        # no new object gets the same id.
        of_question = isinstance(asked, Query)
        key = (function.__qualname__, asked if of_question else id(asked))
        if key not in study.known:
            with infinite_values():
                study.known[key] = asked, function(study, asked)
        found: Returned = study.known[key][1]
        return found

    return remembered


@once
def ask(study: Study, query: Query) -> QueryResult:
    """Return the values that a query asks for, or why there are none.

    All values come from records with the settings that the config asks for, and all seconds from
    one machine.
    """
    if reason := query.unavailable or study.config.dataset(query.row).unavailable:
        return QueryResult(query, {}, "unavailable", reason)
    records = study.by_cell.get(query.value, [])
    if query.host and query.host not in (hosts := machines(records)) and hosts:
        reason = f"timed on {', '.join(hosts)}; the table shows seconds of {query.host}"
        return QueryResult(query, {}, "mixed", reason)
    if query.host:
        records = [one for one in records if query.host in machines([one])]
    values: dict[int, Any] = {}
    behind: dict[int, Record] = {}
    problems: Counter[tuple[ResultStatus, str]] = Counter()
    n_unset = 0
    for record in records:
        if not record.ok:
            problems[record.status, record.reason] += 1
            continue
        value = _value(record, query)
        if isinstance(value, str):
            problems["missing", value] += 1
        elif value is None:
            n_unset += 1
        else:
            values[record.realization], behind[record.realization] = value, record
    if values and n_unset:
        problems["missing", f"the fit left no number {query.metric!r}"] += n_unset
    if mixture := mixed_machines(behind.values(), query.metric):
        return QueryResult(query, {}, "mixed", mixture, problems.total())
    n_stale = len(study.divided.stale.get(query.value, ()))
    n = max(study.n_asked(query.value) or 0, len(records) + n_stale)
    if not values:
        return QueryResult(query, {}, *_why_none(study, query, len(records), problems), n)
    why = _why_some(study, query, n - len(records), problems)
    n_without = n - len(values)
    reason = f"{n_without} of {n} realizations have no value, {why}" if why else ""
    status: ResultStatus = "incomplete" if why else "ok"
    return QueryResult(query, values, status, reason, n_without, behind, why_without=why)


def _why_some(
    study: Study, query: Query, n_without: int, problems: Counter[tuple[ResultStatus, str]]
) -> str:
    """Return why some realizations have no value; `n_without` have no record that answers."""
    n_stale = len(study.divided.stale.get(query.value, ()))
    reasons = [f"most often ({count}): {why}" for (_, why), count in problems.most_common(1)]
    if n_stale:
        why_stale = study.divided.why_stale(query.value)
        reasons.append(f"{n_stale} with other settings ({why_stale}); {_mend(study)}")
    if n_without > n_stale:
        machine = " on this machine" * bool(query.host)
        reasons.append(f"{n_without - n_stale} not run{machine}")
    return ", ".join(reasons)


def _why_none(
    study: Study, query: Query, n_records: int, problems: Counter[tuple[ResultStatus, str]]
) -> tuple[ResultStatus, str]:
    """Return the status of a result without values, and the reason."""
    value, divided = query.value, study.divided
    if problems:
        return problems.most_common(1)[0][0]
    if n_records:
        return "missing", f"the algorithm leaves no number {query.metric!r}"
    if divided.stale.get(value):
        return "stale", f"{divided.why_stale(value)}; {_mend(study)}"
    asked = study.asked_by_run
    is_asked = study.asks_for(value) if asked is None else value in asked.values
    return "missing", "not run yet" if is_asked else "not asked for by the config"


def _mend(study: Study) -> str:
    return f"`{study.run_command}` runs it"


def shared_realizations(results: Iterable[QueryResult]) -> list[int]:
    """Return the realizations that have a value in all results."""
    return sorted(set.intersection(*(set(result.values) for result in results)))


def paired_values(*results: QueryResult) -> NDArray[np.float64]:
    """Return the recorded values of the shared realizations, of shape (n_shared, n_results)."""
    values = [[result.values[n] for result in results] for n in shared_realizations(results)]
    return np.array(values, dtype=np.float64).reshape(-1, len(results))


def mixed_machines(records: Iterable[Record], metric: str) -> str:
    """Return an error message if the timings come from different machines, else an empty string."""
    hosts = machines(records) if unit_of(metric) == SECONDS else {}
    if len(hosts) < 2:
        return ""
    return f"seconds of different machines ({', '.join(hosts)}) are not put together"


def _value(record: Record, query: Query) -> Any:
    """Return the value of a cell that ended well, the reason why it has none, or None."""
    metric, stage = query.metric, query.stage
    if stage is None:
        if query.run_pass == "error" and unit_of(metric) == SECONDS:
            return None
        seconds = record.seconds if query.run_pass == "timing" else {}
        if metric.startswith(CHOSEN):
            value = (record.stage or {}).get(metric.removeprefix(CHOSEN))
            return f"a search chose {value!r}" if isinstance(value, str) else value
        if metric.startswith(PARAMETER) and (method := record.settings.method) is not None:
            value = method.parameter(metric.removeprefix(PARAMETER))
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            return value if is_number else f"its {metric} is {_as_text(value)}, not a number"
        value = seconds.get(metric, record.metrics.get(metric))
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
