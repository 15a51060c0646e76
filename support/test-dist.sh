#!/bin/sh
# test-dist.sh: tests the archive that dist.sh has made: where it is all there
# is, and its tool by the tests of the tool. Without those that put errors between
# the tool and its libc: it has its own.
set -eu

export SWIFT_BACKTRACE=enable=no

. support/shell.sh

WEIR_TEST_DIST=1 limited 30 swift test --disable-xctest --filter DistTests
WEIR_TEST_TOOL=$PWD/.build-dist/release/weir limited 20 \
    swift test --disable-xctest --skip-build --filter WeirToolTests \
    --skip ReadErrorTests
