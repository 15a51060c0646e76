#!/bin/sh
# release-check.sh [COMMIT [yes]]: checks that the last commit can be released: the version, the
# C library's ABI against COMMIT or the last tag, the schemas, the manual pages, the workflows,
# and lint. With `yes`, both commands of the README on a bare Debian 12 too (an hour). Names
# every fault, then fails. docs/releasing.md has the procedure.
set -eu

. support/shell.sh

number=$(full_version)
tool=.build/release/weir
python=.build/release-check

failed=
check() {
    say "$1"
    shift
    "$@" || failed=yes
}

fault() {
    printf '    %s\n' "$*"
    faults=yes
}

# The places that docs/changing.md lists; lint checks that of README.md. A tag that exists is
# that of this commit.
the_version() {
    faults=
    [ -z "$(git status --porcelain)" ] || fault "there are changes that are not committed"
    [ "$(sed -n 's/^## \([0-9.]*\) - .*/\1/p' CHANGELOG.md | head -n 1)" = "$number" ] ||
        fault "the newest version of CHANGELOG.md, with a date, is not $number"
    grep -q "\"$number\"" Sources/Weir/WeirVersion.swift || fault "WeirVersion.swift does not say $number"
    [ "$("$tool" --version)" = "weir $number" ] || fault "$tool says $("$tool" --version)"
    "$tool" --generate-reference | cmp -s - docs/options.md || fault "docs/options.md is old; use make docs"
    tagged=$(git rev-parse -q --verify "v$number^{commit}") || tagged=
    [ -z "$tagged" ] || [ "$tagged" = "$(git rev-parse HEAD)" ] || fault "v$number is the tag of another commit"
    [ -z "$faults" ]
}

schemas() {
    [ -x $python/bin/check-jsonschema ] || {
        python3 -m venv $python
        $python/bin/pip install --quiet check-jsonschema==0.39.0
    } || return 1
    $python/bin/check-jsonschema --quiet --check-metaschema docs/schema/*.json &&
        $python/bin/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/*.yml
}

# Those of the tool and of the library; a page that only names another has nothing to check.
pages() {
    grep -rL '^\.so ' .build/man .build/tool/man1 | of_each_line mandoc -T lint -W warning
}

workflows() {
    if command -v actionlint >/dev/null 2>&1; then
        actionlint
    else
        say "actionlint is not installed: skipped"
    fi
    ! grep -n 'uses:' .github/workflows/*.yml | grep -vE '@[0-9a-f]{40} # v[0-9.]+$'
}

check "version $number" the_version
check "schemas" schemas
check "manual pages" pages
check "workflows, and their actions by commit" workflows
check "ABI" sh support/abi.sh ${1:+"$1"}
check "lint" make -s lint
[ -z "${2-}" ] || check "make run and make test on a bare Debian 12" sh support/test-bare.sh
[ -z "$failed" ] || fail "FAILED"
say "passed"
