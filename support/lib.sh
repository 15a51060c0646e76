#!/bin/sh
# lib.sh configure|build|describe: builds the C library without Swift, with any C
# compiler: .build/lib/libweir.a and libweir.so.
#
# configure  finds a compiler, libdispatch and the blocks runtime, and writes
#            .build/lib/config if it differs
# build      compiles and links with that configuration
# describe   prints a description of the result
#
# WEIR_DISPATCH_INSTALLED names the directory of libdispatch, shared and static, on the
# machines that get the library, if it is not that of this machine (packaging/deb.sh).
#
# CC, CPPFLAGS, CFLAGS, LDFLAGS and AR have their usual meaning. The default of CC
# is clang, which has blocks, else cc. The default of CFLAGS has DWARF 4, since the
# valgrind of Debian 12 (3.19) cannot read the DWARF 5 of clang.
set -eu

. support/shell.sh

place=.build/lib
config=$place/config

# ---- configure --------------------------------------------------------------

in_dispatch() {
    [ -z "$dispatch_shared" ] || set -- "$@" -L"$dispatch_shared"
    "$@"
}

# with_blocks FILE: true if the compiler has blocks and links their runtime.
with_blocks() {
    # shellcheck disable=SC2086
    echo 'int main(int n, char **v) { return ^{ return n - n + !v; }(); }' |
        in_dispatch $CC -fblocks -x c - -x none -o "$1" -lBlocksRuntime \
            >/dev/null 2>&1
}

# blocks_runtime FILE: true if there is a blocks runtime, for programs that use it.
blocks_runtime() {
    # shellcheck disable=SC2086
    echo 'extern void *_Block_copy(const void *);
        int main(void) { return !_Block_copy; }' |
        in_dispatch $CC -x c - -x none -o "$1" -lBlocksRuntime >/dev/null 2>&1
}

# links_statically WORD...: true if a static program needs only these libraries.
links_statically() {
    [ -z "$dispatch_static" ] || set -- -L"$dispatch_static" "$@"
    # shellcheck disable=SC2086
    echo 'extern void dispatch_main(void); int main(void) { dispatch_main(); }' |
        $CC -x c - -x none -o "$probe" -static "$@" >/dev/null 2>&1
}

# The libraries of a static program, in the order of the link.
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
        assign CFLAGS "${CFLAGS--O2 -g -gdwarf-4}"
        assign LDFLAGS "${LDFLAGS-}"
        assign AR "${AR-ar}"
        echo "$found"
        assign blocks "$blocks"
        assign runtime "$runtime"
        assign static_libraries "$(static_libraries)"
        assign dispatch_installed "${WEIR_DISPATCH_INSTALLED-}"
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
    # The runtime of a sanitizer is linked into programs, not into libraries.
    *-fsanitize*) ;;
    *) set -- "$@" -Wl,-z,defs ;;
    esac
    if [ -n "$dispatch_shared" ]; then
        set -- "$@" -L"$dispatch_shared" -Wl,-rpath,"${dispatch_installed:-$dispatch_shared}"
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
    echo "lib: $place/libweir.a and libweir.so ($(soname)), built by $CC" \
        "$forms; libdispatch: ${dispatch_shared:-from the system}"
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
