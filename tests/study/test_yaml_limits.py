"""YAML of anybody: what would end Python or never end is refused before anything is made."""

import time

import pytest
import yaml

from ensvm.data.catalogue import find_card
from ensvm.errors import UserError
from ensvm.study.read_config import read_config
from ensvm.study.source import YamlSource
from ensvm.yaml_block import MOST_MISTAKES
from ensvm.yaml_text import MOST_BITS, MOST_CHARACTERS, MOST_NESTED, Loader

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
    "digits": "a: " + "9" * 5000,
    "hexadecimal digits": "a: 0x" + "f" * 100_000,
    "bits": f"a: 0b1{'0' * MOST_BITS}",
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


def test_the_largest_whole_numbers_are_read():
    text = f"[{2**MOST_BITS - 1}, -{2**MOST_BITS - 1}, 0x{'f' * (MOST_BITS // 4)}]"
    assert yaml.load(text, Loader=Loader) == yaml.safe_load(text)


MANY = range(2 * MOST_MISTAKES)
MISTAKES = {
    "keys": "".join(f"key-{number}: 1\n" for number in MANY),
    "keys of a block": "defaults:\n" + "".join(f"  key-{number}: 1\n" for number in MANY),
    "names": f"figures: [{', '.join(f'{{id: {number}, curves: [x]}}' for number in MANY)}]\n",
    "types": f"tables: [{', '.join(map(str, MANY))}]\n",
}


@pytest.mark.parametrize("what", MISTAKES)
def test_the_mistakes_of_a_text_are_told_up_to_a_limit(tmp_path, what):
    """Each takes a reading of the whole text: all of 90,000 would never end."""
    path = tmp_path / "c.yaml"
    study = "study: c\ndatasets: [german, german]\nalgorithms: {a: {estimator: SVC}}\n"
    path.write_text(study + MISTAKES[what])
    with pytest.raises(UserError) as refusal:
        read_config(path)
    assert len(refusal.value.messages) <= MOST_MISTAKES + 1
