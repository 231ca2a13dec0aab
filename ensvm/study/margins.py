"""The margin of a verdict: how far a value of ours may be from the printed one."""

from typing import NamedTuple

from ensvm.study.metrics import PERCENT, is_setting, wrong_share

SHARE = 0.1  # of a printed value; of an error at most 1 point


class Margin(NamedTuple):
    """The margin of a column, as its table gives it; None for what is not given.

    `most` is in the unit of the metric, and `share` is a part of the printed value.
    """

    metric: str
    most: float | None
    share: float | None

    @property
    def is_fixed(self) -> bool:
        """Whether it is the same for every printed value; parameters of algorithms have 0."""
        return self.share is None and (self.most is not None or is_setting(self.metric))

    def at(self, printed: float) -> float:
        """Return the margin at a printed value."""
        if self.is_fixed:
            return self.most or 0.0
        share = SHARE if self.share is None else self.share
        wrong = wrong_share(self.metric, printed)
        if wrong is None:
            return share * abs(printed)
        error, point = wrong
        return min(point if self.most is None else self.most, share * error)

    @property
    def text(self) -> str:
        """The margin in words, such as `10 % of the printed value`."""
        if self.is_fixed:
            return f"±{self.most or 0.0:g}"
        share = SHARE if self.share is None else self.share
        text = f"{PERCENT.scale * share:g} % of the printed"
        wrong = wrong_share(self.metric, 0.5)
        if wrong is None:
            return f"{text} value"
        return f"{text} error, at most ±{wrong[1] if self.most is None else self.most:g}"
