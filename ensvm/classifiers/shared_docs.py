"""Documentation that several classes share is written once, at their base."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ensvm.kernels import KERNELS

Class = TypeVar("Class", bound=type)
Sections = dict[str, str]

TITLE = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", re.MULTILINE)
# Sections in the order of numpydoc; "" is the text before the first one.
ORDER = (
    *("", "Parameters", "Attributes", "Returns", "Yields", "Raises"),
    *("See Also", "Notes", "References", "Examples"),
)
# Words in an entry that stand for the names and the formulas of `KERNELS`
KERNEL_NAMES = ", ".join(map(repr, KERNELS))
*FIRST_FORMULAS, LAST_FORMULA = (f"{name!r} is {row.formula}" for name, row in KERNELS.items())
KERNEL_FORMULAS = f"{', '.join(FIRST_FORMULAS)} and {LAST_FORMULA}"
INHERITED = ("Parameters", "Attributes", "Returns", "Yields", "Raises")


def documented(cls: Class) -> Class:
    """Complete the docstrings of a class and of its public methods from those of its bases.

    A class documents what is its own. Parameters of its constructor, and fitted attributes, that
    its docstring does not describe are taken from the nearest base that does; so are parameters and
    results of methods that it overrides. The rows X of any method are those of `predict` if nothing
    else is said. Without docstrings (`python -OO`) nothing is changed.

    Parameters
    ----------
    cls : type
        The class, whose docstrings are changed.

    Returns
    -------
    type
        The class.
    """
    if cls.__doc__ is None:
        return cls
    bases = [base for base in cls.__mro__[1:] if base.__module__.startswith("ensvm.")]
    constructor: Any = vars(cls).get("__init__")
    cls.__doc__ = _completed(cls.__doc__, [base.__doc__ for base in bases], constructor)
    predicts = [vars(base)["predict"] for base in cls.__mro__ if "predict" in vars(base)]
    rows = [_parameters_alone(predict.__doc__) for predict in predicts]
    for name, attribute in vars(cls).items():
        method = getattr(attribute, "fn", attribute)  # what `available_if` wraps
        if inspect.isfunction(method) and not name.startswith("_"):
            overridden = [getattr(base, name).__doc__ for base in bases if name in vars(base)]
            method.__doc__ = _completed(method.__doc__, [*overridden, *rows], method)
    return cls


def _parameters_alone(docstring: str | None) -> str:
    return _rendered("Parameters", _sections(docstring).get("Parameters", ""))


def _completed(
    own: str | None, inherited: Sequence[str | None], function: Callable[..., Any] | None
) -> str:
    """Return a docstring with what it leaves out; `function` has the parameters, in their order."""
    sections = _sections(own)
    for base in map(_sections, inherited):
        for title in INHERITED:
            if title in base and title in ("Parameters", "Attributes"):
                described = _entries(sections.get(title, ""))
                # The class's own entries come first and replace those of the base.
                sections[title] = "\n".join(
                    (described | _entries(base[title]) | described).values()
                )
            elif title in base:
                sections.setdefault(title, base[title])
    if "Parameters" in sections and function is not None:
        # A base may have parameters that the class does not.
        described = _entries(sections["Parameters"])
        names = [name for name in inspect.signature(function).parameters if name in described]
        sections["Parameters"] = "\n".join(_with_kernels(described[name]) for name in names)
    rendered = [_rendered(title, sections[title]) for title in ORDER if title in sections]
    return "\n\n".join(rendered) + "\n"


def _sections(docstring: str | None) -> Sections:
    """Return the sections of a docstring by their titles."""
    summary, *others = TITLE.split(inspect.cleandoc(docstring or ""))
    return {"": summary, **dict(zip(others[::2], others[1::2], strict=True))}


def _entries(section: str) -> Sections:
    """Return the entries of a section, `name : type` and the lines below, by their names."""
    entries = re.split(r"^(?=\S)", section, flags=re.MULTILINE)
    return {entry.partition(" : ")[0]: entry.rstrip() for entry in entries if entry.strip()}


def _with_kernels(entry: str) -> str:
    """Return the entry of a parameter with the names and formulas of all kernels filled in."""
    if "KERNEL_NAMES" not in entry:
        return entry
    head, _, text = entry.partition("\n")
    text = " ".join(text.split()).replace("KERNEL_FORMULAS", KERNEL_FORMULAS)
    filled = textwrap.fill(text, 96, initial_indent=" " * 4, subsequent_indent=" " * 4)
    return f"{head.replace('KERNEL_NAMES', KERNEL_NAMES)}\n{filled}"


def _rendered(title: str, text: str) -> str:
    heading = f"{title}\n{'-' * len(title)}\n" if title else ""
    return heading + text.strip("\n")
