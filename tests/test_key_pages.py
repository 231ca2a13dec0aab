"""The reference of keys: every key has an entry, and every example on its pages is valid."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from key_blocks import (
    FOLDER,
    MODELS,
    PAGES,
    REFERENCE,
    YAML_BLOCK,
    keys_of,
    meanings_of,
    yaml_blocks,
)

from ensvm.data.card import PROVIDERS, DatasetCard
from ensvm.data.files import Format
from ensvm.data.generators import Generator
from ensvm.data.scaling import Scaling
from ensvm.data.splits import Split
from ensvm.kernels import NAMED_KERNELS
from ensvm.runner.plan import make_plan
from ensvm.study import metrics
from ensvm.study.config import read_config
from ensvm.study.figures import KINDS
from ensvm.study.relations import RELATIONS

INDEX = FOLDER / "index.md"
COLUMNS = ["label", "id", "patient", "colour", "age", "weight"]
EXAMPLES = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in sorted(
        [*REFERENCE.rglob("*.md"), *(REFERENCE.parent / "explanation").rglob("*.md")]
    )
    for number, text in enumerate(YAML_BLOCK.findall(page.read_text(encoding="utf-8")), start=1)
]


def own_files(folder: Path) -> None:
    """Write the files that the examples name."""
    lines = ["A file of measurements", ";".join(COLUMNS)]
    for row in range(60):
        label = "sick" if row % 3 else "well"
        lines.append(f"{label};{row};{row % 12};{'red' if row % 2 else 'blue'};{row},5;1.000,25")
    lines += ["Total;;;;;", "Checked;;;;;"]
    (folder / "my.csv").write_text("\n".join(lines) + "\n", encoding="cp1252")
    for name in ("a", "b", "c"):
        (folder / f"{name}.svm").write_text("1 1:1 3:2\n-1 2:1\n1 4:3\n-1 1:2\n")
    printed = "table,row,column,value,std\nerrors,german,svc,24.1,2.0\n"
    (folder / "mine").mkdir()
    (folder / "mine" / "published.csv").write_text(printed)
    (folder / "own.py").write_text(
        "from sklearn.neighbors import NearestCentroid as NearestMean\nMine = NearestMean\n"
    )
    rows = [f"{row},{row // 3},{row % 2}\n" for row in range(30)]
    table = "age,patient,label\n" + "".join(rows)
    (folder / "small.csv").write_text(table)
    (folder / "weights.txt").write_text("1\n")
    (folder / "tables").mkdir()
    (folder / "tables" / "a.json").write_text("{}\n")


def as_config(text: str) -> dict[str, Any]:
    """Return an example as a config: a block stands in that of the overview."""
    content = yaml.safe_load(text)
    if "study" in content:
        return dict(content)
    return yaml.safe_load(yaml_blocks(INDEX)[0]) | content


@pytest.mark.parametrize("name", MODELS)
def test_every_key_has_a_meaning_and_a_page(name):
    assert keys_of(MODELS[name]).keys() == meanings_of(MODELS[name]).keys()
    shown = [page for page in PAGES if f"<!-- keys: {name} -->" in page.read_text("utf-8")]
    assert len(shown) == 1


def discriminators(union: Any, key: str) -> tuple[str, ...]:
    """Return the values of the key that tells the models of a union apart."""
    models = get_args(get_args(union)[0])
    return tuple(name for model in models for name in get_args(model.model_fields[key].annotation))


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("claims", RELATIONS),
        ("kernel", NAMED_KERNELS),
        ("splits", Scaling.__args__),
        ("splits", discriminators(Split, "protocol")),
        ("formats", discriminators(Format, "type")),
        ("generators", discriminators(Generator, "name")),
        ("cards", PROVIDERS),
        (
            "metrics",
            (*metrics.MEASURED, *metrics.STAGED, *metrics.DATA_FACTS),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_every_name_that_a_key_accepts_is_on_its_page(page, names):
    text = (FOLDER / f"{page}.md").read_text(encoding="utf-8")
    assert [name for name in names if f"`{name}`" not in text] == []


def test_every_kind_of_figure_has_a_line_in_the_list():
    text = (FOLDER / "figures.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[`(\w+)`\]\(#", text, re.MULTILINE) == list(KINDS)


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_is_accepted(text, tmp_path, monkeypatch):
    content = yaml.safe_load(text)
    if "licence" in content:
        assert DatasetCard.model_validate(content).rows
        return
    own_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(as_config(text), sort_keys=False))
    config, _ = read_config(path)
    if any(entry.openml for entry in config.datasets):
        return  # a plan would download it
    assert make_plan(path).cells


def test_pages_begin_with_an_example():
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        without = page.stem == "formats"  # whose keys are those of cards
        assert without or re.match(r"# .*\n\n(A config is .*\n\n)?```yaml\n", text), page
