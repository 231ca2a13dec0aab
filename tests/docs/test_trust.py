"""Each sentence of the page on trust is held by a test, and the page has no other sentence."""

import ast
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from made_up_records import RUN, errors, invoke, make_study

from ensvm.data.card import Source
from ensvm.data.providers.folders import through_cache
from ensvm.records.record import Record
from ensvm.records.store import Store, read_records
from ensvm.yaml_text import MOST_BITS, MOST_CHARACTERS, MOST_NESTED, MOST_VALUES

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "look-up" / "trust.md"
UNTRUSTED, OWN_CODE = "cli/test_untrusted_results.py", "runner/test_own_code.py"
HERE, CLUSTER, PAGES = "docs/test_trust.py", "runner/test_cluster.py", "report/render/test_pages.py"
READS_ONLY = f"{UNTRUSTED}::test_a_verb_that_reads_results_runs_nothing"
ODD = f"{UNTRUSTED}::test_an_odd_value_is_a_line_and_no_traceback"
FORMULAS = "report/test_export.py::test_a_spreadsheet_takes_no_text_for_a_formula"
LIMITS = "study/test_yaml_limits.py::test_too_much_is_refused_at_once_in_one_line"
REFUSED = "records/test_store.py::test_a_foreign_record_is_refused_by_file_and_line"
# How each sentence begins, and the tests that hold it
HELD_BY = {
    "Running a study is like running a program": [
        f"{UNTRUSTED}::test_the_canary_does_fall_over_when_the_config_is_planned"
    ],
    "Reading results runs nothing": [READS_ONLY, f"{UNTRUSTED}::test_a_notebook_runs_nothing"],
    "`estimator:": [f"{UNTRUSTED}::test_the_canary_does_fall_over_when_the_config_is_planned"],
    "Read somebody else's config": [],  # advice
    "Python's own modules": [
        f"{OWN_CODE}::test_a_module_beside_the_config_that_another_one_hides_is_named",
        "cli/test_working_directory.py::test_no_file_takes_the_place_of_an_installed_module",
    ],
    "Nothing is imported from the working directory": [
        "cli/test_working_directory.py::test_no_file_takes_the_place_of_an_installed_module",
        f"{HERE}::test_python_itself_searches_the_working_directory_unless_told",
        f"{HERE}::test_a_folder_on_pythonpath_is_searched",
    ],
    "Libraries read settings": [f"{HERE}::test_libraries_read_settings_in_the_working_directory"],
    "The command that `ensvm show` prints": [
        "cli/test_show.py::test_the_printed_command_runs_these_cells_alone"
    ],
    "That name comes from a record": [f"{HERE}::test_a_printed_command_runs_nothing_by_itself"],
    "`--engine ADDRESS` sends": [f"{CLUSTER}::test_whoever_reaches_the_scheduler_runs_code"],
    "Anyone who reaches the port": [f"{CLUSTER}::test_whoever_reaches_the_scheduler_runs_code"],
    "Keep the ports within": [],  # advice
    "`status`, `show`, `merge`": [READS_ONLY, f"{UNTRUSTED}::test_a_notebook_runs_nothing"],
    "What is missing or stale": [
        "cli/test_records.py::test_status_counts_what_is_done_failed_missing_and_stale"
    ],
    "The copy of a config": [f"{UNTRUSTED}::test_the_copy_of_a_config_opens_no_other_file"],
    "Each field of a record": [REFUSED],
    "A line that does not fit": [REFUSED, ODD, f"{HERE}::test_a_wrong_line_is_named"],
    "Names in records are shown": [
        ODD,
        "records/test_merge.py::test_a_study_cannot_name_a_folder_elsewhere",
        f"{HERE}::test_names_of_a_config_are_letters_digits_and_four_signs",
    ],
    "`merge` writes only": [ODD, "records/test_merge.py::test_nothing_there_is_overwritten"],
    "Control characters": [f"{UNTRUSTED}::test_no_text_controls_the_terminal"],
    "In CSV files, a text": [FORMULAS],
    "A page of `ensvm report`": [
        f"{PAGES}::test_the_policy_allows_our_own_style_and_script_alone",
        f"{PAGES}::test_links_lead_to_the_web_to_mail_or_beside_the_page",
        f"{PAGES}::test_in_a_browser",
    ],
    "In notes and other texts": [
        f"{PAGES}::test_texts_are_shown_and_not_obeyed",
        "report/render/test_media.py::test_every_text_comes_back_from_every_medium",
        f"{HERE}::test_markdown_files_have_neither_html_nor_images_of_texts",
    ],
    "YAML makes no objects": [
        "study/test_wrong_configs.py::test_a_wrong_config_is_one_message",
        LIMITS,
        f"{HERE}::test_the_page_states_the_limits_of_yaml",
    ],
    "Data files are parsed": [
        "data/files/test_damaged.py::test_objects_of_an_archive_are_never_unpickled",
        "data/files/test_damaged.py::test_more_than_the_limit_is_refused_and_the_limit_can_be_raised",
        "data/files/test_foreign_content.py::test_a_file_under_a_wrong_name_is_called_what_it_is",
    ],
    "Where a card states a sha256": [
        "data/providers/test_folders.py::test_wrong_download_is_refused_and_not_kept",
        f"{HERE}::test_a_download_without_a_sha256_is_taken",
    ],
    "Packages from an index": [
        "data/providers/test_downloads.py::test_member_of_a_wheel_is_read_without_installing"
    ],
    "Nothing limits how large": [f"{HERE}::test_a_large_file_of_results_is_read"],
    "Records made by hand": [f"{HERE}::test_nothing_detects_a_changed_digit"],
}


