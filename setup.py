"""The packages of the wheel; everything else about the package is in pyproject.toml.

The folder `cli/` is installed as the package `ensvm_cli`, which setuptools cannot find by itself.
"""

from setuptools import find_packages, setup

command = [name.replace("cli", "ensvm_cli", 1) for name in find_packages(include=["cli*"])]
setup(
    packages=[*find_packages(include=["ensvm*"]), *command, "ensvm.configs", "ensvm.datasets"],
    package_dir={"ensvm_cli": "cli", "ensvm.configs": "configs", "ensvm.datasets": "datasets"},
)
