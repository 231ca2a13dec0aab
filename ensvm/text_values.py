"""What the text of a field stands for, in files and DataFrames alike: a date, a number."""

import re

_MONTHS = (
    "jan(uary?|vier)?|feb(ruary?)?|f[eé]vr(ier)?|m[aä]r(ch|s|z|zo)?|apr(ile?)?|avr(il)?|"
    "ma[iy]o?|june?|ju(ni|in)o?|july?|ju(li|il)o?|juillet|"
    "aug(ust)?|ago(sto)?|août|sept?(i?emb(er|re))?|"
    "o[ck]t(ob(er|re))?|nov(i?emb(er|re))?|d[eé][cz](emb(er|re))?|dic(i?embre)?|ene(ro)?|gennaio"
)
DATES = re.compile(
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?([T ].*)?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})([T ].*)?"
    r"|\d{1,2}:\d{2}(:\d{2}.*)?"
    rf"|(.*[^a-z])?({_MONTHS})([^a-z].*)?\d.*|.*\d(.*[^a-z])?({_MONTHS})([^a-z].*)?",
    re.I,
)
# What a date is to be as an input: messages say "turn them into numbers, such as ..."
DATES_AS_NUMBERS = "numbers, such as days since the first"


def number_pattern(decimal: str) -> str:
    """Return the pattern of a number without a sign whose decimal mark is `decimal`."""
    mark = re.escape(decimal)
    return rf"(\d+({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?"
