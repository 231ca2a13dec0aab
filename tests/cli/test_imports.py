"""Each verb loads only the libraries that it needs: others would double the wait for its answer."""

import lzma
import shutil
import subprocess
import sys

import pytest

from ensvm.records.store import CELLS_FILE, SHIPPED_FILE
from ensvm.shipped import shipped_results

HEAVY = {
    *("numpy", "pandas", "pydantic", "yaml", "scipy.special", "scipy.stats", "sklearn", "numba"),
    *("joblib", "matplotlib", "jinja2", "markdown_it"),
}
CONFIGS = {"numpy", "pydantic", "yaml"}
VALUES = {*CONFIGS, "scipy.special"}  # for intervals
PAGES = {*VALUES, "jinja2", "markdown_it"}
STUDY = "many-rows"
LOADED = {
    "--help": set(),
    "table --help": set(),
    "--version": set(),
    "list": CONFIGS,
    "keys": CONFIGS,
    "copy smoke": CONFIGS,
    "status": HEAVY - {"matplotlib", "jinja2", "markdown_it"},  # it plans the cells anew
    f"show {STUDY} --names": CONFIGS,
    f"show {STUDY} ranks ridge_rank-50": {*VALUES, "pandas"},
    f"table {STUDY}": PAGES,
    f"report {STUDY} --only claims": PAGES,
    f"export {STUDY}": {*VALUES, "pandas"},
    f"rank {STUDY} --dataset ranks": {*PAGES, "pandas"},
}


@pytest.fixture
def results(tmp_path):
    """Return a folder of results as a run leaves it."""
    folder = tmp_path / "results" / STUDY
    shutil.copytree(shipped_results() / STUDY, folder)
    packed = folder / SHIPPED_FILE
    (folder / CELLS_FILE).write_bytes(lzma.decompress(packed.read_bytes()))
    packed.unlink()
    return folder.parent


@pytest.mark.parametrize("command", LOADED)
def test_a_verb_loads_only_what_it_needs(command, results):
    code = (
        "import sys; from ensvm_cli import start\n"
        "try: start()\n"
        f"finally: print('loaded', *{HEAVY} & set(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *command.split()],
        capture_output=True,
        text=True,
        cwd=results.parent,
    )
    assert ran.returncode == 0, ran.stderr
    first, *loaded = ran.stderr.splitlines()[-1].split()
    assert first == "loaded", ran.stderr
    assert set(loaded) <= LOADED[command]
