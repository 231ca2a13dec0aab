"""The packages of the wheel; everything else about the package is in pyproject.toml.

The folder `cli/` is installed as the package `ensvm_cli`, which setuptools cannot find by itself.
"""

from setuptools import find_packages, setup

BESIDE = ("configs", "datasets", "results")  # folders that travel inside the package
command = [name.replace("cli", "ensvm_cli", 1) for name in find_packages(include=["cli*"])]
setup(
    packages=[*find_packages(include=["ensvm*"]), *command, *(f"ensvm.{name}" for name in BESIDE)],
    package_dir={"ensvm_cli": "cli", **{f"ensvm.{name}": name for name in BESIDE}},
)
