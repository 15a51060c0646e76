#!/bin/sh
# endurance.sh: runs every verb of the tool at once, under limits and signals, and the libraries
# in one process beside them, for MINUTES=60. Each prints a line a minute, and its table at the
# end. WEIR_TEST_TOOL names another tool than the one that is built with the tests.
set -eu

. support/shell.sh

WEIR_TEST_ENDURANCE=${MINUTES:-60}
# Memory that a thread of the pool keeps for itself counts as in use: without those caches the
# heap stands still after a few hundred rounds.
GLIBC_TUNABLES=glibc.malloc.tcache_count=0
export WEIR_TEST_ENDURANCE SWIFT_BACKTRACE=enable=no GLIBC_TUNABLES
swift build --build-tests

# Time for the last runs to end.
minutes=$((WEIR_TEST_ENDURANCE + 10))
tests=.build/debug/weirPackageTests.xctest
endure() {
    limited "$minutes" "$tests" --testing-library swift-testing --filter "$1" </dev/null
}
endure ToolEnduranceTests &
tool=$!
failed=
endure 'FileJobsTests\.EnduranceTests' || failed=yes
wait "$tool" || failed=yes
[ -z "$failed" ] || fail "a result was wrong, or something grew"
say "passed"
