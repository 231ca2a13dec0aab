"""Counts in words: the one place that decides between `1 cell` and `3 cells`."""


def plural(noun: str) -> str:
    """Return the plural of a noun, or of words that end in one, such as `data set`."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def named(n: float, noun: str) -> str:
    """Return a noun as it stands behind a number: `cell` behind 1, else `cells`."""
    return noun if n == 1 else plural(noun)


def counted(n: int, noun: str) -> str:
    """Return a count with its noun, such as `1 cell` or `2,105 cells`."""
    return f"{n:,} {named(n, noun)}"


def of_all(n: int, total: int, noun: str) -> str:
    """Return how many of all there are, such as `3 of 40 cells`."""
    return f"{n:,} of {counted(total, noun)}"
