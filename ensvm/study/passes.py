"""The passes of a study, the block of the timing pass, and what names one value of a study."""

from collections.abc import Mapping
from typing import Annotated, Literal, TypeAlias, get_args

from pydantic import Field

from ensvm.study.block import ConfigBlock, NameOf
from ensvm.study.metrics import SECONDS, unit_of

RunPass: TypeAlias = Literal["error", "timing"]
PASSES = (*get_args(RunPass), "all")  # what a run may be asked for

# One value of a report: data set (row), algorithm, pass. All its realizations have one origin.
ValueOf: TypeAlias = tuple[str, str, RunPass]

# A timing is long if it takes so many times the median of the others of its value.
DISTURBED = 3.0

PASS_OF_TABLE: Mapping[str, RunPass] = {"results": "error", "timing": "timing", "data": "error"}


def pass_of(metric: str) -> RunPass:
    """Return the pass that records a metric: seconds come from the timing pass."""
    return "timing" if unit_of(metric) == SECONDS else "error"


class TimingConfig(ConfigBlock):
    """The timing pass: algorithms again, alone on the machine, each with its own Gram matrix.

    Attributes
    ----------
    algorithms : tuple of str or None
        The algorithms that are timed; all if not given.
    datasets : tuple of str or None
        The data sets on which they are timed; all if not given.
    realizations : int
        How often each algorithm is timed, on one realization after the other; if the data have
        fewer, on the same ones again.
    blas_threads : int
        How many threads numerical libraries may use in the whole pass.
    """

    algorithms: Annotated[tuple[str, ...] | None, NameOf("algorithm", if_gone="empty")] = None
    datasets: Annotated[tuple[str, ...] | None, NameOf("data set", if_gone="empty")] = None
    realizations: int = Field(default=1, ge=1)
    blas_threads: int = Field(default=1, ge=1)
