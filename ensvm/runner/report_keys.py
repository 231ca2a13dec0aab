"""Keys of tables, figures, printed values and timings that have no effect where they stand."""

from collections.abc import Iterator, Mapping

from ensvm.data.splits import folds_of
from ensvm.records.settings import AlgorithmSettings
from ensvm.runner.plan import Plan
from ensvm.study.block import ConfigBlock
from ensvm.study.config import StudyConfig
from ensvm.study.dataset import DatasetConfig
from ensvm.study.figure_kinds import BoxConfig, FigureConfig, PlaneConfig
from ensvm.study.figures import CurvesConfig
from ensvm.study.metrics import PARAMETER, STAGED, compares_labels, is_error_rate
from ensvm.study.printed import Place, Published
from ensvm.study.printed_means import PrintedMeans
from ensvm.study.source import Location
from ensvm.study.table_layout import ColumnConfig, TableConfig

Idle = tuple[Location, str]  # where a key stands that has no effect, and why

# What says how values of a table or a column compare with printed ones.
OF_VALUES = ("margin", "relative_margin", "judged", "draws", "published_spread")
# Metrics with a value for each round of an ensemble.
OF_ROUNDS = (*STAGED, "estimator_errors_", "estimator_weights_")


def report_keys_without_effect(plan: Plan, printed: Mapping[Place, Published]) -> Iterator[Idle]:
    """Yield the keys that change nothing in what reports show; `printed` has the printed values."""
    yield from _of_stages(plan)
    yield from _of_verdicts(plan.config, frozenset(printed))
    yield from _of_printed_numbers(plan, printed)
    yield from _of_timing(plan.config)
    yield from _of_numbered_realizations(plan)
    yield from _of_figures(plan.config)


def methods_of(plan: Plan) -> dict[str, AlgorithmSettings]:
    """Return the settings of the algorithms that run."""
    return {
        one.algorithm: one.settings.method
        for one in plan.asked.values.values()
        if one.settings is not None and one.settings.method is not None
    }


def last_realizations(plan: Plan) -> dict[str, int]:
    """Return the number of the last realization of each data set."""
    last: dict[str, int] = {}
    for (row, algorithm, run_pass), one in plan.asked.values.items():
        if run_pass == "error" and algorithm in plan.config.algorithms:
            last[row] = max(last.get(row, 0), one.realizations or 0)
    return last


def given(block: ConfigBlock, *keys: str) -> Iterator[str]:
    """Yield those of the `keys` of a block that have another value than a missing key."""
    for key in keys:
        field = type(block).model_fields.get(key)
        default = None if field is None else field.get_default(call_default_factory=True)
        if field is not None and getattr(block, key) not in (default, None):
            yield key


def _of_verdicts(config: StudyConfig, places: frozenset[Place]) -> Iterator[Idle]:
    """Yield keys of tables that say how printed values compare, where none is compared."""
    for index, table in enumerate(config.tables):
        at = ("tables", index)
        printed = {column for one, _, column in places if one == table.id}
        compared = table.judged and table.of == "results"
        why = "the table has no printed values" if not printed else "no value is compared here"
        for key in given(table, *OF_VALUES):
            if not printed or (key.endswith("margin") and not compared):
                yield (*at, key), why
        for number, column in enumerate(table.columns):
            for key in given(column, *OF_VALUES):
                if column.name not in printed or not compared or column.unavailable is not None:
                    yield (*at, "columns", number, key), "none of its values is compared with print"
        metrics = [table.metric_of(column) for column in table.columns]
        if table.largest_class and not any(map(compares_labels, metrics)):
            yield (*at, "largest_class"), "no column shows an error or another metric of labels"


def _of_printed_numbers(plan: Plan, printed: Mapping[Place, Published]) -> Iterator[Idle]:
    """Yield the `published_realizations:` that neither a sign nor a run with --published counts."""
    config = plan.config
    counts, idle = set[Location](), dict[Location, str]()
    for index, table in enumerate(config.tables):
        for number, column in enumerate(table.columns):
            for row, entry in enumerate(config.datasets):
                value = printed.get((table.id, entry.name, column.name))
                if value is None or table.of != "results" or entry.unavailable is not None:
                    continue
                blocks: tuple[tuple[Location, PrintedMeans], ...] = (
                    (("datasets", row), entry),
                    (("tables", index, "columns", number), column),
                    (("tables", index), table),
                    ((), config),
                )
                says = (at for at, block in blocks if block.published_realizations is not None)
                if (at := next(says, None)) is not None:
                    why = _why_not_counted(plan, table, column, entry, value)
                    idle.setdefault(at, why) if why else counts.add(at)
    for at, why in idle.items():
        if at not in counts:
            yield (*at, "published_realizations"), why


