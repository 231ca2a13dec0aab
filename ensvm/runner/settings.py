"""The algorithms of a study: estimator, parameters, how each is scored, and its code."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from ensvm.data import DatasetCard
from ensvm.errors import near_miss
from ensvm.kernels import KERNEL_PARAMETERS
from ensvm.records.code_identity import code_identity
from ensvm.runner.estimators import (
    EstimatorError,
    blamed_on,
    build,
    name_of,
    names_in,
    parts_of,
    resolved_block,
    takes_many,
)
from ensvm.runner.own_code import OwnCode, loaded_code, own_code, own_modules_of
from ensvm.study.algorithms import AlgorithmConfig, CrossValidationConfig, KernelConfig
from ensvm.study.block import is_derived
from ensvm.study.config import StudyConfig
from ensvm.study.metrics import STAGED, TRAIN_ERROR
from ensvm.study.source import YamlSource

# Where the code of a cell begins, beside the classes of its classifier and its generator.
LOADING = "ensvm.data.loading"
REALIZATION, GENERATING = f"{LOADING}:Dataset", f"{LOADING}:generate"
CARD = "ensvm.data.card:DatasetCard"
SCORING = "ensvm.runner.evaluate"
ONE_VS_REST: Literal["one-vs-rest"] = "one-vs-rest"
ADDRESS = re.compile(r" at 0x[0-9a-f]+")  # in what Python shows of functions: it is never the same

# An algorithm's name, the kernel shared on a data set, whether that has more than two classes
Used: TypeAlias = tuple[str, KernelConfig | None, bool]


@dataclass(frozen=True)
class AlgorithmSettings:
    """An algorithm of a study on one data set, every value resolved."""

    estimator: str | Mapping[str, Any]  # a name of ours, an import path, or a pipeline's block
    params: Mapping[str, Any] = field(default_factory=dict)  # with those of the shared kernel
    # Every parameter of the estimator as text, so that a changed default makes another cell.
    defaults: Mapping[str, str] = field(default_factory=dict)
    grid: Mapping[str, list[Any]] | None = None  # values of parameters, among which is chosen
    stage: Literal["last", "best-on-test", "best-on-validation", "best-by-cv"] = "last"
    record: tuple[str, ...] = ()  # what is kept beside the test error and the fitted scalars
    share_gram: bool = True  # whether it may be fitted on a Gram matrix that others use too
    gram_dtype: str = "float64"
    seed: str | None = None  # what random numbers are drawn by; None for the algorithm's own name
    orders: int = 1  # of the training rows, over which it is fitted
    cv: Mapping[str, Any] | None = None  # `n_splits` and `scorer` of `best-by-cv`
    wrapped: Literal["one-vs-rest"] | None = None  # around a classifier of two classes

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a JSON object."""
        line = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        line["record"] = list(self.record)
        for name in ("seed", "cv", "wrapped"):  # left out if None
            if line[name] is None:
                del line[name]
        if self.orders == 1:
            del line["orders"]
        return line


@dataclass(frozen=True)
class Algorithm:
    """An algorithm of a config with the code that it runs through."""

    method: AlgorithmSettings
    roots: frozenset[str]  # the names in `ensvm` and installed packages where its code begins
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
    blocks = {}
    for name in dict.fromkeys(name for name, *_ in used):
        try:
            blocks[name] = resolved_block(config.algorithms[name])
        except EstimatorError as error:
            raise source.error(("algorithms", name), str(error)) from error
    own = own_code(source, blocks)
    return {key: _resolved(source, blocks[key[0]], *key, own=own[key[0]]) for key in used}


def _used(config: StudyConfig, cards: Mapping[str, DatasetCard]) -> dict[Used, None]:
    """Return the algorithms with each kernel that they must work with, in the config's order.

    The study's own algorithms must work with the kernels of all its data sets; algorithms and data
    sets that readings derived only as far as they are run.
    """
    kernels = {entry.name: config.kernel_of(entry) for entry in config.datasets}
    own = {kernels[name] for name in config.own_rows}
    run = set[Used]()
    for entry in config.datasets:
        many = entry.name in cards and has_many_classes(cards[entry.name])
        run |= {(name, kernels[entry.name], many) for name in config.algorithms_of(entry)}
    return {
        (name, kernel, many): None
        for kernel in dict.fromkeys(kernels.values())
        for name in config.algorithms
        for many in (False, True)
        if (name, kernel, many) in run or (kernel in own and not (many or is_derived(name)))
    }


