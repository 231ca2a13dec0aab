"""The passes of a study, and what names one of its values."""

from collections.abc import Mapping
from typing import Literal, TypeAlias

from ensvm.study.metrics import SECONDS, unit_of

RunPass: TypeAlias = Literal["error", "timing"]

# One value of a report: data set (row), algorithm, pass. All its realizations have one origin.
ValueOf: TypeAlias = tuple[str, str, RunPass]

# A timing is long if it takes so many times the median of the others of its value.
DISTURBED = 3.0

PASS_OF_TABLE: Mapping[str, RunPass] = {"results": "error", "timing": "timing", "data": "error"}


def pass_of(metric: str) -> RunPass:
    """Return the pass that records a metric: seconds come from the timing pass."""
    return "timing" if unit_of(metric) == SECONDS else "error"
