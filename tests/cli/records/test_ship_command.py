"""`python -m ensvm_cli.records.ship`: what records say travels with a study's folder."""

import pytest
from click.testing import CliRunner
from made_up_records import invoke

from ensvm.records.store import CELLS_FILE, SHIPPED_FILE, read_records
from ensvm_cli.records.ship import ship

pytestmark = pytest.mark.usefixtures("in_this_process")


def succeeded(*arguments):
    ran = invoke(*arguments)
    assert ran.exit_code == 0, ran.output
    return ran


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Results of a shipped study with its records packed and no own ones, as in a checkout."""
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    results = tmp_path / "results"
    succeeded("run", "smoke", "--algorithms", "svc,parzen", "--results", results, "--jobs", 1)
    told = CliRunner().invoke(ship, [str(results)])
    assert told.exit_code == 0, told.output
    assert "21 of 39 cells" in told.stdout  # the facts of the data are cells, too
    assert "no record: titanic, rho_svm, error pass: 3 cells" in told.stderr
    return results


def test_tables_of_a_fresh_checkout_are_those_of_the_run(results):
    before = succeeded("table", results).stdout
    (results / "smoke" / CELLS_FILE).unlink()
    assert succeeded("table", results).stdout == before


def test_a_run_does_all_again_and_leaves_what_is_shipped(results):
    folder = results / "smoke"
    shipped = (folder / SHIPPED_FILE).read_bytes()
    (folder / CELLS_FILE).unlink()
    options = ("--algorithms", "svc", "--datasets", "titanic", "--results", results, "--jobs", 1)
    assert "; 0 done, 4 to do" in succeeded("run", "smoke", *options, "--dry-run").stdout
    succeeded("run", "smoke", *options)
    assert len(read_records(folder)) == 4
    assert (folder / SHIPPED_FILE).read_bytes() == shipped
    table = succeeded("table", results, "--format", "csv").stdout
    [parzen] = [line for line in table.splitlines() if line.startswith("errors,titanic,parzen")]
    assert ",shipped," in parzen
