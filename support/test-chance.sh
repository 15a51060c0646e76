#!/bin/sh
# test-chance.sh: runs the suites of `make test` and of the examples RUNS=20 times beside eight busy
# processes, and a quarter as often on one core. Names each test that failed, and how often: such a test
# is a defect.
set -eu

. support/shell.sh

export SWIFT_BACKTRACE=enable=no
runs=${RUNS:-20}
place=.build/chance
rm -rf "$place"
mkdir -p "$place"
use_memory
# A part that has begun gets no interrupt from the terminal.
parts=
trap 'kill $parts 2>/dev/null || :; exit 130' INT TERM

build_tests .build/test >"$place/build.log" 2>&1 ||
    fail "the tests do not build; see $place/build.log"
for package in examples/*/Package.swift; do
    build_tests .build/examples --package-path "${package%/*}" >"$place/build.log" 2>&1 ||
        fail "the tests of ${package%/*} do not build; see $place/build.log"
done
examples=$(cd .build/examples/debug && echo *PackageTests.xctest)

# run NAME COMMAND...: runs all suites, each command before them. The suites run at the same time: one
# after the other they would get a fifth of the cores beside the load.
# shellcheck disable=SC2046,SC2086
run() {
    name=$1
    shift
    begin=$(date +%s)
    "$@" sh support/check-lib.sh >"$place/$name.lib" 2>&1 </dev/null &
    parts=$!
    for part in library tool; do
        eval "suites=\$${part}_suites"
        "$@" timeout 3600 .build/test/debug/weirPackageTests.xctest --testing-library swift-testing \
            --filter "$suites" $(without $random_suites $wait_tests) >"$place/$name.$part" 2>&1 </dev/null &
        parts="$parts $!"
    done
    for part in $examples; do
        "$@" env -u WEIR_TEST_TOOL timeout 3600 ".build/examples/debug/$part" --testing-library swift-testing \
            >"$place/$name.$part" 2>&1 </dev/null &
        parts="$parts $!"
    done
    wait $parts || :
    parts=
    {
        # Tests that do not build or end, and crashes, are failures without a name.
        grep -aq '^check-lib: [1-9]' "$place/$name.lib" || echo "the C library: no result"
        for part in library tool $examples; do
            grep -aq 'Test run with [1-9]' "$place/$name.$part" || echo "the Swift tests ($part): no result"
            ! grep -aq '✘ Test run with' "$place/$name.$part" || grep -aqE "$failure" "$place/$name.$part" ||
                echo "the Swift tests ($part): an issue of no test"
        done
        sed -nE 's/^(.*): (FAILED|ended (at its limit|by signal).*)$/\1/p' "$place/$name.lib"
        sed -nE "s/^.*$failure.*/\\1/p" "$place/$name.library" "$place/$name.tool" "$place/$name."*.xctest
    } | sort -u >"$place/$name.failed"
    say "$name: $(wc -l <"$place/$name.failed") tests failed, $(($(date +%s) - begin)) s"
}

# The line of a Swift test that failed, and that of its issue, which has another form if an argument of
# the test has several lines.
failure='✘ Test ((".*"|[^ ]*\(.*\))) (with .* )?failed after'
issue='✘ Test (.*) recorded an issue (with .* )?at ([^ ]*:[0-9]+):'

busy=
for _ in 1 2 3 4 5 6 7 8; do
    while kill -0 $$; do :; done 2>/dev/null &
    busy="$busy $!"
done
number=1
while [ "$number" -le "$runs" ]; do
    run "busy-$number" env
    number=$((number + 1))
done
# shellcheck disable=SC2086
kill $busy
busy=
number=1
while [ "$number" -le $(((runs + 3) / 4)) ]; do
    run "core-$number" taskset -c 0
    number=$((number + 1))
done
cat "$place"/*.failed | sort | uniq -c | sort -rn >"$place/table"
[ ! -s "$place/table" ] || {
    cat "$place/table"
    sed -nE "s/^.*$issue.*/\\1, \\3/p" "$place"/*.library "$place"/*.tool "$place"/*.xctest | sort | uniq -c
    fail "these tests failed, so often"
}
say "no test failed"
