#!/bin/sh
# test-schedules.sh [sample]: runs SCHEDULES=100000 random schedules of each scenario of
# Tests/Schedules, then looks for the bugs of Tests/Schedules/Planted. Then runs as many of
# threads and tasks at a gate in Swift, and time-outs that race with grants. `sample` is a
# small part of the first, for support/check-lib.sh.
set -eu

mkdir -p .build/schedules
sh support/schedules-build.sh .build/schedules/schedules
if [ "${1-}" = sample ]; then
    found=$(.build/schedules/schedules --schedules 1000) &&
        [ "$(echo "$found" | grep -c .)" -gt 35 ] || {
        echo "$found"
        exit 1
    }
    echo "schedules: no scenario failed"
    exit
fi
.build/schedules/schedules --schedules "${SCHEDULES:-100000}" --seed "${SEED:-1}"
sh support/planted-schedules.sh

sh support/test.sh "WEIR_TEST_SCHEDULES=${SCHEDULES:-100000}" GateScheduleTests
