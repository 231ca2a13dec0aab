"""Made-up records whose answer is known, real runs without workers or words, and the command."""

import lzma
import re
import shutil
import signal
import textwrap
from concurrent.futures import Future
from dataclasses import replace

from click.testing import CliRunner, Result
from pydantic import TypeAdapter

from ensvm.records.asked import AskedValue, asked_of, write_asked
from ensvm.records.current_records import asked_by_newest
from ensvm.records.record import Conditions, Record, Run
from ensvm.records.settings import CellSettings
from ensvm.records.store import (
    CELLS_FILE,
    CONFIG_COPY,
    PUBLISHED_COPY,
    SHIPPED_FILE,
    Store,
    records_in,
)
from ensvm.report.study_folder import Study, read_shipped_study, read_study
from ensvm.runner import execute
from ensvm.runner.cell import Task, new_record, run_task
from ensvm.runner.own_code import importable
from ensvm.runner.pool import LocalPool, Pool
from ensvm.runner.progress import RunProgress
from ensvm.shipped import shipped_results
from ensvm.study.read_config import read_config
from ensvm_cli import ENDING
from ensvm_cli.main import main

RUN = Run(id="r", commit="c" * 40, dirty=False)


def record(
    dataset,
    realization,
    algorithm,
    *,
    run_pass="error",
    status="ok",
    reason="",
    curve=None,
    seconds=None,
    host=None,
    **metrics,
):
    """Return a record of a cell with the metrics given, a curve `path_` and `train_seconds`.

    `host` is the machine of a timing.
    """
    return Record(
        study="s",
        dataset=dataset,
        realization=realization,
        algorithm=algorithm,
        key=f"{dataset}-{realization}-{algorithm}-{run_pass}",
        run_id="r",
        run_pass=run_pass,
        metrics=metrics,
        seconds={} if seconds is None else {"train_seconds": seconds},
        conditions=None if host is None else Conditions(host, 1, None, True),
        curves={} if curve is None else {"path_": curve},
        status=status,
        reason=reason,
        settings_key="now",
        time="2026-01-02T00:00:00Z",
    )


def record_of(cell, status="ok", **changed):
    """Return a record that answers a cell of a plan."""
    return replace(new_record(Task(None, (cell,), None, "r"), cell, status), **changed)


def settings_of(**line):
    """Return the settings of a cell from the keys of their JSON object."""
    return TypeAdapter(CellSettings).validate_python(line)


def errors(dataset, algorithm, values, **metrics):
    """Return records of these test errors (fractions), one a realization."""
    return [
        record(dataset, number, algorithm, error=float(value), n_test=300, **metrics)
        for number, value in enumerate(values, start=1)
    ]


def make_study(folder, config, records, published=None) -> Study:
    """Write a study's folder as a run would leave it, and read it."""
    with Store(folder) as store:
        store.append([RUN, *records])
    (folder / "config.yaml").write_text(config)
    write_asked(folder, asked_for(read_config(folder / "config.yaml")[0], records))
    if published is not None:
        (folder / "published.csv").write_text(published)
    return read_study(folder)


def asked_for(config, records):
    """Return what a config asks for, with the settings of the newest record of each value."""
    values = dict(asked_by_newest(records).values)
    for entry in config.datasets:
        for name in config.algorithms_of(entry):
            for run_pass in ("error", "timing") if config.times(entry.name, name) else ("error",):
                one = AskedValue(entry.name, name, "now", None, run_pass)
                values.setdefault(one.value, one)
    return asked_of(values.values(), "2026-01-02T00:00:00Z")


def copy_results(name, results, realizations=5):
    """Make a folder as a run leaves it of the first realizations of a study's shipped results."""
    source = shipped_results() / name
    (results / name).mkdir(parents=True)
    for file in (CONFIG_COPY, PUBLISHED_COPY):
        if (source / file).is_file():
            shutil.copy(source / file, results / name)
    with lzma.open(source / SHIPPED_FILE) as lines:
        kept = [line for line in lines if _realization(line) <= realizations]
    cells = results / name / CELLS_FILE
    cells.write_bytes(b"".join(kept))
    config, _ = read_config(results / name / CONFIG_COPY)
    write_asked(results / name, asked_for(config, records_in(cells).values()))


def read_results(folder):
    """Read the results of a study that come with ensvm."""
    return read_shipped_study(folder, folder)


def _realization(line):
    """Return the realization of a record; 0 for settings and runs, which are kept."""
    number = re.search(rb'"realization": (\d+)', line)
    return int(number[1]) if number and b'"kind": "cell"' in line else 0


CLAIMED = """\
study: s
realizations: 10
datasets: [german, titanic, web2, {name: astro, algorithms: [a]}]
algorithms:
  a: {label: A, estimator: RhoSVC, record: [path_, staged_train_error]}
  b: {label: B, estimator: RhoSVC, record: [path_]}
  later: {label: L, estimator: RhoSVC, record: [path_]}
timing: {algorithms: [a, b, later]}
published: p.csv
tables:
  - {id: 2, caption: Errors., columns: [a, b]}
claims:
"""
PRINTED = "table,row,column,value,std\n2,german,a,24.0,\n2,german,b,29.5,\n"


def claimed(folder, claims, records) -> Study:
    """Make a study with these claims (YAML) on the algorithms a, b and later."""
    config = CLAIMED + textwrap.indent(textwrap.dedent(claims).strip(), "  ") + "\n"
    return make_study(folder, config, records, PRINTED)


def invoke(*arguments, stdin: str | None = None) -> Result:
    """Call the `ensvm` command with these arguments, paths and numbers among them, and catch it.

    `stdin` is what is typed.

    A run says how the signals that end it are handled; that is not for the process that tests it.
    """
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        return CliRunner().invoke(main, [str(argument) for argument in arguments], input=stdin)
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, handler)


class PoolHere(Pool):
    """Runs cells in this process, one after another."""

    def submit(self, attempt):
        task = attempt.task
        with importable(task.modules):
            for event in run_task(task):
                if isinstance(event, Record):
                    self._store.append([event, *task.answered_by(event)])
        done = Future()
        done.set_result(None)
        return done

    def missed(self, future, attempt):
        return []

    def end(self):
        pass


def cells_run_here(patch, most_jobs=1):
    """Let runs of so many jobs run their cells in this process, which saves starting workers."""

    def pool(store, report, timeout, jobs, **listeners):
        if jobs > most_jobs:
            return LocalPool(store, report, timeout, jobs, **listeners)
        return PoolHere(store, report)

    patch.setattr(execute, "LocalPool", pool)


def run_quietly(plan, results, **options):
    """Run a plan without a word, and return how it went."""
    progress = RunProgress(plan.config.study, visible=False)
    return execute.run_plan(plan, results, progress, **options)
