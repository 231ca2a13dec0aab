"""Numbers read back to what was written, in every way of writing them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensvm.drafting.numerals import is_number, numbers_of

NUMBERS = st.floats(-1e12, 1e12, allow_nan=False).map(lambda number: round(number, 3))


def written(number: float, decimal: str, group: str) -> str:
    """Return a number with marks of thousands, as a person writes it."""
    return f"{number:,.3f}".replace(",", "_").replace(".", decimal).replace("_", group)


@given(number=NUMBERS, style=st.sampled_from([(".", ","), (",", "."), (",", " "), (".", "'")]))
def test_a_number_reads_back_however_it_is_written(number, style):
    decimal, group = style
    text = written(number, decimal, group)
    assert is_number(text)
    assert numbers_of([text], decimal)[0] == number


@given(numbers=st.lists(NUMBERS, min_size=1))
def test_plain_numbers_read_as_python_reads_them(numbers):
    assert numbers_of([repr(number) for number in numbers], ".").tolist() == numbers


@pytest.mark.parametrize(
    "text", ["", "abc", "1_000", "0x1A", "1.2.3", "nan", "inf", "1e300", "12%"]
)
@pytest.mark.parametrize("decimal", [".", ","])
def test_what_is_no_number_to_compute_with_is_nan(text, decimal):
    assert np.isnan(numbers_of([text, "5"], decimal)).tolist() == [True, False]


def test_groups_are_of_three_digits():
    assert np.isnan(numbers_of(["1,23", "0,123.5", "12,34,567"], ".")).all()
