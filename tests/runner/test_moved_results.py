"""A results folder that is deleted or renamed during a run loses no record."""

import shutil
from pathlib import Path

import pytest
from made_up_records import Silent, invoke

from ensvm.records.store import CELLS_FILE, CONFIG_COPY, read_records
from ensvm.runner.execute import run_plan
from ensvm.runner.plan import make_plan

pytestmark = pytest.mark.usefixtures("in_this_process")
SVC = "svc: {estimator: SVC}"
CELLS = 5


def delete(folder):
    shutil.rmtree(folder)


def rename(folder):
    folder.rename(folder.with_name("renamed"))


def replace(folder):
    rename(folder)
    folder.mkdir()
    (folder / CELLS_FILE).touch()


def block(folder):
    delete(folder)
    folder.write_text("no folder")


class Watcher(Silent):
    """Does something to the folder once the first records are saved."""

    def __init__(self, folder, act):
        self.folder, self.act = folder, act

    def done(self, records, cost):
        """Act once a fit is saved."""
        if self.act is not None and any(record.algorithm == "svc" for record in records):
            self.act(self.folder)
            self.act = None


@pytest.mark.parametrize("act", [delete, rename, replace])
def test_all_records_are_written_anew(study, tmp_path, act):
    config, folder = study(SVC), tmp_path / "results" / "trial"
    run_plan(make_plan(config, realizations=1), folder.parent, Silent(), jobs=1)
    outcome = run_plan(make_plan(config), folder.parent, Watcher(folder, act), jobs=1)
    assert (outcome.moved, outcome.lost, outcome.done) == (True, 0, CELLS)
    assert len(read_records(folder)) == CELLS
    assert (folder / CONFIG_COPY).read_bytes() == config.read_bytes()
    assert not make_plan(config).missing(read_records(folder))


def test_cells_whose_predictions_are_gone_are_not_done(study, tmp_path):
    config, folder = study(SVC, more="keep: predictions\n"), tmp_path / "results" / "trial"
    outcome = run_plan(make_plan(config), folder.parent, Watcher(folder, delete), jobs=1)
    assert len(read_records(folder)) == CELLS
    missing = make_plan(config).missing(read_records(folder))
    assert outcome.lost == len(missing) > 0
    assert outcome.done == CELLS - len(missing)


@pytest.mark.parametrize(("act", "status"), [(delete, 0), (block, 2)])
def test_the_command_says_so(study, tmp_path, act, status, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = tmp_path / "results" / "trial"
    watcher = Watcher(folder, act)
    monkeypatch.setattr(
        "ensvm.notebook.progress.RunProgress.done",
        lambda bar, records, cost: watcher.done(records, 0),
    )
    ran = invoke("run", study(SVC), "--results", folder.parent, "--jobs", 1)
    assert ran.exit_code == status
    told = ran.stderr.splitlines()[-1]
    assert "was deleted or renamed during the run" in told
    saved = folder if status == 0 else Path(told.rpartition(" ")[2]).parent
    assert len(read_records(saved)) == CELLS
