#!/bin/sh
# soak.sh [thread|address]...: repeats the tests of gate, groups, lanes and loops with
# the sanitizers, because not every run shows a race. RUNS=200 for each sanitizer. The
# first report, failure or hang ends the script with the output of that run.
set -eu

[ $# -gt 0 ] || set -- thread address
runs=${RUNS:-200}

. support/shell.sh

log=$(mktemp)
trap 'rm -f "$log"' EXIT

for sanitizer; do
    run=1
    while [ "$run" -le "$runs" ]; do
        SANITIZER=$sanitizer sh support/check-lib.sh gate group lanes apply reduce >"$log" 2>&1 || {
            cat "$log"
            fail "run $run with the $sanitizer sanitizer failed"
        }
        run=$((run + 1))
    done
    say "$runs runs with the $sanitizer sanitizer, no report: $(tail -n 1 "$log")"
done
