#!/usr/bin/env bash
# What is run in a checkout, and what shows it, changes no file that git tracks or would add. The
# results stay, so that the tests that come after this run beside them.
set -euo pipefail
bin=${1:-.venv/bin}
export ENSVM_OFFLINE=1
before=$(git status --porcelain)
"$(dirname "$0")/smoke.sh" "$bin" results
# Part of a study whose results are shipped
"$bin/ensvm" run ijcai07 --datasets titanic --algorithms ensemble --realizations 2
shows() { "$bin/ensvm" "$@" > /dev/null || [ $? -eq 1 ]; } # 1: values are missing
shows table results/
shows report results/ --only claims --only readings --only figures --only tables --only pages
after=$(git status --porcelain)
if [ "$before" != "$after" ]; then
	echo "a run in this checkout changes files that belong to git:" >&2
	diff <(echo "$before") <(echo "$after") >&2
	exit 1
fi
echo "clean: a run here changes no file that belongs to git"
