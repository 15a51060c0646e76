#!/bin/sh
# test.sh: runs all tests: the package's, those that build outside packages on
# it, and those of the packages within (examples and such). Everything that is
# printed is in .build/test.log too.
#
# Each part has a time limit, so that a test that hangs is a failure. A crash
# ends the process at once: the backtracer of Swift can wait forever inside
# `swift test`.
set -eu

minutes=${TEST_MINUTES:-20}
export SWIFT_BACKTRACE=enable=no

log=.build/test.log
mkdir -p .build
: >"$log"
failed=

. support/shell.sh

# part NAME COMMAND...: runs the command, shows and logs what it prints.
part() {
    name=$1
    shift
    printf '\n== %s\n' "$name" | tee -a "$log"
    {
        status=0
        limited "$minutes" "$@" || status=$?
        echo "$status" >.build/test.status
    } 2>&1 </dev/null | tee -a "$log"
    status=$(cat .build/test.status)
    [ "$status" -eq 0 ] && return 0
    [ "$status" -ne 124 ] || echo "test: $name: not done after $minutes minutes" | tee -a "$log"
    failed="$failed $name (status $status);"
}

sh support/vectors.sh

# All tests of a part run at once. Those of the tool start thousands of processes,
# beside which those of the libraries would wait for a thread for minutes; those
# of the package as others use it run builds of their own.
part "the libraries" swift test --disable-xctest \
    --skip PackageTests --skip WeirToolTests --skip GuideTests
part "the tool" swift test --disable-xctest --skip-build \
    --filter WeirToolTests --filter GuideTests
part "weir as a dependency" swift test --disable-xctest --skip-build --filter PackageTests

for manifest in examples/*/Package.swift Benchmarks/Package.swift; do
    package=$(dirname "$manifest")
    [ -d "$package/Tests" ] || continue
    part "$package" swift test --disable-xctest --package-path "$package"
done

printf '\n== results\n'
grep -E 'Test run with|^test: ' "$log" || echo "no test has run"
if [ -n "$failed" ]; then
    # Once more at the end, which is what is seen of a long log.
    grep -aE -A2 '✘ Test .* recorded an issue|: error: |Fatal error' "$log" |
        grep -av '^◇' | cut -c1-400 | tail -n 40 || true
    echo "FAILED:${failed%;}"
    exit 1
fi
echo "passed"
