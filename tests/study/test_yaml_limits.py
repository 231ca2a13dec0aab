"""YAML of anybody: what would end Python or never end is refused before anything is made."""

import time

import pytest
import yaml

from ensvm.data.catalogue import find_card
from ensvm.errors import UserError
from ensvm.study.source import YamlSource
from ensvm.yaml_text import MOST_CHARACTERS, MOST_NESTED, Loader

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]\n" for k in range(1, 20)
)
MERGED = "m0: &m0 {x: 1}\n" + "".join(
    f"m{k}: &m{k} {{a: *m{k - 1}, b: *m{k - 1}, <<: *m{k - 1}}}\n" for k in range(1, 40)
)
TOO_MUCH = {
    "anchors": LAUGHS,
    "anchors of mappings": MERGED,
    "keys": "&k [" + "a, " * 2000 + "a]: 1\n" + "b: [" + "*k, " * 2000 + "*k]\n",
    "brackets": "a: " + "[" * 30_000 + "]" * 30_000,
    "open brackets": "a: " + "[" * 30_000,
    "braces": "a: " + "{x: " * 30_000,
    "dashes": "a:\n  " + "- " * 30_000 + "x",
    "blocks": "".join(" " * k + "a:\n" for k in range(300)),
    "inside itself": "a: &a [1, *a]",
    "characters": "a: " + "x" * MOST_CHARACTERS,
}


@pytest.mark.parametrize("what", TOO_MUCH)
@pytest.mark.parametrize("reader", ["config", "card"])
def test_too_much_is_refused_at_once_in_one_line(tmp_path, what, reader):
    path = tmp_path / "c.yaml"
    path.write_text(TOO_MUCH[what])
    start = time.process_time()
    with pytest.raises(UserError) as refusal:
        YamlSource(path) if reader == "config" else find_card("c", tmp_path)
    assert time.process_time() - start < 5
    assert "c.yaml" in str(refusal.value)
    assert len(str(refusal.value)) < 500


@pytest.mark.parametrize(
    "text", ["", "a: [1, {b: 2}]", "x: &x {a: 1}\ny: [*x, *x]\nz: {<<: *x, b: 2}", "- &a 1\n- *a"]
)
def test_usual_texts_are_read_as_by_yaml(text):
    assert yaml.load(text, Loader=Loader) == yaml.safe_load(text)


def test_blocks_may_be_nested_up_to_the_limit():
    text = "[" * MOST_NESTED + "]" * MOST_NESTED
    assert yaml.load(text, Loader=Loader) == yaml.safe_load(text)
