"""The same records from this machine, from a cluster and from shards, whatever dies on the way."""

import json
import os
import signal
import threading
import time

import pytest
from made_up_records import invoke, run_quietly

import ensvm
from ensvm.errors import UserError
from ensvm.records.merge import merge, write_merged
from ensvm.records.store import read_records
from ensvm.runner.execute import run_plan
from ensvm.runner.plan import make_plan, part_of
from ensvm.runner.progress import RunProgress

distributed = pytest.importorskip("distributed")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # those of dask, too
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork"),
]

SVC = "svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}\n"
POISON = """\
study: trial
realizations: 2
kernel: {kernel: rbf, gamma: mean-distance}
datasets:
  - {name: titanic, realizations_of: {kills: 1}}
  - {name: own, path: own.csv, target: label, positive: 1, algorithms: [svc, random],
     split: {protocol: random, n_train: 40, n_test: 20}}
algorithms:
  kills: {estimator: "troublesome:Ends"}
  svc: {label: C-SVM, estimator: SVC, params: {C: 1.0}}
  random: {estimator: "troublesome:Random"}
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Two worker processes with a thread each."""
    folder = tmp_path_factory.mktemp("cluster")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        with distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            local_directory=str(folder),
            silence_logs=50,
        ) as started:
            started.folder = folder
            yield started


@pytest.fixture
def engine(cluster):
    return cluster.scheduler_address


def run(config, results, **options):
    return run_quietly(make_plan(config), results, **options)


def values(results):
    """What must be the same, and that every cell has one line."""
    text = (results / "trial" / "cells.jsonl").read_text()
    records = read_records(results / "trial")
    assert sum(json.loads(line)["kind"] == "cell" for line in text.splitlines()) == len(records)
    return {
        identity: (record.key, record.status, record.metrics)
        for identity, record in records.items()
    }


def test_the_same_from_here_from_a_cluster_and_from_shards(engine, cluster, own_data, tmp_path):
    config = tmp_path / "trial.yaml"
    config.write_text(POISON)
    plan = make_plan(config)
    here = run_quietly(plan, tmp_path / "here", jobs=1)
    assert here.statuses == {"ok": len(plan.cells) - 1, "failed": 1}
    there = run_quietly(plan, tmp_path / "there", engine=engine)
    assert there.statuses == here.statuses
    places = [tmp_path / f"shard-{number}" for number in (1, 2)]
    for number, place in enumerate(places, 1):
        shard, _ = part_of(plan, None, (number, 2), elsewhere=False)
        run_quietly(shard, place, jobs=1)
    merged, _ = merge(places)
    assert not merged[0].disagreements
    write_merged(merged, tmp_path / "merged")
    whole = values(tmp_path / "here")
    assert len(whole) == len(plan.cells)
    assert values(tmp_path / "there") == values(tmp_path / "merged") == whole
    runs = {record.run.id for record in read_records(tmp_path / "there" / "trial").values()}
    assert len(runs) >= 2, "each worker's provenance is its own"


def test_whoever_reaches_the_scheduler_runs_code(engine, cluster):
    """What docs/look-up/trust.md warns of: on the workers, and by their answers on this machine."""
    workers = {worker.pid for worker in cluster.workers.values()}

    def answer():  # in here, so that workers need not import this file
        class RunsWhereItIsRead:
            def __reduce__(self):
                return os.getpid, ()

        return RunsWhereItIsRead()

    with distributed.Client(engine, set_as_default=False) as anyone:
        assert anyone.submit(os.getpid, pure=False).result(timeout=60) in workers
        assert anyone.submit(answer, pure=False).result(timeout=60) == os.getpid()


def test_a_worker_that_is_killed_midway_costs_nothing(engine, cluster, study, tmp_path):
    config = study(SVC + 'nap: {estimator: "troublesome:Naps"}', realizations=12)
    workers = [worker.pid for worker in cluster.workers.values()]

    class Kills(RunProgress):
        def done(self, records):
            if len(workers) == 2:
                os.kill(workers.pop(), signal.SIGKILL)

    plan = make_plan(config)
    outcome = run_plan(plan, tmp_path / "r", Kills("trial", visible=False), engine=engine)
    assert outcome.statuses == {"ok": len(plan.cells)}
    assert len(values(tmp_path / "r")) == len(plan.cells)


def test_a_cell_that_kills_its_parent_fails_alone(engine, study, tmp_path):
    (tmp_path / "beside.py").write_text("from troublesome import Ends\n")
    kills = 'kills: {estimator: "beside:Ends", params: {how: kills its parent}}'
    config = study(SVC + kills, realizations=1)
    outcome = run(config, tmp_path / "r", engine=engine)
    assert outcome.statuses == {"ok": 2, "failed": 1}
    [failed] = outcome.failures
    assert failed.algorithm == "kills"
    assert "worker process was killed" in failed.reason
    assert len(values(tmp_path / "r")) == 3


