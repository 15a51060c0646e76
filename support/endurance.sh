#!/bin/sh
# endurance.sh: runs every verb of the tool at once, under limits and signals, and the libraries
# in one process beside them, for MINUTES=60. The libraries print a line a minute, and their growth
# at the end. In fewer than 1,000 rounds the heap may grow by a mebibyte, which caches take. The tool
# is that of WEIR_TEST_TOOL, or the one that is built with the tests.
set -eu

. support/shell.sh

WEIR_TEST_ENDURANCE=${MINUTES:-60}
# Memory that a thread of the pool keeps for itself counts as in use: without those caches the
# heap stands still after a few hundred rounds.
GLIBC_TUNABLES=glibc.malloc.tcache_count=0
export WEIR_TEST_ENDURANCE SWIFT_BACKTRACE=enable=no GLIBC_TUNABLES
build_tests .build/test

tests=.build/test/debug/weirPackageTests.xctest
end=$(($(date +%s) + WEIR_TEST_ENDURANCE * 60))

# verbs: runs the verbs for at most four minutes at a time: a transcript has a time limit.
verbs() {
    while left=$((end - $(date +%s))) && [ "$left" -gt 0 ]; do
        part=$((left < 240 ? (left + 59) / 60 : 4))
        WEIR_TEST_ENDURANCE=$part WEIR_TEST_SEED=$(date +%s) WEIR_TEST_TRANSCRIPT=session/endurance \
            limited 10 "$tests" --testing-library swift-testing --filter TranscriptTests </dev/null || return
    done
}
verbs &
tool=$!
failed=
limited $((WEIR_TEST_ENDURANCE + 10)) "$tests" --testing-library swift-testing \
    --filter 'FileJobsTests\.EnduranceTests' </dev/null || failed=yes
wait "$tool" || failed=yes
[ -z "$failed" ] || fail "a result was wrong, or something grew"
say "passed"
