"""`ensvm run` for a user: exit statuses, readable messages, resume after kill -9 and Ctrl+C."""

import os
import re
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from made_up_records import invoke

from ensvm.records.store import read_records

TABLES = "tables:\n  - {id: 1, caption: c, columns: [svc]}\n"
in_this_process = pytest.mark.usefixtures("in_this_process")
SVC = "svc: {estimator: SVC, params: {kernel: rbf, gamma: mean-distance}}"


def hang_up_by_default():
    """Undo what a test run in the background inherits: SIGHUP is ignored there, as with nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def start(config, results, *options, group=False, before=hang_up_by_default):
    """Start the command as a process of its own; `group`: as the first of its own group.

    `before` runs in it first.
    """
    code = "from ensvm_cli import start; start()"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    command = [sys.executable, "-c", code, "run", str(config), "--results", str(results), *options]
    with open(f"{results}.log", "w") as log:
        return subprocess.Popen(
            command,
            env=environment,
            stdout=log,
            stderr=log,
            start_new_session=group,
            preexec_fn=before,
        )


def wait_for_cells(results, count):
    for _ in range(2400):  # two minutes, on a busy machine
        if len(read_records(results / "trial")) >= count:
            return
        time.sleep(0.05)
    raise AssertionError("no cells appear")


@in_this_process
def test_all_runs_every_study_and_goes_on_after_failed_cells(study, tmp_path, monkeypatch):
    second = study(SVC, realizations=1).rename(tmp_path / "second.yaml")
    second.write_text(second.read_text().replace("trial", "second"))
    config = study(f'{SVC}\nbad: {{estimator: "troublesome:Raises"}}', realizations=1)
    monkeypatch.setattr("ensvm.study.read_config.reproduced", lambda: [str(config), str(second)])
    ran = invoke("run", "--all", "--results", tmp_path / "r", "--jobs", 1)
    assert ran.exit_code == 1, ran.output
    assert "no luck today" in ran.stderr
    ending = " ".join(ran.stdout.split())
    assert re.search(r"not done: 1 of 3 cells; the first: failed: \S+, .*bad: .*no luck", ending)
    assert "Traceback" not in ran.output
    lines = [line for line in ran.stdout.splitlines() if "done before" in line or "here: 2" in line]
    assert lines == [
        "here: 2 data sets of 2 studies",
        "trial: 0 of 3 cells done before; now 2 done, 1 failed",
        "second: 0 of 2 cells done before; now 2 done",
    ]
    assert invoke("run", "--all", config).exit_code == invoke("run").exit_code == 2


@in_this_process
def test_a_table_without_a_value_does_not_stand_before_the_reason(study, tmp_path):
    bad = 'bad: {estimator: "troublesome:Raises"}'
    table = "tables: [{id: 7, caption: c, columns: [NAMES]}]"
    for names, is_shown in (("bad", False), ("svc, bad", True)):
        config = study(f"{SVC}\n{bad}", realizations=1, more=table.replace("NAMES", names))
        ran = invoke("run", config, "--results", tmp_path / names, "--jobs", 1)
        assert ("Table 7" in ran.stdout) == is_shown, ran.stdout
        assert "not done: 1 of 3 cells; the first: failed: " in " ".join(ran.stdout.split())


@in_this_process
def test_all_shows_the_main_table_of_each_study_once_it_is_done(study, tmp_path, monkeypatch):
    configs = []
    for name in ("one", "two"):
        config = study(SVC, realizations=1, more=TABLES).rename(tmp_path / f"{name}.yaml")
        config.write_text(config.read_text().replace("trial", name))
        configs.append(str(config))
    monkeypatch.setattr("ensvm.study.read_config.reproduced", lambda: configs)
    ran = invoke("run", "--all", "--results", tmp_path / "r", "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    steps = re.findall(r"^(?:one|two): 0 of|^ own", ran.stdout, re.MULTILINE)
    assert steps == ["one: 0 of", " own", "two: 0 of", " own"]
    again = invoke("run", "--all", "--dry-run", "--results", tmp_path / "r")
    assert again.stdout.splitlines()[-1] == "all 2 studies: 0 cells to run, about 0.0 s"
    anew = invoke("run", "--all", "--dry-run", "--results", tmp_path / "none")
    assert anew.stdout.splitlines()[-1] == "all 2 studies: 4 cells to run, no estimate"


def test_a_study_takes_longer_than_what_the_paper_shows_of_it(tmp_path):
    """`takes:` of a work is for `--published`; a whole study has more cells."""
    dry = ("run", "ijcai07-figure1", "--results", tmp_path, "--dry-run")
    assert " all cells take longer" in " ".join(invoke(*dry).stdout.split())
    published = " ".join(invoke(*dry, "--published").stdout.split())
    assert "what the paper shows (--published) takes one processor about" in published
    assert "longer" not in published
    part = " ".join(invoke(*dry, "--realizations", 1).stdout.split())
    assert "takes one processor about" in part
    assert "how long the chosen part of it takes is not known" in part


@in_this_process
def test_run_then_table(study, tmp_path):
    config, results = study(SVC, more=TABLES), tmp_path / "results"
    ran = invoke("run", config, "--results", results, "--jobs", 1)
    assert ran.exit_code == 0
    assert "now 5 done" in ran.stdout
    assert f"tables: ensvm table {results}" in ran.stdout.splitlines()[-1]
    shown = invoke("table", results)
    assert shown.exit_code == 0
    assert "\n own " in shown.stdout
    written = (results / "trial" / "table-1.md").read_text().replace("\N{NO-BREAK SPACE}", " ")
    assert invoke("table", results, "--format", "md").stdout.startswith(written.strip())
    again = invoke("run", config, "--results", results)
    assert "nothing to do" in again.stdout


FINDING = """
claims:
  - {id: c, text: t, relation: less, left: [svc], right: [rho], margin: 50}
