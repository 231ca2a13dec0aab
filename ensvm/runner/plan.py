"""The cells of a study, each with its key, and which of them have no valid record yet."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from pathlib import Path

from ensvm.counts import counted
from ensvm.data import DatasetCard
from ensvm.errors import UserError, did_you_mean
from ensvm.name_lists import first_names
from ensvm.records.asked import Asked, AskedValue, asked_of
from ensvm.records.identity import difference, key_of, settings_key_of
from ensvm.records.record import Identity, Record
from ensvm.records.settings import AlgorithmSettings, CellSettings, TimingSettings
from ensvm.records.states import OF_STATUS, CellState
from ensvm.runner.checked_study import CheckedStudy, checked_study
from ensvm.runner.own_code import importable
from ensvm.runner.study_algorithms import code_of, used_on
from ensvm.seeds import algorithm_seed, order_seed
from ensvm.study.base_study import read_changed, read_source
from ensvm.study.config import StudyConfig
from ensvm.study.dataset import DatasetConfig
from ensvm.study.metrics import DATA_CELL
from ensvm.study.passes import RunPass, ValueOf
from ensvm.study.published_part import DEFAULT_REALIZATIONS, published_values
from ensvm.study.read_config import mistakes_in
from ensvm.study.source import YamlSource

# Cells that a run would run. Those without data are run if their data are here now.
LEFT: tuple[CellState, ...] = ("failed", "timeout", "missing", "stale", "no data")
# A million cells of a second each take twelve days, and planning them some seconds.
MAX_CELLS = 1_000_000
# In the error pass cells are parallel already, and one BLAS thread gives the same values at any
# number of jobs.
ERROR_PASS_THREADS = 1


@dataclass(frozen=True)
class Cell:
    """(study, data set, realization, algorithm) in one pass: the unit of work and of record."""

    study: str
    dataset: str
    realization: int
    algorithm: str
    settings: CellSettings = field(hash=False)  # what the cell is, without the realization
    drawn_on: str = ""  # names the data, for the random seed
    scored: tuple[str, ...] = ()  # the metrics that are recorded; not part of the key
    find_draws: bool = False  # whether the run finds out if the algorithm draws random numbers

    @property
    def has_own_code(self) -> bool:
        """Whether it runs code of the user's own, or reads files of its own."""
        return bool(self.settings.own)

    @property
    def method(self) -> AlgorithmSettings | None:
        """The algorithm with its parameters; None for the facts of the data."""
        return self.settings.method

    @property
    def blas_threads(self) -> int:
        """The most threads of the numerical libraries."""
        timing = self.settings.timing
        return ERROR_PASS_THREADS if timing is None else timing.blas_threads

    @property
    def run_pass(self) -> RunPass:
        """The pass it belongs to."""
        return "error" if self.settings.timing is None else "timing"

    @property
    def identity(self) -> Identity:
        """Which cell of the study it is, whatever its settings."""
        return self.dataset, self.realization, self.algorithm, self.run_pass

    @property
    def value(self) -> ValueOf:
        """The value of a report that the cell contributes to."""
        return self.dataset, self.algorithm, self.run_pass

    @cached_property
    def settings_key(self) -> str:
        """Hash of the settings; only cells with the same one are averaged."""
        return settings_key_of(self.settings)

    @cached_property
    def key(self) -> str:
        """Hash of what the cell is; a record with the same key answers it."""
        return key_of(self.identity, self.seed, self.settings)

    @cached_property
    def seed(self) -> int:
        """The algorithm's own seed; the realization's is the data room's."""
        named = None if self.method is None else self.method.seed
        return algorithm_seed(self.drawn_on, self.realization, named or self.algorithm)

    @property
    def order_seeds(self) -> tuple[int, ...]:
        """The seeds of the orders of the training rows after the first, for all algorithms."""
        last = 1 if self.method is None else self.method.orders
        return tuple(
            order_seed(self.drawn_on, self.realization, number) for number in range(2, last + 1)
        )

    def why_missing(self, record: Record | None) -> str:
        """Return why the cell is to be done although it has this record; empty if it is not."""
        if record is None:
            return "not run yet"
        if record.key != self.key:
            return f"changed: {difference(record.settings, self.settings) or 'settings'}"
        if not record.ok:
            return f"was {record.status}"
        absent = [name for name in self.scored if name not in record.scores]
        return f"not recorded: {', '.join(absent)}" if absent and self.run_pass == "error" else ""

    def as_asked(self, realizations: int) -> AskedValue:
        """Return what the config asks for of the cell's value."""
        return AskedValue(
            self.dataset,
            self.algorithm,
            self.settings_key,
            realizations,
            self.run_pass,
            self.settings,
        )

    def is_repeated_by(self, timing: "Cell") -> bool:
        """Return whether a timing computes all values of this cell of the error pass, bit by bit.

        It does with the same data, split, realization, parameters, code and seed, on as many BLAS
        threads. A timing computes its own kernel values, but from the same rows by the same code.
        """
        settings = replace(timing.settings, timing=None)
        return (
            timing.blas_threads == ERROR_PASS_THREADS
            and (self.dataset, self.realization) == (timing.dataset, timing.realization)
            and (self.run_pass, self.seed, self.settings) == ("error", timing.seed, settings)
        )


