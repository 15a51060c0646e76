#!/bin/sh
# test-dist.sh: tests the archive that dist.sh has made, in a root directory with
# nothing else, and its tool with the tests of the tool. ReadErrorTests put a
# library between the tool and libc, which this tool contains, so they are skipped.
set -eu

export SWIFT_BACKTRACE=enable=no

. support/shell.sh

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
tar -C "$unpacked" --strip-components=1 \
    -xzf ".build/dist/weir-$(version MAJOR).$(version MINOR).$(version PATCH)-linux-$(uname -m).tar.gz"

WEIR_TEST_DIST=1 limited 30 swift test --disable-xctest --filter DistTests
WEIR_TEST_TOOL=$unpacked/bin/weir limited 20 \
    swift test --disable-xctest --skip-build --filter WeirToolTests \
    --skip ReadErrorTests