def _why_not_counted(
    plan: Plan, table: TableConfig, column: ColumnConfig, entry: DatasetConfig, value: Published
) -> str:
    """Return why the number of realizations of a printed value has no effect; "" if it has one.

    These are the rules of `BASES` in ensvm/report/intervals.py, as far as a plan tells which of
    them a value will have.
    """
    metric, name = table.metric_of(column), column.of(table)
    n = plan.config.mean_of_print(table, column, entry.name).realizations or 1
    asked, card = plan.asked.values.get((entry.name, name, "error")), plan.cards.get(entry.name)
    if asked is None or card is None or metric.startswith(PARAMETER):
        return ""
    last, folds = asked.realizations or 0, folds_of(card.split) or 1
    if n < last or n == folds:  # `--published` runs so many, or it says what is assumed
        return ""
    if entry.published_split is not None or entry.drawn_again or column.draws is not None:
        return "the printed value counts as one more split or draw like ours"
    if n < folds:
        return f"a printed value is a mean over the {folds} folds at least"
    if is_error_rate(metric, column.stage) and value.std is None and last < 2 * folds:
        runs = "realization is" if folds == 1 else "repetition of the folds is"
        return f"an error rate of a single {runs} compared by its test rows"
    return ""


def _of_timing(config: StudyConfig) -> Iterator[Idle]:
    """Yield what the timing pass names and cannot time, or the whole pass if nothing is timed."""
    block = config.timing
    if block is None:
        return
    pairs = {
        (entry.name, name)
        for entry in config.datasets
        for name in config.algorithms_of(entry)
        if entry.copy_of is None and entry.unavailable is None and config.times(entry.name, name)
    }
    if not pairs:
        yield ("timing",), "no algorithm is timed on a data set that runs it"
        return
    named = (("datasets", block.datasets or ()), ("algorithms", block.algorithms or ()))
    for at, (key, names) in enumerate(named):
        for name in names:
            is_known = key == "algorithms" or config.dataset(name).unavailable is None
            if is_known and name not in {pair[at] for pair in pairs}:
                yield ("timing", key), f"nothing is timed of {name}"


def _of_numbered_realizations(plan: Plan) -> Iterator[Idle]:
    """Yield the numbers of realizations, in figures and rows that sum up, that nothing has."""
    last = last_realizations(plan)
    for index, table in enumerate(plan.config.tables):
        most = max((last[row] for row in plan.config.rows_of(table) if row in last), default=None)
        for number, summary in enumerate(table.summary):
            if most is not None and (summary.realization or 0) > most:
                at = ("tables", index, "summary", number, "realization")
                yield at, f"its rows have {most} realizations at most"
    for index, figure in enumerate(plan.config.figures):
        if not isinstance(figure, CurvesConfig | PlaneConfig):
            continue
        rows = figure.data_sets(plan.config.names())
        most = max((last[row] for row in rows if row in last), default=None)
        if most is not None and isinstance(figure.realization, int) and figure.realization > most:
            yield ("figures", index, "realization"), f"its data have {most} realizations at most"


def _of_figures(config: StudyConfig) -> Iterator[Idle]:
    """Yield keys of figures about something that the figure does not draw."""
    for index, figure in enumerate(config.figures):
        for key, why in _not_drawn(figure):
            yield ("figures", index, key), why


def _not_drawn(figure: FigureConfig) -> Iterator[tuple[str, str]]:
    """Yield the keys of a figure about what it does not draw, each with the reason."""
    if isinstance(figure, BoxConfig) and figure.x_scale == "log":
        yield "x_scale", "the horizontal axis has data sets, not numbers"
    if isinstance(figure, CurvesConfig) and figure.cumulative and figure.first:
        yield "first", "the distribution of the values has no index"
    if isinstance(figure, PlaneConfig):
        for key, part in (("ring", "marks"), ("size", "sizes")):
            if any(given(figure, key)) and not any(any(given(p, part)) for p in figure.panels):
                yield key, f"no panel has `{part}:`"


def _of_stages(plan: Plan) -> Iterator[Idle]:
    """Yield stages beyond the last that an ensemble can have: the value is that of its last."""
    methods = methods_of(plan)
    asked: list[tuple[Location, str, int | str | None, tuple[str, ...]]] = []
    for index, table in enumerate(plan.config.tables):
        for number, column in enumerate(table.columns):
            at = ("tables", index, "columns", number)
            asked.append((at, table.metric_of(column), column.stage, (column.of(table),)))
    for index, claim in enumerate(plan.config.claims):
        for number, test in enumerate(claim.tests):
            names = (*test.left, *(test.right or ()))
            asked.append((("claims", index, "tests", number), test.metric, test.stage, names))
    for place, metric, stage, names in asked:
        if metric not in OF_ROUNDS or not isinstance(stage, int):
            continue
        of_names = [methods[name] for name in names if name in methods]
        most = [one.parameter("n_estimators") for one in of_names if one.grid is None]
        if len(most) == len(names) and all(isinstance(n, int) and n < stage for n in most):
            yield (*place, "stage"), f"{', '.join(names)}: at most {max(most)} stages"
