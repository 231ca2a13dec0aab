"""Names that are accepted, for messages; of many names a message has the first ones alone."""

from collections.abc import Iterable

MOST_LISTED = 12


def first_names(names: Iterable[str], all_names: str = "") -> str:
    """Return names for a message: all of a few, else the first and how many more there are.

    `all_names` is a command that prints all of them.

    Examples
    --------
    >>> first_names(["a", "b"])
    'a, b'
    >>> first_names(map(str, range(100)), "ensvm list")[-26:]
    'and 88 more (`ensvm list`)'
    """
    names = list(names)
    text, n_more = ", ".join(names[:MOST_LISTED]), len(names) - MOST_LISTED
    if n_more <= 0:
        return text
    return f"{text} and {n_more} more" + (f" (`{all_names}`)" if all_names else "")
