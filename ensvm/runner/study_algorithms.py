"""The algorithms of a study: estimator, parameters, how each is scored, and its code."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from ensvm.data import DatasetCard
from ensvm.many_classes import learns_one_against_rest, takes_many_classes
from ensvm.records.code_identity import code_identity
from ensvm.records.settings import NOT_SET, AlgorithmSettings
from ensvm.runner.estimators import (
    EstimatorError,
    blamed_on,
    build,
    construct,
    estimator_name,
    grid_points,
    last_step,
    lost_in_copies,
    names_in,
    part_classes,
    refuse_equal_values,
    resolved_block,
    search_grids,
)
from ensvm.runner.own_code import OwnCode, OwnFolder
from ensvm.runner.real_numbers import (
    block_of_real_numbers,
    grid_of_real_numbers,
    with_real_numbers,
)
from ensvm.study.algorithms import KernelConfig
from ensvm.study.config import StudyConfig
from ensvm.study.dataset import DatasetConfig
from ensvm.study.figure_kinds import MapConfig
from ensvm.study.metrics import CHOSEN, PARAMETER, SEARCH, STAGED, TRAIN_ERROR
from ensvm.study.names import AskedMetric
from ensvm.study.row_params import KEY, params_on
from ensvm.study.source import Location, YamlSource

# Files that decide the values of all cells, and those that decide what the rows of the data are.
SCORING = ("ensvm.runner.evaluate", "ensvm.runner.grams", "ensvm.runner.scored")
REALIZATION = (
    "ensvm.data.arrays",
    "ensvm.data.loading",
    "ensvm.data.scaling",
    "ensvm.data.splits",
    "ensvm.seeds",
)
SCORES = ("decision_function", "predict_proba")  # what one class against the rest compares
SHARED_KERNELS = "ensvm.kernels"
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # in the text of a function; each process has another

# An algorithm's name, the kernel shared on a data set, whether that has more than two classes, and
# the data set's name if the algorithm has parameters of its own there, else ""
Used: TypeAlias = tuple[str, KernelConfig | None, bool, str]
# The grids of a search of scikit-learn; None for another classifier
Grids: TypeAlias = list[Mapping[str, Any]] | None


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of a config with the code that it runs through."""

    method: AlgorithmSettings
    roots: frozenset[str]  # modules of `ensvm` and of packages in which its code begins
    own: OwnCode


def has_many_classes(card: DatasetCard) -> bool:
    """Return whether a data set has more than two classes."""
    return len(card.labels) > 2


def settings_of_study(
    source: YamlSource, config: StudyConfig, cards: Mapping[str, DatasetCard]
) -> dict[Used, Algorithm]:
    """Return every algorithm of a study, resolved for each kind of data that it meets.

    Raises UserError if an estimator, a parameter or a stage cannot be used.
    """
    used = _used(config, cards)
    methods = dict[tuple[str, str], AlgorithmSettings]()
    refused = set[str]()  # if an algorithm is wrong, so are its parameters on single data sets
    for name, row in dict.fromkeys((name, row) for name, *_, row in used):
        with source.noting():
            # what is wrong with an algorithm is wrong with the copies of it that readings make
            if refused.isdisjoint({name, config.algorithms[name].copy_of}):
                refused.add(name)
                methods[name, row] = _method_on(source, config, name, row)
                refused.remove(name)
    folder, own, algorithms = OwnFolder(source), dict[str, OwnCode](), dict[Used, Algorithm]()
    asked = config.asked()
    for each in used:
        name, *_, row = each
        with source.noting():
            is_refused = not refused.isdisjoint({name, config.algorithms[name].copy_of})
            if not is_refused and (name, row) in methods:
                refused.add(name)
                algorithms[each] = _algorithm(
                    source, config, each, methods[name, row], folder, own, asked
                )
                refused.remove(name)
    return algorithms