@dataclass(frozen=True)
class Plan:
    """Every cell of a study, with its files and the data sets' cards."""

    path: Path
    source: YamlSource
    published: Path | None
    config: StudyConfig
    cards: Mapping[str, DatasetCard]
    cells: tuple[Cell, ...]
    asked: Asked  # what the whole config asks for, also if only some of its cells are planned

    @cached_property
    def timings(self) -> Mapping[Identity, Cell]:
        """The cells of the error pass that a timing repeats bit by bit, each with that timing.

        Such a cell is not run: its record is the timing's.
        """
        timings = {cell.identity: cell for cell in self.cells if cell.run_pass == "timing"}
        pairs = ((cell, timings.get((*cell.identity[:3], "timing"))) for cell in self.cells)
        return {
            cell.identity: timing
            for cell, timing in pairs
            if timing is not None and cell.is_repeated_by(timing)
        }

    def missing(self, records: Mapping[Identity, Record]) -> list[tuple[Cell, str]]:
        """Return the cells that no record answers, each with why it is to be done."""
        return [
            (cell, why)
            for cell in self.cells
            if (why := cell.why_missing(records.get(cell.identity)))
        ]

    def states(self, records: Mapping[Identity, Record]) -> dict[Cell, tuple[CellState, str]]:
        """Return the state of each cell, and why it is not done.

        A cell is `done`; `failed` or `timeout`; `missing` if there is no record, or one without a
        metric that the config asks for; `stale` if the record has other settings or other code; or
        has `no data`. The reason is empty for what is done.
        """
        missing = {cell.identity: why for cell, why in self.missing(records)}
        states: dict[Cell, tuple[CellState, str]] = {}
        for cell in self.cells:
            record, why = records.get(cell.identity), missing.get(cell.identity, "")
            if record is None or (record.ok and record.key == cell.key and why):
                states[cell] = "missing", why
            elif record.key != cell.key:
                states[cell] = "stale", why
            else:
                states[cell] = OF_STATUS[record.status], record.reason
        return states


def make_plan(
    path: Path,
    *,
    realizations: int | range | None = None,
    datasets: tuple[str, ...] = (),
    algorithms: tuple[str, ...] = (),
    published: bool = False,
    settings: Sequence[str] = (),
    study: str | None = None,
) -> Plan:
    """Read a config, check every name and value in it, and lay out its cells.

    `realizations` is the number of realizations of each data set, or a range of their numbers from
    1; None for all. `datasets` and `algorithms` are names in the config, or names of its sweeps;
    without names, all are chosen. `published` leaves only what the paper shows: see
    `published_values`, which also says how many realizations there are then. `settings` are changes
    of the config, each as 'KEY=VALUE'; with them, `study` is the name of the changed study.

    Raises UserError if anything in the config cannot be run.
    """
    if settings and study is None:
        wrong = mistakes_in(path, settings)
        raise UserError(
            "\n".join(["--set makes another study: give its name by --as NAME", *wrong])
        )
    source = read_source(path) if study is None else read_changed(path, settings, study)
    with importable(path.parent):
        return _laid_out(checked_study(source), realizations, datasets, algorithms, published)


