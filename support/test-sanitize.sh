#!/bin/sh
# test-sanitize.sh [thread|address]...: runs the tests with sanitizers, each in a
# build directory of its own. Not every run shows a race: RUNS=5 runs them five
# times. The tests of costs and of real waits are skipped, because a sanitizer adds its own.
set -eu

[ $# -gt 0 ] || set -- thread address
minutes=${TEST_MINUTES:-40}

. support/shell.sh

# tests SANITIZER SCRATCH OPTION...
tests() {
    sanitizer=$1 scratch=$2
    shift 2
    # shellcheck disable=SC2046
    limited "$minutes" swift test $(lld) --disable-xctest \
        --sanitize "$sanitizer" --scratch-path "$scratch" "$@" </dev/null
}

for sanitizer; do
    use_sanitizer "$sanitizer"
    run=1
    while [ "$run" -le "${RUNS:-3}" ]; do
        printf '\n== %s sanitizer, run %d\n' "$sanitizer" "$run"
        SANITIZER=$sanitizer sh support/check-lib.sh
        # One at a time: a test of bytes holds a thread of the tasks for minutes, as 20,000
        # schedules would.
        # shellcheck disable=SC2046,SC2086
        WEIR_TEST_SCHEDULES=1000 \
            tests "$sanitizer" "$scratch" --no-parallel \
            --filter '^WeirTests' --filter FileJobsTests $(without $wait_tests)
        # With a sanitizer the tool has more memory than the tests of memory allow, and
        # LeakSanitizer refuses strace.
        ASAN_OPTIONS="$ASAN_OPTIONS:detect_leaks=0" \
            tests "$sanitizer" "$scratch" --skip-build --filter WeirToolTests
        run=$((run + 1))
    done
done
