#!/usr/bin/env bash
# Build wheel and source distribution, check them, install the wheel into a new environment and use
# it from an empty folder: configs, cards and data must be inside. The wheel is built from the
# source distribution.
set -euo pipefail
python=${1:-python3}
tools=$(realpath "${2:-.venv/bin}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
rm -rf build
"$python" -m venv --without-pip "$folder/environment"
bin=$folder/environment/bin
"$tools/python" -m build --outdir "$folder/dist" . > "$folder/log" || { cat "$folder/log"; exit 1; }
"$tools/twine" check --strict "$folder"/dist/*
"$tools/python" -m pip --python "$bin/python" --quiet --disable-pip-version-check \
	install --no-compile --constraint constraints.txt "$folder"/dist/*.whl
mkdir "$folder/empty"
cd "$folder/empty"
export ENSVM_OFFLINE=1
# The tables of our own results, in a folder that has none
"$bin/ensvm" table ijcai07
test -s report/ijcai07/table-2.md
"$bin/ensvm" run smoke --realizations 2 --jobs 1
"$bin/ensvm" run smoke --set realizations=1 --as smaller
"$bin/ensvm" copy ijcai07 mine
"$bin/ensvm" check mine.yaml
"$bin/ensvm" table
"$bin/ensvm" check ijcai07
