"""Missing data for a user: said once, before anything runs, in one block."""

import pytest
from made_up_records import invoke

SVC = "svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}"


@pytest.fixture(autouse=True)
def _no_network(tmp_path, monkeypatch):
    monkeypatch.setenv("ENSVM_OFFLINE", "1")
    monkeypatch.setenv("ENSVM_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("ENSVM_DATA", raising=False)


@pytest.fixture
def config(tmp_path):
    """Return a study of one data set that is here, and three of two sources that are not."""
    path = tmp_path / "trial.yaml"
    rows = "[titanic, web2, {name: again, card: web2}, web1]"
    path.write_text(f"study: trial\nrealizations: 1\ndatasets: {rows}\nalgorithms:\n  {SVC}\n")
    return path


def block_in(text):
    """Return the lines of what to do, after the block's head."""
    lines = text.splitlines()
    (head,) = [n for n, line in enumerate(lines) if line.startswith("missing data: 3 of the 4")]
    return [line for line in lines[head + 2 :] if "--data-dir" in line]


@pytest.mark.usefixtures("in_this_process")
def test_a_run_names_what_is_missing_first_and_by_what_to_do(config, tmp_path):
    ran = invoke("run", config, "--results", tmp_path / "results", "--jobs", 1)
    assert ran.exit_code == 0
    told = block_in(ran.stderr)
    assert [line.split(":")[0].strip() for line in told] == ["web2, again", "web1"]
    assert ran.stderr.index("missing data") < ran.stderr.index("cells, ")
    (end,) = [line for line in ran.stdout.splitlines() if "no data" in line]
    assert "web2, again, web1" in end


def test_a_dry_run_and_a_check_name_it_too(config, tmp_path):
    dry = invoke("run", config, "--results", tmp_path / "results", "--dry-run")
    checked = invoke("check", config, "--no-fit")
    assert block_in(dry.stdout) == block_in(checked.stdout)
    assert checked.exit_code == 0


def test_several_studies_are_asked_at_once(config, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text(config.read_text().replace("study: trial", "study: other"))
    told = invoke("data", "missing", config, other)  # its former name
    assert told.exit_code == 0
    assert "6 of the 8 data sets of 2 studies" in told.stdout
    first, second = [line for line in told.stdout.splitlines() if "--data-dir" in line]
    assert first.strip().startswith("trial/web2, trial/again, other/web2, other/again: ")
    assert second.strip().startswith("trial/web1, other/web1: ")


def test_a_study_that_lacks_nothing_says_so(study):
    told = invoke("data", "list", "--missing", study(SVC))
    assert told.exit_code == 0
    assert "missing data" not in told.stdout
    assert "all 1 data sets of trial are here" in told.stdout


def test_a_name_that_is_no_study_is_wrong_input():
    told = invoke("data", "list", "--missing", "smokee")
    assert told.exit_code == 2
    assert "did you mean 'smoke'" in told.stderr
