#!/bin/sh
# test-random.sh [SUITE]...: runs the suites with random inputs, each in turn and with a new seed in
# each round, for MINUTES=5. WEIR_TEST_SEED=N begins with the round of that seed; with the name of a
# suite it repeats a failure.
set -eu

. support/shell.sh

export SWIFT_BACKTRACE=enable=no
log=.build/random.log
end=$(($(date +%s) + ${MINUTES:-5} * 60))
seed=${WEIR_TEST_SEED:-$(date +%s)}
only=" $* "
failed='' ran=''
mkdir -p .build
: >"$log"
use_memory

# step SUITE COMMAND...: runs a suite, unless the time is over or others are chosen.
step() {
    suite=$1
    shift
    case $only in "  " | *" $suite "*) ;; *) return 0 ;; esac
    [ "$(date +%s)" -lt "$end" ] || return 0
    begin=$(date +%s) ran=yes
    if WEIR_TEST_SEED=$seed "$@" >"$log.step" 2>&1 </dev/null; then
        echo "passed: $suite, seed $seed, $(($(date +%s) - begin)) s"
    else
        cat "$log.step" >>"$log"
        echo "FAILED: $suite; to repeat: WEIR_TEST_SEED=$seed sh support/test-random.sh $suite"
        grep -aE '✘ Test .* recorded an issue|not so: |FAILED|_SEED=[0-9]+:' "$log.step" | cut -c1-300 | head -n 5
        failed=yes
    fi
}

# swift_suite SUITE: runs a suite of Swift tests; one that has no test is a failure.
swift_suite() {
    swift_tests 10 .build/test --skip-build --filter "\.$1(/|\$)" &&
        grep -aq 'Test run with [1-9]' "$log.step"
}

# calls: compares random calls of the drop-in names with GNU's tools.
calls() { WEIR_TEST_TRANSCRIPT=dropins/calls swift_suite TranscriptTests; }

# names: random names in the messages of the verbs, on a terminal.
names() { WEIR_TEST_TRANSCRIPT=session/messages WEIR_TEST_RANDOM_NAMES=1 swift_suite TranscriptTests; }

schedules() {
    sh support/schedules-build.sh .build/schedules/schedules
    .build/schedules/schedules --schedules 1500 --seed "$seed"
}

build_tests .build/test >"$log" 2>&1 ||
    fail "the tests do not build; see $log"
mkdir -p .build/schedules
while [ "$(date +%s)" -lt "$end" ]; do
    step gates sh support/check-lib.sh gate lanes timeline
    step trees sh support/check-lib.sh glob filter walk_tests ahead runs_model lists
    step schedules schedules
    export WEIR_TEST_MODEL=100
    step calls calls
    step names names
    for suite in $random_suites DuplicatesTests \
        CheckJobTests ManifestParserTests GateScheduleTests CorpusTests; do
        step "$suite" swift_suite "$suite"
    done
    [ -n "$ran" ] || fail "no suite is named $*"
    seed=$((seed + 1))
done
[ -z "$failed" ] || fail "see $log"
say "no suite failed"
