#!/bin/sh
# test-dist.sh: tests the archive that dist.sh has made: where it is all there
# is, and its tool by all the tests of the tool.
set -eu

export SWIFT_BACKTRACE=enable=no

. support/shell.sh

WEIR_TEST_DIST=1 limited 30 swift test --disable-xctest --filter DistTests
WEIR_TEST_TOOL=$PWD/.build-dist/release/weir limited 20 \
    swift test --disable-xctest --skip-build --filter WeirToolTests
