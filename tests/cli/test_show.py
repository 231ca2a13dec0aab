"""`ensvm show`: what stands behind one algorithm's cells on one data set."""

import json
from dataclasses import replace

import numpy as np
import pytest
import yaml
from made_up_records import errors, invoke, make_study, record, settings_of

from ensvm.name_lists import MOST_LISTED
from ensvm.records.settings import AlgorithmSettings, CellSettings
from ensvm.records.store import read_records

CONFIG = """\
study: s
datasets: [german]
algorithms:
  ensemble: {estimator: PartiallyTrainedEnsemble, label: the ensemble}
  svc: {estimator: SVC}
tables:
  - {id: "7", caption: Errors, columns: [ensemble, svc], rows: [german]}
"""
PRINTED = "table,row,column,value,std\n7,german,ensemble,25.0,2.0\n"


@pytest.fixture
def results(tmp_path):
    settings = CellSettings(method=AlgorithmSettings("PartiallyTrainedEnsemble", {"tol": 0.5}))
    good = [
        replace(each, settings=settings)
        for each in errors("german", "ensemble", [0.24, 0.26, 0.28])
    ]
    good[1] = replace(good[1], warnings=("it was\nclose",), seconds={"fit_seconds": 2.5})
    bad = replace(
        record("german", 4, "ensemble", status="failed", reason="no memory"),
        traceback="Traceback ...\nMemoryError",
    )
    make_study(tmp_path / "s", CONFIG, [*good, bad], PRINTED)
    return tmp_path


def show(results, *arguments):
    return invoke("show", results, "--dataset", "german", *arguments)


def test_a_data_set_has_its_label_too_and_a_cell_what_was_chosen(tmp_path):
    config = CONFIG.replace("[german]", "[{name: german, label: German credit}]", 1)
    found = [replace(each, stage={"C": 2.0}) for each in errors("german", "svc", [0.25, 0.25])]
    make_study(tmp_path / "s", config, found)
    one = ("show", tmp_path, "--dataset", "German credit", "--algorithm", "svc")
    assert "2 × C=2.0" in invoke(*one).output
    answer = invoke(*one, "--realization", 1).output
    assert "stage: {C: 2.0}" in answer


def test_a_stage_of_one_fit_is_summed_up_and_told_from_the_whole_fit(tmp_path):
    cells = errors("german", "svc", [0.25] * 20)
    staged = [
        replace(one, metrics={**one.metrics, "C_": 1e4}, stage={"stage": number}, n_stages=30)
        for number, one in enumerate(cells, start=1)
    ]
    make_study(tmp_path / "s", CONFIG, staged)
    text = " ".join(show(tmp_path, "--algorithm", "svc").stdout.split())
    assert "chosen stage 10.5 5.9161 1 20" in text
    assert "C_ are of the whole fit, at its last stage" in text
    n_listed = text.count("1 × stage=")
    assert f"and {len(cells) - n_listed} others" in text
    found = [replace(one, metrics={**one.metrics, "C_": 2.0}, stage={"C": 2.0}) for one in cells]
    make_study(tmp_path / "s", CONFIG, found)
    text = " ".join(show(tmp_path, "--algorithm", "svc").stdout.split())
    assert "chosen C 2 0 2 2" in text
    assert "whole fit" not in text


@pytest.mark.parametrize("name", ["ensemble", "the ensemble"])
def test_everything_behind_a_cell_is_printed(results, name):
    answer = show(results, "--algorithm", name)
    assert answer.exit_code == 0
    lines = [" ".join(line.split()) for line in answer.stdout.splitlines()]
    assert "s: german, ensemble (the ensemble)" in lines
    assert "Table 7: german, the ensemble" in lines
    assert "ours 26 ± 2 % over 3 realizations" in lines
    assert "printed 25 ± 2 %" in lines
    assert any(line.startswith("ours − printed 1, 95 % interval") for line in lines)
    assert "4 cells of the error pass: 3 done, 1 failed" in lines
    assert "estimator PartiallyTrainedEnsemble" in lines
    assert "parameters tol=0.5" in lines
    assert "seconds of a fit 2.5 (median)" in lines
    assert "commit cccccccccc" in lines
    assert "error, % 26 2 24 28" in lines
    assert "warnings 1 × it was close" in lines
    assert "why they did not end well 1 × no memory" in lines
    assert "MemoryError" in lines


def test_readings_that_vary_the_value_are_named_with_the_command_that_shows_them(tmp_path):
    config = f"""{CONFIG}readings:
  - id: soft
    question: Which C?
    table: "7"
    columns: [ensemble]
    default: C is 1
    variants: [{{name: more, label: C is 10, algorithm: {{params.C: 10}}}}]
    conclusion: unknown
"""
    found = [*errors("german", "svc", [0.25, 0.25]), *errors("german", "ensemble", [0.2, 0.2])]
    found += errors("german", "ensemble~more", [0.24, 0.26])
    make_study(tmp_path / "s", config, found, PRINTED)
    answer = show(tmp_path, "--algorithm", "ensemble").stdout
    assert "Under other readings of the paper (soft): Which C?" in answer
    values = [line.split() for line in answer.splitlines() if line.startswith("  C is ")]
    assert [line[:4] for line in values] == [["C", "is", "1", "20.0"], ["C", "is", "10", "25.0"]]
    assert all(line[4] in "=≈≠?" for line in values)
    (command,) = [line for line in answer.splitlines() if line.startswith("On all rows: ")]
    assert invoke(*command.split("ensvm ")[1].split()).exit_code == 0
    assert "Which C?" not in show(tmp_path, "--algorithm", "svc").stdout