def sentences():
    """Return the sentences of the page, without headings and the table of who is trusted."""
    text = re.sub(r"^(#|\|).*$", "", PAGE.read_text(encoding="utf-8"), flags=re.M)
    blocks = re.split(r"\n\s*\n|^- ", text, flags=re.M)
    plain = [" ".join(block.split()) for block in blocks]
    return [one for block in plain for one in re.split(r"(?<=[.])\s+(?=[A-Z`])", block) if one]


def test_every_sentence_is_held_by_a_test():
    found = sentences()
    unheld = [one for one in found if not one.startswith(tuple(HELD_BY))]
    assert not unheld
    assert not [begin for begin in HELD_BY if not any(one.startswith(begin) for one in found)]


@pytest.mark.parametrize("name", sorted({name for names in HELD_BY.values() for name in names}))
def test_the_named_test_is_there(name):
    file, _, function = name.partition("::")
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def python(*arguments, folder, **variables):
    """Run Python in a folder, without the variables that change what it searches."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    answer = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=kept | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stdout + answer.stderr


def test_python_itself_searches_the_working_directory_unless_told(tmp_path):
    (tmp_path / "ensvm.py").write_text("print('taken from the working directory')\n")
    assert "taken" in python("-m", "ensvm", "--version", folder=tmp_path)
    safe = python("-P", "-m", "ensvm", "--version", folder=tmp_path)
    assert "taken" not in safe
    assert "ensvm" in safe


def test_a_folder_on_pythonpath_is_searched(study, tmp_path):
    config = study('a: {estimator: "lies_on_a_path:Mine"}')
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "lies_on_a_path.py").write_text("from sklearn.svm import SVC as Mine\n")
    command = ("-P", "-m", "ensvm", "check", str(config))
    assert "cannot be imported" in python(*command, folder=folder)
    with_path = python(*command, folder=tmp_path, PYTHONPATH=str(folder))
    assert "cannot be imported" not in with_path
    assert "good" in with_path


def test_libraries_read_settings_in_the_working_directory(tmp_path):
    (tmp_path / "matplotlibrc").write_text("lines.linewidth: 7.25\n")
    (tmp_path / ".numba_config.yaml").write_text("num_threads: 1\n")
    lines = "import matplotlib, numba; print(matplotlib.rcParams['lines.linewidth']);"
    lines += "print(numba.config.NUMBA_NUM_THREADS)"
    assert python("-P", "-c", lines, folder=tmp_path).split() == ["7.25", "1"]


def test_a_printed_command_runs_nothing_by_itself(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    config = f"x;touch {tmp_path}/CANARY;$(touch {tmp_path}/CANARY)`touch {tmp_path}/CANARY`.yaml"
    text = "study: s\ndatasets: [titanic]\nalgorithms: {a: {estimator: SVC}}\n"
    folder = tmp_path / "results" / "s"
    make_study(folder, text, [])
    with Store(folder) as store:
        store.append([replace(RUN, command=("run", config)), *errors("titanic", "a", [0.25])])
    shown = invoke("show", "results", "--dataset", "titanic", "--algorithm", "a").stdout
    (command,) = [line for line in shown.splitlines() if "ensvm run" in line]
    shell = shutil.which("sh")
    assert shell is not None
    subprocess.run([shell, "-c", "echo " + command[command.index("ensvm run") :]], check=True)
    assert not (tmp_path / "CANARY").exists()


@pytest.mark.parametrize(
    "change",
    [
        ('"error": 0.25', '"error": 1.5'),
        ('"error": 0.25', '"error": -0.5'),
        ('"error": 0.25', f'"error": 0.25, "n_": {"9" * 21}'),
    ],
)
def test_a_wrong_line_is_named(tmp_path, change):
    record = Record("s", "d", 1, "a", "ok", metrics={"error": 0.25})
    with Store(tmp_path) as store:
        store.append([record])
    path = tmp_path / "cells.jsonl"
    path.write_text(path.read_text().replace(*change))
    with pytest.raises(ValueError, match=r"cells.jsonl, line 2: not a record: "):
        read_records(tmp_path)


@pytest.mark.parametrize("name", ["../x", "a/b", "a b", "-a", "é", "a\nb", "$(x)", "a%b", "con"])
def test_names_of_a_config_are_letters_digits_and_four_signs(tmp_path, name):
    text = "study: {}\ndatasets: [titanic]\nalgorithms: {{a: {{estimator: SVC}}}}\n"
    path = tmp_path / "c.yaml"
    path.write_text(text.format("A_1.b+c-d"))
    assert invoke("check", path).exit_code == 0
    path.write_text(text.format(repr(name)))
    assert invoke("check", path).exit_code == 2


def test_markdown_files_have_neither_html_nor_images_of_texts(tmp_path):
    evil = "<img src=x onerror=alert(1)> ![x](http://beacon.invalid/x) <script>alert(1)</script>"
    text = (
        f"study: s\ntitle: '{evil}'\ndatasets: [titanic]\nalgorithms: {{a: {{estimator: SVC}}}}\n"
        f"tables: [{{id: 1, caption: '{evil}', columns: [a], notes: ['{evil}']}}]\n"
    )
    folder = tmp_path / "results" / "s"
    make_study(folder, text, errors("titanic", "a", [0.25]))
    assert invoke("table", tmp_path / "results").exit_code == 0
    files = list(folder.glob("*.md"))
    assert len(files) > 1
    for file in files:
        content = file.read_text(encoding="utf-8")
        assert "onerror" in content
        assert not re.search(r"(?<!\\)<(img|script)|(?<!\\)!\[x\]", content)


def test_the_page_states_the_limits_of_yaml():
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    for fact in (
        f"more than {MOST_CHARACTERS // 10**6} million characters",
        f"{MOST_NESTED} nested blocks",
        f"{MOST_VALUES:,} values",
        f"more than {MOST_BITS} bits",
    ):
        assert fact in text


def test_a_download_without_a_sha256_is_taken(tmp_path):
    form = {"type": "table", "target": -1}
    source = Source.model_validate({"url": "https://example.org/one.data", "format": form})
    for number, content in enumerate((b"1,a\n", b"2,b\n")):
        folder = tmp_path / str(number)
        assert through_cache(source, folder, lambda _, content=content: content) == content


def test_a_large_file_of_results_is_read(tmp_path):
    long = Record("s", "d", 1, "a", "failed", reason="x" * 5_000_000)
    with Store(tmp_path) as store:
        store.append([long])
    assert read_records(tmp_path)[long.identity].reason == long.reason


def test_nothing_detects_a_changed_digit(tmp_path):
    text = (
        "study: s\nrealizations: 2\ndatasets: [titanic]\nalgorithms: {a: {estimator: SVC}}\n"
        "tables: [{id: 1, caption: c, columns: [a]}]\n"
    )
    folder = tmp_path / "results" / "s"
    make_study(folder, text, errors("titanic", "a", [0.25, 0.25]))
    path = folder / "cells.jsonl"
    path.write_text(path.read_text().replace('"error": 0.25', '"error": 0.15'))
    answer = invoke("table", tmp_path / "results")
    assert answer.exit_code == 0
    assert "15.0" in answer.stdout
