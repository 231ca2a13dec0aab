"""What a mistyped command is told: one message with what to type instead."""

import pytest
from made_up_records import invoke

MISTYPED = {
    "a table in place of a config": (
        "run patients.csv",
        "patients.csv: not a config, whose name ends in .yaml; if it is a table of data, `ensvm "
        "init patients.csv` writes a config for it",
    ),
    "the same for another verb": ("check patients.csv", "`ensvm init patients.csv`"),
    "capitals of a study to run": ("run IJCAI07", "did you mean 'ijcai07'?"),
    "capitals of a study to show": ("table IJCAI07", "did you mean 'ijcai07'?"),
    "a part of a data set's name": (
        "run ijcai07 --datasets wave --dry-run",
        "'wave' is not in this study; accepted: cancer, diabetis, german, titanic, waveform,",
    ),
    "the name that was meant": (
        "run ijcai07 --datasets wave --dry-run",
        " more; did you mean 'waveform'?",
    ),
    "nothing to run": ("run", "`ensvm run smoke`, and `ensvm list` lists"),
    "all rows to train on": (
        "check whole.yaml",
        "n_train: 1000 of all 1000 rows leaves none for n_test; accepted: fewer rows",
    ),
}
WHOLE = """\
study: whole
datasets: [{name: german, split: {protocol: random, n_train: 1000}}]
algorithms: {svc: {estimator: SVC}}
"""


@pytest.mark.parametrize("mistake", MISTYPED)
def test_a_mistyped_command_is_told_what_to_type(mistake, tmp_path, monkeypatch):
    command, message = MISTYPED[mistake]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text("age,sick\n40,no\n")
    (tmp_path / "whole.yaml").write_text(WHOLE)
    answer = invoke(*command.split())
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())