def test_the_printed_command_runs_these_cells_alone(results):
    lines = show(results, "--algorithm", "ensemble").stdout.splitlines()
    (command,) = [line for line in lines if "ensvm run" in line]
    assert command.split()[3:] == (
        ["--datasets", "german", "--algorithms", "ensemble", "--results", "again"]
    )


def test_one_realization_is_printed_alone(results):
    answer = show(results, "--algorithm", "ensemble", "--realization", "2")
    assert answer.exit_code == 0
    assert "0.24" not in answer.stdout
    assert "--realizations 2-2 " in answer.stdout
    printed = answer.stdout.split("the error pass: ok\n")[1].split("to run this anew")[0]
    (made,) = [one for one in read_records(results / "s").values() if one.realization == 2]
    facts = yaml.safe_load(printed)
    recorded = {**made.to_json(), "settings": made.settings.to_json(), "run": made.run.to_json()}
    assert facts == json.loads(json.dumps(recorded))  # with lists in place of tuples
    assert facts["metrics"]["error"] == 0.26
    assert facts["seconds"]["fit_seconds"] == 2.5
    assert facts["warnings"] == ["it was\nclose"]
    failed = show(results, "--algorithm", "ensemble", "--realization", "4").stdout
    assert "the error pass: failed" in failed
    assert "MemoryError" in failed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--algorithm", "ensembel"], "accepted: ensemble; did you mean 'ensemble'?"),
        (["--algorithm", "ensemble", "--realization", "9"], "there are 4, from 1 to 4"),
    ],
)
def test_an_unknown_name_is_refused_in_one_line(results, arguments, message):
    answer = show(results, *arguments)
    assert answer.exit_code == 2
    assert message in answer.stderr
    assert len(answer.stderr.splitlines()) == 1


def test_without_names_those_there_are_are_offered(results):
    answer = invoke("show", results)
    assert answer.exit_code == 2
    assert answer.stderr == "error: choose a data set, with --dataset: german\n"
    answer = show(results)
    assert answer.exit_code == 2
    assert answer.stderr == "error: choose an algorithm, with --algorithm: ensemble\n"


def test_of_many_names_those_of_tables_come_first_and_a_command_prints_all(tmp_path):
    names = [f"a{number}" for number in range(30)]
    head, tables = CONFIG.split("tables:")
    algorithms = "".join(f"  {name}: {{estimator: SVC}}\n" for name in names)
    records = [one for name in [*names, "svc"] for one in errors("german", name, [0.2])]
    make_study(tmp_path / "s", f"{head}{algorithms}tables:{tables}", records)
    for arguments in ([], ["--algorithm", "nothing"]):
        answer = show(tmp_path, *arguments).stderr
        listed = answer.partition(": svc, ")[2]
        assert f"and {len(names) + 1 - MOST_LISTED} more (`ensvm show " in listed
        assert listed.count(",") == MOST_LISTED - 2
    command = answer.partition("`ensvm ")[2].partition("`")[0]
    printed = invoke(*command.split())
    assert printed.exit_code == 0
    assert all(name in printed.stdout for name in names)


def test_names_leave_out_copies_of_readings_and_the_facts_of_the_data(tmp_path):
    readings = """readings:
  - {id: soft, question: q, table: "7", columns: [svc], default: d, conclusion: c,
     variants: [{name: v, label: l, algorithm: {params.C: 9}}]}
"""
    of_data = record("titanic", 1, "data", dim=3)
    records = [one for name in ("svc", "svc~v", "data") for one in errors("german", name, [0.2])]
    make_study(tmp_path / "s", CONFIG + readings, [*records, of_data])
    lines = invoke("show", tmp_path, "--names").stdout.splitlines()
    assert lines[:2] == ["s", "  german  svc"]
    assert lines[2].strip().startswith("also accepted: data, ")
    assert "a copy for a reading" in lines[2]
    for name in ("svc~v", "data"):  # as the line says
        assert show(tmp_path, "--algorithm", name).exit_code == 0


def test_infinity_and_folds_have_the_words_of_tables(tmp_path):
    folds = settings_of(split={"protocol": "kfold", "n_splits": 2})
    found = [replace(one, settings=folds) for one in errors("german", "svc", [0.2, 0.3], x_=np.inf)]
    make_study(
        tmp_path / "s", f"{CONFIG}  - {{id: 8, caption: c, metric: x_, columns: [svc]}}\n", found
    )
    text = " ".join(show(tmp_path, "--algorithm", "svc").stdout.split())
    assert "over 2 folds" in text
    assert "realizations" not in text.partition("to run this anew")[0]
    assert "ours ∞" in text
    assert " inf" not in text


def test_shipped_results_are_not_called_the_folder_of_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    answer = invoke("show", "ijcai07-figure1", "--dataset", "wavefrom")
    assert answer.exit_code == 2
    assert "the results that come with ensvm: no records of a data set 'wavefrom'" in answer.stderr
