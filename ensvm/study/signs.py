"""The verdicts on our value beside a printed one, their signs, and why there may be none."""

from collections.abc import Mapping
from typing import Literal

Verdict = Literal["within the margin", "close", "differs", "cannot tell"]
"""How ours compares with the printed value; `ensvm.report.verdict` says what each means."""
Why = Literal["", "wide", "guess", "rounding", "protocol", "none"]
"""Why a verdict cannot be given; empty if it is given."""

SIGNS: Mapping[Verdict, str] = {
    "within the margin": "=",
    "close": "≈",
    "differs": "≠",
    "cannot tell": "?",
}
CHOSEN_SIGN = "†"  # a setting was chosen on the printed value
WHY: Mapping[Why, str] = {
    "wide": "the interval is wide",
    "guess": "the largest class does as well",
    "rounding": "rounding decides",
    "protocol": "the paper ran the row in another way",
    "none": "no interval",
}