def _resolved(
    source: YamlSource,
    block: AlgorithmConfig,
    name: str,
    kernel: KernelConfig | None,
    many: bool,
    *,
    own: OwnCode,
) -> Algorithm:
    """Return an algorithm, its estimator made of the block and the shared kernel, and checked."""
    from sklearn.multiclass import OneVsRestClassifier

    try:
        with blamed_on(name_of(block.spec)):
            estimator, shared, parts = _built(block, kernel)
            defaults = {
                key: ADDRESS.sub("", repr(value))
                for key, value in sorted(estimator.get_params().items())
            }
    except EstimatorError as error:
        raise source.error(("algorithms", name), str(error)) from error
    wrapped = ONE_VS_REST if many and (block.one_vs_rest or not takes_many(estimator)) else None
    _check_stages(source, block, name, estimator, wrapped)
    method = AlgorithmSettings(
        estimator=block.spec,
        params={**block.params, **shared},
        defaults=defaults,
        grid=block.grid,
        stage=block.stage,
        record=block.record,
        share_gram=block.share_gram,
        gram_dtype=kernel.dtype if kernel and block.share_gram else "float64",
        seed=block.seed,
        orders=block.orders,
        cv=_folds(source, block, name),
        wrapped=wrapped,
    )
    parts |= {OneVsRestClassifier} if wrapped else set()
    roots = names_in(block) | {_root(part) for part in parts}
    if modules := own_modules_of(roots):
        own |= loaded_code(modules, source.path.parent)
    others = {root for root in roots if root.partition(":")[0] not in modules}
    return Algorithm(method, own.roots | others, own)


def code_of(card: DatasetCard, algorithm: Algorithm | None = None) -> str:
    """Return the identity of the code of a cell, apart from the user's own.

    Without an algorithm it is that of the cell that states the facts of the data.
    """
    data = _data_roots(card)
    if algorithm is None:
        return code_identity(data)
    return code_identity({*data, SCORING, *algorithm.roots}, algorithm.own.packages)


def _data_roots(card: DatasetCard) -> set[str]:
    """Return where the code begins that decides on the data.

    A checksum vouches for the arrays, so that only the code after loading counts.
    """
    if card.checksum is not None:
        return {REALIZATION}
    if card.generator is not None:
        return {REALIZATION, GENERATING, _root(type(card.generator))}
    return {LOADING, CARD}


def _check_stages(
    source: YamlSource, block: AlgorithmConfig, name: str, estimator: Any, wrapped: str | None
) -> None:
    """Refuse a stage, or stages to be recorded, that the estimator does not have."""
    staged = hasattr(estimator, "staged_predict") and wrapped is None
    why = ""
    if wrapped is not None:
        why = " (on data of more than two classes it is wrapped one against rest)"
    if block.stage != "last" and block.grid is None and not staged:
        message = f"{name_of(block.spec)} has no stages (staged_predict) and no grid:"
        raise source.error(("algorithms", name, "stage"), message + why)
    asked = [key for key in block.record if key in STAGED]
    if asked and (block.grid is not None or not staged):
        raise source.error(
            ("algorithms", name, "record"),
            f"{asked[0]!r} needs the stages of one machine (staged_predict), not a grid{why}",
        )
    curves = [key for key in block.record if key != TRAIN_ERROR]
    if curves and wrapped is not None:
        raise source.error(("algorithms", name, "record"), f"{curves[0]!r} is not there{why}")


def _folds(source: YamlSource, block: AlgorithmConfig, name: str) -> dict[str, Any] | None:
    """Check the scorer of `best-by-cv`, and return it with the number of folds."""
    if block.stage != "best-by-cv":
        return None
    from sklearn.metrics import get_scorer_names

    cv = block.cv or CrossValidationConfig()
    accepted = get_scorer_names()
    if cv.scorer not in accepted:
        raise source.error(
            ("algorithms", name, "cv", "scorer"),
            f"unknown scorer {cv.scorer!r}; accepted: the names of sklearn.metrics."
            f"get_scorer_names(), such as accuracy, balanced_accuracy, roc_auc, f1_macro, "
            f"neg_log_loss{near_miss(cv.scorer, accepted)}",
        )
    return cv.model_dump()


def _built(
    block: AlgorithmConfig, kernel: KernelConfig | None
) -> tuple[Any, dict[str, Any], set[Any]]:
    """Return the estimator of a block, its parameters of the shared kernel, and its parts.

    Every point of the grid is built and checked too, and its parts are among them.
    """
    spec, share = block.spec, block.share_gram
    estimator = build(spec, block.params, share_gram=share)
    shared = _shared_kernel(kernel, block.params, estimator) if isinstance(spec, str) else {}
    params = {**block.params, **shared}
    if shared:
        estimator = build(spec, params, share_gram=share)
    parts = parts_of(estimator)
    for parameter, values in (block.grid or {}).items():
        for value in values:
            parts |= parts_of(build(spec, {**params, parameter: value}, share_gram=share))
    return estimator, shared, parts


def _root(part: Any) -> str:
    return f"{part.__module__}:{part.__qualname__}"


def _shared_kernel(
    kernel: KernelConfig | None, params: Mapping[str, Any], estimator: Any
) -> dict[str, Any]:
    """Return the study's kernel as parameters, unless `params` name a kernel's parameter."""
    if kernel is None or any(key in params for key in KERNEL_PARAMETERS):
        return {}
    accepted = estimator.get_params(deep=False)
    return {
        key: value
        for key, value in kernel.params().items()
        if key in accepted and "kernel" in accepted
    }
