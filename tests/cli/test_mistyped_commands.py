"""What a mistyped command is told: one message with what to type instead."""

import shlex

import pytest
from made_up_records import invoke, make_study, record

MISTYPED = {
    "a table in place of a config": (
        "run patients.csv",
        "patients.csv: not a config, whose name ends in .yaml; if it is a table of data, `ensvm "
        "init patients.csv` writes a config for it",
    ),
    "the same for another verb": ("check patients.csv", "`ensvm init patients.csv`"),
    "a name that is near": ("table ijcai08", "did you mean 'ijcai07'?"),
    "a near name behind an empty folder": ("table empty ijcai08", "did you mean 'ijcai07'?"),
    "a near name behind a folder with another study": (
        "table other ijcai08",
        "no results of a study 'ijcai08'; accepted: whole; did you mean 'ijcai07'?",
    ),
    "a part of a data set's name": (
        "run ijcai07 --datasets wave --dry-run",
        "'wave' is not in this study; accepted: cancer, diabetis, german, titanic, waveform,",
    ),
    "the name that was meant": (
        "run ijcai07 --datasets wave --dry-run",
        " more; did you mean 'waveform'?",
    ),
    "a folder of pages for parts without pages": (
        "report ijcai07-figure1 --only claims -o pages",
        "--output is the folder of the pages",
    ),
    "a claim among parts": (
        "report ijcai07-figure1 --claim x --only tables",
        "leave out --output, and --only for other parts",
    ),
    "an unknown study of the shipped results": (
        "report shipped nosuch",
        "the results that come with ensvm: no study 'nosuch'; accepted: ",
    ),
    "nothing to run": ("run", "`ensvm run smoke`, and `ensvm list` lists"),
    "no name for the changed study, and a wrong key": (
        "run smoke --set algoritms.svc=3 --set datasets.wave.z=3",
        "give its name by --as NAME",
    ),
    "the wrong key in the same message": (
        "run smoke --set algoritms.svc=3 --set datasets.wave.z=3",
        "did you mean 'algorithms'?",
    ),
    "the other wrong key, too": (
        "run smoke --set algoritms.svc=3 --set datasets.wave.z=3",
        "datasets has no entry 'wave'",
    ),
    "more words than show takes": (
        "show ijcai07 waveform ensemble 3",
        "'waveform ensemble 3' stands behind the study; accepted there: DATASET ALGORITHM",
    ),
    "a data set twice": ("show ijcai07 waveform --dataset german", "give the dataset once"),
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
    (tmp_path / "empty").mkdir()
    make_study(tmp_path / "other" / "whole", WHOLE, [record("german", 1, "svc", error=0.2)])
    answer = invoke(*command.split())
    assert answer.exit_code == 2
    assert message in " ".join(answer.stderr.split())


@pytest.mark.parametrize(
    "command",
    [
        *("table mine {--table 1}", "rank mine {--dataset german}", "report mine {--claim better}"),
        *("table results {--table 1}", "show results {--dataset german}"),
    ],
)
def test_a_part_of_a_study_behind_its_name_is_told_its_option(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = WHOLE.replace("whole", "mine").replace(
        ", split: {protocol: random, n_train: 1000}", ""
    )
    config += "tables: [{id: 1, caption: c, columns: [svc]}]\n"
    config += "claims: [{id: better, text: t, left: svc, relation: at-most, limit: 99.0}]\n"
    make_study(tmp_path / "results" / "mine", config, [record("german", 1, "svc", error=0.2)])
    option = command.partition("{")[2].rstrip("}")
    answer = invoke(*command.replace(f"{{{option}}}", option.split()[1]).split())
    assert answer.exit_code == 2
    assert f"did you mean {option}?" in answer.stderr
    (tmp_path / "results" / "mine").rename(tmp_path / "mine")  # only shipped studies are left
    answer = invoke("table", "ijcai07", "2")
    assert answer.exit_code == 2
    assert "did you mean --table 2?" in answer.stderr


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("show IJCAI07 Titanic Ensemble", "show ijcai07 --dataset titanic --algorithm ensemble"),
        ("show ijcai07 titanic 'Proposed ensemble'", "show ijcai07 titanic ensemble"),
        ("table IJCAI07 --table 1", "table ijcai07 --table 1"),
        ("run SMOKE --dry-run --dataset titanic", "run smoke --dry-run --datasets titanic"),
        ("run smoke --dry-run --algorithm parzen", "run smoke --dry-run --algorithms parzen"),
    ],
)
def test_names_in_other_capitals_labels_and_singulars_are_understood(
    written, meant, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    one, other = (invoke(*shlex.split(command)) for command in (written, meant))
    assert one.exit_code == other.exit_code != 2
    assert one.output == other.output


@pytest.mark.parametrize(("n_train", "asked"), [(80, True), (0.8, False), (200, False)])
def test_a_few_training_rows_of_many_may_be_meant_in_percent(n_train, asked, tmp_path):
    rows = "".join(f"{number},{'pq'[number % 2]}\n" for number in range(600))
    (tmp_path / "own.csv").write_text("x,y\n" + rows)
    (tmp_path / "own.yaml").write_text(
        "study: own\nalgorithms: {svc: {estimator: SVC}}\ndatasets: [{name: own, path: own.csv, "
        f"target: y, split: {{protocol: random, n_train: {n_train}}}}}]\n"
    )
    answer = invoke("check", tmp_path / "own.yaml")
    assert answer.exit_code == 0
    assert ("if it is meant in percent, write 0.8" in answer.stdout) == asked
