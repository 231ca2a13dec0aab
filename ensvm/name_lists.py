"""Lists of names in messages, such as those that are accepted; many names are cut with a count."""

from collections.abc import Iterable

MOST_LISTED = 12


def first_names(names: Iterable[str], all_names: str = "", most: int = MOST_LISTED) -> str:
    """Return names for a message: all if they are at most so many, else the first and a count.

    `all_names` is a command that prints all of them.

    Examples
    --------
    >>> first_names(["a", "b"])
    'a, b'
    >>> first_names(map(str, range(100)), "ensvm list")[-26:]
    'and 88 more (`ensvm list`)'
    """
    names = list(names)
    text, n_more = ", ".join(names[:most]), len(names) - most
    if n_more <= 0:
        return text
    return f"{text} and {n_more} more" + (f" (`{all_names}`)" if all_names else "")
