"""What can be measured, and in which unit it is shown: the one place that knows metrics."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Unit:
    """The unit a value is shown in.

    Attributes
    ----------
    name : str
        What stands behind a number, `percentage points` for instance; empty for plain numbers.
    scale : float
        What a recorded number is multiplied with to be in this unit.
    form : str
        How a number of this unit is formatted.
    """

    name: str = ""
    scale: float = 1.0
    form: str = ".4g"

    def text(self, value: float) -> str:
        """Return a number of this unit (already scaled) as text, without the unit's name."""
        return f"{value:{self.form}}".replace("-", "−")


PLAIN = Unit()
PERCENT = Unit("%", 100.0, ".2f")  # of what is recorded as a fraction
SECONDS = Unit("s")
POINTS = Unit("percentage points", 1.0, ".2f")  # a difference of percentages
TIMES = Unit("times")
RISES = Unit("rises")
EXPONENT = Unit("exponent")

TRAIN_ERROR = "train_error"
# Curves over an algorithm's stages, and the rows they are about.
STAGED = {
    "staged_test_error": "test",
    "staged_test_accuracy": "test",
    "staged_train_error": "train",
}
FRACTIONS = ("error", "accuracy", TRAIN_ERROR, *STAGED)

DATA_CELL = "data"  # the reserved algorithm name of the cell that states a data set's facts
DATA_FACTS = ("dim", "n_train", "n_test", "rows", "classes")


def unit_of(metric: str) -> Unit:
    """Return the unit in which a metric or the values of a curve are shown."""
    if metric in FRACTIONS:
        return PERCENT
    return SECONDS if metric.rstrip("_").endswith("_seconds") else PLAIN
