"""Print the lowest version of each library that pyproject.toml allows, as constraints for pip."""

import tomllib
from pathlib import Path

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
LIBRARIES_OF_USERS = ("parquet", "excel", "dask")  # the other extras are tools of developers


def lowest_versions(project: dict) -> list[str]:
    """Return `name==version` for every requirement `name>=version,<bound` of a [project] table."""
    extras = [project["optional-dependencies"][extra] for extra in LIBRARIES_OF_USERS]
    requirements = sum(extras, project["dependencies"])
    return [requirement.split(",")[0].replace(">=", "==") for requirement in requirements]


if __name__ == "__main__":
    print(*lowest_versions(tomllib.loads(PYPROJECT.read_text())["project"]), sep="\n")
