"""Estimators that try to hurt the cells beside theirs."""

import resource
from pathlib import Path
from typing import ClassVar

from ensvm.records.store import read_records
from faults.command import Finished, finished, started
from faults.estimators import HANGING, HOSTILE
from faults.outcome import FaultClass, Outcome, Verdict, judged
from faults.trial import State, state_of, write_study

GOOD = {
    "svc": "{estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}",
    "random": '{estimator: "troublesome:Random"}',
    "parzen": "{estimator: ParzenWindowClassifier}",
    "rho": "{estimator: RhoSVC}",
}
REALIZATIONS = 2
# Far above what a good cell takes on a busy machine.
TIMEOUT = 8.0
HANGS_AFTER = 240.0
MOST_BYTES = 4 << 30


class Hostile(FaultClass):
    """Three bad columns among good ones, in a random order, at one or two jobs."""

    name: ClassVar[str] = "hostile estimators"
    share: ClassVar[float] = 0.15
    short: ClassVar[int] = 2

    def one(self, number: int) -> Verdict:
        """Run bad columns beside good ones; the good ones' values may not change."""
        calm = self._calm() if number == 0 else self._state
        self._state = calm
        # Each in turn, so that a long form meets all of them.
        kinds = list(HOSTILE)
        bad = [kinds[(number * 11 + offset * 4) % len(kinds)] for offset in range(3)]
        columns = {
            kind.__name__: f'{{estimator: "faults.estimators:{kind.__name__}"}}' for kind in bad
        }
        everyone = [*GOOD.items(), *columns.items()]
        order = self.rng.permutation(len(everyone))
        jobs = int(self.rng.integers(1, 3))
        limits = []
        if set(bad) & HANGING:
            limits = ["--timeout", str(TIMEOUT)]
        ran, results = self._run(number, dict(everyone[i] for i in order), jobs, limits)
        fault = f"{', '.join(columns)} at {jobs} jobs"
        must_fail = [kind.__name__ for kind in bad if HOSTILE[kind]]
        wrong = judged(fault, ran, allowed=(1,) if must_fail else (0, 1))
        if wrong and wrong.outcome is not Outcome.STATUS:
            return wrong
        if state_of(results).of(set(GOOD)) != calm.of(set(GOOD)):
            return Verdict(fault, Outcome.WRONG, "values of other columns changed")
        if wrong:
            return wrong
        records = read_records(results / "trial").values()
        passed = {record.algorithm for record in records if record.status == "ok"}
        if passed & set(must_fail):
            return Verdict(fault, Outcome.WRONG, f"{passed & set(must_fail)} did not fail")
        counted = len(records) == 1 + REALIZATIONS * len(everyone)
        if not counted or "trial: 0 of" not in ran.output:
            return Verdict(fault, Outcome.LOST, f"{len(records)} records: {ran.tail}")
        return Verdict(fault)

    def _calm(self) -> State:
        ran, results = self._run(-1, GOOD, 1, [])
        assert ran.status == 0, ran.tail
        return state_of(results)

    def _run(
        self, number: int, columns: dict[str, str], jobs: int, limits: list[str]
    ) -> tuple[Finished, Path]:
        folder = self.folder / str(number)
        folder.mkdir()
        lines = "\n".join(f"{name}: {value}" for name, value in columns.items())
        config = write_study(folder, lines, realizations=REALIZATIONS, more="")
        arguments = ["run", str(config), "--results", str(folder / "r"), "--jobs", str(jobs)]
        process = started([*arguments, *limits], folder / "log", limit_memory)
        return finished(process, folder / "log", HANGS_AFTER), folder / "r"


def limit_memory() -> None:
    """Let this process and those it starts have so much memory each, and no more."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, resource.RLIM_INFINITY))
