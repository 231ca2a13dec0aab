#!/usr/bin/env bash
# The main job in seconds, without network: shipped data, results in a folder that is thrown away.
set -euo pipefail
bin=${1:-.venv/bin}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export ENSVM_OFFLINE=1
"$bin/ensvm" run smoke --results "$folder"
"$bin/ensvm" table "$folder" > /dev/null
echo "smoke: all works; the results were in a temporary folder, which is deleted now"
