"""Tasks on the workers of a dask cluster, each of which is told which of them to do."""

import sys
import time
import uuid
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import Any, Self

from ensvm.data import DataError
from ensvm.data.cards.card import Source
from ensvm.data.providers.pushing import keep, packed
from ensvm.runner.engines import node
from ensvm.runner.engines.engine import EngineRefused, Save
from ensvm.runner.engines.scheduler import CONNECT_SECONDS, connected, told
from ensvm.runner.engines.versions import differences, greeting
from ensvm.runner.task import Task, new_record

NO_WORKER_SECONDS = 60.0
LOOK_SECONDS = 1.0  # between two looks at which workers there are
RESULT_SECONDS = 30.0  # in which an answer that is ready arrives, if its worker is still there
STOP_SECONDS = 3.0  # in which workers say what they have done when a run is interrupted
# Worker processes that a task may cost: after so many its cells are run one by one, each alone on
# its worker, so that no cell is blamed for the end that another one made ...
DEATHS_TOGETHER = 2
MAX_DEATHS = 4  # ... and after so many a cell is a failed one.


@dataclass(frozen=True)
class Job:
    """A task on its way, and what became of it so far.

    Attributes
    ----------
    task : Task
        The task.
    deaths : int
        The worker processes that ended while they had it.
    files : dict of Source or None
        The files of its data set as they were sent to workers.
    asked : frozenset of str
        The workers that have asked for its data.
    last : bool
        Whether data that cannot be loaded are a failure now.
    """

    task: Task
    deaths: int = 0
    files: dict[str, Source] | None = None
    asked: frozenset[str] = frozenset()
    last: bool = False

    @property
    def alone(self) -> bool:
        """Whether no other task may be on its worker."""
        return self.deaths >= DEATHS_TOGETHER or self.task.run_pass == "timing"


class DaskEngine:
    """The workers of a dask cluster; each of their threads runs one task at a time.

    Parameters
    ----------
    scheduler : str, Path, Client or Cluster
        The address of the scheduler, such as tcp://10.0.0.1:8786, the file that it wrote, or a
        client or a cluster of dask.distributed; a client that is given is not closed.
    tell : callable
        Takes what the user should know, in one line: which workers get no cells.
    patience : float, default 60
        The seconds without any worker after which a run ends.

    Raises
    ------
    EngineRefused
        If dask.distributed is not installed, it is nothing of these, or no scheduler answers.
    """

    def __init__(
        self, scheduler: Any, tell: Callable[[str], None], *, patience: float = NO_WORKER_SECONDS
    ) -> None:
        self._tell, self._patience = tell, patience
        self._client, self._address = connected(scheduler)
        self._is_ours = self._client is not scheduler

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._is_ours:
            with suppress(Exception):
                self._client.close(timeout=STOP_SECONDS)

    def run(self, tasks: Sequence[Task], save: Save, timeout: float | None) -> None:
        """Run tasks; see `Engine`."""
        if tasks:
            run = _Dispatch(self._client, self._address, self._tell, self._patience, save, timeout)
            try:
                run.all(tasks)
            finally:
                run.stop()


