"""The progress of a run, as a terminal or a file shows it."""

import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from ensvm.records.record import Record
from ensvm_cli.terminal import duration, missing_block

if TYPE_CHECKING:
    from ensvm.data import DataSearch

# How often a run speaks when its output goes to a file.
PLAIN_LINE_SECONDS = 15.0


class RunProgress:
    """A progress bar with counts, failures and ETA on standard error; plain lines if piped."""

    def __init__(self) -> None:
        self._console = Console(stderr=True)
        self._live = self._console.is_terminal
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            TextColumn("ETA"),
            TimeRemainingColumn(),
            console=self._console,
            transient=True,
            disable=not self._live,
        )
        self._task = self._bar.add_task("reading", total=None, count="")
        self._cells = self._done = self._failed = 0
        self._cost = self._spent = 0.0
        self._begun = self._told = time.monotonic()

    def __enter__(self) -> Self:
        if self._live:  # rich before 14.3 ends a bar that is not shown with an empty line
            self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live:
            self._bar.stop()

    def data(self, dataset: str) -> None:
        """Name the data set that is being loaded."""
        self._bar.update(self._task, description=f"data: {dataset}")

    def missing(self, search: "DataSearch", of: int) -> None:
        """Say once, before anything runs, which data sets no provider served."""
        block = missing_block(search, of, "this run")
        self._console.print(block, markup=False, highlight=False, soft_wrap=True)

    def start(self, cells: int, cost: float) -> None:
        """Begin with `cells` cells that cost `cost` in all."""
        self._cells, self._cost = cells, cost
        self._begun = time.monotonic()
        self._bar.reset(
            self._task, total=max(cost, 1.0), description="running", count=self._count()
        )

    def done(self, records: list[Record], cost: float) -> None:
        """Add the cells that have ended."""
        self._done += len(records)
        self._spent += cost
        self._failed += sum(record.status in ("failed", "timeout") for record in records)
        self._bar.update(self._task, advance=cost, count=self._count())
        if not self._live and (
            time.monotonic() - self._told > PLAIN_LINE_SECONDS or self._done == self._cells
        ):
            self._told = time.monotonic()
            click.echo(f"{self._count()}, {self._eta()}", err=True)

    def _count(self) -> str:
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._done}/{self._cells} cells{failed}"

    def _eta(self) -> str:
        passed = time.monotonic() - self._begun
        left = passed * (self._cost / self._spent - 1) if self._spent else 0.0
        return f"{duration(passed)} passed, about {duration(max(left, 0.0))} left"