def _method_on(source: YamlSource, config: StudyConfig, name: str, row: str) -> AlgorithmSettings:
    """Return the settings of an algorithm, on one data set if `row` names it; names are paths."""
    block = config.algorithms[name]
    own_params = params_on(source, name, block, row)
    try:
        spec, params, grid = resolved_block(block.spec, own_params, block.grid)
    except EstimatorError as error:
        message = str(error)
        if error.unknown in config.algorithms:
            message = f"{error.unknown!r} is an algorithm of the study, not an estimator; "
            message += "write its estimator here, such as {estimator: SVC, params: {C: 10}}"
        raise source.error(_location(name, row), message) from error
    return AlgorithmSettings(
        estimator=spec,
        params=params,
        grid=grid,
        stage=block.stage,
        search_on=block.search_on,
        record=block.record,
        share_gram=block.share_gram,
        seed=block.seed,
        orders=block.orders,
    )


def _algorithm(
    source: YamlSource,
    config: StudyConfig,
    used: Used,
    settings: AlgorithmSettings,
    folder: OwnFolder,
    own: dict[str, OwnCode],
    asked: Sequence[AskedMetric],
) -> Algorithm:
    """Return an algorithm whose estimator was made and checked, with its code.

    `own` has the code of the user's own by algorithm; what is missing is added. `asked` is what the
    study asks of the records.
    """
    name, kernel, many, row = used
    location, block = _location(name, row), config.algorithms[name]
    try:
        method, estimator, parts = _with_kernel(settings, kernel)
        grids = search_grids(estimator)
    except EstimatorError as error:
        *first, last = error.messages
        for message in first:
            source.refuse(location, message)
        raise source.error(location, last) from error
    for part in learns_one_against_rest(estimator) if many else ():
        # A stacking classifier has methods only once it is fitted.
        if hasattr(part, "predict") and not any(hasattr(part, each) for each in SCORES):
            message = "has no decision values, so it cannot learn one class against the rest;"
            message += " write {estimator: OneVsRestClassifier, params: {estimator: ...}} around"
            message += " its parts for two classes"
            raise source.error(location, f"{type(part).__name__} {message}")
    if many and (block.one_vs_rest or not takes_many_classes(estimator)):
        from sklearn.multiclass import OneVsRestClassifier

        if lost := lost_in_copies(estimator, method.params):
            raise source.error(location, f"{estimator_name(method.estimator)}{lost}")
        method = replace(method, wrapped="one-vs-rest")
        parts.add(OneVsRestClassifier)
    _check_stages(source, location, method, estimator, grids)
    of_it = [one for one in asked if name in one.algorithms]
    _check_search(source, config, name, grids, of_it)
    _check_parameters(source, name, method, of_it)
    classes = names_in([{"estimator": method.estimator}, settings.params, method.grid])
    roots = classes | {_root(part) for part in parts}
    others = {root for root in roots if not folder.holds(root.partition(":")[0])}
    if name not in own:
        own[name] = folder.code_of(name, block.depends, has_class=others != roots)
    return Algorithm(method, own[name].modules | others, own[name])


def used_on(config: StudyConfig, name: str, entry: DatasetConfig, card: DatasetCard | None) -> Used:
    """Return what names an algorithm as it runs on a data set."""
    row = entry.original
    own_row = row if row in config.algorithms[name].params_of else ""
    many = card is not None and has_many_classes(card)
    return name, config.kernel_of(entry), many, own_row


def _location(name: str, row: str) -> Location:
    """Return where the config has an algorithm, or its parameters on one data set."""
    return ("algorithms", name, *((KEY, row) if row else ()))


