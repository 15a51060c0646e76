#!/bin/sh
# lib.sh configure|build|describe: the C library, without Swift and without
# SwiftPM: .build/lib/libweir.a and libweir.so, by any C compiler.
#
# configure  finds a compiler, a libdispatch, and whether there are blocks, and
#            writes them to .build/lib/config, unless that says so already
# build      compiles and links what the config says
# describe   says what was built
#
# CC, CPPFLAGS, CFLAGS, LDFLAGS and AR are the user's, as everywhere. Without a
# CC it is clang, which has blocks, or else cc.
set -eu

. support/shell.sh

place=.build/lib
config=$place/config

# ---- configure --------------------------------------------------------------

in_dispatch() {
    [ -z "$dispatch_shared" ] || set -- "$@" -L"$dispatch_shared"
    "$@"
}

# with_blocks: whether the compiler has blocks, and there is their runtime.
with_blocks() {
    # shellcheck disable=SC2086
    echo 'int main(int n, char **v) { return ^{ return n - n + !v; }(); }' |
        in_dispatch $CC -fblocks -x c - -x none -o "$1" -lBlocksRuntime \
            >/dev/null 2>&1
}

# blocks_runtime: whether there is one at all, for the programs that use it.
blocks_runtime() {
    # shellcheck disable=SC2086
    echo 'extern void *_Block_copy(const void *);
        int main(void) { return !_Block_copy; }' |
        in_dispatch $CC -x c - -x none -o "$1" -lBlocksRuntime >/dev/null 2>&1
}

# links_statically WORD...: whether libdispatch.a asks for no more than these.
links_statically() {
    [ -z "$dispatch_static" ] || set -- -L"$dispatch_static" "$@"
    # shellcheck disable=SC2086
    echo 'extern void dispatch_main(void); int main(void) { dispatch_main(); }' |
        $CC -x c - -x none -o "$probe" -static "$@" >/dev/null 2>&1
}

# What a static program links, first to last.
static_libraries() {
    [ "$dispatch_static" != none ] || return 0
    least="-ldispatch -lBlocksRuntime -lpthread -lm"
    for more in "" " -lstdc++" " -lstdc++ -ldl -lrt"; do
        # shellcheck disable=SC2086
        if links_statically $least$more; then
            break
        fi
    done
    echo "$least$more"
}

configure() {
    mkdir -p "$place"
    if [ -z "${CC-}" ]; then
        CC=cc
        ! command -v clang >/dev/null 2>&1 || CC=clang
    fi
    found=$(CC=${CC%% *} sh support/dispatch.sh)
    eval "$found"
    probe=$(mktemp)
    trap 'rm -f "$probe"' EXIT
    blocks=no
    ! with_blocks "$probe" || blocks=yes
    runtime=
    ! blocks_runtime "$probe" || runtime=-lBlocksRuntime
    {
        assign CC "$CC"
        assign CPPFLAGS "${CPPFLAGS-}"
        assign CFLAGS "${CFLAGS--O2 -g}"
        assign LDFLAGS "${LDFLAGS-}"
        assign AR "${AR-ar}"
        echo "$found"
        assign blocks "$blocks"
        assign runtime "$runtime"
        assign static_libraries "$(static_libraries)"
    } >"$config.new"
    if cmp -s "$config.new" "$config"; then
        rm "$config.new"
    else
        mv "$config.new" "$config"
    fi
}

# ---- build ------------------------------------------------------------------

compile() {
    set -- -std=c11 -fPIC -fvisibility=hidden -Iinclude -ISources/CWeir
    [ "$blocks" = no ] || set -- "$@" -fblocks
    case $dispatch_include in
    none) set -- "$@" -DWEIR_NO_DISPATCH_HEADERS ;;
    ?*) set -- "$@" -isystem "$dispatch_include" ;;
    esac
    rm -rf "$place/objects"
    mkdir -p "$place/objects"
    for source in $(find Sources/CWeir -name "*.c" | sort); do
        object=${source##*/}
        # shellcheck disable=SC2086
        $CC "$@" $CPPFLAGS $CFLAGS -c -o "$place/objects/${object%.c}.o" "$source"
    done
}

archive() {
    rm -f "$place/libweir.a"
    "$AR" rcs "$place/libweir.a" "$place"/objects/*.o
}

link() {
    set -- -shared -Wl,-soname,"$(soname)" \
        -Wl,--version-script,support/weir.map
    case $CFLAGS in
    # A sanitizer's runtime is linked into programs, not into libraries.
    *-fsanitize*) ;;
    *) set -- "$@" -Wl,-z,defs ;;
    esac
    if [ -n "$dispatch_shared" ]; then
        set -- "$@" -L"$dispatch_shared" -Wl,-rpath,"$dispatch_shared"
    fi
    [ "$blocks" = yes ] || runtime=
    # shellcheck disable=SC2086
    $CC $CFLAGS "$@" $LDFLAGS -o "$place/libweir.so" "$place"/objects/*.o \
        -ldispatch $runtime -lpthread
}

# ---- describe ---------------------------------------------------------------

describe() {
    case $blocks in
    yes) forms="with the block forms" ;;
    no) forms="without the block forms ($CC has no blocks)" ;;
    esac
    case $static_libraries in
    "") forms="$forms, without a libdispatch.a to link statically with" ;;
    esac
    where=$dispatch_shared
    [ -n "$where" ] || where="the system's"
    echo "lib: $place/libweir.a and libweir.so ($(soname)), by $CC," \
        "$forms; libdispatch: $where"
}

case ${1-} in
configure) configure ;;
build)
    read_config
    compile
    link
    archive
    ;;
describe)
    read_config
    describe
    ;;
*)
    echo "usage: lib.sh configure|build|describe" >&2
    exit 2
    ;;
esac
