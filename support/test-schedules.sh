#!/bin/sh
# test-schedules.sh [sample]: searches the schedules of each scenario of Tests/Schedules for
# SEARCH=20 seconds and runs SCHEDULES=100000 at random, then looks for the bugs of
# Tests/Schedules/Planted. Then runs as many random schedules of threads and tasks at
# a gate in Swift, and time-outs that race with grants. `sample` is a small part of the first,
# for support/check-lib.sh.
set -eu

mkdir -p .build/schedules
sh support/schedules-build.sh .build/schedules/schedules
if [ "${1-}" = sample ]; then
    found=$(.build/schedules/schedules --seconds 0.05 --schedules 150) &&
        [ "$(echo "$found" | grep -c .)" -gt 40 ] || {
        echo "$found"
        exit 1
    }
    echo "schedules: no scenario failed"
    exit
fi
.build/schedules/schedules --seconds "${SEARCH:-20}" --schedules "${SCHEDULES:-100000}" \
    --seed "${SEED:-1}"
sh support/planted-schedules.sh

sh support/test.sh "WEIR_TEST_SCHEDULES=${SCHEDULES:-100000}" GateScheduleTests
