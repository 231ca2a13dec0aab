"""`powers:` is a list of numbers, wherever a config may have one."""

from pathlib import Path

import pytest

from ensvm.errors import UserError
from ensvm.study.powers import with_powers
from ensvm.study.source import YamlSource


def values(text):
    source = YamlSource(Path("x.yaml"), f"a: [{{powers: {text}}}]\n")
    return with_powers(source, source.content)["a"][0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{of: 2, from: -5, to: 15, step: 2}", [2.0**k for k in range(-5, 16, 2)]),
        ("{of: 10, from: -2, to: 1}", [0.01, 0.1, 1.0, 10.0]),
        ("{of: 2, from: 0, to: 3}", [1, 2, 4, 8]),
        ("{of: 1.5, from: 1, to: 2}", [1.5, 2.25]),
    ],
)
def test_the_list_is_written_out(text, expected):
    assert values(text) == expected
    assert {type(value) for value in values(text)} == {type(expected[0])}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{of: 2, from: 3, to: 1}", "powers: `from: 3` and `to: 1`"),
        ("{of: 2, from: 0, to: 5000}", "more than 1000"),
        ("{of: 1.5, from: 0, to: 999999, step: 99999}", "too large"),
        ("{of: 2, from: -3000, to: 0, step: 1000}", "too small"),
        ("{of: 0, from: 3, to: 5}", "powers.of: 0 is not accepted"),
        ("{of: 2, form: 3, to: 5}", "unknown key 'form'; did you mean 'from'"),
        ("{of: 2, to: 5}", "from: is missing"),
        ("[1, 2]", "powers: "),
    ],
)
def test_what_is_no_list_of_powers_is_refused_with_its_line(text, message):
    with pytest.raises(UserError, match=f"x.yaml, line 1: a.*{message}"):
        values(text)