def _used(config: StudyConfig, cards: Mapping[str, DatasetCard]) -> dict[Used, None]:
    """Return the algorithms with each kernel that they must work with, in the config's order.

    The study's own algorithms must work with the kernels of all its data sets. Copies for
    readings must work only with the data sets that they run on.
    """
    kernels = {entry.name: config.kernel_of(entry) for entry in config.datasets}
    own, copies = {kernels[name] for name in config.own_rows}, config.copies
    run = set[Used]()
    for entry in config.datasets:
        card = cards.get(entry.name)
        run |= {used_on(config, name, entry, card) for name in config.algorithms_of(entry)}
    return {
        (name, kernel, many, row): None
        for kernel in dict.fromkeys(kernels.values())
        for name, block in config.algorithms.items()
        for many in (False, True)
        for row in ("", *block.params_of)
        if (name, kernel, many, row) in run
        or (kernel in own and not (many or row or name in copies))
    }


def code_of(card: DatasetCard, algorithm: Algorithm | None = None) -> str:
    """Return the identity of the code of a cell, apart from the user's own.

    Without an algorithm, the cell is the one that states the facts of the data.
    """
    if card.checksum is not None:  # it vouches for the arrays
        data = set[str]()
    elif card.generator is not None:
        data = {type(card.generator).__module__}
    else:
        data = {"ensvm.data.loading"}
    if algorithm is None:
        return code_identity(data, REALIZATION)
    classes = {root.partition(":")[0] for root in algorithm.roots}
    return code_identity(data | classes | {SHARED_KERNELS}, {*REALIZATION, *SCORING})


def _check_stages(
    source: YamlSource, location: Location, method: AlgorithmSettings, estimator: Any, grids: Grids
) -> None:
    """Refuse a search, a stage, or stages to be recorded, that the estimator does not have."""
    why = ""
    if method.wrapped is not None:
        why = " (on data of more than two classes it is wrapped one against rest)"
    is_search = grids is not None and method.wrapped is None
    if method.search_on is not None and not (is_search and last_step(estimator) is estimator):
        message = f"{estimator_name(method.estimator)} is not a search, as GridSearchCV is{why}"
        raise source.error((*location, "search_on"), message)
    if SEARCH in method.record and not is_search:
        message = f"{SEARCH} is left by a search, such as GridSearchCV{why}"
        raise source.error((*location, "record"), message)
    if SEARCH in method.record and method.search_on is not None:
        message = f"{SEARCH} is left by a search in each realization, without `search_on:`"
        raise source.error((*location, "record"), message)
    staged = hasattr(estimator, "staged_predict") and method.wrapped is None
    if method.stage != "last" and method.grid is None and not staged:
        message = f"{estimator_name(method.estimator)} has no stages (staged_predict) and no grid:"
        raise source.error((*location, "stage"), message + why)
    parameter, all_stages = getattr(estimator, "stage_choice", ("", None))
    chosen = method.params.get(parameter, all_stages)
    if method.stage == "best-on-test" and method.grid is None and chosen != all_stages:
        message = f"{method.stage} chooses among all stages, so `{parameter}: {chosen}` has no"
        message += f" effect on the error; leave it out, or write `{parameter}: {all_stages}`"
        raise source.error((*location, "stage"), message)
    asked = [key for key in method.record if key in STAGED]
    if asked and (method.grid is not None or not staged):
        raise source.error(
            (*location, "record"),
            f"{asked[0]!r} needs the stages of one machine (staged_predict), not a grid{why}",
        )
    curves = [key for key in method.record if key != TRAIN_ERROR]
    if curves and method.wrapped is not None:
        raise source.error((*location, "record"), f"the fit leaves no {curves[0]!r}{why}")


def _check_search(
    source: YamlSource,
    config: StudyConfig,
    name: str,
    grids: Grids,
    asked_of_it: Sequence[AskedMetric],
) -> None:
    """Refuse what tables and maps ask of a search that it does not leave."""
    known = None if grids is None else [parameter for grid in grids for parameter in grid]
    asked = [
        (one.location, one.metric.removeprefix(CHOSEN))
        for one in asked_of_it
        if one.metric.startswith(CHOSEN)
    ]
    for index, figure in enumerate(config.figures):
        if isinstance(figure, MapConfig) and name in (panel.series for panel in figure.panels):
            asked += [(("figures", index, axis), getattr(figure, axis)) for axis in ("x", "y")]
    for location, parameter in asked:
        if known is None:
            raise source.error(location, f"{name} is not a search, as GridSearchCV is")
        if known:  # else the search has no grid
            source.must_be_one_of(location, f"parameter of the search {name}", parameter, known)


