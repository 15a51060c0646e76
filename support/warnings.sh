#!/bin/sh
# warnings.sh: fails if the compilers warned of a source of this repository in the last
# `make test` or `make test-examples`, and prints the warnings.
set -eu

. support/shell.sh

[ -s .build/test.log ] || fail "there is no .build/test.log; run make test first"
# PATH:LINE:COLUMN: warning.
found=$(sed "s|^$PWD/||" .build/test.log |
    grep -aE '^(Sources|Tests|include|examples|Benchmarks)/.*: warning:' |
    grep -av '/\.build[^/]*/' | sort -u) || true
[ -z "$found" ] || {
    printf '%s\n' "$found"
    fail "FAILED: the compilers warn"
}
say "none from the compilers"
