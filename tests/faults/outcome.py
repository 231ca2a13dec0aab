"""How a fault may end, and what every class of faults has."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import ClassVar

import numpy as np

from faults.command import OUTPUT_KEPT, Finished, Starter

TRACES = ("Traceback (most recent call last)", "KeyError", "Fatal Python error")


class Outcome(Enum):
    """How a fault ended."""

    SURVIVED = "survived"
    LOST = "records lost"
    WRONG = "silently wrong"
    HANG = "hang"
    TRACEBACK = "traceback"
    STATUS = "wrong exit status"


@dataclass(frozen=True)
class Verdict:
    """What was done, how it ended, and what shows it."""

    fault: str
    outcome: Outcome = Outcome.SURVIVED
    evidence: str = ""


class FaultClass(ABC):
    """Faults of one kind, made in a folder of their own."""

    name: ClassVar[str]
    share: ClassVar[float]
    """The share of all faults tried in the long form."""
    short: ClassVar[int]
    """The faults tried in the short form."""
    note: str = ""
    """What could not be tried here, and why."""

    def __init__(self, folder: Path, starter: Starter, rng: np.random.Generator) -> None:
        self.folder, self.starter, self.rng = folder, starter, rng
        folder.mkdir(parents=True)

    @abstractmethod
    def one(self, number: int) -> Verdict:
        """Make one fault at random, in a folder of its own, and judge what came of it."""


def judged(fault: str, ran: Finished, *, allowed: tuple[int, ...]) -> Verdict | None:
    """Return what is wrong with how a command ended; None if it ended as a command may."""
    if ran.hung:
        return Verdict(fault, Outcome.HANG, ran.tail)
    at = min((ran.output.find(trace) for trace in TRACES if trace in ran.output), default=None)
    if at is not None:
        return Verdict(fault, Outcome.TRACEBACK, ran.output[at : at + 2 * OUTPUT_KEPT])
    if ran.status not in allowed:
        return Verdict(fault, Outcome.STATUS, f"exit status {ran.status}: {ran.tail}")
    if ran.status == 2 and not ran.output.strip():
        return Verdict(fault, Outcome.STATUS, "exit status 2 without a message")
    return None
