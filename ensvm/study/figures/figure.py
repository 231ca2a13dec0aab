"""What figures of every kind have: a caption, panels, axes and their labels."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Literal

from ensvm.records.record import RunPass
from ensvm.study.block import Asked, Block, Id, StudyNames
from ensvm.study.metrics import SECONDS, TRAIN_ERROR, unit_of
from ensvm.study.source import YamlSource

Scale = Literal["log", "linear"]
# What an axis says of a metric that is not called by its name.
CALLED = {
    "error": "test error",
    "accuracy": "test accuracy",
    TRAIN_ERROR: "training error",
    "auc": "AUC",
    "f1": "F1",
    "f1_macro": "macro F1",
    "log_loss": "log-loss",
    "brier": "Brier score",
    "matthews": "Matthews correlation",
    "staged_test_error": "test error",
    "staged_test_accuracy": "test accuracy",
    "staged_train_error": "training error",
}


class AxesConfig(Block):
    """What panels of every kind have: a title and the labels of their axes."""

    title: str | None = None
    x_label: str | None = None
    y_label: str | None = None

    @property
    def about(self) -> str:
        """What the panel is about, in short."""
        return ""

    @property
    def name(self) -> str:
        """The panel's title, by default what it is about."""
        return self.title or self.about


class FigureConfig(Block):
    """What figures of every kind have: a caption, panels side by side, and axes."""

    id: Id
    caption: str
    x_label: str = ""
    y_label: str = ""
    x_scale: Scale = "linear"
    y_scale: Scale = "linear"

    @property
    @abstractmethod
    def axes(self) -> tuple[AxesConfig, ...]:
        """The panels, whatever they are about."""

    def labels_of(self, panel: AxesConfig) -> tuple[str, str]:
        """Return what a panel's axes say: the panel's label, the figure's, or what they show."""
        x, y = self.shown_on(panel)
        return panel.x_label or self.x_label or x, panel.y_label or self.y_label or y

    @abstractmethod
    def shown_on(self, panel: AxesConfig) -> tuple[str, str]:
        """Return what a panel's axes show, for axes without a label."""

    @property
    def timed(self) -> bool:
        """Whether a panel shows the timing pass."""
        return False

    @abstractmethod
    def asked(self, index: int, names: StudyNames) -> Iterator[Asked]:
        """Yield what the figure, the config's `index`-th, asks of the records."""

    @abstractmethod
    def check(self, index: int, names: StudyNames, source: YamlSource) -> None:
        """Raise ConfigError for data sets and algorithms that the study does not have."""


def pass_of(y: str) -> RunPass:
    """Return the pass whose records show a metric: seconds are of the timing pass alone."""
    return "timing" if unit_of(y) == SECONDS else "error"


def axis_label(metric: str) -> str:
    """Return what an axis says that shows a metric: its name and its unit."""
    name = CALLED.get(metric) or metric.rstrip("_").replace("_", " ")
    unit = unit_of(metric)
    return name if unit == SECONDS or not unit.name else f"{name} ({unit.name})"
