"""The instructions of AVX-512 that NumPy uses here; running prints their names.

With them its exp and log have other last bits than without. NPY_DISABLE_CPU_FEATURES turns off
those that it names.
"""

from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

IN_USE = [
    name
    for name in __cpu_dispatch__
    if name.startswith(("AVX512", "X86_V4")) and __cpu_features__[name]
]

if __name__ == "__main__":
    print(*IN_USE)
