#!/bin/sh
# test-sanitize.sh [thread|address]...: the package's own tests under the
# sanitizers, each in a build directory of its own. A race does not show in
# every run: RUNS=5 looks five times. What a run may cost is not looked at: a
# sanitizer costs more.
set -eu

[ $# -gt 0 ] || set -- thread address
minutes=${TEST_MINUTES:-40}
export SWIFT_BACKTRACE=enable=no
export TSAN_OPTIONS="allocator_may_return_null=1"
export ASAN_OPTIONS="allocator_may_return_null=1"
export LSAN_OPTIONS="suppressions=$PWD/support/leaks-of-others.txt:print_suppressions=0"

. support/shell.sh

# tests SANITIZER SCRATCH OPTION...: what takes its time from all else is apart.
tests() {
    sanitizer=$1 scratch=$2
    shift 2
    # shellcheck disable=SC2046
    limited "$minutes" swift test $(sh support/lld.sh) --disable-xctest \
        --skip PackageTests --skip CostTests --skip GuideTests \
        --sanitize "$sanitizer" --scratch-path "$scratch" "$@" </dev/null
}

for sanitizer; do
    case $sanitizer in
    thread) scratch=.build-tsan ;;
    address) scratch=.build-asan ;;
    *)
        echo "test-sanitize: thread or address, not $sanitizer" >&2
        exit 2
        ;;
    esac
    run=1
    while [ "$run" -le "${RUNS:-3}" ]; do
        printf '\n== %s sanitizer, run %d\n' "$sanitizer" "$run"
        tests "$sanitizer" "$scratch" \
            --skip WeirToolTests --skip FileJobsTests
        # The tool is slow to start under a sanitizer: fewer calls of it.
        WEIR_TEST_CALLS=200 tests "$sanitizer" "$scratch" --skip-build \
            --filter 'WeirToolTests|FileJobsTests' --skip CheckTests/memory
        run=$((run + 1))
    done
done
