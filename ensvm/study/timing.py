"""The timing pass of a study."""

from typing import TYPE_CHECKING

from pydantic import Field

from ensvm.study.block import Block
from ensvm.study.source import YamlSource

if TYPE_CHECKING:
    from ensvm.study.config import StudyConfig


class TimingConfig(Block):
    """The timing pass: algorithms again, alone on the machine, each with its own Gram matrix.

    `blas_threads` holds for the whole pass; None for `algorithms` or `datasets` means all.
    """

    algorithms: tuple[str, ...] | None = None
    datasets: tuple[str, ...] | None = None
    realizations: int = Field(default=1, ge=1)
    blas_threads: int = Field(default=1, ge=1)


def check_timing(config: "StudyConfig", source: YamlSource) -> None:
    """Refuse algorithms and data sets that the study does not have."""
    if config.timing is None:
        return
    for name in config.timing.algorithms or ():
        source.must_be_one_of(("timing", "algorithms"), "algorithm", name, config.algorithms)
    names = [entry.name for entry in config.datasets]
    for name in config.timing.datasets or ():
        source.must_be_one_of(("timing", "datasets"), "data set", name, names)