def part_of(
    plan: Plan, run_pass: str | None, shard: tuple[int, int] | None, *, elsewhere: bool
) -> tuple[Plan, int]:
    """Return the part of a plan that one run does, and how many timings it leaves out.

    Shards take turns: the realizations of all data sets, in the order of the plan, go to the first
    shard, the second, and so on. The cells of a realization stay together because they share
    kernel values. Only the config decides, so that machines with the same config agree.

    Without `run_pass`, all passes are run; with a shard or on other machines (`elsewhere`) only
    errors, since timings belong on one quiet machine. `shard` has the number of this shard, from 1,
    and the number of shards.

    Raises UserError if there are more shards than realizations.
    """
    chosen = run_pass or ("error" if elsewhere or shard else "all")
    cells = [cell for cell in plan.cells if chosen in (cell.run_pass, "all")]
    n_timings = len(plan.cells) - len(cells) if chosen == "error" else 0
    if shard is not None:
        number, of = shard
        units = list(dict.fromkeys((cell.dataset, cell.realization) for cell in cells))
        if of > len(units):
            n_units = counted(len(units), "realization") + " of data sets to run"
            raise UserError(f"shard {number}/{of}: more shards than realizations: {n_units}")
        mine = set(units[number - 1 :: of])
        cells = [cell for cell in cells if (cell.dataset, cell.realization) in mine]
    return replace(plan, cells=tuple(cells)), n_timings


def shard_named(text: str | tuple[int, int]) -> tuple[int, int]:
    """Return the two numbers of a shard, such as '2/8' or (2, 8).

    Raises ValueError if it is not such a text or pair.
    """
    number, _, of = (text if isinstance(text, str) else "/".join(map(str, text))).partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise ValueError(f"{text!r}: give I/N, the I-th of N parts, as in 2/8")
    return int(number), int(of)


def _laid_out(
    study: CheckedStudy,
    realizations: int | range | None,
    datasets: tuple[str, ...],
    algorithms: tuple[str, ...],
    only_published: bool,
) -> Plan:
    """Return the plan of a checked study; the other arguments are those of `make_plan`."""
    source, config = study.source, study.config
    few = only_published and realizations is None
    if few:
        realizations = config.most_published or DEFAULT_REALIZATIONS
    chosen = range(1, realizations + 1) if isinstance(realizations, int) else realizations
    _check_size(study, chosen)  # before any cell is made
    names = [entry.name for entry in config.datasets]
    datasets = _chosen(study, "datasets", datasets, names)
    algorithms = _chosen(study, "algorithms", algorithms, config.algorithms)
    scored = config.scored()
    values = {
        entry.name: list(_values(study, entry, scored))
        for entry in config.datasets
        if entry.name in study.cards
    }
    first, until = (1, MAX_CELLS) if chosen is None else (chosen[0], chosen[-1])
    cells = [
        cell
        for name, of_data_set in values.items()
        if not datasets or name in datasets
        for cell in _cells(config, of_data_set, range(first, until + 1))
        if not algorithms or cell.algorithm in (*algorithms, DATA_CELL)
    ]
    if only_published:
        cells = _shown_in_paper(study, cells, few)
    if chosen is not None and chosen[0] > 1 and all(cell.method is None for cell in cells):
        message = f"--realizations: {chosen[0]} is more than this study has"
        raise source.error(("realizations",), message)
    asked = asked_of(one.as_asked(n) for of_data_set in values.values() for one, n in of_data_set)
    return Plan(source.path, source, study.published, config, study.cards, tuple(cells), asked)


def _check_size(study: CheckedStudy, chosen: range | None) -> None:
    """Refuse more cells than are accepted."""
    size = 0
    for entry in study.config.datasets:
        n = study.last.get(entry.name, 0)
        if chosen is not None:
            n = min(n, chosen[-1])
        size += sum(
            min(n, entry.realizations_of.get(name, n)) for name in study.config.algorithms_of(entry)
        )
    if size > MAX_CELLS:
        cells = f"{size:,} cells (data sets x algorithms x realizations)"
        message = f"{cells}; at most {MAX_CELLS:,} are accepted"
        raise study.source.error(("realizations",), message)