findings:
  - {claim: c, adds: What came out.}
"""


@in_this_process
@pytest.mark.parametrize(
    ("more", "shown"), [("", "\n own "), (FINDING, "What came out.")], ids=["table", "findings"]
)
def test_a_run_ends_with_what_came_out_and_the_time(study, tmp_path, more, shown):
    config = study(f"{SVC}\nrho: {{estimator: RhoSVC}}", realizations=2, more=TABLES + more)
    ran = invoke("run", config, "--results", tmp_path / "r", "--jobs", 1)
    assert ran.exit_code == 0, ran.output
    before, ending, _ = ran.stdout.rpartition("\ntook ")
    assert ending
    assert shown in before
    assert ("\n own " in before) == (not more)  # one of the two
    assert ("rho: in no table, figure, claim or reading" in before) == (not more)
    assert not list((tmp_path / "r" / "trial").glob("table-*"))


def test_a_choice_given_several_times_adds_up(study, tmp_path):
    config = study(
        f"{SVC}\nparzen: {{estimator: ParzenWindowClassifier}}\nrho: {{estimator: RhoSVC}}"
    )
    for given in (["svc", "parzen"], ["svc,parzen"], ["svc", "parzen,svc"]):
        options = [part for names in given for part in ("--algorithms", names)]
        answer = invoke(
            "run", config, "--results", tmp_path, "--dry-run", *options, "--datasets", "own"
        )
        assert "9 to do" in answer.stdout, answer.output
    wrong = invoke("run", config, "--dry-run", "--datasets", "other", "--datasets", "own")
    assert wrong.exit_code == 2
    assert "'other' is not in this study" in wrong.stderr


@pytest.mark.parametrize(
    ("given", "to_do"), [("2", "3 to do"), ("2-3", "3 to do"), ("4-9", "2 to do")]
)
def test_realizations_are_at_most_so_many_or_from_one_to_another(study, tmp_path, given, to_do):
    answer = invoke("run", study(SVC), "--results", tmp_path, "--dry-run", "--realizations", given)
    assert to_do in answer.stdout, answer.output


@in_this_process
def test_more_realizations_than_the_study_has_are_not_run_in_silence(study, tmp_path):
    config = study(SVC, realizations=2)
    options = "--results", tmp_path / "r", "--jobs", 1, "--realizations"
    ran = invoke("run", config, *options, 50)
    assert ran.exit_code == 0
    note = " ".join(ran.stderr.split())
    assert "--realizations 50: the study has 2; to run more" in note
    assert "--set realizations=50 --as NAME" in note
    assert "the study has" not in invoke("run", config, *options, 2).stderr
    more = invoke("run", config, *options, 50, "--set", "realizations=50", "--as", "more")
    assert "now 48 done" in more.stdout  # those that the study has are taken from it


def test_the_help_lists_options_for_many_machines_apart():
    one, many = invoke("run", "--help").stdout.split("Options for many machines:")
    assert ["--engine" in part for part in (one.partition("\nOptions:")[2], many)] == [False, True]
    assert ["--jobs" in part for part in (one, many)] == [True, False]


@pytest.mark.slow
def test_the_backend_of_a_notebook_does_not_end_the_command(tmp_path):
    environment = {**os.environ, "MPLBACKEND": "module://not_installed.backend_inline"}
    code = "from ensvm_cli import start; import sys; sys.argv[1:] = ['--version']\n"
    code += "try: start()\nexcept SystemExit: import matplotlib.pyplot"
    subprocess.run([sys.executable, "-c", code], env=environment, check=True, cwd=tmp_path)


@pytest.mark.parametrize("given", ["0", "-1", "3-2", "a-b", "9-10"])
def test_impossible_realizations_are_refused(study, tmp_path, given):
    answer = invoke("run", study(SVC), "--results", tmp_path, "--dry-run", "--realizations", given)
    assert answer.exit_code == 2
    assert "--realizations" in answer.stderr
    assert "Traceback" not in answer.output


CLAIMS = "claims: [{id: 1, text: t, left: svc, relation: at-most, limit: 99.0}]\n"


@pytest.mark.parametrize(
    ("more", "shown"),
    [("", "nothing to show"), (CLAIMS, "claims: ensvm report --only claims")],
)
@in_this_process
def test_a_run_without_tables_ends_with_the_commands_that_apply(study, tmp_path, more, shown):
    ran = invoke("run", study(SVC, more=more), "--results", tmp_path / "r", "--jobs", 1)
    assert shown in ran.stdout.splitlines()[-1]
    assert "ensvm table" not in ran.stdout
    table = invoke("table", tmp_path / "r")
    assert table.exit_code == 2
    assert f"error: the study trial has no tables; {shown}" in table.stderr
    assert "wrote" not in table.stderr


@pytest.mark.parametrize("verb", ["run", "check"])
def test_wrong_input_is_one_message_and_exit_status_2(tmp_path, verb):
    path = tmp_path / "c.yaml"
    path.write_text("study: x\ndatasets: [titanic]\n")
    ran = invoke(verb, path)
    assert ran.exit_code == 2
    assert ran.stderr.startswith(f"error: {path}")
    assert len(ran.stderr.strip().splitlines()) == 1


@in_this_process
def test_a_dry_run_counts_cells_and_runs_nothing(study, tmp_path):
    config, results = study(SVC), tmp_path / "results"
    answer = invoke("run", config, "--results", results, "--dry-run", "--jobs", 2)
    assert answer.exit_code == 0
    assert "0 done, 5 to do" in answer.stdout
    assert not results.exists()
    invoke("run", config, "--results", results, "--realizations", 1, "--jobs", 1)
    assert "2 done, 3 to do" in invoke("run", config, "--results", results, "--dry-run").stdout


@pytest.mark.slow
@in_this_process
def test_a_killed_run_goes_on_and_its_tables_are_the_same(study, tmp_path):
    config = study(SVC + '\nnap: {estimator: "troublesome:Naps"}', realizations=20, more=TABLES)
    run = start(config, tmp_path / "stopped", "--jobs", "2")
    wait_for_cells(tmp_path / "stopped", 6)
    run.kill()
    run.wait(timeout=60)
    assert "Traceback" not in (tmp_path / "stopped.log").read_text()
    before = len(read_records(tmp_path / "stopped" / "trial"))
    assert 6 <= before < 41
    again = invoke("run", config, "--results", tmp_path / "stopped", "--jobs", 1)
    assert again.exit_code == 0, again.output
    # what workers had finished but not handed over is kept too
    assert int(re.search(r"(\d+) of 41 cells done before", again.stdout)[1]) >= before
    whole = invoke("run", config, "--results", tmp_path / "whole", "--jobs", 1)
    assert whole.exit_code == 0, whole.output
    for results in ("stopped", "whole"):
        invoke("table", tmp_path / results)
    tables = [
        (tmp_path / results / "trial" / "table-1.csv").read_bytes()
        for results in ("stopped", "whole")
    ]
    assert tables[0] == tables[1]


@pytest.mark.slow
def test_an_impatient_user_ends_it_no_less_well(study, tmp_path):
    config = study('nap: {estimator: "troublesome:Naps"}', realizations=40)
    run = start(config, tmp_path / "results", "--jobs", "2", group=True)
    wait_for_cells(tmp_path / "results", 2)
    run.send_signal(signal.SIGINT)
    # To the group, as Ctrl+C and `timeout` do: whatever helps to stop the workers gets it too.
    for _ in range(20):
        time.sleep(0.01)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(run.pid, signal.SIGINT)
    run.wait(timeout=60)
    assert run.returncode == 130
    log = (tmp_path / "results.log").read_text()
    assert "every finished cell is kept" in log
    assert "Traceback" not in log


def wait_for_handlers(run):
    """Wait until a process handles SIGTERM, as the command does before it imports its verbs."""
    for _ in range(12_000):  # two minutes, on a busy machine
        status = Path(f"/proc/{run.pid}/status").read_text()
        handled = int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16)
        if handled & 1 << (signal.SIGTERM - 1):
            return
        time.sleep(0.01)
    raise AssertionError("the command does not start")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the handled signals from /proc")
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGHUP])
def test_it_may_be_stopped_before_it_has_begun(study, tmp_path, stop):
    run = start(study('nap: {estimator: "troublesome:Naps"}', realizations=40), tmp_path / "r")
    wait_for_handlers(run)
    run.send_signal(stop)
    assert run.wait(timeout=60) == 130
    answer = (tmp_path / "r.log").read_text()
    assert answer.startswith("interrupted")
    assert "Traceback" not in answer


@pytest.mark.slow
def test_a_terminal_that_is_closed_does_not_end_a_run_under_nohup(study, tmp_path):
    config = study('nap: {estimator: "troublesome:Naps"}', realizations=8)
    run = start(
        config,
        tmp_path / "results",
        before=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),  # as nohup does
    )
    wait_for_cells(tmp_path / "results", 2)
    run.send_signal(signal.SIGHUP)
    assert run.wait(timeout=60) == 0


@pytest.mark.slow
def test_two_runs_at_once_are_refused(study, tmp_path):
    config = study('nap: {estimator: "troublesome:Naps"}', realizations=40)
    first = start(config, tmp_path / "results", "--jobs", "1")
    wait_for_cells(tmp_path / "results", 2)
    second = invoke("run", config, "--results", tmp_path / "results")
    first.kill()
    first.wait()
    assert second.exit_code == 2
    assert "another `ensvm run` is writing" in second.stderr


@in_this_process
def test_check_names_the_run_after_which_it_knows_how_long_others_take(study, tmp_path):
    config, results = study(SVC), tmp_path / "r"

    def told():
        """Return what `check` prints, on one line."""
        return " ".join(invoke("check", config, "--results", results).stdout.split())

    command = f"ensvm run {config} --results {results} --realizations 1"
    assert "is not known, since trial has not run here before" in told()
    assert command in told()
    assert invoke(*command.split()[1:], "--jobs", 1).exit_code == 0
    assert "by cells measured here" in told()
    assert "not known" not in told()
