"""Errors that a user can mend."""

import difflib
import os
from collections.abc import Iterable


class Refused(Exception):
    """Why one place does not serve a file, in one line."""


class NotHere(Refused):
    """Why a place has no copy of a file; the provider of the file is asked, too."""


class UserError(ValueError):
    """An error that the user can correct: wrong input, a busy folder, a damaged file.

    The message names the file or the data set, the key, the value and what is accepted. The
    command prints it alone, without a traceback, and ends with exit status 2.

    Parameters
    ----------
    message : str
        The message.
    key : str
        The key of the user's block that the message is about, so that it can be shown with the
        line of this key; empty if it is about no key or about several.

    Examples
    --------
    >>> from ensvm.errors import UserError
    >>> from ensvm.data import find_card
    >>> try:
    ...     find_card("germann")
    ... except UserError as error:
    ...     print(str(error)[:58])
    data set 'germann' is unknown; did you mean 'german'? (nea
    """

    def __init__(self, message: str, key: str = "") -> None:
        super().__init__(message)
        self.key = key
        self.messages = [message]
        self.block: tuple[str | int, ...] = ()  # of a config, in which the error is


class Mistakes(UserError):
    """Several errors that the user can correct, each with a message of its own.

    Parameters
    ----------
    messages : list of str
        The messages, in the order in which they are told.

    Examples
    --------
    >>> from ensvm.errors import Mistakes
    >>> str(Mistakes(["a.yaml, line 1: one", "a.yaml, line 2: another"])).count("line")
    2
    """

    def __init__(self, messages: list[str]) -> None:
        super().__init__("\n".join(messages))
        self.messages = messages

    def __reduce__(self) -> tuple[type, tuple[list[str]]]:
        """Let the error travel between processes."""
        return type(self), (self.messages,)


class DataUnavailable(UserError):
    """A data set that no provider could serve.

    Parameters
    ----------
    name : str
        The name of the data set.
    reasons : list of str
        Why each provider that was asked does not serve it, a line each.
    how_to_get : str
        What a user can do to get the data set, in one line.

    Examples
    --------
    >>> from ensvm.data import DataUnavailable
    >>> print(DataUnavailable("w2a", ["url: offline"], "download w2a"))
    data set 'w2a' could not be loaded.
      - url: offline
      To get it: download w2a
    """

    def __init__(self, name: str, reasons: list[str], how_to_get: str) -> None:
        self.name = name
        self.reasons = reasons
        self.how_to_get = how_to_get
        tried = "".join(f"\n  - {reason}" for reason in reasons)
        message = f"data set {name!r} could not be loaded.{tried}\n  To get it: {how_to_get}"
        super().__init__(message)

    def __reduce__(self) -> tuple[type, tuple[str, list[str], str]]:
        """Let the error travel between processes."""
        return type(self), (self.name, self.reasons, self.how_to_get)


def must_be_path(argument: str, value: object, *, or_none: bool = False) -> None:
    """Refuse an argument of a function that is neither a text nor a path."""
    if not (isinstance(value, str | os.PathLike) or (value is None and or_none)):
        none = ", or None" if or_none else ""
        raise UserError(f"{argument}={value!r:.60}; accepted: a name or path as text{none}")


def unreadable(path: object, error: OSError) -> UserError:
    """Return the error of a file or a folder that cannot be read."""
    return UserError(f"{path}: cannot be read: {error.strerror or error}")


def in_any_case(name: str, accepted: Iterable[str]) -> str:
    """Return the accepted name that differs from `name` in capital letters alone, else `name`."""
    names = list(dict.fromkeys(accepted))
    same = [other for other in names if other.casefold() == name.casefold()]
    return same[0] if len(same) == 1 and name not in names else name


def did_you_mean(name: str, accepted: Iterable[str]) -> str:
    """Return "; did you mean 'x'?" for the accepted name nearest to `name`, or an empty string.

    Capitals do not count.
    """
    by_small = {str(other).lower(): str(other) for other in accepted}
    near = difflib.get_close_matches(str(name).lower(), by_small, n=1)
    return f"; did you mean {by_small[near[0]]!r}?" if near else ""
