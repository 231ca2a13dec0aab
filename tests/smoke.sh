#!/usr/bin/env bash
# The main job in seconds, without network: shipped data, results in the folder given, or else in
# one that is thrown away.
set -euo pipefail
bin=${1:-.venv/bin}
folder=${2:-$(mktemp -d)}
[ $# -ge 2 ] || trap 'rm -rf "$folder"' EXIT
export ENSVM_OFFLINE=1
"$bin/ensvm" run smoke --results "$folder"
"$bin/ensvm" table "$folder" smoke > /dev/null
echo "smoke: all works"
[ $# -ge 2 ] || echo "the results were in a temporary folder, which is deleted now"
