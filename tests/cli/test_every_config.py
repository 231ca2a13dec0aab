"""The command checks and runs every config of the repository, started in another folder."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from made_up_records import invoke

from ensvm.records.store import read_records

ROOT = Path(__file__).parents[2]
FOREIGN = Path(__file__).parent / "foreign" / "foreign.yaml"
CONFIGS = [*sorted((ROOT / "configs").glob("*.yaml")), FOREIGN]
# A data set and an algorithm whose fit takes less than a second; a config that is not named here
# is run whole.
SMALL = {
    "benchmark": ("iris", "svc"),
    "comp6321": ("toy", "boosted_toy"),
    "ecda13": ("spam", "svm"),
    "icmla05": ("fournorm", "svm_nu"),
    "ijcai07-figure1": ("cancer", "fig1_adaptive"),
    "ijcai07-lowrank": ("adult3", "rank_100_random"),
    "ijcai07": ("cancer", "parzen"),
    "many-rows": ("rows-10000", "ridge"),
    "nips99": ("labor", "svm_libsvm"),
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Start commands in an empty folder."""
    monkeypatch.chdir(tmp_path)


def command(config):
    """Return the arguments of `run` such that it takes seconds."""
    small = SMALL.get(config.stem)
    chosen = [] if small is None else ["--datasets", small[0], "--algorithms", small[1]]
    return ["run", str(config), "--realizations", "1", "--jobs", "1", *chosen]


@pytest.mark.slow
@pytest.mark.parametrize(
    "config", [config for config in CONFIGS if config != FOREIGN], ids=lambda config: config.stem
)
@pytest.mark.usefixtures("in_this_process")
def test_a_config_is_good_and_runs(config):
    arguments = command(config)
    if config.parent == ROOT / "configs":  # it needs nothing that only a new process would lack
        ended = invoke(*arguments)
        status, output = ended.exit_code, ended.output
    else:
        installed = Path(sys.executable).with_name("ensvm")
        alone = subprocess.run([installed, *arguments], capture_output=True, text=True)
        status, output = alone.returncode, alone.stdout + alone.stderr
    assert status == 0, output
    assert "Traceback" not in output


def test_the_classifiers_of_other_people_learn(tmp_path):
    ran = invoke("run", FOREIGN, "--jobs", "1")
    assert ran.exit_code == 0, ran.output
    records = read_records(tmp_path / "results" / "foreign").values()
    errors = {record.algorithm: record.metrics.get("error") for record in records}
    names = yaml.safe_load(FOREIGN.read_text())["algorithms"]
    assert set(names) == errors.keys() - {"data"}
    assert all(errors[name] < 0.2 for name in names)
    wrapped = {
        record.algorithm
        for record in records
        if record.settings.method and record.settings.method.wrapped
    }
    assert wrapped == {"ours"}
    table = invoke("table", "--format", "md").stdout
    lines = [line for line in table.splitlines() if "one against rest" in line]
    assert lines[-1].startswith("partially trained")