class _Dispatch:
    """One run of tasks: which worker has which of them."""

    def __init__(
        self,
        client: Any,
        address: str,
        tell: Callable[[str], None],
        patience: float,
        save: Save,
        timeout: float | None,
    ) -> None:
        self._client, self._address, self._tell = client, address, tell
        self._patience, self._save, self._timeout = patience, save, timeout
        self._name = uuid.uuid4().hex[:12]
        self._waiting: deque[Job] = deque()
        self._flying: dict[str, tuple[Job, str, Any]] = {}  # by the future's key
        self._greeted: dict[str, Any] = {}  # futures by the address of the worker
        self._slots: dict[str, int] = {}  # threads, by the address of a worker that may run cells
        self._refused: dict[str, str] = {}  # why a worker may not
        self._landed: SimpleQueue[str] = SimpleQueue()
        self._looked, self._reached = 0.0, False
        self._worker_seen = time.monotonic()

    def all(self, tasks: Sequence[Task]) -> None:
        """Run tasks to the end."""
        self._waiting.extend(map(Job, tasks))
        while self._waiting or self._flying:
            if time.monotonic() - self._looked >= LOOK_SECONDS:
                self._look()
                self._looked = time.monotonic()
            self._fill()
            with suppress(Empty):
                self._land(self._landed.get(timeout=LOOK_SECONDS))

    def stop(self) -> None:
        """End what the run has left on the workers, and save what they have done of it."""
        stopping = Thread(target=self._stop_workers, daemon=True)
        stopping.start()
        end = time.monotonic() + STOP_SECONDS
        stopping.join(STOP_SECONDS)
        while self._flying and (left := end - time.monotonic()) > 0:
            with suppress(Empty):
                key = self._landed.get(timeout=left)
                if key in self._flying:
                    job, worker, future = self._flying.pop(key)
                    answer = self._answer(future, worker)
                    if isinstance(answer, node.Answer):
                        self._keep(job, answer)

    def _stop_workers(self) -> None:
        with suppress(Exception):
            self._client.run(node.stop, self._name, on_error="ignore")

    def _look(self) -> None:
        """See which workers have come and gone."""
        threads = self._threads()
        if threads is not None:
            for worker in (self._slots.keys() | self._greeted.keys()) - threads.keys():
                self._lose(worker)
            known = self._slots.keys() | self._greeted.keys() | self._refused.keys()
            for worker in sorted(threads.keys() - known):
                self._greeted[worker] = self._sent(worker, greeting)
            for worker, future in list(self._greeted.items()):
                if future.done():
                    del self._greeted[worker]
                    self._judge(worker, future, threads[worker])
        if threads and self._slots:
            self._worker_seen = time.monotonic()
        elif threads and threads.keys() <= self._refused.keys():
            whys = "; ".join(f"{worker}: {self._refused[worker]}" for worker in sorted(threads))
            raise EngineRefused(f"{self._address}: no worker that can run cells: {whys}")
        elif time.monotonic() - self._worker_seen >= self._patience:
            what = "no answer from the scheduler" if threads is None else "no worker there"
            raise EngineRefused(
                f"{self._address}: {what} for {self._patience:g} s;"
                " every finished cell is kept, the same command goes on from here"
            )

    def _threads(self) -> dict[str, int] | None:
        """Return the threads of each worker; None where the scheduler does not answer."""
        scheduler = self._client.scheduler
        try:
            found = self._client.sync(scheduler.ncores, callback_timeout=CONNECT_SECONDS)
        except Exception:
            self._reached = False
            return None
        self._reached = True
        return dict(found)

    def _judge(self, worker: str, future: Any, threads: int) -> None:
        """Let a worker that has answered the greeting run cells, or say why it may not."""
        if future.status in ("cancelled", "lost"):
            return
        if future.status == "error":
            why = f"it cannot run ensvm: {told(future.exception())}"
        else:
            host, there = future.result(timeout=RESULT_SECONDS)
            why = differences(there)
            why = f"{why} (on {host})" if why else ""
        if why:
            self._refused[worker] = why
            self._tell(f"the worker {worker} gets no cells: {why}")
        else:
            self._slots[worker] = threads

    def _lose(self, worker: str) -> None:
        """Take note that a worker is gone; its tasks are run again."""
        self._slots.pop(worker, None)
        self._greeted.pop(worker, None)
        lost = [key for key, (_, on, _) in self._flying.items() if on == worker]
        for key in lost:
            job, _, future = self._flying.pop(key)
            future.release()
            self._again(job)

    def _again(self, job: Job) -> None:
        """Put a task back whose worker died: whole, then cell by cell, and at last not at all."""
        job = replace(job, deaths=job.deaths + 1)
        cells = job.task.cells
        if len(cells) == 1 and job.deaths >= MAX_DEATHS:
            reason = f"each of the {job.deaths} workers that had it was killed"
            self._save([new_record(job.task, cells[0], "failed", reason)])
        elif job.deaths == DEATHS_TOGETHER:
            self._waiting.extend(replace(job, task=job.task.only((cell,))) for cell in cells)
        elif job.alone:
            self._waiting.append(job)
        else:
            self._waiting.appendleft(job)

    def _fill(self) -> None:
        """Give workers with free threads something to do, the longest task first."""
        busy = []
        while self._waiting and self._reached:
            job = self._waiting.popleft()
            worker = self._free(job)
            if worker is None:
                busy.append(job)
                if job.alone:  # others need no worker for themselves
                    continue
                break
            order = node.Order(
                self._name, job.task, self._timeout, tuple(sys.argv[1:]), job.files, job.last
            )
            future = self._sent(worker, node.do, order)
            self._flying[future.key] = (job, worker, future)
        self._waiting.extendleft(reversed(busy))

    def _free(self, job: Job) -> str | None:
        """Return the worker with the most free threads for a task; None where all are busy."""
        if job.task.run_pass == "timing":  # on one machine, one at a time
            return None if self._flying else min(self._slots, default=None)
        free = dict(self._slots)
        for other, worker, _ in self._flying.values():
            if worker in free:
                free[worker] -= free[worker] if other.alone or job.alone else 1
        most = max(sorted(free), key=free.__getitem__, default=None)
        return most if most is not None and free[most] > 0 else None

    def _sent(self, worker: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """Have a worker, and no other, call a function; returns the future."""
        future = self._client.submit(
            function,
            *arguments,
            key=f"ensvm-{self._name}-{uuid.uuid4().hex}",
            workers=[worker],
            allow_other_workers=False,
            pure=False,
        )
        future.add_done_callback(lambda done: self._landed.put(done.key))
        return future

    def _land(self, key: str) -> None:
        """Take an answer."""
        if key not in self._flying:  # a greeting, or of a worker that was given up
            self._looked = 0.0
            return
        job, worker, future = self._flying.pop(key)
        answer = self._answer(future, worker)
        if answer is None:
            self._again(job)
            return
        self._keep(job, answer)
        done = {record.key for record in answer.records}
        left = tuple(cell for cell in job.task.cells if cell.key not in done)
        if left:
            rest = replace(job, task=job.task.only(left))
            if answer.no_data is not None:
                rest = self._push(rest, worker)
            self._waiting.appendleft(rest)

    def _answer(self, future: Any, worker: str) -> node.Answer | None:
        """Return the answer of a worker; None where it died with it."""
        from distributed import CancelledError, KilledWorker

        try:
            answer: node.Answer | None = future.result(timeout=RESULT_SECONDS)
            return answer
        except (KilledWorker, CancelledError, TimeoutError):
            return None
        except Exception as error:
            raise EngineRefused(f"the worker {worker} cannot go on: {told(error)}") from error

    def _keep(self, job: Job, answer: node.Answer) -> None:
        """Save what a worker has made, with its provenance."""
        wanted = {cell.key for cell in job.task.cells}
        made = [record for record in answer.records if record.key in wanted]
        if made:
            self._save([record.of_run(answer.run) for record in made])

    def _push(self, job: Job, worker: str) -> Job:
        """Send a worker the files of a data set; where that fails, its load is to fail there."""
        if worker in job.asked:
            return replace(job, last=True)
        try:
            files, contents = packed(job.task.card, job.task.data_dir)
        except DataError:
            return replace(job, last=True)
        with suppress(OSError):  # it asks again, or is gone
            self._client.run(keep, contents, workers=[worker])
        for at, other in enumerate(self._waiting):
            if other.task.card is job.task.card:
                self._waiting[at] = replace(other, files=files)
        return replace(job, files=files, asked=job.asked | {worker})
