"""Pages about configs: every example is valid, and every name that a key accepts is there."""

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from ensvm.data.card import PROVIDERS, DatasetCard
from ensvm.data.files import Format
from ensvm.data.generators import Generator
from ensvm.data.scaling import Scaling
from ensvm.data.splits import Split
from ensvm.kernels import NAMED_KERNELS
from ensvm.runner.plan import make_plan
from ensvm.study import metrics
from ensvm.study.figures import KINDS
from ensvm.study.read_config import read_config
from ensvm.study.relations import RELATIONS

PAGES = Path(__file__).parents[2] / "docs" / "configs"
YAML_BLOCK = re.compile(r"^```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
THREE_LINES = YAML_BLOCK.findall((PAGES / "from-three-lines.md").read_text("utf-8"))
EXAMPLES = [
    pytest.param(text, id=f"{page.stem}-{number}")
    for page in sorted(PAGES.glob("*.md"))
    for number, text in enumerate(YAML_BLOCK.findall(page.read_text("utf-8")), start=1)
]


def write_files(folder: Path) -> None:
    """Write the files that the examples name."""
    rows = [f"{'sick' if row % 3 else 'well'};{row};red;{row},5" for row in range(60)]
    (folder / "my.csv").write_text("\n".join(["label;id;colour;age", *rows]), encoding="cp1252")
    for name in ("a", "b", "c"):
        (folder / f"{name}.svm").write_text("1 1:1 3:2\n-1 2:1\n1 4:3\n-1 1:2\n")
    (folder / "mine").mkdir()
    printed = "table,row,column,value,std\nerrors,german,svc,24.1,2.0\n"
    (folder / "mine" / "published.csv").write_text(printed)
    (folder / "own.py").write_text("from sklearn.neighbors import NearestCentroid as NearestMean")


def as_config(text: str) -> dict[str, Any]:
    """Return an example as a config: a block extends the config of the first page."""
    content: dict[str, Any] = {}
    for block in (*THREE_LINES[:3], text):
        content |= yaml.safe_load(block)
    if "readings" in content or "findings" in content or "assumptions" in content:
        content["published"] = "mine/published.csv"
    return content


@pytest.mark.parametrize("text", EXAMPLES)
def test_an_example_is_accepted(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "licence" in yaml.safe_load(text):
        assert DatasetCard.model_validate(yaml.safe_load(text)).rows
        return
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(as_config(text), sort_keys=False))
    config, _ = read_config(path)
    if not any(entry.openml for entry in config.datasets):  # a plan would download it
        assert make_plan(path).cells


def names_of(union: Any, key: str) -> tuple[str, ...]:
    """Return the values of the key that tells the models of a union apart."""
    models = get_args(get_args(union)[0])
    return tuple(name for model in models for name in get_args(model.model_fields[key].annotation))


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("papers", RELATIONS),
        ("algorithms", NAMED_KERNELS),
        ("data", Scaling.__args__),
        ("data", names_of(Split, "protocol")),
        ("cards-and-generators", names_of(Format, "type")),
        ("cards-and-generators", names_of(Generator, "name")),
        ("cards-and-generators", PROVIDERS),
        ("tables-and-figures", KINDS),
        ("tables-and-figures", (*metrics.MEASURED, *metrics.STAGED, *metrics.DATA_FACTS)),
    ],
)
def test_every_name_that_a_key_accepts_is_on_its_page(page: str, names: tuple[str, ...]) -> None:
    text = (PAGES / f"{page}.md").read_text(encoding="utf-8")
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}\b", text)] == []