def _shown_in_paper(study: CheckedStudy, cells: list[Cell], few: bool) -> list[Cell]:
    """Return the cells of values that the paper shows, and the facts of their data sets.

    With `few`, there are no more realizations of a value than `published_values` says.
    """
    values = published_values(study.config, study.printed)
    rows = {row for row, _, _ in values}
    most = values if few else dict.fromkeys(values, MAX_CELLS)
    return [
        cell
        for cell in cells
        if cell.realization <= most.get((cell.dataset, cell.algorithm, cell.run_pass), 0)
        or (cell.method is None and cell.dataset in rows)
    ]


def _values(
    study: CheckedStudy, entry: DatasetConfig, scored: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[Cell, int]]:
    """Yield the values of a data set: its facts, those of the error pass, those of the timing pass.

    Each is its cell of the first realization, and how many realizations the config asks for.
    `scored` has the metrics of predictions that each algorithm's cells record.
    """
    config, card, last = study.config, study.cards[entry.name], study.last[entry.name]
    facts = CellSettings(card.fingerprint(), card.split, code=code_of(card))
    yield Cell(config.study, entry.name, 1, DATA_CELL, facts), 1
    # A copy of a data set draws the same random numbers as the original, to be compared with it.
    drawn_on = study.cards.get(entry.copy_of or entry.name, card).seed_identity()
    # The realizations of each pass, and the BLAS threads of a timing.
    passes: list[tuple[int, TimingSettings | None]] = [(last, None)]
    if (block := config.timing) is not None:
        passes.append((block.realizations, TimingSettings(block.blas_threads)))
    for n, timing in passes:
        for name in config.algorithms_of(entry):
            if timing is not None and not config.times(entry.name, name):
                continue
            algorithm = study.algorithms[used_on(config, name, entry, card)]
            method = algorithm.method
            if timing is not None:  # a timing is of one fit
                method = replace(method, orders=1)
            settings = replace(
                facts,
                method=method,
                code=code_of(card, algorithm),
                own=algorithm.own.hashes,
                timing=timing,
            )
            scores = scored.get(name, ())
            cell = Cell(config.study, entry.name, 1, name, settings, drawn_on, scores)
            # one split can be timed several times
            yield cell, n if timing else min(n, entry.realizations_of.get(name, n))


def _cells(
    config: StudyConfig, values: Iterable[tuple[Cell, int]], numbers: range
) -> Iterator[Cell]:
    """Yield the cells of a data set's values whose realizations have these numbers.

    Its facts come first, then the cells of each pass, one realization after another.
    """
    for run_pass, of_pass in groupby(values, key=lambda value: _pass_of_cell(value[0])):
        if run_pass == DATA_CELL:
            yield from (cell for cell, _ in of_pass)
            continue
        cells = list(of_pass)
        most = max(last for _, last in cells)
        for realization in range(numbers.start, min(numbers.stop, most + 1)):
            for cell, last in cells:
                if realization <= last:
                    find_draws = realization == 1 and _must_find_draws(config, cell)
                    yield replace(cell, realization=realization, find_draws=find_draws)


def _pass_of_cell(cell: Cell) -> str:
    return cell.run_pass if cell.method is not None else DATA_CELL


def _must_find_draws(config: StudyConfig, cell: Cell) -> bool:
    """Return whether verdicts on a cell's values depend on whether its algorithm draws."""
    block = config.algorithms[cell.algorithm]
    return (
        config.dataset(cell.dataset).same_rows
        and block.deterministic is None
        and block.orders == 1  # otherwise the interval comes from the orders
    )


def _chosen(
    study: CheckedStudy, key: str, chosen: tuple[str, ...], accepted: Iterable[str]
) -> tuple[str, ...]:
    """Return the names chosen on the command line, all members for a sweep."""
    names: list[str] = []
    for wanted in chosen:
        members = [name for name in study.config.sweep_values(wanted) if name in accepted]
        if wanted not in accepted and not members:
            known = f"accepted: {first_names(accepted)}{did_you_mean(wanted, accepted)}"
            message = f"--{key}: {wanted!r} is not in this study; {known}"
            raise study.source.error((key,), message)
        names += members or [wanted]
    return tuple(names)
