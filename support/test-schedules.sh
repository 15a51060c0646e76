#!/bin/sh
# test-schedules.sh: runs SCHEDULES=100000 random schedules of threads and tasks at a
# gate, and as many time-outs that race with grants, in a release build.
set -eu

. support/shell.sh

WEIR_TEST_SCHEDULES=${SCHEDULES:-100000}
export WEIR_TEST_SCHEDULES
# shellcheck disable=SC2046
limited "${TEST_MINUTES:-40}" swift test -c release $(lld) \
    --disable-xctest -Xswiftc -enable-testing --scratch-path .build-release-tests \
    --filter GateScheduleTests </dev/null
