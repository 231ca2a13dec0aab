"""`ensvm keys`: every key and every block of a config is explained, and a slip gets its name."""

import pytest
from made_up_records import invoke

from ensvm.study.config_keys import keys_in, places

BLOCKS = places()


def words(result):
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def test_all_blocks_are_listed_with_their_keys():
    listed = words(invoke("keys"))
    for model, place in BLOCKS.items():
        of_block = ", ".join(key.name for key in keys_in(model, BLOCKS))
        assert f"{place.heading} {of_block}" in listed


@pytest.mark.parametrize("place", sorted({place.name for place in BLOCKS.values()} - {""}))
def test_a_block_has_all_its_keys_with_what_they_mean(place):
    shown = words(invoke("keys", place))
    for model, at in BLOCKS.items():
        if at.name == place:
            for key in keys_in(model, BLOCKS):
                assert " ".join(f"{key.name} ({key.facts}): {key.meaning}".split()) in shown


@pytest.mark.parametrize("name", ["label", "relative_margin", "series"])
def test_a_key_is_shown_in_each_block_that_has_it_and_no_other_key(name):
    shown = words(invoke("keys", name))
    for model, place in BLOCKS.items():
        of_block = {key.name: key for key in keys_in(model, BLOCKS)}
        assert (place.heading in shown) >= (name in of_block)
    assert f"{name} (" in shown
    lines = invoke("keys", name).stdout.splitlines()
    begun = {line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "}
    assert begun == {name}


def test_a_slip_gets_the_nearest_name():
    refused = invoke("keys", "relativ_margin")
    assert refused.exit_code == 2
    assert "did you mean 'relative_margin'?" in refused.output
