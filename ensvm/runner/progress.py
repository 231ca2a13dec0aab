"""The progress of a run on standard error: a bar on a terminal, else plain lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Self

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
)

from ensvm.data import DataSearch
from ensvm.records.record import Record
from ensvm.visible_console import VisibleConsole

# How often a run prints a line when its output goes to a file.
PLAIN_LINE_SECONDS = 15.0
# The remaining time is shown when so many cells, and this share of all, have ended: short and long
# cells alternate.
FEWEST_CELLS = 10
LEAST_SHARE = 0.02


class RunProgress:
    """A progress bar with counts, failures and the remaining time; plain lines if piped.

    The bar and each line name `study`. `describe_missing` returns the text that says how to get
    missing data, from a `DataSearch` and the number of data sets of the run; None to print nothing.
    """

    def __init__(
        self,
        study: str,
        *,
        visible: bool = True,
        describe_missing: Callable[[DataSearch, int], str] | None = None,
    ) -> None:
        self._console = VisibleConsole(stderr=True, quiet=not visible)
        self._live = visible and (self._console.is_terminal or self._console.is_jupyter)
        self._describe_missing = describe_missing
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[count]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[remaining]}", markup=False, style="progress.remaining"),
            console=self._console,
            transient=True,
            get_time=time.monotonic,
            disable=not self._live,
        )
        self._study = study
        self._task = self._bar.add_task(f"{study} reading", total=None, count="", remaining="")
        self._cells = self._done = self._failed = 0
        self._started = self._printed = self._first_cell = time.monotonic()
        self._compiling = 0.0

    def __enter__(self) -> Self:
        if self._live:  # rich before 14.3 ends a bar that is not shown with an empty line
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live:
            self._bar.stop()

    def data(self, dataset: str) -> None:
        """Name the data set that is being loaded."""
        self._bar.update(self._task, description=f"{self._study} data: {dataset}")

    def missing(self, search: DataSearch, n_wanted: int) -> None:
        """Print, before anything runs, which data sets no provider served."""
        if self._describe_missing is not None:
            self._print(self._describe_missing(search, n_wanted))

    def start(self, cells: int) -> None:
        """Start the bar for `cells` cells."""
        self._cells, self._first_cell = cells, time.monotonic()
        self._bar.reset(
            self._task,
            total=cells or 1,
            description=self._study,
            count=self._count(),
            remaining="",
        )

    def say(self, message: str) -> None:
        """Print a message of a worker process on a line of its own, above the bar."""
        self._print(message)

    def compiled(self, seconds: float) -> None:
        """Note how long each worker has waited for the compiler: the pace does not include it."""
        self._compiling = seconds

    def done(self, records: list[Record]) -> None:
        """Count the cells that have ended."""
        self._done += len(records)
        self._failed += sum(record.status in ("failed", "timeout") for record in records)
        now = time.monotonic()
        remaining = self._remaining(now)
        self._bar.update(self._task, advance=len(records), count=self._count(), remaining=remaining)
        if not self._live and (
            now - self._printed > PLAIN_LINE_SECONDS or self._done == self._cells
        ):
            self._printed = now
            passed = timedelta(seconds=round(now - self._started))
            line = f"{self._study}: {self._count()}, {passed} passed"
            self._print(", ".join(filter(None, [line, remaining])))

    def _print(self, text: str) -> None:
        self._console.print(text, soft_wrap=True)

    def _remaining(self, now: float) -> str:
        """Return the text of the remaining time; empty at the end, and while it is a guess."""
        least = max(FEWEST_CELLS, LEAST_SHARE * self._cells)
        if not least <= self._done < self._cells:
            return ""
        # Each worker compiles once, so that the cells to come do not wait for it.
        spent = max(0.0, now - self._first_cell - self._compiling)
        seconds = spent / self._done * (self._cells - self._done)
        return f"ETA {timedelta(seconds=round(seconds))}"

    def _count(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._done}/{self._cells} cells{failed}"
