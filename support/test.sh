#!/bin/sh
# test.sh: runs the tests of the package.
# The output is also in .build/test.log. `test.sh examples` runs the tests of the
# examples, and those that build other packages on this one, with their output added to the
# log; `make test` has the tests start the optimized tool, in WEIR_TEST_TOOL, which halves the
# time of its suites; `test.sh NAME=VALUE FILTER` the tests of one kind, with a variable
# that makes them long; `test.sh waits` those that measure real waits; `test.sh posix` those of the
# package, built in .build-posix with the C sources for POSIX alone, but for the tests of what only
# Linux has.
#
# Each part has a time limit, so that a test that hangs is a failure. A crash ends
# the process at once, without Swift's backtracer, which can wait forever inside
# `swift test`.
set -eu

minutes=${TEST_MINUTES:-20}
export SWIFT_BACKTRACE=enable=no

build=.build
[ "${1-}" != posix ] || build=.build-posix
log=$build/test.log
mkdir -p "$build"
[ "${1-}" = examples ] || : >"$log"
failed=
tool=
exceptions=

. support/shell.sh

# tests FOLDER OPTION...: runs tests, built in a folder of their own, which does not replace a
# developer's.
tests() {
    folder=$1
    shift
    swift_tests "$minutes" "$build/$folder" "$@"
}

if [ $# -eq 2 ]; then
    export "$1"
    {
        status=0
        minutes=${TEST_MINUTES:-180}
        tests test --filter "$2" || status=$?
        echo "$status" >.build/test.status
    } 2>&1 </dev/null | tee .build/long.log
    status=$(cat .build/test.status)
    [ "$status" -ne 0 ] || grep -aq 'Test run with [1-9]' .build/long.log || fail "no test has run"
    exit "$status"
fi

# part NAME FOLDER OPTION...: runs tests; prints and logs their output and their time.
part() {
    name=$1
    shift
    printf '\n== %s\n' "$name" | tee -a "$log"
    begin=$(date +%s)
    {
        status=0
        # shellcheck disable=SC2086
        tests "$@" $exceptions || status=$?
        echo "$status" >"$build/test.status"
    } 2>&1 </dev/null | tee "$build/part.log" | tee -a "$log"
    status=$(cat "$build/test.status")
    [ "$status" -ne 0 ] || grep -aq 'Test run with [1-9]' "$build/part.log" || status="no test has run"
    echo "test: $name: $(($(date +%s) - begin)) s" | tee -a "$log"
    [ "$status" != 0 ] || return 0
    [ "$status" != 124 ] || echo "test: $name: ended at its limit of $minutes minutes" | tee -a "$log"
    failed="$failed $name (status $status);"
}

# start_tool: begins to build the optimized tool, which only its own tests need. One module after the
# other leaves a core idle, on which the other tests are built and run.
start_tool() {
    [ "${WEIR_TEST_TOOL-}" = "$PWD/.build/release/weir" ] || return 0
    setsid sh support/release.sh >"$build/tool.log" 2>&1 &
    tool=$!
    # What has begun in the background gets no interrupt from the terminal.
    trap 'kill -- "-$tool" 2>/dev/null || :; exit 130' INT TERM
}

# behind_tool COMMAND...: runs a command, with nice 5 if the tool is being built when it begins: the last
# tests wait for that build. With nice 10 the tests would hardly get on beside other load.
behind_tool() {
    ! grep -qs '^State:.[^Z]' "/proc/$tool/status" || priority='nice -n 5'
    "$@"
    priority=
}

# await_tool: waits for the tool; prints the log of the build if it fails.
await_tool() {
    [ -z "$tool" ] || wait "$tool" || {
        cat "$build/tool.log"
        failed="$failed the build of the tool;"
        return 1
    }
}

# build_part: builds the tests; prints and logs what is said and the time. Fails if the build fails.
build_part() {
    begin=$(date +%s)
    : >"$build/test.status"
    { build_tests "$build/test" || echo failed >"$build/test.status"; } 2>&1 |
        grep --line-buffered -av '^remark: Incremental compilation has been disabled' | tee -a "$log"
    echo "test: the build: $(($(date +%s) - begin)) s" | tee -a "$log"
    [ ! -s "$build/test.status" ] || failed=" the build of the tests;"
    [ -z "$failed" ]
}

# The tests of the C library fill the cores from threads of their own, so they come before the others.
# shellcheck disable=SC2046,SC2086
test_package() {
    start_tool
    if build_part; then
        behind_tool check_lib
        behind_tool part "the Swift libraries" test --skip-build --filter "$library_suites" $(without $wait_tests)
        ! await_tool ||
            part "the tool" test --skip-build --filter "$tool_suites" $(without $random_suites $wait_tests)
    else
        await_tool || :
    fi
}

# shellcheck disable=SC2086
test_waits() {
    check_lib waits_
    part "the Swift libraries" test --filter "$(echo $wait_tests | tr ' ' '|')"
    export WEIR_TEST_WAITS=1 WEIR_TEST_TRANSCRIPT=waits
    part "the tool" test --skip-build --filter TranscriptTests
    unset WEIR_TEST_TOOL
    part "the demos" examples --package-path examples/demos --filter DemoSimulationTests/comparison
    part "the guide" examples --package-path examples/guide --filter GuideTests/times
}

# check_lib PART...: runs the tests of the C library.
check_lib() {
    printf '\n== the C library\n' | tee -a "$log"
    begin=$(date +%s)
    {
        status=0
        limited "$minutes" sh support/check-lib.sh "$@" || status=$?
        echo "$status" >"$build/test.status"
    } 2>&1 </dev/null | tee -a "$log"
    echo "test: the C library: $(($(date +%s) - begin)) s" | tee -a "$log"
    status=$(cat "$build/test.status")
    [ "$status" = 0 ] || failed="$failed the C library (status $status);"
}

# Builds packages that depend on this one, as a stranger would. The examples have one build
# folder: the second finds the libraries built.
test_examples() {
    export WEIR_TEST_TRANSCRIPT=package/
    part "the package as strangers have it" test --filter TranscriptTests
    for tests in examples/*/Tests; do
        package=${tests%/Tests}
        part "$package" examples --package-path "$package"
    done
}

# except NAME REASON: leaves out tests with the sources for POSIX, and says why.
except() {
    echo "test: without $1: $2" | tee -a "$log"
    exceptions="$exceptions --skip $1"
}

test_posix() {
    export WEIR_POSIX=1 POSIX=1
    except '(FileProcessorTests/storage|StorageTests/groups)' "the storage of /proc and /sys"
    except everyRaceEndsAsPromised "a file that moves away counts as changed: its times prove nothing"
    except FaultRegressionTests/mended "some faults are in calls of Linux: readdir of /proc, fstatfs"
    test_package
}

[ $# -gt 0 ] || use_memory
"test_${1:-package}"

printf '\n== results\n'
grep -aE 'Test run with|^check-lib: |^test: ' "$log" || echo "test: no test has run"
if [ -n "$failed" ]; then
    # Repeated at the end, where a reader of a long log looks first.
    grep -aE -A2 '✘ Test .* recorded an issue|: error: |Fatal error' "$log" |
        grep -av '^◇' | cut -c1-400 | tail -n 40 || true
    echo "FAILED:${failed%;}"
    exit 1
fi
echo "passed"
