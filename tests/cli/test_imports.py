"""Each verb loads only the libraries that it needs: others would double the wait for its answer."""

import subprocess
import sys

import pytest

HEAVY = {
    *("numpy", "pandas", "pydantic", "yaml", "scipy.special", "scipy.stats", "sklearn", "numba"),
    *("joblib", "matplotlib", "jinja2", "markdown_it"),
}
CONFIGS = {"numpy", "pydantic", "yaml"}
VALUES = {*CONFIGS, "scipy.special"}  # for intervals
PAGES = {*VALUES, "jinja2", "markdown_it"}
STUDY = "ijcai07-full-adult"
LOADED = {
    "--help": set(),
    "table --help": set(),
    "--version": set(),
    "list": CONFIGS,
    "keys": CONFIGS,
    "copy smoke": CONFIGS,
    "status": CONFIGS,
    f"show {STUDY}": CONFIGS,
    f"table {STUDY}": PAGES,
    f"report {STUDY} --only claims": PAGES,
    f"export {STUDY}": {*VALUES, "pandas"},
    f"rank {STUDY}": {*PAGES, "pandas"},
}


@pytest.mark.parametrize("command", LOADED)
def test_a_verb_loads_only_what_it_needs(command, tmp_path):
    code = (
        "import sys; from ensvm_cli import start\n"
        "try: start()\n"
        f"finally: print('loaded', *{HEAVY} & set(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *command.split()],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    first, *loaded = ran.stderr.splitlines()[-1].split()
    assert first == "loaded", ran.stderr
    assert set(loaded) <= LOADED[command]
