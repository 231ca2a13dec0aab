"""The timing pass of a study."""

from pydantic import Field

from ensvm.study.block import Block, StudyNames
from ensvm.study.source import YamlSource

MAX_THREADS = 1024  # more than the libraries can be told


class TimingConfig(Block):
    """The timing pass: algorithms again, alone on the machine, each with its own Gram matrix.

    `blas_threads` holds for the whole pass; None for `algorithms` or `datasets` means all.
    """

    algorithms: tuple[str, ...] | None = None
    datasets: tuple[str, ...] | None = None
    realizations: int = Field(default=1, ge=1)
    blas_threads: int = Field(default=1, ge=1, le=MAX_THREADS)


def check_timing(block: TimingConfig, names: StudyNames, source: YamlSource) -> None:
    """Refuse algorithms and data sets that the study does not have."""
    for name in block.algorithms or ():
        source.must_be_one_of(("timing", "algorithms"), "algorithm", name, names.algorithms)
    for name in block.datasets or ():
        source.must_be_one_of(("timing", "datasets"), "data set", name, names.datasets)
