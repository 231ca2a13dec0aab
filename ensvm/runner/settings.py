"""What a cell's algorithm is: the estimator and its parameters, and how it is scored."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from ensvm.kernels import KERNEL_PARAMETERS
from ensvm.records.code_identity import code_identity
from ensvm.runner.estimators import EstimatorError, blamed_on, build, check_values, classes_of
from ensvm.study.algorithm import AlgorithmConfig, KernelConfig
from ensvm.study.metrics import STAGED
from ensvm.study.source import YamlSource

# Where the code that a cell runs through begins, beside its classifier's class.
DATA_PATH = "ensvm.data.loading"
SCORING = "ensvm.runner.evaluate"


@dataclass(frozen=True)
class AlgorithmSettings:
    """An algorithm of a study on one data set, every value resolved.

    Attributes
    ----------
    estimator : str
        One of our names, or an import path `package.module:Class`.
    params : dict
        The parameters that the config sets, those of the shared kernel among them.
    defaults : dict of str
        Every parameter of the estimator as text, so that a changed default makes another cell.
    grid : dict of lists or None
        The values of each parameter among which one point is chosen.
    stage : 'last', 'best-on-test' or 'best-on-validation'
        Which stage, or which point of the grid, is scored.
    record : tuple of str
        What is kept beside the test error and the fitted scalars.
    share_gram : bool
        Whether the estimator may be fitted on a Gram matrix that others use too.
    gram_dtype : 'float64' or 'float32'
        The precision of that matrix.
    seed : str or None
        What the random numbers are drawn by; None for the algorithm's own name.
    orders : int
        Over how many orders of the training rows it is fitted, at least 1.
    """

    estimator: str
    params: Mapping[str, Any] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    grid: Mapping[str, list[Any]] | None = None
    stage: Literal["last", "best-on-test", "best-on-validation"] = "last"
    record: tuple[str, ...] = ()
    share_gram: bool = True
    gram_dtype: str = "float64"
    seed: str | None = None
    orders: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return the settings as a JSON object."""
        line = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        line["record"] = list(self.record)
        if self.seed is None:
            del line["seed"]
        if self.orders == 1:
            del line["orders"]
        return line


def algorithm_settings(
    source: YamlSource, block: AlgorithmConfig, name: str, kernel: KernelConfig | None
) -> tuple[AlgorithmSettings, str] | None:
    """Return what an algorithm of a config is, with every value resolved and checked.

    Parameters
    ----------
    source : YamlSource
        The config's text, for messages.
    block : AlgorithmConfig
        The algorithm's block.
    name : str
        The algorithm's name.
    kernel : KernelConfig or None
        The kernel that the algorithms share on a data set.

    Returns
    -------
    (AlgorithmSettings, str) or None
        The settings, and the identity of the code that a cell of it runs through; None for an
        algorithm that is unavailable.

    Raises
    ------
    ConfigError
        If the estimator, a parameter or a stage cannot be used.
    """
    if block.estimator is None:
        return None
    try:
        with blamed_on(block.estimator):
            estimator, shared, classes = _built(block, block.estimator, kernel)
            defaults = {key: repr(value) for key, value in sorted(estimator.get_params().items())}
    except EstimatorError as error:
        raise source.error(("algorithms", name), str(error)) from error
    if block.stage != "last" and block.grid is None and not hasattr(estimator, "staged_predict"):
        raise source.error(
            ("algorithms", name, "stage"),
            f"{block.estimator} has no stages (staged_predict) and no grid:",
        )
    staged = [key for key in block.record if key in STAGED]
    if staged and (block.grid is not None or not hasattr(estimator, "staged_predict")):
        raise source.error(
            ("algorithms", name, "record"),
            f"{staged[0]!r} needs the stages of one machine (staged_predict), not a grid",
        )
    method = AlgorithmSettings(
        estimator=block.estimator,
        params={**block.params, **shared},
        defaults=defaults,
        grid=block.grid,
        stage=block.stage,
        record=block.record,
        share_gram=block.share_gram,
        gram_dtype=kernel.dtype if kernel and block.share_gram else "float64",
        seed=block.seed,
        orders=block.orders,
    )
    return method, code_identity([DATA_PATH, SCORING, *map(_place, classes)])


def _built(
    block: AlgorithmConfig, name: str, kernel: KernelConfig | None
) -> tuple[Any, dict[str, Any], set[type]]:
    """Return an algorithm's estimator, the shared kernel's parameters in it, and its classes."""
    share = block.share_gram
    estimator = build(name, dict(block.params), share_gram=share)
    shared = _shared_kernel(kernel, block, estimator)
    estimator.set_params(**shared)
    classes = classes_of(estimator)
    for parameter, values in (block.grid or {}).items():
        for value in values:
            point = build(name, {**block.params, parameter: value}, share_gram=share)
            check_values(point.set_params(**shared), share_gram=share)
            classes |= classes_of(point)
    check_values(estimator, share_gram=share)
    return estimator, shared, classes


def _place(found: type) -> str:
    return f"{found.__module__}:{found.__qualname__}"


def _shared_kernel(
    kernel: KernelConfig | None, block: AlgorithmConfig, estimator: Any
) -> dict[str, Any]:
    """Return the study's kernel as parameters of an estimator; its own `params` come first."""
    if kernel is None or any(key in block.params for key in KERNEL_PARAMETERS):
        return {}
    accepted = estimator.get_params(deep=False)
    return {
        key: value
        for key, value in kernel.params().items()
        if key in accepted and "kernel" in accepted
    }
