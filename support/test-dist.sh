#!/bin/sh
# test-dist.sh: tests the archive that dist.sh has made, in a root directory with
# nothing else, and its tool with the tests of the tool. ReadErrorTests put a
# library between the tool and libc, which this tool contains, so they are skipped.
set -eu

export SWIFT_BACKTRACE=enable=no

. support/shell.sh

WEIR_TEST_DIST=1 limited 30 swift test --disable-xctest --filter DistTests
WEIR_TEST_TOOL=$PWD/.build-dist/release/weir limited 20 \
    swift test --disable-xctest --skip-build --filter WeirToolTests \
    --skip ReadErrorTests
