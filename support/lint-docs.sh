#!/bin/sh
# lint-docs.sh: checks the documents against the repository: the manual pages that man.sh
# makes, the tests and targets that docs/reliability.md names, the version of CHANGELOG.md
# and README.md, and paths of one machine in any file. Prints each fault, then fails.
set -eu

. support/shell.sh

failed=
fault() {
    printf '%s\n' "$*"
    failed=yes
}

# A page for each public function, without a warning of mandoc.
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT
sh support/man.sh "$pages"
for function in $(cat include/weir/*.h | tr '\n' ' ' |
    grep -oE 'WEIR_EXPORT[^;(]*weir_[a-z0-9_]+\(' | grep -oE 'weir_[a-z0-9_]+'); do
    [ -f "$pages/man3/$function.3" ] || fault "$function has no manual page"
done
! command -v mandoc >/dev/null 2>&1 ||
    grep -rL '^\.so ' "$pages" | of_each_line mandoc -T lint -W warning || failed=yes

# Each promise names tests that exist, as `Suite`, `Suite/function` or `make TARGET`; the suites of
# the C library are files, and so are transcripts, as `folder/file.t` or `folder/file.t/word`.
names=$(awk -F'|' '/^\|/ { n = split($3, part, "`"); for (i = 2; i <= n; i += 2) print part[i] }' \
    docs/reliability.md | tr ' ' '+' | sort -u)
for name in $names; do
    case $name in
    make+*) grep -q "^${name#make+}:" Makefile ;;
    *.t/*) grep -q "^## ${name##*/}: " "Tests/Transcripts/${name%/*}" ;;
    *.t) [ -f "Tests/Transcripts/$name" ] ;;
    *_tests/*)
        find Tests/CLibrary -name "${name%/*}.c" | of_each_line \
            grep -qE "^TEST[A-Z_]*\((.*, )?${name#*/}[,)]"
        ;;
    *_tests) find Tests/CLibrary -name "$name.c" | grep -q . ;;
    */*)
        grep -rlE "(struct|extension) ${name%/*}\b" Tests | of_each_line \
            grep -qE "func ${name#*/}\("
        ;;
    *) grep -rqE "struct $name\b" Tests ;;
    esac || fault "docs/reliability.md: there is no $name"
done

[ "$(sed -n 's/^## \([0-9][0-9.]*\).*/\1/p' CHANGELOG.md | head -n 1)" = \
    "$(version MAJOR).$(version MINOR).$(version PATCH)" ] ||
    fault "the newest version of CHANGELOG.md is not that of include/weir/base.h"
grep -q "promise one; $(version MAJOR).$(version MINOR) is" README.md ||
    fault "\"When not to use it\" in README.md does not name $(version MAJOR).$(version MINOR)"

# Brackets keep the pattern from matching itself.
! sh support/sources.sh '*' | of_each_line grep -nIE \
    '(^|[^[:alnum:]_.~}-])/(opt/[s]wift|[w]ork/|[f]arm/|[r]oot/)|\.\./[s]hared' || failed=yes

[ -z "$failed" ]