def test_an_interruption_ends_it_and_the_same_command_goes_on(cluster, study, tmp_path):
    params = f"{{how: sleeps, marker: {tmp_path / 'm'}}}"
    config = study(
        f'{SVC}once: {{estimator: "troublesome:Ends", params: {params}}}', realizations=2
    )
    results = tmp_path / "r"
    command = ["run", str(config), "--engine", cluster.scheduler_address, "--results", str(results)]
    over = threading.Event()

    def interrupt():
        while not over.wait(0.05):
            if (tmp_path / "m").exists():
                os.kill(os.getpid(), signal.SIGINT)
                return

    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    thread = threading.Thread(target=interrupt, daemon=True)
    thread.start()
    try:
        start = time.monotonic()
        stopped = invoke(*command)
        assert time.monotonic() - start < 300.0  # the cell sleeps for 600 seconds
        over.set()
        again = invoke(*command)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert stopped.exit_code == 130, stopped.output
    assert again.exit_code == 0, again.output
    assert len(values(results)) == 5


def test_a_worker_of_another_version_is_refused_by_name(engine, study, tmp_path, monkeypatch):
    from ensvm.runner import cluster

    here = cluster._versions() | {"numpy": "1.0", "Python": "3.1"}
    monkeypatch.setattr(cluster, "_versions", lambda: here)
    with pytest.raises(UserError, match=r"tcp://.*Python .* there and 3\.1 here.*numpy"):
        run(study(SVC, realizations=1), tmp_path / "r", engine=engine)


def test_without_workers_it_ends_with_the_address(study, tmp_path, monkeypatch):
    from ensvm.runner import cluster

    monkeypatch.setattr(cluster, "WORKER_SECONDS", 1.0)
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0") as empty:
        address = empty.scheduler_address
        with pytest.raises(UserError, match=f"{address}: no worker for 1 s"):
            run(study(SVC, realizations=1), tmp_path / "r", engine=address)


TIMED = "timing: {algorithms: [svc], realizations: 1}\n"


def test_from_python_the_same_as_from_the_command(cluster, study, tmp_path):
    config = study(SVC, realizations=1, more=TIMED)
    address = cluster.scheduler_address
    done = invoke("run", config, "--engine", address, "--results", tmp_path / "command")
    assert done.exit_code == 0
    file = tmp_path / "scheduler.json"
    file.write_text(json.dumps({"address": address}))
    with distributed.Client(address, set_as_default=False) as client:
        for name, engine in {"client": client, "file": file, "cluster": cluster}.items():
            place = tmp_path / name
            with pytest.warns(UserWarning, match="1 timing left out") as warned:
                results = ensvm.run(config, results=place, engine=engine, progress=False)
            assert {one.filename for one in warned} == {__file__}
            assert set(results.frame()["pass"]) == {"error"}
            assert values(place) == values(tmp_path / "command")
        assert client.status == "running", "the user's own client was closed"
    with pytest.raises(UserError, match="this Client is closed"):
        ensvm.run(study(SVC), results=tmp_path / "none", engine=client, progress=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "tcp://127.0.0.1:1", "jobs": 2}, r"jobs \(2\) are for this machine"),
        ({"engine": "no-such.json"}, "no-such.json"),
        ({"engine": 8786}, "8786 is a int; accepted: the address"),
        ({"shard": "3/2"}, "'3/2': give I/N"),
        ({"shard": "1/9"}, "shard 1/9.*2 realizations"),
        ({"run_pass": "both"}, "run_pass='both'; accepted: 'error', 'timing', 'all', or None"),
        ({"jobs": -1}, "jobs=-1; accepted: a whole number of 1 or more"),
        ({"timeout": 0}, "timeout=0; accepted: a number of more than 0"),
    ],
)
def test_wrong_arguments_are_one_message(study, tmp_path, options, message):
    config = study(SVC, realizations=2)
    with pytest.raises(ValueError, match=message):
        ensvm.run(config, results=tmp_path / "r", progress=False, **options)
    assert not (tmp_path / "r").exists()


def test_without_dask_the_option_names_the_extra(study, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    command = ["run", str(study(SVC)), "--results", str(tmp_path), "--engine", "tcp://127.0.0.1:1"]
    answer = invoke(*command)
    assert answer.exit_code == 2
    assert "pip install 'ensvm[dask]'" in answer.stderr
