#!/bin/sh
# lint.sh: checks the sources without running them. Prints the name of each check
# and every fault, then fails if there was one.
set -eu

. support/shell.sh

failed=
check() {
    echo "lint: $1"
    shift
    "$@" || failed=yes
}

swift_layout() {
    sh support/sources.sh '*.swift' |
        of_each_line swift format lint --strict --parallel
}

c_layout() {
    clang_format --dry-run -Werror
}

strict="-std=c11 -O1 -Wall -Wextra -Wshadow -Wconversion -Werror -Iinclude -ISources/CWeir"
strict="$strict -ISources/CFileKernels/include"

# strictly COMPILER FLAG...: compiles every C source of the libraries.
strictly() {
    object=$(mktemp)
    result=0
    for source in $(sh support/sources.sh 'Sources/*.c'); do
        # shellcheck disable=SC2086
        "$@" $strict -c -o "$object" "$source" || result=1
    done
    rm -f "$object"
    return $result
}

# alone COMPILER FLAG...: compiles every public header by itself.
alone() {
    result=0
    for header in $(sh support/sources.sh 'include/*.h'); do
        echo "#include <${header#include/}>" |
            "$@" -Wall -Wextra -Werror -Iinclude -fsyntax-only - || result=1
    done
    return $result
}

# links: prints each link of a page that leads to no file, and fails then.
links() {
    ! sh support/sources.sh '*.md' | while IFS= read -r page; do
        grep -o '](\([^):#]*\)[)#]' "$page" | sed 's/^](//; s/.$//' | sort -u | while IFS= read -r link; do
            [ -z "$link" ] || [ -e "$(dirname "$page")/$link" ] || echo "$page: no $link"
        done
    done | grep .
}

scripts() {
    result=0
    for script in $(sh support/sources.sh 'support/*.sh' 'packaging/*.sh'); do
        sh -n "$script" || result=1
    done
    for script in $(sh support/sources.sh .ci/run Benchmarks/run Fuzz/run); do
        case $(head -n 1 "$script") in
        *bash) bash -n "$script" || result=1 ;;
        *sh) sh -n "$script" || result=1 ;;
        esac
    done
    if command -v shellcheck >/dev/null 2>&1; then
        sh support/sources.sh 'support/*.sh' 'packaging/*.sh' .ci/run | of_each_line shellcheck || result=1
    fi
    return $result
}

# The toolchain's clang, which also compiles the package.
clang=$(toolchain)/bin/clang
[ -x "$clang" ] || clang=clang

check "rooms, includes, sizes" sh support/lint-layout.sh
check "folders of the Swift targets" sh support/lint-folders.sh
check "words of the documentation" sh support/lint-words.sh
check "options, each told once" sh support/lint-options.sh
check "documents" sh support/lint-docs.sh
check "Swift, layout" swift_layout
check "C, layout" c_layout
check "C, clang" strictly "$clang" -fblocks -Wpedantic
check "C, clang, with libdispatch's own headers" \
    strictly "$clang" -fblocks -Wpedantic -isystem "$(toolchain)/lib/swift"
check "headers alone, C11" alone "$clang" -fblocks -xc -std=c11 -Wpedantic
check "headers alone, C++17" alone "$clang"++ -xc++ -std=c++17 -Wpedantic
if command -v gcc >/dev/null 2>&1; then
    check "C, gcc" strictly gcc
    check "headers alone, gcc, C11" alone gcc -xc -std=c11
fi
if command -v g++ >/dev/null 2>&1; then
    check "headers alone, g++, C++17" alone g++ -xc++ -std=c++17
fi
check "scripts" scripts
check "links of the pages" links

[ -z "$failed" ] || {
    echo "lint: FAILED"
    exit 1
}
echo "lint: passed"