def _check_parameters(
    source: YamlSource,
    name: str,
    method: AlgorithmSettings,
    asked_of_it: Sequence[AskedMetric],
) -> None:
    """Refuse to show a parameter that the algorithm does not have."""
    for asked in asked_of_it:
        parameter = asked.metric.removeprefix(PARAMETER)
        if parameter != asked.metric:
            in_grid = parameter in (method.grid or {})
            if in_grid or method.parameter(parameter) is NOT_SET:
                accepted = [each for each in method.defaults if each not in (method.grid or {})]
                what = f"parameter of {name} that is set"
                source.must_be_one_of(asked.location, what, parameter, accepted)


def _with_kernel(
    method: AlgorithmSettings, kernel: KernelConfig | None
) -> tuple[AlgorithmSettings, Any, set[Any]]:
    """Return an algorithm with the shared kernel, its estimator, and the classes of its parts.

    The parts of the estimators at all points of the grid are among them.

    Raises EstimatorError if an estimator cannot be made.
    """
    with blamed_on(estimator_name(method.estimator)):
        try:
            return _made(method, kernel)
        except EstimatorError:
            _parts_at_points(method)  # names all mistakes in the values as they are written
            raise


def _made(
    method: AlgorithmSettings, kernel: KernelConfig | None
) -> tuple[AlgorithmSettings, Any, set[Any]]:
    """Return what `_with_kernel` returns; the first mistake that is met is raised."""
    spec, share = method.estimator, method.share_gram
    first = grid_points(method.grid)[0]
    build(spec, {**method.params, **first}, share_gram=share)  # it is a classifier
    estimator = construct(spec, method.params)
    params = {**method.params, **_shared_kernel(kernel, method, estimator)}
    method = replace(
        method,
        estimator=(spec := block_of_real_numbers(estimator, spec)),
        params=with_real_numbers(estimator, params),
        grid=grid_of_real_numbers(estimator, method.grid),
    )
    for parameter, values in (method.grid or {}).items():
        refuse_equal_values(parameter, values)
    estimator = construct(spec, method.params)
    parts = part_classes(estimator) | _parts_at_points(method)
    defaults = {
        key: ADDRESS.sub("", repr(value)) for key, value in sorted(estimator.get_params().items())
    }
    dtype = kernel.dtype if kernel and share else "float64"
    return replace(method, defaults=defaults, gram_dtype=dtype), estimator, parts


def _parts_at_points(method: AlgorithmSettings) -> set[Any]:
    """Return the classes of the parts of an algorithm at all points of its grid.

    Raises EstimatorError, with a message for each mistake, if one of these cannot be made.
    """
    parts, wrong = set[Any](), list[str]()
    for point in grid_points(method.grid):
        try:
            params = {**method.params, **point}
            parts |= part_classes(build(method.estimator, params, share_gram=method.share_gram))
        except EstimatorError as error:
            wrong += error.messages
    if wrong:
        raise EstimatorError(*wrong)
    return parts


def _shared_kernel(
    kernel: KernelConfig | None, method: AlgorithmSettings, estimator: Any
) -> dict[str, Any]:
    """Return the keys of the study's kernel that the algorithm's parameters do not set.

    An algorithm with a kernel of its own shares nothing.
    """
    if kernel is None or not isinstance(method.estimator, str) or "kernel" in method.params:
        return {}
    accepted = estimator.get_params(deep=False)
    return {
        key: value
        for key, value in kernel.params().items()
        if key in accepted and "kernel" in accepted and key not in method.params
    }


def _root(part: Any) -> str:
    return f"{part.__module__}:{part.__qualname__}"
