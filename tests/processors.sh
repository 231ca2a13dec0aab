#!/usr/bin/env bash
# Test the numbers as on other kinds of processor: OpenBLAS has other machine code for each, and
# NumPy's exp and log have other last bits without AVX-512.
# `make test` tests the kind of this machine. scikit-learn's checks of estimators, and what is
# refused, look at no numbers.
# `make test-processors EXAMPLES=many` tries properties on ten times as many examples, at random.
set -uo pipefail
bin=${1:-.venv/bin}
logs=$(mktemp -d)
trap 'rm -rf "$logs"; kill $(jobs -p) 2> /dev/null' EXIT
workers=$("$bin/python" -c 'import os; print(max(os.cpu_count() // 2, 1))')
this=$("$bin/python" -c '
import numpy, threadpoolctl
print(*{pool["architecture"] for pool in threadpoolctl.threadpool_info()})')

wide=$("$bin/python" tests/wide_vectors.py)

if [ "$(uname -m)" != x86_64 ]; then
    echo "skipped: these kinds are x86-64 processors, and this one is $(uname -m)"
    exit 0
fi

runs=()
for processor in SkylakeX Haswell Zen; do
    if [ "$processor" = "$this" ]; then
        echo "$processor: the kind of this machine, tested by make test"
    elif [ "$processor" = SkylakeX ] && ! grep -qs avx512f /proc/cpuinfo; then
        echo "$processor: skipped, this processor has no AVX-512"
    else
        without=$wide
        [ "$processor" = SkylakeX ] && without=
        NPY_DISABLE_CPU_FEATURES=$without OPENBLAS_CORETYPE=$processor "$bin/pytest" -q -n "$workers" -k 'not estimator_check' --ignore-glob='*refused*' --hypothesis-profile="${EXAMPLES:-few}" \
            tests/solvers tests/classifiers tests/kernels tests/experiments > "$logs/$processor" 2>&1 &
        runs+=("$processor:$!")
    fi
done

failed=0
for run in "${runs[@]}"; do
    wait "${run#*:}" || failed=1
    echo "${run%:*}:"
    cat "$logs/${run%:*}"
done
exit $failed
