"""The one decorator of compiled functions: numba's `njit`, with a cache of machine code."""

from typing import Any

import numba


def njit(function: Any = None, **options: Any) -> Any:
    """Compile a function with numba in nopython mode, its machine code cached."""
    decorate = numba.njit(cache=True, **options)
    return decorate if function is None else decorate(function)
