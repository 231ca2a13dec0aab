"""The parts of a config are read as one text, by libyaml or, where that cannot be, by Python."""

import pytest

from ensvm.shipped import shipped_configs
from ensvm.study.source import MAX_QUICK_LEVELS, YamlSource


@pytest.mark.parametrize("name", ["benchmark", "nips99"])
def test_both_loaders_read_the_same(name):
    path = shipped_configs() / f"{name}.yaml"
    quick = YamlSource(path)
    # libyaml could run out of stack: a line as long as this may hold as many levels
    slow = YamlSource(path, f"{quick.text}# {'-' * MAX_QUICK_LEVELS}\n")
    assert slow.content == quick.content
    assert slow._lines == quick._lines
