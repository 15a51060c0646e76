#!/bin/sh
# test-targets.sh [TARGET...]: compiles the C sources of CWeir and CFileKernels, and the
# public headers as C11 and C++17, for systems that are not here, without a warning; for
# macOS it also links the programs of examples/guide. Nothing is run.
#
# The compiler is zig, from PyPI (`ziglang`), which has the headers and the libraries of
# all targets. The headers of OpenSSL and xxHash are this machine's: they are the same
# everywhere, but for OpenSSL's configuration, which only the compiler reads here.
# The objects are in .build/targets.
set -eu

. support/shell.sh

version=0.17.1
all='aarch64-linux-gnu x86_64-linux-gnu aarch64-linux-musl x86_64-linux-musl
    aarch64-macos.11.0 x86_64-macos.11.0 aarch64-freebsd x86_64-freebsd'
place=.build/targets
venv=.build/zig-venv
jobs=$(nproc)

setup() {
    mkdir -p "$place/include/openssl"
    if ! [ -x "$venv/bin/python" ] || ! "$venv/bin/python" -m ziglang version | grep -qx "$version"; then
        python3 -m venv "$venv"
        "$venv/bin/pip" install -q "ziglang==$version"
    fi
    zig=$(echo "$PWD/$venv"/lib/python3*/site-packages/ziglang/zig)
    export zig
    export ZIG_GLOBAL_CACHE_DIR="$PWD/$place/cache" ZIG_LOCAL_CACHE_DIR="$PWD/$place/cache"
    for folder in /usr/include /usr/include/"$(uname -m)"-linux-gnu; do
        for header in "$folder"/openssl/*.h; do
            ! [ -f "$header" ] || cp "$header" "$place/include/openssl/"
        done
        for header in "$folder"/xxh*.h; do
            ! [ -f "$header" ] || cp "$header" "$place/include/"
        done
    done
}

strict='-Wall -Wextra -Werror -fblocks -Iinclude -ISources/CWeir -ISources/CFileKernels/include'
strict="$strict -isystem $place/include"
export strict place

# compile TARGET SOURCE...: compiles sources to $place/TARGET; prints each that fails.
compile() {
    target=$1
    shift
    export target
    mkdir -p "$place/$target"
    # shellcheck disable=SC2016
    printf '%s\n' "$@" | xargs -n 1 -P "$jobs" sh -c '
        object=$place/$target/$(printf %s "$1" | tr / _).o
        $zig cc -target "$target" -std=c11 $strict -O1 -c -o "$object" "$1" || {
            echo "$target: $1"
            exit 1
        }' compile
}

# headers TARGET: compiles all public headers, as C11 and as C++17.
headers() {
    sh support/sources.sh 'include/weir/*.h' | sed 's|include/\(.*\)|#include <\1>|' \
        >"$place/headers.c"
    cp "$place/headers.c" "$place/headers.cpp"
    # shellcheck disable=SC2086
    "$zig" cc -target "$1" -std=c11 $strict -c -o "$place/headers.o" "$place/headers.c" &&
        "$zig" c++ -target "$1" -std=c++17 $strict -c -o "$place/headers.o" "$place/headers.cpp"
}

# programs TARGET: links the programs of the guide with the library.
programs() {
    result=0
    count=0
    for program in $(sh support/sources.sh 'examples/guide/*.c' | grep -v /Tests/); do
        count=$((count + 1))
        "$zig" cc -target "$1" -fblocks -Wno-deprecated-declarations -Iinclude \
            -o "$place/program" "$program" "$place/$1"/Sources_CWeir_*.o || {
            echo "$1: $program"
            result=1
        }
    done
    say "$1: $count programs linked"
    return $result
}

# planted TARGET: a call that only Linux has, in a shared source, must not compile.
planted() {
    {
        cat Sources/CWeir/walk/open.c
        echo 'int weir__planted(const char *path); int weir__planted(const char *path) {'
        echo '    return open(path, O_PATH | O_CLOEXEC);'
        echo '}'
    } >"$place/planted.c"
    if compile "$1" "$place/planted.c" >"$place/planted.log" 2>&1; then
        say "$1: a planted O_PATH was not found"
        return 1
    fi
    grep -q "O_PATH" "$place/planted.log"
}

setup
failed=
sources=$(sh support/sources.sh 'Sources/CWeir/*.c' 'Sources/CFileKernels/*.c')
for target in ${*:-$all}; do
    fine=yes
    # shellcheck disable=SC2086
    compile "$target" $sources || fine=no
    headers "$target" || fine=no
    case $fine$target in
    yes*-macos*)
        { programs "$target" && planted "$target"; } || fine=no
        ;;
    esac
    [ "$fine" = yes ] || failed="$failed $target"
    say "$target: $(echo "$sources" | wc -w) sources, $fine"
done
[ -z "$failed" ] || fail "FAILED:$failed"
say "passed"
