"""Which column holds the classes: by name, values and place, and what is as likely."""

import numpy as np
import pytest

from ensvm.data.drafting.column_guess import look_at_column, sentinels
from ensvm.data.drafting.target_guess import find_target
from ensvm.data.files.encode import Numerals
from ensvm.errors import UserError

N = 60
CODES = [str(i % 3 + 1) for i in range(N)]
YES = [["yes", "no"][i % 2] for i in range(N)]
WORDS = [["low", "mid", "high"][i % 3] for i in range(N)]
BITS = [str(i // 3 % 2) for i in range(N)]
WIDTHS = [str(60 + i % 16) for i in range(N)]
MONTHS = [str(1 + i * i % 18) for i in range(N)]
MEASURED = [f"{i * i % 37}.5" for i in range(N)]
NAMES = [f"n{i}" for i in range(N)]
CONSTANT = ["7"] * N


def guessed(**columns):
    titles = [name.replace("_", ".") for name in columns]
    looked_at = [
        look_at_column(title, fields, Numerals(), at)
        for at, (title, fields) in enumerate(zip(titles, columns.values(), strict=True))
    ]
    target = find_target("own.csv", looked_at, titles, None)
    return titles[target.position], target.as_likely


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ({"x": MEASURED, "result": CODES, "sex": BITS, "width": WIDTHS}, ("result", ())),
        ({"kind": WORDS, "x": MEASURED, "language": YES}, ("kind", ())),
        ({"answer": YES, "x": MEASURED, "months": MONTHS}, ("answer", ())),
        ({"x": MEASURED, "a": BITS, "b": YES}, ("b", ())),
        ({"name": NAMES, "x": MEASURED, "good": YES, "c": CONSTANT}, ("good", ())),
        ({"class": CODES, "x": MEASURED, "b": YES}, ("class", ())),
        ({"x": MEASURED, "credit_outcome": YES, "b": YES}, ("credit.outcome", ("b",))),
        ({"first": YES, "x": MEASURED, "last": WORDS}, ("first", ("last",))),
    ],
)
def test_the_most_plausible_column_is_guessed(columns, expected):
    assert guessed(**columns) == expected


@pytest.mark.parametrize("column", [MEASURED, WIDTHS, NAMES, CONSTANT, [""] * N, MONTHS])
def test_what_is_measured_or_names_a_row_is_never_a_candidate(column):
    with pytest.raises(UserError, match="no column of classes found"):
        guessed(x=MEASURED, y_of_last=column)


def test_many_columns_of_the_same_values_are_inputs():
    columns = {f"q{at}": WORDS for at in range(5)} | {"verdict": YES, "last": WORDS}
    assert guessed(**columns)[0] == "verdict"


@pytest.mark.parametrize(
    ("values", "marks"),
    [
        ([*range(1, 40), -9, -9], {"-9"}),
        ([*range(-5, 35), -9, -9], set()),  # other numbers are negative too
        ([*range(1, 40), 999, 999], {"999"}),
        ([*range(1, 40), 999], set()),  # once: perhaps a mistake, perhaps a value
        ([*range(900, 998), *[999] * 10], {"999"}),  # by far the commonest
        ([*range(900, 1000), 999], set()),
        ([*range(1, 99), 99, 99], set()),
        ([0, 1, 1, 0, -9, -9, 1, 0], set()),  # too few numbers to tell
    ],
)
def test_numbers_that_stand_for_a_missing_value(values, marks):
    fields = [str(value) for value in np.random.default_rng(0).permutation(values)]
    column = look_at_column("x", fields, Numerals(), 1)
    assert sentinels(column, Numerals()) == marks
