#!/bin/sh
# soak.sh [thread|address]...: repeats the tests of gate, groups, lanes and loops with
# the sanitizers, because not every run shows a race. RUNS=200 for each sanitizer,
# each run with a time limit. The first report, failure or hang ends the script
# with the output of that run.
#
# Tests that compare times or start processes are skipped.
set -eu

[ $# -gt 0 ] || set -- thread address
runs=${RUNS:-200}
seconds=${SECONDS_EACH:-120}

. support/shell.sh

# Fewer permutations of operations than in `make test`.
export WEIR_TEST_DEPTH="${WEIR_TEST_DEPTH:-3}"
chosen='CWeir(Independent)?Tests/(Gate|Group|Lanes|Apply|Reduce)'
left_out='lanesReachTheLimitAtOnce|aSumIsTheSameOnAny|costlyIterationsRunOneAtATime|theEndIsShared'
left_out="$left_out|lanesWithoutThreads|aThousandJobsHoldNoThreads"

log=$(mktemp)
trap 'rm -f "$log"' EXIT

for sanitizer; do
    use_sanitizer "$sanitizer"
    TSAN_OPTIONS=$TSAN_OPTIONS:halt_on_error=1
    # shellcheck disable=SC2046
    swift build --build-tests $(lld) --sanitize "$sanitizer" \
        --scratch-path "$scratch"
    tests=$scratch/debug/weirPackageTests.xctest
    run=1
    while [ "$run" -le "$runs" ]; do
        timeout --kill-after=5 "$seconds" "$tests" \
            --testing-library swift-testing --filter "$chosen" \
            --skip "$left_out" >"$log" 2>&1 </dev/null || {
            status=$?
            cat "$log"
            fail "run $run with the $sanitizer sanitizer ended with status $status"
        }
        grep -aq 'Test run with .* passed' "$log" || {
            cat "$log"
            fail "the output of run $run has no result"
        }
        run=$((run + 1))
    done
    say "$runs runs with the $sanitizer sanitizer, no report:" \
        "$(grep -ao 'Test run with .*' "$log" | sed -n 1p)"
done
