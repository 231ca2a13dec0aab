"""The blocks of pages run, print what the pages show, and are configs that ensvm accepts."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import generated
import numpy as np
import page_blocks
import pytest
import yaml
from worked_verdicts import worked

from ensvm.data.card import DatasetCard
from ensvm.records.shipped_records import read_shipped
from ensvm.report.verdict import verdict_on
from ensvm.runner.plan import make_plan
from ensvm.study.config import read_config

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in sorted((ROOT / "docs").glob("[cu]*/*.md"))
    for number, text in enumerate(
        re.findall(r"^```yaml\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE), 1
    )
]
# An example that is no whole config is a block of this one
BASE = """\
study: mine
realizations: 10
kernel: {kernel: rbf, gamma: mean-distance}
datasets: [german, titanic]
algorithms:
  svc: {label: SVM, estimator: SVC, params: {C: 10}}
  ensemble: {label: ensemble, estimator: PartiallyTrainedEnsemble}
tables:
  - {id: errors, caption: "Test errors (in %).", columns: [svc, ensemble]}
"""


@pytest.fixture(scope="module")
def shipped_records_are_read_once():
    """Several pages show results of ijcai07, and reading its 31,000 records takes seconds."""
    with pytest.MonkeyPatch.context() as patch:
        read_once = lru_cache(maxsize=1)(read_shipped)
        for room in ("query", "comparison"):
            patch.setattr(f"ensvm.report.{room}.read_shipped", read_once)
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("shipped_records_are_read_once")
@pytest.mark.parametrize("page", page_blocks.PAGES, ids=lambda page: page.stem)
def test_a_page_shows_what_its_blocks_print(page, tmp_path):
    steps = page_blocks.run_page(page, tmp_path)
    wrong = [step for step in steps if not page_blocks.agrees(step.expected, step.printed)]
    assert wrong == []


def test_numbers_may_be_near_and_lines_may_be_left_out():
    printed = "one 1.001\ntwo\nthree 3.0"
    assert page_blocks.agrees("one 1.0\n...\nthree 3.0", printed)
    assert not page_blocks.agrees("one 1.5\n...\nthree 3.0", printed)
    assert not page_blocks.agrees("one 1.0\n...\nfour 3.0", printed)


def write_own_files(folder: Path) -> None:
    """Write the files that the examples name."""
    lines = ["A file of measurements", "label;id;patient;colour;age;weight"]
    for row in range(60):
        label = "sick" if row % 3 else "well"
        lines.append(f"{label};{row};{row % 12};{'red' if row % 2 else 'blue'};{row},5;1.000,25")
    lines += ["Total;;;;;", "Checked;;;;;"]
    (folder / "my.csv").write_text("\n".join(lines) + "\n", encoding="cp1252")
    for name in ("a", "b", "c"):
        (folder / f"{name}.svm").write_text("1 1:1 3:2\n-1 2:1\n1 4:3\n-1 1:2\n")
    (folder / "mine").mkdir()
    printed = "table,row,column,value,std\nerrors,german,svc,24.1,2.0\n"
    (folder / "mine" / "published.csv").write_text(printed)
    (folder / "own.py").write_text(
        "from sklearn.neighbors import NearestCentroid as NearestMean\nMine = NearestMean\n"
    )
    rows = [f"{row},{row // 3},{row % 2}\n" for row in range(30)]
    (folder / "small.csv").write_text("age,patient,label\n" + "".join(rows))
    (folder / "weights.txt").write_text("1\n")
    (folder / "tables").mkdir()
    (folder / "tables" / "a.json").write_text("{}\n")


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_is_accepted(text, tmp_path, monkeypatch):
    content: dict[str, Any] = yaml.safe_load(text)
    if "licence" in content:
        assert DatasetCard.model_validate(content).rows
        return
    write_own_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.yaml"
    config = content if "study" in content else yaml.safe_load(BASE) | content
    path.write_text(yaml.safe_dump(config, sort_keys=False))
    if not any(entry.openml for entry in read_config(path)[0].datasets):  # a plan downloads it
        assert make_plan(path).cells


def test_the_examples_of_signs_are_those_of_the_code():
    text = (ROOT / "docs" / "understand" / "signs-and-claims.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) \| (\S+) to (\S+) \| `.` (.+?) \|", text, re.MULTILINE)
    assert len(rows) == 4
    for value, low, high, verdict in rows:
        ends = np.array([float(low), float(high)])
        assert ends.mean() == pytest.approx(float(value))
        assert verdict_on(*ends, margin=1.0) == verdict
    *_, of_cancer = worked()
    assert f"from {of_cancer.low:.2f} to {of_cancer.high:.2f}" in " ".join(text.split())


def test_the_example_of_the_readme_prints_what_it_says():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    score = []
    exec(code, {"print": score.append})
    assert score[0] == pytest.approx(float(code.rsplit("#", 1)[1]), abs=0.011)


@pytest.mark.usefixtures("committed_results")
@pytest.mark.parametrize("page", generated.PAGES, ids=lambda page: page.parent.name)
def test_results_on_a_page_are_those_of_the_records(page):
    """If not: `python tests/generated.py`."""
    assert generated.filled_page(page) == page.read_text(encoding="utf-8")
