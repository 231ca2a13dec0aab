"""What a study refuses in its claims, and what `check` asks and says about them."""

from collections.abc import Iterator, Sequence

from ensvm.counts import counted
from ensvm.study.claim import ClaimConfig, ClaimTest, compares_itself
from ensvm.study.config import StudyConfig
from ensvm.study.metrics import PERCENT, direction_of, range_of, unit_of
from ensvm.study.names import StudyNames
from ensvm.study.source import Location, YamlSource
from ensvm.study.table_checks import must_be_columns, must_have_one_unit, needs_table
from ensvm.study.table_layout import TableConfig


def check_claims(config: StudyConfig, names: StudyNames, source: YamlSource) -> None:
    """Refuse a claim given twice, and names, timings and sweeps that the study does not have."""
    source.must_be_distinct(("claims",), "claim", [claim.id for claim in config.claims], "id")
    for location, _, test in _tests_of(config):
        with source.noting():
            if test.table is None:
                _check_algorithms(test, location, config.tables, names, source)
            elif table := next((one for one in config.tables if one.id == test.table), None):
                _check_columns(test, location, config.tables, table, source)
        with source.noting():
            _check_test(test, location, names, source)
        with source.noting():
            _check_scope(test, location, len(config.rows_of_test(test)), source)


def questions_about_claims(config: StudyConfig) -> Iterator[str]:
    """Yield a question for each number in a claim that may be meant otherwise."""
    for _, claim, test in _tests_of(config):
        if _may_be_fraction(test):
            limit = test.limit or 0.0
            yield (
                f"claim {claim.id}: limit: {limit:g} is below 1 %; is this a fraction? "
                f"{test.metric} is in percent: {limit * PERCENT.scale:g}"
            )
    for _, claim, test in _tests_of(config):
        if _may_count_rows(test, len(config.rows_of_test(test))):
            yield (
                f"claim {claim.id}: scope: {test.scope} counts comparisons, {test.n_pairs} on each "
                "data set; are data sets meant on which all hold? Write `scope_of: rows`, or "
                "`scope_of: comparisons` if not"
            )


def repeated_sentences(claims: Sequence[ClaimConfig]) -> Iterator[str]:
    """Yield a line for each sentence that several claims have."""
    ids_of: dict[str, list[str]] = {}
    for claim in claims:
        sentence = " ".join((claim.text or claim.paraphrase or "").split())
        ids_of.setdefault(sentence, []).append(claim.id)
    for ids in ids_of.values():
        if len(ids) > 1:
            names = ", ".join(ids)
            yield f"the claims {names} have the same sentence; one claim may have several `tests:`"


def _tests_of(config: StudyConfig) -> Iterator[tuple[Location, ClaimConfig, ClaimTest]]:
    """Yield each test of the study's claims with its location and its claim."""
    for index, claim in enumerate(config.claims):
        for number, test in enumerate(claim.tests):
            yield ("claims", index, "tests", number), claim, test


def _may_be_fraction(test: ClaimTest) -> bool:
    """Return whether the limit of a percentage looks like a fraction.

    Values at a stage of a curve, such as training errors, are often below 1 %, and that errors are
    at least so many often means a single row.
    """
    of_percentage = test.of_effect == "value" and unit_of(test.metric) == PERCENT
    is_few = test.relation == "at-least" and direction_of(test.metric) == "min"
    return of_percentage and not (test.of_curves or is_few) and 0.0 < (test.limit or 0.0) < 1.0


def _may_count_rows(test: ClaimTest, n_rows: int) -> bool:
    """Return whether the scope of a test, a number of comparisons, may be one of data sets."""
    is_decided = test.scope == "all" or "scope_of" in test.model_fields_set
    return not is_decided and test.n_pairs > 1 and 1 < n_rows >= int(test.scope)


def _check_algorithms(
    test: ClaimTest,
    location: Location,
    tables: Sequence[TableConfig],
    names: StudyNames,
    source: YamlSource,
) -> None:
    """Refuse algorithms that the study lacks; say if a name is that of a computed column."""
    for key, of_side in (("left", test.left), ("right", test.right or ())):
        for name in of_side:
            in_tables = [table.id for table in tables if name in table.computed]
            if in_tables and name not in names.algorithms:
                source.refuse((*location, key), needs_table(name, in_tables[0], "test"))
            else:
                names.must_have("algorithm", name, (*location, key), source)


def _check_columns(
    test: ClaimTest,
    location: Location,
    tables: Sequence[TableConfig],
    table: TableConfig,
    source: YamlSource,
) -> None:
    """Refuse columns that a table lacks, or that cannot be compared."""
    if table.of == "data":
        raise source.error((*location, "table"), "facts of the data are not compared")
    columns = {column.name: column for column in table.columns}
    for key, of_side in (("left", test.left), ("right", test.right or ())):
        must_be_columns(tables, table, (*location, key), of_side, source)
        for name in of_side:
            if name in columns and columns[name].unavailable is not None:
                message = f"the column {name!r} of table {table.id} is `unavailable:`, so it has no"
                source.refuse((*location, key), f"{message} values of ours to compare")
    shown = [columns[name] for name in test.algorithms if name in columns]
    units = {column.name: unit_of(table.metric_of(column)) for column in shown}
    must_have_one_unit(units, (*location, "left"), source)
    computed = [column.name for column in shown if column.effect is not None]
    if test.effect.is_ratio and computed:
        message = f"{computed[0]} is computed itself; accepted: `of: difference`"
        source.refuse((*location, "of"), message)
    if test.of_effect in ("slope", "exponent"):
        source.refuse((*location, "of"), f"a column has no {test.of_effect}")


def _check_test(test: ClaimTest, location: Location, names: StudyNames, source: YamlSource) -> None:
    """Refuse values, metrics and sweeps that a test cannot have."""
    if compares_itself(test.left, test.right or ()):
        message = f"{test.left[0]} is compared with itself; give another name"
        source.refuse((*location, "right"), message)
    if test.run_pass == "timing":
        names.must_be_timed("a claim", (*location, "pass"), source)
    low, high = range_of(test.metric)
    of_value = test.of_effect == "value" and not test.of_curves
    if of_value and test.limit is not None and not low <= test.limit <= high:
        message = f"{test.limit:g} is not a value of {test.metric}: {low:g} to {high:g}"
        source.refuse((*location, "limit"), message)
    if test.margin is not None and test.margin >= high - low:
        message = f"no two values of {test.metric} differ by more than {high - low:g}"
        source.refuse((*location, "margin"), message)
    what, swept = "sweep of algorithms", test.own_test.values()
    names.must_have(what, swept, (*location, "own_test"), source)
    if test.over is not None:
        values = names.dataset_sweeps[test.over].values()
        if len(values) < 2 or not all(
            isinstance(value, int | float) and value > 0 for value in values
        ):
            message = (
                f"an exponent needs a sweep over two or more positive numbers, got {[*values]}"
            )
            source.refuse((*location, "over"), message)


def _check_scope(test: ClaimTest, location: Location, n_rows: int, source: YamlSource) -> None:
    """Refuse a test that asks for more comparisons than it makes."""
    of_rows = test.scope_of == "rows"
    most = n_rows if of_rows else n_rows * test.n_pairs
    if test.scope != "all" and 0 < most < test.scope:
        has = counted(most, "data set" if of_rows else "comparison")
        source.refuse((*location, "scope"), f"{test.scope} is more than the test has: {has}")
